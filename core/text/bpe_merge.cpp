#include "core/text/bpe_merge.h"

#include <algorithm>
#include <queue>

namespace tidemark::text {
namespace {

constexpr size_t kScanLimit = 32;

// A pair that could merge when it was pushed. It is stale if either symbol has changed since.
struct Candidate {
  uint32_t rank;
  uint32_t left;
  uint32_t right;
  TokenId leftId, rightId, result;
  bool operator<(const Candidate& other) const {  // std::priority_queue takes the greatest first
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

// Symbols as a doubly linked list over their first positions.
class LinkedWord {
 public:
  LinkedWord(std::vector<Token>& symbols, const MergeTable& merges) : symbols_(symbols), merges_(merges) {
    const auto count = static_cast<uint32_t>(symbols.size());
    for (uint32_t i = 0; i < count; ++i) {
      next_.push_back(i + 1);
      previous_.push_back(i == 0 ? count : i - 1);
    }
    for (uint32_t i = 0; i + 1 < count; ++i) push(i);
  }

  void mergeAll() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (isStale(best)) continue;
      join(best);
    }
    symbols_.erase(std::remove_if(symbols_.begin(), symbols_.end(), [](const Token& t) { return t.id == kGone; }),
                   symbols_.end());
  }

 private:
  static constexpr TokenId kGone = -1;

  uint32_t count() const { return static_cast<uint32_t>(symbols_.size()); }

  void push(uint32_t left) {
    const uint32_t right = next_[left];
    if (right >= count()) return;
    const auto merge = merges_.find(symbols_[left].id, symbols_[right].id);
    if (merge.rank != UINT32_MAX)
      queue_.push({merge.rank, left, right, symbols_[left].id, symbols_[right].id, merge.result});
  }

  bool isStale(const Candidate& c) const {
    return symbols_[c.left].id != c.leftId || symbols_[c.right].id != c.rightId || next_[c.left] != c.right;
  }

  void join(const Candidate& c) {
    symbols_[c.left].id = c.result;
    symbols_[c.left].end = symbols_[c.right].end;
    symbols_[c.right].id = kGone;
    next_[c.left] = next_[c.right];
    if (next_[c.left] < count()) previous_[next_[c.left]] = c.left;
    push(c.left);
    if (previous_[c.left] < count()) push(previous_[c.left]);
  }

  std::vector<Token>& symbols_;
  const MergeTable& merges_;
  std::vector<uint32_t> next_, previous_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

void mergeByScanning(std::vector<Token>& symbols, const MergeTable& merges) {
  std::vector<MergeTable::Merge> pairs;  // pairs[i]: symbols i and i + 1
  for (size_t i = 0; i + 1 < symbols.size(); ++i) pairs.push_back(merges.find(symbols[i].id, symbols[i + 1].id));
  for (;;) {
    const auto best = std::min_element(pairs.begin(), pairs.end(),
                                       [](const auto& a, const auto& b) { return a.rank < b.rank; });
    if (best == pairs.end() || best->rank == UINT32_MAX) return;
    const auto i = static_cast<size_t>(best - pairs.begin());
    symbols[i].id = best->result;
    symbols[i].end = symbols[i + 1].end;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    pairs.erase(best);
    if (i < pairs.size()) pairs[i] = merges.find(symbols[i].id, symbols[i + 1].id);
    if (i > 0) pairs[i - 1] = merges.find(symbols[i - 1].id, symbols[i].id);
  }
}

void mergeByHeap(std::vector<Token>& symbols, const MergeTable& merges) { LinkedWord(symbols, merges).mergeAll(); }

void mergeSymbols(std::vector<Token>& symbols, const MergeTable& merges) {
  if (symbols.size() <= kScanLimit) mergeByScanning(symbols, merges);
  else mergeByHeap(symbols, merges);
}

}  // namespace tidemark::text
