#include "core/memory/plan_moments.h"

#include <algorithm>
#include <cassert>

namespace tidemark::memory {
namespace {

// Gathers the distinct pieces of a window of uses, without clearing a set for every moment.
class WholePieces {
 public:
  explicit WholePieces(const Schedule& schedule) : schedule_(schedule), seenAt_(schedule.pieceCount, -1) {}

  // Marks `count` uses from `firstUse` on as whole in the moment.
  void fill(int firstUse, int count, Moment& moment) {
    ++stamp_;
    moment.wholeForwardOnly = {0, 0};
    moment.wholeTrained = {0, 0};
    for (int i = 0; i < count; ++i) add(schedule_.pieceOfUse((firstUse + i) % schedule_.useCount()), moment);
  }

 private:
  void add(int piece, Moment& moment) {
    if (seenAt_[piece] == stamp_) return;
    seenAt_[piece] = stamp_;
    moment.wholeBytes += schedule_.bytesOf(piece);
    extend(piece < schedule_.forwardOnlyCount ? moment.wholeForwardOnly : moment.wholeTrained, piece);
  }

  static void extend(PieceRange& range, int piece) {
    if (range.isEmpty()) {
      range = {piece, piece + 1};
    } else if (piece == range.end) {
      ++range.end;
    } else if (piece + 1 == range.begin) {
      --range.begin;
    }
  }

  const Schedule& schedule_;
  std::vector<int> seenAt_;
  int stamp_ = 0;
};

// Which keeps are held beside the whole pieces (Note: moments in plan.h).
void setHeldKeeps(const Schedule& schedule, Moment& moment) {
  const int first = schedule.forwardOnlyCount;
  const int last = schedule.pieceCount;
  const PieceRange whole = moment.wholeTrained;
  switch (moment.kind) {
    case Moment::Kind::Turn:
      moment.boundaryFrom = last;
      moment.turnUntil = whole.isEmpty() ? last : whole.begin;
      break;
    case Moment::Kind::Boundary:
      moment.boundaryFrom = whole.isEmpty() ? first : whole.end;
      moment.turnUntil = first;
      break;
    case Moment::Kind::Forward:
    case Moment::Kind::Backward:
      moment.boundaryFrom = std::max({first, moment.piece + 1, whole.isEmpty() ? 0 : whole.end});
      moment.turnUntil = std::max(first, std::min(moment.piece, whole.isEmpty() ? last : whole.begin));
      break;
  }
}

}  // namespace

Schedule layOutSchedule(const PlanInput& input, int prefetchDepth) {
  Schedule schedule;
  schedule.pieceCount = static_cast<int>(input.pieces.size());
  schedule.prefetchDepth = prefetchDepth;
  schedule.startBytes.push_back(0);
  for (const PieceProfile& piece : input.pieces) {
    schedule.startBytes.push_back(schedule.startBytes.back() + piece.remoteBytes);
    schedule.forwardOnlyCount += piece.hasBackward ? 0 : 1;
  }
  assert(prefetchDepth < std::max(1, schedule.useCount()));
  WholePieces whole(schedule);
  const auto addMoment = [&](Moment::Kind kind, int piece, int64_t capacity, int firstUse, int uses) {
    Moment moment;
    moment.kind = kind;
    moment.piece = piece;
    moment.capacityBytes = capacity;
    whole.fill(firstUse, uses, moment);
    setHeldKeeps(schedule, moment);
    schedule.moments.push_back(moment);
  };
  for (int use = 0; use < schedule.useCount(); ++use) {
    const int piece = schedule.pieceOfUse(use);
    const bool isForward = use < schedule.pieceCount;
    const PieceProfile& profile = input.pieces[piece];
    addMoment(isForward ? Moment::Kind::Forward : Moment::Kind::Backward, piece,
              isForward ? profile.forwardCapacity : profile.backwardCapacity, use, prefetchDepth + 1);
  }
  addMoment(Moment::Kind::Turn, 0, input.turnCapacity, schedule.pieceCount, prefetchDepth);
  addMoment(Moment::Kind::Boundary, 0, input.boundaryCapacity, 0, prefetchDepth);
  return schedule;
}

const Moment& tightestMoment(const Schedule& schedule) {
  return *std::min_element(schedule.moments.begin(), schedule.moments.end(),
                           [](const Moment& a, const Moment& b) { return a.freeBytes() < b.freeBytes(); });
}

}  // namespace tidemark::memory
