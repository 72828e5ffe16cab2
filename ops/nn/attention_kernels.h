// Kernels of attention. Not installed.
//
// q (N, H, L, E), k (N, H, S, E), v (N, H, S, V): any strides, the last 1 and that of rows no less
// than a row's length; f32 or f64. `mask` is undefined or (N, H, L, S) of any strides, added to the
// scores. Working memory does not grow with L or S.
//
// On CUDA also f16 and bf16, where has_attention_tiles() says so: E and V are multiples of 8 and at
// most kMostTileWidth, rows begin at multiples of 16 bytes, weights are not wanted, and lse is f32.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

struct AttentionForm {
  double scale;  ///< of the products q k
  bool causal;   ///< query i sees keys 0 to i
  /// f32 operands come from bf16: those of products may be rounded to that.
  bool bf16_products = false;
};

/// y (N, H, L, V), strided as v may be; lse (N, H, L), contiguous: the logarithm of the sum of the
/// exponentials of a query's scores; weights undefined, or (N, L, S), contiguous: the weights'
/// mean over the heads.
TAPER_KERNEL(attention, Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form)
/// gq, gk, gv of the sizes of q, k, v, strided as those may be.
TAPER_KERNEL(attention_backward, Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
             In mask, AttentionForm form)

namespace cuda {
constexpr int64_t kMostTileWidth = 128;
/// Whether warps of the current device multiply matrices of 16-bit floats. (Weak: see
/// TAPER_KERNEL.)
__attribute__((weak)) bool has_attention_tiles();
/// The kernels for 16-bit floats.
void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form);
void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form);
}  // namespace cuda
}  // namespace torch::taper
