// How much the operators and the optimizer work on at a time: what allocates by them and what foretells their workspace
// (estimate.h) read the same numbers.
#pragma once

#include <cstdint>

namespace tidemark::memory {

// Logits at a time: large enough for efficient products, small beside the activations; and rows of the vocabulary.
inline constexpr int64_t kLogitChunkElements = 2 << 20;
inline constexpr int64_t kVocabularyBlockRows = 4096;
// Float32 of an encoded matrix that is decoded for one product.
inline constexpr int64_t kDecodedBytes = 16 << 20;
// Elements of the trainable state in one pass of the optimizer.
inline constexpr int64_t kUpdateElements = 1 << 18;
// Left free at every moment: indices, statistics and other tensors of a few hundred bytes that differ between batches.
inline constexpr int64_t kReserveBytes = 32 << 10;

}  // namespace tidemark::memory
