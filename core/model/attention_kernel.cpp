#include "core/model/attention_kernel.h"

#include <ATen/Functions.h>

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

}  // namespace

AttentionResult attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool causal) {
  const int64_t groups = query.size(1) / key.size(1);
  const at::Tensor q = byGroup(query, key.size(1)), k = repeated(key, groups), v = repeated(value, groups);
  if (query.is_cuda()) {
    auto result = at::_scaled_dot_product_efficient_attention(q, k, v, std::nullopt, /*compute_log_sumexp=*/true, 0.0, causal);
    return {std::get<0>(result), std::get<1>(result)};
  }
  auto [output, statistics] = at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal);
  return {output, statistics};
}

void attendBackward(const at::Tensor& gradOutput, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const at::Tensor& output, const at::Tensor& statistics, at::Tensor gradQuery, at::Tensor gradKey,
                    at::Tensor gradValue) {
  const int64_t heads = key.size(1), groups = query.size(1) / heads;
  const at::Tensor q = byGroup(query, heads), k = repeated(key, groups), v = repeated(value, groups);
  const at::Tensor out = byGroup(output, heads), gradOut = byGroup(gradOutput, heads);
  at::Tensor dq, dk, dv;
  if (query.is_cuda()) {
    const at::Tensor seed = at::zeros({}, at::kLong), offset = at::zeros({}, at::kLong);  // no dropout: unused
    auto result = at::_scaled_dot_product_efficient_attention_backward(gradOut, q, k, v, {}, out, statistics, seed, offset, 0.0,
                                                                       {true, true, true, false}, true);
    dq = std::get<0>(result), dk = std::get<1>(result), dv = std::get<2>(result);
  } else {
    std::tie(dq, dk, dv) =
        at::_scaled_dot_product_flash_attention_for_cpu_backward(gradOut, q, k, v, out, statistics, 0.0, true);
  }
  gradQuery.unflatten(1, {heads, groups}).copy_(dq.permute({2, 0, 1, 3}));
  gradKey.copy_(dk.sum(1).permute({1, 0, 2}));
  gradValue.copy_(dv.sum(1).permute({1, 0, 2}));
}

}  // namespace tidemark::model
