// The tokenizer itself: added tokens, normalisation, words, byte-pair encoding, special tokens around the whole.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/text/added_tokens.h"
#include "core/text/bpe_model.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/tokenizer.h"

namespace tidemark::text {

// What the two readers (tokenizer_json.cpp, tokenizer_gguf.cpp) take from their files.
struct TokenizerParts {
  BpeSource bpe;
  std::vector<NormalizerStep> normalizer;
  PreTokenizer preTokenizer;
  std::vector<AddedToken> addedTokens;
  std::vector<TokenId> idsBefore, idsAfter;  // what the post-processor puts around a text
  std::string bosToken, eosToken;            // empty: none
  std::vector<TokenId> endIds;               // tokens beside eosToken that end an answer
  std::string chatTemplate;
  bool isTemplateBuiltIn = false;            // the file holds none; see gemma_turns.h
};

class BpeTokenizer final : public Tokenizer {
 public:
  static Result<std::shared_ptr<const Tokenizer>> build(TokenizerParts parts);

  Result<std::vector<Token>> encode(std::string_view text, SpecialTokens special) const override;
  std::string decode(const std::vector<TokenId>& ids, bool skipSpecialTokens) const override;
  int64_t vocabularySize() const override { return vocabularySize_; }
  std::string tokenText(TokenId id) const override;
  bool isSpecial(TokenId id) const override;
  TokenId bosId() const override { return bosId_; }
  TokenId eosId() const override { return eosId_; }
  std::vector<TokenId> endIds() const override { return endIds_; }
  std::string chatTemplate() const override { return chatTemplate_; }
  bool isTemplateBuiltIn() const override { return isTemplateBuiltIn_; }

 private:
  struct Scratch;
  class Borrowed;

  Status addAddedTokens(std::vector<AddedToken> tokens);
  Result<TokenId> idOfNamed(const std::string& name, const std::string& role) const;
  Status checkIdsAround() const;
  Status encodeSegment(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const;
  Status encodeNormalized(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const;
  Status encodeWords(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const;
  void encodeWord(const Word& word, Scratch& scratch, std::vector<Token>& tokens) const;
  const std::string& formOf(TokenId id) const;
  void appendBytes(TokenId id, std::string& bytes) const;

  BpeModel model_;
  std::vector<NormalizerStep> normalizer_;
  PreTokenizer preTokenizer_;
  AddedTokenFinder inOriginal_, inNormalized_;
  std::map<TokenId, AddedToken> added_;
  std::vector<TokenId> idsBefore_, idsAfter_, endIds_;
  std::string chatTemplate_;
  bool isTemplateBuiltIn_ = false;
  TokenId bosId_ = -1, eosId_ = -1;
  int64_t vocabularySize_ = 0;

  mutable std::mutex scratchMutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idleScratch_;  // one for each thread that encoded at the same time

 public:
  BpeTokenizer();
  ~BpeTokenizer() override;
};

}  // namespace tidemark::text
