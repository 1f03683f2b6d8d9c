#include "core/train/session.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <string>

#include "core/base/bytes.h"
#include "core/memory/plan_budget.h"
#include "core/run/model_name.h"
#include "core/text/dataset_settings.h"
#include "core/train/device_memory.h"
#include "core/weights/hub_cache.h"

namespace tidemark::train {
namespace fs = std::filesystem;

namespace {

// Rank 0 of each machine prepares the data where the agent has not; the others wait.
Status prepareData(Session& s, const fs::path& modelPath) {
  const fs::path file = s.directory / "data.bin";
  Status prepared;
  if (s.process.localRank == 0 && !fs::exists(file)) {
    prepared = [&]() -> Status {
      TIDEMARK_ASSIGN(const auto tokenizer, text::Tokenizer::open(modelPath));
      TIDEMARK_ASSIGN(const text::DatasetReport report, text::prepareDataset(text::datasetSettings(s.config), *tokenizer, file));
      return {};
    }();
  }
  at::Tensor failed = at::tensor({prepared.ok() ? 0.0 : 1.0}, at::kDouble);
  s.communicator->max(failed);
  if (!prepared.ok()) return prepared;
  if (failed.item<double>() > 0) return Error{ErrorCode::RankLost, "data", "another rank could not prepare the dataset; see its log"};
  TIDEMARK_ASSIGN(auto dataset, text::PreparedDataset::open(file));
  s.dataset = std::make_unique<text::PreparedDataset>(std::move(dataset));
  return {};
}

Status resolveBudget(Session& s) {
  const int64_t automatic = automaticBudget(s.device, s.process.localWorldSize);
  // The least over ranks: the plan must be the same everywhere.
  at::Tensor negative = at::tensor({-static_cast<double>(automatic)}, at::kDouble);
  s.communicator->max(negative);
  const auto least = static_cast<int64_t>(-negative.item<double>());
  s.budgetBytes = s.config.memory.budgetBytes > 0 ? s.config.memory.budgetBytes : least;
  if (s.budgetBytes <= 0)
    return Error{ErrorCode::Unsupported, "memory.budget", "is auto, but the free memory of " + s.device.str() + " cannot be read; give it in bytes"};
  return {};
}

}  // namespace

Result<memory::Policy> policyFrom(const std::string& name) {
  if (name == "elastic") return memory::Policy::Elastic;
  if (name == "pinned") return memory::Policy::Pinned;
  if (name == "gather-always") return memory::Policy::GatherAlways;
  if (name == "unsharded") return memory::Policy::Unsharded;
  return Error{ErrorCode::InvalidConfig, "memory.policy", "is \"" + name + "\"; choose elastic, pinned, gather-always or unsharded"};
}

Result<weights::WeightForm> weightFormFrom(const std::string& name, c10::Device device) {
  const auto form = weights::weightForm(name);
  if (!form) return Error{ErrorCode::InvalidConfig, "memory.weights", "is \"" + name + "\"; choose float32, stored, int8 or nf4"};
  if (*form != weights::WeightForm::Float32 && !device.is_cpu())
    return Error{ErrorCode::Unsupported, "memory.weights", "is " + name + ", and encoded weights are decoded on CPU ranks only so far; use float32"};
  return *form;
}

Result<c10::Device> deviceFrom(const std::string& name, int localRank) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  const int count = acceleratorCount();
  if (name == "auto" && count == 0) return c10::Device(c10::kCPU);
  if (count == 0) return Error{ErrorCode::Unsupported, "parallel.device", "is cuda, but this build or this machine has no CUDA device; set it to cpu"};
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(localRank % count));
}

Result<comm::BackendKind> backendFrom(const std::string& name, c10::Device device, int localWorldSize) {
  // NCCL refuses two ranks on one GPU; Gloo carries their tensors through pinned host memory.
  const bool sharesDevice = device.is_cuda() && localWorldSize > acceleratorCount();
  if (name == "nccl" && device.is_cpu())
    return Error{ErrorCode::InvalidConfig, "parallel.backend", "is nccl, which needs a CUDA device for every rank; set it to gloo"};
  if (name == "nccl" && sharesDevice)
    return Error{ErrorCode::InvalidConfig, "parallel.backend",
                 "is nccl, but " + std::to_string(localWorldSize) + " ranks share " + std::to_string(acceleratorCount()) +
                     " GPUs on this machine; set it to gloo, or use fewer ranks"};
  if (name == "nccl" || (name == "auto" && device.is_cuda() && !sharesDevice)) return comm::BackendKind::Nccl;
  return comm::BackendKind::Gloo;
}

int sharingRanks(c10::Device device, int localWorldSize) {
  const int devices = device.is_cpu() ? 1 : std::max(1, acceleratorCount());
  return (localWorldSize + devices - 1) / devices;
}

