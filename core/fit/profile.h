// What one process measured of one iteration with the whole model and every activation saved, and what gathers cost: the
// measured part of a prediction. As one JSON object a line, from the worker to whoever plans.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/fit/machine.h"
#include "core/memory/figures.h"

namespace tidemark::fit {

struct Profile {
  std::string weights;                 // memory.weights it was measured with
  memory::IterationFigures figures;    // absolute peaks, with fixedBytes in them
  int64_t fixedBytes = 0;              // static cache and trainable state of that process
  int64_t rankTargets = 0;             // of the measured batch
  int64_t longestRow = 0;              // tokens of its longest row
  double meanRow = 0;
};

struct GatherProfile {
  double bytesPerSecond = 0;           // that one rank receives, with nothing beside it
  double processorSecondsPerByte = 0;  // 0: another device carries them
  int processors = 1;
  bool isMeasured = false;
  int64_t automaticBudgetBytes = 0;    // that a rank gets where memory.budget is auto; 0: unknown
};

// {"event":"profile",...} and {"event":"gathers",...}; a missing key is an error that names it.
Json toJson(const Profile& profile);
Json toJson(const GatherProfile& gathers);
Result<Profile> profileFrom(const Json& line);
Result<GatherProfile> gathersFrom(const Json& line);

// The machine that was measured; its computing speed is in the profiles.
Machine machineOf(const GatherProfile& gathers);

}  // namespace tidemark::fit
