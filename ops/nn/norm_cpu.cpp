#include <algorithm>
#include <cmath>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/nn/norm_columns.h>
#include <taper/ops/nn/norm_kernels.h>
#include <taper/ops/nn/norm_loops.h>

namespace torch::taper::cpu {
namespace {

/// A short vector (weights, statistics) converted to type Op.
template <class Op>
class Values {
 public:
  explicit Values(const In& x) : copy_(x.numel), defined_(x.defined()) {
    if (!defined_) return;
    const int64_t step = x.dim() == 1 && x.numel > 1 ? x.strides[0] : 1;
    switch_dtype<dtypes::Floating>(x.dtype, "norm", [&]<class scalar_t>() {
      for (int64_t i = 0; i < x.numel; ++i)
        copy_[i] = static_cast<Op>(static_cast<opmath_t<scalar_t>>(x.as<scalar_t>()[i * step]));
    });
  }
  const Op* get() const { return defined_ ? copy_.get() : nullptr; }
  Op at(int64_t i, Op otherwise) const { return defined_ ? copy_[i] : otherwise; }

 private:
  Scratch<Op> copy_;
  bool defined_;
};

template <class Op>
void store_values(const Out& y, const Op* from) {
  if (!y.defined()) return;
  switch_dtype<dtypes::Floating>(y.dtype, "norm", [&]<class scalar_t>() {
    for (int64_t i = 0; i < y.numel; ++i)
      y.as<scalar_t>()[i] = static_cast<scalar_t>(static_cast<opmath_t<scalar_t>>(from[i]));
  });
}

/// Computes running = (1 - momentum) running + momentum value.
void move_towards(const InOut& running, int64_t i, double value, double momentum) {
  if (!running.defined()) return;
  const int64_t step = running.numel > 1 ? running.strides[0] : 1;
  switch_dtype<dtypes::Floating>(running.dtype, "batch_norm", [&]<class scalar_t>() {
    scalar_t& r = running.as<scalar_t>()[i * step];
    const double before = static_cast<double>(static_cast<opmath_t<scalar_t>>(r));
    r = static_cast<scalar_t>(
        static_cast<opmath_t<scalar_t>>((1 - momentum) * before + momentum * value));
  });
}

/// x as (batch, channels, pixels).
struct Planes {
  int64_t batch, channels, pixels;
  explicit Planes(const Dims& sizes) : batch(sizes[0]), channels(sizes[1]), pixels(1) {
    for (int64_t d = 2; d < sizes.size(); ++d) pixels *= sizes[d];
  }
  int64_t at(int64_t n, int64_t c) const { return (n * channels + c) * pixels; }
  /// Tests for samples without pixels. A single channel's elements are then strided.
  bool in_columns() const { return pixels == 1 && batch > 0; }
  int64_t grain(int64_t pixels_each) const {
    return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, pixels_each));
  }
};

// Results larger than all caches are made in runs in L1 and written by non-temporal stores (see
// stream.h). end_stream() must follow.
constexpr int64_t kRun = 512;

// While a run is written, the memory `ahead` of it is prefetched: by default the next run. If that
// is already in the cache, it is the memory to read after all of x.
template <class T>
void scale_shift_to(bool streamed, T* y, const T* x, int64_t n, opmath_t<T> mean, opmath_t<T> a,
                    opmath_t<T> b, int64_t ahead = 0) {
  if (!streamed) return scale_shift(y, x, n, mean, a, b);
  alignas(64) T run[kRun];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    scale_shift(run, x + i, m, mean, a, b);
    const int64_t nbytes = m * static_cast<int64_t>(sizeof(T));
    fetch_ahead(x + i + (ahead ? ahead : m), nbytes);
    stream(reinterpret_cast<char*>(y + i), reinterpret_cast<const char*>(run), nbytes);
  }
}
template <class T>
void combine_to(bool streamed, T* gx, const T* gy, const T* x, int64_t n, opmath_t<T> a,
                opmath_t<T> b, opmath_t<T> mean, opmath_t<T> c, int64_t ahead = 0) {
  if (!streamed) return combine(gx, gy, x, n, a, b, mean, c);
  alignas(64) T run[kRun];
  for (int64_t i = 0; i < n; i += kRun) {
    const int64_t m = std::min(kRun, n - i);
    combine(run, gy + i, x + i, m, a, b, mean, c);
    const int64_t nbytes = m * static_cast<int64_t>(sizeof(T));
    fetch_ahead(gy + i + (ahead ? ahead : m), nbytes);
    fetch_ahead(x + i + (ahead ? ahead : m), nbytes);
    stream(reinterpret_cast<char*>(gx + i), reinterpret_cast<const char*>(run), nbytes);
  }
}
/// Tests whether a result like x, computed from `inputs` tensors of its size, is streamed.
bool is_streamed(const In& x, int64_t inputs) {
  const int64_t nbytes = x.numel * static_cast<int64_t>(elementSize(x.dtype));
  return streams(nbytes, inputs * nbytes);
}

