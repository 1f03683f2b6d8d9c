// The embedding table and the loss head's matrix, sharded by vocabulary rows and never gathered.
//
// Note: vocabulary in place. The table is by far the largest matrix of a small model, and both its uses need little of it
// to move: for the embedding, the ranks send each other the rows of their tokens; for the loss, each rank multiplies the
// hidden states of all ranks with its own rows, and the ranks combine the log-sum-exp of their parts (vocabulary-parallel
// cross entropy, Shoeybi et al. 2019). Every rank does 1/N of every rank's products, as much work as before, and
// 3 n H numbers travel where V H (N-1)/N would. The logits of a chunk of tokens and a block of rows live at a time, with
// a running largest logit; their gradient for the hidden states is computed at once, in the forward pass, so no product
// is repeated.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/memory/parameter_store.h"
#include "core/model/batch.h"
#include "core/weights/model_source.h"

namespace tidemark::model {

class Vocabulary {
 public:
  Vocabulary(int64_t vocabularySize, int64_t hiddenSize, comm::Communicator& communicator, memory::Sharding sharding,
             c10::Device device);
  // Every embedding is multiplied by it (Gemma); a tied head is not.
  void setEmbeddingScale(double scale) { embeddingScale_ = scale; }
  // Reads this rank's rows of both tables in the form asked for; one table if the head is tied.
  Status load(const weights::ModelSource& source, const std::string& embedding, const std::string& head,
              weights::WeightForm form = weights::WeightForm::Float32);
  int64_t staticBytes() const;
  bool isHeadEncoded() const { return !head_.format.isFloat32(); }
  int64_t hiddenSize() const { return hiddenSize_; }
  int64_t vocabularySize() const { return vocabularySize_; }

  at::Tensor embed(const Batch& batch) const;  // [n, H]

  struct Loss {
    double sum = 0;       // over this rank's targets, in nats
    at::Tensor gradient;  // [m, H], of the sum times `scale`; undefined if not asked for
    at::Tensor perTarget; // [m] float64
  };
  enum class Want { LossOnly, Gradient };
  // hidden [m, H]: normalised hidden states of this rank's targets.
  Loss loss(const at::Tensor& hidden, const Batch& batch, double scale, Want want) const;

  // Logits [rows, V] of a few rows; one rank alone only (generation).
  at::Tensor logits(const at::Tensor& hidden) const;

 private:
  int64_t rowBegin(int rank) const { return vocabularySize_ * rank / size_; }
  // This rank's rows of a table: float32, or bytes in `format` (see Note: encoded weights).
  struct Table {
    at::Tensor rows;
    weights::RowFormat format;
    int64_t count() const { return rows.size(0); }
    at::Tensor select(const at::Tensor& which) const;              // float32 [which, H]
    at::Tensor block(int64_t begin, int64_t count) const;          // float32 [count, H]
  };
  // Over the own rows; see Loss.
  struct PartialLoss {
    at::Tensor largest;   // [M]: of the logits
    at::Tensor sums;      // [2, M]: of exp(logit - largest); the target's logit
    at::Tensor gradient;  // [M, H]: sum over v of exp(logit_v - largest) W_v, the target's own term left out
  };
  PartialLoss overOwnRows(const at::Tensor& all, const at::Tensor& targets, Want want) const;
  at::Tensor scaled(at::Tensor embeddings) const { return embeddingScale_ == 1 ? embeddings : embeddings.mul_(embeddingScale_); }
  at::Tensor gatherHidden(const at::Tensor& hidden, const std::vector<int64_t>& counts) const;

  int64_t vocabularySize_, hiddenSize_;
  comm::Communicator& communicator_;
  int rank_, size_;
  c10::Device device_;
  double embeddingScale_ = 1;
  Table embedding_, head_;
};

}  // namespace tidemark::model
