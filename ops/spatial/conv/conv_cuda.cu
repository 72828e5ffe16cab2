#include <algorithm>

#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/offsets.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/spatial/conv/conv_cudnn.h>
#include <taper/ops/spatial/conv/conv_shape.h>

// Convolutions of images with one channel per group. Each element takes part in few products, so
// memory access decides. Adjacent threads read adjacent elements, each once.

// Loops over arrays of registers. They would be in memory unless each index is known.
#ifdef __CUDACC__
#define TAPER_UNROLLED _Pragma("unroll")
#else
#define TAPER_UNROLLED
#endif

namespace torch::taper::cuda {

/// Sums K x K elements around each element of y. Channel c of y has `terms` sources and weights.
/// The weights start at c * terms, the planes of x at c / share * terms. For y's gradient, x has
/// these roles.
template <class T, int K>
struct DepthwiseColumns {
  static constexpr int kRows = 4;  // rows of y in a thread's registers
  T* y;
  const T *x, *w, *b;
  int in[2], out[2], padding[2];
  int channels, x_channels, terms;
  bool flipped;  // the kernel is read from its end
  Divider<uint32_t> share, of_channels, of_columns, of_pieces;

  TAPER_DEVICE void operator()(int64_t index) const {
    const auto i = static_cast<uint32_t>(index);
    const uint32_t row = of_columns.quotient(i), column = i - row * of_columns.divisor;
    const uint32_t plane = of_pieces.quotient(row), piece = row - plane * of_pieces.divisor;
    const uint32_t n = of_channels.quotient(plane), c = plane - n * of_channels.divisor;
    const int first = static_cast<int>(piece) * kRows;
    opmath_t<T> sums[kRows];
    for (auto& sum : sums) sum = b ? load(b[c]) : opmath_t<T>(0);
    const int64_t from = int64_t{n} * x_channels + int64_t{share.quotient(c)} * terms;
    TAPER_ROLLED
    for (int t = 0; t < terms; ++t)
      add(sums, x + (from + t) * in[0] * in[1], w + (int64_t{c} * terms + t) * K * K, first,
          static_cast<int>(column));
    T* const to = y + (int64_t{plane} * out[0] + first) * out[1] + column;
    TAPER_UNROLLED
    for (int q = 0; q < kRows; ++q)
      if (first + q < out[0]) to[q * out[1]] = static_cast<T>(sums[q]);
  }

 private:
  TAPER_DEVICE void add(opmath_t<T> (&sums)[kRows], const T* plane, const T* kernel, int first,
                        int column) const {
    opmath_t<T> weights[K * K];
    TAPER_UNROLLED
    for (int k = 0; k < K * K; ++k) weights[k] = load(kernel[flipped ? K * K - 1 - k : k]);
    TAPER_UNROLLED
    for (int i = 0; i < K + kRows - 1; ++i) {
      const int row = first - padding[0] + i;
      const bool has_row = row >= 0 && row < in[0];
      TAPER_UNROLLED
      for (int k = 0; k < K; ++k) {
        const int at = column - padding[1] + k;
        opmath_t<T> v = 0;
        if (has_row && at >= 0 && at < in[1]) v = load(plane[row * in[1] + at]);
        TAPER_UNROLLED
        for (int q = 0; q < kRows; ++q)
          if (i >= q && i - q < K) sums[q] += v * weights[(i - q) * K + k];
      }
    }
  }
};

/// Computes the gradient of the weights of each channel of y, over a part of the batch.
template <class T, int K>
struct DepthwiseWeights {
  static constexpr int kMostThreads = kThreads;
  opmath_t<T>* gw;  // (parts, channels, K, K)
  const T *x, *gy;
  int in[2], out[2], padding[2];
  int64_t batch, channels, x_channels, parts;
  Divider<uint32_t> share, of_columns;

  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t part = row / channels, c = row - part * channels;
    opmath_t<T> sums[K * K] = {};
    for (int64_t n = batch * part / parts; n < batch * (part + 1) / parts; ++n) {
      const int64_t from = n * x_channels + share.quotient(static_cast<uint32_t>(c));
      add(team, sums, x + from * in[0] * in[1], gy + (n * channels + c) * out[0] * out[1]);
    }
    TAPER_UNROLLED
    for (int k = 0; k < K * K; ++k) {
      const auto sum = team.combine(sums[k], Plus());
      if (team.rank == 0) gw[row * K * K + k] = sum;
    }
  }

