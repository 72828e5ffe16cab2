// Convolutions by oneDNN (f32 and bf16), for shapes that oneDNN computes faster than Taper's loops.
// In a build without oneDNN, the functions accept no shape. Not installed.
#pragma once

#include <taper/ops/spatial/conv/conv_shape.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu::onednn {

#if !defined(TAPER_NO_ONEDNN)

/// Tests whether the CPU multiplies pairs of bf16.
bool multiplies_bf16();
/// Returns whether oneDNN has fast kernels for pass `kind` of the shape, in f32 (can) or in bf16
/// (can_bf16).
bool can(const ConvShape& s, ConvPass kind);
bool can_bf16(const ConvShape& s, ConvPass kind);
/// Returns whether oneDNN is faster than the packed patches of conv_patches.h. The rules are from
/// measurements. prefers_bf16 compares bf16 by oneDNN with conversion to f32, computation in f32
/// and conversion back.
bool prefers(const ConvShape& s, ConvPass kind);
bool prefers_bf16(const ConvShape& s, ConvPass kind);

// These functions compute the same as the kernels of conv_kernels.h, on whole contiguous tensors.
// `b` may be null. They return false if oneDNN fails or has no fast kernel for the shape. The
// result is then undefined. The results depend only on the shape and the number of threads.
bool forward(float* y, const float* x, const float* w, const float* b, const ConvShape& s);
bool forward(BFloat16* y, const BFloat16* x, const BFloat16* w, const BFloat16* b,
             const ConvShape& s);
bool input_gradient(float* gx, const float* gy, const float* w, const ConvShape& s);
bool input_gradient(BFloat16* gx, const BFloat16* gy, const BFloat16* w, const ConvShape& s);
bool weight_gradient(float* gw, const float* x, const float* gy, const ConvShape& s);
bool weight_gradient(BFloat16* gw, const BFloat16* x, const BFloat16* gy, const ConvShape& s);

/// Returns how many calls of forward, input_gradient and weight_gradient have returned true, in all
/// threads since the start.
int64_t runs();

#else  // without oneDNN, no shape is accepted

inline bool multiplies_bf16() { return false; }
inline bool can(const ConvShape&, ConvPass) { return false; }
inline bool can_bf16(const ConvShape&, ConvPass) { return false; }
inline bool prefers(const ConvShape&, ConvPass) { return false; }
inline bool prefers_bf16(const ConvShape&, ConvPass) { return false; }
template <class T>
bool forward(T*, const T*, const T*, const T*, const ConvShape&) {
  return false;
}
template <class T>
bool input_gradient(T*, const T*, const T*, const ConvShape&) {
  return false;
}
template <class T>
bool weight_gradient(T*, const T*, const T*, const ConvShape&) {
  return false;
}

#endif

}  // namespace torch::taper::cpu::onednn

#pragma GCC visibility pop
