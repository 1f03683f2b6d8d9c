#include "core/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace tidemark {
namespace {

Result<int> parseDigit(char c) {
  if (c < '0' || c > '9') return Error{ErrorCode::InvalidInput, std::string(1, c), "is not a digit"};
  return c - '0';
}

Result<int> sum(const std::string& text) {
  int total = 0;
  for (const char c : text) {
    TIDEMARK_ASSIGN(const int digit, parseDigit(c));
    total += digit;
  }
  return total;
}

Status requireEven(const std::string& text) {
  TIDEMARK_ASSIGN(const int total, sum(text));
  if (total % 2 != 0) return Error{ErrorCode::InvalidInput, text, "has an odd sum"};
  return {};
}

Status requireBothEven(const std::string& first, const std::string& second) {
  TIDEMARK_TRY(requireEven(first));
  TIDEMARK_TRY(requireEven(second));
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(sum("123").value(), 6);
  const auto wrong = sum("1x3");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(wrong.error().message(), "x: is not a digit");
}

TEST(Result, MacrosPassTheFirstErrorOn) {
  EXPECT_TRUE(requireBothEven("11", "22").ok());
  EXPECT_EQ(requireBothEven("12", "y").error().message(), "12: has an odd sum");
  EXPECT_EQ(requireBothEven("11", "y").error().message(), "y: is not a digit");
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> held(std::make_unique<int>(7));
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(**held, 7);
  const std::unique_ptr<int> taken = std::move(held).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Error, AddsContextOnTheWayUp) {
  const Error error{ErrorCode::Io, "a.txt", "cannot open"};
  EXPECT_EQ(error.within("reading the model").message(), "reading the model: a.txt: cannot open");
  EXPECT_EQ(error.within("reading the model").code, ErrorCode::Io);
  EXPECT_EQ((Error{ErrorCode::Internal, "", "broken"}.within("here").message()), "here: broken");
  EXPECT_EQ((Error{ErrorCode::Internal, "", "broken"}.message()), "broken");
}

}  // namespace
}  // namespace tidemark
