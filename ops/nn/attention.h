// Scaled dot product attention.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// softmax(query key^T * scale + mask) value: query (..., L, E), key (..., S, E), value (..., S,
/// V); the result is (..., L, V). The dimensions in front broadcast. `scale` is 1/sqrt(E) where
/// none is given. `attn_mask` broadcasts to (..., L, S): true where a query may see a key, or
/// numbers that are added. With is_causal query i sees the keys 0 to i. `dropout_p` drops weights.
/// With enable_gqa (dimension -3 is heads) key and value may have fewer heads, each of which serves
/// as many neighbouring heads of the query.
/// Floating dtypes that agree. Memory grows with L and S, not with L * S, unless weights are
/// dropped, the mask wants a gradient, or the gradient is to have one.
///
/// Errors: Error for fewer than 2 dimensions, sizes or dtypes that do not fit, and a mask beside
/// is_causal; with enable_gqa for heads of key or value whose number does not divide the query's.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0.0,
                                    bool is_causal = false, optional<double> scale = nullopt,
                                    bool enable_gqa = false);

}  // namespace torch::taper

#pragma GCC visibility pop
