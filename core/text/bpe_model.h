// Byte-pair encoding: one word in, its tokens out, over bytes (GPT-2) or over characters with bytes for those that are not
// in the vocabulary (SentencePiece). Knows nothing of how text is cut into words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/text/tokenizer.h"

namespace tidemark::text {

enum class Alphabet {
  Bytes,       // a token is written in GPT-2's stand-ins for bytes
  Characters,  // a token is text; "<0xE2>" is a byte of a character that has no token
};

struct BpeSource {
  Alphabet alphabet = Alphabet::Bytes;
  std::vector<std::pair<std::string, TokenId>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;     // best first
  // Without merges: every two tokens merge that make a third one together, those first that make the token of the least
  // id, then those whose left part is shortest (what transformers derives from a SentencePiece model of Gemma).
  bool mergesByVocabulary = false;
  std::string unknownToken;      // empty: bytes without a token are left out, as in `tokenizers`
  bool fusesUnknown = false;
  bool ignoresMerges = false;    // a word that is a token as a whole is not built from parts
};

// Looks strings up by views.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

// The pairs that merge, as an open-addressing hash table: this is the innermost look-up of encoding.
class MergeTable {
 public:
  struct Merge {
    uint32_t rank = UINT32_MAX;  // UINT32_MAX: the pair does not merge
    TokenId result = -1;
  };
  explicit MergeTable(size_t count = 0);
  void insert(TokenId left, TokenId right, Merge merge);
  Merge find(TokenId left, TokenId right) const;

 private:
  size_t slotOf(uint64_t key) const;
  std::vector<uint64_t> keys_;
  std::vector<Merge> merges_;
  size_t mask_ = 0;
};

class BpeModel {
 public:
  static Result<BpeModel> build(BpeSource source);

  // Appends the tokens of one word; offsets are relative to the word. Long words take n log n.
  void encode(std::string_view word, std::vector<Token>& tokens) const;

  TokenId idOf(std::string_view token) const;       // -1: not in the vocabulary
  const std::string& tokenOf(TokenId id) const;     // empty: no such id
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }  // greatest id + 1
  Alphabet alphabet() const { return alphabet_; }

 private:
  Status addVocabulary(const BpeSource& source);
  Status addMerges(const BpeSource& source);
  void deriveMerges();
  Status findByteTokens();
  void splitIntoBytes(std::string_view word, std::vector<Token>& symbols) const;
  void splitIntoCharacters(std::string_view word, std::vector<Token>& symbols) const;
  void addUnknown(uint32_t begin, uint32_t end, bool continues, std::vector<Token>& symbols) const;

  std::vector<std::string> tokens_;
  StringMap<TokenId> ids_;
  StringMap<TokenId> wholeWords_;  // raw bytes; filled only if merges are ignored for them
  MergeTable merges_;
  std::array<TokenId, 256> byteIds_{};
  Alphabet alphabet_ = Alphabet::Bytes;
  TokenId unknownId_ = -1;
  bool fusesUnknown_ = false;
};

}  // namespace tidemark::text
