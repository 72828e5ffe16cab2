#include <taper/framework/cuda/grid.h>
#include <taper/ops/spatial/upsample_axis.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Axes {
  ResampledAxis<T> d, h, w;
  Axes(const ResampledPlanes& s, const Resampling& r)
      : d(s.axis<T>(r, 0)), h(s.axis<T>(r, 1)), w(s.axis<T>(r, 2)) {}
};

template <class T>
struct Upsample {
  ResampledPlanes s;
  Axes<T> axes;
  T* y;
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    const Index3 o(s.out, i - plane * s.out_pixels());
    const T* const image = x + plane * s.in_pixels();
    const auto d = axes.d.neighbours(o.at[0]), h = axes.h.neighbours(o.at[1]),
               w = axes.w.neighbours(o.at[2]);
    T sum = 0;
    for (int a = 0; a < d.count; ++a)
      for (int b = 0; b < h.count; ++b) {
        const T* const row = image + (axes.d.pixel(d, a) * s.in[1] + axes.h.pixel(h, b)) * s.in[2];
        T part = 0;
        for (int c = 0; c < w.count; ++c) part += axes.w.weight(w, c) * row[axes.w.pixel(w, c)];
        sum += axes.d.weight(d, a) * axes.h.weight(h, b) * part;
      }
    y[i] = sum;
  }
};

/// Returns the weight of input pixel i in output pixel o along one dimension.
template <class T>
TAPER_DEVICE T share(const ResampledAxis<T>& axis, int64_t o, int64_t i) {
  const auto t = axis.neighbours(o);
  T sum = 0;
  for (int k = 0; k < t.count; ++k)
    if (axis.pixel(t, k) == i) sum += axis.weight(t, k);
  return sum;
}

// An input pixel gathers from all output pixels that may use it. So no two threads add to one
// number, and the order of additions is fixed.
template <class T>
struct Adjoint {
  ResampledPlanes s;
  Axes<T> axes;
  T* gx;
  const T* gy;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.in_pixels();
    const Index3 at(s.in, i - plane * s.in_pixels());
    const T* const g = gy + plane * s.out_pixels();
    const auto d = axes.d.outputs_of(at.at[0]), h = axes.h.outputs_of(at.at[1]),
               w = axes.w.outputs_of(at.at[2]);
    T sum = 0;
    for (int64_t a = d.first; a < d.end; ++a) {
      const T wd = share(axes.d, a, at.at[0]);
      for (int64_t b = h.first; wd != 0 && b < h.end; ++b) {
        const T wh = wd * share(axes.h, b, at.at[1]);
        for (int64_t c = w.first; wh != 0 && c < w.end; ++c)
          sum += wh * share(axes.w, c, at.at[2]) * g[(a * s.out[1] + b) * s.out[2] + c];
      }
    }
    gx[i] = sum;
  }
};

}  // namespace

void upsample(Out y, In x, Resampling r) {
  const ResampledPlanes s(x.sizes, y.sizes);
  if (y.dtype == kDouble)
    for_each(y.numel, Upsample<double>{s, Axes<double>(s, r), y.as<double>(), x.as<double>()});
  else
    for_each(y.numel, Upsample<float>{s, Axes<float>(s, r), y.as<float>(), x.as<float>()});
}

void upsample_adjoint(Out gx, In gy, Resampling r) {
  const ResampledPlanes s(gx.sizes, gy.sizes);
  if (gx.dtype == kDouble)
    for_each(gx.numel, Adjoint<double>{s, Axes<double>(s, r), gx.as<double>(), gy.as<double>()});
  else
    for_each(gx.numel, Adjoint<float>{s, Axes<float>(s, r), gx.as<float>(), gy.as<float>()});
}

}  // namespace torch::taper::cuda
