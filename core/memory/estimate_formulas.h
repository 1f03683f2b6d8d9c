// What each kind of operator allocates, keeps and computes for one batch: formulas that follow core/model, in the letters of
// core/README.md. Used by estimate.cpp alone, which lays the operators one after the other.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/memory/block_sizes.h"
#include "core/memory/estimate.h"
#include "core/memory/piece_parts.h"

namespace tidemark::memory {

inline constexpr int64_t kFloat = 4, kLong = 8, kDouble = 8;

// Peaks while an operator runs, relative to what was held before. Workspace counts what it allocates; total also what it
// frees of the activations.
struct Peaks {
  int64_t workspace = 0, total = 0;
  void raise(int64_t allocated, int64_t freed = 0) {
    workspace = std::max(workspace, allocated);
    total = std::max(total, allocated - freed);
  }
};

struct Run {
  int64_t keptBytes = 0;
  Peaks forward, backward;
  Work work;
};

class Formulas {
 public:
  explicit Formulas(const EstimateInput& input);

  int64_t trainableParameters() const { return in_.layers * (attentionAdapter() + mlpAdapter()); }
  int64_t trainableBytes() const { return 4 * kFloat * trainableParameters(); }  // gradients and two moments beside them
  int64_t attentionWeights() const { return F_ * H_ + H_ * Q_; }
  int64_t mlpWeights() const { return 3 * I_ * H_; }
  // The rows of a group that the last rank owns, and those that the first does not.
  int64_t largestShare(int64_t rows) const { return (rows + ranks_ - 1) / ranks_; }
  int64_t remoteRows(int64_t rows) const { return rows - rows / ranks_; }
  int64_t attentionRemote(int64_t layer) const { return remoteBytes(attentionParts_, layer); }
  int64_t mlpRemote(int64_t layer) const { return remoteBytes(mlpParts_, layer); }
  int64_t staticBytes() const;
  int64_t ranks() const { return ranks_; }

  bool attentionHasAdapter() const { return attentionAdapter() > 0; }
  bool mlpHasAdapter() const { return mlpAdapter() > 0; }

  // Through the whole iteration: ids and positions, target rows and targets, the rotary angles and their
  // frequencies.
  int64_t batchBytes() const {
    const int64_t turns = in_.slidingWindow > 0 ? 2 : 1;
    return 2 * kLong * (n_ + in_.rankTargets) + kFloat * turns * (n_ * in_.headSize + in_.headSize / 2);
  }
  int64_t hiddenBytes() const { return kFloat * n_ * H_; }

  int64_t embeddingWorkspace() const;
  int64_t headWorkspace() const;
  Work embeddingWork() const;
  Work headWork() const;
  Run attention(int64_t layer, bool needsInputGradient) const;
  Run mlp(bool needsInputGradient) const;

 private:
  bool adapts(const char* module) const {
    return std::any_of(in_.targets.begin(), in_.targets.end(),
                       [&](const std::string& target) { return target == "all-linear" || target == module; });
  }
  int64_t qkvCount() const { return adapts("q_proj") + adapts("k_proj") + adapts("v_proj"); }
  int64_t gateUpCount() const { return adapts("gate_proj") + adapts("up_proj"); }
  int64_t attentionAdapter() const {
    return r_ * (adapts("q_proj") * (H_ + Q_) + (adapts("k_proj") + adapts("v_proj")) * (H_ + K_) + adapts("o_proj") * (Q_ + H_));
  }
  int64_t mlpAdapter() const { return r_ * (gateUpCount() + adapts("down_proj")) * (H_ + I_); }
  Work attentionWork(bool needsInputGradient) const;
  Work mlpWork(bool needsInputGradient) const;
  // What is sharded as one: rows, and bytes of a row. One entry per layer, or one for all where they are alike.
  struct Shard {
    int64_t rows = 0, rowBytes = 0;
  };
  using Shards = std::vector<std::vector<Shard>>;
  static Shards shardsOf(const std::vector<PieceSpec>& pieces);
  static const std::vector<Shard>& of(const Shards& shards, int64_t layer) {
    return shards[shards.size() == 1 ? 0 : static_cast<size_t>(layer)];
  }
  int64_t remoteBytes(const Shards& shards, int64_t layer) const;
  int64_t ownBytes(const Shards& shards, int64_t layer) const;
  // Rows of an encoded group that are decoded for one product: of the largest block, an own shard's.
  int64_t decoded(int64_t rows, int64_t columns) const {
    return in_.layerForms.empty() ? 0 : std::min(kDecodedBytes, kFloat * largestShare(rows) * columns);
  }
  // A mask and the masked input live beside an adapter's product.
  int64_t dropped(int64_t adapters, int64_t columns) const { return in_.dropout > 0 && adapters > 0 ? 2 * n_ * columns : 0; }
  // Gradient for the input: normalised values, their gradient, then the adapter's or the norm's own workspace.
  int64_t normBackward(int64_t adapters) const {
    return 2 * n_ * H_ + std::max(n_ * r_ * adapters + dropped(adapters, H_), n_ * H_ + n_);
  }
  // Of one layer.
  int64_t normElements() const { return (in_.hasOutputNorms ? 4 : 2) * H_ + (in_.hasHeadNorms ? 2 * in_.headSize : 0); }
  // What is normalised before it is added to the input is kept; in backward its gradient is a copy, beside a temporary.
  int64_t projected() const { return in_.hasOutputNorms ? n_ * H_ : 0; }
  // Queries and keys of one call of the attention kernel; see Note: sliding stretches.
  struct Call {
    int64_t queries, keys;
    int64_t mask = 0, maskMaking = 0;
    // Blocks of the processor's flash attention, a set for each thread: query rows times key rows.
    int64_t queryBlock() const { return queries >= 768 ? 256 : queries >= 192 ? 64 : 32; }
    int64_t keyBlock() const { return std::min<int64_t>(512, keys); }
  };
  Call callOf(int64_t layer) const {
    const int64_t T = in_.longestRow, W = in_.slidingWindow;
    const bool isCut = !in_.slidingLayers.empty() && in_.slidingLayers[static_cast<size_t>(layer)] && T > W;
    if (!isCut) return {T, T};
    // The first stretch sees itself, later ones the one before them too; the last may be short.
    const int64_t queries = std::min(W, T - W), keys = std::min(T, 2 * W), mask = queries * keys;
    if (queries + 2 * keys < 3 * W) return {W, W};
    return {queries, keys, mask, 11 * mask / 4};
  }

  const EstimateInput& in_;
  int64_t n_, H_, I_, Q_, K_, F_, r_, ranks_;
  Shards attentionParts_, mlpParts_;
};

}  // namespace tidemark::memory
