#include "core/memory/plan_totals.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <type_traits>

namespace tidemark::memory {
namespace {

// For a given total of forward-only keeps: bounds of the boundary total, of the turn total, and of both together.
template <typename Amount>
struct Bounds {
  Amount boundary;
  Amount turn;
  Amount both;
  Amount greatest() const { return std::min(boundary + turn, both); }
};

// Amount is double to solve the linear program, int64_t to place whole bytes.
template <typename Amount>
class Packing {
 public:
  explicit Packing(const Schedule& schedule);

  // Nothing when the forward-only total alone does not fit.
  std::optional<Bounds<Amount>> boundsFor(Amount forwardOnly);
  bool covers(Amount forwardOnly, Amount boundary);
  const std::vector<Amount>& cover() const { return keeps_; }
  Amount greatestForwardOnly();
  // The greatest saving with this forward-only total, which must fit.
  Amount savedWith(Amount forwardOnly);

 private:
  struct Window {
    PieceRange pieces;
    Amount freeBytes;
    Amount anchoredBytes;  // boundary keeps up to this total are not held here
  };

  template <typename Predicate>
  Amount greatest(Amount low, Amount high, Predicate fits) const;
  bool fillFromRight(PieceRange pieces, Amount need, Amount& total);

  const Schedule& schedule_;
  Amount epsilon_ = 0;
  Amount lower_, trained_;
  Bounds<Amount> plain_;     // over moments where no forward-only piece is whole; forward-only keeps still to be taken off
  Amount plainFree_;
  std::vector<Window> windows_;  // by right end
  std::vector<Amount> keeps_;
};

template <typename Amount>
Packing<Amount>::Packing(const Schedule& schedule)
    : schedule_(schedule),
      lower_(static_cast<Amount>(schedule.forwardOnlyBytes())),
      trained_(static_cast<Amount>(schedule.trainedBytes())),
      keeps_(schedule.forwardOnlyCount) {
  if constexpr (std::is_floating_point_v<Amount>)
    epsilon_ = 1e-14 * static_cast<Amount>(schedule.gatheredBytes() + 1);
  const Amount unbounded = lower_ + 4 * trained_ + 1;
  plain_ = {unbounded, unbounded, unbounded};
  plainFree_ = unbounded;
  for (const Moment& moment : schedule.moments) {
    const Amount room = static_cast<Amount>(moment.freeBytes());
    const Amount before = static_cast<Amount>(schedule.startBytes[moment.boundaryFrom] - schedule.forwardOnlyBytes());
    const Amount after = static_cast<Amount>(schedule.startBytes.back() - schedule.startBytes[moment.turnUntil]);
    if (!moment.wholeForwardOnly.isEmpty()) {
      windows_.push_back({moment.wholeForwardOnly, room, before});
      continue;
    }
    plainFree_ = std::min(plainFree_, room);
    plain_.boundary = std::min(plain_.boundary, room + before);
    plain_.turn = std::min(plain_.turn, room + after);
    plain_.both = std::min(plain_.both, room + before + after);
  }
  std::stable_sort(windows_.begin(), windows_.end(),
                   [](const Window& a, const Window& b) { return a.pieces.end < b.pieces.end; });
}

// The last value in [low, high] that fits, given that low does and that fitting is monotone.
template <typename Amount>
template <typename Predicate>
Amount Packing<Amount>::greatest(Amount low, Amount high, Predicate fits) const {
  if (high <= low || fits(high)) return std::max(low, high);
  const Amount width = std::is_integral_v<Amount> ? Amount(1) : std::max(epsilon_, Amount(1e-4));
  while (high - low > width) {
    const Amount middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// Covering intervals by the rightmost pieces first uses the least in all, as later windows end further right.
template <typename Amount>
bool Packing<Amount>::fillFromRight(PieceRange pieces, Amount need, Amount& total) {
  for (int piece = pieces.begin; piece < pieces.end; ++piece) need -= keeps_[piece];
  for (int piece = pieces.end - 1; piece >= pieces.begin && need > 0; --piece) {
    const Amount add = std::min(need, static_cast<Amount>(schedule_.bytesOf(piece)) - keeps_[piece]);
    keeps_[piece] += add;
    total += add;
    need -= add;
  }
  return need <= epsilon_;
}

template <typename Amount>
bool Packing<Amount>::covers(Amount forwardOnly, Amount boundary) {
  std::fill(keeps_.begin(), keeps_.end(), Amount(0));
  Amount total = 0;
  for (const Window& window : windows_) {
    const Amount need = forwardOnly + std::max(Amount(0), boundary - window.anchoredBytes) - window.freeBytes;
    if (need <= 0) continue;
    if (!fillFromRight(window.pieces, need, total) || total > forwardOnly + epsilon_) return false;
  }
  return true;
}

template <typename Amount>
std::optional<Bounds<Amount>> Packing<Amount>::boundsFor(Amount forwardOnly) {
  if (plainFree_ - forwardOnly < 0 || forwardOnly > lower_ || !covers(forwardOnly, 0)) return std::nullopt;
  Bounds<Amount> bounds;
  bounds.turn = std::min(trained_, plain_.turn - forwardOnly);
  bounds.both = plain_.both - forwardOnly;
  bounds.boundary = greatest(0, std::min(trained_, plain_.boundary - forwardOnly),
                             [&](Amount boundary) { return covers(forwardOnly, boundary); });
  return bounds;
}

template <typename Amount>
Amount Packing<Amount>::greatestForwardOnly() {
  return greatest(0, std::min(lower_, plainFree_), [&](Amount forwardOnly) { return covers(forwardOnly, 0); });
}

template <typename Amount>
Amount Packing<Amount>::savedWith(Amount forwardOnly) {
  const auto bounds = boundsFor(forwardOnly);
  return bounds ? forwardOnly + bounds->greatest() : Amount(-1);
}

// The forward-only totals between which the saving is greatest: it is concave in that total.
struct Plateau {
  double low = 0;
  double high = 0;
  double saved = 0;
};

Plateau findPlateau(Packing<double>& packing) {
  constexpr double kGolden = 0.6180339887498949;
  const double most = packing.greatestForwardOnly();
  double low = 0, high = most;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double savedLeft = packing.savedWith(left), savedRight = packing.savedWith(right);
  while (high - low > 1e-3) {
    if (savedLeft < savedRight) {
      low = left;
      left = right;
      savedLeft = savedRight;
      right = low + kGolden * (high - low);
      savedRight = packing.savedWith(right);
    } else {
      high = right;
      right = left;
      savedRight = savedLeft;
      left = high - kGolden * (high - low);
      savedLeft = packing.savedWith(left);
    }
  }
  Plateau plateau{low, low, packing.savedWith(low)};
  for (const double total : {0.0, most, high})
    if (const double saved = packing.savedWith(total); saved > plateau.saved) plateau = {total, total, saved};
  const double enough = plateau.saved - 0.25;
  const auto lastGood = [&](double good, double bad) {
    if (packing.savedWith(bad) >= enough) return bad;
    while (std::abs(bad - good) > 0.25) {
      const double middle = (good + bad) / 2;
      (packing.savedWith(middle) >= enough ? good : bad) = middle;
    }
    return good;
  };
  const double found = plateau.low;
  plateau.low = lastGood(found, 0);
  plateau.high = lastGood(found, most);
  return plateau;
}

// All ways to share what boundary and turn may have together, as its ends and middle.
void addShares(int64_t forwardOnly, const Bounds<int64_t>& bounds, std::vector<KeepTotals>& all) {
  const int64_t sum = bounds.greatest();
  const int64_t least = std::max<int64_t>(0, sum - bounds.turn);
  const int64_t most = std::min(bounds.boundary, sum);
  for (const int64_t boundary : {most, least + (most - least) / 2, least}) {
    const KeepTotals totals{forwardOnly, boundary, sum - boundary};
    const auto isSame = [&](const KeepTotals& other) {
      return other.forwardOnlyBytes == forwardOnly && other.boundaryBytes == boundary;
    };
    if (std::none_of(all.begin(), all.end(), isSame)) all.push_back(totals);
  }
}

// Whole bytes may miss the real optimum by a few; look a few to each side of it.
int64_t bestWholeNear(Packing<int64_t>& packing, double total) {
  const auto whole = static_cast<int64_t>(total);
  int64_t best = 0;
  int64_t bestSaved = packing.savedWith(0);
  for (int64_t forwardOnly = std::max<int64_t>(0, whole - 2); forwardOnly <= whole + 2; ++forwardOnly) {
    const int64_t saved = packing.savedWith(forwardOnly);
    if (saved <= bestSaved) continue;
    best = forwardOnly;
    bestSaved = saved;
  }
  return best;
}

}  // namespace

double greatestSavedBytes(const Schedule& schedule) {
  Packing<double> packing(schedule);
  return schedule.forwardOnlyCount == 0 ? packing.savedWith(0) : findPlateau(packing).saved;
}

std::vector<KeepTotals> bestTotals(const Schedule& schedule) {
  Packing<int64_t> packing(schedule);
  std::vector<KeepTotals> all;
  if (schedule.forwardOnlyCount == 0) {
    addShares(0, *packing.boundsFor(0), all);
    return all;
  }
  Packing<double> real(schedule);
  const Plateau plateau = findPlateau(real);
  const std::array<int64_t, 3> near{bestWholeNear(packing, plateau.low),
                                    bestWholeNear(packing, (plateau.low + plateau.high) / 2),
                                    bestWholeNear(packing, plateau.high)};
  int64_t best = 0;
  for (const int64_t forwardOnly : near) best = std::max(best, packing.savedWith(forwardOnly));
  for (const int64_t forwardOnly : near)
    if (packing.savedWith(forwardOnly) == best) addShares(forwardOnly, *packing.boundsFor(forwardOnly), all);
  assert(!all.empty());
  return all;
}

std::vector<int64_t> leastForwardOnlyKeeps(const Schedule& schedule, const KeepTotals& totals) {
  Packing<int64_t> packing(schedule);
  const bool fits = packing.covers(totals.forwardOnlyBytes, totals.boundaryBytes);
  assert(fits);
  (void)fits;
  return packing.cover();
}

}  // namespace tidemark::memory
