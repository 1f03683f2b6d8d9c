#include "app/cli/event_feed.h"

#include "app/cli/words.h"

namespace tidemark::cli {
namespace {

constexpr auto kRetryInterval = std::chrono::seconds(10);

}  // namespace

void EventFeed::take(int64_t firstNumber, const std::vector<run::Event>& events) {
  if (!store_) return;
  if (!isBehind_) {
    if (const auto applied = store_->applyEvents(runId_, firstNumber, events); !applied.ok())
      fellBehind(applied.error());
    return;
  }
  if (std::chrono::steady_clock::now() < nextAttempt_) return;
  if (const auto imported = store_->importNewEvents(runId_); !imported.ok()) return fellBehind(imported.error());
  isBehind_ = false;
  say("The database answers again and has all events.");
}

void EventFeed::fellBehind(const Error& error) {
  if (!isBehind_) {
    warn("the database cannot be written (" + error.message() +
         "); the run goes on, and its events are imported later");
  }
  isBehind_ = true;
  nextAttempt_ = std::chrono::steady_clock::now() + kRetryInterval;
}

void EventFeed::finish() {
  if (!store_ || !isBehind_) return;
  const auto imported = store_->importNewEvents(runId_);
  if (imported.ok()) return;
  warn("the database has not got all events of this run yet (" + imported.error().message() + "); `tidemark-cli show " +
       runId_ + "` imports them from the run directory");
}

}  // namespace tidemark::cli
