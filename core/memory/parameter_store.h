// Owns the frozen weights of one rank: its own shard (static cache), and the remote rows that it gathered and may keep
// (dynamic cache). It does what the plan says and counts what it costs; it decides nothing itself.
//
// Note: blocked weights. A piece holds the frozen matrices of one operator as groups; a group is the concatenation, by
// rows, of matrices that multiply the same input (q, k and v; gate and up). Each group is sharded by rows over the
// ranks. Users get a list of row blocks: the own shard where it lies, and the remote rows. y = x W^T is one product per
// block into column slices of y; nothing is concatenated and the own shard is never stored twice.
//
// Note: encoded weights. Where any matrix is not float32, the store holds, gathers and keeps bytes: every row in its
// matrix's format. Users decode a block's rows into workspace for the time of one product (model/blocked_linear.h).
// Matrices of a group in different formats are sharded each on its own.
//
// Note: slots. The rows of a rank's shard of a piece are numbered 0.. over its groups: these numbers are slots, the same on
// every rank (ranks whose shard is a row shorter have a hole). What is kept of a piece is a prefix of its slots, from
// every remote rank, so all ranks gather the same slots and a collective never misses a partner.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/memory/piece_layout.h"
#include "core/memory/piece_parts.h"
#include "core/memory/plan.h"
#include "core/weights/model_source.h"

namespace tidemark::memory {

struct RowBlock {
  int64_t rowBegin = 0;
  at::Tensor weight;  // [rows, columns] of float32; or [rows, bytes of a row] in `format`
  const weights::RowFormat* format = nullptr;  // none: float32
};
using BlockedWeight = std::vector<RowBlock>;        // covers every row of a group exactly once, in no set order
using PieceWeights = std::vector<BlockedWeight>;    // one per group

enum class Interval { None, Turn, Boundary };

enum class Sharding { Sharded, Whole };  // Whole: every rank holds everything (policy unsharded, or one rank)

class ParameterStore {
 public:
  ParameterStore(std::vector<PieceSpec> pieces, comm::Communicator& communicator, Sharding sharding, c10::Device device);
  ~ParameterStore();

  // Reads this rank's rows of every piece, each matrix in its format.
  Status load(const weights::ModelSource& source);

  size_t pieceCount() const;
  const PieceSpec& spec(size_t piece) const;
  int64_t pieceBytes(size_t piece) const;       // of all ranks together
  int64_t remoteBytes(size_t piece) const;      // the largest over ranks
  int64_t staticBytes() const;
  // How a piece would lie on another number of ranks.
  PieceLayout layoutOn(int ranks, size_t piece) const;

  // Takes over what to keep of each piece, between iterations or at the turn. What is held beyond the boundary keeps is
  // dropped; what is held within them stays where the old cuts allow it.
  void setKeeps(const std::vector<PieceKeep>& keeps);
  // What this rank gathers in one iteration under the keeps in force, once the cache is warm: exact.
  int64_t remoteBytesPerIteration(const std::vector<bool>& hasBackward) const;
  // Bytes held of a piece over an interval; at most what the plan allows, because rows are not divided.
  int64_t keptBytes(size_t piece, Interval interval) const;

  // Starts gathering what is missing of a piece; does nothing where nothing is missing. Does not block.
  void prefetch(size_t piece);
  // Waits until the piece is complete. Valid until its release.
  const PieceWeights& acquire(size_t piece);
  // Ends the use and drops all rows but those to be kept over the interval.
  void release(size_t piece, Interval keptOver);
  void dropRemote();  // all of it; nothing may be in use

  struct Statistics {
    int64_t remoteBytes = 0;
    double stallSeconds = 0;   // waiting in acquire
    int64_t hits = 0, misses = 0;  // acquires that found everything there, or did not
  };
  Statistics takeStatistics();
  // Seconds of the last gather of a piece from start to arrival; 0 if it never missed.
  double gatherSeconds(size_t piece) const;
  // What this process computed meanwhile, on all its threads: where nothing runs beside a gather, what the gather costs.
  double gatherProcessorSeconds(size_t piece) const;

 private:
  struct Piece;
  struct Segment;
  void gather(Piece& piece, int64_t slotBegin, int64_t slotEnd);
  void finish(Piece& piece);
  void assemble(Piece& piece);

  std::vector<std::unique_ptr<Piece>> pieces_;
  comm::Communicator& communicator_;
  int rank_, size_;
  c10::Device device_;
  bool isEncoded_ = false;
  Statistics statistics_;
};

}  // namespace tidemark::memory
