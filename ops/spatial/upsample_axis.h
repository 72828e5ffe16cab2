// The input pixels that an output pixel is computed from, along one dimension. Not installed.
#pragma once

#include <cmath>

#include <taper/ops/spatial/upsample_kernels.h>

namespace torch::taper {

/// Resamples along one dimension. With t = neighbours(o), output pixel o is the sum over k <
/// t.count of weight(t, k) times input pixel pixel(t, k). Positions are computed in T, the type of
/// the pixels, as in LibTorch.
template <class T>
struct ResampledAxis {
  int64_t in, out;
  Interpolation kind;
  bool align_corners, antialias;
  T step;  ///< input pixels per output pixel

  /// `d` is 0, 1 or 2 for the third last, the second last or the last dimension.
  ResampledAxis(const Resampling& r, int d, int64_t in_size, int64_t out_size)
      : in(in_size),
        out(out_size),
        kind(r.kind),
        align_corners(r.align_corners),
        antialias(r.antialias),
        step(step_of(r.factors[d])) {}

  TAPER_HD T step_of(double factor) const {
    if (is_nearest() || !align_corners)
      return factor > 0 ? static_cast<T>(1 / factor) : static_cast<T>(in) / static_cast<T>(out);
    return out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : T(0);
  }
  TAPER_HD bool is_nearest() const {
    return kind == Interpolation::kNearest || kind == Interpolation::kNearestExact;
  }
  /// Returns half the width of the filter, in input pixels. `kind` must be kLinear or kCubic.
  TAPER_HD T reach() const {
    const T plain = kind == Interpolation::kCubic ? T(2) : T(1);
    return antialias && step > 1 ? plain * step : plain;
  }

  /// The neighbours of one output pixel: input pixels first to first + count - 1. pixel() clamps
  /// each index to the image. `offset` is the distance of the output pixel's position from pixel
  /// `first` (kLinear) or first + 1 (kCubic). With antialiasing, it is the distance from the left
  /// edge of pixel `first`.
  struct Neighbours {
    int64_t first;
    int count;
    T offset;  ///< see above
    T total;   ///< divisor of the weights, with antialiasing
  };
  TAPER_HD Neighbours neighbours(int64_t o) const {
    if (is_nearest()) return {nearest(o), 1, 0, 1};
    if (antialias) return wide_neighbours(o);
    if (kind == Interpolation::kLinear && in == out) return {o, 2, 0, 1};
    const T place =
        align_corners ? step * static_cast<T>(o) : step * (static_cast<T>(o) + T(0.5)) - T(0.5);
    if (kind == Interpolation::kCubic) {
      const T whole = std::floor(place);
      const int64_t first = whole < 0 ? static_cast<int64_t>(whole) : place_in(whole, in);
      return {first - 1, 4, place - whole, 1};
    }
    const T inside = place < 0 ? T(0) : place;
    const int64_t whole = place_in(inside, in), first = whole < in ? whole : in - 1;
    const T offset = inside - static_cast<T>(first);
    return {first, 2, offset > 1 ? T(1) : offset, 1};
  }
  TAPER_HD int64_t pixel(const Neighbours& t, int k) const {
    const int64_t i = t.first + k;
    return i < 0 ? 0 : i >= in ? in - 1 : i;
  }
  TAPER_HD T weight(const Neighbours& t, int k) const {
    if (is_nearest()) return 1;
    if (antialias) return wide_weight(t, k) / t.total;
    if (kind == Interpolation::kLinear) return k == 0 ? 1 - t.offset : t.offset;
    return cubic(std::fabs(t.offset - static_cast<T>(k - 1)), T(-0.75));
  }
  /// Output pixels that may use input pixel i: [first, end).
  struct Range {
    int64_t first, end;
  };
  TAPER_HD Range outputs_of(int64_t i) const {
    if (!(step > 0)) return {0, out};
    const T margin = (is_nearest() ? T(1) : reach()) + T(1);
    const T low = (static_cast<T>(i) - margin) / step - 1,
            high = (static_cast<T>(i) + margin) / step + 2;
    return {i == 0 ? 0 : place_in(low, out), i == in - 1 ? out : place_in(high, out)};
  }

 private:
  // Returns a position as an integer in [0, size]. Users may pass any scale. Without the limits,
  // casting a float too large for an integer would be undefined.
  template <class P>
  TAPER_HD static int64_t place_in(P place, int64_t size) {
    if (!(place < static_cast<P>(size))) return size;
    return place > 0 ? static_cast<int64_t>(place) : 0;
  }
  TAPER_HD int64_t nearest(int64_t o) const {
    const bool exact = kind == Interpolation::kNearestExact;
    // LibTorch computes the nearest pixels of all dtypes in float.
    const float place = (static_cast<float>(o) + (exact ? 0.5f : 0.0f)) * static_cast<float>(step);
    const int64_t i = place_in(place, in);
    return i < in ? i : in - 1;
  }
  TAPER_HD static T cubic(T x, T a) {
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : T(0);
  }
  TAPER_HD T wide_weight(const Neighbours& t, int k) const {
    const T narrow = step > 1 ? 1 / step : T(1);
    const T x = std::fabs((static_cast<T>(k) - t.offset + T(0.5)) * narrow);
    if (kind == Interpolation::kCubic) return cubic(x, T(-0.5));
    return x < 1 ? 1 - x : T(0);
  }
  TAPER_HD Neighbours wide_neighbours(int64_t o) const {
    const T centre = step * (static_cast<T>(o) + T(0.5));
    const int64_t first = place_in(centre - reach() + T(0.5), in);
    const int64_t end = place_in(centre + reach() + T(0.5), in);
    Neighbours t{first, static_cast<int>(end - first), centre - static_cast<T>(first), 0};
    for (int k = 0; k < t.count; ++k) t.total += wide_weight(t, k);
    return t;
  }
};

/// The planes (channels) of images with three spatial dimensions. Missing dimensions have size 1.
struct ResampledPlanes {
  int64_t planes;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  ResampledPlanes(const Dims& from, const Dims& to) : planes(from[0] * from[1]) {
    for (int64_t d = 2; d < from.size(); ++d) {
      in[d + 3 - from.size()] = from[d];
      out[d + 3 - from.size()] = to[d];
    }
  }
  TAPER_HD int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  TAPER_HD int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  template <class T>
  ResampledAxis<T> axis(Resampling r, int d) const {
    if (in[d] == 1 && out[d] == 1) r.kind = Interpolation::kNearest;
    return ResampledAxis<T>(r, d, in[d], out[d]);
  }
};

}  // namespace torch::taper
