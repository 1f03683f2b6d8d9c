// What `plan` prints: a table for people, JSON lines for programs. Both say which figures are measured and which are computed.
#pragma once

#include <string>
#include <vector>

#include "app/cli/plan_profile.h"
#include "core/base/json.h"
#include "core/fit/neighbours.h"
#include "core/fit/search.h"

namespace tidemark::cli {

struct PlanAnswer {
  fit::Machine machine;
  std::string budgetSource;               // what an automatic budget is of; empty where memory.budget gives it
  fit::Prediction present;                // of the configuration as it is
  std::vector<fit::Found> found;          // best first
  std::vector<fit::Neighbour> neighbours; // of the present one
  MeasuredHere measured;                  // no profiles: nothing was measured
  double searchSeconds = 0;
};

// "choice", "present" or "neighbour": the fields of one prediction.
Json choiceJson(const fit::Prediction& prediction, const char* event);
void printPlanJson(const PlanAnswer& answer);
// At most `best` lines of choices.
void printPlanTable(const PlanAnswer& answer, size_t best);
// "memory.weights nf4 (peak 300 MiB, 187 tokens/s)".
std::string neighbourWords(const fit::Neighbour& neighbour);

}  // namespace tidemark::cli
