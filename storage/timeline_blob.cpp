#include "storage/timeline_blob.h"

#include <array>

namespace tidemark::storage {
namespace {

using run::MemoryPoint;

constexpr char kVersion = 1;

// LEB128: seven bits a byte, least significant first.
void putUnsigned(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}
// Small magnitudes stay short: 0, -1, 1, -2 become 0, 1, 2, 3.
void putSigned(std::string& out, uint64_t value) { putUnsigned(out, (value << 1) ^ (0 - (value >> 63))); }

class BlobReader {
 public:
  explicit BlobReader(std::string_view bytes) : bytes_(bytes) {}
  uint64_t getUnsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    isBroken_ = true;
    return 0;
  }
  uint64_t getSigned() {
    const uint64_t value = getUnsigned();
    return (value >> 1) ^ (0 - (value & 1));
  }
  std::string getText() {
    const uint64_t size = getUnsigned();
    if (size > bytes_.size()) isBroken_ = true;
    if (isBroken_) return "";
    const std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  bool isBroken() const { return isBroken_; }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool isBroken_ = false;
};

constexpr std::array kColumns{&MemoryPoint::operatorIndex, &MemoryPoint::activation, &MemoryPoint::staticCache,
                              &MemoryPoint::dynamicCache,  &MemoryPoint::workspace,  &MemoryPoint::trainable,
                              &MemoryPoint::resize};

size_t reasonIndex(std::vector<std::string>& reasons, const std::string& reason) {
  for (size_t i = 0; i < reasons.size(); ++i)
    if (reasons[i] == reason) return i;
  reasons.push_back(reason);
  return reasons.size() - 1;
}

Error broken() { return {ErrorCode::InvalidInput, "timeline", "is damaged in the database"}; }

}  // namespace

std::string encodePoints(const std::vector<MemoryPoint>& points) {
  std::vector<std::string> reasons;
  std::string flags;
  for (const MemoryPoint& point : points)
    putUnsigned(flags, 2 * reasonIndex(reasons, point.reason) + (point.isForward ? 1 : 0));
  std::string out(1, kVersion);
  putUnsigned(out, points.size());
  putUnsigned(out, reasons.size());
  for (const std::string& reason : reasons) {
    putUnsigned(out, reason.size());
    out += reason;
  }
  out += flags;
  for (const auto column : kColumns) {
    uint64_t before = 0;  // differences wrap around, so that every value survives
    for (const MemoryPoint& point : points) {
      const auto value = static_cast<uint64_t>(point.*column);
      putSigned(out, value - before);
      before = value;
    }
  }
  return out;
}

Result<std::vector<MemoryPoint>> decodePoints(std::string_view blob) {
  if (blob.empty() || blob.front() != kVersion) return broken();
  BlobReader reader(blob.substr(1));
  const uint64_t count = reader.getUnsigned(), reasonCount = reader.getUnsigned();
  if (count > reader.left() || reasonCount > reader.left()) return broken();  // each takes a byte at least
  std::vector<std::string> reasons(reasonCount);
  for (std::string& reason : reasons) reason = reader.getText();
  std::vector<MemoryPoint> points(count);
  for (MemoryPoint& point : points) {
    const uint64_t flags = reader.getUnsigned();
    if (reader.isBroken() || flags / 2 >= reasonCount) return broken();
    point.isForward = flags % 2 == 1;
    point.reason = reasons[flags / 2];
  }
  for (const auto column : kColumns) {
    uint64_t value = 0;
    for (MemoryPoint& point : points) {
      value += reader.getSigned();
      point.*column = static_cast<int64_t>(value);
    }
  }
  if (reader.isBroken() || reader.left() != 0) return broken();
  return points;
}

}  // namespace tidemark::storage
