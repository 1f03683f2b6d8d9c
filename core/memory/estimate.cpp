#include "core/memory/estimate.h"

#include <algorithm>

namespace tidemark::memory {
namespace {

constexpr int64_t kFloat = 4, kLong = 8, kDouble = 8;
constexpr int64_t kChunkElements = 2 << 20;   // logits at a time (core/model/vocabulary.cpp)
constexpr int64_t kBlockRows = 4096;          // of the vocabulary at a time (ditto)
constexpr int64_t kDecodedBytes = 16 << 20;   // of an encoded matrix at a time (core/model/blocked_linear.h)
constexpr int64_t kUpdateElements = 1 << 18;  // of an optimizer pass (core/train/optimizer.cpp)
constexpr int64_t kReserveBytes = 32 << 10;   // what a plan leaves free (core/memory/profile.cpp)

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
};

class Formulas {
 public:
  explicit Formulas(const EstimateInput& input)
      : in_(input), n_(input.tokens), H_(input.hiddenSize), I_(input.intermediateSize), Q_(input.heads * input.headSize),
        K_(input.keyValueHeads * input.headSize), F_(Q_ + 2 * K_), r_(input.r),
        ranks_(input.policy == Policy::Unsharded ? 1 : input.ranks) {}

  int64_t trainableParameters() const { return in_.layers * (attentionAdapter() + mlpAdapter()); }
  int64_t trainableBytes() const { return 4 * kFloat * trainableParameters(); }  // gradients and two moments beside them
  int64_t attentionWeights() const { return F_ * H_ + H_ * Q_; }
  int64_t mlpWeights() const { return 3 * I_ * H_; }
  // The rows of a group that the last rank owns, and those that the first does not.
  int64_t largestShare(int64_t rows) const { return (rows + ranks_ - 1) / ranks_; }
  int64_t remoteRows(int64_t rows) const { return rows - rows / ranks_; }
  int64_t attentionRemote(int64_t layer) const { return attentionBytes(layer, [this](int64_t rows) { return remoteRows(rows); }); }
  int64_t mlpRemote(int64_t layer) const { return mlpBytes(layer, [this](int64_t rows) { return remoteRows(rows); }); }

  int64_t staticBytes() const {
    const auto share = [this](int64_t rows) { return largestShare(rows); };
    int64_t bytes = kFloat * H_;
    for (int64_t layer = 0; layer < in_.layers; ++layer)
      bytes += attentionBytes(layer, share) + mlpBytes(layer, share) + 2 * kFloat * H_;
    const auto rowBytes = [this](int64_t encoded) { return encoded > 0 ? encoded : kFloat * H_; };
    const int64_t tables = rowBytes(in_.embeddingRow) + (in_.hasTiedHead ? 0 : rowBytes(in_.headRow));
    return bytes + largestShare(in_.vocabularySize) * tables;
  }

  bool attentionHasAdapter() const { return attentionAdapter() > 0; }
  bool mlpHasAdapter() const { return mlpAdapter() > 0; }

  // Through the whole iteration: ids and positions, target rows and targets, the rotary angles and their
  // frequencies.
  int64_t batchBytes() const {
    return 2 * kLong * (n_ + in_.rankTargets) + kFloat * (n_ * in_.headSize + in_.headSize / 2);
  }
  int64_t hiddenBytes() const { return kFloat * n_ * H_; }

