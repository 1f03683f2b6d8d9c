// A small deterministic generator (SplitMix64, Steele et al. 2014): the same seed gives the same numbers with every
// compiler and library, which std::shuffle and the standard distributions do not promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark {

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  // Two streams from one seed, e.g. one for each epoch.
  SplitMix64(uint64_t seed, uint64_t stream) : state_(seed) { state_ = next() ^ (stream * 0xD1342543DE82EF95ull); }

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1): the 53 upper bits.
  double real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Uniform in [0, bound), bound > 0: numbers of the incomplete last interval are drawn again.
  uint64_t below(uint64_t bound) {
    const uint64_t excess = (0 - bound) % bound;
    uint64_t drawn = next();
    while (drawn < excess) drawn = next();
    return drawn % bound;
  }

 private:
  uint64_t state_;
};

// Fisher-Yates.
template <typename T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.below(left)]);
}

}  // namespace tidemark
