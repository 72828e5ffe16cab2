#include <cmath>

#include <taper/framework/cuda/library.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/philox.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/framework/cuda/scan.h>
#include <taper/ops/random/random_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T>
TAPER_DEVICE T rounded(double v) {
  return static_cast<T>(static_cast<opmath_t<T>>(v));
}

template <class T, class Draw>
struct DrawNumbers {
  using Drawn = Pack<T, Draw::kEach>;
  char* y;
  bool dense;  // whole packs can be stored
  Offsets<1, int64_t> offsets;
  int64_t n;
  RandomKey key;
  Draw draw;
  DrawNumbers(const Out& to, const RandomKey& key, const Draw& draw)
      : DrawNumbers(plan_over(to.sizes, to), key, draw) {}
  DrawNumbers(const Plan<1>& plan, const RandomKey& key, const Draw& draw)
      : y(plan.base[0]),
        dense(plan.rank == 1 && plan.strides[0][0] == int64_t{sizeof(T)} && is_packed(y)),
        offsets(plan),
        n(plan.numel),
        key(key),
        draw(draw) {}
  TAPER_DEVICE void operator()(int64_t group) const {
    Drawn drawn;
    T(&out)[Draw::kEach] = drawn.v;
    draw(philox(key(), static_cast<uint64_t>(group)), out);
    if (dense && (group + 1) * Draw::kEach <= n) {
      reinterpret_cast<Drawn*>(y)[group] = drawn;
      return;
    }
    for (int k = 0; k < Draw::kEach; ++k) {
      const int64_t i = group * Draw::kEach + k;
      if (i >= n) return;
      int64_t at[1];
      offsets.at(i, at);
      *reinterpret_cast<T*>(y + at[0]) = out[k];
    }
  }
};

/// Calls draw(words, out) for each counter, Draw::kEach numbers at a time in the order of y's
/// memory.
template <class T, class Draw>
void draw_numbers(const Out& y, const GeneratorPtr& generator, const Draw& draw) {
  if (y.numel == 0) return;
  const RandomKey key(generator);
  for_each((y.numel + Draw::kEach - 1) / Draw::kEach, DrawNumbers<T, Draw>(y, key, draw));
}

// ---------------------------------------------------------------- continuous
/// Draws in [from, to). A number has as many random bits as the type holds.
template <class T>
struct Uniform {
  using A = opmath_t<T>;
  static constexpr int kBits = std::numeric_limits<T>::digits;
  static constexpr int kEach = kBits > 24 ? 2 : 4;
  A from, width;
  T first, last;
  TAPER_DEVICE T place(A unit) const {
    const T v = static_cast<T>(unit * width + from);
    return load(v) < load(last) ? v : first;  // rounded up to the end, or the range is empty
  }
  TAPER_DEVICE void operator()(const PhiloxWords& r, T (&out)[kEach]) const {
    for (int k = 0; k < kEach; ++k) {
      if constexpr (kBits > 24)
        out[k] = place(static_cast<A>(unit_double(r.pair(k))));
      else
        out[k] =
            place(static_cast<A>(r.w[k] >> (32 - kBits)) / static_cast<A>(uint32_t{1} << kBits));
    }
  }
};

template <class T>
struct Normal {
  static constexpr int kEach = std::is_same_v<T, double> ? 2 : 4;
  double mean, std;
  TAPER_DEVICE void operator()(const PhiloxWords& r, T (&out)[kEach]) const {
    using A = opmath_t<T>;
    A v[kEach];
    if constexpr (kEach == 2) {
      normal_pair(r.pair(0), r.pair(1), v[0], v[1]);
    } else {
      normal_pair(r.w[0], r.w[1], v[0], v[1]);
      normal_pair(r.w[2], r.w[3], v[2], v[3]);
    }
    for (int k = 0; k < kEach; ++k)
      out[k] = static_cast<T>(v[k] * static_cast<A>(std) + static_cast<A>(mean));
  }
};

template <class T>
struct Exponential {
  static constexpr int kEach = 2;
  double lambd;
  TAPER_DEVICE void operator()(const PhiloxWords& r, T (&out)[kEach]) const {
    for (int k = 0; k < kEach; ++k) out[k] = rounded<T>(-std::log(open_double(r.pair(k))) / lambd);
  }
};

// ---------------------------------------------------------------- yes or no
/// Returns t such that r < t has probability p, to 2^-32.
uint64_t threshold_of(double p) { return static_cast<uint64_t>(std::ceil(p * 0x1p32)); }

