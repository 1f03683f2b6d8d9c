// After a run has run out of memory: whether it can go on by itself, with the same global batch in smaller micro-batches.
#pragma once

#include <optional>

#include "core/launch/agent.h"

namespace tidemark::cli {

// The next smaller micro-batch that divides a rank's share of a step; none where `microBatch` is 1 already.
std::optional<int64_t> smallerMicroBatch(const run::RunConfig& config, int64_t microBatch);

// The run as it goes on, with `microBatch` written to its config.yaml; its first event says what happened.
Result<launch::AgentSettings> withMicroBatch(launch::AgentSettings settings, int64_t microBatch, int64_t previous);

}  // namespace tidemark::cli
