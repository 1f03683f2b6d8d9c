#include "core/model/attention_kernel.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tidemark::model {
namespace {

// [T, Hkv * groups, d] -> [Hkv, groups, T, d], a view: the key-value heads become the kernel's batch.
at::Tensor byGroup(const at::Tensor& heads, int64_t keyValueHeads) {
  return heads.unflatten(1, {keyValueHeads, heads.size(1) / keyValueHeads}).permute({1, 2, 0, 3});
}

// [S, Hkv, d] -> [Hkv, groups, S, d], a view that repeats with stride zero.
at::Tensor repeated(const at::Tensor& heads, int64_t groups) {
  return heads.permute({1, 0, 2}).unsqueeze(1).expand({heads.size(1), groups, heads.size(0), heads.size(2)});
}

// See Note: sliding stretches.
struct Stretch {
  int64_t begin, length;        // of queries
  int64_t keyBegin, keyLength;
  bool isCausal;                // otherwise by the mask, if there is one
};

std::vector<Stretch> stretchesOf(int64_t queries, int64_t keys, const AttentionRule& rule) {
  if (!rule.isCausal || rule.window == 0 || queries <= rule.window) return {{0, queries, 0, keys, rule.isCausal}};
  std::vector<Stretch> stretches{{0, rule.window, 0, rule.window, true}};
  for (int64_t begin = rule.window; begin < queries; begin += rule.window) {
    const int64_t length = std::min(rule.window, queries - begin);
    stretches.push_back({begin, length, begin - rule.window, rule.window + length, false});
  }
  return stretches;
}

// [W, 2 W]: 0 where query i, which is token W + i of the keys, sees a key, and -inf elsewhere. Rows are padded, since
// the GPU's kernel wants them to begin at multiples of 16 bytes.
at::Tensor windowMask(int64_t window, const at::TensorOptions& options) {
  const at::Tensor query = at::arange(window, 2 * window, options).unsqueeze(1);
  const at::Tensor distance = query.sub(at::arange(2 * window, options).unsqueeze(0));
  const at::Tensor isHidden = at::logical_or(distance.lt(0), distance.ge(window));
  return at::zeros({window, (2 * window + 15) / 16 * 16}, options).narrow(1, 0, 2 * window).masked_fill_(isHidden, -INFINITY);
}

// One stretch's views, as the kernel takes them.
struct Call {
  at::Tensor query, key, value;
  std::optional<at::Tensor> mask;
  std::optional<double> scale;
};

class Calls {
 public:
  Calls(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const AttentionRule& rule)
      : query_(query), key_(key), value_(value), rule_(rule), stretches_(stretchesOf(query.size(0), key.size(0), rule)) {
    if (stretches_.size() > 1) mask_ = windowMask(rule.window, query.options());
  }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  Call of(const Stretch& s) const {
    const int64_t heads = key_.size(1), groups = query_.size(1) / heads;
    Call call{byGroup(query_.narrow(0, s.begin, s.length), heads), repeated(key_.narrow(0, s.keyBegin, s.keyLength), groups),
              repeated(value_.narrow(0, s.keyBegin, s.keyLength), groups), std::nullopt, std::nullopt};
    if (rule_.scale > 0) call.scale = rule_.scale;
    if (!s.isCausal && mask_.defined()) call.mask = mask_.narrow(0, 0, s.length).narrow(1, 0, s.keyLength);
    if (call.mask && query_.is_cuda()) call.mask = call.mask->expand({heads, groups, s.length, s.keyLength});
    return call;
  }

 private:
  const at::Tensor &query_, &key_, &value_;
  const AttentionRule& rule_;
  std::vector<Stretch> stretches_;
  at::Tensor mask_;
};

// The keys' gradient of one stretch [S, Hkv, d]: what it shares with the stretch before is added to that one's.
void addKeys(at::Tensor total, const at::Tensor& part, const Stretch& s) {
  const int64_t shared = s.begin - s.keyBegin;
  if (shared > 0) total.narrow(0, s.keyBegin, shared).add_(part.narrow(0, 0, shared));
  total.narrow(0, s.begin, s.keyLength - shared).copy_(part.narrow(0, shared, s.keyLength - shared));
}

}  // namespace

std::vector<at::Tensor> attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const AttentionRule& rule,
                               at::Tensor output) {
  const Calls calls(query, key, value, rule);
  std::vector<at::Tensor> statistics;
  for (const Stretch& s : calls.stretches()) {
    const Call c = calls.of(s);
    at::Tensor attended, sums;
    if (query.is_cuda()) {
      auto result = at::_scaled_dot_product_efficient_attention(c.query, c.key, c.value, c.mask, /*compute_log_sumexp=*/true, 0.0,
                                                                s.isCausal, c.scale);
      attended = std::get<0>(result), sums = std::get<1>(result);
    } else {
      std::tie(attended, sums) =
          at::_scaled_dot_product_flash_attention_for_cpu(c.query, c.key, c.value, 0.0, s.isCausal, c.mask, c.scale);
    }
    byGroup(output.narrow(0, s.begin, s.length), key.size(1)).copy_(attended);
    statistics.push_back(std::move(sums));
  }
  return statistics;
}

void attendBackward(const at::Tensor& gradOutput, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const at::Tensor& output, const std::vector<at::Tensor>& statistics, const AttentionRule& rule,
                    at::Tensor gradQuery, at::Tensor gradKey, at::Tensor gradValue) {
  const int64_t heads = key.size(1);
  const Calls calls(query, key, value, rule);
  for (size_t i = 0; i < calls.stretches().size(); ++i) {
    const Stretch& s = calls.stretches()[i];
    const Call c = calls.of(s);
    const at::Tensor out = byGroup(output.narrow(0, s.begin, s.length), heads);
    const at::Tensor gradOut = byGroup(gradOutput.narrow(0, s.begin, s.length), heads);
    at::Tensor dq, dk, dv;
    if (query.is_cuda()) {
      const at::Tensor seed = at::zeros({}, at::kLong), offset = at::zeros({}, at::kLong);  // no dropout: unused
      auto result = at::_scaled_dot_product_efficient_attention_backward(gradOut, c.query, c.key, c.value, c.mask.value_or(at::Tensor()), out,
                                                                         statistics[i], seed, offset, 0.0,
                                                                         {true, true, true, false}, s.isCausal, c.scale);
      dq = std::get<0>(result), dk = std::get<1>(result), dv = std::get<2>(result);
    } else {
      std::tie(dq, dk, dv) = at::_scaled_dot_product_flash_attention_for_cpu_backward(
          gradOut, c.query, c.key, c.value, out, statistics[i], 0.0, s.isCausal, c.mask, c.scale);
    }
    byGroup(gradQuery.narrow(0, s.begin, s.length), heads).copy_(dq);
    dq.reset();
    addKeys(gradKey, dk.sum(1).permute({1, 0, 2}), s);
    addKeys(gradValue, dv.sum(1).permute({1, 0, 2}), s);
  }
}

}  // namespace tidemark::model
