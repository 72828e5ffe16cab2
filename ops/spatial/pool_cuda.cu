#include <limits>

#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/spatial/pool_shape.h>
#ifdef __CUDACC__
#include <taper/ops/spatial/pool_cudnn.h>
#endif

// cuDNN computes means where cudnn_takes_means. Maxima are computed here: cuDNN's backward would
// need x and y on the tape in place of a byte for each output, and leaves open which of equal
// elements gets the gradient; it has neither indices nor the gradient of a gradient.

namespace taper::cuda {
namespace {

TAPER_DEVICE int64_t pixel_of(const PoolShape& s, int64_t z, int64_t y, int64_t x) {
  return (z * s.in[1] + y) * s.in[2] + x;
}

// ---------------------------------------------------------------- by output pixel
template <class T, class Code>
struct MaxForward {
  PoolShape s;
  T* y;
  Code* codes;  // null: not wanted
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    const Index3 o(s.out, i - plane * s.out_pixels());
    const T* const image = x + plane * s.in_pixels();
    const PoolSpan d = s.span(0, o.at[0]), h = s.span(1, o.at[1]), w = s.span(2, o.at[2]);
    opmath_t<T> best = -std::numeric_limits<opmath_t<T>>::infinity();
    int64_t position = -1;
    for (int64_t z = d.first, a = d.element; z < d.end; z += d.step, ++a)
      for (int64_t r = h.first, b = h.element; r < h.end; r += h.step, ++b)
        for (int64_t k = w.first, c = w.element; k < w.end; k += w.step, ++c) {
          const int64_t place = pixel_of(s, z, r, k);
          const opmath_t<T> v = load(image[place]);
          if (!(v > best || v != v || position < 0)) continue;
          best = v;
          position = sizeof(Code) == 1 ? (a * s.w.kernel[1] + b) * s.w.kernel[2] + c : place;
        }
    y[i] = static_cast<T>(best);
    if (codes) codes[i] = static_cast<Code>(position);
  }
};

/// Where the code of output pixel i points, in its plane.
struct Codes {
  const uint8_t* elements;  // one of the two
  const int64_t* places;
  explicit Codes(const In& codes)
      : elements(codes.dtype == kLong ? nullptr : codes.as<uint8_t>()),
        places(codes.dtype == kLong ? codes.as<int64_t>() : nullptr) {}
  TAPER_DEVICE int64_t at(const PoolShape& s, int64_t plane, int64_t p) const {
    const int64_t i = plane * s.out_pixels() + p;
    return places ? places[i] : s.place_of(p, elements[i]);
  }
};

template <class T>
struct MaxGather {
  PoolShape s;
  T* y;
  const T* x;
  Codes codes;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    y[i] = x[plane * s.in_pixels() + codes.at(s, plane, i - plane * s.out_pixels())];
  }
};
struct MaxPositions {
  PoolShape s;
  int64_t* positions;
  Codes codes;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    positions[i] = codes.at(s, plane, i - plane * s.out_pixels());
  }
};

template <class T>
struct AvgForward {
  PoolShape s;
  T* y;
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    const Index3 o(s.out, i - plane * s.out_pixels());
    const T* const image = x + plane * s.in_pixels();
    const PoolSpan d = s.span(0, o.at[0]), h = s.span(1, o.at[1]), w = s.span(2, o.at[2]);
    opmath_t<T> sum = 0;
    for (int64_t z = d.first; z < d.end; ++z)
      for (int64_t r = h.first; r < h.end; ++r)
        for (int64_t k = w.first; k < w.end; ++k) sum += load(image[pixel_of(s, z, r, k)]);
    y[i] = static_cast<T>(sum / static_cast<opmath_t<T>>(s.divisor(o.at)));
  }
};

// ---------------------------------------------------------------- by image pixel
// A gradient is gathered from all windows that may have the pixel: nothing is added by two threads,
// and the order of additions is always the same.

/// The windows along dimension d that may have pixel i: [first, end).
struct Windows {
  int64_t first, end;
  TAPER_DEVICE Windows(const PoolShape& s, int d, int64_t i) {
    if (s.w.adaptive) {
      first = i * s.out[d] / s.in[d];
      end = ((i + 1) * s.out[d] - 1) / s.in[d] + 1;
    } else {
      const int64_t last = i + s.w.padding[d], reach = (s.w.kernel[d] - 1) * s.w.dilation[d];
      first = last > reach ? (last - reach + s.w.stride[d] - 1) / s.w.stride[d] : 0;
      end = last / s.w.stride[d] + 1;
    }
    if (end > s.out[d]) end = s.out[d];
  }
};

