// Foretells memory and speed of one configuration: what one rank holds at its fullest moment, by component, what is gathered,
// and tokens per second. From formulas, or from formulas corrected by profiles. Reads no weights. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/fit/formula_figures.h"
#include "core/fit/row_lengths.h"
#include "core/memory/memory_choice.h"
#include "core/run/config.h"
#include "core/weights/model_source.h"

namespace tidemark::fit {

// Bytes of one rank at the fullest moment of an iteration.
struct PeakParts {
  int64_t staticBytes = 0, trainableBytes = 0, activationBytes = 0, dynamicBytes = 0, workspaceBytes = 0;
  int64_t total() const { return staticBytes + trainableBytes + activationBytes + dynamicBytes + workspaceBytes; }
};

// What keeps it from being faster.
// Exchanges: hidden states at embedding and loss head, and the adapters' gradients.
enum class Binds { Compute, Gathers, Exchanges, Processors };
const char* bindsName(Binds binds);  // "compute", "gathers", "exchanges", "processors"

struct Prediction {
  run::RunConfig config;              // with the micro-batch that was chosen, where it said auto
  std::string refusal;                // why it cannot be, where nothing about memory is the reason; empty otherwise
  bool fits = false;
  int64_t budgetBytes = 0;
  int64_t leastBudgetBytes = 0;       // it fits from this budget on
  int64_t wholeBudgetBytes = 0;       // with this one nothing is gathered, every activation saved
  // The rest where it fits.
  int64_t microBatch = 0, accumulate = 0;
  int64_t breadth = 1;                // micro-batches that pass each operator together, in one iteration
  PeakParts peak;
  std::string peakMoment;             // "layers.3.mlp, backward"
  int64_t recomputedOperators = 0, operators = 0;
  int64_t remoteBytes = 0, optimalRemoteBytes = 0;   // of one rank and iteration
  double tokensPerSecond = 0;         // of all ranks; of a nominal machine where hasSpeed is false: for comparing only
  double tokensPerSecondIfHidden = 0; // a bound: gathers take nothing from what computes
  double secondsPerStep = 0;
  double waitingShare = 0;            // of the time, for gathers and exchanges
  Binds binds = Binds::Compute;
  bool hasSpeed = false;              // whether the machine's speed is known
  bool isProfiled = false;            // whether a profile with these weights corrects it: its seconds are measured, then scaled
};

class Predictor {
 public:
  Predictor(std::shared_ptr<const weights::ModelSource> model, std::shared_ptr<const RowLengths> rows)
      : model_(std::move(model)), rows_(std::move(rows)) {}

  void setMachine(const Machine& machine) { machine_ = machine; }
  const Machine& machine() const { return machine_; }
  // `config`: the one that the profile was measured under.
  void addProfile(const Profile& profile, const run::RunConfig& config);

  // A configuration that cannot be (ranks that do not divide the batch, an unknown module) has a refusal.
  Prediction predict(const run::RunConfig& config) const;
  // Bytes that one rank may have under this configuration; 0: unknown.
  int64_t budgetFor(const run::RunConfig& config) const;
  const RowLengths& rows() const { return *rows_; }
  const weights::ModelSource& model() const { return *model_; }

 private:
  struct Measured {
    Profile profile;
    memory::EstimateInput input;
  };
  memory::EstimateInput shapeFor(const run::RunConfig& config) const;  // all but the batch
  Result<FormulaFigures> figuresFor(const memory::EstimateInput& input, const std::string& weights, bool& isProfiled) const;
  Prediction predictAt(const run::RunConfig& config, int64_t microBatch) const;
  memory::ChoiceInput choiceInput(const FormulaFigures& figures, const memory::EstimateInput& in, const run::RunConfig& config) const;
  void addTimes(Prediction& p, const FormulaFigures& figures, const memory::MemoryChoice& choice) const;

  std::shared_ptr<const weights::ModelSource> model_;
  std::shared_ptr<const RowLengths> rows_;
  Machine machine_;
  std::map<std::string, Measured> profiles_;                           // by memory.weights
  mutable std::map<std::string, memory::EstimateInput> shapes_;       // ditto: formats are looked up once
};

}  // namespace tidemark::fit
