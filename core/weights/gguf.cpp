#include "core/weights/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "core/base/file.h"
#include "core/weights/gguf_cursor.h"
#include "core/weights/utf8.h"

namespace tidemark::weights {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read as it lies in the file");

constexpr uint64_t kMaxKeyBytes = 65535;  // the format's own limit
constexpr uint64_t kMaxNameBytes = 255;   // ggml itself stops at 63
constexpr uint64_t kMaxAlignment = 1 << 20;

// The numbers of GGUF's metadata value types.
enum ValueType : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64, kTypeCount };
constexpr std::array<uint64_t, kTypeCount> kScalarBytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::array<const char*, kTypeCount> kTypeNames{"uint8", "int8",   "uint16", "int16",  "uint32", "int32", "float32",
                                                         "bool",  "string", "array",  "uint64", "int64",  "float64"};

// A checked value, decoded when it is asked for.
struct Value {
  ValueType type = kU8;     // the elements' type if it is an array
  bool isArray = false;
  uint64_t count = 1;
  const std::byte* data = nullptr;

  std::string typeName() const { return isArray ? std::string("array of ") + kTypeNames[type] : kTypeNames[type]; }
};

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool isInteger(ValueType type) { return type != kF32 && type != kF64 && type != kBool && type != kString && type != kArray; }

