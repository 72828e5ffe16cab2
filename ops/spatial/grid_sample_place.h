// The pixels around a grid position, along one dimension. Not installed.
#pragma once

#include <cmath>

#include <taper/ops/spatial/grid_sample_kernels.h>

namespace torch::taper {

/// Up to four neighbouring pixels along one dimension, with their indices and weights. slope[i] is
/// the derivative of weight[i] by the grid coordinate. Index -1 means a pixel with value 0.
template <class T>
struct GridNeighbours {
  int count;
  int64_t index[4];
  T weight[4];
  T slope[4];
};

template <class T>
struct GridAxis {
  int64_t size;
  GridSampling s;

  TAPER_OUTLINED GridNeighbours<T> neighbours(T g) const {
    T factor = static_cast<T>(s.align_corners ? size - 1 : size) / 2;
    const T place = s.align_corners ? (g + 1) / 2 * static_cast<T>(size - 1)
                                    : ((g + 1) * static_cast<T>(size) - 1) / 2;
    if (s.blend == GridBlend::kCubic) return cubic(place, factor);
    T sign = 1;
    const T padded = safe(pad(place, sign));
    factor *= sign;
    if (s.blend == GridBlend::kNearest)
      return {1, {inside(static_cast<int64_t>(std::nearbyint(padded)))}, {1}, {0}};
    const T whole = std::floor(padded), part = padded - whole;
    const int64_t i = static_cast<int64_t>(whole);
    return {2, {inside(i), inside(i + 1)}, {1 - part, part}, {-factor, factor}};
  }

 private:
  TAPER_HD int64_t inside(int64_t i) const { return i >= 0 && i < size ? i : -1; }
  /// Returns v if |v| < 1e9. Otherwise, and for NaN, returns -100, which is outside of the image.
  TAPER_HD static T safe(T v) { return v > T(-1e9) && v < T(1e9) ? v : T(-100); }
  /// Returns v limited to [0, size - 1]. Sets `sign` to 0 if v is not between these limits.
  TAPER_HD T clip(T v, T& sign) const {
    const T last = static_cast<T>(size - 1);
    if (v > 0 && v < last) return v;
    sign = 0;
    return v >= last ? last : v <= 0 ? T(0) : v;
  }
  /// Returns v reflected at the edges (at the centres of the edge pixels with align_corners).
  /// Changes the sign of `sign` at each reflection.
  TAPER_HD T reflect(T v, T& sign) const {
    const T low = s.align_corners ? T(0) : T(-0.5);
    const T span = static_cast<T>(s.align_corners ? size - 1 : size);
    if (!(span > 0)) {
      sign = 0;
      return 0;
    }
    const T from_low = v - low, far = std::fabs(from_low);
    if (from_low < 0) sign = -sign;
    const T extra = std::fmod(far, span);
    if (std::fmod(std::floor(far / span), T(2)) == 0) return extra + low;
    sign = -sign;
    return span - extra + low;
  }
  TAPER_HD T pad(T v, T& sign) const {
    if (s.padding == GridPadding::kZeros) return v;
    return clip(s.padding == GridPadding::kReflection ? reflect(v, sign) : v, sign);
  }
  // A cubic applies the padding mode to the index of each pixel. The other modes apply it to the
  // position.
  TAPER_HD GridNeighbours<T> cubic(T place, T factor) const {
    const T whole = std::floor(place), t = place - whole, a = T(-0.75);
    GridNeighbours<T> r{4, {}, {}, {}};
    for (int k = 0; k < 4; ++k) {
      T ignored = 1;
      const T pixel = pad(whole + static_cast<T>(k - 1), ignored);
      r.index[k] = inside(static_cast<int64_t>(safe(pixel)));
      const T d = t - static_cast<T>(k - 1), x = std::fabs(d), sign = d < 0 ? -factor : factor;
      if (k == 1 || k == 2) {
        r.weight[k] = ((a + 2) * x - (a + 3)) * x * x + 1;
        r.slope[k] = (3 * (a + 2) * x - 2 * (a + 3)) * x * sign;
      } else {
        r.weight[k] = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
        r.slope[k] = ((3 * a * x - 10 * a) * x + 8 * a) * sign;
      }
    }
    return r;
  }
};

/// The sizes of one call, with three spatial dimensions. Missing dimensions have size 1.
struct GridShape {
  int64_t batch, channels, dims, points;
  int64_t in[3] = {1, 1, 1};
  GridSampling s;
  GridShape(const Dims& images, const Dims& grid, GridSampling sampling)
      : batch(images[0]), channels(images[1]), dims(images.size() - 2), points(1), s(sampling) {
    for (int64_t d = 0; d < dims; ++d) {
      in[3 - dims + d] = images[d + 2];
      points *= grid[d + 1];
    }
  }
  TAPER_HD int64_t pixels() const { return in[0] * in[1] * in[2]; }
  /// Returns the neighbours of position `place` along dimension d: 0 depth, 1 height, 2 width.
  /// `place` holds the coordinates in the opposite order, the width first.
  template <class T>
  TAPER_HD GridNeighbours<T> neighbours(const T* place, int d) const {
    if (d == 0 && dims == 2) return {1, {0}, {1}, {0}};
    return GridAxis<T>{in[d], s}.neighbours(place[2 - d]);
  }
  TAPER_HD int axis_neighbours() const {
    return s.blend == GridBlend::kNearest ? 1 : s.blend == GridBlend::kLinear ? 2 : 4;
  }
};

/// The neighbours of a position along depth, height and width.
template <class T>
struct PlaceNeighbours {
  GridNeighbours<T> d, h, w;
  TAPER_HD PlaceNeighbours(const GridShape& g, const T* place)
      : d(g.neighbours(place, 0)), h(g.neighbours(place, 1)), w(g.neighbours(place, 2)) {}
};

/// Calls body(pixel, weight, slopes) for every neighbour that is inside the image. `pixel` is the
/// index in the image. slopes[0], [1] and [2] are the derivatives of the weight along depth, height
/// and width.
template <class T, class Body>
TAPER_HD void for_each_neighbour(const GridShape& g, const PlaceNeighbours<T>& neighbours,
                                 const Body& body) {
  const GridNeighbours<T>&d = neighbours.d, &h = neighbours.h, &w = neighbours.w;
  for (int a = 0; a < d.count; ++a)
    for (int b = 0; b < h.count; ++b)
      for (int c = 0; c < w.count; ++c) {
        if (d.index[a] < 0 || h.index[b] < 0 || w.index[c] < 0) continue;
        const T slopes[3] = {d.slope[a] * h.weight[b] * w.weight[c],
                             d.weight[a] * h.slope[b] * w.weight[c],
                             d.weight[a] * h.weight[b] * w.slope[c]};
        body((d.index[a] * g.in[1] + h.index[b]) * g.in[2] + w.index[c],
             d.weight[a] * h.weight[b] * w.weight[c], slopes);
      }
}
template <class T, class Body>
TAPER_HD void for_each_neighbour(const GridShape& g, const T* place, const Body& body) {
  for_each_neighbour(g, PlaceNeighbours<T>(g, place), body);
}

}  // namespace torch::taper
