// A sweep: one configuration, what is tried for some of its keys, how a run is judged, and which runs end early. SWEEP.md
// describes its file. Not responsible for carrying it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/config.h"

namespace tidemark::sweep {

// What is tried for one key.
struct SweptKey {
  enum class Kind { Choice, Uniform, LogUniform, Integer };
  std::string key;                   // "training.learning_rate"
  Kind kind = Kind::Choice;
  std::vector<std::string> choices;  // Choice: as the configuration takes them
  double low = 0, high = 0;          // otherwise; both may be drawn
};

enum class Mode { Grid, Random };

// EvalLoss: of the last evaluation. Loss: mean over the last ten steps. TokensPerSecond: over the last ten steps, without
// the first of the run, which measures.
enum class Objective { EvalLoss, Loss, TokensPerSecond };

struct EarlyStopping {
  enum class Rule { None, Median, Halving };
  Rule rule = Rule::None;
  int64_t after = 0;    // steps before which no run is judged; Halving: the first rung
  int64_t atLeast = 3;  // runs to be judged by: completed ones (Median), or at the rung, itself included (Halving)
  double factor = 2;    // Halving: one in so many goes on at each rung, and rungs are so much farther apart
};

struct Sweep {
  std::string name;
  run::RunConfig base;
  Mode mode = Mode::Grid;
  int64_t count = 0;   // Random: points that are drawn
  int64_t seed = 1;    // of the drawing
  int64_t seeds = 1;   // runs of each point: training.seed, training.seed + 1, ...
  int64_t atOnce = 1;  // runs at the same time
  Objective objective = Objective::EvalLoss;
  EarlyStopping stopping;
  std::vector<SweptKey> keys;
};

const char* nameOf(Mode mode);
const char* nameOf(Objective objective);  // "eval_loss"
const char* nameOf(EarlyStopping::Rule rule);

// `problems` is empty exactly if the sweep can be carried out. Keys in them are the file's own.
struct ParsedSweep {
  Sweep sweep;
  std::vector<run::ConfigProblem> problems;
};

// `overrides`: key=value of the base configuration. Paths in the file are relative to its folder, those of overrides to the
// working directory. An error: the file, or the one that it names as its base, cannot be read.
Result<ParsedSweep> loadSweep(const std::string& path, const std::vector<std::string>& overrides);
// What cannot be carried out; keys that are swept may be missing in the base.
std::vector<run::ConfigProblem> validate(const Sweep& sweep);
// A file that stands by itself, with its base written out: loadSweep() gives the same sweep again.
std::string toYaml(const Sweep& sweep);

}  // namespace tidemark::sweep