// Nothing if an uint64 does not fit.
std::optional<int64_t> integerAt(ValueType type, const std::byte* at) {
  switch (type) {
    case kU8: return load<uint8_t>(at);
    case kI8: return load<int8_t>(at);
    case kU16: return load<uint16_t>(at);
    case kI16: return load<int16_t>(at);
    case kU32: return load<uint32_t>(at);
    case kI32: return load<int32_t>(at);
    case kI64: return load<int64_t>(at);
    case kU64: {
      const auto value = load<uint64_t>(at);
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default: return std::nullopt;
  }
}

Status checkBools(const GgufCursor& cursor, const Value& value, const std::string& field) {
  for (uint64_t i = 0; i < value.count; ++i)
    if (std::to_integer<int>(value.data[i]) > 1) return cursor.error(field, "holds a bool that is neither 0 nor 1");
  return {};
}

Status skipValues(GgufCursor& cursor, const Value& value, const std::string& field) {
  if (value.type == kString) {
    if (value.count > cursor.left() / sizeof(uint64_t))
      return cursor.error(field, "claims " + std::to_string(value.count) + " strings, more than the file can hold");
    for (uint64_t i = 0; i < value.count; ++i)
      if (auto text = cursor.text(field); !text.ok()) return text.error();
    return {};
  }
  const uint64_t size = kScalarBytes[value.type];
  if (value.count > cursor.left() / size)
    return cursor.error(field, "claims " + std::to_string(value.count) + " elements of " + kTypeNames[value.type] +
                                   ", more than the file can hold");
  if (value.type == kBool) TIDEMARK_TRY(checkBools(cursor, value, field));
  return cursor.skip(value.count * size, field);
}

Result<ValueType> readValueType(GgufCursor& cursor, const std::string& field) {
  TIDEMARK_ASSIGN(const uint32_t number, cursor.read<uint32_t>(field));
  if (number >= kTypeCount) return cursor.error(field, "has the unknown value type " + std::to_string(number));
  return static_cast<ValueType>(number);
}

Result<Value> readValue(GgufCursor& cursor, const std::string& field) {
  Value value;
  TIDEMARK_ASSIGN(value.type, readValueType(cursor, field));
  if (value.type == kArray) {
    value.isArray = true;
    TIDEMARK_ASSIGN(value.type, readValueType(cursor, field));
    if (value.type == kArray) return cursor.error(field, "is an array of arrays, which no model uses", ErrorCode::Unsupported);
    TIDEMARK_ASSIGN(value.count, cursor.read<uint64_t>(field));
  }
  value.data = cursor.here();
  TIDEMARK_TRY(skipValues(cursor, value, field));
  return value;
}

struct Counts {
  uint64_t tensors = 0, keys = 0;
};

Result<Counts> readPreamble(GgufCursor& cursor) {
  TIDEMARK_ASSIGN(const uint32_t magic, cursor.read<uint32_t>("magic"));
  if (magic != 0x46554747u) return Error{ErrorCode::InvalidInput, cursor.file(), "is not a GGUF file (it does not begin with \"GGUF\")"};
  TIDEMARK_ASSIGN(const uint32_t version, cursor.read<uint32_t>("version"));
  if (version != 0 && (version & 0xffffu) == 0)
    return cursor.error("version", "the file is big-endian; convert it to little-endian", ErrorCode::Unsupported);
  if (version != 2 && version != 3)
    return cursor.error("version", "is " + std::to_string(version) + "; Tidemark reads versions 2 and 3", ErrorCode::Unsupported);
  Counts counts;
  TIDEMARK_ASSIGN(counts.tensors, cursor.read<uint64_t>("tensor count"));
  TIDEMARK_ASSIGN(counts.keys, cursor.read<uint64_t>("metadata count"));
  // A tensor's entry takes at least 33 bytes (a name of one), a key's at least 14.
  if (counts.tensors > cursor.left() / 33)
    return cursor.error("tensor count", "is " + std::to_string(counts.tensors) + ", more than the file can hold");
  if (counts.keys > cursor.left() / 14)
    return cursor.error("metadata count", "is " + std::to_string(counts.keys) + ", more than the file can hold");
  return counts;
}

Result<std::string> readName(GgufCursor& cursor, const std::string& field, uint64_t most) {
  TIDEMARK_ASSIGN(const std::string_view name, cursor.text(field));
  if (name.empty()) return cursor.error(field, "is empty");
  if (name.size() > most)
    return cursor.error(field, "is " + std::to_string(name.size()) + " bytes long; at most " + std::to_string(most) + " are accepted");
  if (!isUtf8(name) || name.find('\0') != std::string_view::npos) return cursor.error(field, "is not valid UTF-8 text");
  return std::string(name);
}

Status readShape(GgufCursor& cursor, GgufTensor& tensor, const std::string& field) {
  TIDEMARK_ASSIGN(const uint32_t dimensions, cursor.read<uint32_t>(field));
  if (dimensions < 1 || dimensions > 4)
    return cursor.error(field, "has " + std::to_string(dimensions) + " dimensions; GGUF allows 1 to 4");
  for (uint32_t i = 0; i < dimensions; ++i) {
    TIDEMARK_ASSIGN(const uint64_t size, cursor.read<uint64_t>(field));
    if (size == 0 || size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return cursor.error(field, "dimension " + std::to_string(i) + " is " + std::to_string(size));
    tensor.shape.push_back(static_cast<int64_t>(size));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  return {};
}

Result<GgufTensor> readTensor(GgufCursor& cursor, uint64_t index, uint64_t alignment) {
  GgufTensor tensor;
  TIDEMARK_ASSIGN(tensor.name, readName(cursor, "name of tensor " + std::to_string(index), kMaxNameBytes));
  const std::string field = "tensor " + tensor.name;
  TIDEMARK_TRY(readShape(cursor, tensor, field));
  TIDEMARK_ASSIGN(const uint32_t number, cursor.read<uint32_t>(field));
  const auto type = ggufType(number);
  if (!type) {
    const std::string_view name = ggufTypeName(number);
    if (name.empty()) return cursor.error(field, "has the unknown tensor type " + std::to_string(number));
    return cursor.error(field, "is stored as " + std::string(name) + "; Tidemark reads " + std::string(kReadableGgufTypes),
                        ErrorCode::Unsupported);
  }
  tensor.type = *type;
  auto bytes = storedBytes(tensor.type, tensor.shape);
  if (!bytes.ok()) return cursor.error(field, bytes.error().detail);
  tensor.bytes = *bytes;
  TIDEMARK_ASSIGN(tensor.offset, cursor.read<uint64_t>(field));
  if (tensor.offset % alignment != 0)
    return cursor.error(field, "begins at " + std::to_string(tensor.offset) + ", not a multiple of the alignment " +
                                   std::to_string(alignment));
  return tensor;
}

}  // namespace

struct GgufFile::State {
  std::filesystem::path path;
  MappedFile file;
  std::vector<std::string> keys;
  std::unordered_map<std::string, Value> values;
  std::vector<GgufTensor> tensors;
  std::unordered_map<std::string, size_t> tensorIndex;

  Status readMetadata(GgufCursor& cursor, uint64_t count);
  Result<uint64_t> alignment(const GgufCursor& cursor) const;
  Status readTensors(GgufCursor& cursor, uint64_t count);
  Status placeTensors(const GgufCursor& cursor, uint64_t alignment);
  Result<Value> value(std::string_view key) const;
  Error wrongType(std::string_view key, const Value& value, const std::string& expected) const;
};

Status GgufFile::State::readMetadata(GgufCursor& cursor, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    TIDEMARK_ASSIGN(std::string key, readName(cursor, "metadata key " + std::to_string(i), kMaxKeyBytes));
    TIDEMARK_ASSIGN(const Value value, readValue(cursor, key));
    if (!values.emplace(key, value).second) return cursor.error(key, "is given twice");
    keys.push_back(std::move(key));
  }
  return {};
}

Result<uint64_t> GgufFile::State::alignment(const GgufCursor& cursor) const {
  const auto found = values.find("general.alignment");
  if (found == values.end()) return uint64_t{32};
  if (found->second.isArray || found->second.type != kU32)
    return cursor.error("general.alignment", "is a value of type " + found->second.typeName() + " instead of uint32");
  const uint64_t alignment = load<uint32_t>(found->second.data);
  if (alignment < 8 || alignment > kMaxAlignment || !std::has_single_bit(alignment))
    return cursor.error("general.alignment", "is " + std::to_string(alignment) + "; a power of two from 8 to " +
                                                 std::to_string(kMaxAlignment) + " is expected");
  return alignment;
}

Status GgufFile::State::readTensors(GgufCursor& cursor, uint64_t count) {
  TIDEMARK_ASSIGN(const uint64_t alignTo, alignment(cursor));
  for (uint64_t i = 0; i < count; ++i) {
    TIDEMARK_ASSIGN(GgufTensor tensor, readTensor(cursor, i, alignTo));
    if (!tensorIndex.emplace(tensor.name, tensors.size()).second) return cursor.error("tensor " + tensor.name, "is listed twice");
    tensors.push_back(std::move(tensor));
  }
  return placeTensors(cursor, alignTo);
}

// Offsets become absolute; every tensor must lie inside the file and none over another.
Status GgufFile::State::placeTensors(const GgufCursor& cursor, uint64_t alignTo) {
  const uint64_t size = file.bytes().size();
  const uint64_t begin = (cursor.offset() + alignTo - 1) / alignTo * alignTo;
  const uint64_t room = size > begin ? size - begin : 0;
  std::vector<const GgufTensor*> inOrder;
  for (GgufTensor& tensor : tensors) {
    if (tensor.offset > room || tensor.bytes > room - tensor.offset)
      return cursor.error("tensor " + tensor.name,
                          "its " + std::to_string(tensor.bytes) + " bytes at " + std::to_string(tensor.offset) +
                              " of the data reach beyond the end of the file; the download may be incomplete");
    tensor.offset += begin;
    inOrder.push_back(&tensor);
  }
  std::sort(inOrder.begin(), inOrder.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < inOrder.size(); ++i)
    if (inOrder[i - 1]->offset + inOrder[i - 1]->bytes > inOrder[i]->offset)
      return cursor.error("tensor " + inOrder[i]->name, "overlaps tensor " + inOrder[i - 1]->name);
  return {};
}

Result<Value> GgufFile::State::value(std::string_view key) const {
  const auto found = values.find(std::string(key));
  if (found == values.end()) return Error{ErrorCode::NotFound, path.string(), "has no metadata key " + std::string(key)};
  return found->second;
}

Error GgufFile::State::wrongType(std::string_view key, const Value& value, const std::string& expected) const {
  return {ErrorCode::InvalidInput, path.string(),
          std::string(key) + ": is a value of type " + value.typeName() + " instead of " + expected};
}

GgufFile::GgufFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  TIDEMARK_ASSIGN(state->file, MappedFile::open(path));
  GgufCursor cursor(state->file.bytes(), path.string());
  TIDEMARK_ASSIGN(const Counts counts, readPreamble(cursor));
  TIDEMARK_TRY(state->readMetadata(cursor, counts.keys));
  TIDEMARK_TRY(state->readTensors(cursor, counts.tensors));
  return GgufFile(std::move(state));
}

