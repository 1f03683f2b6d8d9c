// A run's configuration: what design.md section 9 lists, validated, with every key described once for the command
// line, the form and the documentation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tidemark::run {

struct DatasetConfig {
  std::string train;
  std::string eval = "0";            // a path, or a fraction of train in [0, 0.5]
  std::string format = "auto";       // auto | messages | alpaca | prompt-completion
  int64_t maxSeqLength = 512;
  bool packing = true;
  std::string trainOn = "assistant"; // assistant | all
  std::string truncation = "drop";   // drop | truncate | error
};

struct PeftConfig {
  std::string type = "lora";
  int64_t r = 8;
  double loraAlpha = 16;
  double loraDropout = 0;
  std::vector<std::string> targetModules{"all-linear"};  // or any of q_proj k_proj v_proj o_proj gate_proj up_proj down_proj
};

struct TrainingConfig {
  int64_t globalBatchSize = 16;      // sequences per step over all ranks
  int64_t microBatchSize = 0;        // sequences per rank and iteration; 0: auto
  int64_t maxSteps = 100;
  double learningRate = 2e-4;
  std::string lrSchedulerType = "cosine";  // cosine | linear | constant
  double warmupRatio = 0.03;
  double weightDecay = 0;
  double adamBeta1 = 0.9, adamBeta2 = 0.999, adamEpsilon = 1e-8;
  double maxGradNorm = 1.0;          // 0: no clipping
  std::string optim = "adamw";
  int64_t seed = 42;
  std::string dtype = "float32";
  int64_t evalSteps = 0;             // 0: before the first and after the last step only
};

struct MemoryConfig {
  int64_t budgetBytes = 0;           // per rank; 0: auto
  std::string policy = "elastic";    // elastic | pinned | gather-always | unsharded
  std::string activations = "auto";  // auto | save | recompute
  std::string accumulation = "auto"; // auto | depth-first | breadth-first
  std::string weights = "float32";   // float32 | stored | int8 | nf4
};

struct ParallelConfig {
  std::string device = "auto";       // auto | cpu | cuda
  std::string backend = "auto";      // auto | gloo | nccl
  int64_t ranks = 2;
  int64_t threadsPerRank = 1;
  int64_t masterPort = 0;            // 0: a free one
};

struct OutputConfig {
  std::string dir = "auto";
  int64_t checkpointEvery = 50;      // steps; 0: only when stopped and at the end
  int64_t keepCheckpoints = 3;
};

struct RunConfig {
  std::string model;
  DatasetConfig dataset;
  PeftConfig peft;
  TrainingConfig training;
  MemoryConfig memory;
  ParallelConfig parallel;
  OutputConfig output;
};

struct ConfigProblem {
  std::string key;    // "training.learning_rate"
  std::string what;   // what is wrong and what to do next
};

// Everything about one key; the GUI's form and the help text are made from this table.
struct KeyInfo {
  enum class Kind { Text, Path, Integer, Real, Boolean, Choice, Bytes, List };
  std::string key;                   // "training.learning_rate"
  std::string label;                 // "Learning rate"
  std::string unit;                  // "steps", "bytes", "" ...
  std::string help;                  // one sentence
  Kind kind = Kind::Text;
  std::vector<std::string> choices;  // Choice only
  std::string defaultValue;          // as written in YAML
  bool isRequired = false;
};
const std::vector<KeyInfo>& configKeys();

// Parses YAML (or JSON) text. Unknown keys name the nearest known one; all problems are collected.
// Relative paths stay as written. `problems` is empty exactly if the configuration can be used.
struct ParsedConfig {
  RunConfig config;
  std::vector<ConfigProblem> problems;
};
ParsedConfig parseConfig(const std::string& yaml);
// Same, from a file, with `key=value` overrides applied. Relative paths in the file are made absolute against its folder,
// those of overrides against the working directory.
Result<ParsedConfig> loadConfig(const std::string& path, const std::vector<std::string>& overrides);
// The second half of it, for values from elsewhere: relative paths are of `folder`; problems found before are kept.
Result<ParsedConfig> completeConfig(ParsedConfig parsed, const std::string& folder, const std::vector<std::string>& overrides);

// Checks values and combinations only (no file access).
std::vector<ConfigProblem> validate(const RunConfig& config);

// Complete YAML in the order of design.md section 9; parseConfig(toYaml(c)) gives c again.
std::string toYaml(const RunConfig& config);
// ("training.learning_rate", "0.0002") for every key, sorted as configKeys().
std::vector<std::pair<std::string, std::string>> flatten(const RunConfig& config);
// Sets one key from its text; the error names the key and what is expected.
Status setKey(RunConfig& config, const std::string& key, const std::string& value);

}  // namespace tidemark::run
