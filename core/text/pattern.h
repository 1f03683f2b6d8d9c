// A regular expression with Oniguruma's meaning (that is what `tokenizers` uses), run by PCRE2 within a match limit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tidemark::text {

// What matching needs besides the pattern; reused from call to call, by one thread at a time.
class MatchScratch {
 public:
  MatchScratch();
  ~MatchScratch();
  MatchScratch(const MatchScratch&) = delete;
  MatchScratch& operator=(const MatchScratch&) = delete;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Copies share the compiled pattern. Thread-safe.
class Pattern {
 public:
  // Constructs whose meaning differs between Oniguruma and PCRE2 are translated, or refused by name.
  static Result<Pattern> compile(std::string_view oniguruma);
  static Pattern literal(std::string text);

  // Calls found(begin, end) for each match from left to right. `text` is valid UTF-8.
  Status forEachMatch(std::string_view text, MatchScratch& scratch,
                      const std::function<void(size_t, size_t)>& found) const;

 private:
  Status forEachRegexMatch(std::string_view text, MatchScratch& scratch,
                           const std::function<void(size_t, size_t)>& found) const;
  std::shared_ptr<void> code_;  // pcre2_code; none for a literal
  std::string literal_;         // the literal, or the source for messages
};

// Oniguruma's syntax in PCRE2's terms. Exposed for tests.
Result<std::string> translateOniguruma(std::string_view pattern);

}  // namespace tidemark::text
