// Runs tidemark-worker as torchrun would: one process per rank on this machine, and collects every rank's events.
#pragma once

#include <string>
#include <vector>

#include "core/run/config.h"
#include "core/run/event.h"

namespace tidemark::train {

struct RankRun {
  std::vector<int> exitCodes;                        // one per rank
  std::vector<std::vector<run::Event>> events;       // one list per rank

  std::vector<run::StepEvent> steps(size_t rank = 0) const;
  std::vector<run::PlanEvent> plans(size_t rank = 0) const;
  std::vector<run::EvalEvent> evaluations() const;
  std::string failure() const;                       // of every rank that has one
};

struct RankRunOptions {
  bool resumes = false;
  int64_t stopAfterStep = 0;                         // SIGTERM to every rank when rank 0 has reported this step
};

// `directory` holds data.bin; config.yaml is written there.
RankRun runRanks(const std::string& directory, const run::RunConfig& config, const RankRunOptions& options = {});

}  // namespace tidemark::train
