#include <cmath>

#include <taper/ops/nn/norm_channels_cuda.h>
#include <taper/ops/nn/norm_kernels.h>
#ifdef __CUDACC__
#include <taper/ops/nn/norm_cudnn.h>
#endif

namespace torch::taper::cuda {
namespace {

/// Number, mean and sum of squared deviations.
template <class Op>
struct Moments {
  Op n, mean, squares;
};

template <class T>
struct BatchStatistics {
  using Element = T;
  using Op = opmath_t<T>;
  using State = Moments<Op>;
  static constexpr int kTensors = 1;
  const T* from[1];
  Op *mean, *scale;
  Values old_mean, old_var;
  Results new_mean, new_var;
  double momentum, eps;

  TAPER_DEVICE State start() const { return {0, 0, 0}; }
  // Welford, "Note on a method for calculating corrected sums of squares and products",
  // Technometrics 4(3), 1962, p. 419.
  TAPER_DEVICE State take(State s, int64_t, int64_t, Op v) const {
    s.n += 1;
    const Op d = v - s.mean;
    s.mean += d / s.n;
    s.squares += d * (v - s.mean);
    return s;
  }
  // Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample
  // variances", 1979, equation 1.5.
  TAPER_DEVICE State join(const State& a, const State& b) const {
    const Op n = a.n + b.n, part = n > 0 ? b.n / n : Op(0), d = b.mean - a.mean;
    return {n, a.mean + d * part, a.squares + b.squares + d * d * a.n * part};
  }
  TAPER_DEVICE void finish(int64_t c, const State& s) const {
    const double n = s.n, mu = s.mean, variance = n > 0 ? s.squares / n : 0;
    mean[c] = s.mean;
    scale[c] = static_cast<Op>(1 / std::sqrt(variance + eps));
    new_mean.put(c, (1 - momentum) * old_mean.at(c, 0) + momentum * mu);
    const double unbiased = n > 1 ? s.squares / (n - 1) : double(NAN);
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

/// Computes y = (x - mean) scale w + b.
template <class T>
struct Normalize {
  using Element = T;
  using Op = opmath_t<T>;
  static constexpr int kTensors = 1;
  T* y;
  const T* from[1];
  const Op *mean, *scale;
  Values w, b;
  TAPER_DEVICE auto of(int64_t c) const {
    const Op mu = mean[c], a = scale[c] * static_cast<Op>(w.at(c, 1));
    return [mu, a, b = static_cast<Op>(b.at(c, 0))](Op v) { return (v - mu) * a + b; };
  }
};
template <class T>
void normalize(const Out& y, const In& x, const Out& mean, const Out& scale, const In& weight,
               const In& bias) {
  using Op = opmath_t<T>;
  map_channels(
      Channels(x.sizes),
      Normalize<T>{
          y.as<T>(), {x.as<T>()}, mean.as<Op>(), scale.as<Op>(), Values(weight), Values(bias)});
}

/// Sums of gy and of gy (x - mean).
template <class Op>
struct Dots {
  Op sum, dot;
};

/// Computes gradients of the weights, and the terms that BatchGradient needs.
template <class T>
struct BatchDots {
  using Element = T;
  using Op = opmath_t<T>;
  using State = Dots<Op>;
  static constexpr int kTensors = 2;
  const T* from[2];  // gy, x
  const Op *mean, *scale;
  Values w;
  Results gw, gb;
  Dots<Op>* kept;  // by channel: the factor of x - mean, and the summand
  double count;    // elements of a channel

  TAPER_DEVICE State start() const { return {0, 0}; }
  TAPER_DEVICE State take(const State& s, int64_t, int64_t c, Op g, Op v) const {
    return {s.sum + g, s.dot + g * (v - mean[c])};
  }
  TAPER_DEVICE State join(const State& a, const State& b) const {
    return {a.sum + b.sum, a.dot + b.dot};
  }
  TAPER_DEVICE void finish(int64_t c, const State& d) const {
    const double s = scale[c], a = w.at(c, 1) * s;
    gw.put(c, d.dot * s);
    gb.put(c, d.sum);
    kept[c] = {static_cast<Op>(-a * d.sum / count), static_cast<Op>(-a * s * s * d.dot / count)};
  }
};
/// Computes gx = gy scale w. In training it subtracts the part that acts through the statistics.
template <class T>
struct BatchGradient {
  using Element = T;
  using Op = opmath_t<T>;
  static constexpr int kTensors = 2;
  T* y;
  const T* from[2];  // gy, x
  const Op *mean, *scale;
  Values w;
  const Dots<Op>* kept;
  bool training;
  TAPER_DEVICE auto of(int64_t c) const {
    const Dots<Op> none{0, 0}, own = training ? kept[c] : none;
    const Op mu = mean[c], a = static_cast<Op>(w.at(c, 1) * static_cast<double>(scale[c]));
    return [=](Op g, Op v) { return g * a + (v - mu) * own.dot + own.sum; };
  }
};

}  // namespace

// cuDNN normalises batches if cudnn_takes_batch_norm allows. These kernels compute the rest.
void batch_norm_training(Out y, Out mean, Out scale, InOut running_mean, InOut running_var, In x,
                         In weight, In bias, double momentum, double eps) {
#ifdef __CUDACC__
  if (cudnn_takes_batch_norm(x, weight, bias, running_mean, running_var, true) &&
      cudnn_batch_norm_training(y, mean, scale, running_mean, running_var, x, weight, bias,
                                momentum, eps))
    return;
#endif
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    fold_channels(Channels(x.sizes), BatchStatistics<scalar_t>{{x.as<scalar_t>()},
                                                               mean.as<Op>(),
                                                               scale.as<Op>(),
                                                               Values(running_mean),
                                                               Values(running_var),
                                                               Results(running_mean),
                                                               Results(running_var),
                                                               momentum,
                                                               eps});
    normalize<scalar_t>(y, x, mean, scale, weight, bias);
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
    normalize<scalar_t>(y, x, mean, scale, weight, bias);
  });
}

void batch_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         [[maybe_unused]] double eps, bool training) {
#ifdef __CUDACC__
  if (training && cudnn_takes_batch_norm(x, weight, weight, gw, gb, true) &&
      cudnn_batch_norm_gradient(gx, gw, gb, gy, x, mean, scale, weight, eps))
    return;
#endif
  const Channels shape(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Scratch<Dots<Op>> kept(shape.channels);
    const Values w(weight);
    fold_channels(shape, BatchDots<scalar_t>{{gy.as<scalar_t>(), x.as<scalar_t>()},
                                             mean.as<Op>(),
                                             scale.as<Op>(),
                                             w,
                                             Results(gw),
                                             Results(gb),
                                             kept.get(),
                                             static_cast<double>(shape.of_channel())});
    if (gx.defined())
      map_channels(shape, BatchGradient<scalar_t>{gx.as<scalar_t>(),
                                                  {gy.as<scalar_t>(), x.as<scalar_t>()},
                                                  mean.as<Op>(),
                                                  scale.as<Op>(),
                                                  w,
                                                  kept.get(),
                                                  training});
  });
}

}  // namespace torch::taper::cuda