  int64_t embeddingWorkspace() const;
  int64_t headWorkspace() const;
  Run attention(bool needsInputGradient) const;
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
  // Matrices of one group in the same form are divided together, as the store does.
  template <typename Rows>
  int64_t attentionBytes(int64_t layer, const Rows& rowsHeld) const {
    if (in_.layerRows.empty()) return kFloat * (rowsHeld(F_) * H_ + rowsHeld(H_) * Q_);
    const EstimateInput::LayerRows& r = in_.layerRows[static_cast<size_t>(layer)];
    const int64_t qkv = r.q == r.k && r.k == r.v ? rowsHeld(F_) * r.q
                        : r.k == r.v             ? rowsHeld(Q_) * r.q + rowsHeld(2 * K_) * r.k
                        : r.q == r.k             ? rowsHeld(Q_ + K_) * r.q + rowsHeld(K_) * r.v
                                                 : rowsHeld(Q_) * r.q + rowsHeld(K_) * r.k + rowsHeld(K_) * r.v;
    return qkv + rowsHeld(H_) * r.o;
  }
  template <typename Rows>
  int64_t mlpBytes(int64_t layer, const Rows& rowsHeld) const {
    if (in_.layerRows.empty()) return kFloat * (rowsHeld(2 * I_) * H_ + rowsHeld(H_) * I_);
    const EstimateInput::LayerRows& r = in_.layerRows[static_cast<size_t>(layer)];
    return (r.gate == r.up ? rowsHeld(2 * I_) * r.gate : rowsHeld(I_) * (r.gate + r.up)) + rowsHeld(H_) * r.down;
  }
  // Rows of an encoded group that are decoded for one product: of the largest block, an own shard's.
  int64_t decoded(int64_t rows, int64_t columns) const {
    return in_.layerRows.empty() ? 0 : std::min(kDecodedBytes, kFloat * largestShare(rows) * columns);
  }
  // A mask and the masked input live beside an adapter's product.
  int64_t dropped(int64_t adapters, int64_t columns) const { return in_.dropout > 0 && adapters > 0 ? 2 * n_ * columns : 0; }
  // Gradient for the input: normalised values, their gradient, then the adapter's or the norm's own workspace.
  int64_t normBackward(int64_t adapters) const {
    return 2 * n_ * H_ + std::max(n_ * r_ * adapters + dropped(adapters, H_), n_ * H_ + n_);
  }
  // Blocks of the processor's flash attention, a set for each thread: query rows times key rows.
  int64_t queryBlock() const { return in_.longestRow >= 768 ? 256 : in_.longestRow >= 192 ? 64 : 32; }
  int64_t keyBlock() const { return std::min<int64_t>(512, in_.longestRow); }

  const EstimateInput& in_;
  int64_t n_, H_, I_, Q_, K_, F_, r_, ranks_;
};

int64_t Formulas::embeddingWorkspace() const {
  if (ranks_ == 1) return hiddenBytes();
  // Rows sent to the others (at worst all that they ask for), received, and put in place; their indices.
  const int64_t rows = (ranks_ + 2) * n_;
  return kFloat * rows * H_ + kLong * (ranks_ + 1) * n_;
}

int64_t Formulas::headWorkspace() const {
  const int64_t m = in_.rankTargets, M = ranks_ == 1 ? m : in_.allTargets;
  const int64_t ownRows = largestShare(in_.vocabularySize);
  const int64_t block = std::min(ownRows, kBlockRows), chunk = std::min(M, std::max<int64_t>(16, kChunkElements / block));
  const int64_t head = in_.hasTiedHead ? in_.embeddingRow : in_.headRow, decodedBlock = head > 0 ? block * H_ : 0;
  // Targets, their places in a block and whether they are there; largest, sums.
  const int64_t statistics = 2 * kLong * M + M + 3 * kFloat * M;
  const int64_t gathered = ranks_ == 1 ? 0 : M * H_;
  const int64_t always = n_ * H_ + 2 * m * H_ + m + gathered + M * H_;  // dx, rows, hidden, all, gradient
  const int64_t logits = decodedBlock + chunk * block + 6 * chunk;
  const int64_t targetRows = M * H_ + 6 * M;                            // the targets' own term
  const int64_t exchanged = ranks_ == 1 ? 0 : ranks_ * m * H_ + m * H_ + 6 * M;
  return kFloat * (always + std::max({logits, targetRows, exchanged})) + statistics;
}

Run Formulas::attention(bool needsInputGradient) const {
  const int64_t heads = n_ * in_.heads, T = in_.longestRow, threads = in_.threadsPerRank;
  const int64_t hQkv = n_ * r_ * qkvCount(), hO = adapts("o_proj") ? n_ * r_ : 0;
  const int64_t turned = n_ * (Q_ + K_) / 2;  // half of the heads' columns at a time
  Run run;
  run.keptBytes = kFloat * (n_ + n_ * F_ + n_ * Q_ + heads + hQkv + hO + n_ * H_);
  run.forward.raise(run.keptBytes + kFloat * dropped(adapts("o_proj"), Q_));
  run.forward.raise(kFloat * (n_ + n_ * H_ + n_ * F_ + hQkv + std::max(turned, dropped(qkvCount(), H_))));
  const int64_t blocks = threads * queryBlock() * (keyBlock() + 2 + in_.headSize);
  run.forward.raise(kFloat * (n_ + n_ * F_ + hQkv + n_ * Q_ + heads + T * Q_ + blocks));

  run.forward.raise(kFloat * (n_ + n_ * H_ + n_ * F_) + decoded(F_, H_));
  run.forward.raise(run.keptBytes + decoded(H_, Q_));

  run.backward.raise(kFloat * (n_ * Q_ + hO + dropped(adapts("o_proj"), Q_)));
  run.backward.raise(kFloat * n_ * Q_ + decoded(H_, Q_));
  // Gradients of query, and of key and value once for each query head; beside them a copy, then the sums over heads.
  const int64_t backwardBlocks = threads * queryBlock() * (2 * keyBlock() + 1);
  run.backward.raise(kFloat * (n_ * Q_ + n_ * F_ + 3 * T * Q_ + std::max(T * Q_ + backwardBlocks, T * K_)));
  const int64_t freed = kFloat * n_ * Q_;  // the attended values
  run.backward.raise(kFloat * (n_ * F_ + turned), freed);
  if (needsInputGradient) {
    run.backward.raise(kFloat * (n_ * F_ + normBackward(qkvCount())), freed);
    run.backward.raise(kFloat * (n_ * F_ + 2 * n_ * H_) + decoded(F_, H_), freed);
  } else if (qkvCount() > 0) {
    run.backward.raise(kFloat * (n_ * F_ + n_ * H_ + hQkv + dropped(qkvCount(), H_)), freed);
  }
  return run;
}

Run Formulas::mlp(bool needsInputGradient) const {
  const int64_t hGateUp = n_ * r_ * gateUpCount(), hDown = adapts("down_proj") ? n_ * r_ : 0;
  Run run;
  const int64_t kept = n_ + 2 * n_ * I_ + hGateUp + hDown + n_ * H_;
  run.keptBytes = kFloat * kept;
  run.forward.raise(kFloat * (kept + n_ * I_ + dropped(adapts("down_proj"), I_)));
  run.forward.raise(kFloat * (n_ + 2 * n_ * I_ + n_ * H_ + hGateUp + dropped(gateUpCount(), H_)));
  run.forward.raise(kFloat * (n_ + 2 * n_ * I_ + n_ * H_) + decoded(2 * I_, H_));
  run.forward.raise(kFloat * (kept + n_ * I_) + decoded(H_, I_));
  run.backward.raise(kFloat * 2 * n_ * I_ + decoded(H_, I_));
  run.backward.raise(kFloat * (2 * n_ * I_ + (hDown > 0 ? n_ * I_ + hDown + dropped(1, I_) : 0)));
  if (needsInputGradient) {
    run.backward.raise(kFloat * normBackward(gateUpCount()));
    run.backward.raise(kFloat * 2 * n_ * H_ + decoded(2 * I_, H_));
  } else if (gateUpCount() > 0) {
    run.backward.raise(kFloat * (n_ * H_ + hGateUp + dropped(gateUpCount(), H_)));
  }
  return run;
}

// Lays the operators' bytes one after the other, as an iteration does.
class Iteration {
 public:
  Iteration(const EstimateInput& input, const Formulas& formulas, bool recomputes)
      : in_(input), f_(formulas), recomputes_(recomputes) {}

