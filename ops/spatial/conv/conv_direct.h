// Convolutions that read the image directly, without a matrix of patches. Kernels must have stride
// 1 along rows and must not reach beyond the image. For f32. Not installed.
//
// Packing a patch costs a store per kernel element and pixel. A first layer has few channels, so
// these stores would take as long as its arithmetic.
#pragma once

#include <algorithm>
#include <cstring>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cpu {

/// Returns the shape of this convolution without padding, over images that are already surrounded
/// by zeros.
inline ConvShape with_margins(ConvShape s) {
  for (int d = 0; d < 3; ++d) {
    const int64_t last = (s.out[d] - 1) * s.steps.stride[d];
    s.in[d] =
        std::max(s.in[d] + s.steps.padding[d], last + (s.kernel[d] - 1) * s.steps.dilation[d] + 1);
    s.steps.padding[d] = 0;
  }
  return s;
}

/// The images or, if `copies` is true, copies that are surrounded by zeros. No patch of a copy
/// reaches beyond the copy. Up to kPatchSlack elements after the last copy may be read.
template <class T>
class Padded {
 public:
  Padded(const T* x, const ConvShape& s, bool copies)
      : s_(s), shape_(copies ? with_margins(s) : s), copy_(copies ? space() : 0), x_(x) {
    if (!copies) return;
    x_ = copy_.get();
    std::memset(static_cast<void*>(copy_.get() + space() - kPatchSlack), 0,
                sizeof(T) * kPatchSlack);
    parallel_for(0, s.batch * s.groups * s.in_channels, 1 + kGrain / shape_.in_pixels(),
                 [this, x](int64_t i, int64_t end) {
                   for (; i < end; ++i)
                     copy_plane(copy_.get() + i * shape_.in_pixels(), x + i * s_.in_pixels());
                 });
  }
  const T* get() const { return x_; }
  const ConvShape& shape() const { return shape_; }

 private:
  static constexpr int64_t kGrain = 1 << 17;  ///< least elements for which a thread is woken

  int64_t space() const {
    return shape_.batch * shape_.groups * shape_.in_channels * shape_.in_pixels() + kPatchSlack;
  }
  void copy_plane(T* to, const T* from) const {
    const int64_t *const before = s_.steps.padding, width = shape_.in[2];
    std::memset(static_cast<void*>(to), 0, sizeof(T) * shape_.in_pixels());
    for (int64_t d = 0; d < s_.in[0]; ++d)
      for (int64_t h = 0; h < s_.in[1]; ++h, from += s_.in[2])
        std::memcpy(static_cast<void*>(
                        to + ((d + before[0]) * shape_.in[1] + h + before[1]) * width + before[2]),
                    from, sizeof(T) * s_.in[2]);
  }

  ConvShape s_, shape_;
  Scratch<T> copy_;
  const T* x_;
};

}  // namespace torch::taper::cpu

namespace torch::taper::cpu::direct {

/// Returns the number of floats that pack_weights writes. They are the weights of all groups,
/// ordered by register tiles.
inline int64_t packed_weights(const ConvShape& s) { return s.groups * s.out_channels * s.depth(); }
/// Sets elements[i] to the offset of element i of a patch from the patch's start, for i < depth().
void element_offsets(int32_t* elements, const ConvShape& s);

// ---------------------------------------------------------------------- forward
/// Tests whether forward_panel computes the shape. The length of output rows must be a multiple of
/// half a vector.
bool takes_forward(const ConvShape& s);
/// Tests whether forward_panel computes this shape on copies made by Padded. With vectors of 16
/// lanes, output rows of at least 16 elements may have any length.
bool takes_copies(const ConvShape& s);
void pack_weights(float* packed, const float* w, const ConvShape& s);
/// Computes outputs [p, p + width) of one image of one group, for each output channel m: y[m *
/// out_pixels + p + j] with j < width. `elements` is from element_offsets. `weights` holds the
/// group's packed weights. `bias` holds the group's bias or is null. width is at most kPatchPanel.
void forward_panel(float* y, const float* x, const float* weights, const float* bias,
                   const int32_t* elements, const ConvShape& s, int64_t p, int64_t width);

// ---------------------------------------------------------------------- gradient of the weight
/// Tests whether weight_gradient or row_gradient is the fastest way for the shape.
bool takes_weight_gradient(const ConvShape& s);
/// Tests whether row_gradient is faster than weight_gradient. This needs few output channels, long
/// rows and vectors of 16 lanes.
bool takes_row_gradient(const ConvShape& s);
/// Returns the row length of the operands of weight_gradient: the number of output channels,
/// rounded up to a multiple of 16.
inline int64_t padded_channels(const ConvShape& s) { return (s.out_channels + 15) / 16 * 16; }
/// Adds to `sum` the gradient from one image of one group. With padded = padded_channels(s), sum[k
/// * padded + m] += sum over pixels of x[patch + kernel element k] * gy[pixel * padded + m]. gy is
/// the gradient of the output, transposed to (pixels, padded).
void weight_gradient(float* sum, const float* x, const float* gy, const int32_t* elements,
                     const ConvShape& s);
/// Adds to `sum` the gradient from one image of one group. gy is not transposed. The lanes of a
/// vector are pixels. For output channel m and kernel element k, sum[(m * depth + k) * 16 + l]
/// accumulates the pixels in lane l.
void row_gradient(float* sum, const float* x, const float* gy, const int32_t* elements,
                  const ConvShape& s);

}  // namespace torch::taper::cpu::direct
