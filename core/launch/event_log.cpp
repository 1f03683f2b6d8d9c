#include "core/launch/event_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/file.h"

namespace tidemark::launch {
namespace {

constexpr auto kFlushInterval = std::chrono::milliseconds(250);

struct Contents {
  int64_t lineCount = 0;
  std::string lastLine;  // without a newline at its end
  int64_t lastBegin = 0;
};

Result<Contents> readContents(int handle, const std::string& subject) {
  Contents contents;
  std::vector<char> buffer(1 << 20);
  for (int64_t offset = 0;;) {
    const ssize_t count = ::pread(handle, buffer.data(), buffer.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{ErrorCode::Io, subject, std::strerror(errno)};
    if (count == 0) return contents;
    const char* begin = buffer.data();
    const char* end = begin + count;
    for (const char* newline; (newline = std::find(begin, end, '\n')) != end; begin = newline + 1) {
      ++contents.lineCount;
      contents.lastLine.clear();
      contents.lastBegin = offset + (newline + 1 - buffer.data());
    }
    contents.lastLine.append(begin, end);
    offset += count;
  }
}

// A power cut can leave half a line: finish it if nothing but its newline is missing, else drop it.
Result<int64_t> mendLastLine(int handle, const Contents& contents, const std::string& subject) {
  if (contents.lastLine.empty()) return contents.lineCount;
  if (run::parseEvent(contents.lastLine).ok()) {
    if (::write(handle, "\n", 1) != 1) return Error{ErrorCode::Io, subject, std::strerror(errno)};
    return contents.lineCount + 1;
  }
  if (::ftruncate(handle, contents.lastBegin) != 0) return Error{ErrorCode::Io, subject, std::strerror(errno)};
  return contents.lineCount;
}

}  // namespace

Result<EventLog> EventLog::open(const std::filesystem::path& path) {
  const int handle = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (handle < 0) return Error{ErrorCode::Io, path.string(), std::strerror(errno)};
  EventLog log(handle, path, 0);
  TIDEMARK_ASSIGN(const auto contents, readContents(handle, path.string()));
  TIDEMARK_ASSIGN(log.durableLines_, mendLastLine(handle, contents, path.string()));
  TIDEMARK_TRY(syncFolder(path.parent_path()));
  return log;
}

EventLog::EventLog(EventLog&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)),
      path_(std::move(other.path_)),
      durableLines_(other.durableLines_),
      pendingText_(std::move(other.pendingText_)),
      pendingEvents_(std::move(other.pendingEvents_)),
      lastFlush_(other.lastFlush_) {}

EventLog::~EventLog() {
  if (handle_ >= 0) ::close(handle_);
}

void EventLog::append(const run::Event& event) {
  pendingText_ += run::toJsonLine(event) + "\n";
  pendingEvents_.push_back(event);
}

Status EventLog::writePending() {
  while (!pendingText_.empty()) {
    const ssize_t count = ::write(handle_, pendingText_.data(), pendingText_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{ErrorCode::Io, path_.string(), std::strerror(errno)};
    pendingText_.erase(0, static_cast<size_t>(count));  // after a short write the line is completed by the next one
  }
  if (::fdatasync(handle_) != 0) return Error{ErrorCode::Io, path_.string(), std::strerror(errno)};
  return {};
}

Result<EventLog::Batch> EventLog::flush(When when) {
  const auto now = std::chrono::steady_clock::now();
  if (pendingEvents_.empty() || (when == When::Due && now - lastFlush_ < kFlushInterval)) return Batch{};
  lastFlush_ = now;
  TIDEMARK_TRY(writePending());
  Batch batch{durableLines_, std::exchange(pendingEvents_, {})};
  durableLines_ += static_cast<int64_t>(batch.events.size());
  return batch;
}

}  // namespace tidemark::launch
