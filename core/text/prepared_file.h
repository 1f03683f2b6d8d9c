// The layout of a prepared dataset on disk, and its writer. Format document: core/text/FORMAT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/label_mask.h"

namespace tidemark::text {

inline constexpr char kPreparedMagic[8] = {'T', 'M', 'K', 'D', 'A', 'T', 'A', '\0'};
inline constexpr uint32_t kPreparedVersion = 1;

struct PreparedHeader {
  char magic[8];
  uint32_t version;
  uint32_t headerBytes;
  uint64_t vocabularySize;
  uint64_t trainRows, evalRows;
  uint64_t tokens;
  uint64_t indexOffset, idsOffset, masksOffset, fileBytes;
  uint8_t sha256[32];
};
static_assert(sizeof(PreparedHeader) == 112);

// Writes the file whole or not at all. Returns the content hash in hexadecimal.
Result<std::string> writePreparedFile(const std::filesystem::path& target, const std::vector<LabelledRow>& train,
                                      const std::vector<LabelledRow>& eval, int64_t vocabularySize);

}  // namespace tidemark::text
