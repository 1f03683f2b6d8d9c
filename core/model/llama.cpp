#include "core/model/llama.h"

#include <ATen/Functions.h>

#include "core/memory/ledger.h"
#include "core/model/attention.h"
#include "core/model/mlp.h"

namespace tidemark::model {
namespace {

using weights::ModelConfig;

struct LayerNames {
  explicit LayerNames(int64_t layer) : prefix("model.layers." + std::to_string(layer) + ".") {}
  std::string module(const std::string& name) const { return prefix + name; }
  std::string weight(const std::string& name) const { return prefix + name + ".weight"; }
  std::string prefix;
};

struct GroupPlan {
  std::vector<std::string> modules;
  std::vector<int64_t> rows;
  int64_t columns;
};

std::vector<GroupPlan> attentionGroups(const ModelConfig& c) {
  const int64_t q = c.headCount * c.headSize, kv = c.keyValueHeadCount * c.headSize;
  return {{{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, {q, kv, kv}, c.hiddenSize},
          {{"self_attn.o_proj"}, {c.hiddenSize}, q}};
}

std::vector<GroupPlan> mlpGroups(const ModelConfig& c) {
  return {{{"mlp.gate_proj", "mlp.up_proj"}, {c.intermediateSize, c.intermediateSize}, c.hiddenSize},
          {{"mlp.down_proj"}, {c.hiddenSize}, c.intermediateSize}};
}

// What a run reads frozen weights from, and how it holds them.
struct Frozen {
  const weights::ModelSource& source;
  weights::WeightForm form;
};

memory::PieceSpec pieceSpec(const std::string& name, const LayerNames& names, const std::vector<GroupPlan>& groups,
                            const Frozen& frozen) {
  memory::PieceSpec spec{name, {}};
  for (const GroupPlan& group : groups) {
    memory::WeightGroup weights;
    weights.columns = group.columns;
    for (size_t i = 0; i < group.modules.size(); ++i) {
      const std::string tensor = names.weight(group.modules[i]);
      weights.matrices.push_back({tensor, group.rows[i], weights::formatFor(frozen.form, frozen.source, tensor)});
    }
    spec.groups.push_back(std::move(weights));
  }
  return spec;
}

peft::LoraGroup loraGroup(const LayerNames& names, const GroupPlan& group, const peft::LoraSettings& lora,
                          peft::TrainableState& state) {
  std::vector<peft::LoraGroup::Matrix> matrices;
  int64_t row = 0;
  for (size_t i = 0; i < group.modules.size(); ++i) {
    matrices.push_back({names.module(group.modules[i]), row, group.rows[i]});
    row += group.rows[i];
  }
  return {matrices, group.columns, lora, state};
}

// The weights of a norm, as rmsNorm() takes them.
Result<at::Tensor> readNorm(const weights::ModelSource& source, const std::string& name, int64_t size, c10::Device device) {
  const memory::SpaceScope space(memory::Space::Static);
  at::Tensor values = at::empty({size}, at::kFloat);
  TIDEMARK_TRY(source.readRows(name, 0, size, values.mutable_data_ptr<float>()));
  if (source.config().normOffset != 0) values.add_(source.config().normOffset);
  return values.to(device);
}

Result<AttentionNorms> attentionNorms(const weights::ModelSource& source, const LayerNames& names, c10::Device device) {
  const ModelConfig& c = source.config();
  AttentionNorms norms;
  norms.epsilon = c.normEpsilon;
  TIDEMARK_ASSIGN(norms.input, readNorm(source, names.weight("input_layernorm"), c.hiddenSize, device));
  if (c.hasQueryKeyNorm) {
    TIDEMARK_ASSIGN(norms.query, readNorm(source, names.weight("self_attn.q_norm"), c.headSize, device));
    TIDEMARK_ASSIGN(norms.key, readNorm(source, names.weight("self_attn.k_norm"), c.headSize, device));
  }
  if (!c.hasOutputNorms) return norms;
  TIDEMARK_ASSIGN(at::Tensor output, readNorm(source, names.weight("post_attention_layernorm"), c.hiddenSize, device));
  norms.output = OutputNorm(std::move(output), c.normEpsilon);
  return norms;
}

Result<MlpNorms> mlpNorms(const weights::ModelSource& source, const LayerNames& names, c10::Device device) {
  const ModelConfig& c = source.config();
  const char* input = c.hasOutputNorms ? "pre_feedforward_layernorm" : "post_attention_layernorm";
  MlpNorms norms;
  norms.epsilon = c.normEpsilon;
  TIDEMARK_ASSIGN(norms.input, readNorm(source, names.weight(input), c.hiddenSize, device));
  if (!c.hasOutputNorms) return norms;
  TIDEMARK_ASSIGN(at::Tensor output, readNorm(source, names.weight("post_feedforward_layernorm"), c.hiddenSize, device));
  norms.output = OutputNorm(std::move(output), c.normEpsilon);
  return norms;
}

AttentionShape attentionShape(const ModelConfig& c, int64_t layer) {
  AttentionShape shape{c.headCount, c.keyValueHeadCount, c.headSize, c.isSliding(layer), {}};
  shape.rule.scale = c.attentionScale;
  if (shape.isSliding) shape.rule.window = c.slidingWindow;
  return shape;
}

}  // namespace

size_t Model::lowestAdapter() const {
  size_t lowest = 0;
  while (lowest < operators.size() && !operators[lowest]->hasAdapter()) ++lowest;
  return lowest;
}

Result<std::unique_ptr<Model>> loadModel(const weights::ModelSource& source, const peft::LoraSettings& lora,
                                         comm::Communicator& communicator, memory::Sharding sharding, c10::Device device,
                                         weights::WeightForm form) {
  const Frozen frozen{source, form};
  auto model = std::make_unique<Model>();
  const ModelConfig& c = model->config = source.config();
  if (c.hasAttentionBias || c.hasMlpBias)
    return Error{ErrorCode::Unsupported, c.name, "has biases in its linear layers, which this version cannot train on"};
  model->trainable = std::make_unique<peft::TrainableState>();
  model->rotary = std::make_unique<Rotary>(c, device);
  model->frozenParameters = source.parameterCount();

  std::vector<memory::PieceSpec> pieces;
  for (int64_t layer = 0; layer < c.layerCount; ++layer) {
    const LayerNames names(layer);
    const std::string prefix = "layers." + std::to_string(layer);
    const auto attention = attentionGroups(c), mlp = mlpGroups(c);
    pieces.push_back(pieceSpec(prefix + ".attention", names, attention, frozen));
    pieces.push_back(pieceSpec(prefix + ".mlp", names, mlp, frozen));
    TIDEMARK_ASSIGN(AttentionNorms beforeAttention, attentionNorms(source, names, device));
    TIDEMARK_ASSIGN(MlpNorms beforeMlp, mlpNorms(source, names, device));
    peft::TrainableState& state = *model->trainable;
    auto qkv = loraGroup(names, attention[0], lora, state), o = loraGroup(names, attention[1], lora, state);
    auto gateUp = loraGroup(names, mlp[0], lora, state), down = loraGroup(names, mlp[1], lora, state);
    model->operators.push_back(std::make_unique<AttentionOperator>(
        prefix + ".attention", attentionShape(c, layer), std::move(beforeAttention), std::move(qkv), std::move(o)));
    model->operators.push_back(std::make_unique<MlpOperator>(
        prefix + ".mlp", MlpShape{c.intermediateSize, c.activation}, std::move(beforeMlp), std::move(gateUp), std::move(down)));
  }
  TIDEMARK_ASSIGN(model->finalNorm, readNorm(source, "model.norm.weight", c.hiddenSize, device));

  model->store = std::make_unique<memory::ParameterStore>(std::move(pieces), communicator, sharding, device);
  TIDEMARK_TRY(model->store->load(source));
  model->vocabulary = std::make_unique<Vocabulary>(c.vocabularySize, c.hiddenSize, communicator, sharding, device);
  model->vocabulary->setEmbeddingScale(c.embeddingScale);
  const std::string embedding = "model.embed_tokens.weight";
  TIDEMARK_TRY(model->vocabulary->load(source, embedding, c.hasTiedHead ? embedding : "lm_head.weight", form));
  source.dropPages();

  model->trainable->allocate(device);
  for (const auto& op : model->operators) op->bindAdapters();
  return model;
}

}  // namespace tidemark::model