// ---------------------------------------------------------------------- batch norm
/// Destinations of a batch's moments.
struct Statistics {
  Out mean, scale;
  InOut running_mean, running_var;
  double momentum, eps;

  template <class T>
  void keep(int64_t c, const Moments& m) const {
    mean.as<opmath_t<T>>()[c] = static_cast<opmath_t<T>>(m.mean);
    const double variance = m.count ? m.m2 / m.count : 0;
    scale.as<opmath_t<T>>()[c] = static_cast<opmath_t<T>>(1 / std::sqrt(variance + eps));
    move_towards(running_mean, c, m.mean, momentum);
    move_towards(running_var, c, m.count > 1 ? m.m2 / (m.count - 1) : NAN, momentum);
  }
};

template <class T>
void channel_statistics(const Planes& p, const T* x, int64_t c, const Statistics& to) {
  Moments m;
  for (int64_t n = 0; n < p.batch; ++n) m.merge(moments(x + p.at(n, c), p.pixels));
  to.keep<T>(c, m);
}

// Adjacent channels of samples without pixels are processed together.
/// Calls some(c, n) on each thread for n columns from c on.
template <class Some>
void for_each_columns(const Planes& p, const Some& some) {
  const int64_t blocks = (p.channels + kNormColumns - 1) / kNormColumns;
  parallel_for(0, blocks, p.grain(p.batch * kNormColumns), [&](int64_t i, int64_t end) {
    const int64_t c = i * kNormColumns;
    some(c, std::min(end * kNormColumns, p.channels) - c);
  });
}

template <class T>
void column_statistics(const Planes& p, const T* x, const Statistics& to) {
  for_each_columns(p, [&](int64_t c, int64_t n) {
    const Scratch<double> mean(n), m2(n);
    column_moments(NormColumns<T>{p.batch, p.channels, n, x + c}, mean.get(), m2.get());
    for (int64_t k = 0; k < n; ++k)
      to.keep<T>(c + k, Moments{static_cast<double>(p.batch), mean[k], m2[k]});
  });
}

template <class T, class Op = opmath_t<T>>
void normalize_columns(const Planes& p, T* y, const T* x, const Op* mean, const Op* scale,
                       const Values<Op>& w, const Values<Op>& b) {
  const Scratch<Op> factor(p.channels), shift(p.channels);
  for (int64_t c = 0; c < p.channels; ++c) {
    factor[c] = scale[c] * w.at(c, 1);
    shift[c] = b.at(c, 0);
  }
  parallel_for(0, p.batch, p.grain(p.channels), [&](int64_t n, int64_t end) {
    column_scale_shift(NormColumns<T>{end - n, p.channels, p.channels, x + p.at(n, 0)},
                       y + p.at(n, 0), mean, factor.get(), shift.get());
  });
}

/// Computes y = (x - mean) scale w + b, plane by plane.
template <class T>
struct BatchForward {
  using Op = opmath_t<T>;
  Planes p;
  T* y;
  const T* x;
  const Op *mean, *scale;
  const Values<Op>&w, &b;
  bool streamed;

