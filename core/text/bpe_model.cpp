#include "core/text/bpe_model.h"

#include <algorithm>
#include <bit>

#include "core/text/aligned_text.h"
#include "core/text/bpe_merge.h"
#include "core/text/byte_fallback.h"
#include "core/text/byte_level.h"

namespace tidemark::text {
namespace {

constexpr TokenId kMaxId = 1 << 24;
constexpr uint64_t kNoKey = UINT64_MAX;  // no pair of ids, as ids are not negative

uint64_t keyOf(TokenId left, TokenId right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

Error badModel(const std::string& what) { return {ErrorCode::InvalidInput, "tokenizer", what}; }

}  // namespace

MergeTable::MergeTable(size_t count)
    : keys_(std::bit_ceil(count * 2 + 1), kNoKey), merges_(keys_.size()), mask_(keys_.size() - 1) {}

size_t MergeTable::slotOf(uint64_t key) const {
  size_t slot = (key * 0x9E3779B97F4A7C15ull >> 29) & mask_;
  while (keys_[slot] != key && keys_[slot] != kNoKey) slot = (slot + 1) & mask_;
  return slot;
}

void MergeTable::insert(TokenId left, TokenId right, Merge merge) {
  const size_t slot = slotOf(keyOf(left, right));
  keys_[slot] = keyOf(left, right);
  merges_[slot] = merge;  // a pair given twice keeps its last rank, as in `tokenizers`
}

MergeTable::Merge MergeTable::find(TokenId left, TokenId right) const {
  const size_t slot = slotOf(keyOf(left, right));
  return keys_[slot] == kNoKey ? Merge{} : merges_[slot];
}

Result<BpeModel> BpeModel::build(BpeSource source) {
  BpeModel model;
  model.alphabet_ = source.alphabet;
  TIDEMARK_TRY(model.addVocabulary(source));
  if (source.mergesByVocabulary) model.deriveMerges();
  else TIDEMARK_TRY(model.addMerges(source));
  model.fusesUnknown_ = source.fusesUnknown;
  if (!source.unknownToken.empty()) {
    model.unknownId_ = model.idOf(source.unknownToken);
    if (model.unknownId_ < 0)
      return badModel("the unknown token \"" + source.unknownToken + "\" is not in the vocabulary");
  }
  TIDEMARK_TRY(model.findByteTokens());
  return model;
}

Status BpeModel::findByteTokens() {
  for (int byte = 0; byte < 256; ++byte) {
    std::string standIn;
    if (alphabet_ == Alphabet::Characters) standIn = byteTokenText(static_cast<uint8_t>(byte));
    else appendUtf8(standIn, byteToStandIn(static_cast<uint8_t>(byte)));
    byteIds_[static_cast<size_t>(byte)] = idOf(standIn);
  }
  if (std::all_of(byteIds_.begin(), byteIds_.end(), [](TokenId id) { return id < 0; }))
    return Error{ErrorCode::Unsupported, "tokenizer",
                 alphabet_ == Alphabet::Bytes ? "the vocabulary is not a byte-level one: it has no single bytes"
                                              : "the vocabulary has no tokens for single bytes (\"<0x00>\" and on)"};
  return {};
}

Status BpeModel::addVocabulary(const BpeSource& source) {
  for (const auto& [token, id] : source.vocabulary) {
    if (id < 0 || id >= kMaxId) return badModel("the id " + std::to_string(id) + " is out of range");
    if (static_cast<size_t>(id) >= tokens_.size()) tokens_.resize(static_cast<size_t>(id) + 1);
    tokens_[static_cast<size_t>(id)] = token;
    ids_.emplace(token, id);
    if (!source.ignoresMerges) continue;
    if (alphabet_ == Alphabet::Characters) wholeWords_.emplace(token, id);
    else if (auto bytes = standInsToBytes(token)) wholeWords_.emplace(std::move(*bytes), id);
  }
  if (ids_.empty()) return badModel("the vocabulary is empty");
  return {};
}

Status BpeModel::addMerges(const BpeSource& source) {
  merges_ = MergeTable(source.merges.size());
  for (size_t rank = 0; rank < source.merges.size(); ++rank) {
    const auto& [left, right] = source.merges[rank];
    const TokenId leftId = idOf(left), rightId = idOf(right), result = idOf(left + right);
    if (leftId < 0 || rightId < 0 || result < 0)
      return badModel("merge " + std::to_string(rank + 1) + " (\"" + left + " " + right +
                      "\") names a token that is not in the vocabulary");
    merges_.insert(leftId, rightId, {static_cast<uint32_t>(rank), result});
  }
  return {};
}

void BpeModel::deriveMerges() {
  struct Pair {
    TokenId left, right, result;
  };
  std::vector<Pair> pairs;
  for (size_t id = 0; id < tokens_.size(); ++id) {
    const std::string_view token = tokens_[id];
    for (size_t cut = 1; cut < token.size(); ++cut) {
      if ((static_cast<uint8_t>(token[cut]) & 0xC0) == 0x80) continue;  // within a character
      const TokenId left = idOf(token.substr(0, cut));
      const TokenId right = left < 0 ? -1 : idOf(token.substr(cut));
      if (right >= 0) pairs.push_back({left, right, static_cast<TokenId>(id)});
    }
  }
  merges_ = MergeTable(pairs.size());
  for (size_t rank = 0; rank < pairs.size(); ++rank)
    merges_.insert(pairs[rank].left, pairs[rank].right, {static_cast<uint32_t>(rank), pairs[rank].result});
}

TokenId BpeModel::idOf(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? -1 : found->second;
}

const std::string& BpeModel::tokenOf(TokenId id) const {
  static const std::string none;
  return id >= 0 && static_cast<size_t>(id) < tokens_.size() ? tokens_[static_cast<size_t>(id)] : none;
}

void BpeModel::splitIntoBytes(std::string_view word, std::vector<Token>& symbols) const {
  bool wasUnknown = false;
  for (uint32_t i = 0; i < word.size(); ++i) {
    const TokenId id = byteIds_[static_cast<uint8_t>(word[i])];
    if (id >= 0) {
      symbols.push_back({id, i, i + 1});
    } else {
      addUnknown(i, i + 1, wasUnknown, symbols);
    }
    wasUnknown = id < 0;
  }
}

// A character without a token is its bytes, if all of them have tokens.
void BpeModel::splitIntoCharacters(std::string_view word, std::vector<Token>& symbols) const {
  bool wasUnknown = false;
  for (uint32_t at = 0; at < word.size();) {
    const uint32_t end = at + nextCodePoint(word.substr(at)).length;
    const std::string_view character = word.substr(at, end - at);
    const auto byteId = [&](char byte) { return byteIds_[static_cast<uint8_t>(byte)]; };
    const TokenId id = idOf(character);
    const bool hasBytes = id < 0 && std::all_of(character.begin(), character.end(), [&](char byte) { return byteId(byte) >= 0; });
    if (id >= 0) symbols.push_back({id, at, end});
    else if (!hasBytes) addUnknown(at, end, wasUnknown, symbols);
    for (uint32_t i = at; hasBytes && i < end; ++i) symbols.push_back({byteId(word[i]), i, i + 1});
    wasUnknown = id < 0 && !hasBytes;
    at = end;
  }
}

void BpeModel::addUnknown(uint32_t begin, uint32_t end, bool continues, std::vector<Token>& symbols) const {
  if (unknownId_ < 0) return;
  if (continues && fusesUnknown_) symbols.back().end = end;
  else symbols.push_back({unknownId_, begin, end});
}

void BpeModel::encode(std::string_view word, std::vector<Token>& tokens) const {
  if (const auto whole = wholeWords_.find(word); whole != wholeWords_.end()) {
    tokens.push_back({whole->second, 0, static_cast<uint32_t>(word.size())});
    return;
  }
  std::vector<Token> symbols;
  if (alphabet_ == Alphabet::Bytes) splitIntoBytes(word, symbols);
  else splitIntoCharacters(word, symbols);
  mergeSymbols(symbols, merges_);
  tokens.insert(tokens.end(), symbols.begin(), symbols.end());
}

}  // namespace tidemark::text
