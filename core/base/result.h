// Result<T>: a value, or the reason why there is none. For expected trouble (files, configuration, peers);
// broken invariants assert instead.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tidemark {

enum class ErrorCode {
  InvalidConfig,   // a key, value or combination in the configuration
  InvalidInput,    // a file or text whose content is not what its format demands
  NotFound,
  Unsupported,     // well formed, but not something that Tidemark can do
  Io,
  OutOfMemory,     // the budget, or the device
  Busy,            // a port or a lock that somebody else holds
  RankLost,
  Cancelled,
  Internal,
};

// What went wrong: `subject` is the file, key or rank concerned, `detail` says what about it and what to do next.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string subject;
  std::string detail;

  std::string message() const { return subject.empty() ? detail : subject + ": " + detail; }
  // The same error one level up: "reading the model: <subject>".
  Error within(const std::string& context) const {
    return {code, subject.empty() ? context : context + ": " + subject, detail};
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() & { assert(ok()); return std::get<0>(state_); }
  const T& value() const& { assert(ok()); return std::get<0>(state_); }
  T&& value() && { assert(ok()); return std::get<0>(std::move(state_)); }
  const Error& error() const { assert(!ok()); return std::get<1>(state_); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  const Error& error() const { assert(error_); return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace tidemark

// Returns the error of a Status expression from the enclosing function.
#define TIDEMARK_TRY(expression)                                     \
  do {                                                               \
    if (auto tidemarkStatus_ = (expression); !tidemarkStatus_.ok())  \
      return tidemarkStatus_.error();                                \
  } while (false)

// TIDEMARK_ASSIGN(auto x, f()): x is the value of f(), or the enclosing function returns its error.
#define TIDEMARK_ASSIGN(declaration, expression) \
  TIDEMARK_ASSIGN_(TIDEMARK_JOIN_(tidemarkResult_, __LINE__), declaration, expression)
#define TIDEMARK_JOIN_(a, b) TIDEMARK_JOIN2_(a, b)
#define TIDEMARK_JOIN2_(a, b) a##b
#define TIDEMARK_ASSIGN_(result, declaration, expression) \
  auto result = (expression);                             \
  if (!result.ok()) return result.error();                \
  declaration = std::move(result).value()
