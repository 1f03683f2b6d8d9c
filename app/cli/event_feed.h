// Passes a run's events on to the database. Where that fails the run goes on: the events stay in events.jsonl, and
// are imported from there as soon as the database answers again.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/run/event.h"
#include "storage/run_store.h"

namespace tidemark::cli {

class EventFeed {
 public:
  // `store` may be empty: there is no database for this run.
  EventFeed(storage::RunStore* store, std::string runId) : store_(store), runId_(std::move(runId)) {}

  void take(int64_t firstNumber, const std::vector<run::Event>& events);
  void finish();  // last attempt; says so where events are left for later

 private:
  void fellBehind(const Error& error);

  storage::RunStore* store_;
  std::string runId_;
  bool isBehind_ = false;
  std::chrono::steady_clock::time_point nextAttempt_{};
};

}  // namespace tidemark::cli
