// Which runs of a sweep are not worth going on with. Judges what it is given; stops nothing.
#pragma once

#include <string>
#include <vector>

#include "core/sweep/objective.h"
#include "core/sweep/sweep.h"

namespace tidemark::sweep {

struct OtherRun {
  Reports reports;
  bool isComplete = false;  // trained to its last step
};

// Why the run is to be stopped now; empty: it goes on. To be asked whenever it has reported something new.
//
// Median: stopped if the best that the run has reported so far is worse than the median, over the completed runs, of the mean
// of what each had reported up to the same step (Golovin et al. 2017, Google Vizier, section 3.2.2).
// Halving: at the rungs `after`, `after` * factor, ... a run goes on only if it is among the best 1 / factor of the runs
// that have come to that rung so far, itself included and rounded up, once atLeast have come there (asynchronous successive halving, Li et al. 2020).
// With any rule, a run whose objective is no number is stopped.
std::string reasonToStop(const EarlyStopping& rule, Objective objective, const Reports& run, const std::vector<OtherRun>& others);

}  // namespace tidemark::sweep
