// Layer and group norm: rows, each with a mean and a scale.
#include <cmath>

#include <taper/ops/nn/norm_channels_cuda.h>
#include <taper/ops/nn/norm_kernels.h>

namespace torch::taper::cuda {
namespace {

/// Rows of `width` elements of a tensor (N, C, ...). In layer norm each element is a channel. In
/// group norm a row has C / groups channels of `pixels` elements.
struct NormRows {
  int64_t rows, width, groups, of_group, pixels;  // of_group: channels of a group
  /// Returns the channel of the i-th element of a row.
  TAPER_DEVICE int64_t channel(int64_t row, int64_t i) const {
    const int64_t first = groups == 1 ? 0 : row % groups * of_group;
    // (64-bit divisions are slow.)
    return first +
           (i >> 32 ? i / pixels : static_cast<uint32_t>(i) / static_cast<uint32_t>(pixels));
  }
};

/// A weight or a bias of type W. If it is null, every element is `otherwise`.
template <class W>
struct Weight {
  const W* data;
  /// Reads elements i to i + V - 1 of a row. Only layer norm uses packs, because its rows have all
  /// channels.
  template <class Op, int V>
  TAPER_DEVICE void read(const NormRows& shape, int64_t row, int64_t i, Op otherwise,
                         Op (&v)[V]) const {
    if (!data) {
      for (Op& one : v) one = otherwise;
    } else if constexpr (V == 1) {
      v[0] = load(data[shape.channel(row, i)]);
    } else {
      constexpr int kOnce = V < kPack<W> ? V : kPack<W>;
      for (int k = 0; k < V; k += kOnce) {
        const auto pack = *reinterpret_cast<const Pack<W, kOnce>*>(data + i + k);
        for (int j = 0; j < kOnce; ++j) v[k + j] = static_cast<Op>(load(pack.v[j]));
      }
    }
  }
};

/// Computes y = (x - mean) scale w + b, with the statistics of each row. If not `centers`, the mean
/// counts as 0.
template <class T, class W, int V>
struct RowNorm {
  using Op = opmath_t<T>;
  using Held = HeldRows<T, V>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* y;
  const T* x[1];
  Op *mean, *scale;
  Weight<W> w, b;
  NormRows shape;
  double eps;
  bool centers;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Held held(team, shape.width, 1, x, row * shape.width);
    const Op n = static_cast<Op>(shape.width);
    Op mu = 0;
    if (centers)
      mu = held.reduce(
               team, Op(0), [](Op v) { return v; }, Plus()) /
           n;
    const Op squares = held.reduce(
        team, Op(0), [mu](Op v) { return (v - mu) * (v - mu); }, Plus());
    const Op s = 1 / std::sqrt(squares / n + static_cast<Op>(eps));
    if (team.rank == 0) {
      mean[row] = mu;
      scale[row] = s;
    }
    held.each([&](int64_t i, const Packs<T, V, 1>& p) {
      Op a[V], c[V];
      w.read(shape, row, i, Op(1), a);
      b.read(shape, row, i, Op(0), c);
      Pack<T, V> out;
      for (int k = 0; k < V; ++k)
        out.v[k] = static_cast<T>((load(p.row[0].v[k]) - mu) * (s * a[k]) + c[k]);
      store_pack(y + row * shape.width, i, 1, out);
    });
  }
};

template <class T, class W, int V>
struct RowGradient {
  using Op = opmath_t<T>;
  using Held = HeldRows<T, V, 2>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* gx;
  const T* gy_x[2];
  const Op *mean, *scale;
  Weight<W> w;
  NormRows shape;
  bool centers;
  /// Calls f(i, x, gradients with respect to the normalised elements).
  template <class F>
  TAPER_DEVICE void each(const Held& held, int64_t row, const F& f) const {
    held.each([&](int64_t i, const Packs<T, V, 2>& p) {
      Op g[V];
      w.read(shape, row, i, Op(1), g);
      for (int k = 0; k < V; ++k) g[k] *= load(p.row[0].v[k]);
      f(i, p.row[1], g);
    });
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Held held(team, shape.width, 1, gy_x, row * shape.width);
    const Op mu = mean[row], s = scale[row], n = static_cast<Op>(shape.width);
    Op sum = 0, dot = 0;
    each(held, row, [&](int64_t, const Pack<T, V>& x, const Op(&g)[V]) {
      for (int k = 0; k < V; ++k) {
        sum += g[k];
        dot += g[k] * (load(x.v[k]) - mu);
      }
    });
    const Op constant = centers ? team.combine(sum, Plus()) / n : Op(0);
    const Op slope = team.combine(dot, Plus()) * s * s / n;
    each(held, row, [&](int64_t i, const Pack<T, V>& x, const Op(&g)[V]) {
      Pack<T, V> out;
      for (int k = 0; k < V; ++k)
        out.v[k] = static_cast<T>((g[k] - constant - (load(x.v[k]) - mu) * slope) * s);
      store_pack(gx + row * shape.width, i, 1, out);
    });
  }
};

bool is_dense(const In& w, ScalarType dtype) { return w.dtype == dtype && w.contiguous; }

template <class Op>
struct CopyValues {
  Op* to;
  Values from;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = static_cast<Op>(from.at(i, 0)); }
};
/// A weight or bias as kernels take it: contiguous, in the computing type Op. Others are copied.
template <class Op>
class WeightInOp {
 public:
  explicit WeightInOp(const In& w) : copy_(as_it_is(w) ? 0 : w.numel) {
    data_ = static_cast<const Op*>(w.data);
    if (as_it_is(w)) return;
    for_each(w.numel, CopyValues<Op>{copy_.get(), Values(w)});
    data_ = copy_.get();
  }
  Weight<Op> get() const { return {data_}; }

