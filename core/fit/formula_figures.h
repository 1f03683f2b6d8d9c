// Figures of an iteration from formulas (core/memory/estimate.h) and a machine's speed, corrected by a profile where there is
// one: for each operator, what was measured divided by what the formulas say of the measured batch.
#pragma once

#include "core/fit/machine.h"
#include "core/fit/profile.h"
#include "core/memory/estimate.h"

namespace tidemark::fit {

struct FormulaFigures {
  memory::Estimate estimate;
  memory::IterationFigures figures;   // every activation saved; seconds of computing alone
  memory::PieceFacts pieces;
  double exchangeSeconds = 0;         // of embedding and loss head, in one iteration
};

// `machine` has all its numbers (withNominalSpeed).
Result<FormulaFigures> formulaFigures(const memory::EstimateInput& input, const Machine& machine);

// The same, corrected. `measured`: the input that describes what the profile ran.
Result<FormulaFigures> calibrated(const memory::EstimateInput& input, const Machine& machine, const Profile& profile,
                                  const memory::EstimateInput& measured);

}  // namespace tidemark::fit
