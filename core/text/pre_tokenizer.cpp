#include "core/text/pre_tokenizer.h"

namespace tidemark::text {
namespace {

struct Span {
  size_t begin, end;
  bool isMatch;
};

// The whole text as alternating matches and gaps.
Status findSpans(const SplitStep& step, std::string_view text, MatchScratch& scratch, std::vector<Span>& spans) {
  spans.clear();
  size_t at = 0;
  const bool matched = !step.isInverted;
  TIDEMARK_TRY(step.pattern.forEachMatch(text, scratch, [&](size_t begin, size_t end) {
    if (at != begin) spans.push_back({at, begin, !matched});
    spans.push_back({begin, end, matched});
    at = end;
  }));
  if (at != text.size()) spans.push_back({at, text.size(), !matched});
  return {};
}

// What becomes of matches; the names and their meaning are those of `tokenizers`' SplitDelimiterBehavior.
void applyBehavior(SplitBehavior behavior, std::vector<Span>& spans) {
  std::vector<Span> kept;
  const auto joins = [&](size_t i) {
    if (i == 0) return false;
    const bool match = spans[i].isMatch, before = spans[i - 1].isMatch;
    switch (behavior) {
      case SplitBehavior::Contiguous: return match == before;
      case SplitBehavior::MergedWithPrevious: return match && !before;
      case SplitBehavior::MergedWithNext: return before && !match;
      default: return false;
    }
  };
  for (size_t i = 0; i < spans.size(); ++i) {
    if (behavior == SplitBehavior::Removed && spans[i].isMatch) continue;
    if (joins(i)) kept.back().end = spans[i].end;
    else kept.push_back(spans[i]);
  }
  spans = std::move(kept);
}

Word withPrefixSpace(const Word& word, std::deque<std::string>& arena) {
  if (word.text.starts_with(' ')) return word;
  arena.push_back(" " + std::string(word.text));
  return {arena.back(), word.base - 1, word.base};
}

}  // namespace

Status PreTokenizer::split(std::string_view text, MatchScratch& scratch, std::deque<std::string>& arena,
                           std::vector<Word>& words) const {
  words.assign(1, Word{text, 0, 0});
  std::vector<Word> next;
  std::vector<Span> spans;
  for (size_t index = 0; index <= steps_.size(); ++index) {
    if (static_cast<int>(index) == prefixSpaceBefore_)
      for (Word& word : words) word = withPrefixSpace(word, arena);
    if (index == steps_.size()) break;
    next.clear();
    for (const Word& word : words) {
      TIDEMARK_TRY(findSpans(steps_[index], word.text, scratch, spans));
      if (steps_[index].behavior != SplitBehavior::Isolated) applyBehavior(steps_[index].behavior, spans);
      for (const Span& span : spans)
        if (span.begin != span.end)
          next.push_back({word.text.substr(span.begin, span.end - span.begin),
                          word.base + static_cast<int64_t>(span.begin), word.floor});
    }
    words.swap(next);
  }
  return {};
}

}  // namespace tidemark::text
