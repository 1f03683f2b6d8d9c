#include "core/text/tokenizer.h"

#include <fstream>

#include "core/text/tokenizer_files.h"

namespace tidemark::text {
namespace fs = std::filesystem;
namespace {

bool isGguf(const fs::path& path) {
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "GGUF";
}

Result<TokenizerParts> readParts(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    const fs::path file = path / "tokenizer.json";
    if (!fs::exists(file, failure))
      return Error{ErrorCode::NotFound, path.string(), "holds no tokenizer.json; only BPE tokenizers in that "
                   "format, or in a GGUF file, can be read"};
    return readTokenizerJson(file);
  }
  if (!fs::exists(path, failure)) return Error{ErrorCode::NotFound, path.string(), "does not exist"};
  return isGguf(path) ? readTokenizerGguf(path) : readTokenizerJson(path);
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::open(const fs::path& path) {
  auto parts = readParts(path);
  if (!parts.ok()) return parts.error();
  auto tokenizer = BpeTokenizer::build(std::move(parts).value());
  if (!tokenizer.ok()) return tokenizer.error().within(path.string());
  return tokenizer;
}

}  // namespace tidemark::text
