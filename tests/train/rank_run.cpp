#include "rank_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "core/base/file.h"
#include "core/launch/agent.h"

namespace tidemark::train {
namespace {

struct Child {
  pid_t pid = 0;
  int pipe = -1;
  std::string text;
};

Child start(const std::string& directory, int rank, int64_t ranks, int64_t port, bool resumes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], 3);
    const std::string log = directory + "/rank-" + std::to_string(rank) + ".log";
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out, 1);
    ::dup2(out, 2);
    const auto set = [](const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); };
    set("RANK", std::to_string(rank));
    set("LOCAL_RANK", std::to_string(rank));
    set("WORLD_SIZE", std::to_string(ranks));
    set("LOCAL_WORLD_SIZE", std::to_string(ranks));
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", std::to_string(port));
    set("OMP_NUM_THREADS", "1");
    set("TIDEMARK_RUN_DIR", directory);
    set("TIDEMARK_EVENT_FD", "3");
    if (resumes) set("TIDEMARK_RESUME", "1");
    ::execl(TIDEMARK_WORKER, TIDEMARK_WORKER, (directory + "/config.yaml").c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  return {pid, ends[0], ""};
}

// Reads what is there; false at the end of the pipe.
bool readSome(Child& child) {
  char buffer[1 << 16];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n <= 0) return false;
  child.text.append(buffer, static_cast<size_t>(n));
  return true;
}

std::vector<run::Event> parse(const std::string& text) {
  std::vector<run::Event> events;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    auto event = run::parseEvent(text.substr(at, end - at));
    if (!event.ok()) throw std::runtime_error(event.error().message());
    events.push_back(std::move(event).value());
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return events;
}

template <typename T>
std::vector<T> ofKind(const std::vector<run::Event>& events) {
  std::vector<T> result;
  for (const run::Event& event : events)
    if (const T* body = std::get_if<T>(&event.body)) result.push_back(*body);
  return result;
}

}  // namespace

std::vector<run::StepEvent> RankRun::steps(size_t rank) const { return ofKind<run::StepEvent>(events[rank]); }
std::vector<run::EvalEvent> RankRun::evaluations() const { return ofKind<run::EvalEvent>(events.at(0)); }
std::vector<run::PlanEvent> RankRun::plans(size_t rank) const { return ofKind<run::PlanEvent>(events[rank]); }

std::string RankRun::failure() const {
  std::string text;
  for (const auto& rankEvents : events)
    for (const run::FailureEvent& failure : ofKind<run::FailureEvent>(rankEvents)) text += failure.message + "\n";
  return text;
}

RankRun runRanks(const std::string& directory, const run::RunConfig& config, const RankRunOptions& options) {
  if (const Status written = writeFileAtomically(directory + "/config.yaml", run::toYaml(config)); !written.ok())
    throw std::runtime_error(written.error().message());
  const int64_t port = launch::choosePort(0).value();
  std::vector<Child> children;
  for (int rank = 0; rank < config.parallel.ranks; ++rank)
    children.push_back(start(directory, rank, config.parallel.ranks, port, options.resumes));
  const std::string stopMark = "\"step\":" + std::to_string(options.stopAfterStep) + ",";
  bool hasStopped = options.stopAfterStep == 0;
  std::vector<pollfd> waiting;
  for (const Child& child : children) waiting.push_back({child.pipe, POLLIN, 0});
  for (size_t open = children.size(); open > 0;) {
    ::poll(waiting.data(), waiting.size(), -1);
    for (size_t i = 0; i < children.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0 || readSome(children[i])) continue;
      waiting[i].fd = -1;
      --open;
    }
    if (hasStopped || children[0].text.find("\"event\":\"step\"") == std::string::npos ||
        children[0].text.find(stopMark) == std::string::npos)
      continue;
    hasStopped = true;
    for (const Child& child : children) ::kill(child.pid, SIGTERM);
  }
  RankRun result;
  for (Child& child : children) {
    int status = 0;
    ::waitpid(child.pid, &status, 0);
    ::close(child.pipe);
    result.exitCodes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    result.events.push_back(parse(child.text));
  }
  return result;
}

}  // namespace tidemark::train
