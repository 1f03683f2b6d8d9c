#include "core/comm/communicator.h"

#include <ATen/Functions.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <thread>

#include "core/comm/backends.h"

namespace tidemark::comm {
namespace {

class SinglePending : public Pending {
 public:
  void wait() override {}
  bool isDone() override { return true; }
};

class SingleCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<Pending> broadcastWeights(const at::Tensor&, int) override { return std::make_unique<SinglePending>(); }
  void broadcast(at::Tensor&, int) override {}
  void sum(at::Tensor&) override {}
  void max(at::Tensor&) override {}
  at::Tensor exchangeRows(const at::Tensor& outgoing, const std::vector<int64_t>&, const std::vector<int64_t>&) override {
    return outgoing;
  }
  void barrier() override {}
};

class WorkPending : public Pending {
 public:
  explicit WorkPending(c10::intrusive_ptr<c10d::Work> work) : work_(std::move(work)) {}
  ~WorkPending() override { wait(); }
  void wait() override {
    if (!work_) return;
    finish(work_);
    work_.reset();
  }
  bool isDone() override { return !work_ || work_->isCompleted(); }

  // Gloo's own thread still holds the work, and so its tensors, for a moment after it is done. If that reference were the
  // last, the tensors would be released on a thread that the ledger does not see.
  static void finish(const c10::intrusive_ptr<c10d::Work>& work) {
    work->wait();
    while (work.use_count() > 1) std::this_thread::yield();
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
};

class GroupCommunicator : public Communicator {
 public:
  GroupCommunicator(c10::intrusive_ptr<c10d::Backend> gathers, c10::intrusive_ptr<c10d::Backend> control)
      : gathers_(std::move(gathers)), control_(std::move(control)) {}

  int rank() const override { return control_->getRank(); }
  int size() const override { return control_->getSize(); }

  std::unique_ptr<Pending> broadcastWeights(const at::Tensor& tensor, int root) override {
    std::vector<at::Tensor> tensors{tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return std::make_unique<WorkPending>(gathers_->broadcast(tensors, options));
  }

  void broadcast(at::Tensor& tensor, int root) override {
    std::vector<at::Tensor> tensors{tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    WorkPending::finish(control_->broadcast(tensors, options));
    if (rank() != root) receivedBytes_ += static_cast<int64_t>(tensor.nbytes());
  }
  void sum(at::Tensor& tensor) override { reduce(tensor, c10d::ReduceOp::SUM); }
  void max(at::Tensor& tensor) override { reduce(tensor, c10d::ReduceOp::MAX); }

  at::Tensor exchangeRows(const at::Tensor& outgoing, const std::vector<int64_t>& outgoingCounts,
                          const std::vector<int64_t>& incomingCounts) override {
    int64_t rows = 0;
    for (const int64_t count : incomingCounts) rows += count;
    std::vector<int64_t> shape = outgoing.sizes().vec();
    shape[0] = rows;
    at::Tensor incoming = at::empty(shape, outgoing.options());
    at::Tensor contiguous = outgoing.contiguous();
    std::vector<int64_t> out = outgoingCounts, in = incomingCounts;
    WorkPending::finish(control_->alltoall_base(incoming, contiguous, in, out));
    if (rows > 0)
      receivedBytes_ += static_cast<int64_t>(incoming.nbytes()) / rows * (rows - incomingCounts[static_cast<size_t>(rank())]);
    return incoming;
  }

  void barrier() override {
    at::Tensor one = at::ones({1});
    sum(one);
  }

 private:
  // A ring all-reduce receives 2 (N-1)/N of the tensor on every rank.
  void reduce(at::Tensor& tensor, c10d::ReduceOp::RedOpType operation) {
    std::vector<at::Tensor> tensors{tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = operation;
    WorkPending::finish(control_->allreduce(tensors, options));
    receivedBytes_ += 2 * static_cast<int64_t>(tensor.nbytes()) * (size() - 1) / size();
  }

  c10::intrusive_ptr<c10d::Backend> gathers_, control_;
};

}  // namespace

std::unique_ptr<Communicator> Communicator::single() { return std::make_unique<SingleCommunicator>(); }

Result<std::unique_ptr<Communicator>> Communicator::connect(const ProcessInfo& info, BackendKind backend,
                                                            c10::Device device) {
  if (info.worldSize == 1) return single();
  const std::string where = info.masterAddress + ":" + std::to_string(info.masterPort);
  try {
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(info.masterPort);
    options.isServer = info.rank == 0;
    options.numWorkers = static_cast<size_t>(info.worldSize);
    options.timeout = kTimeout;
    // torchrun's own agent may serve the store on this port already.
    options.multiTenant = true;
    if (std::getenv("TORCHELASTIC_USE_AGENT_STORE") && std::string(std::getenv("TORCHELASTIC_USE_AGENT_STORE")) == "True")
      options.isServer = false;
    auto store = c10::make_intrusive<c10d::TCPStore>(info.masterAddress, options);
    auto make = [&](const std::string& channel) {
      auto prefixed = c10::make_intrusive<c10d::PrefixStore>("tidemark/" + channel, store);
      return makeBackend(backend, prefixed, info, device);
    };
    auto gathers = make("gathers");
    auto control = make("control");
    return std::unique_ptr<Communicator>(std::make_unique<GroupCommunicator>(std::move(gathers), std::move(control)));
  } catch (const std::exception& e) {
    const std::string what = e.what();
    if (what.find("EADDRINUSE") != std::string::npos || what.find("already in use") != std::string::npos)
      return Error{ErrorCode::Busy, where, "is in use by another process; choose another parallel.master_port, or 0 for a free one"};
    return Error{ErrorCode::RankLost, where, "the ranks could not connect: " + what.substr(0, what.find('\n'))};
  }
}

}  // namespace tidemark::comm
