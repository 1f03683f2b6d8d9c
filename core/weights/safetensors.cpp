#include "core/weights/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/base/json.h"
#include "core/weights/dequantize.h"
#include "core/weights/utf8.h"

namespace tidemark::weights {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is read as it lies in the file");

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference implementation
constexpr size_t kMaxTensors = 100'000;
constexpr auto kMostInt = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

// The header's text, its length checked against the file.
Result<std::string_view> headerText(std::span<const std::byte> file, const std::string& subject) {
  const auto refuse = [&](const std::string& detail) { return Error{ErrorCode::InvalidInput, subject, detail}; };
  if (file.size() < 8) return refuse("header length: the file is shorter than the 8 bytes of this field");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > kMaxHeaderBytes)
    return refuse("header length: is " + std::to_string(length) + " bytes; at most " + std::to_string(kMaxHeaderBytes) +
                  " are accepted. Is this a safetensors file?");
  if (length > file.size() - 8)
    return refuse("header length: is " + std::to_string(length) + " bytes, which reaches beyond the end of the file");
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + 8, static_cast<size_t>(length));
  if (!text.starts_with('{')) return refuse("header: does not begin with \"{\"");
  if (!isUtf8(text)) return refuse("header: is not valid UTF-8");
  return text;
}

Result<std::map<std::string, std::string>> readMetadata(const Json& json, const std::string& subject) {
  if (!json.is_object()) return Error{ErrorCode::InvalidInput, subject, "__metadata__: is not an object"};
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Error{ErrorCode::InvalidInput, subject, "__metadata__." + key + ": is not a string"};
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// One tensor's entry; the offsets are still relative to the data.
class EntryReader {
 public:
  EntryReader(const std::string& subject, const std::string& name) : subject_(subject), name_(name) {}

  Result<SafetensorsEntry> read(const Json& json) const {
    if (!json.is_object()) return refuse("is not an object");
    for (const auto& [key, value] : json.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets") return refuse("has the unknown field \"" + key + "\"");
    SafetensorsEntry entry;
    entry.name = name_;
    TIDEMARK_ASSIGN(entry.type, readType(json));
    TIDEMARK_ASSIGN(const std::vector<uint64_t> shape, readNumbers(json, "shape"));
    entry.shape.assign(shape.begin(), shape.end());
    TIDEMARK_ASSIGN(const std::vector<uint64_t> offsets, readNumbers(json, "data_offsets"));
    if (offsets.size() != 2) return refuse("data_offsets: has " + std::to_string(offsets.size()) + " numbers instead of 2");
    if (offsets[0] > offsets[1]) return refuse("data_offsets: ends before it begins");
    entry.offset = offsets[0];
    auto bytes = storedBytes(entry.type, entry.shape);
    if (!bytes.ok()) return refuse("shape: " + bytes.error().detail);
    entry.bytes = *bytes;
    if (entry.bytes != offsets[1] - offsets[0])
      return refuse("data_offsets: spans " + std::to_string(offsets[1] - offsets[0]) + " bytes, but shape and dtype take " +
                    std::to_string(entry.bytes));
    return entry;
  }

 private:
  Error refuse(const std::string& detail, ErrorCode code = ErrorCode::InvalidInput) const {
    return {code, subject_, "tensor " + name_ + ": " + detail};
  }

  Result<TensorType> readType(const Json& json) const {
    const auto field = json.find("dtype");
    if (field == json.end() || !field->is_string()) return refuse("dtype: is missing or not a string");
    const auto name = field->get<std::string>();
    if (const auto type = safetensorsType(name)) return *type;
    if (!isSafetensorsType(name)) return refuse("dtype: is the unknown type \"" + name + "\"");
    return refuse("is stored as " + name + "; Tidemark reads " + std::string(kReadableSafetensorsTypes), ErrorCode::Unsupported);
  }

  Result<std::vector<uint64_t>> readNumbers(const Json& json, const std::string& key) const {
    const auto field = json.find(key);
    if (field == json.end() || !field->is_array()) return refuse(key + ": is missing or not an array");
    std::vector<uint64_t> numbers;
    for (const Json& number : *field) {
      if (!number.is_number_unsigned() || number.get<uint64_t>() > kMostInt)
        return refuse(key + ": holds something that is not a whole number from 0 to 2^63 - 1");
      numbers.push_back(number.get<uint64_t>());
    }
    return numbers;
  }

  const std::string& subject_;
  const std::string& name_;
};

// The data must be covered exactly: no gap, no overlap, nothing after the last tensor.
Status checkCoverage(const std::vector<SafetensorsEntry>& inOrder, uint64_t dataBytes, const std::string& subject) {
  uint64_t expected = 0;
  for (const SafetensorsEntry& entry : inOrder) {
    if (entry.offset != expected)
      return Error{ErrorCode::InvalidInput, subject,
                   "tensor " + entry.name + ": data_offsets: begins at " + std::to_string(entry.offset) + " instead of " +
                       std::to_string(expected) + (entry.offset < expected ? " (overlap)" : " (gap)")};
    expected += entry.bytes;
    if (expected > dataBytes)
      return Error{ErrorCode::InvalidInput, subject,
                   "tensor " + entry.name + ": data_offsets: ends at " + std::to_string(expected) + ", but the data has only " +
                       std::to_string(dataBytes) + " bytes; the download may be incomplete"};
  }
  if (expected == dataBytes) return {};
  return Error{ErrorCode::InvalidInput, subject,
               "has " + std::to_string(dataBytes - expected) + " bytes after the last tensor"};
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile result;
  const std::string subject = path.string();
  result.path_ = path;
  TIDEMARK_ASSIGN(result.file_, MappedFile::open(path));
  TIDEMARK_ASSIGN(const std::string_view text, headerText(result.file_.bytes(), subject));
  TIDEMARK_ASSIGN(const Json header, parseJson(text, subject, {.maxBytes = kMaxHeaderBytes, .maxDepth = 8}));
  if (header.size() > kMaxTensors)
    return Error{ErrorCode::InvalidInput, subject, "header: lists more than " + std::to_string(kMaxTensors) + " tensors"};
  for (const auto& [name, json] : header.items()) {
    if (name == "__metadata__") {
      TIDEMARK_ASSIGN(result.metadata_, readMetadata(json, subject));
      continue;
    }
    TIDEMARK_ASSIGN(SafetensorsEntry entry, EntryReader(subject, name).read(json));
    result.tensors_.push_back(std::move(entry));
  }
  // An empty tensor may share its offset with the next one: it comes first.
  std::sort(result.tensors_.begin(), result.tensors_.end(), [](const auto& a, const auto& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
  });
  const uint64_t dataBegin = 8 + text.size();
  TIDEMARK_TRY(checkCoverage(result.tensors_, result.file_.bytes().size() - dataBegin, subject));
  for (size_t i = 0; i < result.tensors_.size(); ++i) {
    result.tensors_[i].offset += dataBegin;
    result.index_.emplace(result.tensors_[i].name, i);
  }
  return result;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

std::span<const std::byte> SafetensorsFile::data(const SafetensorsEntry& entry) const {
  return file_.bytes().subspan(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.bytes));
}

Result<LoadedSafetensors> readSafetensors(const std::filesystem::path& path) {
  TIDEMARK_ASSIGN(const SafetensorsFile file, SafetensorsFile::open(path));
  LoadedSafetensors loaded;
  loaded.metadata = file.metadata();
  for (const SafetensorsEntry& entry : file.tensors()) {
    LoadedTensor& tensor = loaded.tensors[entry.name];
    tensor.shape = entry.shape;
    tensor.values.resize(static_cast<size_t>(entry.bytes) / static_cast<size_t>(layoutOf(entry.type).blockBytes));
    dequantize(entry.type, file.data(entry).data(), static_cast<int64_t>(tensor.values.size()), tensor.values.data());
  }
  return loaded;
}

}  // namespace tidemark::weights
