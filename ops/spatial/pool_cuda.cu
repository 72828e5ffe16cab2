#include <climits>
#include <limits>

#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/spatial/pool_shape.h>
#ifdef __CUDACC__
#include <taper/ops/spatial/pool_cudnn.h>
#endif

// cuDNN computes means if cudnn_takes_means allows. Maxima are computed here. cuDNN's backward
// would keep x and y instead of a byte per output. It leaves open which of equal elements gets the
// gradient. It has neither indices nor second derivatives.

namespace torch::taper::cuda {
namespace {

TAPER_DEVICE int64_t pixel_of(const PoolShape& s, int64_t z, int64_t y, int64_t x) {
  return (z * s.in[1] + y) * s.in[2] + x;
}

// ---------------------------------------------------------------- by output pixel
template <class T, class Code>
struct MaxForward {
  PoolShape s;
  Planes planes;  // of y
  T* y;
  Code* codes;  // null if not wanted
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const InPlane o = planes.find(i);
    const T* const image = x + o.plane * s.in_pixels();
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

/// Windows over contiguous images of two dimensions, with codes of a byte and 32-bit arithmetic:
/// the usual case. PoolShape's general arithmetic would take longer than the memory.
struct FlatPool {
  Planes places;  // of y in the forward, of gx in the backward
  int in[2], out[2], kernel[2], stride[2], padding[2];
  Divider<uint32_t> strides[2];
  /// Tests whether this struct covers the shape.
  static bool suits(const PoolShape& s, bool of_bytes) {
    const auto& w = s.w;
    const int64_t most = s.planes * std::max(s.in_pixels(), s.out_pixels());
    return of_bytes && s.kernel_elements() <= 256 && !w.adaptive && s.in[0] == 1 &&
           w.kernel[0] == 1 && w.padding[0] == 0 && w.dilation[1] == 1 && w.dilation[2] == 1 &&
           most < INT_MAX && w.stride[1] < INT_MAX / 4 && w.stride[2] < INT_MAX / 4;
  }
  FlatPool(const PoolShape& s, const int64_t (&of)[3]) : places(s.planes, of) {
    for (int d = 0; d < 2; ++d) {
      in[d] = static_cast<int>(s.in[d + 1]);
      out[d] = static_cast<int>(s.out[d + 1]);
      kernel[d] = static_cast<int>(s.w.kernel[d + 1]);
      stride[d] = static_cast<int>(s.w.stride[d + 1]);
      padding[d] = static_cast<int>(s.w.padding[d + 1]);
      strides[d] = Divider<uint32_t>(stride[d]);
    }
  }
  /// The elements [first, end) of window o along d inside the image, relative to `start`.
  struct Span {
    int start, first, end;
  };
  TAPER_DEVICE Span span(int d, int o) const {
    const int start = o * stride[d] - padding[d], room = in[d] - start;
    return {start, start < 0 ? -start : 0, room < kernel[d] ? room : kernel[d]};
  }
  /// The windows [first, end) along d that have the pixel.
  struct Windows {
    int first, end;
  };
  TAPER_DEVICE Windows windows(int d, int pixel) const {
    const int last = pixel + padding[d], past = last - kernel[d];
    const int end = static_cast<int>(strides[d].quotient(static_cast<uint32_t>(last))) + 1;
    const int first =
        past < 0 ? 0 : static_cast<int>(strides[d].quotient(static_cast<uint32_t>(past))) + 1;
    return {first, end < out[d] ? end : out[d]};
  }
};

template <class T>
struct FlatMaxForward {
  FlatPool s;
  T* y;
  uint8_t* codes;  // null if not wanted
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const InPlane o = s.places.find(i);
    const auto h = s.span(0, static_cast<int>(o.at[1])), w = s.span(1, static_cast<int>(o.at[2]));
    const T* const image = x + o.plane * (int64_t{s.in[0]} * s.in[1]);
    opmath_t<T> best = -std::numeric_limits<opmath_t<T>>::infinity();
    int code = -1;
    for (int b = h.first; b < h.end; ++b) {
      const T* const row = image + (h.start + b) * s.in[1] + w.start;
      for (int c = w.first; c < w.end; ++c) {
        const opmath_t<T> v = load(row[c]);
        if (!(v > best || v != v || code < 0)) continue;
        best = v;
        code = b * s.kernel[1] + c;
      }
    }
    y[i] = static_cast<T>(best);
    if (codes) codes[i] = static_cast<uint8_t>(code);
  }
};

template <class T>
struct FlatMaxScatter {
  FlatPool s;
  T* gx;
  const T* gy;
  const uint8_t* codes;
  TAPER_DEVICE void operator()(int64_t i) const {
    const InPlane here = s.places.find(i);
    const int y = static_cast<int>(here.at[1]), x = static_cast<int>(here.at[2]);
    const auto h = s.windows(0, y), w = s.windows(1, x);
    const int64_t plane = here.plane * (int64_t{s.out[0]} * s.out[1]);
    opmath_t<T> sum = 0;
    for (int j = h.first; j < h.end; ++j) {
      const int row = (y + s.padding[0] - j * s.stride[0]) * s.kernel[1] + x + s.padding[1];
      for (int k = w.first; k < w.end; ++k) {
        const int64_t p = plane + j * s.out[1] + k;
        if (codes[p] == row - k * s.stride[1]) sum += load(gy[p]);
      }
    }
    gx[i] = static_cast<T>(sum);
  }
};

/// The position of the code of output pixel i in its plane.
struct Codes {
  const uint8_t* elements;  // one of the two is set
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
  Planes planes;  // of y
  T* y;
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    const InPlane o = planes.find(i);
    const T* const image = x + o.plane * s.in_pixels();
    const PoolSpan d = s.span(0, o.at[0]), h = s.span(1, o.at[1]), w = s.span(2, o.at[2]);
    opmath_t<T> sum = 0;
    for (int64_t z = d.first; z < d.end; ++z)
      for (int64_t r = h.first; r < h.end; ++r)
        for (int64_t k = w.first; k < w.end; ++k) sum += load(image[pixel_of(s, z, r, k)]);
    y[i] = static_cast<T>(sum / static_cast<opmath_t<T>>(s.divisor(o.at)));
  }
};

// ---------------------------------------------------------------- by image pixel
// A gradient gathers from all windows that may have the pixel. So no two threads add to one number,
// and the order of additions is fixed.

/// The divisors of windows, along each dimension.
struct WindowSteps {
  Divider<int64_t> stride[3], dilation[3];
  explicit WindowSteps(const PoolShape& s)
      : stride{along(s, 0, s.w.stride), along(s, 1, s.w.stride), along(s, 2, s.w.stride)},
        dilation{along(s, 0, s.w.dilation), along(s, 1, s.w.dilation), along(s, 2, s.w.dilation)} {}

