#include "core/model/vocabulary.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/memory/block_sizes.h"
#include "core/memory/ledger.h"
#include "core/model/blocked_linear.h"

namespace tidemark::model {

using memory::kVocabularyBlockRows;

Vocabulary::Vocabulary(int64_t vocabularySize, int64_t hiddenSize, comm::Communicator& communicator,
                       memory::Sharding sharding, c10::Device device)
    : vocabularySize_(vocabularySize), hiddenSize_(hiddenSize), communicator_(communicator),
      rank_(sharding == memory::Sharding::Whole ? 0 : communicator.rank()),
      size_(sharding == memory::Sharding::Whole ? 1 : communicator.size()), device_(device) {}

at::Tensor Vocabulary::Table::select(const at::Tensor& which) const {
  const at::Tensor selected = rows.index_select(0, which);
  return format.isFloat32() ? selected : decodedRows(selected, format);
}

at::Tensor Vocabulary::Table::block(int64_t begin, int64_t count) const {
  const at::Tensor part = rows.narrow(0, begin, count);
  return format.isFloat32() ? part : decodedRows(part, format);
}

Status Vocabulary::load(const weights::ModelSource& source, const std::string& embedding, const std::string& head,
                        weights::WeightForm form) {
  const memory::SpaceScope space(memory::Space::Static);
  const int64_t begin = rowBegin(rank_), end = rowBegin(rank_ + 1);
  const auto read = [&](const std::string& name, Table& table) -> Status {
    table.format = weights::formatFor(form, source, name);
    const bool isFloat = table.format.isFloat32();
    at::Tensor host = at::empty({end - begin, isFloat ? hiddenSize_ : table.format.rowBytes()}, isFloat ? at::kFloat : at::kByte);
    TIDEMARK_TRY(source.readRowsAs(table.format, name, begin, end, static_cast<std::byte*>(host.mutable_data_ptr())));
    table.rows = host.to(device_);
    return {};
  };
  TIDEMARK_TRY(read(embedding, embedding_));
  if (head == embedding) head_ = embedding_;
  else TIDEMARK_TRY(read(head, head_));
  return {};
}

int64_t Vocabulary::staticBytes() const {
  const auto bytes = static_cast<int64_t>(embedding_.rows.nbytes());
  return head_.rows.is_same(embedding_.rows) ? bytes : bytes + static_cast<int64_t>(head_.rows.nbytes());
}

at::Tensor Vocabulary::embed(const Batch& batch) const {
  if (size_ == 1) return scaled(embedding_.select(batch.ids));
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
  const at::Tensor sent = embedding_.select(at::tensor(rows, at::kLong).to(device_));
  const at::Tensor received = communicator_.exchangeRows(sent, outgoing, incoming);
  at::Tensor x = at::empty({batch.tokenCount(), hiddenSize_}, sent.options());
  return scaled(x.index_copy_(0, at::tensor(places, at::kLong).to(device_), received));
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

Vocabulary::PartialLoss Vocabulary::overOwnRows(const at::Tensor& all, const at::Tensor& targets, Want want) const {
  const int64_t total = all.size(0), ownRows = head_.count();
  PartialLoss part{at::full({total}, -INFINITY, all.options()), at::zeros({2, total}, all.options()),
                   want == Want::Gradient ? at::zeros_like(all) : at::Tensor()};
  const int64_t chunk = std::max<int64_t>(16, memory::kLogitChunkElements / std::max<int64_t>(1, std::min(kVocabularyBlockRows, ownRows)));
  for (int64_t begin = 0; begin < ownRows; begin += kVocabularyBlockRows) {
    const at::Tensor rows = head_.block(begin, std::min(kVocabularyBlockRows, ownRows - begin));  // [b, H]
    const at::Tensor place = targets.sub(rowBegin(rank_) + begin);
    const at::Tensor isHere = at::logical_and(place.ge(0), place.lt(rows.size(0)));
    for (int64_t at = 0; at < total; at += chunk) {
      const auto of = [&](const at::Tensor& t) { return t.narrow(0, at, std::min(chunk, total - at)); };
      at::Tensor logits = at::mm(of(all), rows.t());  // [chunk, b]
      at::Tensor largest = of(part.largest), sum = of(part.sums.select(0, 0)), target = of(part.sums.select(0, 1));
      const at::Tensor before = largest.clone();
      at::maximum_out(largest, before, std::get<0>(logits.max(1)));
      const at::Tensor shrink = at::sub(before, largest).exp_();  // 0 for the first block
      const at::Tensor column = of(place).clamp(0, rows.size(0) - 1).unsqueeze(1), here = of(isHere);
      target.add_(logits.gather(1, column).squeeze(1).mul_(here));
      logits.sub_(largest.unsqueeze(1)).exp_();
      sum.mul_(shrink).add_(logits.sum(1));
      if (want != Want::Gradient) continue;
      // The target's own term is added at the end: in this long sum, what it nearly cancels would lose its last digits.
      logits.scatter_(1, column, logits.gather(1, column).mul_(here.logical_not().unsqueeze(1)));
      of(part.gradient).mul_(shrink.unsqueeze(1)).addmm_(logits, rows);
    }
  }
  return part;
}

Vocabulary::Loss Vocabulary::loss(const at::Tensor& hidden, const Batch& batch, double scale, Want want) const {
  const std::vector<int64_t> counts =
      size_ == 1 ? std::vector<int64_t>{hidden.size(0)} : batch.targetCountOfRank;
  const at::Tensor all = gatherHidden(hidden, counts);  // [M, H]
  const int64_t total = all.size(0);

  at::Tensor targets = at::zeros({total}, batch.targets.options());  // of all ranks
  const int64_t mineBegin = std::accumulate(counts.begin(), counts.begin() + rank_, int64_t{0});
  targets.narrow(0, mineBegin, hidden.size(0)).copy_(batch.targets);
  if (size_ > 1) communicator_.sum(targets);
  auto [largest, sums, gradient] = overOwnRows(all, targets, want);

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
  const int64_t first = rowBegin(rank_);
  const at::Tensor mineRows = at::logical_and(targets.ge(first), targets.lt(first + head_.count())).nonzero().squeeze(1);
  const at::Tensor weight = at::sub(sums.select(0, 1), logSum).expm1_().index_select(0, mineRows);  // p - 1
  gradient.index_add_(0, mineRows, head_.select(targets.index_select(0, mineRows).sub_(first)).mul_(weight.unsqueeze(1)));
  if (size_ > 1) {
    std::vector<int64_t> incoming(static_cast<size_t>(size_), hidden.size(0));
    const at::Tensor parts = communicator_.exchangeRows(gradient, counts, incoming);
    gradient = parts.view({size_, hidden.size(0), hiddenSize_}).sum(0);
  }
  result.gradient = gradient.mul_(scale);
  return result;
}

at::Tensor Vocabulary::logits(const at::Tensor& hidden) const {
  at::Tensor logits = at::empty({hidden.size(0), head_.count()}, hidden.options());
  for (int64_t begin = 0; begin < head_.count(); begin += kVocabularyBlockRows) {
    const int64_t count = std::min(kVocabularyBlockRows, head_.count() - begin);
    at::Tensor part = logits.narrow(1, begin, count);
    at::mm_out(part, hidden, head_.block(begin, count).t());
  }
  return logits;
}

}  // namespace tidemark::model
