// The sizes of one convolution, for its kernels. Not installed.
#pragma once

#include <compare>
#include <cstdint>

#include <taper/ops/spatial/conv/conv_kernels.h>

namespace torch::taper {

/// The sizes and steps of one convolution. A patch holds the input elements of one group from which
/// one output pixel is computed. It has depth() = in_channels * kernel_elements() elements.
struct ConvShape {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  ///< of one group
  int64_t in[3], out[3], kernel[3];
  ConvSteps steps;

  auto operator<=>(const ConvShape&) const = default;

  TAPER_HD int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  TAPER_HD int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  TAPER_HD int64_t kernel_elements() const { return kernel[0] * kernel[1] * kernel[2]; }
  TAPER_HD int64_t depth() const { return in_channels * kernel_elements(); }
  /// Tests whether no kernel element reads beyond the input, at any output pixel.
  bool inside() const {
    for (int d = 0; d < 3; ++d)
      if (steps.padding[d] != 0 ||
          (out[d] - 1) * steps.stride[d] + (kernel[d] - 1) * steps.dilation[d] >= in[d])
        return false;
    return true;
  }
  /// Tests whether the convolution is a plain matrix product: one kernel element, no padding,
  /// stride 1.
  bool pointwise() const {
    for (int d = 0; d < 3; ++d)
      if (kernel[d] != 1 || steps.padding[d] != 0 || steps.stride[d] != 1 || in[d] != out[d])
        return false;
    return true;
  }
};

/// Returns the shape of a convolution of images of sizes x with weights of sizes w. Its result has
/// sizes y. Missing dimensions have size 1.
inline ConvShape conv_shape(const Dims& x, const Dims& w, const Dims& y, const ConvSteps& steps) {
  ConvShape s;
  s.steps = steps;
  s.batch = x[0];
  s.groups = steps.groups;
  s.in_channels = w[1];
  s.out_channels = w[0] / steps.groups;
  const int64_t missing = 5 - x.size();
  for (int64_t d = 0; d < 3; ++d) {
    s.in[d] = d < missing ? 1 : x[d - missing + 2];
    s.out[d] = d < missing ? 1 : y[d - missing + 2];
    s.kernel[d] = d < missing ? 1 : w[d - missing + 2];
  }
  return s;
}

namespace cpu {

/// The three passes of a convolution.
enum class ConvPass { kForward, kInputGradient, kWeightGradient };

/// The number of columns of a packed panel, which is also its row stride.
constexpr int64_t kPatchPanel = 64;
/// The number of elements that may be written after the last row of a packed panel.
constexpr int64_t kPatchSlack = 64;
/// The largest number of rows of a transposed panel.
constexpr int64_t kPatchRows = 256;

/// A part of the matrix of patches: elements [k, k + depth) of the patches of output pixels [p, p +
/// width). Each row of the matrix is one element, each column one pixel.
struct PatchRange {
  int64_t k, depth, p, width;
  int64_t readable;  ///< number of elements that may be read from the image's start
};

// These functions pack part r of the matrix of patches. x is one group of one image.
/// Sets to[i * kPatchPanel + j] to element r.k + i of the patch of pixel r.p + j.
void pack_patches(float* to, const float* x, const ConvShape& s, PatchRange r);
void pack_patches(double* to, const double* x, const ConvShape& s, PatchRange r);
void pack_patches(uint16_t* to, const uint16_t* x, const ConvShape& s, PatchRange r);
/// Packs the transpose: sets to[j * ldt + i] to element r.k + i of the patch of pixel r.p + j.
/// r.depth is at most kPatchPanel, r.width at most kPatchRows.
void pack_patches_transposed(float* to, int64_t ldt, const float* x, const ConvShape& s,
                             PatchRange r);
void pack_patches_transposed(double* to, int64_t ldt, const double* x, const ConvShape& s,
                             PatchRange r);
/// The longest row of a kernel for which sum_channel has a fast path.
constexpr int64_t kMaxElementsInRow = 64;
/// Sets x, one channel of an image, to the sum of its patches. from[i * ld + j] belongs to kernel
/// element i and output pixel j.
void sum_channel(float* x, const float* from, int64_t ld, const ConvShape& s);
void sum_channel(double* x, const double* from, int64_t ld, const ConvShape& s);

}  // namespace cpu
}  // namespace torch::taper
