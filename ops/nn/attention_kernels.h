// Kernels of attention. Not installed.
//
// q is (N, H, L, E), k (N, H, S, E) and v (N, H, S, V): H heads, L queries and S keys, in f32 or
// f64. The last stride is 1. The row stride is at least the length of a row. The other strides are
// arbitrary. `mask` is undefined, or (N, H, L, S) with arbitrary strides. It is added to the scores
// q k^T * scale. The size of the workspace does not depend on L or S.
//
// CUDA also takes f16 and bf16 if has_attention_tiles() is true. For these dtypes, E and V must be
// multiples of 8 and at most kMostTileWidth. Rows must start at multiples of 16 bytes. `weights`
// must be undefined, and lse is f32.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

struct AttentionForm {
  double scale;  ///< factor of the products q k^T
  bool causal;   ///< query i sees keys 0 to i
  /// If true, the f32 operands were converted from bf16, so operands of products may be rounded to
  /// bf16.
  bool bf16_products = false;
};

/// Computes y (N, H, L, V), whose strides follow the rules for v. lse (N, H, L) is contiguous. For
/// each query, it gets the logarithm of the sum of exponentials of the scores. `weights` is
/// undefined, or contiguous (N, L, S). It gets the mean over the heads of the softmax of the
/// scores.
TAPER_KERNEL(attention, Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form)
/// Computes the gradients gq, gk and gv of q, k and v. Their sizes and the rules for their strides
/// are those of q, k and v.
TAPER_KERNEL(attention_backward, Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
             In mask, AttentionForm form)

namespace cuda {
constexpr int64_t kMostTileWidth = 128;
/// Tests whether attention_tiles() can run on the device. The device must have units that multiply
/// matrices of 16-bit floats, and the kernels must be compiled for it. (Weak: see TAPER_KERNEL.)
__attribute__((weak)) bool has_attention_tiles(DeviceIndex device);
/// The kernels `attention` and `attention_backward` for f16 and bf16.
void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form);
void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form);
}  // namespace cuda
}  // namespace torch::taper
