#include "core/memory/parameter_store.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/memory/ledger.h"

namespace tidemark::memory {
namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double processorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// On loopback Gloo, messages of about 4 MiB travel fastest (larger ones fall out of the cache between two copies).
constexpr int64_t kMessageBytes = 4 << 20;

bool hasEncoded(const PieceSpec& spec) {
  for (const WeightGroup& group : spec.groups)
    for (const WeightMatrix& matrix : group.matrices)
      if (!matrix.format.isFloat32()) return true;
  return false;
}

PieceLayout layoutOf(const std::vector<Part>& parts, int ranks, bool isEncoded) {
  std::vector<PieceLayout::Group> groups;
  for (const Part& part : parts)
    groups.push_back({part.rows, isEncoded ? part.format().rowBytes() : part.format().columns()});
  return {std::move(groups), ranks, isEncoded ? 1 : static_cast<int64_t>(sizeof(float))};
}

}  // namespace

// Gathered slots [slotBegin, slotEnd) of every remote rank; `rows[s]` is flat, in the order of rank s's shard.
struct ParameterStore::Segment {
  int64_t slotBegin = 0, slotEnd = 0;
  std::vector<at::Tensor> rows;
};

struct ParameterStore::Piece {
  Piece(PieceSpec s, int ranks, bool isEncoded)
      : spec(std::move(s)), parts(partsOf(spec)), layout(layoutOf(parts, ranks, isEncoded)) {}
  int64_t heldSlots() const { return segments.empty() ? 0 : segments.back().slotEnd; }

  PieceSpec spec;
  std::vector<Part> parts;  // one per group of the layout
  PieceLayout layout;
  at::Tensor own;                 // flat shard, slot order
  std::vector<Segment> segments;  // contiguous from slot 0
  std::vector<std::unique_ptr<comm::Pending>> pending;
  Clock::time_point gatherStart;
  double gatherSeconds = 0, processorStart = 0, gatherProcessorSeconds = 0;
  int64_t boundarySlots = 0, turnSlots = 0;
  PieceWeights weights;           // assembled while complete
  bool isAssembled = false;
};

ParameterStore::ParameterStore(std::vector<PieceSpec> pieces, comm::Communicator& communicator, Sharding sharding,
                               c10::Device device)
    : communicator_(communicator), rank_(sharding == Sharding::Whole ? 0 : communicator.rank()),
      size_(sharding == Sharding::Whole ? 1 : communicator.size()), device_(device) {
  isEncoded_ = std::any_of(pieces.begin(), pieces.end(), hasEncoded);
  for (PieceSpec& spec : pieces) pieces_.push_back(std::make_unique<Piece>(std::move(spec), size_, isEncoded_));
}

ParameterStore::~ParameterStore() = default;

Status ParameterStore::load(const weights::ModelSource& source) {
  const SpaceScope space(Space::Static);
  for (const auto& piece : pieces_) {
    const PieceLayout& layout = piece->layout;
    at::Tensor host = at::empty({layout.elementOffset(rank_, layout.slotCount())}, isEncoded_ ? at::kByte : at::kFloat);
    auto* out = static_cast<std::byte*>(host.mutable_data_ptr());
    for (size_t p = 0; p < piece->parts.size(); ++p) {
      const int64_t begin = layout.rowBegin(p, rank_), end = begin + layout.rowCount(p, rank_);
      int64_t base = 0;  // first row, within the part, of the matrix at hand
      for (const WeightMatrix& matrix : piece->parts[p].matrices) {
        const int64_t from = std::clamp<int64_t>(begin - base, 0, matrix.rows);
        const int64_t to = std::clamp<int64_t>(end - base, 0, matrix.rows);
        if (to > from) TIDEMARK_TRY(source.readRowsAs(matrix.format, matrix.tensor, from, to, out));
        out += (to - from) * matrix.format.rowBytes();
        base += matrix.rows;
      }
    }
    piece->own = host.to(device_);
  }
  return {};
}

size_t ParameterStore::pieceCount() const { return pieces_.size(); }
const PieceSpec& ParameterStore::spec(size_t piece) const { return pieces_[piece]->spec; }

int64_t ParameterStore::pieceBytes(size_t piece) const {
  int64_t bytes = 0;
  for (const Part& part : pieces_[piece]->parts) bytes += part.rows * part.format().rowBytes();
  return bytes;
}

int64_t ParameterStore::remoteBytes(size_t piece) const {
  const PieceLayout& layout = pieces_[piece]->layout;
  return layout.largestRemoteBytes(layout.slotCount());
}

PieceLayout ParameterStore::layoutOn(int ranks, size_t piece) const {
  return layoutOf(pieces_[piece]->parts, ranks, isEncoded_);
}

int64_t ParameterStore::staticBytes() const {
  int64_t bytes = 0;
  for (const auto& piece : pieces_) bytes += static_cast<int64_t>(piece->own.nbytes());
  return bytes;
}

void ParameterStore::setKeeps(const std::vector<PieceKeep>& keeps) {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i]->boundarySlots = pieces_[i]->layout.slotsWithin(keeps[i].boundaryBytes);
    pieces_[i]->turnSlots = pieces_[i]->layout.slotsWithin(keeps[i].turnBytes);
    if (pieces_[i]->pending.empty()) release(i, Interval::Boundary);
  }
}

int64_t ParameterStore::keptBytes(size_t piece, Interval interval) const {
  const Piece& p = *pieces_[piece];
  const int64_t slots = interval == Interval::Turn ? p.turnSlots : interval == Interval::Boundary ? p.boundarySlots : 0;
  return p.layout.largestRemoteBytes(slots);
}

