#include "core/text/bpe_tokenizer.h"

#include <algorithm>

#include "core/text/byte_fallback.h"
#include "core/text/byte_level.h"

namespace tidemark::text {
namespace {

constexpr size_t kMaxCachedWord = 128;       // bytes
constexpr size_t kMaxCachedWords = 200'000;  // about 30 MB; then the cache starts anew

}  // namespace

// Buffers and the cache of words already encoded, for one call at a time.
struct BpeTokenizer::Scratch {
  MatchScratch match;
  std::deque<std::string> arena;
  std::vector<Word> words;
  std::vector<Token> wordTokens;
  StringMap<std::vector<Token>> cache;
};

// A scratch for the length of one call.
class BpeTokenizer::Borrowed {
 public:
  explicit Borrowed(const BpeTokenizer& owner) : owner_(owner) {
    const std::lock_guard lock(owner_.scratchMutex_);
    if (owner_.idleScratch_.empty()) {
      scratch_ = std::make_unique<Scratch>();
    } else {
      scratch_ = std::move(owner_.idleScratch_.back());
      owner_.idleScratch_.pop_back();
    }
  }
  ~Borrowed() {
    const std::lock_guard lock(owner_.scratchMutex_);
    owner_.idleScratch_.push_back(std::move(scratch_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Scratch& get() { return *scratch_; }

 private:
  const BpeTokenizer& owner_;
  std::unique_ptr<Scratch> scratch_;
};

BpeTokenizer::BpeTokenizer() = default;
BpeTokenizer::~BpeTokenizer() = default;

Result<std::shared_ptr<const Tokenizer>> BpeTokenizer::build(TokenizerParts parts) {
  auto tokenizer = std::make_shared<BpeTokenizer>();
  TIDEMARK_ASSIGN(tokenizer->model_, BpeModel::build(std::move(parts.bpe)));
  tokenizer->normalizer_ = std::move(parts.normalizer);
  tokenizer->preTokenizer_ = std::move(parts.preTokenizer);
  tokenizer->idsBefore_ = std::move(parts.idsBefore);
  tokenizer->idsAfter_ = std::move(parts.idsAfter);
  tokenizer->chatTemplate_ = std::move(parts.chatTemplate);
  tokenizer->isTemplateBuiltIn_ = parts.isTemplateBuiltIn;
  TIDEMARK_TRY(tokenizer->addAddedTokens(std::move(parts.addedTokens)));
  TIDEMARK_ASSIGN(tokenizer->bosId_, tokenizer->idOfNamed(parts.bosToken, "beginning-of-sequence"));
  TIDEMARK_ASSIGN(tokenizer->eosId_, tokenizer->idOfNamed(parts.eosToken, "end-of-sequence"));
  TIDEMARK_TRY(tokenizer->checkIdsAround());
  if (tokenizer->eosId_ >= 0) tokenizer->endIds_.push_back(tokenizer->eosId_);
  for (const TokenId id : parts.endIds)
    if (id != tokenizer->eosId_) tokenizer->endIds_.push_back(id);
  return std::shared_ptr<const Tokenizer>(std::move(tokenizer));
}

Status BpeTokenizer::addAddedTokens(std::vector<AddedToken> tokens) {
  vocabularySize_ = model_.size();
  for (AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    const TokenId inModel = model_.idOf(token.content);
    if (inModel >= 0 && inModel != token.id)
      return Error{ErrorCode::InvalidInput, "tokenizer", "the added token \"" + token.content + "\" has the id " +
                   std::to_string(token.id) + " but the vocabulary says " + std::to_string(inModel)};
    if (token.id < 0) return Error{ErrorCode::InvalidInput, "tokenizer", "an added token has a negative id"};
    token.form = token.isNormalized ? normalize(token.content, normalizer_).text : token.content;
    (token.isNormalized ? inNormalized_ : inOriginal_).add(token);
    vocabularySize_ = std::max<int64_t>(vocabularySize_, token.id + 1);
    added_[token.id] = std::move(token);
  }
  return {};
}

Result<TokenId> BpeTokenizer::idOfNamed(const std::string& name, const std::string& role) const {
  if (name.empty()) return TokenId{-1};
  for (const auto& [id, token] : added_)
    if (token.content == name) return id;
  const TokenId id = model_.idOf(name);
  if (id >= 0) return id;
  return Error{ErrorCode::InvalidInput, "tokenizer", "the " + role + " token \"" + name + "\" is not in the vocabulary"};
}

Status BpeTokenizer::checkIdsAround() const {
  for (const auto* ids : {&idsBefore_, &idsAfter_})
    for (const TokenId id : *ids)
      if (id < 0 || id >= vocabularySize_)
        return Error{ErrorCode::InvalidInput, "tokenizer",
                     "the post-processor adds the id " + std::to_string(id) + ", which is not in the vocabulary"};
  return {};
}

Result<std::vector<Token>> BpeTokenizer::encode(std::string_view text, SpecialTokens special) const {
  if (text.size() >= UINT32_MAX) return Error{ErrorCode::InvalidInput, "text", "is longer than 4 GiB"};
  Borrowed borrowed(*this);
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 3 + 8);
  const bool wraps = special == SpecialTokens::AddAndParse;
  if (wraps)
    for (const TokenId id : idsBefore_) tokens.push_back({id, 0, 0});
  if (isValidUtf8(text)) {
    TIDEMARK_TRY(encodeSegment(text, borrowed.get(), tokens));
  } else {
    const AlignedText repaired = repairUtf8(text);
    const size_t first = tokens.size();
    TIDEMARK_TRY(encodeSegment(repaired.text, borrowed.get(), tokens));
    for (size_t i = first; i < tokens.size(); ++i) {
      Token& token = tokens[i];
      const uint32_t last = token.end > token.begin ? token.end - 1 : token.begin;
      token = {token.id, repaired.begin[token.begin], repaired.end[last]};
    }
  }
  const auto end = static_cast<uint32_t>(text.size());
  if (wraps)
    for (const TokenId id : idsAfter_) tokens.push_back({id, end, end});
  return tokens;
}

// Valid UTF-8, not yet normalised: each stretch between added tokens is normalised on its own.
Status BpeTokenizer::encodeSegment(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const {
  for (const AddedTokenSpan& span : inOriginal_.split(text)) {
    const auto base = static_cast<uint32_t>(span.begin);
    if (span.id >= 0) {
      tokens.push_back({span.id, base, static_cast<uint32_t>(span.end)});
      continue;
    }
    const std::string_view piece = text.substr(span.begin, span.end - span.begin);
    const size_t first = tokens.size();
    if (isCertainlyNormal(piece, normalizer_)) {
      TIDEMARK_TRY(encodeNormalized(piece, scratch, tokens));
      for (size_t i = first; i < tokens.size(); ++i) tokens[i].begin += base, tokens[i].end += base;
      continue;
    }
    const AlignedText normal = normalize(piece, normalizer_);
    TIDEMARK_TRY(encodeNormalized(normal.text, scratch, tokens));
    for (size_t i = first; i < tokens.size(); ++i) {
      Token& token = tokens[i];
      const uint32_t last = token.end > token.begin ? token.end - 1 : token.begin;
      token = {token.id, base + normal.begin[token.begin], base + normal.end[last]};
    }
  }
  return {};
}

Status BpeTokenizer::encodeNormalized(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const {
  for (const AddedTokenSpan& span : inNormalized_.split(text)) {
    const auto base = static_cast<uint32_t>(span.begin);
    if (span.id >= 0) {
      tokens.push_back({span.id, base, static_cast<uint32_t>(span.end)});
      continue;
    }
    const size_t first = tokens.size();
    TIDEMARK_TRY(encodeWords(text.substr(span.begin, span.end - span.begin), scratch, tokens));
    for (size_t i = first; i < tokens.size(); ++i) tokens[i].begin += base, tokens[i].end += base;
  }
  return {};
}

Status BpeTokenizer::encodeWords(std::string_view text, Scratch& scratch, std::vector<Token>& tokens) const {
  scratch.arena.clear();
  TIDEMARK_TRY(preTokenizer_.split(text, scratch.match, scratch.arena, scratch.words));
  for (const Word& word : scratch.words) encodeWord(word, scratch, tokens);
  return {};
}

void BpeTokenizer::encodeWord(const Word& word, Scratch& scratch, std::vector<Token>& tokens) const {
  const std::vector<Token>* encoded = nullptr;
  if (word.text.size() <= kMaxCachedWord) {
    auto cached = scratch.cache.find(word.text);
    if (cached == scratch.cache.end()) {
      if (scratch.cache.size() >= kMaxCachedWords) scratch.cache.clear();
      std::vector<Token> fresh;
      model_.encode(word.text, fresh);
      cached = scratch.cache.emplace(std::string(word.text), std::move(fresh)).first;
    }
    encoded = &cached->second;
  } else {
    scratch.wordTokens.clear();
    model_.encode(word.text, scratch.wordTokens);
    encoded = &scratch.wordTokens;
  }
  for (const Token& token : *encoded) {
    const auto place = [&](uint32_t offset) {
      return static_cast<uint32_t>(std::max(word.floor, word.base + static_cast<int64_t>(offset)));
    };
    tokens.push_back({token.id, place(token.begin), place(token.end)});
  }
}

const std::string& BpeTokenizer::formOf(TokenId id) const {
  const auto found = added_.find(id);
  return found == added_.end() ? model_.tokenOf(id) : found->second.form;
}

void BpeTokenizer::appendBytes(TokenId id, std::string& bytes) const {
  const std::string& token = formOf(id);
  bytes += standInsToBytes(token).value_or(token);
}

std::string BpeTokenizer::decode(const std::vector<TokenId>& ids, bool skipSpecialTokens) const {
  if (model_.alphabet() == Alphabet::Characters) {
    std::vector<std::string_view> tokens;
    for (const TokenId id : ids)
      if (!skipSpecialTokens || !isSpecial(id)) tokens.push_back(formOf(id));
    return joinWithBytes(tokens);
  }
  std::string bytes;
  for (const TokenId id : ids)
    if (!skipSpecialTokens || !isSpecial(id)) appendBytes(id, bytes);
  return lossyUtf8(bytes);
}

std::string BpeTokenizer::tokenText(TokenId id) const {
  if (const auto found = added_.find(id); found != added_.end()) return found->second.content;
  if (model_.alphabet() == Alphabet::Characters) return marksToSpaces(model_.tokenOf(id));  // "<0xE2>" stays as it is
  std::string bytes;
  appendBytes(id, bytes);
  return lossyUtf8(bytes);
}

bool BpeTokenizer::isSpecial(TokenId id) const {
  const auto found = added_.find(id);
  return found != added_.end() && found->second.isSpecial;
}

}  // namespace tidemark::text
