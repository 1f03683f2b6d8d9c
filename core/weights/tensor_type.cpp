#include "core/weights/tensor_type.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tidemark::weights {
namespace {

// In the order of TensorType. Block sizes: ggml's block_q* structures.
constexpr std::array<TypeLayout, 11> kLayouts{{{"F32", 1, 4},
                                               {"F16", 1, 2},
                                               {"BF16", 1, 2},
                                               {"Q4_0", 32, 18},
                                               {"Q4_1", 32, 20},
                                               {"Q5_0", 32, 22},
                                               {"Q5_1", 32, 24},
                                               {"Q8_0", 32, 34},
                                               {"Q4_K", 256, 144},
                                               {"Q5_K", 256, 176},
                                               {"Q6_K", 256, 210}}};

// ggml's type numbers; the gaps were given up by ggml.
constexpr std::array<std::pair<uint32_t, std::string_view>, 34> kGgufNames{
    {{0, "F32"},      {1, "F16"},    {2, "Q4_0"},   {3, "Q4_1"},    {6, "Q5_0"},   {7, "Q5_1"},  {8, "Q8_0"},
     {9, "Q8_1"},     {10, "Q2_K"},  {11, "Q3_K"},  {12, "Q4_K"},   {13, "Q5_K"},  {14, "Q6_K"}, {15, "Q8_K"},
     {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},
     {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},   {26, "I32"},    {27, "I64"},   {28, "F64"},  {29, "IQ1_M"},
     {30, "BF16"},    {34, "TQ1_0"}, {35, "TQ2_0"}, {39, "MXFP4"},  {40, "NVFP4"}, {41, "Q1_0"}}};

constexpr std::array<std::string_view, 22> kSafetensorsNames{
    "BOOL", "F4", "F6_E2M3", "F6_E3M2", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
    "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "F64", "I64", "U64", "C64"};

std::optional<TensorType> named(std::string_view name) {
  for (size_t i = 0; i < kLayouts.size(); ++i)
    if (kLayouts[i].name == name) return static_cast<TensorType>(i);
  return std::nullopt;
}

}  // namespace

const TypeLayout& layoutOf(TensorType type) { return kLayouts[static_cast<size_t>(type)]; }

Result<uint64_t> storedBytes(TensorType type, std::span<const int64_t> shape) {
  const TypeLayout& layout = layoutOf(type);
  const int64_t columns = shape.empty() ? 1 : shape.back();
  if (columns % layout.blockElements != 0)
    return Error{ErrorCode::InvalidInput, "",
                 "has rows of " + std::to_string(columns) + " elements, not a multiple of the " +
                     std::to_string(layout.blockElements) + " in a block of " + std::string(layout.name)};
  // Zero first: a dimension of zero makes the product zero whatever the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return uint64_t{0};
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  uint64_t elements = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0 || elements > kMost / static_cast<uint64_t>(dimension))
      return Error{ErrorCode::InvalidInput, "", "has a shape whose number of elements overflows"};
    elements *= static_cast<uint64_t>(dimension);
  }
  const uint64_t blocks = elements / static_cast<uint64_t>(layout.blockElements);
  if (blocks > kMost / static_cast<uint64_t>(layout.blockBytes))
    return Error{ErrorCode::InvalidInput, "", "has a shape whose number of bytes overflows"};
  return blocks * static_cast<uint64_t>(layout.blockBytes);
}

std::optional<TensorType> safetensorsType(std::string_view name) {
  if (name != "F32" && name != "F16" && name != "BF16") return std::nullopt;
  return named(name);
}

bool isSafetensorsType(std::string_view name) {
  return std::find(kSafetensorsNames.begin(), kSafetensorsNames.end(), name) != kSafetensorsNames.end();
}

std::optional<TensorType> ggufType(uint32_t number) {
  const std::string_view name = ggufTypeName(number);
  return name.empty() ? std::nullopt : named(name);
}

std::string_view ggufTypeName(uint32_t number) {
  for (const auto& [known, name] : kGgufNames)
    if (known == number) return name;
  return {};
}

}  // namespace tidemark::weights
