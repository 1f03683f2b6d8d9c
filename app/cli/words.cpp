#include "app/cli/words.h"

#include <cstdio>

#include "core/base/counted.h"
#include "core/base/printable.h"

namespace tidemark::cli {
namespace {

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
    printData(run::toJsonLine(run::makeEvent(-1, run::FailureEvent{failureCodeFor(code), message})));
}

}  // namespace

void say(const std::string& text) {
  const auto line = printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void warn(const std::string& text) { say("warning: " + text); }

run::ExitCode fail(const std::string& failed, const Error& error, const std::string& nextStep, Output output) {
  const auto code = run::exitCodeFor(error);
  say("error: " + run::errorWords(failed, error, nextStep));
  printFailure(code, failed + ": " + error.message(), output);
  return code;
}

run::ExitCode fail(const std::string& failed, run::Concern concern, const Error& error, Output output) {
  return fail(failed, error, run::nextStep(concern, error), output);
}

run::ExitCode refuse(const std::string& failed, const Error& error, const std::string& nextStep, Output output) {
  say("error: " + run::errorWords(failed, error, nextStep) + "\n  Nothing was started.");
  printFailure(run::ExitCode::Refused, failed + ": " + error.message(), output);
  return run::ExitCode::Refused;
}

run::ExitCode refuse(const std::string& failed, run::Concern concern, const Error& error, Output output) {
  return refuse(failed, error, run::nextStep(concern, error), output);
}

run::ExitCode refuseConfig(const std::string& path, const std::vector<run::ConfigProblem>& problems, Output output) {
  std::string list;
  for (const auto& problem : problems) {
    list += "\n  " + (problem.key.empty() ? problem.what : problem.key + ": " + problem.what);
  }
  say("error: the configuration " + oneLine(path) + " has " + counted(static_cast<int64_t>(problems.size()), "problem") + ":" +
      list + "\n  Nothing was started.");
  printFailure(run::ExitCode::Refused, path + ":" + list, output);
  return run::ExitCode::Refused;
}

void print(const std::string& line) { printData(oneLine(line)); }

void printData(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

}  // namespace tidemark::cli