  Estimate lay() {
    estimate_.staticBytes = f_.staticBytes();
    estimate_.trainableBytes = f_.trainableBytes();
    loose_ = f_.batchBytes();
    held_ = estimate_.staticBytes + estimate_.trainableBytes + loose_;
    add("embedding", {f_.hiddenBytes(), {f_.embeddingWorkspace(), f_.embeddingWorkspace()}, {}}, 0, true, false);
    const size_t lowest = f_.attentionHasAdapter() ? 0 : 1;
    for (size_t i = 0; i < static_cast<size_t>(2 * in_.layers); ++i) {
      const auto layer = static_cast<int64_t>(i / 2);
      const std::string name = "layers." + std::to_string(layer) + (i % 2 == 0 ? ".attention" : ".mlp");
      Run run = i % 2 == 0 ? f_.attention(i != lowest) : f_.mlp(i != lowest);
      if (recomputes_) recompute(run);
      add(name, run, i % 2 == 0 ? f_.attentionRemote(layer) : f_.mlpRemote(layer), i >= lowest, i >= lowest);
      if (i < lowest) {  // its output takes the place of the embedding's, and is no operator's activation
        loose_ += f_.hiddenBytes();
        estimate_.activationBytes -= f_.hiddenBytes();
      }
    }
    addHead();
    total();
    return std::move(estimate_);
  }

 private:
  void add(const std::string& name, const Run& run, int64_t remoteBytes, bool keeps, bool hasBackward) {
    OperatorEstimate op;
    op.name = name;
    op.activationBytes = keeps ? run.keptBytes : 0;
    op.remoteBytes = remoteBytes;
    op.workspaceBytes = loose_ + run.forward.workspace;
    op.forwardPeakBytes = held_ + run.forward.total;
    if (keeps) held_ += run.keptBytes;
    if (hasBackward) {
      // The gradient for its output takes the place of that output.
      op.workspaceBytes = std::max(op.workspaceBytes, loose_ + f_.hiddenBytes() + run.backward.workspace);
      op.backwardPeakBytes = held_ + run.backward.total;
    }
    estimate_.activationBytes += op.activationBytes;
    estimate_.operators.push_back(op);
  }

