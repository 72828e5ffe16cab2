// Attention by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/attention_kernels.h>

namespace torch::taper::cuda {

/// The oldest version of cuDNN that is used. Up to 9.15.0, gradients were wrong unless the number
/// of keys was a multiple of 128 (cudnn_frontend, "workaround padding mask").
constexpr size_t kOldestCudnnForAttention = 91600;

/// Tests whether rows of a tensor (N, H, rows, width) share memory.
inline bool is_expanded(const In& x) {
  for (int64_t d = 0; d < 3; ++d)
    if (x.sizes[d] > 1 && x.strides[d] == 0) return true;
  return false;
}

/// Tests whether cuDNN computes this attention. The operands must suit the kernels for 16-bit
/// floats. Keys must have the width of values. There must be more than one query and more than one
/// key. Causal attention needs as many queries as keys. Masks are refused: a query without visible
/// keys gives 0 here, but NaN in cuDNN.
inline bool cudnn_takes_attention(const In& q, const In& k, const In& v, const In& mask,
                                  const AttentionForm& form) {
  const int64_t L = q.sizes[2], S = k.sizes[2];
  const bool sizes = q.sizes[3] == v.sizes[3] && q.sizes[3] % 8 == 0 &&
                     q.sizes[3] <= kMostTileWidth && L > 1 && S > 1 && (!form.causal || L == S);
  return sizes && !mask.defined() && !is_expanded(q) && !is_expanded(k) && !is_expanded(v) &&
         cudnn_takes_sizes(q.sizes) && cudnn_takes_sizes(k.sizes);
}
/// Tests whether cuDNN computes the gradients of this attention. It is refused if results must be
/// deterministic, because cuDNN sums the gradients of queries in any order.
inline bool cudnn_takes_attention_backward(const In& gy, const In& q, const In& k, const In& v,
                                           const In& mask, const AttentionForm& form) {
  return cudnn_takes_attention(q, k, v, mask, form) && !is_expanded(gy) &&
         !cudnn_is_deterministic();
}

// Compute what the kernels of attention_kernels.h do, for inputs that cudnn_takes_... accepts. lse
// has the kernels' meaning, so that either may follow the other. They return false, with nothing
// done, if cuDNN is missing, too old, has no engine, or has compiled plans for too many shapes.
// They also do so for the first calls of a shape, unless it is captured, or results must be
// deterministic, or the switch benchmarkCuDNN is on. cuDNN compiles a plan for half a second.
bool cudnn_attention(const Out& y, const Out& lse, const In& q, const In& k, const In& v,
                     const AttentionForm& form);
bool cudnn_attention_backward(const Out& gq, const Out& gk, const Out& gv, const In& gy,
                              const In& y, const In& lse, const In& q, const In& k, const In& v,
                              const AttentionForm& form);

}  // namespace torch::taper::cuda
