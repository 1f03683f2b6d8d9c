// Files: whole reads with a size cap, mapped reads, and writes that are complete or not there at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tidemark {

// The whole file. Refuses files larger than maxBytes.
Result<std::string> readFile(const std::filesystem::path& path, uint64_t maxBytes = 64ull << 20);

// Writes a sibling temporary file, fsyncs it, renames it over `path` and fsyncs the folder.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

Status syncFile(const std::filesystem::path& path);
Status syncFolder(const std::filesystem::path& folder);

// Renames a finished, fsynced temporary folder to its final name and fsyncs the parent. An existing target is refused.
Status publishFolder(const std::filesystem::path& temporary, const std::filesystem::path& target);

// The same where `target` exists: both change places in one step, then the former folder is removed.
Status replaceFolder(const std::filesystem::path& temporary, const std::filesystem::path& target);

// A file mapped read-only. Move-only; unmapped on destruction.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Tells the kernel that the pages are not needed any more, so that they leave the resident set.
  void dropPages() const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tidemark
