// Attention by cuDNN. Not installed.
#pragma once

#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/ops/nn/attention_kernels.h>

namespace torch::taper::cuda {

/// The first version that is asked: up to 9.15.0 gradients were wrong where the number of keys was
/// no multiple of 128 (cudnn_frontend, "workaround padding mask").
constexpr size_t kOldestCudnnForAttention = 91600;

/// Whether a tensor (N, H, rows, width) has its elements at places of their own.
inline bool is_expanded(const In& x) {
  for (int64_t d = 0; d < 3; ++d)
    if (x.sizes[d] > 1 && x.strides[d] == 0) return true;
  return false;
}

/// Whether cuDNN is asked for the attention of these, which are as the kernels for 16-bit floats
/// want them: as wide keys as values, more than one query and key, a causal form of as many
/// queries as keys. No mask: a query that it hides all keys from is 0 here, and NaN there.
inline bool cudnn_takes_attention(const In& q, const In& k, const In& v, const In& mask,
                                  const AttentionForm& form) {
  const int64_t L = q.sizes[2], S = k.sizes[2];
  const bool sizes = q.sizes[3] == v.sizes[3] && q.sizes[3] % 8 == 0 &&
                     q.sizes[3] <= kMostTileWidth && L > 1 && S > 1 && (!form.causal || L == S);
  return sizes && !mask.defined() && !is_expanded(q) && !is_expanded(k) && !is_expanded(v) &&
         cudnn_takes_sizes(q.sizes) && cudnn_takes_sizes(k.sizes);
}
/// The same of the gradients: not where the same bits are wanted in each run, because cuDNN adds
/// those of queries up in any order.
inline bool cudnn_takes_attention_backward(const In& gy, const In& q, const In& k, const In& v,
                                           const In& mask, const AttentionForm& form) {
  return cudnn_takes_attention(q, k, v, mask, form) && !is_expanded(gy) &&
         !cudnn_is_deterministic();
}

// As the kernels of attention_kernels.h, for what cudnn_takes_..., f16 and bf16; lse means the same
// to both, so that either may follow the other. False, with nothing done, where cuDNN has no engine
// for it, is missing or too old, or has compiled for very many shapes.
bool cudnn_attention(const Out& y, const Out& lse, const In& q, const In& k, const In& v,
                     const AttentionForm& form);
bool cudnn_attention_backward(const Out& gq, const Out& gk, const Out& gv, const In& gy,
                              const In& y, const In& lse, const In& q, const In& k, const In& v,
                              const AttentionForm& form);

}  // namespace torch::taper::cuda
