// The strings that PyPI `tokenizers` was asked about, and its answers (see tests/golden/text/tokenizers_golden.py).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/text/tokenizer.h"

namespace tidemark::text {

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(TIDEMARK_GOLDEN) / "text" / name;
}

struct Answer {
  uint64_t ids;
  uint32_t offsets;
  uint32_t decoded;
};
static_assert(sizeof(Answer) == 16);

inline std::vector<std::string> goldenTexts() {
  const auto content = readFile(golden("texts.bin"));
  EXPECT_TRUE(content.ok());
  std::vector<std::string> texts;
  for (size_t at = 0; content.ok() && at < content->size();) {
    uint32_t length = 0;
    std::memcpy(&length, content->data() + at, 4);
    texts.push_back(content->substr(at + 4, length));
    at += 4 + length;
  }
  return texts;
}

inline std::vector<Answer> goldenAnswers(const std::string& name) {
  const auto content = readFile(golden(name + ".answers"));
  EXPECT_TRUE(content.ok());
  if (!content.ok()) return {};
  std::vector<Answer> answers(content->size() / sizeof(Answer));
  std::memcpy(answers.data(), content->data(), answers.size() * sizeof(Answer));
  return answers;
}

inline uint64_t fnv64(std::string_view bytes) {
  uint64_t value = 0xCBF29CE484222325ull;
  for (const char c : bytes) value = (value ^ static_cast<uint8_t>(c)) * 0x100000001B3ull;
  return value;
}
inline uint32_t fnv32(std::string_view bytes) {
  uint32_t value = 0x811C9DC5u;
  for (const char c : bytes) value = (value ^ static_cast<uint8_t>(c)) * 0x01000193u;
  return value;
}

inline std::vector<TokenId> idsOf(const std::vector<Token>& tokens) {
  std::vector<TokenId> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

template <typename T>
std::string_view bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// `tokenizers` counts characters: a token that holds part of one reaches over all of it.
inline std::vector<uint32_t> characterOffsets(std::string_view text, const std::vector<Token>& tokens) {
  const auto isInside = [&](uint32_t at) { return at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80; };
  std::vector<uint32_t> offsets;
  for (const Token& token : tokens) {
    uint32_t begin = token.begin, end = token.end;
    while (isInside(begin)) --begin;
    while (isInside(end)) ++end;
    offsets.push_back(begin);
    offsets.push_back(end);
  }
  return offsets;
}

}  // namespace tidemark::text
