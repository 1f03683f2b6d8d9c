// Tokens that are found in the text before the model sees it: "<|im_end|>" and the like.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/tokenizer.h"

namespace tidemark::text {

struct AddedToken {
  TokenId id = 0;
  std::string content;
  std::string form;           // what is looked for and decoded to: the content, normalised if isNormalized
  bool isSpecial = false;
  bool isNormalized = false;  // looked for in the normalised text, not in the original
  bool isSingleWord = false;
  bool stripsLeft = false;
  bool stripsRight = false;
};

// A stretch of text; id < 0: none of the tokens.
struct AddedTokenSpan {
  TokenId id = -1;
  size_t begin = 0, end = 0;
};

// Finds a set of tokens, leftmost first and the longest of those that begin at one place.
class AddedTokenFinder {
 public:
  AddedTokenFinder();
  void add(const AddedToken& token);
  bool isEmpty() const { return tokens_.empty(); }
  // The whole text as spans in order; no span for an empty text.
  std::vector<AddedTokenSpan> split(std::string_view text) const;

 private:
  struct Node {
    std::map<char, uint32_t> children;
    int32_t token = -1;
  };
  // Length of the longest token that begins at `at`, and which; 0: none.
  std::pair<size_t, int32_t> longestAt(std::string_view text, size_t at) const;
  bool standsAlone(std::string_view text, size_t begin, size_t end) const;

  std::vector<Node> nodes_;
  std::vector<AddedToken> tokens_;
  bool isFirstByte_[256] = {};
};

}  // namespace tidemark::text
