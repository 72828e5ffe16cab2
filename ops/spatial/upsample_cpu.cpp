#include <algorithm>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/shared/weighted_rows.h>
#include <taper/ops/spatial/upsample_axis.h>

namespace torch::taper::cpu {
namespace {

/// The neighbours of all output pixels along one dimension. Neighbour k of pixel o is at [k out +
/// o]. Pixels with fewer neighbours repeat their last one, with weight 0.
template <class T>
struct AxisTable {
  int64_t in, out;
  int neighbours = 1;
  bool identity;  ///< every output pixel is the input pixel of its index
  std::vector<int32_t> index;
  std::vector<T> weight;

  explicit AxisTable(const ResampledAxis<T>& a)
      : in(a.in),
        out(a.out),
        identity(in == out && !a.antialias &&
                 (a.is_nearest() ? a.step == 1 : a.kind == Interpolation::kLinear)) {
    for (int64_t o = 0; o < out; ++o) neighbours = std::max(neighbours, a.neighbours(o).count);
    index.resize(static_cast<size_t>(neighbours * out));
    weight.resize(index.size());
    for (int64_t o = 0; o < out; ++o) {
      const auto t = a.neighbours(o);
      for (int k = 0; k < neighbours; ++k) {
        const size_t at = static_cast<size_t>(k * out + o);
        index[at] = static_cast<int32_t>(a.pixel(t, std::min(k, t.count - 1)));
        weight[at] = k < t.count ? a.weight(t, k) : T(0);
      }
    }
  }
};

template <class T>
struct Tables {
  AxisTable<T> depth, height, width;
  Tables(const ResampledPlanes& s, const Resampling& r)
      : depth(s.axis<T>(r, 0)), height(s.axis<T>(r, 1)), width(s.axis<T>(r, 2)) {}

  int row_neighbours() const { return depth.neighbours * height.neighbours; }
  /// Calls body(depth coordinate, height coordinate, weight) for the input rows of an output row.
  template <class Body>
  void for_each_row(int64_t row, const Body& body) const {
    const int64_t d = row / height.out, h = row % height.out;
    for (int a = 0; a < depth.neighbours; ++a)
      for (int b = 0; b < height.neighbours; ++b) {
        const size_t i = static_cast<size_t>(a * depth.out + d);
        const size_t j = static_cast<size_t>(b * height.out + h);
        body(depth.index[i], height.index[j], depth.weight[i] * height.weight[j]);
      }
  }
};

/// Caches the latest input rows resampled along the width, because consecutive output rows share
/// them.
template <class T>
class RowCache {
 public:
  explicit RowCache(const Tables<T>& t)
      : t_(t),
        heights_(t.depth.in == 1 ? t.height.neighbours : t.height.in),
        rows_(static_cast<size_t>(t.depth.neighbours * heights_ * t.width.out)),
        held_(static_cast<size_t>(t.depth.neighbours * heights_), -1) {}
  void clear() { std::fill(held_.begin(), held_.end(), -1); }

  const T* row(const T* image, int64_t d, int64_t h) {
    const int64_t row = d * t_.height.in + h,
                  slot = d % t_.depth.neighbours * heights_ + h % heights_;
    const T* const from = image + row * t_.width.in;
    if (t_.width.identity) return from;
    T* const to = rows_.data() + slot * t_.width.out;
    if (held_[static_cast<size_t>(slot)] != row)
      gather_row(to, from, t_.width.index.data(), t_.width.weight.data(), t_.width.out,
                 t_.width.neighbours);
    held_[static_cast<size_t>(slot)] = row;
    return to;
  }