  // Only the output is kept; backward begins with forward, beside the gradient of the output, and holds what it saves.
  void recompute(Run& run) const {
    const int64_t saved = run.keptBytes - f_.hiddenBytes();
    run.keptBytes = f_.hiddenBytes();
    run.backward.workspace += saved;
    run.backward.total += saved;
    run.backward.raise(run.forward.workspace);
  }

  void addHead() {
    OperatorEstimate head;
    head.name = "loss_head";
    head.workspaceBytes = loose_ + f_.headWorkspace();
    head.forwardPeakBytes = held_ - f_.hiddenBytes() + f_.headWorkspace();  // the last output is freed
    estimate_.operators.push_back(head);
  }

  void total() {
    auto& ops = estimate_.operators;
    const int64_t update = kDouble * std::min(kUpdateElements, f_.trainableParameters());
    estimate_.boundaryPeakBytes = estimate_.staticBytes + estimate_.trainableBytes + update;
    int64_t peak = estimate_.boundaryPeakBytes, least = peak, remote = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      // The first piece is gathered while the embedding runs, the last one while the loss head does.
      const int64_t piece = ops[std::clamp<size_t>(i, 1, ops.size() - 2)].remoteBytes;
      const int64_t own = std::max(ops[i].forwardPeakBytes, ops[i].backwardPeakBytes);
      peak = std::max(peak, own);
      least = std::max(least, own + piece);
      remote += ops[i].remoteBytes;
      estimate_.workspaceBytes = std::max(estimate_.workspaceBytes, ops[i].workspaceBytes);
      estimate_.largestPieceBytes = std::max(estimate_.largestPieceBytes, ops[i].remoteBytes);
    }
    estimate_.leastBudgetBytes = least + kReserveBytes;
    estimate_.wholeBudgetBytes = peak + remote + kReserveBytes;
  }

  const EstimateInput& in_;
  const Formulas& f_;
  const bool recomputes_;
  Estimate estimate_;
  int64_t held_ = 0;   // when the next operator begins
  int64_t loose_ = 0;  // the part of it that counts as workspace of whatever runs
};

}  // namespace

EstimateInput estimateInputOf(const weights::ModelSource& source, weights::WeightForm form) {
  const weights::ModelConfig& m = source.config();
  EstimateInput in;
  in.layers = m.layerCount;
  in.hiddenSize = m.hiddenSize;
  in.intermediateSize = m.intermediateSize;
  in.heads = m.headCount;
  in.keyValueHeads = m.keyValueHeadCount;
  in.headSize = m.headSize;
  in.vocabularySize = m.vocabularySize;
  in.hasTiedHead = m.hasTiedHead;
  if (form == weights::WeightForm::Float32) return in;
  const auto rowBytes = [&](const std::string& tensor) { return weights::formatFor(form, source, tensor + ".weight").rowBytes(); };
  for (int64_t layer = 0; layer < in.layers; ++layer) {
    const auto of = [&](const char* name) { return rowBytes("model.layers." + std::to_string(layer) + "." + name); };
    in.layerRows.push_back({of("self_attn.q_proj"), of("self_attn.k_proj"), of("self_attn.v_proj"), of("self_attn.o_proj"),
                            of("mlp.gate_proj"), of("mlp.up_proj"), of("mlp.down_proj")});
  }
  in.embeddingRow = rowBytes("model.embed_tokens");
  in.headRow = in.hasTiedHead ? 0 : rowBytes("lm_head");
  return in;
}

int64_t lossHeadWorkspaceBytes(const EstimateInput& input) { return Formulas(input).headWorkspace(); }

Result<Estimate> estimateMemory(const EstimateInput& in) {
  for (const int64_t number : {in.layers, in.hiddenSize, in.intermediateSize, in.heads, in.keyValueHeads, in.headSize,
                               in.vocabularySize, in.r, in.tokens, in.longestRow, in.rankTargets, in.allTargets, in.ranks,
                               in.threadsPerRank})
    if (number <= 0) return Error{ErrorCode::InvalidConfig, "memory estimate", "every size of the model and of the batch must be positive"};
  const Formulas formulas(in);
  if (formulas.trainableParameters() == 0)
    return Error{ErrorCode::InvalidConfig, "peft.target_modules", "names no linear layer of this model"};
  Estimate estimate = Iteration(in, formulas, false).lay();
  const Estimate least = Iteration(in, formulas, in.mayRecompute).lay();
  estimate.leastBudgetBytes = least.leastBudgetBytes;
  estimate.leastActivationBytes = least.activationBytes;
  return estimate;
}

}  // namespace tidemark::memory
