// The results that runs are compared by: what each is called and measures, which way is better, and its value in one run.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "plots/measure.h"
#include "ui/compare/compared_run.h"

namespace tidemark::ui {

enum class Better { Lower, Higher, Neither };
enum class Rests { OnTrainingLoss, OnEvaluationLoss, OnNoLoss };  // what must be comparable for a best one to be named

struct ResultKind {
  QString key;    // in copied tables: "peak_memory_bytes"
  QString name;   // on the screen
  QString help;   // with the unit
  plots::Measure measure;
  Better better;
  Rests rests;
  std::optional<double> (*value)(const ComparedRun& run);  // none: not known (yet)
};

const std::vector<ResultKind>& resultKinds();

// Mean and standard deviation of a sample, over the runs that have the result.
struct Spread {
  double mean = 0, deviation = 0;
  int count = 0;
};
std::optional<Spread> spreadOf(const std::vector<double>& values);

}  // namespace tidemark::ui
