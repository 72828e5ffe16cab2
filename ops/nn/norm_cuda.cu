#include <cmath>

#include <taper/framework/cuda/map.h>
#include <taper/ops/nn/norm_kernels.h>
#include <taper/ops/reduce/reduce_cuda.h>
#ifdef __CUDACC__
#include <taper/ops/nn/norm_cudnn.h>
#endif

namespace taper::cuda {
namespace {

/// Bytes from one element of a short vector to the next.
template <class View>
int64_t bytes_between(const View& x) {
  const int64_t step = x.dim() == 1 && x.numel > 1 ? x.strides[0] : 1;
  return step * static_cast<int64_t>(elementSize(x.dtype));
}

/// A short vector of any floating type, or none: then every element is `otherwise`.
struct Values {
  const void* data;
  ScalarType dtype;
  int64_t step;          // in bytes
  template <class View>  // In or InOut
  explicit Values(const View& x)
      : data(x.defined() ? x.data : nullptr), dtype(x.dtype), step(bytes_between(x)) {}
  TAPER_DEVICE double at(int64_t i, double otherwise) const {
    if (!data) return otherwise;
    return load_double(dtype, static_cast<const char*>(data) + i * step);
  }
};
/// The same to be written; what is written to none is lost.
struct Results {
  void* data;
  ScalarType dtype;
  int64_t step;  // in bytes
  explicit Results(const Out& y)
      : data(y.defined() ? y.data : nullptr), dtype(y.dtype), step(bytes_between(y)) {}
  TAPER_DEVICE void put(int64_t i, double v) const {
    if (!data) return;
    store_double(dtype, static_cast<char*>(data) + i * step, v);
  }
};

/// Number, mean and sum of squared deviations.
struct Moments {
  double n, mean, squares;
};
/// Sums of gy and of gy (x - mean).
struct Dots {
  double sum, dot;
};
struct AddDots {
  TAPER_DEVICE Dots operator()(const Dots& a, const Dots& b) const {
    return {a.sum + b.sum, a.dot + b.dot};
  }
};

/// value(i), i < n: two passes, the second around the mean.
template <class F>
TAPER_DEVICE Moments moments_of(const Team& team, int64_t n, const F& value) {
  const double count = static_cast<double>(n);
  const double mean = team.sum<double>(n, value) / count;
  const double squares = team.sum<double>(n, [&](int64_t i) {
    const double d = value(i) - mean;
    return d * d;
  });
  return {count, mean, n ? squares : 0};
}

/// x as (batch, channels, pixels).
struct Planes {
  int64_t batch, channels, pixels;
  explicit Planes(const Dims& sizes) : batch(sizes[0]), channels(sizes[1]), pixels(1) {
    for (int64_t d = 2; d < sizes.size(); ++d) pixels *= sizes[d];
  }
  TAPER_HD int64_t of_channel() const { return batch * pixels; }
  /// The place of the i-th element of channel c.
  TAPER_DEVICE int64_t at(int64_t c, int64_t i) const {
    const int64_t n = i / pixels;
    return (n * channels + c) * pixels + (i - n * pixels);
  }
};

// ---------------------------------------------------------------------- batch norm
template <class T>
struct BatchStatistics {
  Planes p;
  const T* x;
  opmath_t<T>*mean, *scale;
  Values old_mean, old_var;
  Results new_mean, new_var;
  double momentum, eps;
  TAPER_DEVICE void operator()(const Team& team, int64_t c) const {
    const Moments m = moments_of(
        team, p.of_channel(), [&](int64_t i) { return static_cast<double>(load(x[p.at(c, i)])); });
    if (team.rank != 0) return;
    const double mu = m.n ? m.mean : 0, variance = m.n ? m.squares / m.n : 0;
    mean[c] = static_cast<opmath_t<T>>(mu);
    scale[c] = static_cast<opmath_t<T>>(1 / std::sqrt(variance + eps));
    new_mean.put(c, (1 - momentum) * old_mean.at(c, 0) + momentum * mu);
    const double unbiased = m.n > 1 ? m.squares / (m.n - 1) : double(NAN);
    new_var.put(c, (1 - momentum) * old_var.at(c, 0) + momentum * unbiased);
  }
};

struct RunningStatistics {
  Results mean, scale;
  Values running_mean, running_var;
  double eps;
  TAPER_DEVICE void operator()(int64_t c) const {
    mean.put(c, running_mean.at(c, 0));
    scale.put(c, 1 / std::sqrt(running_var.at(c, 0) + eps));
  }
};

/// y = (x - mean) scale w + b, with mean and scale of `statistic(i)` and w, b of `channel(i)`.
template <class T>
struct Normalize {
  T* y;
  const T* x;
  const opmath_t<T>*mean, *scale;
  Values w, b;
  int64_t of_statistic;          // elements that share one
  int64_t statistics;            // how many there are before they repeat
  int64_t of_channel, channels;  // the same for the weights
  TAPER_DEVICE void operator()(int64_t i) const {
    using Op = opmath_t<T>;
    const int64_t s = i / of_statistic % statistics, c = i / of_channel % channels;
    const Op a = scale[s] * static_cast<Op>(w.at(c, 1));
    y[i] = static_cast<T>((load(x[i]) - mean[s]) * a + static_cast<Op>(b.at(c, 0)));
  }
};

template <class T>
void normalize_channels(const Planes& p, const Out& y, const In& x, const Out& mean,
                        const Out& scale, const In& weight, const In& bias) {
  using Op = opmath_t<T>;
  for_each(x.numel,
           Normalize<T>{y.as<T>(), x.as<T>(), mean.as<Op>(), scale.as<Op>(), Values(weight),
                        Values(bias), p.pixels, p.channels, p.pixels, p.channels});
}

template <class T>
struct BatchGradient {
  Planes p;
  T* gx;
  const T *gy, *x;
  const opmath_t<T>*mean, *scale;
  Values w;
  Results gw, gb;
  bool training;
  TAPER_DEVICE void operator()(const Team& team, int64_t c) const {
    using Op = opmath_t<T>;
    const Op mu = mean[c];
    Dots d{0, 0};
    team.each(p.of_channel(), [&](int64_t i) {
      const int64_t at = p.at(c, i);
      d.sum += load(gy[at]);
      d.dot += load(gy[at]) * (load(x[at]) - mu);
    });
    d = team.combine(d, AddDots());
    if (team.rank == 0) {
      gw.put(c, d.dot * scale[c]);
      gb.put(c, d.sum);
    }
    if (!gx) return;
    const double count = static_cast<double>(p.of_channel()), s = scale[c], a = w.at(c, 1) * s;
    const Op slope = static_cast<Op>(training ? -a * s * s * d.dot / count : 0);
    const Op constant = static_cast<Op>(training ? -a * d.sum / count : 0);
    team.each(p.of_channel(), [&](int64_t i) {
      const int64_t at = p.at(c, i);
      gx[at] =
          static_cast<T>(load(gy[at]) * static_cast<Op>(a) + (load(x[at]) - mu) * slope + constant);
    });
  }
};

// ---------------------------------------------------------------------- rows: layer, group norm
template <class T>
struct RowStatistics {
  const T* x;
  opmath_t<T>*mean, *scale;
  int64_t width;
  double eps;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const T* const from = x + row * width;
    const Moments m =
        moments_of(team, width, [&](int64_t i) { return static_cast<double>(load(from[i])); });
    if (team.rank != 0) return;
    mean[row] = static_cast<opmath_t<T>>(m.mean);
    scale[row] = static_cast<opmath_t<T>>(1 / std::sqrt(m.squares / m.n + eps));
  }
};

/// gx of one row, whose elements i have the weight w[weight_of(i)].
template <class T>
struct RowGradient {
  T* gx;
  const T *gy, *x;
  const opmath_t<T>*mean, *scale;
  Values w;
  int64_t width, pixels, channels;
  TAPER_DEVICE double weight(int64_t row, int64_t i) const {
    return w.at((row * width + i) / pixels % channels, 1);
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t first = row * width;
    const double mu = mean[row], s = scale[row];
    Dots d{0, 0};
    team.each(width, [&](int64_t i) {
      const double g = static_cast<double>(load(gy[first + i])) * weight(row, i);
      d.sum += g;
      d.dot += g * (load(x[first + i]) - mu);
    });
    d = team.combine(d, AddDots());
    const double constant = d.sum / width, slope = d.dot * s * s / width;
    team.each(width, [&](int64_t i) {
      const double g = static_cast<double>(load(gy[first + i])) * weight(row, i);
      const double v = (g - constant - (load(x[first + i]) - mu) * slope) * s;
      gx[first + i] = static_cast<T>(static_cast<opmath_t<T>>(v));
    });
  }
};

/// gw and gb of a channel: the sums of gy (x - mean) scale and of gy over all that have it. x is
/// seen as (outer, channels, pixels); an element belongs to the row i / width.
template <class T>
struct WeightGradient {
  const T *gy, *x;
  const opmath_t<T>*mean, *scale;
  Results gw, gb;
  int64_t outer, channels, pixels, width;
  TAPER_DEVICE void operator()(const Team& team, int64_t c) const {
    Dots d{0, 0};
    team.each(outer * pixels, [&](int64_t k) {
      const int64_t n = k / pixels, i = (n * channels + c) * pixels + (k - n * pixels);
      const int64_t row = i / width;
      const double g = load(gy[i]);
      d.sum += g;
      d.dot += g * (load(x[i]) - mean[row]) * scale[row];
    });
    d = team.combine(d, AddDots());
    if (team.rank != 0) return;
    gw.put(c, d.dot);
    gb.put(c, d.sum);
  }
};

/// Both gradients of a normalisation by rows of `width`, with the weights of (outer, channels,
/// pixels).
template <class T>
void row_gradients(const Out& gx, const Out& gw, const Out& gb, const In& gy, const In& x,
                   const In& mean, const In& scale, const In& weight, int64_t width,
                   int64_t channels, int64_t pixels) {
  using Op = opmath_t<T>;
  const int64_t rows = width ? x.numel / width : 0;
  if (gx.defined())
    for_each_row(rows, team_for(width),
                 RowGradient<T>{gx.as<T>(), gy.as<T>(), x.as<T>(), mean.as<Op>(), scale.as<Op>(),
                                Values(weight), width, pixels, channels});
  if (!gw.defined() && !gb.defined()) return;
  const int64_t outer = channels > 0 && pixels > 0 ? x.numel / (channels * pixels) : 0;
  for_each_row(channels, team_for(outer * pixels),
               WeightGradient<T>{gy.as<T>(), x.as<T>(), mean.as<Op>(), scale.as<Op>(), Results(gw),
                                 Results(gb), outer, channels, pixels, width});
}

}  // namespace

