// A small real model with a tokenizer and chat template that fit it, put together from golden files.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/json.h"

namespace tidemark::tests {

// The same tokenizer without the entries that the small model has no embedding for.
inline std::string fittingTokenizer(const std::string& text) {
  constexpr int kVocabulary = 320;  // config.json of tests/golden/weights/tiny-llama
  Json json = Json::parse(text);
  const auto isKept = [](const Json& id) { return id.get<int>() < kVocabulary; };
  Json vocabulary = Json::object(), merges = Json::array(), added = Json::array();
  for (const auto& [token, id] : json["model"]["vocab"].items())
    if (isKept(id)) vocabulary[token] = id;
  for (const Json& merge : json["model"]["merges"]) {
    const bool isPair = merge.is_array();
    const std::string pair = isPair ? merge[0].get<std::string>() + " " + merge[1].get<std::string>() : merge.get<std::string>();
    const size_t space = pair.find(' ');
    if (vocabulary.contains(pair.substr(0, space) + pair.substr(space + 1))) merges.push_back(merge);
  }
  for (const Json& token : json["added_tokens"])
    if (isKept(token["id"])) added.push_back(token);
  json["model"]["vocab"] = vocabulary;
  json["model"]["merges"] = merges;
  json["added_tokens"] = added;
  return json.dump();
}

// Makes `folder`: 320 embeddings, two layers.
inline void makeSmallModel(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::copy(fs::path(TIDEMARK_GOLDEN) / "weights" / "tiny-llama", folder);
  const fs::path chatModel = fs::path(TIDEMARK_GOLDEN) / "text" / "chat_model";
  fs::copy_file(chatModel / "tokenizer_config.json", folder / "tokenizer_config.json");
  std::ifstream tokenizer(chatModel / "tokenizer.json", std::ios::binary);
  std::ofstream(folder / "tokenizer.json", std::ios::binary)
      << fittingTokenizer(std::string(std::istreambuf_iterator<char>(tokenizer), {}));
}

}  // namespace tidemark::tests
