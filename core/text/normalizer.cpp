#include "core/text/normalizer.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cassert>

namespace tidemark::text {
namespace {

const icu::Normalizer2* unfiltered(NormalizerStep step) {
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* found = nullptr;
  switch (step) {
    case NormalizerStep::Nfc: found = icu::Normalizer2::getNFCInstance(code); break;
    case NormalizerStep::Nfd: found = icu::Normalizer2::getNFDInstance(code); break;
    case NormalizerStep::Nfkc: found = icu::Normalizer2::getNFKCInstance(code); break;
    case NormalizerStep::Nfkd: found = icu::Normalizer2::getNFKDInstance(code); break;
    case NormalizerStep::Lowercase:
    case NormalizerStep::SpaceToMark: break;
  }
  assert(found);  // the data of all four is built into libicuuc
  return found;
}

// `tokenizers` normalises with the tables of Unicode 11 (its crate unicode-normalization-alignments): characters that
// came later pass through it unchanged and so do they here.
const icu::Normalizer2* instanceOf(NormalizerStep step) {
  static const icu::UnicodeSet knownCharacters = [] {
    UErrorCode code = U_ZERO_ERROR;
    icu::UnicodeSet set(icu::UnicodeString("[:age=11.0:]"), code);
    assert(U_SUCCESS(code));
    set.freeze();
    return set;
  }();
  if (step == NormalizerStep::Lowercase || step == NormalizerStep::SpaceToMark) return nullptr;
  static const auto filtered = [](NormalizerStep form) {
    return icu::FilteredNormalizer2(*unfiltered(form), knownCharacters);
  };
  static const icu::FilteredNormalizer2 nfc = filtered(NormalizerStep::Nfc), nfd = filtered(NormalizerStep::Nfd),
                                        nfkc = filtered(NormalizerStep::Nfkc), nfkd = filtered(NormalizerStep::Nfkd);
  switch (step) {
    case NormalizerStep::Nfc: return &nfc;
    case NormalizerStep::Nfd: return &nfd;
    case NormalizerStep::Nfkc: return &nfkc;
    default: return &nfkd;
  }
}

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// The longest prefix that no later text can change: up to the next character before which there is a boundary.
size_t clusterLength(std::string_view text, const icu::Normalizer2* normalizer) {
  size_t length = nextCodePoint(text).length;
  while (normalizer && length < text.size()) {
    const CodePoint next = nextCodePoint(text.substr(length));
    if (normalizer->hasBoundaryBefore(static_cast<UChar32>(next.value))) break;
    length += next.length;
  }
  return length;
}

std::string changed(std::string_view cluster, const icu::Normalizer2* normalizer) {
  icu::UnicodeString source = icu::UnicodeString::fromUTF8(icu::StringPiece(cluster.data(), static_cast<int32_t>(cluster.size())));
  std::string result;
  if (normalizer) {
    UErrorCode code = U_ZERO_ERROR;
    normalizer->normalize(source, code).toUTF8String(result);
    assert(U_SUCCESS(code));
  } else {
    source.toLower(icu::Locale::getRoot()).toUTF8String(result);  // one character: no final-sigma context, as in Rust
  }
  return result;
}

AlignedText markSpaces(const AlignedText& input) {
  AlignedText output;
  for (size_t i = 0; i < input.text.size(); ++i)
    output.append(input.text[i] == ' ' ? kSpaceMark : std::string_view(&input.text[i], 1), input.begin[i], input.end[i]);
  return output;
}

AlignedText applyStep(const AlignedText& input, NormalizerStep step) {
  if (step == NormalizerStep::SpaceToMark) return markSpaces(input);
  const icu::Normalizer2* normalizer = instanceOf(step);
  AlignedText output;
  const std::string_view text = input.text;
  for (size_t at = 0; at < text.size();) {
    const size_t length = clusterLength(text.substr(at), normalizer);
    const std::string_view cluster = text.substr(at, length);
    const std::string result = changed(cluster, normalizer);
    if (result == cluster) {
      output.text += cluster;
      output.begin.insert(output.begin.end(), input.begin.begin() + at, input.begin.begin() + at + length);
      output.end.insert(output.end.end(), input.end.begin() + at, input.end.begin() + at + length);
    } else {
      output.append(result, input.begin[at], input.end[at + length - 1]);
    }
    at += length;
  }
  return output;
}

}  // namespace

bool isCertainlyNormal(std::string_view text, const std::vector<NormalizerStep>& steps) {
  if (steps.empty()) return true;
  const auto has = [&](NormalizerStep step) { return std::find(steps.begin(), steps.end(), step) != steps.end(); };
  if (has(NormalizerStep::SpaceToMark) && text.find(' ') != std::string_view::npos) return false;
  return !has(NormalizerStep::Lowercase) && isAscii(text);  // ASCII is stable under all four forms
}

std::string marksToSpaces(std::string_view text) {
  std::string spaced;
  for (size_t at = 0; at < text.size();) {
    const bool isMark = text.substr(at).starts_with(kSpaceMark);
    spaced += isMark ? ' ' : text[at];
    at += isMark ? kSpaceMark.size() : 1;
  }
  return spaced;
}

AlignedText normalize(std::string_view text, const std::vector<NormalizerStep>& steps) {
  AlignedText current;
  current.text = text;
  for (uint32_t i = 0; i < text.size(); ++i) {
    current.begin.push_back(i);
    current.end.push_back(i + 1);
  }
  for (const NormalizerStep step : steps) current = applyStep(current, step);
  return current;
}

}  // namespace tidemark::text
