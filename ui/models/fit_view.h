// What the What-fits card shows of one answer: the present configuration's peak, speed and alternatives. Values only.
#pragma once

#include <QString>
#include <vector>

#include "core/fit/neighbours.h"

namespace tidemark::ui {

struct FitAlternative {
  QString key, value;      // the change, as the form takes it
  double peakBytes = 0;
  double tokensPerSecond = 0;  // 0: unknown
};

struct FitView {
  enum class Source { None, Formulas, Profile };
  Source source = Source::None;
  QString problem;         // why nothing can be said; empty otherwise
  bool fits = false;
  double staticBytes = 0, dynamicBytes = 0, activationBytes = 0, workspaceBytes = 0, trainableBytes = 0;
  double budgetBytes = 0, leastBudgetBytes = 0;
  bool isAutomaticBudget = false;
  QString peakMoment;      // as the engine names it
  int64_t microBatch = 0, accumulate = 0, breadth = 1, ranks = 0, steps = 0;
  int64_t recomputedOperators = 0, operators = 0;
  double remoteBytes = 0, optimalRemoteBytes = 0;
  double tokensPerSecond = 0;   // 0: unknown
  double secondsPerStep = 0;
  QString binds;                // "compute", "gathers", "exchanges", "processors"
  double waitingShare = 0;
  bool isProfiled = false;      // the speed was measured with these weights
  QString speedFrom;            // the run whose seconds were used; empty: none
  std::vector<FitAlternative> alternatives;

  double peakBytes() const { return staticBytes + dynamicBytes + activationBytes + workspaceBytes + trainableBytes; }
};

FitView fitViewOf(const fit::Prediction& present, const std::vector<fit::Neighbour>& neighbours);

}  // namespace tidemark::ui
