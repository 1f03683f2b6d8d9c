#include "core/text/row_use.h"

namespace tidemark::text {

RowUse useOfRow(const RowSize& size, int64_t maxSequenceLength, Truncation truncation) {
  const bool isLong = size.tokens > maxSequenceLength;
  if (isLong && truncation == Truncation::Drop) return RowUse::TooLong;
  if (isLong && truncation == Truncation::Error) return RowUse::RefusedLong;
  if (size.targets == 0) return RowUse::WithoutLoss;
  return isLong ? RowUse::Cut : RowUse::Whole;
}

}  // namespace tidemark::text
