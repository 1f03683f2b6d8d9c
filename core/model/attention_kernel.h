// Scaled dot product attention with grouped query heads over one segment, and its backward. Keys and values are never
// repeated per query head: the kernel sees them with a stride of zero.
//
// Note: sliding stretches. Where a query sees the last W tokens alone, a segment longer than W is cut into stretches of W
// queries, each with the keys of its own and of the stretch before: work and memory grow with the length, not with its
// square, and all stretches but the first share one mask [W, 2 W].
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace tidemark::model {

struct AttentionRule {
  bool isCausal = true;  // false: every query sees every key
  int64_t window = 0;    // causal only: tokens that a query sees, its own included; 0: all before it
  double scale = 0;      // 0: 1 / sqrt(d)
};

// T tokens; Hq = groups * Hkv query heads; d elements a head. query [T, Hq, d], key and value [S, Hkv, d]; causal demands
// T == S. Writes into output [T, Hq, d]; returns the kernel's log-sum-exps, one for each stretch, for backward.
std::vector<at::Tensor> attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const AttentionRule& rule,
                               at::Tensor output);

// Writes into gradQuery [T, Hq, d], gradKey and gradValue [T, Hkv, d]. `output` and gradOutput are [T, Hq, d]. Causal only.
void attendBackward(const at::Tensor& gradOutput, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const at::Tensor& output, const std::vector<at::Tensor>& statistics, const AttentionRule& rule,
                    at::Tensor gradQuery, at::Tensor gradKey, at::Tensor gradValue);

}  // namespace tidemark::model
