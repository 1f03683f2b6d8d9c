// tokenizer.json as PyPI `tokenizers` writes it. Fields that only concern padding, truncation and offsets are not read.
#include "core/base/file.h"
#include "core/text/gemma_turns.h"
#include "core/text/tokenizer_files.h"

namespace tidemark::text {
namespace {

constexpr uint64_t kMaxBytes = 128ull << 20;

Error unsupported(const std::string& part, const std::string& what) {
  return {ErrorCode::Unsupported, part, what + " is not supported"};
}
Error malformed(const std::string& part, const std::string& what) { return {ErrorCode::InvalidInput, part, what}; }

// A string member, or `fallback` where it is absent or null.
std::string textOf(const Json& json, const char* key, const std::string& fallback = "") {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : fallback;
}
bool flagOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

Status readVocabulary(const Json& model, BpeSource& bpe) {
  const auto vocabulary = model.find("vocab");
  if (vocabulary == model.end() || !vocabulary->is_object()) return malformed("model", "has no vocab");
  bpe.vocabulary.reserve(vocabulary->size());
  for (const auto& [token, id] : vocabulary->items()) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() > INT32_MAX)
      return malformed("model.vocab", "the id of \"" + token + "\" is not a 32-bit number");
    bpe.vocabulary.emplace_back(token, id.get<TokenId>());
  }
  return {};
}

// A merge is ["a", "b"], or "a b" in older files.
Status readMerges(const Json& model, BpeSource& bpe) {
  const auto merges = model.find("merges");
  if (merges == model.end() || !merges->is_array()) return malformed("model", "has no merges");
  bpe.merges.reserve(merges->size());
  for (const Json& merge : *merges) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      bpe.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : "";
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      return malformed("model.merges", "entry " + std::to_string(bpe.merges.size() + 1) + " is not a pair");
    bpe.merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return {};
}

Status readModel(const Json& root, BpeSource& bpe) {
  const auto found = root.find("model");
  if (found == root.end() || !found->is_object()) return malformed("model", "is missing");
  const Json& model = *found;
  const std::string type = textOf(model, "type", model.contains("merges") ? "BPE" : "(none)");
  if (type != "BPE") return unsupported("model", "the type " + type);
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!textOf(model, key).empty()) return unsupported("model", key);
  bpe.alphabet = flagOf(model, "byte_fallback") ? Alphabet::Characters : Alphabet::Bytes;
  if (const auto dropout = model.find("dropout");
      dropout != model.end() && dropout->is_number() && dropout->get<double>() != 0)
    return unsupported("model", "dropout");
  bpe.unknownToken = textOf(model, "unk_token");
  bpe.fusesUnknown = flagOf(model, "fuse_unk");
  bpe.ignoresMerges = flagOf(model, "ignore_merges");
  TIDEMARK_TRY(readVocabulary(model, bpe));
  return readMerges(model, bpe);
}

Status readAddedTokens(const Json& root, std::vector<AddedToken>& tokens) {
  const auto found = root.find("added_tokens");
  if (found == root.end() || found->is_null()) return {};
  if (!found->is_array()) return malformed("added_tokens", "is not a list");
  for (const Json& json : *found) {
    if (!json.is_object() || !json.contains("id") || !json["id"].is_number_integer() ||
        json["id"].get<int64_t>() < 0 || json["id"].get<int64_t>() > (1 << 24) || !json.contains("content") ||
        !json["content"].is_string())
      return malformed("added_tokens", "entry " + std::to_string(tokens.size() + 1) + " has no id or no content");
    AddedToken token;
    token.id = json["id"].get<TokenId>();
    token.content = json["content"].get<std::string>();
    token.isSpecial = flagOf(json, "special");
    token.isNormalized = flagOf(json, "normalized");
    token.isSingleWord = flagOf(json, "single_word");
    token.stripsLeft = flagOf(json, "lstrip");
    token.stripsRight = flagOf(json, "rstrip");
    tokens.push_back(std::move(token));
  }
  return {};
}

const Json& partOf(const Json& root, const char* key) {
  static const Json none;
  const auto found = root.find(key);
  return found == root.end() ? none : *found;
}

Status readParts(const Json& root, TokenizerParts& parts) {
  if (!root.is_object()) return malformed("tokenizer", "is not a JSON object");
  TIDEMARK_TRY(readModel(root, parts.bpe));
  TIDEMARK_TRY(readAddedTokens(root, parts.addedTokens));
  TIDEMARK_TRY(readNormalizer(partOf(root, "normalizer"), parts.normalizer));
  TIDEMARK_TRY(readPreTokenizer(partOf(root, "pre_tokenizer"), parts.bpe.alphabet, parts.preTokenizer));
  TIDEMARK_TRY(readPostProcessor(partOf(root, "post_processor"), parts));
  return checkDecoder(partOf(root, "decoder"), parts.bpe.alphabet);
}

}  // namespace

Result<TokenizerParts> readTokenizerJson(const std::filesystem::path& file) {
  TIDEMARK_ASSIGN(const std::string text, readFile(file, kMaxBytes));
  TIDEMARK_ASSIGN(const Json root, parseJson(text, file.string(), {.maxBytes = kMaxBytes}));
  TokenizerParts parts;
  if (const Status read = readParts(root, parts); !read.ok()) return read.error().within(file.string());
  TIDEMARK_TRY(readTokenizerConfig(file.parent_path(), parts));
  addGemmaTurns(parts);
  return parts;
}

}  // namespace tidemark::text
