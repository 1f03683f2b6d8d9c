#include "app/cli/program_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/cli/beside.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostSaid = 64 << 10;  // of standard error, kept

// Where the worker's words go, since its lines are read meanwhile; without a name.
int scratchFile() {
  std::string path = (std::filesystem::temp_directory_path() / "tidemark-said-XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

std::string contentOf(int file) {
  std::string text(kMostSaid, '\0');
  const ssize_t read = ::pread(file, text.data(), text.size(), 0);
  text.resize(read > 0 ? static_cast<size_t>(read) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Error systemError(const std::string& what) { return {ErrorCode::Io, what, std::strerror(errno)}; }

}  // namespace

Status runBeside(const std::string& name, const std::vector<std::string>& arguments, const std::function<void(const std::string&)>& onLine) {
  TIDEMARK_ASSIGN(const std::filesystem::path program, programBeside(name));
  std::vector<std::string> texts{program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return systemError("a pipe");
  const int said = scratchFile();
  if (said < 0) {
    ::close(ends[0]), ::close(ends[1]);
    return systemError(std::filesystem::temp_directory_path().string());
  }
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  Status result;
  if (child < 0) {
    result = systemError(program.string());
    ::close(ends[0]);
  } else {
    FILE* lines = ::fdopen(ends[0], "r");
    char* line = nullptr;
    size_t room = 0;
    for (ssize_t length; (length = ::getline(&line, &room, lines)) > 0;)
      onLine({line, static_cast<size_t>(length) - (line[length - 1] == '\n' ? 1 : 0)});
    std::free(line);
    std::fclose(lines);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    const bool isDone = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const bool lacksMemory = WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(run::ExitCode::OutOfMemory);
    std::string detail = contentOf(said);
    if (WIFSIGNALED(status)) detail += (detail.empty() ? "" : "\n") + std::string("ended by signal ") + std::to_string(WTERMSIG(status));
    if (!isDone) result = Error{lacksMemory ? ErrorCode::OutOfMemory : ErrorCode::Internal, "", detail};
  }
  ::close(said);
  return result;
}

}  // namespace tidemark::cli
