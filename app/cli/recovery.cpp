#include "app/cli/recovery.h"

#include "core/base/counted.h"
#include "core/base/file.h"

namespace tidemark::cli {

std::optional<int64_t> smallerMicroBatch(const run::RunConfig& config, int64_t microBatch) {
  const int64_t sequences = config.training.globalBatchSize / config.parallel.ranks;
  for (int64_t smaller = microBatch / 2; smaller >= 1; --smaller)
    if (sequences % smaller == 0) return smaller;
  return std::nullopt;
}

Result<launch::AgentSettings> withMicroBatch(launch::AgentSettings settings, int64_t microBatch, int64_t previous) {
  settings.config.training.microBatchSize = microBatch;
  TIDEMARK_TRY(writeFileAtomically(settings.directory / "config.yaml", run::toYaml(settings.config)));
  settings.isResume = true;
  settings.openingEvents = {run::LogEvent{
      "warning", "micro-batches of " + counted(previous, "sequence") + " do not fit in memory: the run goes on from its last checkpoint with " +
                     std::to_string(microBatch) + " at a time; the global batch stays as it is"}};
  return settings;
}

}  // namespace tidemark::cli
