// What the workbench knows of one run at one moment: values read from the database in one go.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/run_store.h"

namespace tidemark::ui {

// Which run, rank and iteration a page wants to be told about. A reading carries the generation of the wish it answers.
struct RunWish {
  std::string runId;        // empty: none
  int64_t rank = 0;
  int64_t iteration = -1;   // -1: the newest
  uint64_t generation = 0;
};

struct RunDetail {
  RunWish wish;
  storage::RunRecord record;
  std::optional<run::ModelEvent> model;
  std::optional<run::DatasetEvent> dataset;
  bool startsOver = true;                 // newSteps are all steps; otherwise they follow the ones sent before
  std::vector<run::StepEvent> newSteps;
  std::vector<run::EvalEvent> evaluations;
  std::vector<run::OperatorEvent> operators;
  std::vector<run::PlanEvent> plans;
  std::vector<int64_t> iterations;        // those that have a stored timeline
  std::optional<run::TimelineEvent> timeline;
  std::vector<run::CheckpointEvent> checkpoints;
  std::vector<run::LogEvent> log;
};

}  // namespace tidemark::ui
