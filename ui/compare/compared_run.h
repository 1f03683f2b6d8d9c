// What the comparison knows of one run: values read from the database in one go, and the chat template from its model's files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/run_store.h"

namespace tidemark::ui {

struct ComparedRun {
  storage::RunRecord record;
  std::vector<std::pair<std::string, std::string>> settings;  // configuration keys, in the configuration's order
  std::optional<run::ModelEvent> model;
  std::optional<run::DatasetEvent> dataset;
  std::vector<run::StepEvent> steps;           // of rank 0
  std::vector<run::EvalEvent> evaluations;
  std::vector<run::OperatorEvent> operators;   // of rank 0, measured in the first iteration
  std::vector<run::SampleEvent> samples;       // oldest first
  std::optional<run::MemoryPoint> fullest;     // the fullest moment of any rank in the whole run
  int64_t budgetBytes = 0;                     // in force then; 0: unknown
  std::optional<std::string> chatTemplate;     // as the model's files have it now; none: they cannot be read
};

// Immutable once read, so that the database's thread and the window may share them.
using ComparedRuns = std::vector<std::shared_ptr<const ComparedRun>>;

// The value of a configuration key; none where the run has no such key.
std::optional<std::string> settingOf(const ComparedRun& run, const std::string& key);

}  // namespace tidemark::ui
