#include <algorithm>

#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/offsets.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/spatial/conv/conv_cudnn.h>
#include <taper/ops/spatial/conv/conv_shape.h>

// cuDNN computes convolutions. Most with one channel per group use conv_depthwise_cuda.h. Inputs
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
