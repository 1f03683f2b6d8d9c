#include "core/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/text/aligned_text.h"

namespace tidemark::text {
namespace {

constexpr size_t kMaxPatternBytes = 64 << 10;
constexpr size_t kJitStackBytes = 8 << 20;
// Backtracking steps for one match: a fixed amount, and some for each byte, because long runs of white space
// are legitimately walked back over.
constexpr size_t kMatchSteps = 1'000'000;
constexpr size_t kMatchStepsPerByte = 16;

std::string describe(int code) {
  char text[256] = "";
  pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
  return text;
}

}  // namespace

struct MatchScratch::State {
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack* stack = pcre2_jit_stack_create(32 << 10, kJitStackBytes, nullptr);
  State() { pcre2_jit_stack_assign(context, nullptr, stack); }
  ~State() {
    pcre2_jit_stack_free(stack);
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

MatchScratch::MatchScratch() : state_(std::make_unique<State>()) {}
MatchScratch::~MatchScratch() = default;

Result<Pattern> Pattern::compile(std::string_view oniguruma) {
  if (oniguruma.size() > kMaxPatternBytes)
    return Error{ErrorCode::Unsupported, "pattern", "is longer than " + std::to_string(kMaxPatternBytes) + " bytes"};
  TIDEMARK_ASSIGN(const std::string translated, translateOniguruma(oniguruma));
  std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                       PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &code, &offset, context.get());
  if (!compiled)
    return Error{ErrorCode::InvalidInput, "pattern " + std::string(oniguruma),
                 describe(code) + " (at byte " + std::to_string(offset) + " of " + translated + ")"};
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // without it the interpreter runs: same matches, slower
  Pattern pattern;
  pattern.code_ = std::shared_ptr<void>(compiled, [](void* p) { pcre2_code_free(static_cast<pcre2_code*>(p)); });
  pattern.literal_ = std::string(oniguruma);
  return pattern;
}

Pattern Pattern::literal(std::string text) {
  Pattern pattern;
  pattern.literal_ = std::move(text);
  return pattern;
}

Status Pattern::forEachMatch(std::string_view text, MatchScratch& scratch,
                             const std::function<void(size_t, size_t)>& found) const {
  if (code_) return forEachRegexMatch(text, scratch, found);
  if (literal_.empty()) return {};
  for (size_t at = text.find(literal_); at != std::string_view::npos; at = text.find(literal_, at + literal_.size()))
    found(at, at + literal_.size());
  return {};
}

Status Pattern::forEachRegexMatch(std::string_view text, MatchScratch& scratch,
                                  const std::function<void(size_t, size_t)>& found) const {
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  auto& state = scratch.state();
  const size_t limit = std::min<size_t>(kMatchSteps + kMatchStepsPerByte * text.size(), UINT32_MAX);
  pcre2_set_match_limit(state.context, static_cast<uint32_t>(limit));
  size_t from = 0;
  size_t lastEnd = std::string_view::npos;
  while (from <= text.size()) {
    const int count = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                  PCRE2_NO_UTF_CHECK, state.data, state.context);
    if (count == PCRE2_ERROR_NOMATCH) return {};
    if (count < 0)
      return Error{ErrorCode::InvalidInput, "pattern " + literal_,
                   "cannot be matched against this text: " + describe(count)};
    const PCRE2_SIZE* match = pcre2_get_ovector_pointer(state.data);
    if (match[0] == match[1] && match[1] == lastEnd) {  // an empty match right after the last one does not count
      if (from >= text.size()) return {};
      from += nextCodePoint(text.substr(from)).length;
      continue;
    }
    found(match[0], match[1]);
    from = lastEnd = match[1];
  }
  return {};
}

}  // namespace tidemark::text
