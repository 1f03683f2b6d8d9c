#include "core/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tidemark {
namespace fs = std::filesystem;

namespace {

Error ioError(const fs::path& path, const std::string& what) {
  return {errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, path.string(), what + ": " + std::strerror(errno)};
}

// Closes a descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { if (fd_ >= 0) ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status writeAll(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ioError(path, "cannot write");
    content.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status syncPath(const fs::path& path, int flags) {
  const Descriptor fd(::open(path.c_str(), flags | O_CLOEXEC));
  if (fd.get() < 0) return ioError(path, "cannot open for fsync");
  if (::fsync(fd.get()) != 0) return ioError(path, "fsync failed");
  return {};
}

}  // namespace

Result<std::string> readFile(const fs::path& path, uint64_t maxBytes) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return ioError(path, "cannot open");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return ioError(path, "cannot stat");
  if (S_ISDIR(info.st_mode)) return Error{ErrorCode::InvalidInput, path.string(), "is a folder, not a file"};
  if (static_cast<uint64_t>(info.st_size) > maxBytes)
    return Error{ErrorCode::InvalidInput, path.string(),
                 "is larger than the " + std::to_string(maxBytes) + " bytes accepted here"};
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ioError(path, "cannot read");
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > maxBytes)
      return Error{ErrorCode::InvalidInput, path.string(), "grew beyond the size accepted here while it was read"};
  }
}

Status writeFileAtomically(const fs::path& path, std::string_view content) {
  const fs::path temporary = path.string() + ".tmp-" + std::to_string(::getpid());
  {
    const Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (fd.get() < 0) return ioError(path, "cannot be written");
    Status written = writeAll(fd.get(), content, path);
    if (written.ok() && ::fsync(fd.get()) != 0) written = ioError(path, "fsync failed");
    if (!written.ok()) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = ioError(path, "cannot rename the finished file");
    ::unlink(temporary.c_str());
    return error;
  }
  return syncFolder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

Status syncFile(const fs::path& path) { return syncPath(path, O_RDONLY); }
Status syncFolder(const fs::path& folder) { return syncPath(folder, O_RDONLY | O_DIRECTORY); }

Status publishFolder(const fs::path& temporary, const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(target, ignored)) return Error{ErrorCode::Io, target.string(), "exists already"};
  TIDEMARK_TRY(syncFolder(temporary));
  if (::rename(temporary.c_str(), target.c_str()) != 0) return ioError(target, "cannot rename the finished folder");
  return syncFolder(target.has_parent_path() ? target.parent_path() : fs::path("."));
}

Status replaceFolder(const fs::path& temporary, const fs::path& target) {
  TIDEMARK_TRY(syncFolder(temporary));
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    // Some network file systems cannot exchange: there the target is missing for a moment.
    if (errno != EINVAL && errno != ENOSYS) return ioError(target, "cannot replace the folder");
    const fs::path former = temporary.string() + ".former";
    if (::rename(target.c_str(), former.c_str()) != 0) return ioError(target, "cannot move the former folder away");
    if (::rename(temporary.c_str(), target.c_str()) != 0) return ioError(target, "cannot rename the finished folder");
    if (::rename(former.c_str(), temporary.c_str()) != 0) return ioError(former, "cannot move it out of the way");
  }
  TIDEMARK_TRY(syncFolder(target.has_parent_path() ? target.parent_path() : fs::path(".")));
  std::error_code failed;
  fs::remove_all(temporary, failed);
  if (failed) return Error{ErrorCode::Io, temporary.string(), failed.message()};
  return {};
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return ioError(path, "cannot open");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return ioError(path, "cannot stat");
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::InvalidInput, path.string(), "is not a regular file"};
  MappedFile file;
  file.size_ = static_cast<size_t>(info.st_size);
  if (file.size_ == 0) return file;
  void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) return ioError(path, "cannot map");
  file.data_ = static_cast<const std::byte*>(data);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::dropPages() const {
  if (data_) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

}  // namespace tidemark
