// Predictions for every combination of some keys' values, best first.
#pragma once

#include <string>
#include <vector>

#include "core/fit/predictor.h"

namespace tidemark::fit {

// One key of the configuration and the values to try.
struct Variation {
  std::string key;
  std::vector<std::string> values;
};

// "memory.weights=float32,nf4". InvalidConfig for an unknown key, an empty list, or a value that the key does not take.
Result<Variation> parseVariation(const std::string& text);

// Micro-batches that divide the global batch, activations, and forms of the weights; without those keys that `given` varies.
std::vector<Variation> defaultVariations(const run::RunConfig& config, const std::vector<Variation>& given);

struct Found {
  Prediction prediction;
  std::vector<std::pair<std::string, std::string>> settings;  // of the varied keys
};

// Those that fit first, fastest first; then those that do not, by the least budget they need; then what cannot be.
// InvalidConfig if there are more than kMostChoices combinations.
inline constexpr size_t kMostChoices = 5000;
Result<std::vector<Found>> search(const Predictor& predictor, const run::RunConfig& config, const std::vector<Variation>& variations);

}  // namespace tidemark::fit