 private:
  TAPER_DEVICE void add(const Team& team, opmath_t<T> (&sums)[K * K], const T* plane,
                        const T* gradients) const {
    TAPER_ROLLED
    for (int p = team.rank; p < out[0] * out[1]; p += team.size) {
      const int i = static_cast<int>(of_columns.quotient(static_cast<uint32_t>(p)));
      const int row = i - padding[0], column = p - i * out[1] - padding[1];
      const opmath_t<T> g = load(gradients[p]);
      TAPER_UNROLLED
      for (int a = 0; a < K; ++a) TAPER_UNROLLED
      for (int k = 0; k < K; ++k)
        if (row + a >= 0 && row + a < in[0] && column + k >= 0 && column + k < in[1])
          sums[a * K + k] += g * load(plane[(row + a) * in[1] + column + k]);
    }
  }
};

/// Computes gw[i], the sum over the parts.
template <class T>
struct DepthwiseParts {
  T* gw;
  const opmath_t<T>* from;
  int64_t numel, parts;
  TAPER_DEVICE void operator()(int64_t i) const {
    opmath_t<T> sum = 0;
    for (int64_t p = 0; p < parts; ++p) sum += from[p * numel + i];
    gw[i] = static_cast<T>(sum);
  }
};

/// Calls f.operator()<scalar_t, K>() for shapes that depthwise_takes accepts.
template <class F>
void switch_depthwise(ScalarType dtype, int64_t k, const F& f) {
  switch_dtype<dtypes::Floating>(dtype, "conv", [&]<class scalar_t>() {
    if (k == 3) f.template operator()<scalar_t, 3>();
    if (k == 5) f.template operator()<scalar_t, 5>();
    if (k == 7) f.template operator()<scalar_t, 7>();
  });
}

inline void set_planes(int (&to)[2], const int64_t (&from)[3]) {
  for (int d = 0; d < 2; ++d) to[d] = static_cast<int>(from[1 + d]);
}

/// y and x are the ones of DepthwiseColumns. `channels` counts y's.
template <class T, int K>
void run_columns(DepthwiseColumns<T, K> f, int64_t batch, int64_t channels, int64_t share) {
  const int64_t pieces = (f.out[0] + f.kRows - 1) / f.kRows;
  f.channels = static_cast<int>(channels);
  f.share = Divider<uint32_t>(share);
  f.of_channels = Divider<uint32_t>(channels);
  f.of_columns = Divider<uint32_t>(f.out[1]);
  f.of_pieces = Divider<uint32_t>(pieces);
  for_each(batch * channels * pieces * f.out[1], f);
}

inline void depthwise_forward(const Out& y, const In& x, const In& w, const In& b,
                              const ConvShape& s) {
  switch_depthwise(y.dtype, s.kernel[1], [&]<class T, int K>() {
    DepthwiseColumns<T, K> f{};
    f.y = y.as<T>(), f.x = x.as<T>(), f.w = w.as<T>(), f.b = b.defined() ? b.as<T>() : nullptr;
    set_planes(f.in, s.in), set_planes(f.out, s.out), set_planes(f.padding, s.steps.padding);
    f.x_channels = static_cast<int>(s.groups), f.terms = 1;
    run_columns(f, s.batch, s.groups * s.out_channels, s.out_channels);
  });
}

/// Convolves gy with the reversed kernels.
inline void depthwise_input_gradient(const Out& gx, const In& gy, const In& w, const ConvShape& s) {
  switch_depthwise(gx.dtype, s.kernel[1], [&]<class T, int K>() {
    DepthwiseColumns<T, K> f{};
    f.y = gx.as<T>(), f.x = gy.as<T>(), f.w = w.as<T>(), f.flipped = true;
    set_planes(f.in, s.out), set_planes(f.out, s.in), set_planes(f.padding, s.steps.padding);
    for (int& p : f.padding) p = K - 1 - p;
    f.x_channels = static_cast<int>(s.groups * s.out_channels);
    f.terms = static_cast<int>(s.out_channels);
    run_columns(f, s.batch, s.groups, 1);
  });
}

