// The comparison as parallel coordinates: the settings that differ, then the results. Pure functions.
#pragma once

#include <vector>

#include "plots/parallel_plot.h"
#include "ui/compare/comparison.h"

namespace tidemark::ui {

// `marks`: one for each run. Losses that are not comparable have no axis. At most kMostAxes, results first of all.
constexpr std::size_t kMostAxes = 10;
plots::ParallelSeries parallelOf(const Comparison& comparison, const std::vector<int>& marks);

// A setting's values as numbers where all are, otherwise the different words in the order of the runs.
struct PlacedValues {
  std::vector<std::optional<double>> values;  // an index into the words where there are any
  std::vector<std::string> words;
  plots::Measure measure = plots::Measure::Number;
  bool isLogarithmic = false;                 // they span more than a factor of 20
};
PlacedValues placed(const std::string& key, const std::vector<std::optional<std::string>>& values);

}  // namespace tidemark::ui
