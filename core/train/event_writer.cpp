#include "core/train/event_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace tidemark::train {

EventWriter::EventWriter(int rank, const std::filesystem::path& directory) : rank_(rank) {
  if (const char* text = std::getenv("TIDEMARK_EVENT_FD")) {
    descriptor_ = std::atoi(text);
    hasAgent_ = true;
  } else if (rank == 0 && !directory.empty()) {
    descriptor_ = ::open((directory / "events.jsonl").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
}

EventWriter::~EventWriter() {
  if (descriptor_ >= 0 && !hasAgent_) {
    ::fsync(descriptor_);
    ::close(descriptor_);
  }
}

void EventWriter::write(run::EventBody body) {
  if (descriptor_ < 0) return;
  const std::string line = run::toJsonLine(run::makeEvent(rank_, std::move(body))) + "\n";
  size_t at = 0;
  while (at < line.size()) {
    const ssize_t n = ::write(descriptor_, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // the agent is gone; this rank is about to be ended too
    at += static_cast<size_t>(n);
  }
}

}  // namespace tidemark::train