int64_t automaticBudget(c10::Device device, int localWorldSize) {
  return memory::automaticBudgetBytes(freeBytesOf(device), sharingRanks(device, localWorldSize));
}

Result<std::unique_ptr<Session>> openSession(const fs::path& configFile) {
  auto s = std::make_unique<Session>();
  TIDEMARK_ASSIGN(run::ParsedConfig parsed, run::loadConfig(configFile.string(), {}));
  if (!parsed.problems.empty())
    return Error{ErrorCode::InvalidConfig, parsed.problems.front().key, parsed.problems.front().what};
  s->config = std::move(parsed.config);
  const char* runDirectory = std::getenv("TIDEMARK_RUN_DIR");
  s->directory = runDirectory ? fs::path(runDirectory) : configFile.has_parent_path() ? configFile.parent_path() : fs::path(".");
  TIDEMARK_ASSIGN(s->process, comm::ProcessInfo::fromEnvironment());
  s->events = std::make_unique<EventWriter>(s->process.rank, s->directory);
  at::set_num_threads(static_cast<int>(s->config.parallel.threadsPerRank));
  TIDEMARK_ASSIGN(s->policy, policyFrom(s->config.memory.policy));
  TIDEMARK_ASSIGN(s->device, deviceFrom(s->config.parallel.device, s->process.localRank));
  TIDEMARK_ASSIGN(const weights::WeightForm form, weightFormFrom(s->config.memory.weights, s->device));
  TIDEMARK_ASSIGN(const comm::BackendKind backend, backendFrom(s->config.parallel.backend, s->device, s->process.localWorldSize));
  TIDEMARK_ASSIGN(s->communicator, comm::Communicator::connect(s->process, backend, s->device));
  TIDEMARK_TRY(resolveBudget(*s));
  s->sharingRanks = sharingRanks(s->device, s->process.localWorldSize);
  s->freeBytes = [device = s->device] { return freeBytesOf(device); };

  s->ledgerScope = std::make_unique<memory::LedgerScope>(s->ledger);
  s->ledger.watch(s->device.type());
  s->ledger.setBudget(s->budgetBytes);
  TIDEMARK_ASSIGN(const fs::path modelPath, weights::resolveModelPath(s->config.model));
  TIDEMARK_ASSIGN(const auto source, weights::ModelSource::open(modelPath));
  TIDEMARK_TRY(prepareData(*s, modelPath));
  TIDEMARK_TRY(text::checkVocabulary(s->dataset->largestId(), source->config().vocabularySize));

  const int64_t sequencesPerRank = s->config.training.globalBatchSize / s->process.worldSize;
  if (sequencesPerRank * s->process.worldSize != s->config.training.globalBatchSize)
    return Error{ErrorCode::InvalidConfig, "training.global_batch_size",
                 "is " + std::to_string(s->config.training.globalBatchSize) + ", which " + std::to_string(s->process.worldSize) + " ranks do not divide"};

  const run::PeftConfig& peft = s->config.peft;
  s->adapter = {{peft.r, peft.loraAlpha, peft.loraDropout, peft.targetModules}, s->config.model};
  const auto sharding = s->policy == memory::Policy::Unsharded ? memory::Sharding::Whole : memory::Sharding::Sharded;
  TIDEMARK_ASSIGN(s->model, model::loadModel(*source, s->adapter.lora, *s->communicator, sharding, s->device, form));
  if (s->model->trainable->parameterCount() == 0)
    return Error{ErrorCode::InvalidConfig, "peft.target_modules", "names no linear layer of this model"};
  peft::initialiseLora(*s->model->trainable, static_cast<uint64_t>(s->config.training.seed));

  const Batches::Settings batches{s->config.training.globalBatchSize, s->config.dataset.maxSeqLength, s->config.dataset.packing,
                                  static_cast<uint64_t>(s->config.training.seed), s->config.training.maxSteps};
  s->batches = std::make_unique<Batches>(*s->dataset, batches, s->process.rank, s->process.worldSize, s->device);
  if (s->process.rank == 0) {
    run::ModelEvent event;
    event.name = run::modelName(fs::absolute(modelPath).string());
    event.format = source->format();
    event.architecture = weights::architectureName(s->model->config.architecture);
    event.parameters = source->parameterCount();
    event.trainableParameters = s->model->trainable->parameterCount();
    event.layers = s->model->config.layerCount;
    event.hiddenSize = s->model->config.hiddenSize;
    event.vocabularySize = s->model->config.vocabularySize;
    event.frozenBytes = s->model->frozenBytes();
    event.device = s->device.is_cpu() ? "cpu" : s->device.str();
    s->events->write(event);
  }
  return s;
}

}  // namespace tidemark::train
