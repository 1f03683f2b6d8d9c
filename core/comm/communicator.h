// Collectives between the ranks of a run. Two channels, so that gathers of weights may run ahead while the computation
// exchanges activations: every rank must issue the calls of one channel in the same order, the channels are independent.
// Trouble (a peer gone, a timeout) is thrown as std::runtime_error; the worker catches it in one place. The process must
// ignore SIGPIPE, or writing to a peer that has gone ends it before anything is thrown.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/process_info.h"

namespace tidemark::comm {

enum class BackendKind { Gloo, Nccl };

// A collective under way. Waiting twice is allowed; it blocks the calling thread.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual void wait() = 0;
  virtual bool isDone() = 0;
};

class Communicator {
 public:
  static constexpr std::chrono::seconds kTimeout{120};
  // One rank alone: collectives are the identity.
  static std::unique_ptr<Communicator> single();
  // Blocks until all ranks are there. Busy when the master port is taken, RankLost when peers do not come in time.
  static Result<std::unique_ptr<Communicator>> connect(const ProcessInfo& info, BackendKind backend, c10::Device device);

  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Gather channel. `tensor` is contiguous: the data on `root`, the destination elsewhere. Does not block.
  virtual std::unique_ptr<Pending> broadcastWeights(const at::Tensor& tensor, int root) = 0;

  // Control channel; all block, all in place. Tensors may lie in host memory whatever the backend.
  virtual void broadcast(at::Tensor& tensor, int root) = 0;
  virtual void sum(at::Tensor& tensor) = 0;
  virtual void max(at::Tensor& tensor) = 0;
  // Sends rows [sum of counts before s, + counts[s]) of `outgoing` to rank s; returns what the others sent to this rank, in
  // rank order: `incomingCounts[s]` rows from rank s. Rows have the same width everywhere.
  virtual at::Tensor exchangeRows(const at::Tensor& outgoing, const std::vector<int64_t>& outgoingCounts,
                                  const std::vector<int64_t>& incomingCounts) = 0;
  virtual void barrier() = 0;

  // Bytes that this rank has received on the control channel so far.
  int64_t receivedBytes() const { return receivedBytes_; }

 protected:
  int64_t receivedBytes_ = 0;
};

}  // namespace tidemark::comm