  void plane(int64_t n, int64_t c, int64_t ahead = 0) const {
    const int64_t at = p.at(n, c);
    scale_shift_to(streamed, y + at, x + at, p.pixels, mean[c], scale[c] * w.at(c, 1), b.at(c, 0),
                   ahead);
  }
  void all() const {
    if (p.in_columns()) return normalize_columns(p, y, x, mean, scale, w, b);
    parallel_for(0, p.batch * p.channels, p.grain(p.pixels), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) plane(i / p.channels, i % p.channels);
      if (streamed) end_stream();
    });
  }
  /// Tests whether a channel that was just read is still in L2, and there are channels for all
  /// threads.
  bool by_channel() const {
    constexpr int64_t cache = 768 << 10;
    return p.batch * p.pixels * static_cast<int64_t>(sizeof(T)) <= cache &&
           p.channels >= 4 * get_num_threads();
  }
  /// Uses the batch's moments.
  void training(const Statistics& to) const {
    if (p.in_columns()) {
      column_statistics(p, x, to);
      return all();
    }
    const bool at_once = by_channel();
    parallel_for(0, p.channels, p.grain(p.batch * p.pixels), [&](int64_t c, int64_t end) {
      for (; c < end; ++c) {  // the planes of the next channel follow in memory
        channel_statistics(p, x, c, to);
        for (int64_t n = 0; at_once && n < p.batch; ++n) plane(n, c, p.pixels);
      }
      if (at_once && streamed) end_stream();
    });
    if (!at_once) all();
  }
};

template <class T>
struct BatchGradient {
  using Op = opmath_t<T>;
  Planes p;
  T* gx;
  const T *gy, *x;
  const Op *mean, *scale;
  bool training, streamed;

  /// gx = a gy + b (x - mean) + constant
  struct Terms {
    Op a, b, constant;
  };
  Terms terms(int64_t c, Op w, const Dots& sum) const {
    const double count = static_cast<double>(p.batch * p.pixels), a = w * scale[c];
    const double b = training ? -a * scale[c] * scale[c] * sum.dot / count : 0;
    const double constant = training ? -a * sum.sum / count : 0;
    return {static_cast<Op>(a), static_cast<Op>(b), static_cast<Op>(constant)};
  }
  void channel(int64_t c, Op w, Op* gw, Op* gb) const {
    Dots sum;
    for (int64_t n = 0; n < p.batch; ++n) {
      const Dots d = dots(gy + p.at(n, c), x + p.at(n, c), p.pixels, mean[c]);
      sum.sum += d.sum;
      sum.dot += d.dot;
    }
    *gw = static_cast<Op>(sum.dot * scale[c]);
    *gb = static_cast<Op>(sum.sum);
    if (!gx) return;
    const Terms t = terms(c, w, sum);
    for (int64_t n = 0; n < p.batch; ++n)
      combine_to(streamed, gx + p.at(n, c), gy + p.at(n, c), x + p.at(n, c), p.pixels, t.a, t.b,
                 mean[c], t.constant);
  }
  /// Handles samples without pixels: n channels from c on. With given statistics, gx does not wait
  /// for the sums.
  void columns(int64_t c, int64_t n, const Values<Op>& w, Op* gw, Op* gb) const {
    const NormColumns<T> s{p.batch, p.channels, n, x + c, gy + c};
    const Scratch<double> sum(n), dot(n);
    const Scratch<Op> a(n), b(n), constant(n);
    for (int64_t k = 0; k < n; ++k) a[k] = w.at(c + k, 1) * scale[c + k];
    column_dots(s, mean + c, gx && !training ? gx + c : nullptr, a.get(), sum.get(), dot.get());
    for (int64_t k = 0; k < n; ++k) {
      gw[c + k] = static_cast<Op>(dot[k] * scale[c + k]);
      gb[c + k] = static_cast<Op>(sum[k]);
      const Terms t = terms(c + k, w.at(c + k, 1), {sum[k], dot[k]});
      b[k] = t.b, constant[k] = t.constant;
    }
    if (gx && training) column_combine(s, gx + c, mean + c, a.get(), b.get(), constant.get());
  }
};

// ---------------------------------------------------------------------- layer norm
template <class T>
void row_statistics(const T* x, int64_t n, double eps, opmath_t<T>* mean, opmath_t<T>* scale) {
  const Moments m = moments(x, n);
  *mean = static_cast<opmath_t<T>>(m.mean);
  *scale = static_cast<opmath_t<T>>(1 / std::sqrt(m.m2 / m.count + eps));
}

/// The gradient of rows. Each part accumulates separate sums for the weights.
template <class T>
struct LayerGradient {
  using Op = opmath_t<T>;
  RowGradient<T> rows;  // gw and gb are those of the first part, or null
  RowParts parts;

