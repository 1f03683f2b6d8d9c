#include "app/cli/words.h"

#include <cstdio>
#include <ctime>

#include "core/launch/log_tail.h"

namespace tidemark::cli {
namespace {

// What to do next, where the error itself does not say so.
const char* hintFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidConfig:
      return "Mend the configuration and start again.";
    case ErrorCode::InvalidInput:
      return "Mend the file and try again.";
    case ErrorCode::NotFound:
      return "Check the path or the name.";
    case ErrorCode::Unsupported:
      return "README.md lists what can be used.";
    case ErrorCode::Io:
      return "Check that the disk has space and that you may read and write there.";
    case ErrorCode::OutOfMemory:
      return "Raise memory.budget, use more ranks, or lower dataset.max_seq_length or training.micro_batch_size.";
    case ErrorCode::Busy:
      return "Wait until it is free, or choose another.";
    case ErrorCode::RankLost:
      return "The rank's log in the run directory tells more; `tidemark-cli resume` goes on from the last checkpoint.";
    case ErrorCode::Cancelled:
      return "";
    case ErrorCode::Internal:
      return "This is a fault in Tidemark; please report it with the command and these lines.";
  }
  return "";
}

const char* failureCodeFor(run::ExitCode code) {
  switch (code) {
    case run::ExitCode::OutOfMemory:
      return "out_of_memory";
    case run::ExitCode::RankLost:
      return "rank_lost";
    case run::ExitCode::Refused:
      return "invalid_input";
    default:
      return "failed";
  }
}

void printFailure(run::ExitCode code, const std::string& message, Output output) {
  if (output == Output::Json)
    print(run::toJsonLine(run::makeEvent(-1, run::FailureEvent{failureCodeFor(code), message})));
}

}  // namespace

std::string wordsFor(const std::string& failed, const Error& error) {
  std::string text = failed + ": " + error.message();
  const std::string hint = hintFor(error.code);
  return hint.empty() ? text : text + "\n  " + hint;
}

void say(const std::string& text) {
  const auto line = launch::printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void warn(const std::string& text) { say("warning: " + text); }

run::ExitCode fail(const std::string& failed, const Error& error, Output output) {
  const auto code = run::exitCodeFor(error);
  say("error: " + wordsFor(failed, error));
  printFailure(code, failed + ": " + error.message(), output);
  return code;
}

run::ExitCode refuse(const std::string& failed, const Error& error, Output output) {
  say("error: " + wordsFor(failed, error) + "\n  Nothing was started.");
  printFailure(run::ExitCode::Refused, failed + ": " + error.message(), output);
  return run::ExitCode::Refused;
}

run::ExitCode refuseConfig(const std::string& path, const std::vector<run::ConfigProblem>& problems, Output output) {
  std::string list;
  for (const auto& problem : problems) {
    list += "\n  " + (problem.key.empty() ? problem.what : problem.key + ": " + problem.what);
  }
  const auto count = problems.size() == 1 ? std::string("1 problem") : std::to_string(problems.size()) + " problems";
  say("error: the configuration " + path + " has " + count + ":" + list + "\n  Nothing was started.");
  printFailure(run::ExitCode::Refused, path + ":" + list, output);
  return run::ExitCode::Refused;
}

void print(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

std::string localTime(double secondsSinceEpoch) {
  const auto time = static_cast<std::time_t>(secondsSinceEpoch);
  std::tm parts{};
  char buffer[32];
  if (secondsSinceEpoch <= 0 || !::localtime_r(&time, &parts)) return "-";
  std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
  return buffer;
}

}  // namespace tidemark::cli
