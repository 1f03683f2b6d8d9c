// Turns text into token ids and back, exactly as Hugging Face's `tokenizers` does for byte-level BPE models and for
// SentencePiece BPE models with byte fallback (Gemma).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tidemark::text {

using TokenId = int32_t;

struct Token {
  TokenId id = 0;
  uint32_t begin = 0;  // byte offsets into the encoded text, [begin, end)
  uint32_t end = 0;
};

enum class SpecialTokens { Parse, AddAndParse };  // AddAndParse also runs the post-processor (BOS, EOS)

class Tokenizer {
 public:
  // `path`: tokenizer.json, a directory that holds one, or a GGUF file with tokenizer.ggml.* metadata ("gpt2", and
  // "llama" without a space put in front).
  static Result<std::shared_ptr<const Tokenizer>> open(const std::filesystem::path& path);
  virtual ~Tokenizer() = default;

  // Thread-safe. Special tokens written out in the text ("<|im_end|>") become their ids, as in `tokenizers`.
  // Bytes that are not valid UTF-8 are read as U+FFFD, one for each maximal subpart, and keep their own offsets.
  // The only error is a pattern that exceeds its match limit on this text.
  virtual Result<std::vector<Token>> encode(std::string_view text, SpecialTokens special) const = 0;
  // Bytes that are not valid UTF-8 become U+FFFD.
  virtual std::string decode(const std::vector<TokenId>& ids, bool skipSpecialTokens) const = 0;

  virtual int64_t vocabularySize() const = 0;
  virtual std::string tokenText(TokenId id) const = 0;  // for people, e.g. " the" or "<|im_end|>"
  virtual bool isSpecial(TokenId id) const = 0;
  virtual TokenId bosId() const = 0;  // -1 where the model has none
  virtual TokenId eosId() const = 0;
  virtual std::vector<TokenId> endIds() const = 0;  // all that end an answer: eosId(), and the end of a turn where files name it
  virtual std::string chatTemplate() const = 0;  // Jinja source; empty where the model has none
  virtual bool isTemplateBuiltIn() const = 0;    // the model's files hold none; chatTemplate() is its family's
};

}  // namespace tidemark::text
