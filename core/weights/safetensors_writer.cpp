#include "core/weights/safetensors_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/tensor_type.h"
#include "core/weights/utf8.h"

namespace tidemark::weights {
namespace {

// The file under its temporary name: removed again unless it was published.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : target_(target), path_(target.string() + ".tmp-" + std::to_string(::getpid())),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!isPublished_) ::unlink(path_.c_str());
  }

  bool isOpen() const { return fd_ >= 0; }
  Error ioError(const std::string& what) const { return {ErrorCode::Io, target_.string(), what + ": " + std::strerror(errno)}; }

  Status write(const void* data, size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t n = ::write(fd_, at, std::min(bytes, size_t{1} << 30));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return ioError("cannot write");
      at += n;
      bytes -= static_cast<size_t>(n);
    }
    return {};
  }

  Status publish() {
    if (::fsync(fd_) != 0) return ioError("fsync failed");
    if (::rename(path_.c_str(), target_.c_str()) != 0) return ioError("cannot rename the finished file");
    isPublished_ = true;
    return syncFolder(target_.has_parent_path() ? target_.parent_path() : std::filesystem::path("."));
  }

 private:
  std::filesystem::path target_, path_;
  int fd_;
  bool isPublished_ = false;
};

Status checkTensor(const TensorToWrite& tensor, const std::string& subject) {
  const auto refuse = [&](const std::string& detail) {
    return Error{ErrorCode::InvalidInput, subject, "tensor " + tensor.name + ": " + detail};
  };
  if (tensor.name.empty() || tensor.name == "__metadata__" || !isUtf8(tensor.name)) return refuse("is not a usable name");
  auto bytes = storedBytes(TensorType::F32, tensor.shape);
  if (!bytes.ok()) return refuse(bytes.error().detail);
  if (*bytes != tensor.values.size_bytes())
    return refuse("has " + std::to_string(tensor.values.size()) + " values, but its shape takes " + std::to_string(*bytes / 4));
  return {};
}

Result<std::string> makeHeader(std::span<const TensorToWrite> tensors, const std::map<std::string, std::string>& metadata,
                               const std::string& subject) {
  Json header = Json::object();
  for (const auto& [key, value] : metadata)
    if (!isUtf8(key) || !isUtf8(value)) return Error{ErrorCode::InvalidInput, subject, "__metadata__: is not valid UTF-8"};
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    TIDEMARK_TRY(checkTensor(tensor, subject));
    if (header.contains(tensor.name)) return Error{ErrorCode::InvalidInput, subject, "tensor " + tensor.name + ": is given twice"};
    const uint64_t end = offset + tensor.values.size_bytes();
    header[tensor.name] = {{"dtype", "F32"}, {"shape", Json::array()}, {"data_offsets", {offset, end}}};
    for (const int64_t dimension : tensor.shape) header[tensor.name]["shape"].push_back(dimension);
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

Status writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                        const std::map<std::string, std::string>& metadata) {
  TIDEMARK_ASSIGN(const std::string header, makeHeader(tensors, metadata, path.string()));
  TemporaryFile file(path);
  if (!file.isOpen()) return file.ioError("cannot create");
  const uint64_t length = header.size();
  TIDEMARK_TRY(file.write(&length, sizeof length));
  TIDEMARK_TRY(file.write(header.data(), header.size()));
  for (const TensorToWrite& tensor : tensors) TIDEMARK_TRY(file.write(tensor.values.data(), tensor.values.size_bytes()));
  return file.publish();
}

}  // namespace tidemark::weights