  /// Computes `count` rows of a part, from `row` on.
  void of_rows(int64_t row, int64_t count, T* gx, const T* gy, const T* x) const {
    const int64_t sums = parts.part_of(row) * 2 * rows.n;
    gradient_of_rows(RowGradient<T>{gx, gy, x, rows.n, rows.mean + row, rows.scale + row,
                                    rows.weight, rows.gw ? rows.gw + sums : nullptr,
                                    rows.gb ? rows.gb + sums : nullptr, rows.centers},
                     0, count);
  }
  void of_part(int64_t part) const {
    const int64_t row = parts.begin(part), count = parts.begin(part + 1) - row, at = row * rows.n;
    if (count) of_rows(row, count, rows.gx ? rows.gx + at : nullptr, rows.gy + at, rows.x + at);
  }
  /// A Map3Row of some adjacent rows of a part. x are gy, x and the means.
  static void chained(const void* gradient, char* gx, const char* const* x, const int64_t*,
                      int64_t count) {
    const LayerGradient& all = *static_cast<const LayerGradient*>(gradient);
    all.of_rows(reinterpret_cast<const Op*>(x[2]) - all.rows.mean, count / all.rows.n,
                reinterpret_cast<T*>(gx), reinterpret_cast<const T*>(x[0]),
                reinterpret_cast<const T*>(x[1]));
  }
};

/// Computes by threads, or adds to a chain.
template <class T>
void layer_gradient(Chain* chain, const Out& gx, const Out& gw, const Out& gb, const In& gy,
                    const In& x, const In& mean, const In& scale, const In& weight, int64_t width,
                    bool centers) {
  using Op = opmath_t<T>;
  const Values<Op> w(weight);
  const RowParts parts(width ? x.numel / width : 0, width);
  const Scratch<Op> sums(parts.parts * 2 * width);
  std::fill_n(sums.get(), parts.parts * 2 * width, Op(0));
  const LayerGradient<T> all{
      {gx.as<T>(), gy.as<T>(), x.as<T>(), width, mean.as<Op>(), scale.as<Op>(), w.get(),
       gw.defined() ? sums.get() : nullptr, gb.defined() ? sums.get() + width : nullptr, centers},
      parts};
  if (chain)  // when it returns, the whole chain has run
    chain->take_rows(gx, gy, x, mean, &LayerGradient<T>::chained, &all);
  else
    parallel_for(0, parts.parts, 1, [&](int64_t part, int64_t end) {
      for (; part < end; ++part) all.of_part(part);
    });
  for (int64_t part = 1; part < parts.parts; ++part)
    for (int64_t i = 0; i < 2 * width; ++i) sums[i] += sums[part * 2 * width + i];
  store_values(gw, static_cast<const Op*>(sums.get()));
  store_values(gb, static_cast<const Op*>(sums.get()) + width);
}

// ---------------------------------------------------------------------- group norm
template <class T>
struct GroupGradient {
  using Op = opmath_t<T>;
  Planes p;
  int64_t groups;
  T* gx;
  const T *gy, *x;
  const Op *mean, *scale, *w;
  bool streamed;

  int64_t width() const { return p.channels / groups; }

  // Computes one group of one sample. Its channels' parts of gw and gb go to gw[c], gb[c].
  void group(int64_t n, int64_t g, Op* gw, Op* gb) const {
    const Op m = mean[n * groups + g], s = scale[n * groups + g];
    double sum = 0, dot = 0;
    for (int64_t c = g * width(); c < (g + 1) * width(); ++c) {
      const Dots d = dots(gy + p.at(n, c), x + p.at(n, c), p.pixels, m);
      gw[c] = static_cast<Op>(d.dot * s);
      gb[c] = static_cast<Op>(d.sum);
      sum += d.sum * (w ? w[c] : 1);
      dot += d.dot * (w ? w[c] : 1);
    }
    if (!gx) return;
    const double count = static_cast<double>(width() * p.pixels);
    const Op b = static_cast<Op>(-dot * s * s * s / count),
             constant = static_cast<Op>(-sum * s / count);
    for (int64_t c = g * width(); c < (g + 1) * width(); ++c)
      combine_to(streamed, gx + p.at(n, c), gy + p.at(n, c), x + p.at(n, c), p.pixels,
                 s * (w ? w[c] : Op(1)), b, m, constant, width() * p.pixels);
  }
};

}  // namespace

