#include "core/model/vocabulary.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "core/memory/ledger.h"

namespace tidemark::model {
namespace {

// Logits of one chunk of tokens: large enough for efficient products, small beside the activations.
constexpr int64_t kChunkElements = Vocabulary::kWorkspaceBytes / 3 / sizeof(float);

}  // namespace

Vocabulary::Vocabulary(int64_t vocabularySize, int64_t hiddenSize, comm::Communicator& communicator,
                       memory::Sharding sharding, c10::Device device)
    : vocabularySize_(vocabularySize), hiddenSize_(hiddenSize), communicator_(communicator),
      rank_(sharding == memory::Sharding::Whole ? 0 : communicator.rank()),
      size_(sharding == memory::Sharding::Whole ? 1 : communicator.size()), device_(device) {}

Status Vocabulary::load(const weights::ModelSource& source, const std::string& embedding, const std::string& head) {
  const memory::SpaceScope space(memory::Space::Static);
  const int64_t begin = rowBegin(rank_), end = rowBegin(rank_ + 1);
  const auto read = [&](const std::string& name, at::Tensor& table) -> Status {
    at::Tensor host = at::empty({end - begin, hiddenSize_}, at::kFloat);
    TIDEMARK_TRY(source.readRows(name, begin, end, host.mutable_data_ptr<float>()));
    table = host.to(device_);
    return {};
  };
  TIDEMARK_TRY(read(embedding, embedding_));
  if (head == embedding) head_ = embedding_;
  else TIDEMARK_TRY(read(head, head_));
  return {};
}

int64_t Vocabulary::staticBytes() const {
  const auto bytes = static_cast<int64_t>(embedding_.nbytes());
  return head_.is_same(embedding_) ? bytes : bytes + static_cast<int64_t>(head_.nbytes());
}

at::Tensor Vocabulary::embed(const Batch& batch) const {
  if (size_ == 1) return embedding_.index_select(0, batch.ids);
  const auto owns = [&](int rank, int64_t id) { return id >= rowBegin(rank) && id < rowBegin(rank + 1); };
  // What the others need of my rows, rank after rank in the order of their tokens.
  std::vector<int64_t> rows, outgoing(static_cast<size_t>(size_), 0), incoming(static_cast<size_t>(size_), 0), places;
  for (int other = 0; other < size_; ++other)
    for (const int64_t id : batch.idsOfRank[static_cast<size_t>(other)])
      if (owns(rank_, id)) {
        rows.push_back(id - rowBegin(rank_));
        ++outgoing[static_cast<size_t>(other)];
      }
  const std::vector<int64_t>& mine = batch.idsOfRank[static_cast<size_t>(rank_)];
  for (int owner = 0; owner < size_; ++owner)
    for (size_t i = 0; i < mine.size(); ++i)
      if (owns(owner, mine[i])) {
        places.push_back(static_cast<int64_t>(i));
        ++incoming[static_cast<size_t>(owner)];
      }
  const at::Tensor sent = embedding_.index_select(0, at::tensor(rows, at::kLong).to(device_));
  const at::Tensor received = communicator_.exchangeRows(sent, outgoing, incoming);
  at::Tensor x = at::empty({batch.tokenCount(), hiddenSize_}, embedding_.options());
  return x.index_copy_(0, at::tensor(places, at::kLong).to(device_), received);
}

at::Tensor Vocabulary::gatherHidden(const at::Tensor& hidden, const std::vector<int64_t>& counts) const {
  if (size_ == 1) return hidden;
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  at::Tensor all = at::empty({total, hiddenSize_}, hidden.options());
  int64_t begin = 0;
  for (int root = 0; root < size_; ++root) {
    const int64_t count = counts[static_cast<size_t>(root)];
    at::Tensor part = all.narrow(0, begin, count);
    if (root == rank_) part.copy_(hidden);
    if (count > 0) communicator_.broadcast(part, root);
    begin += count;
  }
  return all;
}

Vocabulary::Loss Vocabulary::loss(const at::Tensor& hidden, const Batch& batch, double scale, Want want) const {
  const std::vector<int64_t> counts =
      size_ == 1 ? std::vector<int64_t>{hidden.size(0)} : batch.targetCountOfRank;
  const at::Tensor all = gatherHidden(hidden, counts);  // [M, H]
  const int64_t total = all.size(0), ownRows = head_.size(0);
  const int64_t first = rowBegin(rank_);

  // Targets of all ranks, and for those in my rows their place.
  at::Tensor targets = at::zeros({total}, batch.targets.options());
  const int64_t mineBegin = std::accumulate(counts.begin(), counts.begin() + rank_, int64_t{0});
  targets.narrow(0, mineBegin, hidden.size(0)).copy_(batch.targets);
  if (size_ > 1) communicator_.sum(targets);
  const at::Tensor isMine = at::logical_and(targets.ge(first), targets.lt(first + ownRows));
  const at::Tensor place = targets.sub(first).clamp_(0, ownRows - 1);

  at::Tensor largest = at::empty({total}, all.options());          // of my rows' logits
  at::Tensor sums = at::empty({2, total}, all.options());          // sum of exp(logit - largest); target's logit
  at::Tensor gradient = want == Want::Gradient ? at::empty_like(all) : at::Tensor();  // sum_v exp(l_v - largest) W_v
  const int64_t chunk = std::max<int64_t>(16, kChunkElements / std::max<int64_t>(1, ownRows));
  for (int64_t at = 0; at < total; at += chunk) {
    const int64_t count = std::min(chunk, total - at);
    at::Tensor logits = at::mm(all.narrow(0, at, count), head_.t());  // [count, own rows]
    at::Tensor chunkLargest = std::get<0>(logits.max(1, true));
    sums.select(0, 1).narrow(0, at, count).copy_(logits.gather(1, place.narrow(0, at, count).unsqueeze(1)).squeeze(1));
    logits.sub_(chunkLargest).exp_();
    sums.select(0, 0).narrow(0, at, count).copy_(logits.sum(1));
    largest.narrow(0, at, count).copy_(chunkLargest.squeeze(1));
    if (want == Want::Gradient) {
      // The target's own term is added at the end: in this long sum, what it nearly cancels would lose its last digits.
      const at::Tensor column = place.narrow(0, at, count).unsqueeze(1);
      logits.scatter_(1, column, logits.gather(1, column).mul_(isMine.narrow(0, at, count).logical_not().unsqueeze(1)));
      at::Tensor part = gradient.narrow(0, at, count);
      at::mm_out(part, logits, head_);
    }
  }
  sums.select(0, 1).mul_(isMine);

  at::Tensor overall = largest.clone();
  if (size_ > 1) communicator_.max(overall);
  const at::Tensor shift = at::sub(largest, overall).exp_();
  sums.select(0, 0).mul_(shift);
  if (size_ > 1) communicator_.sum(sums);
  const at::Tensor logSum = sums.select(0, 0).log().add_(overall);

  Loss result;
  result.perTarget = at::sub(logSum, sums.select(0, 1)).narrow(0, mineBegin, hidden.size(0)).to(at::kDouble);
  result.sum = hidden.size(0) > 0 ? result.perTarget.sum().item<double>() : 0.0;
  if (want == Want::LossOnly) return result;

  gradient.mul_(at::sub(largest, logSum).exp_().unsqueeze(1));
  const at::Tensor mineRows = isMine.nonzero().squeeze(1);
  const at::Tensor weight = at::sub(sums.select(0, 1), logSum).expm1_().index_select(0, mineRows);  // p - 1
  gradient.index_add_(0, mineRows, head_.index_select(0, place.index_select(0, mineRows)).mul_(weight.unsqueeze(1)));
  if (size_ > 1) {
    std::vector<int64_t> incoming(static_cast<size_t>(size_), hidden.size(0));
    const at::Tensor parts = communicator_.exchangeRows(gradient, counts, incoming);
    gradient = parts.view({size_, hidden.size(0), hiddenSize_}).sum(0);
  }
  result.gradient = gradient.mul_(scale);
  return result;
}

at::Tensor Vocabulary::logits(const at::Tensor& hidden) const { return at::mm(hidden, head_.t()); }

}  // namespace tidemark::model
