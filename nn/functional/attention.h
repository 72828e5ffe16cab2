// Multi-head attention with its projections.
#pragma once

#include <tuple>

#include <taper/nn/options/attention.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Projects query, key and value, computes attention in each of num_heads heads, concatenates the
/// results of the heads, and projects them.
///
/// Shapes: query (L, N, E), key (S, N, Ek), value (S, N, Ev), with L queries, S keys, batch size N,
/// and E, Ek and Ev features. The first result is the output (L, N, E). If need_weights, the second
/// result is the weights (N, L, S), averaged over the heads. Without average_attn_weights, the
/// weights are (N, num_heads, L, S).
///
/// in_proj_weight (3E, E) projects all three inputs. With use_separate_proj_weight, q_proj_weight
/// projects the query, k_proj_weight the key and v_proj_weight the value. in_proj_bias (3E) is
/// added to the projections. Each head uses E / num_heads of the features. out_proj_weight projects
/// the concatenated heads.
///
/// attn_mask is (L, S) or (N * num_heads, L, S). key_padding_mask is (N, S). In a mask of bools,
/// true hides a key. A mask of numbers is added to the scores. If defined, bias_k and bias_v (1, 1,
/// E) are appended to the projected keys and values. With add_zero_attn, a key and a value of zeros
/// are appended. static_k and static_v (N * num_heads, S, E / num_heads) replace the projected keys
/// and values.
///
/// Throws Error for other sizes.
std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
