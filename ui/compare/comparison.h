// Several runs held against each other: which settings differ, which runs repeat each other with another seed, and why figures
// may not be comparable. Pure functions over what was read.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "ui/compare/compared_run.h"

namespace tidemark::ui {

struct SettingRow {
  std::string key;                                    // of the configuration, or what was found out beside it
  std::vector<std::optional<std::string>> values;     // one for each run; none: the run has no such setting
  bool differs = false;
  bool breaksComparison = false;                      // runs that differ here are not strictly comparable
};

// Runs that differ by their seed only; two or more.
struct SeedGroup {
  QString name;                   // of the first of them
  std::vector<std::size_t> runs;  // indexes
};

struct Comparison {
  ComparedRuns runs;
  std::vector<SettingRow> settings;
  std::vector<SeedGroup> groups;
  QStringList warnings;                     // why the runs are not strictly comparable
  bool isTrainingLossComparable = true;
  bool isEvaluationLossComparable = true;
};

Comparison compareRuns(ComparedRuns runs);

}  // namespace tidemark::ui
