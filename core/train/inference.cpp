#include "core/train/inference.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <algorithm>

#include "core/model/rms_norm.h"
#include "core/peft/adapter_file.h"
#include "core/train/batches.h"
#include "core/train/iteration.h"
#include "core/weights/hub_cache.h"

namespace tidemark::train {
namespace {

// Keeps the likeliest tokens whose probabilities reach topP (Holtzman et al. 2020), and draws one.
int64_t draw(const at::Tensor& logits, const Inference::Sampling& sampling, at::Generator& generator) {
  if (sampling.temperature <= 0) return logits.argmax().item<int64_t>();
  at::Tensor probabilities = at::softmax(at::div(logits, sampling.temperature), -1);
  if (sampling.topP < 1.0) {
    auto [sorted, order] = probabilities.sort(-1, true);
    const at::Tensor before = sorted.cumsum(-1).sub_(sorted);
    sorted.masked_fill_(before.ge(sampling.topP), 0.0);
    probabilities = at::zeros_like(probabilities).scatter_(0, order, sorted);
  }
  return at::multinomial(probabilities, 1, false, generator).item<int64_t>();
}

}  // namespace

Result<std::unique_ptr<Inference>> Inference::open(const std::string& modelName, const std::filesystem::path& adapter) {
  auto inference = std::make_unique<Inference>();
  TIDEMARK_ASSIGN(const std::filesystem::path path, weights::resolveModelPath(modelName));
  TIDEMARK_ASSIGN(const auto source, weights::ModelSource::open(path));
  TIDEMARK_ASSIGN(inference->tokenizer_, text::Tokenizer::open(path));
  peft::AdapterInfo info;
  info.lora.targets.clear();
  if (!adapter.empty()) {
    TIDEMARK_ASSIGN(info, peft::readAdapterInfo(adapter));
    info.lora.dropout = 0;
  }
  TIDEMARK_ASSIGN(inference->model_, model::loadModel(*source, info.lora, *inference->communicator_, memory::Sharding::Whole,
                                                      c10::Device(c10::kCPU)));
  if (!adapter.empty()) TIDEMARK_TRY(peft::loadAdapter(adapter, *inference->model_->trainable));
  return inference;
}

std::vector<double> Inference::logProbabilities(const std::vector<int64_t>& ids) {
  if (ids.size() < 2) return {};
  const model::Batch batch = batchFromIds(ids, c10::Device(c10::kCPU));
  const at::Tensor hidden = IterationRunner(*model_, ledger_).hiddenStates(batch);
  const auto loss = model_->vocabulary->loss(hidden, batch, 0, model::Vocabulary::Want::LossOnly);
  const at::Tensor values = loss.perTarget.neg().contiguous();
  return {values.const_data_ptr<double>(), values.const_data_ptr<double>() + values.numel()};
}

at::Tensor Inference::logits(const std::vector<int64_t>& ids) {
  std::vector<int64_t> padded = ids;
  padded.push_back(0);  // batchFromIds computes nothing from the last token
  return model_->vocabulary->logits(IterationRunner(*model_, ledger_).hiddenStates(batchFromIds(padded, c10::Device(c10::kCPU))));
}

at::Tensor Inference::extend(const std::vector<int64_t>& ids, int64_t position, std::vector<model::KeyValueCache>& caches) {
  const auto n = static_cast<int64_t>(ids.size());
  model::Batch batch;
  batch.ids = at::tensor(ids, at::kLong);
  batch.positions = at::arange(position, position + n, at::kLong);
  batch.segmentLengths = {n};
  const model::IterationContext context{batch, model_->rotary->angles(batch.positions), 0};
  at::Tensor x = model_->vocabulary->embed(batch);
  for (size_t i = 0; i < model_->operators.size(); ++i)
    x = model_->operators[i]->extend(x, model_->store->acquire(i), context, caches[i]);
  const at::Tensor last = x.narrow(0, n - 1, 1);
  return model_->vocabulary->logits(model::rmsNorm(last, model::inverseRms(last, model_->config.normEpsilon), model_->finalNorm)).squeeze(0);
}

std::vector<int64_t> Inference::generate(const std::vector<int64_t>& prompt, const Sampling& sampling,
                                         const std::function<void(int64_t)>& onToken) {
  std::vector<model::KeyValueCache> caches(model_->operators.size());
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(sampling.seed);
  std::vector<int64_t> generated;
  const std::vector<text::TokenId> ends = tokenizer_->endIds();
  at::Tensor logits = extend(prompt, 0, caches);
  while (static_cast<int64_t>(generated.size()) < sampling.maxNewTokens) {
    const int64_t next = draw(logits, sampling, generator);
    if (std::find(ends.begin(), ends.end(), next) != ends.end()) break;
    generated.push_back(next);
    if (onToken) onToken(next);
    logits = extend({next}, static_cast<int64_t>(prompt.size() + generated.size()) - 1, caches);
  }
  return generated;
}

}  // namespace tidemark::train
