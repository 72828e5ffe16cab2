// Scaled dot product attention.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns softmax(query key^T * scale + mask) value. query is (..., L, E): L queries of E numbers.
/// key is (..., S, E) and value (..., S, V): S keys, each with a value of V numbers. The result is
/// (..., L, V). Leading dimensions broadcast. The default `scale` is 1/sqrt(E). `attn_mask`
/// broadcasts to (..., L, S). A mask of bools is true if a query may see a key. A mask of numbers
/// is added to the scores query key^T * scale. With is_causal, query i sees only the keys 0 to i.
/// The results of softmax are dropped with probability `dropout_p`.
///
/// With enable_gqa, dimension -3 holds the heads, and key and value may have fewer heads than
/// query. Each head of the key is used by an equal number of adjacent heads of the query. query,
/// key and value must have one floating dtype. Memory grows in proportion to L + S. It grows in
/// proportion to L * S if dropout_p > 0, the mask needs a gradient, or the gradient is
/// differentiated.
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
