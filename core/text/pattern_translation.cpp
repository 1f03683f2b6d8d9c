// Oniguruma (Ruby syntax, UTF-8) to PCRE2 (UTF, UCP, MULTILINE). Sources: Oniguruma's doc/RE, pcre2pattern(3).
#include <cctype>

#include "core/text/pattern.h"

namespace tidemark::text {
namespace {

// Oniguruma's \w counts the superscripts and fractions of Latin-1 too, though no other numerals of category No.
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr std::string_view kHex = "0-9A-Fa-f";

class Translation {
 public:
  explicit Translation(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> run() {
    while (at_ < pattern_.size()) {
      const Status step = isInClass_ ? insideClass() : outsideClass();
      if (!step.ok()) return step.error();
    }
    return std::move(out_);
  }

 private:
  Error refuse(const std::string& what) const {
    return {ErrorCode::Unsupported, "pattern " + std::string(pattern_), "uses " + what + ", which is not supported"};
  }
  char peek(size_t ahead) const { return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0'; }
  Status take(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
    return {};
  }
  Status replace(size_t count, std::string_view with) {
    out_ += with;
    at_ += count;
    return {};
  }

  Status outsideClass() {
    switch (peek(0)) {
      case '\\': return escape();
      case '[': return openClass();
      case '(': return group();
      case '{': return interval();
      default: return take(1);
    }
  }

  Status openClass() {
    isInClass_ = true;
    const size_t length = peek(1) == '^' ? 2 : 1;
    if (peek(length) == ']') return refuse("an empty character class");
    return take(length);
  }

  Status insideClass() {
    if (peek(0) == '\\') return escape();
    if (peek(0) == '[') return refuse("a character class within a class");
    if (peek(0) == '&' && peek(1) == '&') return refuse("an intersection of character classes");
    if (peek(0) == ']') isInClass_ = false;
    return take(1);
  }

  // Ruby's isolated option, a(?i)b|c, reaches over the alternatives; at the very beginning both agree.
  Status group() {
    if (peek(1) != '?') {
      if (peek(1) == '*') return refuse("(*");
      return take(1);
    }
    const char kind = peek(2);
    if (kind == ':' || kind == '=' || kind == '!' || kind == '>' || kind == '<') return take(3);
    if (pattern_.substr(at_).starts_with("(?i:")) return take(4);
    if (pattern_.substr(at_).starts_with("(?-i:")) return take(5);
    if (at_ == 0 && pattern_.starts_with("(?i)")) return take(4);
    return refuse("the group " + std::string(pattern_.substr(at_, 4)));
  }

  // x{n,m}+ is possessive in PCRE2 and a repeated repeat in Ruby, x{n}? is lazy there and optional here;
  // {,m} is literal text in PCRE2.
  Status interval() {
    const size_t close = pattern_.find('}', at_);
    const std::string_view body =
        close == std::string_view::npos ? "" : pattern_.substr(at_ + 1, close - at_ - 1);
    if (body.empty() || body.find_first_not_of("0123456789,") != std::string_view::npos) return replace(1, "\\{");
    const char after = close + 1 < pattern_.size() ? pattern_[close + 1] : '\0';
    if (after == '+') return refuse("a + after an interval");
    if (after == '?' && body.find(',') == std::string_view::npos) return refuse("a ? after a fixed interval");
    return replace(close + 1 - at_, (body[0] == ',' ? "{0" : "{") + std::string(body) + "}");
  }

  Status set(std::string_view members) {
    return replace(2, isInClass_ ? std::string(members) : "[" + std::string(members) + "]");
  }
  Status complement(std::string_view members) { return replace(2, "[^" + std::string(members) + "]"); }

  // \p{L}, \x{41}, \x41
  Status escapeWithArgument() {
    if (peek(2) != '{') return take(2);
    const size_t close = pattern_.find('}', at_);
    return close == std::string_view::npos ? Status(refuse("{ without }")) : take(close + 1 - at_);
  }

  Status escape() {
    const char c = peek(1);
    if (c == '\0') return refuse("a \\ at the end");
    if (isInClass_ && (c == 'W' || c == 'H' || c == 'R' || c == 'X' || c == 'B'))
      return refuse(std::string("\\") + c + " within a class");
    switch (c) {
      case 's': return replace(2, R"(\p{White_Space})");  // PCRE2's own \s has U+180E too
      case 'S': return replace(2, R"(\P{White_Space})");
      case 'w': return set(kWord);
      case 'W': return complement(kWord);
      case 'h': return set(kHex);
      case 'H': return complement(kHex);
      case 'v': return replace(2, R"(\x0b)");
      case 'b': return isInClass_ ? take(2) : wordBoundary();
      case 'u': return unicodeEscape();
      case 'p': case 'P': case 'x': return escapeWithArgument();
      case 'd': case 'D': case 'r': case 'n': case 't': case 'f': case 'a': case 'e': case 'A': case 'z': case 'Z':
        return take(2);
      default:
        if (std::isalpha(static_cast<unsigned char>(c))) return refuse(std::string("\\") + c);
        return take(2);
    }
  }

  Status wordBoundary() {
    const std::string w = "[" + std::string(kWord) + "]";
    return replace(2, "(?:(?<=" + w + ")(?!" + w + ")|(?<!" + w + ")(?=" + w + "))");
  }

  Status unicodeEscape() {
    const std::string_view digits = pattern_.substr(at_ + 2, 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      return refuse("\\u without four hexadecimal digits");
    return replace(6, "\\x{" + std::string(digits) + "}");
  }

  std::string_view pattern_;
  std::string out_;
  size_t at_ = 0;
  bool isInClass_ = false;
};

}  // namespace

Result<std::string> translateOniguruma(std::string_view pattern) { return Translation(pattern).run(); }

}  // namespace tidemark::text
