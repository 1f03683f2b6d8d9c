// Scaled dot product attention with grouped query heads over one segment, and its backward. Keys and values are never
// repeated per query head: the kernel sees them with a stride of zero.
#pragma once

#include <ATen/core/Tensor.h>

namespace tidemark::model {

// T tokens; Hq = groups * Hkv query heads; d elements a head.
struct AttentionResult {
  at::Tensor output;      // [Hkv, groups, T, d]
  at::Tensor statistics;  // the kernel's log-sum-exp, for backward
};
// query [T, Hq, d], key and value [S, Hkv, d]. Causal demands T == S.
AttentionResult attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool causal);

// Writes into gradQuery [T, Hq, d], gradKey and gradValue [T, Hkv, d]. `output` and gradOutput are [T, Hq, d].
void attendBackward(const at::Tensor& gradOutput, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const at::Tensor& output, const at::Tensor& statistics, at::Tensor gradQuery, at::Tensor gradKey,
                    at::Tensor gradValue);

}  // namespace tidemark::model
