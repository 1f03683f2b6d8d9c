#include "app/cli/plan_profile.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace tidemark::cli {
namespace {

// Starts the program with its standard output on a pipe. Returns the reading end.
Result<int> startWithPipe(const std::filesystem::path& program, std::vector<std::string> texts, pid_t& pid) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{ErrorCode::Io, "pipe", std::strerror(errno)};
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // whoever stops this command stops the measuring as well
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  if (pid > 0) return ends[0];
  ::close(ends[0]);
  return Error{ErrorCode::Io, program.string(), std::string("cannot be started: ") + std::strerror(errno)};
}

std::string readAll(int file) {
  std::string text;
  char buffer[65536];
  while (true) {
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

Status take(const std::string& text, MeasuredHere& measured) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    TIDEMARK_ASSIGN(const Json line, parseJson(std::string_view(text).substr(begin, end - begin), "the engine's profile"));
    begin = end + 1;
    if (line.value("event", "") == "gathers") {
      TIDEMARK_ASSIGN(measured.gathers, fit::gathersFrom(line));
    } else {
      TIDEMARK_ASSIGN(fit::Profile profile, fit::profileFrom(line));
      measured.profiles.push_back(std::move(profile));
    }
  }
  return {};
}

}  // namespace

Result<MeasuredHere> measureProfiles(const std::filesystem::path& worker, const std::vector<std::string>& arguments, run::ExitCode& code) {
  std::vector<std::string> texts{worker.string(), "profile"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  pid_t pid = 0;
  TIDEMARK_ASSIGN(const int output, startWithPipe(worker, std::move(texts), pid));
  const std::string text = readAll(output);
  ::close(output);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  code = WIFEXITED(status) ? static_cast<run::ExitCode>(WEXITSTATUS(status)) : run::ExitCode::Failed;
  if (WIFSIGNALED(status))
    return Error{ErrorCode::Internal, worker.string(), std::string("was ended by ") + ::strsignal(WTERMSIG(status)) + " while it measured"};
  if (code != run::ExitCode::Done) return Error{ErrorCode::Internal, "profile", ""};
  MeasuredHere measured;
  TIDEMARK_TRY(take(text, measured));
  if (measured.profiles.empty()) return Error{ErrorCode::Internal, worker.string(), "measured nothing"};
  return measured;
}

}  // namespace tidemark::cli
