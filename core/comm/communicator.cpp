#include "core/comm/communicator.h"

#include <ATen/Functions.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <thread>

#include "core/comm/backends.h"
#include "core/comm/stream.h"

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

// Where a collective's tensor lies, and what carries it.
struct Route {
  c10::Device device;
  BackendKind backend;
};

class WorkPending : public Pending {
 public:
  WorkPending(c10::intrusive_ptr<c10d::Work> work, Route route) : work_(std::move(work)), route_(route) {}
  // Where a peer is gone, the wait that somebody asked for has said so; this one only lets go of the tensors.
  ~WorkPending() override {
    try {
      wait();
    } catch (const std::exception&) {
    }
  }
  void wait() override {
    if (!work_) return;
    finish(work_, route_);
    work_.reset();
  }
  bool isDone() override { return !work_ || work_->isCompleted(); }

  // Gloo's own thread still holds the work, and so its tensors, for a moment after it is done. If that reference were the
  // last, the tensors would be released on a thread that the ledger does not see.
  // For tensors on an accelerator, c10d's wait only lets the present stream wait: here the caller waits too, so that the
  // time of a gather is known.
  static void finish(const c10::intrusive_ptr<c10d::Work>& work, Route route) {
    work->wait();
    while (route.backend == BackendKind::Gloo && work.use_count() > 1) std::this_thread::yield();
    synchroniseStream(route.device);
  }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  Route route_;
};

class GroupCommunicator : public Communicator {
 public:
  // `backend` of gathers and control. `hostControl`: Gloo, the control channel of tensors in host memory, which NCCL refuses.
  GroupCommunicator(BackendKind backend, c10::intrusive_ptr<c10d::Backend> gathers,
                    c10::intrusive_ptr<c10d::Backend> control, c10::intrusive_ptr<c10d::Backend> hostControl)
      : backend_(backend), gathers_(std::move(gathers)), control_(std::move(control)), hostControl_(std::move(hostControl)) {}

  int rank() const override { return control_->getRank(); }
  int size() const override { return control_->getSize(); }

  std::unique_ptr<Pending> broadcastWeights(const at::Tensor& tensor, int root) override {
    std::vector<at::Tensor> tensors{tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return std::make_unique<WorkPending>(gathers_->broadcast(tensors, options), routeOf(tensor));
  }

  void broadcast(at::Tensor& tensor, int root) override {
    std::vector<at::Tensor> tensors{tensor};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    WorkPending::finish(controlOf(tensor).broadcast(tensors, options), routeOf(tensor));
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
    WorkPending::finish(controlOf(incoming).alltoall_base(incoming, contiguous, in, out), routeOf(incoming));
    if (rows > 0)
      receivedBytes_ += static_cast<int64_t>(incoming.nbytes()) / rows * (rows - incomingCounts[static_cast<size_t>(rank())]);
    return incoming;
  }

  void barrier() override {
    at::Tensor one = at::ones({1});
    sum(one);
  }

 private:
  c10d::Backend& controlOf(const at::Tensor& tensor) { return tensor.is_cpu() ? *hostControl_ : *control_; }
  Route routeOf(const at::Tensor& tensor) const { return {tensor.device(), tensor.is_cpu() ? BackendKind::Gloo : backend_}; }

  // A ring all-reduce receives 2 (N-1)/N of the tensor on every rank.
  void reduce(at::Tensor& tensor, c10d::ReduceOp::RedOpType operation) {
    std::vector<at::Tensor> tensors{tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = operation;
    WorkPending::finish(controlOf(tensor).allreduce(tensors, options), routeOf(tensor));
    receivedBytes_ += 2 * static_cast<int64_t>(tensor.nbytes()) * (size() - 1) / size();
  }

  BackendKind backend_;
  c10::intrusive_ptr<c10d::Backend> gathers_, control_, hostControl_;
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
    auto make = [&](const std::string& channel, BackendKind kind) {
      auto prefixed = c10::make_intrusive<c10d::PrefixStore>("tidemark/" + channel, store);
      return makeBackend(kind, prefixed, info, device);
    };
    auto gathers = make("gathers", backend);
    auto control = make("control", backend);
    auto hostControl = backend == BackendKind::Gloo ? control : make("host", BackendKind::Gloo);
    return std::unique_ptr<Communicator>(
        std::make_unique<GroupCommunicator>(backend, std::move(gathers), std::move(control), std::move(hostControl)));
  } catch (const std::exception& e) {
    const std::string what = e.what();
    if (what.find("EADDRINUSE") != std::string::npos || what.find("already in use") != std::string::npos)
      return Error{ErrorCode::Busy, where, "is in use by another process; choose another parallel.master_port, or auto for a free one"};
    return Error{ErrorCode::RankLost, where, "the ranks could not connect: " + what.substr(0, what.find('\n'))};
  }
}

}  // namespace tidemark::comm
