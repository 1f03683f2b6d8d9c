// Fills a database with runs as the engine would report them, for tests and screenshots: SmolLM2-135M's shape, an elastic
// plan that is computed here and not tuned to look good.
#pragma once

#include <filesystem>
#include <string>

#include "storage/run_store.h"

namespace tidemark::tests {

struct SampleShape {
  int64_t layers = 30;
  int64_t steps = 60;
  int64_t maxSteps = 100;
  int64_t ranks = 2;
};

run::TimelineEvent sampleTimeline(const SampleShape& shape, int64_t iteration, int64_t step);
std::vector<run::Event> sampleEvents(const SampleShape& shape, int64_t firstStep, int64_t lastStep);
storage::RunRecord sampleRecord(const std::string& name, const std::filesystem::path& folder);
// A run with all its events up to shape.steps; returns its id. Its status is Running without an agent.
std::string addSampleRun(storage::RunStore& store, const std::string& name, const std::filesystem::path& folder,
                         const SampleShape& shape);

}  // namespace tidemark::tests