/// The sum of part(output coordinates, output pixel) over the windows that may have the pixel.
template <class Sum, class Part>
TAPER_DEVICE Sum over_windows(const PoolShape& s, int64_t pixel, const Part& part) {
  const Index3 o(s.in, pixel);
  const Windows d(s, 0, o.at[0]), h(s, 1, o.at[1]), w(s, 2, o.at[2]);
  Sum sum = 0;
  for (int64_t i = d.first; i < d.end; ++i)
    for (int64_t j = h.first; j < h.end; ++j)
      for (int64_t k = w.first; k < w.end; ++k) {
        const int64_t o[3] = {i, j, k};
        sum += part(o, (i * s.out[1] + j) * s.out[2] + k);
      }
  return sum;
}

template <class T>
struct MaxScatter {
  PoolShape s;
  T* gx;
  const T* gy;
  Codes codes;
  TAPER_DEVICE void operator()(int64_t i) const {
    using A = opmath_t<T>;
    const int64_t plane = i / s.in_pixels(), pixel = i - plane * s.in_pixels();
    const T* const g = gy + plane * s.out_pixels();
    gx[i] = static_cast<T>(over_windows<A>(s, pixel, [&](const int64_t(&)[3], int64_t p) {
      return codes.at(s, plane, p) == pixel ? load(g[p]) : A(0);
    }));
  }
};

template <class T>
struct AvgScatter {
  PoolShape s;
  T* gx;
  const T* gy;
  TAPER_DEVICE void operator()(int64_t i) const {
    using A = opmath_t<T>;
    const int64_t plane = i / s.in_pixels(), pixel = i - plane * s.in_pixels();
    const Index3 here(s.in, pixel);
    const T* const g = gy + plane * s.out_pixels();
    gx[i] = static_cast<T>(over_windows<A>(s, pixel, [&](const int64_t(&o)[3], int64_t p) {
      const PoolSpan d = s.span(0, o[0]), h = s.span(1, o[1]), w = s.span(2, o[2]);
      const bool inside = within(d, here.at[0]) && within(h, here.at[1]) && within(w, here.at[2]);
      return inside ? load(g[p]) / static_cast<A>(s.divisor(o)) : A(0);
    }));
  }
  TAPER_DEVICE static bool within(const PoolSpan& span, int64_t i) {
    return i >= span.first && i < span.end;
  }
};

}  // namespace

void max_pool_forward(Out y, Out codes, In x, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(x.sizes, y.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(y.dtype, "max_pool", [&]<class scalar_t>() {
    scalar_t* const to = y.as<scalar_t>();
    const scalar_t* const from = x.as<scalar_t>();
    if (codes.dtype == kLong)
      for_each(y.numel, MaxForward<scalar_t, int64_t>{s, to, codes.as<int64_t>(), from});
    else
      for_each(y.numel, MaxForward<scalar_t, uint8_t>{s, to, codes.as<uint8_t>(), from});
  });
}

void max_pool_scatter(Out gx, In gy, In codes, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(gx.sizes, gy.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(gx.dtype, "max_pool", [&]<class scalar_t>() {
    for_each(gx.numel, MaxScatter<scalar_t>{s, gx.as<scalar_t>(), gy.as<scalar_t>(), Codes(codes)});
  });
}

void max_pool_gather(Out y, In x, In codes, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(x.sizes, y.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(y.dtype, "max_pool", [&]<class scalar_t>() {
    for_each(y.numel, MaxGather<scalar_t>{s, y.as<scalar_t>(), x.as<scalar_t>(), Codes(codes)});
  });
}

void max_pool_positions(Out positions, In codes, Dims image, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(image, positions.sizes, spatial, w);
  for_each(positions.numel, MaxPositions{s, positions.as<int64_t>(), Codes(codes)});
}

void avg_pool_forward(Out y, In x, int64_t spatial, PoolWindows w) {
#ifdef __CUDACC__
  if (PoolWindows stated = w;
      cudnn_takes_means(x.sizes, y.sizes, spatial, stated) && cudnn_avg_pool(y, x, spatial, stated))
    return;
#endif
  const PoolShape s = pool_shape(x.sizes, y.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(y.dtype, "avg_pool", [&]<class scalar_t>() {
    for_each(y.numel, AvgForward<scalar_t>{s, y.as<scalar_t>(), x.as<scalar_t>()});
  });
}

void avg_pool_scatter(Out gx, In gy, int64_t spatial, PoolWindows w) {
#ifdef __CUDACC__
  if (PoolWindows stated = w; cudnn_takes_means(gx.sizes, gy.sizes, spatial, stated) &&
                              cudnn_avg_pool_scatter(gx, gy, spatial, stated))
    return;
#endif
  const PoolShape s = pool_shape(gx.sizes, gy.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(gx.dtype, "avg_pool", [&]<class scalar_t>() {
    for_each(gx.numel, AvgScatter<scalar_t>{s, gx.as<scalar_t>(), gy.as<scalar_t>()});
  });
}

}  // namespace taper::cuda
