// tokenizer_config.json, chat_template.jinja and generation_config.json: what transformers keeps beside a tokenizer.json.
#include "core/base/file.h"
#include "core/text/tokenizer_files.h"

namespace tidemark::text {
namespace fs = std::filesystem;
namespace {

// "<s>", or {"content": "<s>", ...}; null and absent: none.
std::string tokenOf(const Json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_object() && found->contains("content") && (*found)["content"].is_string())
    return (*found)["content"].get<std::string>();
  return "";
}

// One template, or a list of named ones, of which "default" is for chats.
std::string templateOf(const Json& config) {
  const auto found = config.find("chat_template");
  if (found == config.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) return "";
  for (const Json& named : *found)
    if (named.is_object() && named.value("name", Json()) == "default" && named.value("template", Json()).is_string())
      return named["template"].get<std::string>();
  return "";
}

// eos_token_id of generation_config.json: one id, or several of which one often ends a turn.
Status readEndIds(const fs::path& file, TokenizerParts& parts) {
  TIDEMARK_ASSIGN(const std::string text, readFile(file));
  TIDEMARK_ASSIGN(const Json config, parseJson(text, file.string()));
  const Json ids = config.is_object() ? config.value("eos_token_id", Json()) : Json();
  for (const Json& id : ids.is_array() ? ids : Json::array({ids}))
    if (id.is_number_integer() && id.get<int64_t>() >= 0 && id.get<int64_t>() < (1 << 24)) parts.endIds.push_back(id.get<TokenId>());
  return {};
}

}  // namespace

Status readTokenizerConfig(const fs::path& folder, TokenizerParts& parts) {
  std::error_code failure;
  if (const fs::path file = folder / "tokenizer_config.json"; fs::exists(file, failure)) {
    TIDEMARK_ASSIGN(const std::string text, readFile(file));
    TIDEMARK_ASSIGN(const Json config, parseJson(text, file.string()));
    if (!config.is_object()) return Error{ErrorCode::InvalidInput, file.string(), "is not a JSON object"};
    parts.bosToken = tokenOf(config, "bos_token");
    parts.eosToken = tokenOf(config, "eos_token");
    parts.chatTemplate = templateOf(config);
  }
  if (const fs::path file = folder / "generation_config.json"; fs::exists(file, failure)) TIDEMARK_TRY(readEndIds(file, parts));
  if (const fs::path file = folder / "chat_template.jinja"; fs::exists(file, failure)) {
    TIDEMARK_ASSIGN(parts.chatTemplate, readFile(file, 4 << 20));
  }
  return {};
}

}  // namespace tidemark::text