// cuDNN normalises batches where cudnn_takes_batch_norm; what it refuses is computed here, too.
void batch_norm_training(Out y, Out mean, Out scale, InOut running_mean, InOut running_var, In x,
                         In weight, In bias, double momentum, double eps) {
#ifdef __CUDACC__
  if (cudnn_takes_batch_norm(x, weight, bias, running_mean, running_var, true) &&
      cudnn_batch_norm_training(y, mean, scale, running_mean, running_var, x, weight, bias,
                                momentum, eps))
    return;
#endif
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    for_each_row(
        p.channels, team_for(p.of_channel()),
        BatchStatistics<scalar_t>{p, x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(),
                                  Values(running_mean), Values(running_var), Results(running_mean),
                                  Results(running_var), momentum, eps});
    normalize_channels<scalar_t>(p, y, x, mean, scale, weight, bias);
  });
}

void batch_norm_inference(Out y, Out mean, Out scale, In running_mean, In running_var, In x,
                          In weight, In bias, double eps) {
  for_each(mean.numel, RunningStatistics{Results(mean), Results(scale), Values(running_mean),
                                         Values(running_var), eps});
#ifdef __CUDACC__
  if (cudnn_takes_batch_norm(x, weight, bias, running_mean, running_var, false) &&
      cudnn_batch_norm_inference(y, running_mean, running_var, x, weight, bias, eps))
    return;
#endif
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    normalize_channels<scalar_t>(Planes(x.sizes), y, x, mean, scale, weight, bias);
  });
}

