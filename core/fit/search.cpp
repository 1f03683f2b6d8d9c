#include "core/fit/search.h"

#include <algorithm>

namespace tidemark::fit {
namespace {

constexpr const char *kMicroBatch = "training.micro_batch_size", *kActivations = "memory.activations", *kWeights = "memory.weights";

bool varies(const std::vector<Variation>& variations, const std::string& key) {
  return std::any_of(variations.begin(), variations.end(), [&](const Variation& v) { return v.key == key; });
}

// Best first: whether `a` is better than `b`.
bool isBetter(const Found& a, const Found& b) {
  const Prediction &p = a.prediction, &q = b.prediction;
  if (p.fits != q.fits) return p.fits;
  if (p.fits) return p.tokensPerSecond > q.tokensPerSecond;
  if (p.refusal.empty() != q.refusal.empty()) return p.refusal.empty();
  return p.leastBudgetBytes < q.leastBudgetBytes;
}

}  // namespace

Result<Variation> parseVariation(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{ErrorCode::InvalidConfig, "--vary", "wants KEY=A,B,C, not `" + text + "`"};
  Variation variation{text.substr(0, equals), {}};
  size_t begin = equals + 1;
  while (begin <= text.size()) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, comma - begin);
    run::RunConfig probe;
    if (const Status status = run::setKey(probe, variation.key, value); !status.ok()) return status.error().within("--vary");
    if (std::find(variation.values.begin(), variation.values.end(), value) == variation.values.end())
      variation.values.push_back(value);
    begin = comma + 1;
  }
  return variation;
}

std::vector<Variation> defaultVariations(const run::RunConfig& config, const std::vector<Variation>& given) {
  std::vector<Variation> all;
  // Ranks and the global batch decide which micro-batches there can be: then each combination chooses its own.
  const bool hasOtherBatches = varies(given, "parallel.ranks") || varies(given, "training.global_batch_size");
  if (!varies(given, kMicroBatch)) {
    Variation micro{kMicroBatch, {}};
    const int64_t perRank = std::max<int64_t>(1, config.training.globalBatchSize / config.parallel.ranks);
    for (int64_t candidate = 1; candidate <= perRank && !hasOtherBatches; ++candidate)
      if (perRank % candidate == 0) micro.values.push_back(std::to_string(candidate));
    if (hasOtherBatches) micro.values.push_back("auto");
    all.push_back(micro);
  }
  if (!varies(given, kActivations)) all.push_back({kActivations, {"save", "auto", "recompute"}});
  if (!varies(given, kWeights)) {
    Variation forms{kWeights, {"float32"}};
    if (config.parallel.device != "cuda") forms.values.insert(forms.values.end(), {"stored", "int8", "nf4"});
    all.push_back(forms);
  }
  return all;
}

Result<std::vector<Found>> search(const Predictor& predictor, const run::RunConfig& config,
                                  const std::vector<Variation>& variations) {
  size_t count = 1;
  for (const Variation& variation : variations) {
    count *= variation.values.size();
    if (count > kMostChoices)
      return Error{ErrorCode::InvalidConfig, "--vary", "gives more than " + std::to_string(kMostChoices) + " combinations; name fewer values"};
  }
  std::vector<Found> all;
  for (size_t index = 0; index < count; ++index) {
    Found found;
    run::RunConfig choice = config;
    size_t rest = index;
    for (const Variation& variation : variations) {
      const std::string& value = variation.values[rest % variation.values.size()];
      rest /= variation.values.size();
      TIDEMARK_TRY(run::setKey(choice, variation.key, value));
      found.settings.emplace_back(variation.key, value);
    }
    found.prediction = predictor.predict(choice);
    all.push_back(std::move(found));
  }
  std::stable_sort(all.begin(), all.end(), isBetter);
  return all;
}

}  // namespace tidemark::fit
