#include "core/text/prepared_file.h"

#include <bit>
#include <cstring>

#include "core/base/file.h"
#include "core/base/sha256.h"

namespace tidemark::text {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little endian and is mapped as it is");

template <typename T>
void append(std::string& content, std::span<const T> values) {
  if (!values.empty()) content.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

struct Writer {
  std::string index, ids, masks;
  Sha256 hash;
  uint64_t tokens = 0;

  void add(const std::vector<LabelledRow>& rows) {
    const uint64_t count = rows.size();
    hash.add(std::span<const uint64_t>(&count, 1));
    for (const LabelledRow& row : rows) {
      const uint64_t entry[4] = {tokens, row.ids.size(), static_cast<uint64_t>(row.targetCount()),
                                 static_cast<uint64_t>(row.line)};
      append(index, std::span<const uint64_t>(entry));
      append(ids, std::span<const TokenId>(row.ids));
      append(masks, std::span<const uint8_t>(row.hasLoss));
      hash.add(std::span<const uint64_t>(&entry[1], 1));
      hash.add(std::span<const TokenId>(row.ids));
      hash.add(std::span<const uint8_t>(row.hasLoss));
      tokens += row.ids.size();
    }
  }
};

}  // namespace

Result<std::string> writePreparedFile(const std::filesystem::path& target, const std::vector<LabelledRow>& train,
                                      const std::vector<LabelledRow>& eval, int64_t vocabularySize) {
  Writer writer;
  writer.add(train);
  writer.add(eval);
  PreparedHeader header{};
  std::memcpy(header.magic, kPreparedMagic, sizeof header.magic);
  header.version = kPreparedVersion;
  header.headerBytes = sizeof header;
  header.vocabularySize = static_cast<uint64_t>(vocabularySize);
  header.trainRows = train.size();
  header.evalRows = eval.size();
  header.tokens = writer.tokens;
  header.indexOffset = sizeof header;
  header.idsOffset = header.indexOffset + writer.index.size();
  header.masksOffset = header.idsOffset + writer.ids.size();
  header.fileBytes = header.masksOffset + writer.masks.size();
  const Sha256::Digest digest = writer.hash.finish();
  std::memcpy(header.sha256, digest.data(), digest.size());
  std::string content(reinterpret_cast<const char*>(&header), sizeof header);
  content.reserve(header.fileBytes);
  content += writer.index;
  content += writer.ids;
  content += writer.masks;
  TIDEMARK_TRY(writeFileAtomically(target, content));
  return toHex(digest);
}

}  // namespace tidemark::text
