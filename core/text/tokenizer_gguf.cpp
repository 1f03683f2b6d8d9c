// tokenizer.ggml.* metadata of a GGUF file. Format: ggml's docs/gguf.md; names of pre-tokenizers: llama.cpp.
#include <algorithm>
#include <optional>

#include "core/text/gemma_turns.h"
#include "core/text/tokenizer_files.h"
#include "core/weights/gguf.h"

namespace tidemark::text {
namespace {

using weights::GgufFile;

// tokenizer.ggml.token_type
constexpr int64_t kControl = 3;
constexpr int64_t kUserDefined = 4;

struct KnownPreTokenizer {
  std::vector<std::string_view> names;
  std::string_view pattern;            // of the words
  bool splitsDigits = false;           // every digit is a piece of its own first
  bool normalizes = false;             // NFC
  bool ignoresMerges = false;
};

// The patterns are those of the models' own tokenizer.json files.
const std::vector<KnownPreTokenizer>& knownPreTokenizers() {
  static const std::vector<KnownPreTokenizer> known{
      {{"gpt-2", "phi-2", "olmo"}, kByteLevelPattern},
      {{"smollm", "starcoder", "refact"}, kByteLevelPattern, true},
      {{"llama-bpe", "llama3", "llama-v3"},
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       false, false, true},
      {{"qwen2", "deepseek-r1-qwen"},
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       false, true},
      {{"tekken"},
       R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       false, false, true},
  };
  return known;
}

Result<const KnownPreTokenizer*> findPreTokenizer(const GgufFile& file) {
  if (!file.has("tokenizer.ggml.pre"))
    return Error{ErrorCode::Unsupported, "tokenizer.ggml.pre", "is missing, so how words are cut is not known"};
  TIDEMARK_ASSIGN(const std::string name, file.string("tokenizer.ggml.pre"));
  for (const KnownPreTokenizer& known : knownPreTokenizers())
    if (std::find(known.names.begin(), known.names.end(), name) != known.names.end()) return &known;
  return Error{ErrorCode::Unsupported, "tokenizer.ggml.pre", "the pre-tokenizer \"" + name + "\" is not supported"};
}

Status setUpWords(const KnownPreTokenizer& known, TokenizerParts& parts) {
  if (known.normalizes) parts.normalizer.push_back(NormalizerStep::Nfc);
  parts.bpe.ignoresMerges = known.ignoresMerges;
  if (known.splitsDigits) {
    TIDEMARK_ASSIGN(Pattern digit, Pattern::compile(R"(\p{N})"));
    parts.preTokenizer.add({std::move(digit), SplitBehavior::Isolated, false});
  }
  TIDEMARK_ASSIGN(Pattern words, Pattern::compile(known.pattern));
  parts.preTokenizer.add({std::move(words), SplitBehavior::Isolated, false});
  return {};
}

// llama.cpp's converter writes SentencePiece's runs of space marks as spaces.
std::string spelled(const std::string& token, Alphabet alphabet) {
  if (alphabet == Alphabet::Bytes || token.find_first_not_of(' ') != std::string::npos) return token;
  std::string marks;
  for (size_t i = 0; i < token.size(); ++i) marks += kSpaceMark;
  return marks;
}

Status readVocabulary(const GgufFile& file, TokenizerParts& parts) {
  TIDEMARK_ASSIGN(const auto tokens, file.strings("tokenizer.ggml.tokens"));
  std::vector<int64_t> types;
  if (file.has("tokenizer.ggml.token_type")) {
    TIDEMARK_ASSIGN(types, file.integers("tokenizer.ggml.token_type"));
    if (types.size() != tokens.size())
      return Error{ErrorCode::InvalidInput, "tokenizer.ggml.token_type", "has " + std::to_string(types.size()) +
                   " entries for " + std::to_string(tokens.size()) + " tokens"};
  }
  for (size_t id = 0; id < tokens.size(); ++id) {
    const std::string token = spelled(tokens[id], parts.bpe.alphabet);
    parts.bpe.vocabulary.emplace_back(token, static_cast<TokenId>(id));
    const int64_t type = types.empty() ? 1 : types[id];
    if (type != kControl && type != kUserDefined) continue;
    AddedToken added;
    added.id = static_cast<TokenId>(id);
    added.content = token;
    added.isSpecial = type == kControl;
    parts.addedTokens.push_back(std::move(added));
  }
  return {};
}

Status readMerges(const GgufFile& file, BpeSource& bpe) {
  TIDEMARK_ASSIGN(const auto merges, file.strings("tokenizer.ggml.merges"));
  for (const std::string& merge : merges) {
    const size_t space = merge.find(' ', 1);  // stand-ins hold no space; a first one would be part of the token
    if (space == std::string::npos)
      return Error{ErrorCode::InvalidInput, "tokenizer.ggml.merges", "\"" + merge + "\" is not a pair"};
    bpe.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  return {};
}

Result<std::string> namedToken(const GgufFile& file, const std::string& key, const BpeSource& bpe) {
  if (!file.has(key)) return std::string();
  TIDEMARK_ASSIGN(const int64_t id, file.integer(key));
  if (id < 0 || id >= static_cast<int64_t>(bpe.vocabulary.size()))
    return Error{ErrorCode::InvalidInput, key, std::to_string(id) + " is not the id of a token"};
  return bpe.vocabulary[static_cast<size_t>(id)].first;
}

// add_bos_token and add_eos_token put the token around a text, as a post-processor does.
Status readEnds(const GgufFile& file, TokenizerParts& parts) {
  TIDEMARK_ASSIGN(parts.bosToken, namedToken(file, "tokenizer.ggml.bos_token_id", parts.bpe));
  TIDEMARK_ASSIGN(parts.eosToken, namedToken(file, "tokenizer.ggml.eos_token_id", parts.bpe));
  if (file.has("tokenizer.ggml.eot_token_id")) {
    TIDEMARK_TRY(namedToken(file, "tokenizer.ggml.eot_token_id", parts.bpe));
    TIDEMARK_ASSIGN(const int64_t id, file.integer("tokenizer.ggml.eot_token_id"));
    parts.endIds.push_back(static_cast<TokenId>(id));
  }
  for (const std::string end : {"bos", "eos"}) {
    const std::string key = "tokenizer.ggml.add_" + end + "_token";
    if (!file.has(key)) continue;
    TIDEMARK_ASSIGN(const bool isAdded, file.boolean(key));
    if (!isAdded) continue;
    TIDEMARK_ASSIGN(const int64_t id, file.integer("tokenizer.ggml." + end + "_token_id"));
    (end == "bos" ? parts.idsBefore : parts.idsAfter).push_back(static_cast<TokenId>(id));
  }
  return {};
}

// "llama": a SentencePiece model. Those of Llama 2 and its kin put a space in front of a text, Gemma's do not.
Status setUpSentencePiece(const GgufFile& file, TokenizerParts& parts) {
  const std::string key = "tokenizer.ggml.add_space_prefix";
  bool addsSpace = true;  // llama.cpp's default
  if (file.has(key)) {
    TIDEMARK_ASSIGN(addsSpace, file.boolean(key));
  }
  if (addsSpace)
    return Error{ErrorCode::Unsupported, key, "SentencePiece tokenizers that put a space in front of a text (Llama 2) are not supported"};
  parts.bpe.alphabet = Alphabet::Characters;
  parts.bpe.mergesByVocabulary = parts.bpe.fusesUnknown = true;
  parts.normalizer = {NormalizerStep::SpaceToMark};
  TIDEMARK_TRY(readVocabulary(file, parts));
  TIDEMARK_ASSIGN(parts.bpe.unknownToken, namedToken(file, "tokenizer.ggml.unknown_token_id", parts.bpe));
  return {};
}

Status setUpByteLevel(const GgufFile& file, TokenizerParts& parts) {
  TIDEMARK_ASSIGN(const KnownPreTokenizer* known, findPreTokenizer(file));
  TIDEMARK_TRY(setUpWords(*known, parts));
  TIDEMARK_TRY(readVocabulary(file, parts));
  return readMerges(file, parts.bpe);
}

Status readParts(const GgufFile& file, TokenizerParts& parts) {
  if (!file.has("tokenizer.ggml.model")) return Error{ErrorCode::Unsupported, "", "holds no tokenizer"};
  TIDEMARK_ASSIGN(const std::string model, file.string("tokenizer.ggml.model"));
  if (model != "gpt2" && model != "llama")
    return Error{ErrorCode::Unsupported, "tokenizer.ggml.model", "the tokenizer \"" + model +
                 "\" is not supported; \"gpt2\" (byte-level BPE) and \"llama\" (SentencePiece BPE) are"};
  if (model == "llama") TIDEMARK_TRY(setUpSentencePiece(file, parts));
  else TIDEMARK_TRY(setUpByteLevel(file, parts));
  TIDEMARK_TRY(readEnds(file, parts));
  if (file.has("tokenizer.chat_template")) {
    TIDEMARK_ASSIGN(parts.chatTemplate, file.string("tokenizer.chat_template"));
  }
  addGemmaTurns(parts);
  return {};
}

}  // namespace

Result<TokenizerParts> readTokenizerGguf(const std::filesystem::path& path) {
  TIDEMARK_ASSIGN(const GgufFile file, GgufFile::open(path));
  TokenizerParts parts;
  const Status read = readParts(file, parts);
  file.dropPages();
  if (!read.ok()) return read.error().within(path.string());
  return parts;
}

}  // namespace tidemark::text
