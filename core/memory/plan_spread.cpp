#include "core/memory/plan_spread.h"

#include <algorithm>
#include <cassert>

namespace tidemark::memory {
namespace {

using Item = SpreadTask::Item;

// Bounds on running totals imply bounds on their neighbours: a total never falls, and grows by one item at most.
void closeBounds(SpreadTask& task) {
  int64_t later = task.totalBytes;
  for (auto item = task.items.rbegin(); item != task.items.rend(); ++item)
    later = item->mostUpToHere = std::min(item->mostUpToHere, later);
}

// Keeps item after item wherever what is kept so far falls behind an even spread.
void followEvenSpread(SpreadTask& task) {
  double gather = 0, compute = 0;
  int64_t bytes = 0;
  for (const Item& item : task.items) {
    gather += item.gatherSeconds;
    compute += item.computeSeconds;
    bytes += item.bytes;
  }
  if (bytes == 0) return;
  const auto weight = [&](const Item& item, int64_t part) {  // an unmeasured gather counts by bytes
    if (item.bytes == 0) return 0.0;
    return static_cast<double>(part) * (gather > 0 ? item.gatherSeconds / static_cast<double>(item.bytes) : 1.0);
  };
  const double all = gather > 0 ? gather : static_cast<double>(bytes);
  const double missed = all * static_cast<double>(bytes - task.totalBytes) / static_cast<double>(bytes);
  double passed = 0, passedCompute = 0, kept = 0;
  int64_t keptBytes = 0, presetBytes = 0;
  for (const Item& item : task.items) presetBytes += item.keptBytes;
  for (Item& item : task.items) {
    presetBytes -= item.keptBytes;
    keptBytes += item.keptBytes;
    kept += weight(item, item.keptBytes);
    passed += weight(item, item.bytes);
    passedCompute += item.computeSeconds;
    const double even = passed - missed * (compute > 0 ? passedCompute / compute : passed / all);
    const int64_t rest = item.bytes - item.keptBytes;
    const bool fits = keptBytes + rest <= item.mostUpToHere && keptBytes + rest + presetBytes <= task.totalBytes;
    if (rest == 0 || !fits || kept + weight(item, rest) / 2 > even) continue;
    item.keptBytes = item.bytes;
    keptBytes += rest;
    kept += weight(item, rest);
  }
}

// What is still missing goes to the last items: that is where it is held least.
void fillFromEnd(SpreadTask& task) {
  int64_t missing = task.totalBytes;
  for (const Item& item : task.items) missing -= item.keptBytes;
  assert(missing >= 0);
  for (auto item = task.items.rbegin(); item != task.items.rend() && missing > 0; ++item) {
    const int64_t add = std::min(missing, item->bytes - item->keptBytes);
    item->keptBytes += add;
    missing -= add;
  }
  assert(missing == 0);
}

// Sums over ranges of keeps that do not change any more.
std::vector<int64_t> runningSums(const std::vector<int64_t>& amounts) {
  std::vector<int64_t> sums{0};
  for (const int64_t amount : amounts) sums.push_back(sums.back() + amount);
  return sums;
}

// Places the three kinds of keeps one after the other, each against the free bytes that the others leave.
class Placement {
 public:
  Placement(const PlanInput& input, const Schedule& schedule, const KeepTotals& totals)
      : input_(input), schedule_(schedule), totals_(totals), first_(schedule.forwardOnlyCount),
        boundary_(schedule.pieceCount), turn_(schedule.pieceCount) {
    anchor();
  }

  void placeForwardOnly() {
    const std::vector<int64_t> least = leastForwardOnlyKeeps(schedule_, totals_);
    SpreadTask task;
    task.totalBytes = totals_.forwardOnlyBytes;
    for (int piece = first_ - 1; piece >= 0; --piece) {
      task.items.push_back(itemFor(piece, input_.pieces[piece].forwardSeconds));
      task.items.back().keptBytes = least[piece];
      task.items.back().mostUpToHere = task.totalBytes;
    }
    spreadKeeps(task);
    for (int piece = 0; piece < first_; ++piece)
      boundary_[piece] = turn_[piece] = task.items[first_ - 1 - piece].keptBytes;
  }

