// Everything that a training run needs, opened and checked in order: ranks connected, ledger and budget installed, model
// shard loaded, adapters initialised, data mapped. Owns it all; the trainer works on it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/memory/plan.h"
#include "core/model/llama.h"
#include "core/peft/adapter_file.h"
#include "core/run/config.h"
#include "core/text/prepared_dataset.h"
#include "core/train/batches.h"
#include "core/train/event_writer.h"

namespace tidemark::train {

struct Session {
  run::RunConfig config;
  std::filesystem::path directory;
  comm::ProcessInfo process;
  c10::Device device{c10::kCPU};
  memory::Policy policy = memory::Policy::Elastic;
  int64_t budgetBytes = 0;
  int sharingRanks = 1;                 // that have a part in the same device's memory
  std::function<int64_t()> freeBytes;   // of that device, at the moment; 0 where it cannot be told
  peft::AdapterInfo adapter;

  std::unique_ptr<EventWriter> events;
  std::unique_ptr<comm::Communicator> communicator;
  memory::Ledger ledger;
  std::unique_ptr<memory::LedgerScope> ledgerScope;  // before everything that holds tensors, so that it is released last
  std::unique_ptr<text::PreparedDataset> dataset;
  std::unique_ptr<model::Model> model;
  std::unique_ptr<Batches> batches;
};

// `configFile`: config.yaml of the run directory, which also holds data.bin (made here by local rank 0 if it is not there).
Result<std::unique_ptr<Session>> openSession(const std::filesystem::path& configFile);

// The policy's, form's, device's and backend's names in the configuration, resolved.
Result<memory::Policy> policyFrom(const std::string& name);
Result<weights::WeightForm> weightFormFrom(const std::string& name, c10::Device device);
Result<c10::Device> deviceFrom(const std::string& name, int localRank);
Result<comm::BackendKind> backendFrom(const std::string& name, c10::Device device, int localWorldSize);

// Bytes that one rank may use when the budget is `auto`: its part of what the machine has free.
int64_t automaticBudget(c10::Device device, int localWorldSize);
// How many of a machine's ranks share each of its devices.
int sharingRanks(c10::Device device, int localWorldSize);

}  // namespace tidemark::train
