// What a configuration must fulfil beyond the range of each single key.
#include "core/run/config_keys.h"

namespace tidemark::run {
namespace {

void checkBatch(const RunConfig& config, std::vector<ConfigProblem>& problems) {
  const int64_t batch = config.training.globalBatchSize, ranks = config.parallel.ranks, micro = config.training.microBatchSize;
  if (batch < 1 || ranks < 1 || ranks > 1024 || micro < 0 || micro > (1 << 20)) return;  // told by the keys themselves
  const std::string key = "training.global_batch_size";
  if (batch % ranks != 0) {
    problems.push_back({key, "is " + std::to_string(batch) + ", which the " + std::to_string(ranks) +
                                 " ranks of parallel.ranks do not divide; use a multiple of " + std::to_string(ranks)});
  } else if (micro > 0 && batch % (ranks * micro) != 0) {
    problems.push_back({key, "is " + std::to_string(batch) + ", not a multiple of ranks x micro_batch_size = " +
                                 std::to_string(ranks * micro) + "; change one of them, or set micro_batch_size to auto"});
  }
}

void checkEvaluation(const RunConfig& config, std::vector<ConfigProblem>& problems) {
  double fraction = 0;
  const bool isFraction = parseReal(config.dataset.eval, fraction);
  if (isFraction && (fraction < 0 || fraction > 0.5))
    problems.push_back({"dataset.eval", "must be a file, or a fraction from 0 to 0.5, not " + config.dataset.eval});
  if (isFraction && fraction == 0 && config.training.evalSteps > 0)
    problems.push_back({"training.eval_steps", "needs data to evaluate on; set dataset.eval to a file or a fraction such as 0.05"});
}

void checkBackend(const RunConfig& config, std::vector<ConfigProblem>& problems) {
  if (config.parallel.backend == "nccl" && config.parallel.device == "cpu")
    problems.push_back({"parallel.backend", "nccl carries GPU memory only; use gloo with parallel.device cpu"});
}

}  // namespace

std::vector<ConfigProblem> validate(const RunConfig& config) {
  std::vector<ConfigProblem> problems;
  for (const Field& field : fields()) {
    if (field.info.isRequired && textOf(config, field).empty()) {
      problems.push_back({field.info.key, "is required"});
    } else if (const Status status = checkField(config, field); !status.ok()) {
      problems.push_back({field.info.key, status.error().detail});
    }
  }
  checkBatch(config, problems);
  checkEvaluation(config, problems);
  checkBackend(config, problems);
  return problems;
}

}  // namespace tidemark::run
