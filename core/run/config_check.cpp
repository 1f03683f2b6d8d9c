// What a configuration must fulfil beyond the range of each single key.
#include <initializer_list>

#include "core/run/config_keys.h"

namespace tidemark::run {
namespace {

// Problems found so far; a combination says nothing about keys that have a problem of their own.
class Findings {
 public:
  explicit Findings(std::set<std::string> told) : told_(std::move(told)) {}
  void add(const std::string& key, const std::string& what) {
    if (told_.insert(key).second) problems_.push_back({key, what});
  }
  bool areSound(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (told_.contains(key)) return false;
    return true;
  }
  std::vector<ConfigProblem> take() { return std::move(problems_); }

 private:
  std::set<std::string> told_;
  std::vector<ConfigProblem> problems_;
};

void checkBatch(const RunConfig& config, Findings& findings) {
  const std::string key = "training.global_batch_size";
  if (!findings.areSound({"training.global_batch_size", "training.micro_batch_size", "parallel.ranks"})) return;
  const int64_t batch = config.training.globalBatchSize, ranks = config.parallel.ranks, micro = config.training.microBatchSize;
  if (batch % ranks != 0) {
    findings.add(key, "is " + std::to_string(batch) + ", which the " + std::to_string(ranks) +
                          " ranks of parallel.ranks do not divide; use a multiple of " + std::to_string(ranks));
  } else if (micro > 0 && batch % (ranks * micro) != 0) {
    findings.add(key, "is " + std::to_string(batch) + ", not a multiple of ranks x micro_batch_size = " +
                          std::to_string(ranks * micro) + "; change one of them, or set micro_batch_size to auto");
  }
}

void checkEvaluation(const RunConfig& config, Findings& findings) {
  double fraction = 0;
  if (!findings.areSound({"dataset.eval"}) || !parseReal(config.dataset.eval, fraction)) return;
  if (fraction < 0 || fraction > 0.5)
    findings.add("dataset.eval", "must be a file, or a fraction from 0 to 0.5, not " + config.dataset.eval);
  if (fraction == 0 && config.training.evalSteps > 0)
    findings.add("training.eval_steps", "needs data to evaluate on; set dataset.eval to a file or a fraction such as 0.05");
}

void checkBackend(const RunConfig& config, Findings& findings) {
  if (config.parallel.backend == "nccl" && config.parallel.device == "cpu")
    findings.add("parallel.backend", "nccl carries GPU memory only; use gloo with parallel.device cpu");
}

void checkWeights(const RunConfig& config, Findings& findings) {
  if (config.parallel.device == "cuda" && config.memory.weights != "float32" && findings.areSound({"memory.weights"}))
    findings.add("memory.weights", "is " + config.memory.weights + ", and encoded weights are decoded on CPU ranks only so far; use float32 with parallel.device cuda");
}

}  // namespace

std::vector<ConfigProblem> validateRest(const RunConfig& config, const std::set<std::string>& toldKeys) {
  Findings findings(toldKeys);
  for (const Field& field : fields()) {
    if (field.info.isRequired && textOf(config, field).empty()) {
      findings.add(field.info.key, "is required");
    } else if (const Status status = checkField(config, field); !status.ok()) {
      findings.add(field.info.key, status.error().detail);
    }
  }
  checkBatch(config, findings);
  checkEvaluation(config, findings);
  checkBackend(config, findings);
  checkWeights(config, findings);
  return findings.take();
}

std::vector<ConfigProblem> validate(const RunConfig& config) { return validateRest(config, {}); }

}  // namespace tidemark::run