template <class T>
struct Bernoulli {
  static constexpr int kEach = 4;
  uint64_t threshold;
  TAPER_DEVICE void operator()(const PhiloxWords& r, T (&out)[kEach]) const {
    for (int k = 0; k < kEach; ++k) out[k] = static_cast<T>(opmath_t<T>(r.w[k] < threshold));
  }
};

TAPER_DEVICE inline double probability(ScalarType dtype, const char* p) {
  switch (dtype) {
    case ScalarType::Double:
      return *reinterpret_cast<const double*>(p);
    case ScalarType::Float:
      return load(*reinterpret_cast<const float*>(p));
    case ScalarType::Half:
      return load(*reinterpret_cast<const Half*>(p));
    default:
      return load(*reinterpret_cast<const BFloat16*>(p));
  }
}

// Two elements per counter, in the order of y's memory.
template <class T>
struct BernoulliEach {
  char* y;
  const char* p;
  ScalarType dtype;  // of p
  Offsets<2, int64_t> offsets;
  int64_t n;
  RandomKey key;
  TAPER_DEVICE void operator()(int64_t group) const {
    const PhiloxWords r = philox(key(), static_cast<uint64_t>(group));
    for (int k = 0; k < 2 && group * 2 + k < n; ++k) {
      int64_t at[2];
      offsets.at(group * 2 + k, at);
      const bool one = unit_double(r.pair(k)) < probability(dtype, p + at[1]);
      *reinterpret_cast<T*>(y + at[0]) = static_cast<T>(opmath_t<T>(one));
    }
  }
};

template <class T>
struct Dropout {
  T* y;
  bool* kept;  // null if not wanted
  const T* x;
  int64_t n;
  RandomKey key;
  uint64_t threshold;
  T scale;
  TAPER_DEVICE void operator()(int64_t group) const {
    const PhiloxWords r = philox(key(), static_cast<uint64_t>(group));
    for (int k = 0; k < 4 && group * 4 + k < n; ++k) {
      const int64_t i = group * 4 + k;
      const bool keep = r.w[k] < threshold;
      if (kept) kept[i] = keep;
      y[i] = static_cast<T>(load(x[i]) * (keep ? load(scale) : opmath_t<T>(0)));
    }
  }
};

template <class T>
struct DropoutAgain {
  char* y;
  Source<T> x;
  Source<bool> kept;
  T scale;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    const opmath_t<T> factor = kept.at(at[2]) ? load(scale) : opmath_t<T>(0);
    *reinterpret_cast<T*>(y + at[0]) = static_cast<T>(load(x.at(at[1])) * factor);
  }
};

// ---------------------------------------------------------------- integers
template <class T>
struct Integers {
  static constexpr int kEach = 2;
  uint64_t range;
  int64_t base;
  TAPER_DEVICE void operator()(const PhiloxWords& r, T (&out)[kEach]) const {
    for (int k = 0; k < kEach; ++k) {
      const auto v = static_cast<int64_t>(below(r.pair(k), range) + static_cast<uint64_t>(base));
      out[k] = static_cast<T>(static_cast<opmath_t<T>>(v));
    }
  }
};

/// Counts the integers from 0 on that T holds exactly.
template <class T>
constexpr uint64_t count_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (limits::is_integer)
    return static_cast<uint64_t>(limits::max()) + 1;
  else
    return (uint64_t{1} << limits::digits) + 1;
}

struct ShuffleKeys {
  uint64_t* keys;
  uint32_t* values;
  RandomKey key;
  TAPER_DEVICE void operator()(int64_t i) const {
    keys[i] = philox(key(), static_cast<uint64_t>(i)).pair(0);
    values[i] = static_cast<uint32_t>(i);
  }
};
template <class T>
struct StoreNumbers {
  T* y;
  const uint32_t* values;
  TAPER_DEVICE void operator()(int64_t i) const {
    y[i] = static_cast<T>(static_cast<opmath_t<T>>(values[i]));
  }
};

// ---------------------------------------------------------------- multinomial
template <class T>
struct WeightOf {
  const T* p;
  TAPER_DEVICE double operator()(int64_t i) const { return load(p[i]); }
};
struct Multinomial {
  int64_t* y;
  const double* running;
  int64_t samples, k;
  RandomKey key;
  TAPER_DEVICE void operator()(int64_t i) const {
    const double* const row = running + i / samples * k;
    // u < 1 implies u * total < total, so the weight found is not 0.
    const double u = unit_double(philox(key(), static_cast<uint64_t>(i)).pair(0));
    const int64_t at = first_above(row, k, u * row[k - 1]);
    y[i] = at < k ? at : k - 1;
  }
};

}  // namespace

