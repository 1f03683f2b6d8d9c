// tidemark-worker: one rank of a run (tidemark-worker CONFIG), or a command that needs libtorch (score, generate, ...).
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "core/memory/ledger.h"
#include "core/train/commands.h"
#include "core/train/session.h"
#include "core/train/trainer.h"

namespace {

using namespace tidemark;

void onStopSignal(int) { train::requestStop(); }

const char* failureCode(run::ExitCode code) {
  switch (code) {
    case run::ExitCode::OutOfMemory: return "out_of_memory";
    case run::ExitCode::RankLost: return "rank_lost";
    case run::ExitCode::Refused: return "invalid_input";
    default: return "failed";
  }
}

// The one place where this process turns errors into an event and an exit code.
int report(train::EventWriter* events, const Error& error) {
  const run::ExitCode code = run::exitCodeFor(error);
  std::cerr << "tidemark-worker: " << error.message() << std::endl;
  if (events) events->write(run::FailureEvent{failureCode(code), error.message()});
  return static_cast<int>(code);
}

// Peers that fail end the connection: what a rank then sees is their loss, not a fault of its own.
Error fromException(const std::exception& e) {
  if (const auto* exceeded = dynamic_cast<const memory::BudgetExceeded*>(&e))
    return {ErrorCode::OutOfMemory, "memory.budget", exceeded->account()};
  const std::string what = e.what();
  for (const char* sign : {"Connection closed", "Connection reset", "Broken pipe", "Timed out", "timed out", "Socket closed"})
    if (what.find(sign) != std::string::npos) return {ErrorCode::RankLost, "", "the connection to another rank was lost"};
  for (const char* sign : {"out of memory", "can't allocate memory"})
    if (what.find(sign) != std::string::npos)
      return {ErrorCode::OutOfMemory, "the device", "has no memory left; lower memory.budget, or use a smaller model"};
  return {ErrorCode::Internal, "", what.substr(0, what.find("\nException raised"))};
}

// Without an agent (torchrun, srun), rank 0 says what the agent would have said, so that the run can be imported.
void announceStart(const train::Session& session, bool resumes) {
  if (session.events->hasAgent()) return;
  const auto directory = std::filesystem::absolute(session.directory).lexically_normal();
  run::StartedEvent started;
  started.run = started.name = directory.has_filename() ? directory.filename().string() : directory.parent_path().filename().string();
  started.directory = directory.string();
  started.version = TIDEMARK_VERSION;
  started.ranks = session.process.worldSize;
  started.isResumed = resumes;
  session.events->write(started);
}

void announceEnd(const train::Session& session, run::ExitCode code) {
  if (session.events->hasAgent()) return;
  run::FinishedEvent finished;
  finished.run = std::filesystem::absolute(session.directory).lexically_normal().filename().string();
  finished.status = code == run::ExitCode::Done ? "completed" : code == run::ExitCode::Stopped ? "stopped" : "failed";
  if (code == run::ExitCode::Done) finished.adapter = (std::filesystem::absolute(session.directory) / "adapter").lexically_normal().string();
  finished.exitCode = static_cast<int64_t>(code);
  session.events->write(finished);
}

int runRank(const std::string& config) {
  std::unique_ptr<train::Session> session;
  try {
    Result<std::unique_ptr<train::Session>> opened = train::openSession(config);
    if (!opened.ok()) {
      const auto process = comm::ProcessInfo::fromEnvironment();
      const char* directory = std::getenv("TIDEMARK_RUN_DIR");
      train::EventWriter events(process.ok() ? process->rank : 0, directory ? directory : "");
      return report(&events, opened.error());
    }
    session = std::move(opened).value();
    const bool resumes = std::getenv("TIDEMARK_RESUME") != nullptr;
    announceStart(*session, resumes);
    const Result<run::ExitCode> ended = train::trainToEnd(*session, resumes);
    const int code = ended.ok() ? static_cast<int>(*ended) : report(session->events.get(), ended.error());
    announceEnd(*session, static_cast<run::ExitCode>(code));
    return code;
  } catch (const std::exception& e) {
    std::cerr << "tidemark-worker: caught: " << e.what() << std::endl;  // as the libraries say it, for the log alone
    const int code = report(session ? session->events.get() : nullptr, fromException(e));
    if (session) announceEnd(*session, static_cast<run::ExitCode>(code));
    std::_Exit(code);  // collectives that will never end may still hold threads
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGTERM, onStopSignal);
  std::signal(SIGINT, onStopSignal);
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--help") {
    std::cout << "tidemark-worker CONFIG                     one rank of a run (RANK, WORLD_SIZE, ... as torchrun sets them)\n"
                 "tidemark-worker score|generate|eval|plan   see tidemark-cli\n";
    return arguments.empty() ? 2 : 0;
  }
  if (!train::isCommand(arguments[0])) return runRank(arguments[0]);
  std::signal(SIGINT, SIG_DFL);
  try {
    return static_cast<int>(train::runCommand(arguments[0], {arguments.begin() + 1, arguments.end()}));
  } catch (const std::exception& e) {
    return static_cast<int>(train::failCommand("`" + arguments[0] + "` failed", run::Concern::Settings, fromException(e)));
  }
}
