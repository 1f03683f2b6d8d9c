// Readers that turn a model's files into the parts of a tokenizer. Each refuses by name what it does not know.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/bpe_tokenizer.h"

namespace tidemark::text {

// tokenizer.json, with tokenizer_config.json and chat_template.jinja beside it where they are there.
Result<TokenizerParts> readTokenizerJson(const std::filesystem::path& file);
Result<TokenizerParts> readTokenizerGguf(const std::filesystem::path& file);

// Pieces of tokenizer.json, each in a file of its own.
Status readNormalizer(const Json& json, std::vector<NormalizerStep>& steps);
Status readPreTokenizer(const Json& json, Alphabet alphabet, PreTokenizer& preTokenizer);
Status readPostProcessor(const Json& json, TokenizerParts& parts);
Status checkDecoder(const Json& json, Alphabet alphabet);
// Adds bosToken, eosToken, endIds and chatTemplate from the files in `folder`.
Status readTokenizerConfig(const std::filesystem::path& folder, TokenizerParts& parts);

// GPT-2's regular expression, which ByteLevel splits by.
extern const std::string_view kByteLevelPattern;

}  // namespace tidemark::text