const std::filesystem::path& GgufFile::path() const { return state_->path; }
bool GgufFile::has(std::string_view key) const { return state_->values.contains(std::string(key)); }
std::vector<std::string> GgufFile::keys() const { return state_->keys; }

Result<std::string> GgufFile::string(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (value.isArray || value.type != kString) return state_->wrongType(key, value, "string");
  return std::string(reinterpret_cast<const char*>(value.data) + 8, static_cast<size_t>(load<uint64_t>(value.data)));
}

Result<int64_t> GgufFile::integer(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (value.isArray || !isInteger(value.type)) return state_->wrongType(key, value, "an integer");
  const auto number = integerAt(value.type, value.data);
  if (!number) return Error{ErrorCode::InvalidInput, state_->path.string(), std::string(key) + ": is beyond the range of int64"};
  return *number;
}

Result<double> GgufFile::number(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (!value.isArray && value.type == kF32) return static_cast<double>(load<float>(value.data));
  if (!value.isArray && value.type == kF64) return load<double>(value.data);
  if (value.isArray || !isInteger(value.type)) return state_->wrongType(key, value, "a number");
  TIDEMARK_ASSIGN(const int64_t whole, integer(key));
  return static_cast<double>(whole);
}

Result<bool> GgufFile::boolean(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (value.isArray || value.type != kBool) return state_->wrongType(key, value, "bool");
  return std::to_integer<int>(*value.data) == 1;
}

