#include "app/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/cli/words.h"
#include "core/base/bytes.h"

namespace tidemark::cli {
namespace {

constexpr auto kPlainInterval = std::chrono::seconds(1);

std::string decimal(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

size_t terminalWidth() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// "579/600 MiB", or "995 MiB/1.2 GiB" where the units differ.
std::string ofBudget(int64_t bytes, int64_t budget) {
  std::string part = formatBytes(bytes);
  const std::string whole = formatBytes(budget);
  const size_t unit = part.rfind(' ');
  if (whole.ends_with(part.substr(unit))) part.resize(unit);
  return part + "/" + whole;
}

std::string planText(const run::PlanEvent& plan) {
  std::string text = "plan (" + plan.reason + "): " + plan.policy + ", budget " + formatBytes(plan.budgetBytes) +
                     ", micro-batch " + std::to_string(plan.microBatch) + " x " + std::to_string(plan.accumulate) +
                     ", predicted peak " + formatBytes(plan.predictedPeakBytes) + ", remote " +
                     formatBytes(plan.predictedRemoteBytes) + " per iteration (optimum " +
                     formatBytes(plan.optimalRemoteBytes) + ")";
  return text;
}

}  // namespace

Progress::Style Progress::styleOfStderr() { return ::isatty(STDERR_FILENO) ? Style::Redrawn : Style::Plain; }

std::string Progress::lineFor(const run::StepEvent& step) const {
  std::string line =
      "step " + std::to_string(step.step) + "/" + std::to_string(maxSteps_) + "  loss " + decimal(step.loss, 4);
  if (step.seconds > 0) line += "  " + decimal(static_cast<double>(step.tokens) / step.seconds, 0) + " tok/s";
  line += "  remote " + formatBytes(step.remoteBytes / std::max<int64_t>(step.iterations, 1)) + "/iter";
  line += "  peak " + (budgetBytes_ > 0 ? ofBudget(step.peakBytes, budgetBytes_) : formatBytes(step.peakBytes));
  const auto left = maxSteps_ - step.step;
  if (left > 0 && secondsPerStep_ > 0)
    line += "  " + formatDuration(static_cast<double>(left) * secondsPerStep_) + " left";
  return line;
}

void Progress::take(const std::vector<run::Event>& events) {
  for (const auto& event : events) takeOne(event);
  const auto now = std::chrono::steady_clock::now();
  if (!unshown_ || (style_ == Style::Plain && now - lastShown_ < kPlainInterval)) return;
  lastShown_ = now;
  show(*unshown_);
  unshown_.reset();
}

void Progress::takeOne(const run::Event& event) {
  if (const auto* log = std::get_if<run::LogEvent>(&event.body); log && log->level != "info") {
    note(log->level + (event.rank >= 0 ? " (rank " + std::to_string(event.rank) + "): " : ": ") + log->text);
  }
  if (event.rank > 0) return;
  if (const auto* plan = std::get_if<run::PlanEvent>(&event.body)) {
    budgetBytes_ = plan->budgetBytes;
    note(planText(*plan));
  } else if (const auto* eval = std::get_if<run::EvalEvent>(&event.body)) {
    note("evaluation at step " + std::to_string(eval->step) + ": loss " + decimal(eval->loss, 4));
  } else if (const auto* step = std::get_if<run::StepEvent>(&event.body)) {
    const bool isFirst =
        secondsPerStep_ <= 0 || step->step <= 2;  // the first step measures and says little about speed
    secondsPerStep_ = isFirst ? step->seconds : 0.8 * secondsPerStep_ + 0.2 * step->seconds;
    unshown_ = *step;
  }
}

void Progress::show(const run::StepEvent& step) {
  auto line = lineFor(step);
  if (style_ == Style::Plain) return say(line);
  if (line.size() >= terminalWidth()) line.resize(terminalWidth() - 1);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  hasOpenLine_ = true;
}

void Progress::note(const std::string& text) {
  if (hasOpenLine_) std::fprintf(stderr, "\r\033[K");
  hasOpenLine_ = false;
  say(text);
}

void Progress::finish() {
  if (unshown_) show(*unshown_);
  unshown_.reset();
  if (hasOpenLine_) std::fputc('\n', stderr);
  hasOpenLine_ = false;
}

}  // namespace tidemark::cli