 private:
  const Tables<T>& t_;
  const int64_t heights_;
  std::vector<T> rows_;
  std::vector<int64_t> held_;
};

/// Writes the output rows [row, end) of one plane if each output pixel is an input pixel. A
/// repeated row is copied from the row before.
template <class T>
void pick_rows(T* y, const T* x, const Tables<T>& t, int64_t row, int64_t end) {
  const int64_t width = t.width.out;
  const int32_t* const index = t.width.index.data();
  const T* last = nullptr;
  for (; row < end; ++row) {
    T* const to = y + row * width;
    const T* const from =
        x + (t.depth.index[static_cast<size_t>(row / t.height.out)] * t.height.in +
             t.height.index[static_cast<size_t>(row % t.height.out)]) *
                t.width.in;
    if (from == last)
      std::copy_n(to - width, width, to);
    else if (t.width.identity)
      std::copy_n(from, width, to);
    else
      for (int64_t o = 0; o < width; ++o) to[o] = from[index[o]];
    last = from;
  }
}

/// Writes the output rows [row, end) of one plane.
template <class T>
void resample_rows(T* y, const T* x, const Tables<T>& t, int64_t row, int64_t end) {
  if (t.row_neighbours() == 1 && t.width.neighbours == 1) return pick_rows(y, x, t, row, end);
  RowCache<T> cache(t);
  std::vector<const T*> rows(static_cast<size_t>(t.row_neighbours()));
  std::vector<T> weights(rows.size());
  for (; row < end; ++row) {
    size_t k = 0;
    t.for_each_row(row, [&](int64_t d, int64_t h, T weight) {
      rows[k] = cache.row(x, d, h);
      weights[k++] = weight;
    });
    blend_rows(y + row * t.width.out, rows.data(), weights.data(), t.row_neighbours(), t.width.out);
  }
}

template <class T>
void upsample_as(T* y, const T* x, const ResampledPlanes& s, const Resampling& r) {
  const Tables<T> t(s, r);
  const int64_t rows = s.out[0] * s.out[1];
  // A plane is split only if there are few planes, because each piece resamples separate rows.
  const int64_t threads = get_num_threads();
  const int64_t pieces = s.planes >= threads ? 1 : std::min(rows, 2 * threads);
  const int64_t each = (rows + pieces - 1) / pieces;
  parallel_for(0, s.planes * pieces, std::max<int64_t>(1, kGrain / (each * s.out[2] + 1)),
               [&](int64_t i, int64_t end) {
                 for (; i < end; ++i) {
                   const int64_t plane = i / pieces, first = i % pieces * each;
                   resample_rows(y + plane * s.out_pixels(), x + plane * s.in_pixels(), t, first,
                                 std::min(rows, first + each));
                 }
               });
}

/// Adds the adjoint of gather_row to gx.
template <class T>
void spread_row(T* gx, const T* gy, const AxisTable<T>& t) {
  for (int k = 0; k < t.neighbours; ++k) {
    const int32_t* const index = t.index.data() + k * t.out;
    const T* const weight = t.weight.data() + k * t.out;
    for (int64_t o = 0; o < t.out; ++o) gx[index[o]] += weight[o] * gy[o];
  }
}

template <class T>
void adjoint_plane(T* gx, const T* gy, const Tables<T>& t, std::vector<T>& sums) {
  const int64_t in_rows = t.depth.in * t.height.in, out_rows = t.depth.out * t.height.out;
  std::fill(gx, gx + in_rows * t.width.in, T(0));
  std::fill(sums.begin(), sums.end(), T(0));
  T* const to = t.width.identity ? gx : sums.data();
  for (int64_t row = 0; row < out_rows; ++row)
    t.for_each_row(row, [&](int64_t d, int64_t h, T weight) {
      add_row(to + (d * t.height.in + h) * t.width.out, gy + row * t.width.out, weight,
              t.width.out);
    });
  if (t.width.identity) return;
  for (int64_t row = 0; row < in_rows; ++row)
    spread_row(gx + row * t.width.in, to + row * t.width.out, t.width);
}

template <class T>
void adjoint_as(T* gx, const T* gy, const ResampledPlanes& s, const Resampling& r) {
  const Tables<T> t(s, r);
  const int64_t buffer = t.width.identity ? 0 : s.in[0] * s.in[1] * s.out[2];
  parallel_for(0, s.planes, std::max<int64_t>(1, kGrain / (s.out_pixels() + 1)),
               [&](int64_t i, int64_t end) {
                 std::vector<T> sums(static_cast<size_t>(buffer));
                 for (; i < end; ++i)
                   adjoint_plane(gx + i * s.in_pixels(), gy + i * s.out_pixels(), t, sums);
               });
}

}  // namespace

void upsample(Out y, In x, Resampling r) {
  const ResampledPlanes s(x.sizes, y.sizes);
  if (y.dtype == kDouble)
    upsample_as(y.as<double>(), x.as<double>(), s, r);
  else
    upsample_as(y.as<float>(), x.as<float>(), s, r);
}

void upsample_adjoint(Out gx, In gy, Resampling r) {
  const ResampledPlanes s(gx.sizes, gy.sizes);
  if (gx.dtype == kDouble)
    adjoint_as(gx.as<double>(), gy.as<double>(), s, r);
  else
    adjoint_as(gx.as<float>(), gy.as<float>(), s, r);
}

}  // namespace torch::taper::cpu
