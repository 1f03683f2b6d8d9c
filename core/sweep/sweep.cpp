// Names, and what must hold for a sweep that can be carried out.
#include "core/sweep/sweep.h"

#include <algorithm>

#include "core/base/counted.h"
#include "core/sweep/points.h"
#include "core/sweep/sweep_keys.h"

namespace tidemark::sweep {
namespace {

constexpr int64_t kMostSeeds = 100, kMostAtOnce = 64;

using Problems = std::vector<run::ConfigProblem>;

bool isSwept(const Sweep& sweep, const std::string& key) {
  return std::any_of(sweep.keys.begin(), sweep.keys.end(), [&](const SweptKey& swept) { return swept.key == key; });
}

void checkRange(const char* key, int64_t value, int64_t low, int64_t high, Problems& problems) {
  if (value < low || value > high)
    problems.push_back({key, "must be at least " + std::to_string(low) + " and at most " + std::to_string(high) + ", not " + std::to_string(value)});
}

void checkCounts(const Sweep& sweep, Problems& problems) {
  if (sweep.keys.empty())
    problems.push_back({"keys", "names no key to try values for, such as training.learning_rate: [1.0e-4, 2.0e-4]"});
  checkRange("seeds", sweep.seeds, 1, kMostSeeds, problems);
  checkRange("at_once", sweep.atOnce, 1, kMostAtOnce, problems);
  if (sweep.mode == Mode::Grid && sweep.count != 0) problems.push_back({"count", "is for mode: random; a grid tries every combination"});
  if (sweep.mode == Mode::Random) checkRange("count", sweep.count, 1, kMostRuns, problems);
  if (sweep.seed < 0) problems.push_back({"seed", "must be at least 0"});
  if (sweep.seeds > 1 && isSwept(sweep, "training.seed"))
    problems.push_back({"seeds", "sets training.seed, which is swept as well; drop one of them"});
  if (sweep.atOnce > 1 && (sweep.base.parallel.masterPort != 0 || isSwept(sweep, "parallel.master_port")))
    problems.push_back({"at_once", "needs parallel.master_port: 0, since runs at the same time cannot share a port"});
}

void checkSize(const Sweep& sweep, Problems& problems) {
  const int64_t different = combinations(sweep);
  if (sweep.mode == Mode::Random && sweep.count > different)
    problems.push_back({"count", "is " + std::to_string(sweep.count) + ", and there are only " + counted(different, "combination") + " of these values"});
  const int64_t points = sweep.mode == Mode::Grid ? different : sweep.count;
  if (points * sweep.seeds > kMostRuns)
    problems.push_back({"keys", "give more than " + std::to_string(kMostRuns) + " runs; try fewer values, or mode: random with a count"});
}

void checkObjective(const Sweep& sweep, Problems& problems) {
  const bool needsEvaluation = sweep.objective == Objective::EvalLoss;
  double fraction = 1;
  const bool hasNoData = parseNumber(sweep.base.dataset.eval, fraction) && fraction == 0 && !isSwept(sweep, "dataset.eval");
  if (needsEvaluation && hasNoData)
    problems.push_back({"objective", "eval_loss needs data to evaluate on; set dataset.eval to a file or a fraction such as 0.05, or use objective: loss"});
  const EarlyStopping& stopping = sweep.stopping;
  if (stopping.rule == EarlyStopping::Rule::None) return;
  if (needsEvaluation && !hasNoData && sweep.base.training.evalSteps == 0 && !isSwept(sweep, "training.eval_steps"))
    problems.push_back({"early_stopping", "judges by eval_loss, which is known at the end only; set training.eval_steps, or use objective: loss"});
  if (stopping.after < 1) problems.push_back({"early_stopping.after", "must be at least 1 step"});
  if (stopping.after >= sweep.base.training.maxSteps && !isSwept(sweep, "training.max_steps"))
    problems.push_back({"early_stopping.after", "is " + std::to_string(stopping.after) + ", and a run has only " + counted(sweep.base.training.maxSteps, "step")});
  if (stopping.atLeast < 1) problems.push_back({"early_stopping.at_least", "must be at least 1 run"});
  if (stopping.rule == EarlyStopping::Rule::Halving && !(stopping.factor > 1 && stopping.factor <= 16))
    problems.push_back({"early_stopping.factor", "must be greater than 1 and at most 16"});
}

// Combinations that cannot be run are no problem as long as one can: they are told when it is their turn.
void checkPoints(const Sweep& sweep, Problems& problems) {
  Problems first;
  for (const Point& point : pointsOf(sweep)) {
    const Problems here = run::validate(configOf(sweep, point));
    if (here.empty()) return;
    if (first.empty()) first = here;
  }
  problems.insert(problems.end(), first.begin(), first.end());
}

}  // namespace

const char* nameOf(Mode mode) { return mode == Mode::Grid ? "grid" : "random"; }

const char* nameOf(Objective objective) {
  switch (objective) {
    case Objective::EvalLoss: return "eval_loss";
    case Objective::Loss: return "loss";
    case Objective::TokensPerSecond: return "tokens_per_second";
  }
  return "";
}

const char* nameOf(EarlyStopping::Rule rule) {
  switch (rule) {
    case EarlyStopping::Rule::None: return "none";
    case EarlyStopping::Rule::Median: return "median";
    case EarlyStopping::Rule::Halving: return "halving";
  }
  return "";
}

std::vector<run::ConfigProblem> validate(const Sweep& sweep) {
  Problems problems;
  checkCounts(sweep, problems);
  for (const SweptKey& key : sweep.keys) checkSweptKey(key, sweep.mode, problems);
  checkObjective(sweep, problems);
  if (!problems.empty()) return problems;
  checkSize(sweep, problems);
  if (problems.empty()) checkPoints(sweep, problems);
  return problems;
}

}  // namespace tidemark::sweep