void uniform(Out y, double from, double to, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Floating>(y.dtype, "uniform", [&]<class scalar_t>() {
    using A = opmath_t<scalar_t>;
    const scalar_t first = static_cast<scalar_t>(static_cast<A>(from));
    const scalar_t last = static_cast<scalar_t>(static_cast<A>(to));
    const A width = static_cast<A>(last) - static_cast<A>(first);
    draw_numbers<scalar_t>(y, generator,
                           Uniform<scalar_t>{static_cast<A>(first), width, first, last});
  });
}

void normal(Out y, double mean, double std, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Floating>(y.dtype, "normal", [&]<class scalar_t>() {
    draw_numbers<scalar_t>(y, generator, Normal<scalar_t>{mean, std});
  });
}

void exponential(Out y, double lambd, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Floating>(y.dtype, "exponential", [&]<class scalar_t>() {
    draw_numbers<scalar_t>(y, generator, Exponential<scalar_t>{lambd});
  });
}

void bernoulli(Out y, double p, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Real>(y.dtype, "bernoulli", [&]<class scalar_t>() {
    draw_numbers<scalar_t>(y, generator, Bernoulli<scalar_t>{threshold_of(p)});
  });
}

void bernoulli_each(Out y, In p, const GeneratorPtr& generator) {
  if (y.numel == 0) return;
  const RandomKey key(generator);
  switch_dtype<dtypes::Real>(y.dtype, "bernoulli", [&]<class scalar_t>() {
    for_each((y.numel + 1) / 2,
             BernoulliEach<scalar_t>{y.as<char>(), p.as<char>(), p.dtype,
                                     Offsets<2, int64_t>(plan_over(y.sizes, y, p)), y.numel, key});
  });
}

void dropout(Out y, Out kept, In x, double p, const GeneratorPtr& generator) {
  if (y.numel == 0) return;
  const RandomKey key(generator);
  switch_dtype<dtypes::Floating>(y.dtype, "dropout", [&]<class T>() {
    for_each((y.numel + 3) / 4,
             Dropout<T>{y.as<T>(), kept.defined() ? kept.as<bool>() : nullptr, x.as<T>(), y.numel,
                        key, threshold_of(1 - p), dropout_scale<T>(p)});
  });
}

void dropout_again(Out y, In x, In kept, double p) {
  const auto plan = plan_over(y.sizes, y, x, kept);
  switch_dtype<dtypes::Floating>(y.dtype, "dropout", [&]<class T>() {
    for_each_place(
        plan, DropoutAgain<T>{y.as<char>(), Source<T>(x), Source<bool>(kept), dropout_scale<T>(p)});
  });
}

void random_range(Out y, uint64_t range, int64_t base, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Real>(y.dtype, "random", [&]<class scalar_t>() {
    draw_numbers<scalar_t>(y, generator, Integers<scalar_t>{range, range == 0 ? 0 : base});
  });
}

void random_full(Out y, const GeneratorPtr& generator) {
  switch_dtype<dtypes::Real>(y.dtype, "random", [&]<class scalar_t>() {
    draw_numbers<scalar_t>(y, generator, Integers<scalar_t>{count_of<scalar_t>(), 0});
  });
}

void permutation(Out y, const GeneratorPtr& generator) {
  const int64_t n = y.numel;
  if (n == 0) return;
  const Scratch<uint64_t> keys(n), sorted_keys(n);
  const Scratch<uint32_t> values(n), sorted_values(n);
  for_each(n, ShuffleKeys{keys.get(), values.get(), RandomKey(generator)});
  sort_pairs<uint64_t, uint32_t>({sorted_keys.get(), sorted_values.get()},
                                 {keys.get(), values.get()}, n, 64);
  switch_dtype<dtypes::Number>(y.dtype, "randperm", [&]<class scalar_t>() {
    for_each(n, StoreNumbers<scalar_t>{y.as<scalar_t>(), sorted_values.get()});
  });
}

void multinomial_replace(Out y, In p, const GeneratorPtr& generator) {
  const int64_t k = p.sizes.back(), rows = p.numel == 0 ? 0 : p.numel / k;
  if (rows == 0 || y.numel == 0) return;
  const Scratch<double> running(p.numel);
  switch_dtype<dtypes::Floating>(p.dtype, "multinomial", [&]<class scalar_t>() {
    scan(ScanBox{rows, k, 1, false},
         SumScan<double, WeightOf<scalar_t>>{running.get(), WeightOf<scalar_t>{p.as<scalar_t>()}});
  });
  for_each(y.numel,
           Multinomial{y.as<int64_t>(), running.get(), y.numel / rows, k, RandomKey(generator)});
}

}  // namespace torch::taper::cuda