  void placeBoundary() {
    SpreadTask task = trainedTask(totals_.boundaryBytes);
    const std::vector<int64_t> forwardOnly = runningSums({boundary_.begin(), boundary_.begin() + first_});
    const std::vector<int64_t> turn = runningSums(turn_);
    for (const Moment& moment : schedule_.moments) {
      if (moment.boundaryFrom >= schedule_.pieceCount) continue;
      Item& item = task.items[schedule_.pieceCount - 1 - moment.boundaryFrom];
      const int64_t room = freeBesideForwardOnly(moment, forwardOnly) - (turn[moment.turnUntil] - turn[first_]);
      item.mostUpToHere = std::min(item.mostUpToHere, room);
    }
    for (int piece = first_; piece < schedule_.pieceCount; ++piece)
      setCosts(task.items[schedule_.pieceCount - 1 - piece], piece, input_.pieces[piece].forwardSeconds);
    spreadKeeps(task);
    for (int piece = first_; piece < schedule_.pieceCount; ++piece)
      boundary_[piece] = task.items[schedule_.pieceCount - 1 - piece].keptBytes;
  }

  void placeTurn() {
    SpreadTask task = trainedTask(totals_.turnBytes);
    const std::vector<int64_t> forwardOnly = runningSums({boundary_.begin(), boundary_.begin() + first_});
    const std::vector<int64_t> boundary = runningSums(boundary_);
    for (const Moment& moment : schedule_.moments) {
      if (moment.turnUntil <= first_) continue;
      Item& item = task.items[moment.turnUntil - 1 - first_];
      const int64_t held = boundary.back() - boundary[moment.boundaryFrom];
      item.mostUpToHere = std::min(item.mostUpToHere, freeBesideForwardOnly(moment, forwardOnly) - held);
    }
    for (int piece = first_; piece < schedule_.pieceCount; ++piece)
      setCosts(task.items[piece - first_], piece, input_.pieces[piece].backwardSeconds);
    spreadKeeps(task);
    for (int piece = first_; piece < schedule_.pieceCount; ++piece) turn_[piece] = task.items[piece - first_].keptBytes;
  }

  std::vector<PieceKeep> keeps() const {
    std::vector<PieceKeep> all;
    for (int piece = 0; piece < schedule_.pieceCount; ++piece) all.push_back({boundary_[piece], turn_[piece]});
    return all;
  }

 private:
  // Note: anchored keeps. The start from which both sets fit.
  void anchor() {
    int64_t boundary = totals_.boundaryBytes, turn = totals_.turnBytes;
    for (int piece = first_; piece < schedule_.pieceCount; ++piece)
      boundary -= boundary_[piece] = std::min(boundary, schedule_.bytesOf(piece));
    for (int piece = schedule_.pieceCount - 1; piece >= first_; --piece)
      turn -= turn_[piece] = std::min(turn, schedule_.bytesOf(piece));
  }

  Item itemFor(int piece, double computeSeconds) const {
    Item item;
    setCosts(item, piece, computeSeconds);
    return item;
  }

  void setCosts(Item& item, int piece, double computeSeconds) const {
    item.bytes = schedule_.bytesOf(piece);
    item.gatherSeconds = item.bytes == 0 ? 0 : input_.pieces[piece].gatherSeconds;
    item.computeSeconds = computeSeconds;
  }

  SpreadTask trainedTask(int64_t totalBytes) const {
    SpreadTask task;
    task.totalBytes = totalBytes;
    task.items.resize(schedule_.pieceCount - first_);
    for (Item& item : task.items) item.mostUpToHere = totalBytes;
    return task;
  }

  int64_t freeBesideForwardOnly(const Moment& moment, const std::vector<int64_t>& sums) const {
    const PieceRange whole = moment.wholeForwardOnly;
    const int64_t inside = whole.isEmpty() ? 0 : sums[whole.end] - sums[whole.begin];
    return moment.freeBytes() - (sums.back() - inside);
  }

  const PlanInput& input_;
  const Schedule& schedule_;
  const KeepTotals totals_;
  const int first_;
  std::vector<int64_t> boundary_, turn_;
};

}  // namespace

void spreadKeeps(SpreadTask& task) {
  closeBounds(task);
  followEvenSpread(task);
  fillFromEnd(task);
}

std::vector<PieceKeep> placeKeeps(const PlanInput& input, const Schedule& schedule, const KeepTotals& totals,
                                  SpreadFirst first) {
  Placement placement(input, schedule, totals);
  placement.placeForwardOnly();
  if (first == SpreadFirst::Boundary) placement.placeBoundary();
  placement.placeTurn();
  if (first == SpreadFirst::Turn) placement.placeBoundary();
  return placement.keeps();
}

}  // namespace tidemark::memory
