// Kernels of attention. Not installed.
//
// q is (N, H, L, E), k (N, H, S, E), v (N, H, S, V), in f32 or f64. The last stride is 1. The row
// stride is at least a row's length. Other strides may be any. `mask` is undefined or (N, H, L, S)
// with any strides, and is added to the scores. The workspace does not grow with L or S.
//
// CUDA also takes f16 and bf16 if has_attention_tiles() is true. For these dtypes, E and V must be
// multiples of 8 and at most kMostTileWidth. Rows must start at multiples of 16 bytes. `weights`
// must be undefined, and lse is f32.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

struct AttentionForm {
  double scale;  ///< factor of the products q k
  bool causal;   ///< query i sees keys 0 to i
  /// If true, the f32 operands come from bf16, so operands of products may be rounded to bf16.
  bool bf16_products = false;
};

/// y is (N, H, L, V), with strides under the rules for v. lse (N, H, L) is contiguous. It gets the
/// logarithm of the sum of exponentials of each query's scores. `weights` is undefined, or gets the
/// mean over the heads. It is (N, L, S) and contiguous.
TAPER_KERNEL(attention, Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form)
/// gq, gk and gv have the sizes of q, k and v. The rules for strides of q, k and v apply to them,
/// too.
TAPER_KERNEL(attention_backward, Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
             In mask, AttentionForm form)

namespace cuda {
constexpr int64_t kMostTileWidth = 128;
/// Tests whether warps of the device multiply matrices of 16-bit floats: it has such units, and the
/// kernels were compiled for them. (Weak: see TAPER_KERNEL.)
__attribute__((weak)) bool has_attention_tiles(DeviceIndex device);
/// The kernels for 16-bit floats.
void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form);
void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form);
}  // namespace cuda
}  // namespace torch::taper
