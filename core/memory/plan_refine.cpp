#include "core/memory/plan_refine.h"

#include <algorithm>
#include <numeric>

#include "core/memory/plan_replay.h"

namespace tidemark::memory {
namespace {

// Work is bounded by a count, not by time, so that every rank stops at the same plan.
constexpr int64_t kSteps = 1'000'000;  // looks at one use or moment; a few nanoseconds each

// Every use is hit by one keep: boundary before forward, turn before backward. A byte saves the same in each.
class Search {
 public:
  Search(const PlanInput& input, const Schedule& schedule, const std::vector<PieceKeep>& keeps)
      : schedule_(schedule), replay_(input, schedule.prefetchDepth), free_(schedule.moments.size()) {
    for (int use = 0; use < schedule.useCount(); ++use) {
      const PieceKeep& keep = keeps[schedule.pieceOfUse(use)];
      kept_.push_back(isForward(use) ? keep.boundaryBytes : keep.turnBytes);
    }
    for (size_t i = 0; i < free_.size(); ++i) {
      free_[i] = schedule.moments[i].freeBytes();
      for (int use = 0; use < schedule.useCount(); ++use)
        if (isHeld(use, schedule.moments[i])) free_[i] -= kept_[use];
    }
    replay_.setKeeps(keeps);
    seconds_ = replay_.seconds();
    waits_ = replay_.waits();
  }

  void run() {
    while (stepsLeft_ > 0 && seconds_ > replay_.computeSeconds() * (1 + 1e-9) && improveOnce()) {}
  }

  void writeTo(std::vector<PieceKeep>& keeps) const {
    for (int use = 0; use < schedule_.useCount(); ++use) {
      PieceKeep& keep = keeps[schedule_.pieceOfUse(use)];
      (isForward(use) ? keep.boundaryBytes : keep.turnBytes) = kept_[use];
      if (schedule_.pieceOfUse(use) < schedule_.forwardOnlyCount) keep.turnBytes = keep.boundaryBytes;
    }
  }

 private:
  bool isForward(int use) const { return use < schedule_.pieceCount; }
  int64_t bytesOf(int use) const { return schedule_.bytesOf(schedule_.pieceOfUse(use)); }
  bool isCut(int use) const { return kept_[use] > 0 && kept_[use] < bytesOf(use); }

  // Whether the keep before this use is counted at the moment, beside the whole pieces.
  bool isHeld(int use, const Moment& moment) const {
    const int piece = schedule_.pieceOfUse(use);
    if (piece < schedule_.forwardOnlyCount)
      return piece < moment.wholeForwardOnly.begin || piece >= moment.wholeForwardOnly.end;
    return isForward(use) ? piece >= moment.boundaryFrom : piece < moment.turnUntil;
  }

  // Uses whose gathers delay something, the worst waited for first, each with those before it on the channel.
  std::vector<int> receivers() const {
    std::vector<int> waiting(waits_.size());
    std::iota(waiting.begin(), waiting.end(), 0);
    std::stable_sort(waiting.begin(), waiting.end(), [&](int a, int b) { return waits_[a] > waits_[b]; });
    std::vector<char> isListed(waits_.size(), 0);
    std::vector<int> list;
    const int count = schedule_.useCount();
    for (const int use : waiting) {
      if (waits_[use] <= 0) break;
      for (int back = 0; back <= std::min(schedule_.prefetchDepth + 1, count - 1); ++back) {
        const int earlier = (use - back + count) % count;
        if (isListed[earlier] || kept_[earlier] >= bytesOf(earlier)) continue;
        isListed[earlier] = 1;
        list.push_back(earlier);
      }
    }
    return list;
  }

  bool improveOnce() {
    for (const int to : receivers()) {
      // The best giver for this receiver.
      int best = -1;
      double bestSeconds = seconds_ * (1 - 1e-9);
      for (int from = 0; from < schedule_.useCount() && stepsLeft_ > 0; ++from) {
        if (from == to || kept_[from] == 0 || !mayMove(from, to)) continue;
        move(from, to, 1);
        const double seconds = replay_.seconds();
        stepsLeft_ -= 3 * schedule_.useCount();
        move(from, to, -1);
        if (seconds >= bestSeconds) continue;
        bestSeconds = seconds;
        best = from;
      }
      if (best >= 0) {
        accept(best, to);
        return true;
      }
      if (stepsLeft_ <= 0) return false;
    }
    return false;
  }

  int64_t amount(int from, int to) const { return std::min(kept_[from], bytesOf(to) - kept_[to]); }

  bool mayMove(int from, int to) {
    --stepsLeft_;
    const int64_t bytes = amount(from, to);
    const auto wouldBeCut = [&](int use, int64_t kept) { return kept > 0 && kept < bytesOf(use) ? 1 : 0; };
    const int cutAfter = wouldBeCut(from, kept_[from] - bytes) + wouldBeCut(to, kept_[to] + bytes);
    if (cutAfter > (isCut(from) ? 1 : 0) + (isCut(to) ? 1 : 0)) return false;
    size_t i = 0;
    const auto fitsAt = [&](const Moment& moment) { return !isHeld(to, moment) || isHeld(from, moment); };
    while (i < free_.size() && (free_[i] >= bytes || fitsAt(schedule_.moments[i]))) ++i;
    stepsLeft_ -= static_cast<int64_t>(i);
    return i == free_.size();
  }

  // Only in the replay; direction -1 takes it back.
  void move(int from, int to, int direction) {
    const int64_t bytes = direction > 0 ? amount(from, to) : 0;
    replay_.setKept(from, kept_[from] - bytes);
    replay_.setKept(to, kept_[to] + bytes);
  }

  void accept(int from, int to) {
    const int64_t bytes = amount(from, to);
    move(from, to, 1);
    kept_[from] -= bytes;
    kept_[to] += bytes;
    for (size_t i = 0; i < free_.size(); ++i) {
      if (isHeld(from, schedule_.moments[i])) free_[i] += bytes;
      if (isHeld(to, schedule_.moments[i])) free_[i] -= bytes;
    }
    seconds_ = replay_.seconds();
    waits_ = replay_.waits();
  }

  const Schedule& schedule_;
  Replay replay_;
  std::vector<int64_t> kept_;  // per use
  std::vector<int64_t> free_;  // per moment, beside what is held
  std::vector<double> waits_;
  double seconds_ = 0;
  int64_t stepsLeft_ = kSteps;
};

}  // namespace

void refineKeeps(const PlanInput& input, const Schedule& schedule, std::vector<PieceKeep>& keeps) {
  Search search(input, schedule, keeps);
  search.run();
  search.writeTo(keeps);
}

}  // namespace tidemark::memory
