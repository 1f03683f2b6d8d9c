// Normalisation in front of the model: NFC, NFD, NFKC, NFKD, lower case, and spaces as SentencePiece writes them, one
// after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/aligned_text.h"

namespace tidemark::text {

enum class NormalizerStep { Nfc, Nfd, Nfkc, Nfkd, Lowercase, SpaceToMark };

// SentencePiece's stand-in for a space: U+2581, LOWER ONE EIGHTH BLOCK.
inline constexpr std::string_view kSpaceMark = "\u2581";
std::string marksToSpaces(std::string_view text);

// `text` is valid UTF-8. Alignment is exact per normalisation cluster: all bytes of a cluster that was changed point to
// the whole cluster.
AlignedText normalize(std::string_view text, const std::vector<NormalizerStep>& steps);

// Whether normalize() would leave this text as it is, found without building anything. May say no needlessly.
bool isCertainlyNormal(std::string_view text, const std::vector<NormalizerStep>& steps);

}  // namespace tidemark::text