 private:
  static Divider<int64_t> along(const PoolShape& s, int d, const int64_t (&steps)[3]) {
    return Divider<int64_t>(steps[d], s.in[d] + 2 * s.w.padding[d] + steps[d]);
  }
};

/// The windows along dimension d that may have pixel i: [first, end).
struct Windows {
  int64_t first, end;
  TAPER_DEVICE Windows(const PoolShape& s, const WindowSteps& steps, int d, int64_t i) {
    if (s.w.adaptive) {
      first = i * s.out[d] / s.in[d];
      end = ((i + 1) * s.out[d] - 1) / s.in[d] + 1;
    } else {
      const int64_t last = i + s.w.padding[d], reach = (s.w.kernel[d] - 1) * s.w.dilation[d];
      first = last > reach ? steps.stride[d].quotient(last - reach + s.w.stride[d] - 1) : 0;
      end = steps.stride[d].quotient(last) + 1;
    }
    if (end > s.out[d]) end = s.out[d];
  }
};

/// Returns the sum of part(output coordinates, output pixel) over the windows that may have the
/// pixel.
template <class Sum, class Part>
TAPER_DEVICE Sum over_windows(const PoolShape& s, const WindowSteps& steps, const InPlane& pixel,
                              const Part& part) {
  const Windows d(s, steps, 0, pixel.at[0]), h(s, steps, 1, pixel.at[1]),
      w(s, steps, 2, pixel.at[2]);
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
  Planes planes;  // of gx
  WindowSteps steps;
  T* gx;
  const T* gy;
  Codes codes;
  TAPER_DEVICE void operator()(int64_t i) const {
    using A = opmath_t<T>;
    const InPlane here = planes.find(i);
    const int64_t first = here.plane * s.out_pixels();
    gx[i] = static_cast<T>(over_windows<A>(s, steps, here, [&](const int64_t(&o)[3], int64_t p) {
      const bool is_largest = codes.places ? codes.places[first + p] == here.pixel
                                           : codes.elements[first + p] == element(here, o);
      return is_largest ? load(gy[first + p]) : A(0);
    }));
  }
  /// Returns the code of the pixel in window o, or -1 if it is between the window's elements.
  TAPER_DEVICE int64_t element(const InPlane& here, const int64_t (&o)[3]) const {
    int64_t code = 0;
    for (int d = 0; d < 3; ++d) {
      const int64_t away = here.at[d] + s.w.padding[d] - o[d] * s.w.stride[d];
      const int64_t k = steps.dilation[d].quotient(away);
      if (k * s.w.dilation[d] != away) return -1;
      code = code * s.w.kernel[d] + k;
    }
    return code;
  }
};

template <class T>
struct AvgScatter {
  PoolShape s;
  Planes planes;  // of gx
  WindowSteps steps;
  T* gx;
  const T* gy;
  TAPER_DEVICE void operator()(int64_t i) const {
    using A = opmath_t<T>;
    const InPlane here = planes.find(i);
    const T* const g = gy + here.plane * s.out_pixels();
    gx[i] = static_cast<T>(over_windows<A>(s, steps, here, [&](const int64_t(&o)[3], int64_t p) {
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
  const Planes places(s.planes, s.out);
  const bool of_bytes = !codes.data || codes.dtype == kByte;
  switch_dtype<dtypes::Floating>(y.dtype, "max_pool", [&]<class scalar_t>() {
    scalar_t* const to = y.as<scalar_t>();
    const scalar_t* const from = x.as<scalar_t>();
    if (FlatPool::suits(s, of_bytes))
      for_each(y.numel,
               FlatMaxForward<scalar_t>{FlatPool(s, s.out), to, codes.as<uint8_t>(), from});
    else if (codes.dtype == kLong)
      for_each(y.numel, MaxForward<scalar_t, int64_t>{s, places, to, codes.as<int64_t>(), from});
    else
      for_each(y.numel, MaxForward<scalar_t, uint8_t>{s, places, to, codes.as<uint8_t>(), from});
  });
}

void max_pool_scatter(Out gx, In gy, In codes, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(gx.sizes, gy.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(gx.dtype, "max_pool", [&]<class scalar_t>() {
    scalar_t* const to = gx.as<scalar_t>();
    const scalar_t* const from = gy.as<scalar_t>();
    if (FlatPool::suits(s, codes.dtype == kByte))
      for_each(gx.numel,
               FlatMaxScatter<scalar_t>{FlatPool(s, s.in), to, from, codes.as<uint8_t>()});
    else
      for_each(gx.numel, MaxScatter<scalar_t>{s, Planes(s.planes, s.in), WindowSteps(s), to, from,
                                              Codes(codes)});
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
    for_each(y.numel,
             AvgForward<scalar_t>{s, Planes(s.planes, s.out), y.as<scalar_t>(), x.as<scalar_t>()});
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
    for_each(gx.numel, AvgScatter<scalar_t>{s, Planes(s.planes, s.in), WindowSteps(s),
                                            gx.as<scalar_t>(), gy.as<scalar_t>()});
  });
}

}  // namespace torch::taper::cuda
