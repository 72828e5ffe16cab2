// The windows of one pooling, for its kernels. Not installed.
#pragma once

#include <cstdint>

#include <taper/ops/spatial/pool_kernels.h>

namespace torch::taper {

/// The elements of one window along one dimension: first, first + step, ..., below end. `element`
/// is the position of element `first` in the window. It is not 0 if the window starts in the
/// padding.
struct PoolSpan {
  int64_t first, end, step, element;
};

/// The sizes and windows of one pooling, with three spatial dimensions. A plane is one channel of
/// one image.
struct PoolShape {
  int64_t planes;
  int64_t in[3], out[3];
  PoolWindows w;

  TAPER_HD int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  TAPER_HD int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  TAPER_HD PoolSpan span(int d, int64_t o) const {
    if (w.adaptive) return {o * in[d] / out[d], ((o + 1) * in[d] + out[d] - 1) / out[d], 1, 0};
    const int64_t start = o * w.stride[d] - w.padding[d];
    const int64_t element = start < 0 ? (-start + w.dilation[d] - 1) / w.dilation[d] : 0;
    const int64_t last = start + w.kernel[d] * w.dilation[d];
    return {start + element * w.dilation[d], last < in[d] ? last : in[d], w.dilation[d], element};
  }
  /// Returns the number of elements of window o along dimension d that the divisor counts.
  TAPER_HD double extent(int d, int64_t o) const {
    if (w.adaptive || !w.count_include_pad) {
      const PoolSpan s = span(d, o);
      return static_cast<double>(s.end - s.first);
    }
    // A window that ceil_mode added may extend beyond the padding. The part beyond the padding is
    // not included.
    const int64_t start = o * w.stride[d] - w.padding[d], stop = start + w.kernel[d];
    const int64_t limit = in[d] + w.padding[d];
    return static_cast<double>((stop < limit ? stop : limit) - start);
  }
  /// Returns the divisor of the sum over window (o[0], o[1], o[2]).
  TAPER_HD double divisor(const int64_t* o) const {
    if (w.divisor) return static_cast<double>(w.divisor);
    return extent(0, o[0]) * extent(1, o[1]) * extent(2, o[2]);
  }
  int64_t kernel_elements() const { return w.kernel[0] * w.kernel[1] * w.kernel[2]; }
  /// Returns the position in the image of one element of the window of output pixel `p`. `code` is
  /// the position of the element in the window.
  TAPER_HD int64_t place_of(int64_t p, int64_t code) const {
    const int64_t k = p % out[2], j = p / out[2] % out[1], i = p / (out[1] * out[2]);
    const int64_t c = code % w.kernel[2], row = code / w.kernel[2];
    const int64_t z = i * w.stride[0] - w.padding[0] + row / w.kernel[1] * w.dilation[0];
    const int64_t y = j * w.stride[1] - w.padding[1] + row % w.kernel[1] * w.dilation[1];
    const int64_t x = k * w.stride[2] - w.padding[2] + c * w.dilation[2];
    return (z * in[1] + y) * in[2] + x;
  }
  /// Tests whether the windows are 2 x 2, do not overlap and have no padding.
  bool halves() const {
    for (int d = 1; d < 3; ++d)
      if (w.kernel[d] != 2 || w.stride[d] != 2 || w.padding[d] != 0 || w.dilation[d] != 1 ||
          2 * out[d] > in[d])
        return false;
    return !w.adaptive && in[0] == 1 && w.kernel[0] == 1;
  }
};

/// The spans of all windows. along[d][o] is the span of window o along dimension d.
struct PoolSpans {
  const PoolSpan* along[3];
};

/// Returns the shape of a pooling by windows `w`, for input sizes x and output sizes y. The last
/// `spatial` dimensions are pooled.
inline PoolShape pool_shape(const Dims& x, const Dims& y, int64_t spatial, const PoolWindows& w) {
  PoolShape s;
  s.w = w;
  s.planes = 1;
  const int64_t first = x.size() - spatial;
  for (int64_t d = 0; d < first; ++d) s.planes *= x[d];
  for (int64_t d = 0; d < 3; ++d) {
    const int64_t i = first + d - (3 - spatial);
    s.in[d] = d < 3 - spatial ? 1 : x[i];
    s.out[d] = d < 3 - spatial ? 1 : y[i];
  }
  return s;
}

}  // namespace torch::taper
