// events.jsonl of one run: appends events, keeps what cannot be written yet, and tells which lines are durable.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/event.h"

namespace tidemark::launch {

class EventLog {
 public:
  // Continues an existing file: a half last line is completed if it is a whole event, and cut otherwise.
  static Result<EventLog> open(const std::filesystem::path& path);
  EventLog(EventLog&& other) noexcept;
  EventLog& operator=(EventLog&&) = delete;
  ~EventLog();

  void append(const run::Event& event);  // in memory, until flush()

  struct Batch {
    int64_t firstNumber = 0;
    std::vector<run::Event> events;
  };
  enum class When { Due, Now };
  // Writes and syncs what was appended, at most about 4 times a second unless Now. The batch is what became durable; an
  // error (disk full) loses nothing: the next flush tries again.
  Result<Batch> flush(When when);
  bool hasPending() const { return !pendingEvents_.empty(); }

 private:
  EventLog(int handle, std::filesystem::path path, int64_t lineCount)
      : handle_(handle), path_(std::move(path)), durableLines_(lineCount) {}
  Status writePending();

  int handle_ = -1;
  std::filesystem::path path_;
  int64_t durableLines_ = 0;
  std::string pendingText_;  // the part of pendingEvents_ that is not in the file yet
  std::vector<run::Event> pendingEvents_;
  std::chrono::steady_clock::time_point lastFlush_{};
};

}  // namespace tidemark::launch