 private:
  static bool as_it_is(const In& w) {
    return !w.defined() || is_dense(w, CppTypeToScalarType<Op>::value);
  }
  Scratch<Op> copy_;
  const Op* data_;
};
/// Computes gw and gb of a channel: the sums of gy (x - mean) scale and of gy over all its
/// elements.
template <class T>
struct WeightGradient {
  using Element = T;
  using Op = opmath_t<T>;
  struct State {
    Op w, b;
  };
  static constexpr int kTensors = 2;
  const T* from[2];  // gy, x
  const Op *mean, *scale;
  Results gw, gb;
  int64_t groups, of_group;
  TAPER_DEVICE State start() const { return {0, 0}; }
  TAPER_DEVICE State take(const State& s, int64_t sample, int64_t c, Op g, Op v) const {
    const int64_t row = groups == 1 ? sample : sample * groups + c / of_group;
    return {s.w + g * (v - mean[row]) * scale[row], s.b + g};
  }
  TAPER_DEVICE State join(const State& a, const State& b) const { return {a.w + b.w, a.b + b.b}; }
  TAPER_DEVICE void finish(int64_t c, const State& s) const {
    gw.put(c, s.w);
    gb.put(c, s.b);
  }
};

/// Calls f.operator()<V, W>(weights of type W...), with packs if rows and weights allow them.
template <class T, class F, class... W>
void with_weights(bool packed, const F& f, const W&... w) {
  using Op = opmath_t<T>;
  const auto are = [&](ScalarType dtype) {
    return ((!w.defined() || (is_dense(w, dtype) && is_packed(w.data))) && ...);
  };
  const bool as_op = are(CppTypeToScalarType<Op>::value);
  by_packs<T>(packed && (as_op || are(CppTypeToScalarType<T>::value)), [&]<int V>() {
    if constexpr (V > 1 && !std::is_same_v<T, Op>)
      if (!as_op) return f.template operator()<V>(Weight<T>{static_cast<const T*>(w.data)}...);
    f.template operator()<V>(WeightInOp<Op>(w).get()...);
  });
}

void forward(const char* op, const NormRows& shape, const Out& y, const Out& mean, const Out& scale,
             const In& x, const In& weight, const In& bias, double eps, bool centers = true) {
  switch_dtype<dtypes::Floating>(x.dtype, op, [&]<class T>() {
    using Op = opmath_t<T>;
    const bool packed =
        shape.pixels == 1 && shape.groups == 1 && row_packs<T>(shape.width, y.as<T>(), x.as<T>());
    with_weights<T>(
        packed,
        [&]<int V, class W>(const Weight<W>& w, const Weight<W>& b) {
          using Kernel = RowNorm<T, W, V>;
          for_each_row(shape.rows, held_team_for<typename Kernel::Held>(shape.width),
                       Kernel{y.as<T>(),
                              {x.as<T>()},
                              mean.as<Op>(),
                              scale.as<Op>(),
                              w,
                              b,
                              shape,
                              eps,
                              centers});
        },
        weight, bias);
  });
}

void gradients(const char* op, const NormRows& shape, const Channels& channels, const Out& gx,
               const Out& gw, const Out& gb, const In& gy, const In& x, const In& mean,
               const In& scale, const In& weight, bool centers = true) {
  switch_dtype<dtypes::Floating>(x.dtype, op, [&]<class T>() {
    using Op = opmath_t<T>;
    const T *g = gy.as<T>(), *v = x.as<T>();
    const bool packed = gx.defined() && shape.pixels == 1 && shape.groups == 1 &&
                        row_packs<T>(shape.width, gx.as<T>(), g, v);
    if (gx.defined())
      with_weights<T>(
          packed,
          [&]<int V, class W>(const Weight<W>& w) {
            using Kernel = RowGradient<T, W, V>;
            for_each_row(
                shape.rows, held_team_for<typename Kernel::Held>(shape.width),
                Kernel{gx.as<T>(), {g, v}, mean.as<Op>(), scale.as<Op>(), w, shape, centers});
          },
          weight);
    if (gw.defined() || gb.defined())
      fold_channels(channels, WeightGradient<T>{{g, v},
                                                mean.as<Op>(),
                                                scale.as<Op>(),
                                                Results(gw),
                                                Results(gb),
                                                shape.groups,
                                                shape.of_group});
  });
}

NormRows layers(const In& x, int64_t width) {
  return {width ? x.numel / width : 0, width, 1, width, 1};
}
NormRows groups_of(const Channels& p, int64_t groups) {
  const int64_t of_group = p.channels / groups;
  return {p.batch * groups, of_group * p.pixels, groups, of_group, p.pixels};
}

}  // namespace

void layer_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t width,
                        double eps, bool centers) {
  forward("layer_norm", layers(x, width), y, mean, scale, x, weight, bias, eps, centers);
}

void layer_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t width, bool centers) {
  const NormRows shape = layers(x, width);
  gradients("layer_norm", shape, Channels(shape.rows, width, 1), gx, gw, gb, gy, x, mean, scale,
            weight, centers);
}

void group_norm_forward(Out y, Out mean, Out scale, In x, In weight, In bias, int64_t groups,
                        double eps) {
  const NormRows shape = groups_of(Channels(x.sizes), groups);
  if (shape.width > 0) forward("group_norm", shape, y, mean, scale, x, weight, bias, eps);
}

void group_norm_gradient(Out gx, Out gw, Out gb, In gy, In x, In mean, In scale, In weight,
                         int64_t groups) {
  const Channels channels(x.sizes);
  gradients("group_norm", groups_of(channels, groups), channels, gx, gw, gb, gy, x, mean, scale,
            weight);
}

}  // namespace torch::taper::cuda