void batch_norm_training(Out y, Out mean, Out scale, InOut running_mean, InOut running_var, In x,
                         In weight, In bias, double momentum, double eps) {
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight), b(bias);
    BatchForward<scalar_t>{p, y.as<scalar_t>(), x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(), w,
                           b, is_streamed(x, 1)}
        .training({mean, scale, running_mean, running_var, momentum, eps});
  });
}

void batch_norm_inference(Out y, Out mean, Out scale, In running_mean, In running_var, In x,
                          In weight, In bias, double eps) {
  const Values<double> m(running_mean), v(running_var);
  Scratch<double> s(scale.numel);
  for (int64_t i = 0; i < scale.numel; ++i) s[i] = 1 / std::sqrt(v.get()[i] + eps);
  store_values(mean, m.get());
  store_values(scale, static_cast<const double*>(s.get()));
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight), b(bias);
    BatchForward<scalar_t>{
        Planes(x.sizes),  y.as<scalar_t>(), x.as<scalar_t>(), mean.as<Op>(), scale.as<Op>(), w, b,
        is_streamed(x, 1)}
        .all();
  });
}

void batch_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight, double,
                         bool training) {
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "batch_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight);
    Scratch<Op> sums(2 * p.channels);
    const BatchGradient<scalar_t> f{p,
                                    gx.as<scalar_t>(),
                                    gy.as<scalar_t>(),
                                    x.as<scalar_t>(),
                                    mean.as<Op>(),
                                    scale.as<Op>(),
                                    training,
                                    is_streamed(x, 2)};
    if (p.in_columns())
      for_each_columns(p, [&](int64_t c, int64_t n) {
        f.columns(c, n, w, sums.get(), sums.get() + p.channels);
      });
    else
      parallel_for(0, p.channels, p.grain(p.batch * p.pixels), [&](int64_t c, int64_t end) {
        for (; c < end; ++c) f.channel(c, w.at(c, 1), &sums[c], &sums[p.channels + c]);
        if (f.streamed) end_stream();
      });
    store_values(gw, sums.get());
    store_values(gb, sums.get() + p.channels);
  });
}

namespace {
/// A Map3Row of some adjacent rows. Mean and scale follow the operands.
template <class T>
void chained_norm(const void* norm, char* y, const char* const* x, const int64_t*, int64_t count) {
  RowNorm<T> a = *static_cast<const RowNorm<T>*>(norm);
  a.y = reinterpret_cast<T*>(y);
  a.x = reinterpret_cast<const T*>(x[0]);
  a.mean = reinterpret_cast<opmath_t<T>*>(const_cast<char*>(x[1]));
  a.scale = reinterpret_cast<opmath_t<T>*>(const_cast<char*>(x[2]));
  normalize_rows(a, 0, count / a.n);
}

void layer_norm(Chain* chain, const Out& y, const Out& mean, const Out& scale, const In& x,
                const In& weight, const In& bias, int64_t width, double eps, bool centers) {
  const int64_t rows = mean.numel;
  switch_dtype<dtypes::Floating>(x.dtype, "layer_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight), b(bias);
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width));
    const RowNorm<scalar_t> a{y.as<scalar_t>(), x.as<scalar_t>(), width,   mean.as<Op>(),
                              scale.as<Op>(),   w.get(),          b.get(), eps,
                              centers};
    if (chain) return chain->take(y, x, mean, scale, &chained_norm<scalar_t>, &a);
    parallel_for(0, width ? rows : 0, grain,
                 [&](int64_t begin, int64_t end) { normalize_rows(a, begin, end); });
  });
}
void run_layer_norm(const Out& y, const Out& mean, const Out& scale, const In& x, const In& weight,
                    const In& bias, const int64_t& width, const double& eps, const bool& centers) {
  layer_norm(nullptr, y, mean, scale, x, weight, bias, width, eps, centers);
}
constexpr auto give_layer_norm = [](Chain& chain, const auto&... p) { layer_norm(&chain, p...); };

