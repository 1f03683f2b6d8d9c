// What training does with a row of some length. Rules: core/text/FORMAT.md, "Which tokens carry loss".
#pragma once

#include "core/text/packing.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::text {

enum class RowUse {
  Whole,
  Cut,          // at the limit
  TooLong,      // left out
  RefusedLong,  // refuses the dataset
  WithoutLoss,  // left out: no token that carries loss, or none within the limit
};

// `size.targets`: those among the first `maxSequenceLength` tokens.
RowUse useOfRow(const RowSize& size, int64_t maxSequenceLength, Truncation truncation);

}  // namespace tidemark::text