inline void depthwise_weight_gradient(const Out& gw, const In& x, const In& gy,
                                      const ConvShape& s) {
  const int64_t channels = s.groups * s.out_channels;
  const int team = std::min(team_for(s.out_pixels()), kThreads);
  const int64_t parts = std::clamp<int64_t>(resident_threads() / (channels * team), 1, s.batch);
  switch_depthwise(gw.dtype, s.kernel[1], [&]<class T, int K>() {
    const Scratch<opmath_t<T>> of_parts(parts * gw.numel);
    DepthwiseWeights<T, K> f{};
    f.gw = of_parts.get(), f.x = x.as<T>(), f.gy = gy.as<T>();
    set_planes(f.in, s.in), set_planes(f.out, s.out), set_planes(f.padding, s.steps.padding);
    f.batch = s.batch, f.channels = channels, f.x_channels = s.groups, f.parts = parts;
    f.share = Divider<uint32_t>(s.out_channels);
    f.of_columns = Divider<uint32_t>(s.out[2]);
    for_each_row(parts * channels, team, f);
    for_each(gw.numel, DepthwiseParts<T>{gw.as<T>(), of_parts.get(), gw.numel, parts});
  });
}

}  // namespace torch::taper::cuda

#undef TAPER_UNROLLED

// cuDNN computes convolutions. Most with one channel per group use the kernels above. Inputs
// that cuDNN refuses (unequal padding at both ends, empty tensors) are computed by definition, one
// thread per result.

namespace torch::taper::cuda {
namespace {

/// Offsets of elements of a convolution's tensors. c and f count the channels of all groups.
struct ConvPlaces : ConvShape {
  explicit ConvPlaces(const ConvShape& shape) : ConvShape(shape) {}
  TAPER_DEVICE int64_t x_at(int64_t n, int64_t c, const int64_t (&at)[3]) const {
    return (((n * in_channels * groups + c) * in[0] + at[0]) * in[1] + at[1]) * in[2] + at[2];
  }
  TAPER_DEVICE int64_t y_at(int64_t n, int64_t f, const int64_t (&at)[3]) const {
    return (((n * out_channels * groups + f) * out[0] + at[0]) * out[1] + at[1]) * out[2] + at[2];
  }
  /// c counts within its group.
  TAPER_DEVICE int64_t w_at(int64_t f, int64_t c, const int64_t (&at)[3]) const {
    return (((f * in_channels + c) * kernel[0] + at[0]) * kernel[1] + at[1]) * kernel[2] + at[2];
  }
};

/// Calls f(element) for all elements of the kernel.
template <class F>
TAPER_DEVICE void for_elements(const int64_t (&sizes)[3], const F& f) {
  for (int64_t a = 0; a < sizes[0]; ++a)
    for (int64_t b = 0; b < sizes[1]; ++b)
      for (int64_t c = 0; c < sizes[2]; ++c) {
        const int64_t element[3] = {a, b, c};
        f(element);
      }
}

/// Computes the image position that `element` reads for `out`. Returns false if it is outside.
TAPER_DEVICE bool seen(const ConvPlaces& s, const int64_t (&out)[3], const int64_t (&element)[3],
                       int64_t (&in)[3]) {
  for (int d = 0; d < 3; ++d) {
    in[d] = out[d] * s.steps.stride[d] - s.steps.padding[d] + element[d] * s.steps.dilation[d];
    if (in[d] < 0 || in[d] >= s.in[d]) return false;
  }
  return true;
}
/// Computes the output position whose `element` reads `in`. Returns false if there is none.
TAPER_DEVICE bool seeing(const ConvPlaces& s, const int64_t (&in)[3], const int64_t (&element)[3],
                         int64_t (&out)[3]) {
  for (int d = 0; d < 3; ++d) {
    const int64_t at = in[d] + s.steps.padding[d] - element[d] * s.steps.dilation[d];
    if (at < 0 || at % s.steps.stride[d] != 0) return false;
    out[d] = at / s.steps.stride[d];
    if (out[d] >= s.out[d]) return false;
  }
  return true;
}

template <class T>
struct Forward {
  ConvPlaces s;
  T* y;
  const T *x, *w, *b;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.out_pixels();
    const Index3 o(s.out, i - plane * s.out_pixels());
    const int64_t all = s.out_channels * s.groups, n = plane / all, f = plane % all;
    const int64_t first = f / s.out_channels * s.in_channels;
    opmath_t<T> sum = b ? load(b[f]) : opmath_t<T>(0);
    for (int64_t c = 0; c < s.in_channels; ++c)
      for_elements(s.kernel, [&](const int64_t(&element)[3]) {
        int64_t in[3];
        if (seen(s, o.at, element, in))
          sum += load(x[s.x_at(n, first + c, in)]) * load(w[s.w_at(f, c, element)]);
      });
    y[i] = static_cast<T>(sum);
  }
};

template <class T>
struct InputGradient {
  ConvPlaces s;
  T* gx;
  const T *gy, *w;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t plane = i / s.in_pixels();
    const Index3 in(s.in, i - plane * s.in_pixels());
    const int64_t all = s.in_channels * s.groups, n = plane / all, c = plane % all;
    const int64_t first = c / s.in_channels * s.out_channels;
    opmath_t<T> sum = 0;
    for (int64_t f = 0; f < s.out_channels; ++f)
      for_elements(s.kernel, [&](const int64_t(&element)[3]) {
        int64_t out[3];
        if (seeing(s, in.at, element, out))
          sum += load(gy[s.y_at(n, first + f, out)]) *
                 load(w[s.w_at(first + f, c % s.in_channels, element)]);
      });
    gx[i] = static_cast<T>(sum);
  }
};