Result<std::vector<std::string>> GgufFile::strings(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (!value.isArray || value.type != kString) return state_->wrongType(key, value, "array of string");
  std::vector<std::string> texts;
  texts.reserve(value.count);
  const std::byte* at = value.data;
  for (uint64_t i = 0; i < value.count; ++i) {
    const auto length = static_cast<size_t>(load<uint64_t>(at));
    texts.emplace_back(reinterpret_cast<const char*>(at) + 8, length);
    at += 8 + length;
  }
  return texts;
}

Result<std::vector<int64_t>> GgufFile::integers(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (!value.isArray || !isInteger(value.type)) return state_->wrongType(key, value, "array of integers");
  std::vector<int64_t> numbers;
  numbers.reserve(value.count);
  for (uint64_t i = 0; i < value.count; ++i) {
    const auto number = integerAt(value.type, value.data + i * kScalarBytes[value.type]);
    if (!number)
      return Error{ErrorCode::InvalidInput, state_->path.string(),
                   std::string(key) + ": element " + std::to_string(i) + " is beyond the range of int64"};
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::vector<float>> GgufFile::floats(std::string_view key) const {
  TIDEMARK_ASSIGN(const Value value, state_->value(key));
  if (!value.isArray || value.type != kF32) return state_->wrongType(key, value, "array of float32");
  std::vector<float> numbers(value.count);
  if (value.count > 0) std::memcpy(numbers.data(), value.data, value.count * sizeof(float));
  return numbers;
}

const std::vector<GgufTensor>& GgufFile::tensors() const { return state_->tensors; }

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto found = state_->tensorIndex.find(std::string(name));
  return found == state_->tensorIndex.end() ? nullptr : &state_->tensors[found->second];
}

std::span<const std::byte> GgufFile::data(const GgufTensor& tensor) const {
  return state_->file.bytes().subspan(static_cast<size_t>(tensor.offset), static_cast<size_t>(tensor.bytes));
}

void GgufFile::dropPages() const { state_->file.dropPages(); }

}  // namespace tidemark::weights
