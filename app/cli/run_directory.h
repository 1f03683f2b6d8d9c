// A run directory in the making: gone again, with all that is in it, unless it is kept.
#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "core/base/result.h"

namespace tidemark::cli {

// $XDG_DATA_HOME/tidemark/runs/ID
std::filesystem::path defaultRunDirectory(const std::string& runId);

class RunDirectory {
 public:
  // Creates it. One that exists must be an empty folder.
  static Result<RunDirectory> create(const std::filesystem::path& path);
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  void keep() { isKept_ = true; }
  void discard() const;  // now

 private:
  RunDirectory(std::filesystem::path path, std::filesystem::path firstNew)
      : path_(std::move(path)), firstNew_(std::move(firstNew)) {}
  std::filesystem::path path_;
  std::filesystem::path firstNew_;  // the outermost folder that create() made; empty: none
  bool isKept_ = false;
};

// While it lives, SIGINT, SIGTERM and SIGHUP discard the directory and end the process with 130. They stay blocked on
// the calling thread afterwards, so that the agent gets one that comes in between.
class InterruptGuard {
 public:
  explicit InterruptGuard(const RunDirectory& directory);
  ~InterruptGuard();

 private:
  std::atomic<bool> isOver_{false};
  std::thread watcher_;
};

}  // namespace tidemark::cli
