// Kernels of attention. Not installed.
//
// q is (N, H, L, E), k (N, H, S, E), v (N, H, S, V), in f32 or f64. The last stride is 1 and the
// row stride at least a row's length. Other strides are free. `mask` is undefined or (N, H, L, S)
// with any strides, and is added to the scores. The workspace does not grow with L or S.
//
// CUDA also takes f16 and bf16 if has_attention_tiles() is true. Then E and V are multiples of 8
// and at most kMostTileWidth, rows start at multiples of 16 bytes, no weights are asked for, and
// lse is f32.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

struct AttentionForm {
  double scale;  ///< of the products q k
  bool causal;   ///< query i sees keys 0 to i
  /// f32 operands come from bf16, so operands of products may be rounded to bf16.
  bool bf16_products = false;
};

/// y is (N, H, L, V), strided as v may be. lse (N, H, L) is contiguous: the logarithm of the sum of
/// exponentials of a query's scores. weights are undefined, or the mean over the heads (N, L, S),
/// contiguous.
TAPER_KERNEL(attention, Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form)
/// gq, gk and gv have the sizes of q, k and v, and may be strided like them.
TAPER_KERNEL(attention_backward, Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
             In mask, AttentionForm form)

namespace cuda {
constexpr int64_t kMostTileWidth = 128;
/// Tests whether warps of the current device multiply matrices of 16-bit floats. (Weak: see
/// TAPER_KERNEL.)
__attribute__((weak)) bool has_attention_tiles();
/// The kernels for 16-bit floats.
void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form);
void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form);
}  // namespace cuda
}  // namespace torch::taper
