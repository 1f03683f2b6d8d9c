// Cuts text into the words that byte-level BPE works on, by the steps that a tokenizer.json names.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/pattern.h"

namespace tidemark::text {

enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

struct SplitStep {
  Pattern pattern;
  SplitBehavior behavior = SplitBehavior::Isolated;
  bool isInverted = false;
};

// A word; byte k of it is byte max(floor, base + k) of the text that was cut (a prefixed space has no byte of its own).
struct Word {
  std::string_view text;
  int64_t base = 0;
  int64_t floor = 0;
};

class PreTokenizer {
 public:
  void add(SplitStep step) { steps_.push_back(std::move(step)); }
  // ByteLevel's add_prefix_space: every piece that reaches it begins with a space.
  void addPrefixSpace() { prefixSpaceBefore_ = static_cast<int>(steps_.size()); }

  // The words view `text` or strings in `arena`.
  Status split(std::string_view text, MatchScratch& scratch, std::deque<std::string>& arena,
               std::vector<Word>& words) const;

 private:
  std::vector<SplitStep> steps_;
  int prefixSpaceBefore_ = -1;  // index of the step before which the space is added
};

}  // namespace tidemark::text
