// tokenizer_config.json and chat_template.jinja: what transformers keeps beside a tokenizer.json.
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
  if (const fs::path file = folder / "chat_template.jinja"; fs::exists(file, failure)) {
    TIDEMARK_ASSIGN(parts.chatTemplate, readFile(file, 4 << 20));
  }
  return {};
}

}  // namespace tidemark::text