int64_t ParameterStore::remoteBytesPerIteration(const std::vector<bool>& hasBackward) const {
  int64_t bytes = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const PieceLayout& layout = pieces_[i]->layout;
    const int64_t whole = layout.remoteBytes(rank_, layout.slotCount());
    bytes += whole - layout.remoteBytes(rank_, pieces_[i]->boundarySlots);
    if (hasBackward[i]) bytes += whole - layout.remoteBytes(rank_, pieces_[i]->turnSlots);
  }
  return bytes;
}

void ParameterStore::prefetch(size_t index) {
  Piece& piece = *pieces_[index];
  if (size_ == 1 || !piece.pending.empty()) return;
  const int64_t slots = piece.layout.slotCount();
  if (piece.heldSlots() == slots) return;
  piece.gatherStart = Clock::now();
  piece.processorStart = processorSeconds();
  // Cut where the plan will cut, so that releasing frees whole segments.
  std::vector<int64_t> cuts{piece.boundarySlots, piece.turnSlots, slots};
  std::sort(cuts.begin(), cuts.end());
  for (const int64_t cut : cuts)
    if (cut > piece.heldSlots()) gather(piece, piece.heldSlots(), cut);
}

void ParameterStore::gather(Piece& piece, int64_t slotBegin, int64_t slotEnd) {
  Segment segment{slotBegin, slotEnd, std::vector<at::Tensor>(static_cast<size_t>(size_))};
  const SpaceScope space(Space::Dynamic);
  for (int root = 0; root < size_; ++root) {
    const int64_t begin = piece.layout.elementOffset(root, slotBegin);
    const int64_t count = piece.layout.elementOffset(root, slotEnd) - begin;
    if (count == 0) continue;
    at::Tensor flat = root == rank_ ? piece.own.narrow(0, begin, count) : at::empty({count}, piece.own.options());
    const int64_t message = kMessageBytes / flat.element_size();
    for (int64_t at = 0; at < count; at += message)
      piece.pending.push_back(communicator_.broadcastWeights(flat.narrow(0, at, std::min(message, count - at)), root));
    if (root == rank_) continue;
    statistics_.remoteBytes += static_cast<int64_t>(flat.nbytes());
    segment.rows[static_cast<size_t>(root)] = std::move(flat);
  }
  piece.segments.push_back(std::move(segment));
}

void ParameterStore::finish(Piece& piece) {
  if (piece.pending.empty()) return;
  const auto start = Clock::now();
  for (const auto& pending : piece.pending) pending->wait();
  piece.pending.clear();
  piece.gatherSeconds = secondsSince(piece.gatherStart);
  piece.gatherProcessorSeconds = processorSeconds() - piece.processorStart;
  statistics_.stallSeconds += secondsSince(start);
}

const PieceWeights& ParameterStore::acquire(size_t index) {
  Piece& piece = *pieces_[index];
  if (size_ > 1) {
    if (piece.heldSlots() == piece.layout.slotCount() && piece.pending.empty()) ++statistics_.hits;
    else ++statistics_.misses;
    prefetch(index);
    finish(piece);
  }
  if (!piece.isAssembled) assemble(piece);
  return piece.weights;
}

void ParameterStore::assemble(Piece& piece) {
  piece.weights.assign(piece.spec.groups.size(), {});
  const auto addBlocks = [&](int rank, int64_t slotBegin, int64_t slotEnd, const at::Tensor& flat) {
    int64_t at = 0;
    for (size_t p = 0; p < piece.parts.size(); ++p) {
      const PieceLayout::Rows rows = piece.layout.rowsIn(p, rank, slotBegin, slotEnd);
      if (rows.count == 0) continue;
      const Part& part = piece.parts[p];
      const int64_t columns = isEncoded_ ? part.format().rowBytes() : part.format().columns();
      piece.weights[part.group].push_back({part.rowBegin + rows.begin,
                                           flat.narrow(0, at, rows.count * columns).view({rows.count, columns}),
                                           isEncoded_ ? &part.format() : nullptr});
      at += rows.count * columns;
    }
  };
  addBlocks(rank_, 0, piece.layout.slotCount(), piece.own);
  for (const Segment& segment : piece.segments)
    for (int rank = 0; rank < size_; ++rank)
      if (segment.rows[static_cast<size_t>(rank)].defined())
        addBlocks(rank, segment.slotBegin, segment.slotEnd, segment.rows[static_cast<size_t>(rank)]);
  piece.isAssembled = true;
}

void ParameterStore::release(size_t index, Interval keptOver) {
  Piece& piece = *pieces_[index];
  if (size_ == 1) return;
  finish(piece);
  const int64_t kept = keptOver == Interval::Turn       ? piece.turnSlots
                       : keptOver == Interval::Boundary ? piece.boundarySlots
                                                        : 0;
  if (piece.heldSlots() <= kept) return;
  piece.weights.clear();
  piece.isAssembled = false;
  while (!piece.segments.empty() && piece.segments.back().slotEnd > kept) piece.segments.pop_back();
}

void ParameterStore::dropRemote() {
  for (size_t i = 0; i < pieces_.size(); ++i) release(i, Interval::None);
}

ParameterStore::Statistics ParameterStore::takeStatistics() { return std::exchange(statistics_, {}); }

double ParameterStore::gatherSeconds(size_t piece) const { return pieces_[piece]->gatherSeconds; }
double ParameterStore::gatherProcessorSeconds(size_t piece) const { return pieces_[piece]->gatherProcessorSeconds; }

}  // namespace tidemark::memory