void batch_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         [[maybe_unused]] double eps, bool training) {
#ifdef __CUDACC__
  if (training && cudnn_takes_batch_norm(x, weight, weight, gw, gb, true) &&
      cudnn_batch_norm_gradient(gx, gw, gb, gy, x, mean, scale, weight, eps))
    return;
#endif
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    for_each_row(p.channels, team_for(p.of_channel()),
                 BatchGradient<scalar_t>{p, gx.as<scalar_t>(), gy.as<scalar_t>(), x.as<scalar_t>(),
                                         mean.as<Op>(), scale.as<Op>(), Values(weight), Results(gw),
                                         Results(gb), training});
  });
}

void layer_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t width,
                        double eps) {
  if (width == 0) return;
  switch_dtype<dtypes::Floating>(x.dtype, "layer_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    for_each_row(
        mean.numel, team_for(width),
        RowStatistics<scalar_t>{x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(), width, eps});
    for_each(x.numel,
             Normalize<scalar_t>{y.as<scalar_t>(), x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(),
                                 Values(weight), Values(bias), width, mean.numel, 1, width});
  });
}

void layer_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t width) {
  switch_dtype<dtypes::Floating>(x.dtype, "layer_norm", [&]<class scalar_t>() {
    row_gradients<scalar_t>(gx, gw, gb, gy, x, mean, scale, weight, width, width, 1);
  });
}

void group_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t groups,
                        double eps) {
  const Planes p(x.sizes);
  const int64_t width = p.channels / groups * p.pixels;
  if (width == 0) return;
  switch_dtype<dtypes::Floating>(x.dtype, "group_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    for_each_row(
        p.batch * groups, team_for(width),
        RowStatistics<scalar_t>{x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(), width, eps});
    for_each(x.numel, Normalize<scalar_t>{y.as<scalar_t>(), x.as<scalar_t>(), mean.as<Op>(),
                                          scale.as<Op>(), Values(weight), Values(bias), width,
                                          p.batch * groups, p.pixels, p.channels});
  });
}

void group_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t groups) {
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "group_norm", [&]<class scalar_t>() {
    row_gradients<scalar_t>(gx, gw, gb, gy, x, mean, scale, weight, p.channels / groups * p.pixels,
                            p.channels, p.pixels);
  });
}

}  // namespace taper::cuda
