// Foretells, from a model's shape and a batch, the bytes that one rank of a run will hold: by formulas that follow what the
// operators allocate and keep (core/model), before anything is loaded. It plans nothing, and the engine does not use it:
// a run measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/plan.h"
#include "core/weights/model_source.h"
#include "core/weights/row_format.h"

namespace tidemark::memory {

struct EstimateInput {
  // The model; sizes and features as in its configuration.
  int64_t layers = 0, hiddenSize = 0, intermediateSize = 0, heads = 0, keyValueHeads = 0, headSize = 0, vocabularySize = 0;
  bool hasTiedHead = false;
  // The adapter; targets are module names ("q_proj"), or "all-linear".
  int64_t r = 8;
  double dropout = 0;
  std::vector<std::string> targets;
  // The largest batch of an iteration: tokens of one rank, of its longest row, and targets of one rank and of all of them.
  int64_t tokens = 0, longestRow = 0, rankTargets = 0, allTargets = 0;
  double meanRow = 0;  // length of the row that a token is in, on average; 0: as long as the longest
  // How frozen weights are held where that is not float32 (memory.weights).
  struct LayerForms {
    weights::RowFormat q, k, v, o, gate, up, down;
  };
  std::vector<LayerForms> layerForms;  // one per layer; none: float32
  int64_t embeddingRow = 0, headRow = 0;  // bytes of a row; 0: float32
  int64_t ranks = 1;
  int64_t threadsPerRank = 1;
  Policy policy = Policy::Elastic;
  bool mayRecompute = false;  // memory.activations is not save
  // What else the model has, as in its configuration.
  bool hasOutputNorms = false, hasHeadNorms = false;
  int64_t slidingWindow = 0;
  std::vector<bool> slidingLayers;  // one per layer, or none
};

// What an operator computes and exchanges, beside the gathering of weights.
struct Work {
  double forwardOperations = 0, backwardOperations = 0;  // floating-point, of its products
  double forwardDecoded = 0, backwardDecoded = 0;        // elements of encoded weights
  double exchangedBytes = 0;                             // hidden states and gradients that a rank receives
};

// Bytes of one operator, as the ledger counts them.
struct OperatorEstimate {
  std::string name;
  int64_t activationBytes = 0;  // kept for backward
  int64_t savedBytes = 0;       // the part of it that it could compute again: all but its output
  int64_t workspaceBytes = 0;   // the larger of forward's and backward's peak
  int64_t forwardPeakBytes = 0;   // of everything but remote weights
  int64_t backwardPeakBytes = 0;  // 0: it runs no backward
  int64_t remoteBytes = 0;        // of its piece, on the rank that owns least of it
  Work work;
};

struct Estimate {
  int64_t staticBytes = 0, trainableBytes = 0;
  int64_t activationBytes = 0;      // of all operators, at the turn
  int64_t workspaceBytes = 0;       // the largest of any operator
  int64_t largestPieceBytes = 0;    // remote bytes
  int64_t boundaryPeakBytes = 0;    // between iterations, in the optimizer
  std::vector<OperatorEstimate> operators;  // embedding, the layers', loss head
  int64_t leastBudgetBytes = 0;     // each piece is gathered for its own use and dropped; all is recomputed that may be
  int64_t leastActivationBytes = 0; // with that budget
  int64_t wholeBudgetBytes = 0;     // from the second iteration on nothing is gathered
};

// The model's part of the input, for frozen weights held in this form.
EstimateInput estimateInputOf(const weights::ModelSource& source, weights::WeightForm form);

// Peak of the loss head's own allocations (core/model/vocabulary.cpp); of the model it needs the vocabulary's two sizes.
int64_t lossHeadWorkspaceBytes(const EstimateInput& input);

// InvalidConfig if a number is not positive or no target is in the model.
Result<Estimate> estimateMemory(const EstimateInput& input);

}  // namespace tidemark::memory
