#include "core/memory/estimate_formulas.h"

namespace tidemark::memory {
namespace {

// A product of n tokens with w weights takes 2 n w operations; the gradient for the input takes as many, and an adapter's own
// gradients as many again.
double twice(double tokens, double weights) { return 2 * tokens * weights; }

}  // namespace

Formulas::Formulas(const EstimateInput& input)
    : in_(input), n_(input.tokens), H_(input.hiddenSize), I_(input.intermediateSize), Q_(input.heads * input.headSize),
      K_(input.keyValueHeads * input.headSize), F_(Q_ + 2 * K_), r_(input.r),
      ranks_(input.policy == Policy::Unsharded ? 1 : input.ranks) {
  using weights::RowFormat;
  std::vector<EstimateInput::LayerForms> forms = in_.layerForms;
  if (forms.empty()) {
    const RowFormat h = RowFormat::float32(H_), q = RowFormat::float32(Q_), i = RowFormat::float32(I_);
    forms.push_back({h, h, h, q, h, h, i});
  }
  std::vector<PieceSpec> attention, mlp;
  for (const EstimateInput::LayerForms& f : forms) {
    attention.push_back({"", {{{{"", Q_, f.q}, {"", K_, f.k}, {"", K_, f.v}}, H_}, {{{"", H_, f.o}}, Q_}}});
    mlp.push_back({"", {{{{"", I_, f.gate}, {"", I_, f.up}}, H_}, {{{"", H_, f.down}}, I_}}});
  }
  attentionParts_ = shardsOf(attention);
  mlpParts_ = shardsOf(mlp);
}

Formulas::Shards Formulas::shardsOf(const std::vector<PieceSpec>& pieces) {
  Shards shards;
  for (const PieceSpec& piece : pieces) {
    shards.emplace_back();
    for (const Part& part : partsOf(piece)) shards.back().push_back({part.rows, part.format().rowBytes()});
  }
  return shards;
}

int64_t Formulas::remoteBytes(const Shards& shards, int64_t layer) const {
  int64_t bytes = 0;
  for (const Shard& shard : of(shards, layer)) bytes += remoteRows(shard.rows) * shard.rowBytes;
  return bytes;
}

int64_t Formulas::ownBytes(const Shards& shards, int64_t layer) const {
  int64_t bytes = 0;
  for (const Shard& shard : of(shards, layer)) bytes += largestShare(shard.rows) * shard.rowBytes;
  return bytes;
}

int64_t Formulas::staticBytes() const {
  int64_t bytes = kFloat * H_;
  for (int64_t layer = 0; layer < in_.layers; ++layer)
    bytes += ownBytes(attentionParts_, layer) + ownBytes(mlpParts_, layer) + kFloat * normElements();
  const auto rowBytes = [&](int64_t encoded) { return encoded > 0 ? encoded : kFloat * H_; };
  const int64_t tables = rowBytes(in_.embeddingRow) + (in_.hasTiedHead ? 0 : rowBytes(in_.headRow));
  return bytes + largestShare(in_.vocabularySize) * tables;
}

Work Formulas::attentionWork(bool needsInputGradient) const {
  const auto n = static_cast<double>(n_), H = static_cast<double>(H_), Q = static_cast<double>(Q_), F = static_cast<double>(F_);
  const auto adapters = static_cast<double>(attentionAdapter());
  const double row = in_.meanRow > 0 ? in_.meanRow : static_cast<double>(in_.longestRow);
  const double attended = twice(n, row * Q);  // scores and their sum of values, of the half that is not masked
  Work work;
  work.forwardOperations = twice(n, F * H + H * Q) + attended + twice(n, adapters);
  // Attention's backward computes the scores again: five products for two.
  work.backwardOperations = twice(n, H * Q + (needsInputGradient ? F * H : 0)) + 2.5 * attended + 2 * twice(n, adapters);
  if (!in_.layerForms.empty()) {
    work.forwardDecoded = F * H + H * Q;
    work.backwardDecoded = H * Q + (needsInputGradient ? F * H : 0);
  }
  return work;
}

Work Formulas::mlpWork(bool needsInputGradient) const {
  const auto n = static_cast<double>(n_), HI = static_cast<double>(H_ * I_), adapters = static_cast<double>(mlpAdapter());
  const double read = needsInputGradient ? 3 : 1;  // matrices that backward needs
  Work work;
  work.forwardOperations = twice(n, 3 * HI + adapters);
  work.backwardOperations = twice(n, read * HI) + 2 * twice(n, adapters);
  if (!in_.layerForms.empty()) {
    work.forwardDecoded = 3 * HI;
    work.backwardDecoded = read * HI;
  }
  return work;
}

Work Formulas::embeddingWork() const {
  Work work;
  work.exchangedBytes = ranks_ == 1 ? 0 : static_cast<double>(hiddenBytes());
  return work;
}

// Each rank multiplies the targets of all ranks with its own rows of the vocabulary, and computes their gradient at once.
Work Formulas::headWork() const {
  const auto targets = static_cast<double>(ranks_ == 1 ? in_.rankTargets : in_.allTargets), H = static_cast<double>(H_);
  const auto rows = static_cast<double>(largestShare(in_.vocabularySize));
  Work work;
  work.forwardOperations = 2 * twice(targets, rows * H);
  if ((in_.hasTiedHead ? in_.embeddingRow : in_.headRow) > 0) work.forwardDecoded = rows * H;
  work.exchangedBytes = ranks_ == 1 ? 0 : 2 * targets * H * static_cast<double>(kFloat);
  return work;
}

int64_t Formulas::embeddingWorkspace() const {
  if (ranks_ == 1) return hiddenBytes();
  // Rows sent to the others (at worst all that they ask for), received, and put in place; their indices.
  const int64_t rows = (ranks_ + 2) * n_;
  return kFloat * rows * H_ + kLong * (ranks_ + 1) * n_;
}

int64_t Formulas::headWorkspace() const {
  const int64_t m = in_.rankTargets, M = ranks_ == 1 ? m : in_.allTargets;
  const int64_t ownRows = largestShare(in_.vocabularySize);
  const int64_t block = std::min(ownRows, kVocabularyBlockRows), chunk = std::min(M, std::max<int64_t>(16, kLogitChunkElements / block));
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

Run Formulas::attention(int64_t layer, bool needsInputGradient) const {
  const Call call = callOf(layer);
  const int64_t heads = n_ * in_.heads, threads = in_.threadsPerRank;
  const int64_t hQkv = n_ * r_ * qkvCount(), hO = adapts("o_proj") ? n_ * r_ : 0;
  const int64_t turned = n_ * (Q_ + K_) / 2;  // half of the heads' columns at a time
  // Normalised heads are copies.
  const int64_t copied = in_.hasHeadNorms ? n_ * (Q_ + K_) : 0, headInverse = in_.hasHeadNorms ? n_ * (in_.heads + in_.keyValueHeads) : 0;
  Run run;
  run.keptBytes = kFloat * (n_ + n_ * F_ + n_ * Q_ + heads + hQkv + hO + projected() + n_ * H_);
  run.forward.raise(run.keptBytes + kFloat * (dropped(adapts("o_proj"), Q_) - projected()));
  if (in_.hasOutputNorms) run.forward.raise(run.keptBytes + kFloat * n_);
  run.forward.raise(kFloat * (n_ + n_ * H_ + n_ * F_ + hQkv + dropped(qkvCount(), H_)));
  const int64_t fused = n_ + n_ * F_ + hQkv + n_ * Q_;
  run.forward.raise(kFloat * (fused + copied + headInverse + std::max(turned, copied)));
  const int64_t blocks = threads * call.queryBlock() * (call.keyBlock() + 2 + in_.headSize);
  run.forward.raise(kFloat * (fused + copied + heads + call.queries * Q_ + blocks + call.mask));
  run.forward.raise(kFloat * (fused + copied + call.maskMaking));

  run.forward.raise(kFloat * (n_ + n_ * H_ + n_ * F_) + decoded(F_, H_));
  run.forward.raise(run.keptBytes + decoded(H_, Q_) - kFloat * projected());

  if (in_.hasOutputNorms) run.backward.raise(kFloat * (n_ * Q_ + 2 * projected() + 3 * n_));
  run.backward.raise(kFloat * (n_ * Q_ + projected() + hO + dropped(adapts("o_proj"), Q_)), kFloat * projected());
  run.backward.raise(kFloat * (n_ * Q_ + projected()) + decoded(H_, Q_), kFloat * projected());
  // Gradients of query, and of key and value once for each query head; beside them a copy, then the sums over heads.
  const int64_t backwardBlocks = threads * call.queryBlock() * (2 * call.keyBlock() + 1);
  const int64_t gradients = call.queries * Q_ + 2 * call.keys * Q_;
  const int64_t beside = n_ * Q_ + n_ * F_ + copied;
  run.backward.raise(kFloat * (beside + gradients + std::max(call.queries * Q_ + backwardBlocks, call.keys * K_) + call.mask), kFloat * projected());
  run.backward.raise(kFloat * (beside + std::max(call.maskMaking, headInverse + copied)), kFloat * projected());
  const int64_t freed = kFloat * (n_ * Q_ + projected());  // the attended values, and what was normalised
  run.backward.raise(kFloat * (n_ * F_ + std::max(turned, in_.hasHeadNorms ? n_ * (Q_ + 2 * in_.heads) : 0)), freed);
  const int64_t allFreed = freed + kFloat * n_ * F_;  // the projection too
  if (needsInputGradient) {
    run.backward.raise(kFloat * (n_ * F_ + normBackward(qkvCount())), allFreed);
    run.backward.raise(kFloat * (n_ * F_ + 2 * n_ * H_) + decoded(F_, H_), allFreed);
  } else if (qkvCount() > 0) {
    run.backward.raise(kFloat * (n_ * F_ + n_ * H_ + hQkv + dropped(qkvCount(), H_)), allFreed);
  }
  run.work = attentionWork(needsInputGradient);
  return run;
}

Run Formulas::mlp(bool needsInputGradient) const {
  const int64_t hGateUp = n_ * r_ * gateUpCount(), hDown = adapts("down_proj") ? n_ * r_ : 0;
  Run run;
  const int64_t kept = n_ + 2 * n_ * I_ + hGateUp + hDown + projected() + n_ * H_;
  run.keptBytes = kFloat * kept;
  run.forward.raise(kFloat * (kept - projected() + n_ * I_ + dropped(adapts("down_proj"), I_)));
  if (in_.hasOutputNorms) run.forward.raise(kFloat * (kept + n_ * I_ + n_));
  run.forward.raise(kFloat * (n_ + 2 * n_ * I_ + n_ * H_ + hGateUp + dropped(gateUpCount(), H_)));
  run.forward.raise(kFloat * (n_ + 2 * n_ * I_ + n_ * H_) + decoded(2 * I_, H_));
  run.forward.raise(kFloat * (kept - projected() + n_ * I_) + decoded(H_, I_));
  const int64_t freed = kFloat * projected();
  run.backward.raise(kFloat * 2 * projected());
  run.backward.raise(kFloat * (2 * n_ * I_ + projected()) + decoded(H_, I_), freed);
  run.backward.raise(kFloat * (2 * n_ * I_ + projected() + (hDown > 0 ? n_ * I_ + hDown + dropped(1, I_) : 0)), freed);
  if (needsInputGradient) {
    run.backward.raise(kFloat * normBackward(gateUpCount()), freed);
    run.backward.raise(kFloat * 2 * n_ * H_ + decoded(2 * I_, H_), freed);
  } else if (gateUpCount() > 0) {
    run.backward.raise(kFloat * (n_ * H_ + hGateUp + dropped(gateUpCount(), H_)), freed);
  }
  run.work = mlpWork(needsInputGradient);
  return run;
}

}  // namespace tidemark::memory
