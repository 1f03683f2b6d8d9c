#include "app/cli/run_json.h"

#include "core/base/json.h"

namespace tidemark::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
OrderedJson orNull(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

}  // namespace

std::string jsonOf(const storage::RunRecord& run,
                   const std::vector<std::pair<std::string, std::string>>& hyperparameters) {
  OrderedJson json{{"event", "run"},
                   {"run", run.id},
                   {"name", run.name},
                   {"status", storage::statusName(run.status)},
                   {"directory", run.directory},
                   {"model", run.model},
                   {"dataset", run.dataset},
                   {"policy", run.policy},
                   {"ranks", run.ranks},
                   {"step", run.step},
                   {"max_steps", run.maxSteps},
                   {"loss", orNull(run.loss)},
                   {"eval_loss", orNull(run.evalLoss)},
                   {"tokens_per_second", orNull(run.tokensPerSecond)},
                   {"seconds_per_step", orNull(run.secondsPerStep)},
                   {"peak_bytes", orNull(run.peakBytes)},
                   {"budget_bytes", orNull(run.budgetBytes)},
                   {"remote_bytes_per_iteration", orNull(run.remoteBytesPerIteration)},
                   {"parameters", run.parameters},
                   {"trainable_parameters", run.trainableParameters},
                   {"created_at", run.createdAt},
                   {"finished_at", run.finishedAt > 0 ? OrderedJson(run.finishedAt) : OrderedJson(nullptr)},
                   {"exit_code", orNull(run.exitCode)},
                   {"message", run.message},
                   {"sweep", run.sweep.empty() ? OrderedJson(nullptr) : OrderedJson(run.sweep)},
                   {"adapter", run.adapter}};
  for (const auto& [key, value] : hyperparameters) json["hyperparameters"][key] = value;
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace tidemark::cli
