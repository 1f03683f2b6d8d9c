#include "core/memory/estimate.h"

#include "core/memory/estimate_formulas.h"

namespace tidemark::memory {
namespace {

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
    add("embedding", {f_.hiddenBytes(), {f_.embeddingWorkspace(), f_.embeddingWorkspace()}, {}, f_.embeddingWork()}, 0, true, false);
    const size_t lowest = f_.attentionHasAdapter() ? 0 : 1;
    for (size_t i = 0; i < static_cast<size_t>(2 * in_.layers); ++i) {
      const auto layer = static_cast<int64_t>(i / 2);
      const std::string name = "layers." + std::to_string(layer) + (i % 2 == 0 ? ".attention" : ".mlp");
      Run run = i % 2 == 0 ? f_.attention(layer, i != lowest) : f_.mlp(i != lowest);
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
    op.work = run.work;
    op.workspaceBytes = loose_ + run.forward.workspace;
    op.forwardPeakBytes = held_ + run.forward.total;
    if (keeps) held_ += run.keptBytes;
    if (hasBackward) {
      // The gradient for its output takes the place of that output.
      op.workspaceBytes = std::max(op.workspaceBytes, loose_ + f_.hiddenBytes() + run.backward.workspace);
      op.backwardPeakBytes = held_ + run.backward.total;
      op.savedBytes = run.keptBytes - f_.hiddenBytes();
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
    head.work = f_.headWork();
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
  in.hasOutputNorms = m.hasOutputNorms;
  in.hasHeadNorms = m.hasQueryKeyNorm;
  in.slidingWindow = m.slidingWindow;
  in.slidingLayers = m.slidingLayers;
  if (form == weights::WeightForm::Float32) return in;
  const auto formatOf = [&](const std::string& tensor) { return weights::formatFor(form, source, tensor + ".weight"); };
  for (int64_t layer = 0; layer < in.layers; ++layer) {
    const auto of = [&](const char* name) { return formatOf("model.layers." + std::to_string(layer) + "." + name); };
    in.layerForms.push_back({of("self_attn.q_proj"), of("self_attn.k_proj"), of("self_attn.v_proj"), of("self_attn.o_proj"),
                            of("mlp.gate_proj"), of("mlp.up_proj"), of("mlp.down_proj")});
  }
  in.embeddingRow = formatOf("model.embed_tokens").rowBytes();
  in.headRow = in.hasTiedHead ? 0 : formatOf("lm_head").rowBytes();
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
