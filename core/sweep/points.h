// The points of a sweep: which values each of its runs gets.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/sweep/sweep.h"

namespace tidemark::sweep {

constexpr int64_t kMostRuns = 10'000;

struct Point {
  int64_t number = 0;                                       // from 0, in the order in which runs are started
  std::vector<std::pair<std::string, std::string>> values;  // of the swept keys, as flatten() writes them
  int64_t seed = 0;                                         // training.seed
};

// Grid: every combination, the last key changing fastest. Random: `count` different ones, the same for the same seed.
// All points come with the first seed before any with the second. A sweep with problems has points as far as they can be made.
std::vector<Point> pointsOf(const Sweep& sweep);
// How many different combinations there are; at most kMostRuns + 1, which is also said of real numbers.
int64_t combinations(const Sweep& sweep);

run::RunConfig configOf(const Sweep& sweep, const Point& point);
// "learning_rate=0.0002 r=8", with the seed where the sweep has several.
std::string labelOf(const Sweep& sweep, const Point& point);

}  // namespace tidemark::sweep
