// Note: pinned set. A constant set of Y bytes fits if, at every moment, what it has outside of the whole pieces fits the
// free bytes: the whole pieces must hold at least Y - freeBytes of it. Those windows are covered by whole pieces, and the
// rest of Y is spread over pieces with two uses first. Between two totals at which a window begins to need a further piece,
// or can no longer be covered, the larger total is the better one: only those are tried.
#include <algorithm>
#include <optional>

#include "core/memory/plan_spread.h"

namespace tidemark::memory {
namespace {

struct Window {
  PieceRange pieces;
  int64_t freeBytes;
};

std::vector<Window> windowsOf(const Schedule& schedule) {
  std::vector<Window> windows;
  for (const Moment& moment : schedule.moments) {
    const PieceRange lower = moment.wholeForwardOnly, trained = moment.wholeTrained;
    PieceRange pieces = trained.isEmpty() ? lower : trained;
    if (!lower.isEmpty() && !trained.isEmpty() && lower.end == trained.begin) pieces.begin = lower.begin;
    windows.push_back({pieces, moment.freeBytes()});
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [](const Window& a, const Window& b) { return a.pieces.end < b.pieces.end; });
  return windows;
}

struct PinnedSet {
  int64_t totalBytes = 0;
  std::vector<char> isForced;  // by a window, per piece
  int64_t savedBytes = 0;
};

std::optional<PinnedSet> coverWith(const Schedule& schedule, const std::vector<Window>& windows, int64_t totalBytes) {
  PinnedSet set{totalBytes, std::vector<char>(schedule.pieceCount, 0), 0};
  int64_t forcedBytes = 0, forcedLower = 0;
  for (const Window& window : windows) {
    int64_t need = totalBytes - window.freeBytes;
    if (need <= 0) continue;
    for (int piece = window.pieces.begin; piece < window.pieces.end; ++piece)
      if (set.isForced[piece]) need -= schedule.bytesOf(piece);
    for (int piece = window.pieces.end - 1; piece >= window.pieces.begin && need > 0; --piece) {
      if (set.isForced[piece] || schedule.bytesOf(piece) == 0) continue;
      set.isForced[piece] = 1;
      need -= schedule.bytesOf(piece);
      forcedBytes += schedule.bytesOf(piece);
      if (piece < schedule.forwardOnlyCount) forcedLower += schedule.bytesOf(piece);
    }
    if (need > 0 || forcedBytes > totalBytes) return std::nullopt;
  }
  const int64_t trained = std::min(schedule.trainedBytes(), totalBytes - forcedLower);
  set.savedBytes = totalBytes + trained;
  return set;
}

std::vector<int64_t> totalsToTry(const Schedule& schedule, const std::vector<Window>& windows) {
  int64_t most = schedule.startBytes.back();
  for (const Window& window : windows) most = std::min(most, window.freeBytes + schedule.bytesIn(window.pieces));
  std::vector<int64_t> totals{most};
  for (const Window& window : windows) {
    int64_t total = window.freeBytes;
    for (int piece = window.pieces.end - 1; total <= most; --piece) {
      totals.push_back(total);
      if (piece < window.pieces.begin) break;
      total += schedule.bytesOf(piece);
    }
  }
  std::sort(totals.begin(), totals.end());
  totals.erase(std::unique(totals.begin(), totals.end()), totals.end());
  return totals;
}

PinnedSet bestSet(const Schedule& schedule) {
  const std::vector<Window> windows = windowsOf(schedule);
  PinnedSet best = *coverWith(schedule, windows, 0);
  for (const int64_t total : totalsToTry(schedule, windows))
    if (auto set = coverWith(schedule, windows, total); set && set->savedBytes > best.savedBytes) best = std::move(*set);
  return best;
}

// Spreads `totalBytes` over the pieces of the range, those forced included.
void spreadOver(const PlanInput& input, PieceRange range, const PinnedSet& set, int64_t totalBytes,
                std::vector<PieceKeep>& keeps) {
  SpreadTask task;
  task.totalBytes = totalBytes;
  for (int piece = range.begin; piece < range.end; ++piece) {
    const PieceProfile& profile = input.pieces[piece];
    task.items.push_back({profile.remoteBytes, profile.remoteBytes == 0 ? 0 : profile.gatherSeconds,
                          profile.forwardSeconds + profile.backwardSeconds,
                          set.isForced[piece] ? profile.remoteBytes : 0, totalBytes});
  }
  spreadKeeps(task);
  for (int piece = range.begin; piece < range.end; ++piece)
    keeps[piece].boundaryBytes = keeps[piece].turnBytes = task.items[piece - range.begin].keptBytes;
}

}  // namespace

std::vector<PieceKeep> placePinned(const PlanInput& input, const Schedule& schedule) {
  const PinnedSet set = bestSet(schedule);
  const int64_t trained = set.savedBytes - set.totalBytes;
  std::vector<PieceKeep> keeps(schedule.pieceCount);
  spreadOver(input, {schedule.forwardOnlyCount, schedule.pieceCount}, set, trained, keeps);
  spreadOver(input, {0, schedule.forwardOnlyCount}, set, set.totalBytes - trained, keeps);
  return keeps;
}

}  // namespace tidemark::memory
