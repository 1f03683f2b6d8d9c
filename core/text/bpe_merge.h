// Merges the symbols of one word until no pair is left that merges: always the best pair, of equals the leftmost.
#pragma once

#include <vector>

#include "core/text/bpe_model.h"

namespace tidemark::text {

// In place; offsets are joined. Chooses between the two below by length.
void mergeSymbols(std::vector<Token>& symbols, const MergeTable& merges);

void mergeByScanning(std::vector<Token>& symbols, const MergeTable& merges);  // quadratic, fast for short words
void mergeByHeap(std::vector<Token>& symbols, const MergeTable& merges);      // n log n

}  // namespace tidemark::text
