// Attention of several heads with its projections.
#pragma once

#include <tuple>

#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// query (L, N, E), key (S, N, Ek), value (S, N, Ev) are projected by in_proj_weight (3E, E), or
/// with use_separate_proj_weight by q_, k_ and v_proj_weight, plus in_proj_bias (3E); each of
/// num_heads heads attends with E / num_heads of the columns; out_proj_weight joins them. The
/// result is (L, N, E) with, unless need_weights is false, the weights (N, L, S), the mean over the
/// heads (or (N, num_heads, L, S)).
///
/// attn_mask (L, S) or (N * num_heads, L, S): true where a query may not see a key, or numbers that
/// are added to the scores. key_padding_mask (N, S): true for keys that nobody may see. bias_k,
/// bias_v (1, 1, E) are one more key and value; add_zero_attn adds one of zeros; static_k, static_v
/// (N * num_heads, S, E / num_heads) take the place of the projected ones.
///
/// Errors: Error for sizes that do not fit.
std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
