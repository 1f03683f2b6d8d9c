// Replays iterations under given keeps, with one gather channel that serves the uses in their order.
#pragma once

#include <vector>

#include "core/memory/plan.h"

namespace tidemark::memory {

class Replay {
 public:
  Replay(const PlanInput& input, int prefetchDepth);

  // Uses are numbered as in Schedule: forward shallow to deep, then backward deep to shallow.
  void setKept(int use, int64_t keptBytes);
  void setKeeps(const std::vector<PieceKeep>& keeps);

  // One iteration once it repeats: computing, and waiting for gathers.
  double seconds();
  double computeSeconds() const { return computeSeconds_; }
  const std::vector<double>& waits() const { return waits_; }  // per use, of the last call of seconds()

 private:
  struct Use {
    double computeSeconds = 0;
    double wholeGatherSeconds = 0;
    int64_t remoteBytes = 0;
    double gatherSeconds = 0;
    bool isMiss = false;
  };

  std::vector<Use> uses_;
  std::vector<size_t> pieceOf_;
  std::vector<double> reached_, waits_;
  double computeSeconds_ = 0;
};

}  // namespace tidemark::memory
