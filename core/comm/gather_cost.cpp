#include "core/comm/gather_cost.h"

#include <ATen/Functions.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <chrono>
#include <ctime>
#include <future>

#include "core/comm/backends.h"

namespace tidemark::comm {
namespace {

constexpr int kRanks = 2;
constexpr int64_t kPieceBytes = 4 << 20;  // what the store gathers at a time
constexpr int kWarmUp = 8, kPieces = 32;

double processorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Each rank sends a piece and receives one at the same time, as when a piece of the model is gathered.
void exchange(c10d::Backend& backend, std::vector<at::Tensor>& pieces, int count) {
  for (int i = 0; i < count; ++i) {
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (int root = 0; root < kRanks; ++root) {
      std::vector<at::Tensor> tensors{pieces[static_cast<size_t>(root)]};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      works.push_back(backend.broadcast(tensors, options));
    }
    for (const auto& work : works) work->wait();
  }
}

GatherCost measureRank(const c10::intrusive_ptr<c10d::Store>& store, int rank) {
  ProcessInfo info;
  info.rank = rank;
  info.worldSize = kRanks;
  const auto backend = makeGloo(store, info);
  std::vector<at::Tensor> pieces;
  for (int root = 0; root < kRanks; ++root) pieces.push_back(at::ones({kPieceBytes / static_cast<int64_t>(sizeof(float))}));
  exchange(*backend, pieces, kWarmUp);
  const auto start = std::chrono::steady_clock::now();
  const double processorStart = processorSeconds();
  exchange(*backend, pieces, kPieces);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto bytes = static_cast<double>(kPieces * kPieceBytes);  // received by each rank
  return {bytes / seconds, (processorSeconds() - processorStart) / (kRanks * bytes)};
}

}  // namespace

// Both on threads of their own: Gloo's threads may release the pieces, which a ledger of the calling thread would not see.
GatherCost measureGatherCost() {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  auto first = std::async(std::launch::async, [&] { return measureRank(store, 0); });
  auto second = std::async(std::launch::async, [&] { return measureRank(store, 1); });
  second.wait();
  return first.get();
}

}  // namespace tidemark::comm
