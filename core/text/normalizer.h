// Unicode normalisation in front of the model: NFC, NFD, NFKC, NFKD and lower case, one after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/aligned_text.h"

namespace tidemark::text {

enum class NormalizerStep { Nfc, Nfd, Nfkc, Nfkd, Lowercase };

// `text` is valid UTF-8. Alignment is exact per normalisation cluster: all bytes of a cluster that was changed point to
// the whole cluster.
AlignedText normalize(std::string_view text, const std::vector<NormalizerStep>& steps);

// Whether normalize() would leave this text as it is, found without building anything. May say no needlessly.
bool isCertainlyNormal(std::string_view text, const std::vector<NormalizerStep>& steps);

}  // namespace tidemark::text
