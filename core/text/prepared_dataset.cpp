#include "core/text/prepared_dataset.h"

#include <algorithm>
#include <cstring>

#include "core/text/prepared_file.h"
#include "core/base/sha256.h"

namespace tidemark::text {
namespace {

Error damaged(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::InvalidInput, path.string(), what + "; prepare the dataset again"};
}

// Sections follow one another without gaps, so the counts decide every offset. Counts are bounded by the file's size
// before they are multiplied.
Status checkHeader(const PreparedHeader& header, uint64_t fileBytes, const std::filesystem::path& path) {
  if (std::memcmp(header.magic, kPreparedMagic, sizeof header.magic) != 0)
    return damaged(path, "is not a prepared dataset");
  if (header.version != kPreparedVersion)
    return damaged(path, "has the format version " + std::to_string(header.version) + ", this program reads " +
                             std::to_string(kPreparedVersion));
  if (header.headerBytes != sizeof header || header.fileBytes != fileBytes) return damaged(path, "is incomplete");
  if (header.trainRows > fileBytes || header.evalRows > fileBytes || header.tokens > fileBytes)
    return damaged(path, "counts more rows or tokens than it can hold");
  const uint64_t rows = header.trainRows + header.evalRows;
  if (header.indexOffset != sizeof header || header.idsOffset != header.indexOffset + rows * 4 * sizeof(uint64_t) ||
      header.masksOffset != header.idsOffset + header.tokens * sizeof(TokenId) ||
      header.fileBytes != header.masksOffset + header.tokens)
    return damaged(path, "has sections that do not fit its size");
  return {};
}

}  // namespace

Result<PreparedDataset> PreparedDataset::open(const std::filesystem::path& path) {
  PreparedDataset dataset;
  TIDEMARK_ASSIGN(dataset.file_, MappedFile::open(path));
  const auto bytes = dataset.file_.bytes();
  PreparedHeader header;
  if (bytes.size() < sizeof header) return damaged(path, "is not a prepared dataset");
  std::memcpy(&header, bytes.data(), sizeof header);
  TIDEMARK_TRY(checkHeader(header, bytes.size(), path));
  const auto* index = reinterpret_cast<const Index*>(bytes.data() + header.indexOffset);
  dataset.train_ = {index, header.trainRows};
  dataset.eval_ = {index + header.trainRows, header.evalRows};
  dataset.ids_ = reinterpret_cast<const TokenId*>(bytes.data() + header.idsOffset);
  dataset.masks_ = reinterpret_cast<const uint8_t*>(bytes.data() + header.masksOffset);

  Sha256 hash;
  uint64_t next = 0;
  for (const auto rows : {dataset.train_, dataset.eval_}) {
    const uint64_t count = rows.size();
    hash.add(std::span<const uint64_t>(&count, 1));
    for (const Index& row : rows) {
      if (row.begin != next || row.length > header.tokens - next) return damaged(path, "has a row out of bounds");
      next += row.length;
      uint64_t targets = 0;
      for (uint64_t i = row.begin; i < next; ++i) {
        const TokenId id = dataset.ids_[i];
        if (id < 0 || static_cast<uint64_t>(id) >= header.vocabularySize || dataset.masks_[i] > 1)
          return damaged(path, "has a token that is not in the vocabulary");
        dataset.largestId_ = std::max(dataset.largestId_, id);
        targets += dataset.masks_[i];
      }
      if (targets != row.targets) return damaged(path, "has a row whose loss mask does not fit its count");
      hash.add(std::span<const uint64_t>(&row.length, 1));
      hash.add(std::span<const TokenId>(dataset.ids_ + row.begin, row.length));
      hash.add(std::span<const uint8_t>(dataset.masks_ + row.begin, row.length));
    }
  }
  const Sha256::Digest digest = hash.finish();
  if (next != header.tokens || std::memcmp(digest.data(), header.sha256, digest.size()) != 0)
    return damaged(path, "has been changed since it was written");
  dataset.hash_ = toHex(digest);
  dataset.file_.dropPages();
  return dataset;
}

int64_t PreparedDataset::trainCount() const { return static_cast<int64_t>(train_.size()); }
int64_t PreparedDataset::evalCount() const { return static_cast<int64_t>(eval_.size()); }
const std::string& PreparedDataset::contentHash() const { return hash_; }

PreparedDataset::Row PreparedDataset::train(int64_t index) const { return row(train_[static_cast<size_t>(index)]); }
PreparedDataset::Row PreparedDataset::eval(int64_t index) const { return row(eval_[static_cast<size_t>(index)]); }

Status checkVocabulary(TokenId largestId, int64_t vocabularySize) {
  if (largestId < vocabularySize) return {};
  return Error{ErrorCode::InvalidInput, "tokenizer",
               "gives the token id " + std::to_string(largestId) + ", and the model's vocabulary ends at " +
                   std::to_string(vocabularySize - 1) + ": it is not this model's tokenizer"};
}

PreparedDataset::Row PreparedDataset::row(const Index& index) const {
  return {{ids_ + index.begin, index.length}, {masks_ + index.begin, index.length},
          static_cast<int64_t>(index.targets), static_cast<int64_t>(index.line)};
}

}  // namespace tidemark::text
