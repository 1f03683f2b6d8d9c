#include "app/cli/beside.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/cli/words.h"

namespace tidemark::cli {

Result<std::filesystem::path> programBeside(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{ErrorCode::Internal, "/proc/self/exe", error.message()};
  const auto program = self.parent_path() / name;
  if (::access(program.c_str(), X_OK) == 0) return program;
  return Error{ErrorCode::NotFound, program.string(), "this part of Tidemark is not installed"};
}

Error become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> texts{program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  ::execv(program.c_str(), pointers.data());
  return {ErrorCode::Io, program.string(), std::string("cannot be started: ") + std::strerror(errno)};
}

run::ExitCode handOver(const std::string& verb, const std::vector<std::string>& rest) {
  const auto worker = programBeside("tidemark-worker");
  if (!worker.ok()) return refuse("`" + verb + "` needs the engine", run::Concern::Program, worker.error(), Output::Words);
  std::vector<std::string> arguments{verb};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return fail("`" + verb + "` failed", run::Concern::Program, become(*worker, arguments), Output::Words);
}

}  // namespace tidemark::cli