template <class T>
struct WeightGradient {
  ConvPlaces s;
  T* gw;
  const T *x, *gy;
  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    const int64_t elements = s.kernel_elements(), pair = i / elements;
    const Index3 element(s.kernel, i - pair * elements);
    const int64_t f = pair / s.in_channels,
                  c = f / s.out_channels * s.in_channels + pair % s.in_channels;
    const int64_t pixels = s.out_pixels();
    const auto sum = team.sum<opmath_t<T>>(s.batch * pixels, [&](int64_t k) {
      const Index3 o(s.out, k % pixels);
      int64_t in[3];
      if (!seen(s, o.at, element.at, in)) return opmath_t<T>(0);
      return static_cast<opmath_t<T>>(load(gy[s.y_at(k / pixels, f, o.at)]) *
                                      load(x[s.x_at(k / pixels, c, in)]));
    });
    if (team.rank == 0) gw[i] = static_cast<T>(sum);
  }
};

}  // namespace

void conv_forward(Out y, In x, In w, In b, ConvSteps steps) {
  const ConvShape s = conv_shape(x.sizes, w.sizes, y.sizes, steps);
  if (depthwise_takes(s)) return depthwise_forward(y, x, w, b, s);
#ifdef __CUDACC__
  if (cudnn_takes(x.sizes, w.sizes, y.sizes, steps) && cudnn_forward(y, x, w, b, steps)) return;
#endif
  switch_dtype<dtypes::Floating>(y.dtype, "conv", [&]<class scalar_t>() {
    for_each(y.numel,
             Forward<scalar_t>{ConvPlaces(s), y.as<scalar_t>(), x.as<scalar_t>(), w.as<scalar_t>(),
                               b.defined() ? b.as<scalar_t>() : nullptr});
  });
}

void conv_input_gradient(Out gx, In gy, In w, ConvSteps steps) {
  const ConvShape s = conv_shape(gx.sizes, w.sizes, gy.sizes, steps);
  if (depthwise_takes(s)) return depthwise_input_gradient(gx, gy, w, s);
#ifdef __CUDACC__
  if (cudnn_takes(gx.sizes, w.sizes, gy.sizes, steps) && cudnn_input_gradient(gx, gy, w, steps))
    return;
#endif
  switch_dtype<dtypes::Floating>(gx.dtype, "conv", [&]<class scalar_t>() {
    for_each(gx.numel, InputGradient<scalar_t>{ConvPlaces(s), gx.as<scalar_t>(), gy.as<scalar_t>(),
                                               w.as<scalar_t>()});
  });
}

void conv_weight_gradient(Out gw, In x, In gy, ConvSteps steps) {
  const ConvShape s = conv_shape(x.sizes, gw.sizes, gy.sizes, steps);
  if (depthwise_takes(s)) return depthwise_weight_gradient(gw, x, gy, s);
#ifdef __CUDACC__
  if (cudnn_takes(x.sizes, gw.sizes, gy.sizes, steps) && cudnn_weight_gradient(gw, x, gy, steps))
    return;
#endif
  switch_dtype<dtypes::Floating>(gw.dtype, "conv", [&]<class scalar_t>() {
    for_each_row(gw.numel, Team::kWarp,
                 WeightGradient<scalar_t>{ConvPlaces(s), gw.as<scalar_t>(), x.as<scalar_t>(),
                                          gy.as<scalar_t>()});
  });
}

}  // namespace torch::taper::cuda
