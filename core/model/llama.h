// Builds the operators of a model (Llama, Gemma 3) from its configuration: which pieces of frozen weights there are, and what runs on them.
#pragma once

#include <memory>
#include <vector>

#include "core/comm/communicator.h"
#include "core/memory/parameter_store.h"
#include "core/memory/profile.h"
#include "core/model/operator.h"
#include "core/model/rotary.h"
#include "core/model/vocabulary.h"
#include "core/peft/lora.h"
#include "core/weights/model_source.h"

namespace tidemark::model {

// Operators in forward order are: embedding (the vocabulary's), operators[0..], loss head (final norm and vocabulary).
// Piece i of the store belongs to operators[i].
struct Model {
  weights::ModelConfig config;
  std::unique_ptr<memory::ParameterStore> store;
  std::unique_ptr<Vocabulary> vocabulary;
  std::unique_ptr<Rotary> rotary;
  std::vector<std::unique_ptr<Operator>> operators;
  at::Tensor finalNorm;                     // [H]
  std::unique_ptr<peft::TrainableState> trainable;
  int64_t frozenParameters = 0;

  memory::HeadShape headShape() const { return {config.vocabularySize, config.hiddenSize, vocabulary->isHeadEncoded()}; }
  int64_t frozenBytes() const { return frozenParameters * 4; }
  // The first operator whose backward is needed: the lowest with an adapter.
  size_t lowestAdapter() const;
};

// Loads this rank's shard, in the form asked for. Adapters are bound to zeroed trainable state: initialise or load them next.
Result<std::unique_ptr<Model>> loadModel(const weights::ModelSource& source, const peft::LoraSettings& lora,
                                         comm::Communicator& communicator, memory::Sharding sharding, c10::Device device,
                                         weights::WeightForm form = weights::WeightForm::Float32);

}  // namespace tidemark::model
