#include "core/fit/neighbours.h"

#include <algorithm>

#include "core/base/bytes.h"

namespace tidemark::fit {
namespace {

constexpr double kClearlyFaster = 1.03, kClearlySmaller = 0.9;
constexpr int64_t kShortestSequence = 16, kMostRanks = 64;
constexpr int64_t kBudgetStep = 16 << 20;

class Changes {
 public:
  Changes(const Predictor& predictor, const run::RunConfig& config) : predictor_(predictor), config_(config) {}

  // False: this change does not exist here.
  bool fits(const std::string& key, const std::string& value) const { return predicted(key, value).fits; }
  void offer(const std::string& key, const std::string& value) {
    Prediction p = predicted(key, value);
    if (p.fits) all_.push_back({key, value, std::move(p)});
  }
  std::vector<Neighbour> take() { return std::move(all_); }

 private:
  Prediction predicted(const std::string& key, const std::string& value) const {
    run::RunConfig config = config_;
    if (!run::setKey(config, key, value).ok()) return {};
    return predictor_.predict(config);
  }

  const Predictor& predictor_;
  const run::RunConfig& config_;
  std::vector<Neighbour> all_;
};

// The longest sequence that fits, below the present one; 0: none.
int64_t longestThatFits(const Changes& changes, int64_t present) {
  int64_t low = kShortestSequence - 1, high = present;
  while (low + 1 < high) {
    const int64_t middle = (low + high) / 2;
    (changes.fits("dataset.max_seq_length", std::to_string(middle)) ? low : high) = middle;
  }
  return low >= kShortestSequence ? low : 0;
}

std::string roundedBudget(int64_t bytes) {
  return std::to_string((bytes + kBudgetStep - 1) / kBudgetStep * (kBudgetStep >> 20)) + "MiB";
}

}  // namespace

std::vector<Neighbour> neighbours(const Predictor& predictor, const Prediction& present) {
  const run::RunConfig& c = present.config;
  Changes changes(predictor, c);
  for (const char* form : {"float32", "stored", "int8", "nf4"})
    if (c.memory.weights != form && c.parallel.device != "cuda") changes.offer("memory.weights", form);
  for (const char* activations : {"auto", "save", "recompute"})
    if (c.memory.activations != activations) changes.offer("memory.activations", activations);
  for (const char* policy : {"elastic", "gather-always"})
    if (c.memory.policy != policy) changes.offer("memory.policy", policy);
  const int64_t perRank = c.training.globalBatchSize / std::max<int64_t>(1, c.parallel.ranks);
  for (int64_t batch = present.microBatch - 1; batch > 0 && !present.fits; --batch) {
    if (perRank % batch != 0 || !changes.fits("training.micro_batch_size", std::to_string(batch))) continue;
    changes.offer("training.micro_batch_size", std::to_string(batch));
    break;
  }
  if (present.fits) changes.offer("training.micro_batch_size", std::to_string(2 * present.microBatch));
  // A larger budget, where it is not all that the device has.
  const int64_t wanted = present.fits ? present.wholeBudgetBytes : present.leastBudgetBytes;
  const bool isThere = predictor.machine().memoryBytes == 0 || wanted <= predictor.machine().memoryBytes;
  if (wanted > present.budgetBytes && isThere) changes.offer("memory.budget", roundedBudget(wanted));
  if (present.fits) changes.offer("dataset.max_seq_length", std::to_string(std::max(kShortestSequence, c.dataset.maxSeqLength / 2)));
  else if (const int64_t length = longestThatFits(changes, c.dataset.maxSeqLength))
    changes.offer("dataset.max_seq_length", std::to_string(length));
  for (int64_t ranks = c.parallel.ranks + 1; ranks <= kMostRanks && !present.fits; ++ranks) {
    if (!changes.fits("parallel.ranks", std::to_string(ranks))) continue;
    changes.offer("parallel.ranks", std::to_string(ranks));
    break;
  }
  std::vector<Neighbour> all = changes.take();
  if (!present.fits) return all;
  std::erase_if(all, [&](const Neighbour& n) {
    const bool isFaster = n.prediction.tokensPerSecond > kClearlyFaster * present.tokensPerSecond;
    const bool isSmaller = static_cast<double>(n.prediction.leastBudgetBytes) < kClearlySmaller * static_cast<double>(present.leastBudgetBytes) &&
                           n.prediction.tokensPerSecond > present.tokensPerSecond / kClearlyFaster;
    return !isFaster && !isSmaller;
  });
  std::stable_sort(all.begin(), all.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.prediction.tokensPerSecond > b.prediction.tokensPerSecond;
  });
  return all;
}

}  // namespace tidemark::fit
