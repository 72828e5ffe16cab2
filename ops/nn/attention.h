// Scaled dot product attention.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns softmax(query key^T * scale + mask) value. query is (..., L, E), key (..., S, E), value
/// (..., S, V), and the result (..., L, V). Leading dimensions broadcast. The default `scale` is
/// 1/sqrt(E). `attn_mask` broadcasts to (..., L, S). It holds bools, which are true if a query may
/// see a key, or numbers, which are added to the scores. With is_causal, query i sees only the keys
/// 0 to i. Weights are dropped with probability `dropout_p`.
///
/// With enable_gqa, dimension -3 holds the heads, and key and value may have fewer heads than
/// query. Each head of the key is used by an equal number of adjacent heads of the query. All
/// tensors must have one floating dtype. Memory grows with L and S. It grows with L * S if weights
/// are dropped, the mask needs a gradient, or the gradient is differentiated.
///
/// Errors: Error for fewer than 2 dimensions, for sizes or dtypes that do not fit, and for a mask
/// together with is_causal. With enable_gqa: Error if the number of query heads is not a multiple
/// of the number of key or value heads.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0.0,
                                    bool is_causal = false, optional<double> scale = nullopt,
                                    bool enable_gqa = false);

}  // namespace torch::taper

#pragma GCC visibility pop
