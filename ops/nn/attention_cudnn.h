// Attention by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/attention_kernels.h>

namespace torch::taper::cuda {

/// The oldest version of cuDNN that is used. In versions up to 9.15.0, gradients were wrong unless
/// the number of keys was a multiple of 128 (cudnn_frontend, "workaround padding mask").
constexpr size_t kOldestCudnnForAttention = 91600;

/// Tests whether a stride of 0 makes rows of a tensor (N, H, rows, width) share memory.
inline bool is_expanded(const In& x) {
  for (int64_t d = 0; d < 3; ++d)
    if (x.sizes[d] > 1 && x.strides[d] == 0) return true;
  return false;
}

/// Tests whether cuDNN computes this attention. The operands must follow the rules for f16 and bf16
/// in attention_kernels.h. Keys and values must have the same width. There must be more than one
/// query and more than one key. Causal attention needs as many queries as keys. Returns false for a
/// mask, because a query without visible keys gives 0 in Taper, but NaN in cuDNN.
inline bool cudnn_takes_attention(const In& q, const In& k, const In& v, const In& mask,
                                  const AttentionForm& form) {
  const int64_t L = q.sizes[2], S = k.sizes[2];
  const bool sizes = q.sizes[3] == v.sizes[3] && q.sizes[3] % 8 == 0 &&
                     q.sizes[3] <= kMostTileWidth && L > 1 && S > 1 && (!form.causal || L == S);
  return sizes && !mask.defined() && !is_expanded(q) && !is_expanded(k) && !is_expanded(v) &&
         cudnn_takes_sizes(q.sizes) && cudnn_takes_sizes(k.sizes);
}
/// Tests whether cuDNN computes the gradients of this attention. Returns false if results must be
/// deterministic, because cuDNN sums the gradients of queries in any order.
inline bool cudnn_takes_attention_backward(const In& gy, const In& q, const In& k, const In& v,
                                           const In& mask, const AttentionForm& form) {
  return cudnn_takes_attention(q, k, v, mask, form) && !is_expanded(gy) &&
         !cudnn_is_deterministic();
}

// These functions compute the same as the kernels of attention_kernels.h. The functions
// cudnn_takes_... must accept the inputs. lse means the same as in those kernels. So the backward
// pass may use other kernels than the forward pass. The functions return false and write nothing if
// cuDNN is missing, is too old or has no engine. They also do so if plans for too many shapes are
// compiled already. Compiling a plan takes half a second. So the functions also return false for
// the first calls with a shape. But they compile a plan at once if the call is captured, results
// must be deterministic, or benchmarkCuDNN is on.
bool cudnn_attention(const Out& y, const Out& lse, const In& q, const In& k, const In& v,
                     const AttentionForm& form);
bool cudnn_attention_backward(const Out& gq, const Out& gk, const Out& gv, const In& gy,
                              const In& y, const In& lse, const In& q, const In& k, const In& v,
                              const AttentionForm& form);

}  // namespace torch::taper::cuda