constexpr auto width_of_norm = [](const Out&, const Out&, const Out&, const In&, const In&,
                                  const In&, int64_t width, double,
                                  bool) { return width ? width : kNoRows; };
}  // namespace

void layer_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t width,
                        double eps, bool centers) {
  run_layer_norm(y, mean, scale, x, weight, bias, width, eps, centers);
}
constinit const KernelInfo layer_norm_forward_info =
    repeatable_call<&cpu::layer_norm_forward, &run_layer_norm>(
        handed_over_by<&cpu::layer_norm_forward, give_layer_norm>(
            rowwise<&cpu::layer_norm_forward, width_of_norm>(1)));

static void layer_norm_gradient_by(Chain* chain, const Out& gx, const Out& gw, const Out& gb,
                                   const In& gy, const In& x, const In& mean, const In& scale,
                                   const In& weight, int64_t width, bool centers) {
  switch_dtype<dtypes::Floating>(x.dtype, "layer_norm", [&]<class scalar_t>() {
    layer_gradient<scalar_t>(chain, gx, gw, gb, gy, x, mean, scale, weight, width, centers);
  });
}
void layer_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t width, bool centers) {
  layer_norm_gradient_by(nullptr, gx, gw, gb, gy, x, mean, scale, weight, width, centers);
}

namespace {
constexpr auto give_norm_gradient = [](Chain& chain, const auto&... p) {
  layer_norm_gradient_by(&chain, p...);
};
constexpr auto width_of_gradient = [](const Out& gx, const Out&, const Out&, const In&, const In&,
                                      const In&, const In&, const In&, int64_t width,
                                      bool) { return gx.defined() && width ? width : kNoRows; };
}  // namespace
constinit const KernelInfo layer_norm_gradient_info =
    handed_over_by<&cpu::layer_norm_gradient, give_norm_gradient>(
        summing(rowwise<&cpu::layer_norm_gradient, width_of_gradient>(3), 2, 4));  // mean and scale

void group_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t groups,
                        double eps) {
  const Planes p(x.sizes);
  const int64_t width = p.channels / groups, size = width * p.pixels;
  const bool streamed = is_streamed(x, 1);
  switch_dtype<dtypes::Floating>(x.dtype, "group_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight), b(bias);
    parallel_for(0, size ? p.batch * groups : 0, p.grain(size), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        Op *m = mean.as<Op>() + i, *s = scale.as<Op>() + i;
        row_statistics(x.as<scalar_t>() + i * size, size, eps, m, s);
        for (int64_t k = 0; k < width; ++k) {
          const int64_t c = i % groups * width + k, at = i * size + k * p.pixels;
          const Op a = *s * w.at(c, 1);
          scale_shift_to(streamed, y.as<scalar_t>() + at, x.as<scalar_t>() + at, p.pixels, *m, a,
                         b.at(c, 0), size);
        }
      }
      if (streamed) end_stream();
    });
  });
}

void group_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t groups) {
  const Planes p(x.sizes);
  switch_dtype<dtypes::Floating>(x.dtype, "group_norm", [&]<class scalar_t>() {
    using Op = opmath_t<scalar_t>;
    const Values<Op> w(weight);
    // Each sample's part is separate and added in order, so the result does not depend on the
    // threads.
    const int64_t n = p.batch * p.channels;
    Scratch<Op> parts(2 * n), sums(2 * p.channels);
    const GroupGradient<scalar_t> f{p,
                                    groups,
                                    gx.as<scalar_t>(),
                                    gy.as<scalar_t>(),
                                    x.as<scalar_t>(),
                                    mean.as<Op>(),
                                    scale.as<Op>(),
                                    w.get(),
                                    is_streamed(x, 2)};
    parallel_for(0, p.batch * groups, p.grain(f.width() * p.pixels), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const int64_t sample = i / groups * p.channels;
        f.group(i / groups, i % groups, &parts[sample], &parts[n + sample]);
      }
      if (f.streamed) end_stream();
    });
    std::fill_n(sums.get(), 2 * p.channels, Op(0));
    for (int64_t i = 0; i < n; ++i) {
      sums[i % p.channels] += parts[i];
      sums[p.channels + i % p.channels] += parts[n + i];
    }
    store_values(gw, sums.get());
    store_values(gb, sums.get() + p.channels);
  });
}

}  // namespace torch::taper::cpu
