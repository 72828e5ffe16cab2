#include <algorithm>
#include <cmath>
#include <memory>

#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec_widen.h>
#include <taper/ops/random/random_kernels.h>

#define TAPER_ISA_FILE <taper/ops/random/random_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

using Lock = std::lock_guard<std::mutex>;
constexpr int64_t kBlock = 2 * Mt19937::kWords;  // values per block: their words stay in the cache
constexpr double kTwoPi = 2 * 3.14159265358979323846;

void unit_values(float* y, const uint32_t* words, int64_t n) {
  return TAPER_BY_ISA(unit_block, y, words, n);
}
void unit_values(double* y, const uint64_t* pairs, int64_t n) {
  return TAPER_BY_ISA(unit_block, y, pairs, n);
}
template <class T>
void stretch_values(T* y, int64_t n, T from, T to) {
  return TAPER_BY_ISA(stretch_block, y, n, from, to);
}
void fold_values(float* y, int64_t n, float end, float first) {
  return TAPER_BY_ISA(fold_block, y, n, end, first);
}
void normal_values(float* y, const uint32_t* words, int64_t n, float mean, float std) {
  return TAPER_BY_ISA(normal_block, y, words, n, mean, std);
}
template <class T>
void bernoulli_values(T* y, const uint64_t* pairs, int64_t n, int64_t threshold) {
  return TAPER_BY_ISA(bernoulli_block, y, pairs, n, threshold);
}
template <class T>
void dropout_values(T* y, uint8_t* kept, const T* x, const uint64_t* pairs, int64_t n,
                    int64_t threshold, T scale) {
  if constexpr (sizeof(T) == 2) {
    return TAPER_BY_ISA(narrow_dropout_block, y, kept, x, pairs, n, threshold, scale);
  } else {
    if (kept) return TAPER_BY_ISA(dropout_block, y, kept, x, pairs, n, threshold, scale);
    return TAPER_BY_ISA(dropout_block, y, x, pairs, n, threshold, scale);
  }
}
template <class T>
void dropout_again_values(T* y, const T* x, int64_t step, const uint8_t* kept, int64_t n, T scale) {
  return TAPER_BY_ISA(dropout_again_row, y, x, step, kept, n, scale);
}
/// A Map2Rows.
template <class T>
void dropout_again_rows(const void* scale, char* y, const char* x, const char* kept,
                        const int64_t* s, int64_t n, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    if (r > 0) y += s[3], x += s[4], kept += s[5];
    dropout_again_values(reinterpret_cast<T*>(y), reinterpret_cast<const T*>(x), s[1],
                         reinterpret_cast<const uint8_t*>(kept), n, *static_cast<const T*>(scale));
  }
}
void modulo_values(uint32_t* words, int64_t n, int64_t first) {
  return TAPER_BY_ISA(modulo_block, words, n, first);
}

/// The generator's words for up to kBlock values, one or two per value.
struct Words {
  alignas(64) uint64_t pairs[kBlock];
  CPUGeneratorImpl* generator;

  explicit Words(CPUGeneratorImpl* g) : generator(g) {}
  const uint32_t* single(int64_t n) {
    auto* words = reinterpret_cast<uint32_t*>(pairs);
    generator->fill(words, n);
    return words;
  }
  const uint64_t* paired(int64_t n) {
    generator->fill(reinterpret_cast<uint32_t*>(pairs), 2 * n);
    return pairs;
  }
};

/// Calls write(to, n) for consecutive pieces of y in memory order, n up to kBlock. A strided row is
/// written through a buffer.
template <class T, class Write>
void each_piece(const Out& y, const Write& write) {
  if (y.numel == 0) return;
  const Plan<1> plan = plan_over(y.sizes, y);
  for_each_row(plan, 0, plan.numel, [&](char* const* p, const int64_t* stride, int64_t count) {
    T buffer[kBlock];
    for (int64_t done = 0; done < count; done += kBlock) {
      const int64_t n = std::min(kBlock, count - done);
      char* to = p[0] + done * stride[0];
      if (stride[0] == static_cast<int64_t>(sizeof(T)) || n == 1) {
        write(reinterpret_cast<T*>(to), n);
        continue;
      }
      write(buffer, n);
      for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride[0]) = buffer[i];
    }
  });
}

/// Sets y[i] = draw(), in order.
template <class T, class Draw>
void each_value(const Out& y, const Draw& draw) {
  each_piece<T>(y, [&](T* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = draw();
  });
}

double uniform_double(CPUGeneratorImpl* g) {
  return static_cast<double>(g->random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

/// Returns the least float above `low` that rounds to `end` in T, or `low` if it does.
template <class T>
float first_rounded_to(float end, float low) {
  const auto is_rounded = [end](float v) { return static_cast<float>(static_cast<T>(v)) >= end; };
  if (is_rounded(low)) return low;
  float high = end;
  for (;;) {
    const float middle = low / 2 + high / 2;
    if (!(middle > low && middle < high)) return high;
    (is_rounded(middle) ? high : low) = middle;
  }
}

// Draws 16-bit floats as PyTorch 2.15: numbers of f32, rounded. Numbers that round to `to` become
// `from`.
template <class T>
void uniform_reduced(const Out& y, double from, double to, Words& words) {
  const auto first = static_cast<float>(from), last = static_cast<float>(to);
  const auto end = first_rounded_to<T>(static_cast<float>(static_cast<T>(last)), first);
  each_piece<T>(y, [&](T* p, int64_t n) {
    float v[kBlock];
    unit_values(v, words.single(n), n);
    if (first != 0 || last != 1) stretch_values(v, n, first, last);
    fold_values(v, n, end, first);
    narrow(p, v, n);
  });
}

}  // namespace

// ---------------------------------------------------------------- continuous
void uniform(Out y, double from, double to, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  Words words(g);
  const bool unit = from == 0 && to == 1;
  if (y.dtype == kFloat) {
    each_piece<float>(y, [&](float* p, int64_t n) {
      unit_values(p, words.single(n), n);
      if (!unit) stretch_values(p, n, static_cast<float>(from), static_cast<float>(to));
    });
  } else if (y.dtype == kDouble) {
    each_piece<double>(y, [&](double* p, int64_t n) {
      unit_values(p, words.paired(n), n);
      if (!unit) stretch_values(p, n, from, to);
    });
  } else {
    y.dtype == kHalf ? uniform_reduced<Half>(y, from, to, words)
                     : uniform_reduced<BFloat16>(y, from, to, words);
  }
}

namespace {

// Draws pairs of normal numbers. The generator keeps the second one.
double normal_one(CPUGeneratorImpl* g, double mean, double std) {
  if (const optional<double> waiting = g->next_double_normal_sample()) {
    g->set_next_double_normal_sample(nullopt);
    return *waiting * std + mean;
  }
  const double u1 = uniform_double(g), u2 = uniform_double(g);
  const double radius = std::sqrt(-2.0 * std::log1p(-u2)), angle = kTwoPi * u1;
  g->set_next_double_normal_sample(radius * std::sin(angle));
  return radius * std::cos(angle) * std + mean;
}

// Computes normal_block for one block of doubles.
void normal_16(double* y, double mean, double std) {
  for (int j = 0; j < 8; ++j) {
    const double radius = std::sqrt(-2 * std::log(1 - y[j])), angle = kTwoPi * y[j + 8];
    y[j] = radius * std::cos(angle) * std + mean;
    y[j + 8] = radius * std::sin(angle) * std + mean;
  }
}

template <class T>
void normal_pieces(T* p, int64_t n, double mean, double std, Words& words) {
  if constexpr (std::is_same_v<T, float>) {
    normal_values(p, words.single(n), n, static_cast<float>(mean), static_cast<float>(std));
  } else if constexpr (std::is_same_v<T, double>) {
    unit_values(p, words.paired(n), n);
    for (int64_t i = 0; i < n; i += 16) normal_16(p + i, mean, std);
  } else {
    float v[kBlock];
    const uint32_t* const word = words.single(n);
    normal_values(v, word, n, static_cast<float>(mean), static_cast<float>(std));
    narrow(p, v, n);
  }
}

// Fills whole blocks of 16, then writes 16 new numbers over the last 16 elements. In f32 and f64
// the words of the incomplete block are drawn and dropped.
template <class T>
void normal_fill(T* p, int64_t n, double mean, double std, CPUGeneratorImpl* g) {
  Words words(g);
  const int64_t whole = n / 16 * 16;
  for (int64_t i = 0; i < whole; i += kBlock)
    normal_pieces(p + i, std::min(kBlock, whole - i), mean, std, words);
  if (whole == n) return;
  if constexpr (sizeof(T) > 2)
    for (int64_t i = whole; i < n; ++i) std::is_same_v<T, double> ? g->random64() : g->random();
  normal_pieces(p + n - 16, 16, mean, std, words);
}

}  // namespace

void normal(Out y, double mean, double std, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  switch_dtype<dtypes::Floating>(y.dtype, "normal_kernel_cpu", [&]<class scalar_t>() {
    if (y.numel >= 16 && y.contiguous)
      normal_fill(y.as<scalar_t>(), y.numel, mean, std, g);
    else
      each_value<scalar_t>(y, [&] {
        return static_cast<scalar_t>(static_cast<opmath_t<scalar_t>>(normal_one(g, mean, std)));
      });
  });
}

void exponential(Out y, double lambd, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  switch_dtype<dtypes::Floating>(y.dtype, "exponential_cpu", [&]<class scalar_t>() {
    each_value<scalar_t>(y, [&] {
      const double v = -1.0 / lambd * std::log(1.0 - uniform_double(g));
      return static_cast<scalar_t>(static_cast<opmath_t<scalar_t>>(v));
    });
  });
}

// ---------------------------------------------------------------- yes or no
namespace {

// u < p for u = r * 2^-53 means r < ceil(p * 2^53), exactly.
int64_t bernoulli_threshold(double p) { return static_cast<int64_t>(std::ceil(p * 0x1p53)); }

}  // namespace

void bernoulli(Out y, double p, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  Words words(g);
  const int64_t threshold = bernoulli_threshold(p);
  switch_dtype<dtypes::Real>(y.dtype, "bernoulli_scalar_cpu_", [&]<class scalar_t>() {
    each_piece<scalar_t>(
        y, [&](scalar_t* to, int64_t n) { bernoulli_values(to, words.paired(n), n, threshold); });
  });
}

void bernoulli_each(Out y, In p, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  const Plan<2> plan = plan_over(y.sizes, y, p);
  switch_dtype<dtypes::Floating>(p.dtype, "bernoulli_tensor_cpu_p_", [&]<class prob_t>() {
    switch_dtype<dtypes::Real>(y.dtype, "bernoulli_tensor_cpu_self_", [&]<class scalar_t>() {
      for_each_row(plan, 0, plan.numel, [&](char* const* ptr, const int64_t* stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const prob_t prob = *reinterpret_cast<const prob_t*>(ptr[1] + i * stride[1]);
          bool one;
          if constexpr (std::is_same_v<prob_t, double>)
            one = uniform_double(g) < prob;
          else
            one = static_cast<float>(g->random() & 0xffffffu) * 0x1p-24f < static_cast<float>(prob);
          *reinterpret_cast<scalar_t*>(ptr[0] + i * stride[0]) = static_cast<scalar_t>(one);
        }
      });
    });
  });
}

namespace {

/// Draws for a dropout's elements in order.
template <class T>
struct DropoutRows {
  Words* words;
  int64_t threshold;
  T scale;

  /// `kept` may be null.
  void draw(T* y, uint8_t* kept, const T* x, int64_t count) const {
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t n = std::min(kBlock, count - i);
      dropout_values(y + i, kept ? kept + i : nullptr, x + i, words->paired(n), n, threshold,
                     scale);
    }
  }
  /// A MapRow. The other form is a Map2Rows that also writes `kept`.
  static void row(const void* f, char* y, const char* x, const int64_t*, int64_t n) {
    static_cast<const DropoutRows*>(f)->draw(reinterpret_cast<T*>(y), nullptr,
                                             reinterpret_cast<const T*>(x), n);
  }
  static void rows(const void* f, char* y, const char* x, const char* kept, const int64_t* s,
                   int64_t n, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r) {
      if (r > 0) y += s[3], x += s[4], kept += s[5];
      static_cast<const DropoutRows*>(f)->draw(reinterpret_cast<T*>(y),
                                               reinterpret_cast<uint8_t*>(const_cast<char*>(kept)),
                                               reinterpret_cast<const T*>(x), n);
    }
  }
};

}  // namespace

/// Computes the dropout, or adds it to `chain` unless that is null.
static void dropout_by(Chain* chain, const Out& y, const Out& kept, const In& x, double p,
                       const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  Words words(g);
  switch_dtype<dtypes::Floating>(y.dtype, "dropout", [&]<class scalar_t>() {
    using Rows = DropoutRows<scalar_t>;
    const Rows f{&words, bernoulli_threshold(1 - p), dropout_scale<scalar_t>(p)};
    if (chain && kept.defined()) return chain->take(y, x, kept, &Rows::rows, &f);
    if (chain) return chain->take(y, x, &Rows::row, &f);
    f.draw(y.as<scalar_t>(), kept.defined() ? kept.as<uint8_t>() : nullptr, x.as<scalar_t>(),
           y.numel);
  });
}
void dropout(Out y, Out kept, In x, double p, const GeneratorPtr& generator) {
  dropout_by(nullptr, y, kept, x, p, generator);
}
static constexpr auto give_dropout = [](Chain& chain, const auto&... a) {
  dropout_by(&chain, a...);
};
constinit const KernelInfo dropout_info =
    handed_over_by<&cpu::dropout, give_dropout>(drawing(pointwise<&cpu::dropout>(1)));

void dropout_again(Out y, In x, In kept, double p) {
  switch_dtype<dtypes::Floating>(y.dtype, "dropout", [&]<class scalar_t>() {
    const scalar_t scale = dropout_scale<scalar_t>(p);
    run_map2(y, x, kept, kGrain, &dropout_again_rows<scalar_t>, &scale);
  });
}
constinit const KernelInfo dropout_again_info = pointwise<&cpu::dropout_again>(2);

// ---------------------------------------------------------------- integers
void random_range(Out y, uint64_t range, int64_t base, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  switch_dtype<dtypes::Real>(y.dtype, "random_from_to_kernel_cpu", [&]<class scalar_t>() {
    const auto value = [base](uint64_t r) {
      const int64_t v = static_cast<int64_t>(r + static_cast<uint64_t>(base));
      if constexpr (isReducedFloatingType(CppTypeToScalarType<scalar_t>::value))
        return static_cast<scalar_t>(static_cast<float>(v));
      else
        return static_cast<scalar_t>(v);
    };
    if (range == 0)
      each_value<scalar_t>(y, [&] { return value(g->random64() - static_cast<uint64_t>(base)); });
    else if (range >= uint64_t{1} << 32)
      each_value<scalar_t>(y, [&] { return value(g->random64() % range); });
    else
      each_value<scalar_t>(
          y, [&, r = static_cast<uint32_t>(range)] { return value(g->random() % r); });
  });
}

void random_full(Out y, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  switch_dtype<dtypes::Real>(y.dtype, "random_kernel_cpu", [&]<class scalar_t>() {
    each_value<scalar_t>(y, [&] {
      using limits = std::numeric_limits<scalar_t>;
      if constexpr (std::is_same_v<scalar_t, bool>)
        return static_cast<bool>(g->random() & 1u);
      else if constexpr (std::is_same_v<scalar_t, int64_t>)
        return static_cast<int64_t>(g->random64() & static_cast<uint64_t>(INT64_MAX));
      else if constexpr (std::is_same_v<scalar_t, double>)
        return static_cast<double>(g->random64() % ((uint64_t{1} << limits::digits) + 1));
      else if constexpr (limits::is_integer)
        return static_cast<scalar_t>(g->random() % (static_cast<uint32_t>(limits::max()) + 1u));
      else
        return static_cast<scalar_t>(
            static_cast<float>(g->random() % ((uint32_t{1} << limits::digits) + 1u)));
    });
  });
}

namespace {

// Shuffles by Fisher-Yates from the front: position i gets one of the elements from i on.
template <class T>
void shuffle(T* values, int64_t n, CPUGeneratorImpl* g) {
  alignas(64) uint32_t words[kBlock];
  for (int64_t i = 0; i < n - 1; i += kBlock) {
    const int64_t count = std::min(kBlock, n - 1 - i);
    g->fill(words, count);
    modulo_values(words, count, n - i);
    for (int64_t j = 0; j < count; ++j) {
      T* a = values + i + j;
      T* b = a + words[j];
      const T v = *a;
      *a = *b;
      *b = v;
    }
  }
}

}  // namespace

void permutation(Out y, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  const int64_t n = y.numel;
  // Half the memory of int64 is cached more often, and no permutation needs more than 32 bits.
  const std::unique_ptr<uint32_t[]> order(new uint32_t[static_cast<size_t>(n)]);
  for (int64_t i = 0; i < n; ++i) order[i] = static_cast<uint32_t>(i);
  shuffle(order.get(), n, g);
  switch_dtype<dtypes::Number>(y.dtype, "randperm", [&]<class scalar_t>() {
    scalar_t* p = y.as<scalar_t>();
    for (int64_t i = 0; i < n; ++i)
      p[i] = static_cast<scalar_t>(
          static_cast<std::conditional_t<
              isReducedFloatingType(CppTypeToScalarType<scalar_t>::value), float, int64_t>>(
              order[i]));
  });
}

void multinomial_replace(Out y, In p, const GeneratorPtr& generator) {
  CPUGeneratorImpl* const g = generator.get();
  const Lock lock(g->drawing());
  const int64_t rows = p.dim() == 1 ? 1 : p.sizes[0], k = p.sizes.back();
  const int64_t samples = rows == 0 ? 0 : y.numel / rows;
  switch_dtype<dtypes::Floating>(p.dtype, "multinomial", [&]<class scalar_t>() {
    const std::unique_ptr<scalar_t[]> cumulative(new scalar_t[static_cast<size_t>(k)]);
    for (int64_t r = 0; r < rows; ++r) {
      const scalar_t* weights = p.as<scalar_t>() + r * k;
      using acc_t = opmath_t<scalar_t>;
      scalar_t sum = static_cast<scalar_t>(acc_t(0));
      for (int64_t i = 0; i < k; ++i)
        cumulative[i] = sum =
            static_cast<scalar_t>(static_cast<acc_t>(sum) + static_cast<acc_t>(weights[i]));
      for (int64_t i = 0; i < k; ++i)
        cumulative[i] =
            static_cast<scalar_t>(static_cast<acc_t>(cumulative[i]) / static_cast<acc_t>(sum));
      cumulative[k - 1] = static_cast<scalar_t>(acc_t(1));
      for (int64_t s = 0; s < samples; ++s) {
        const double u = uniform_double(g);
        const scalar_t* at = std::partition_point(
            cumulative.get(), cumulative.get() + k,
            [u](scalar_t c) { return static_cast<double>(static_cast<acc_t>(c)) < u; });
        y.as<int64_t>()[r * samples + s] = at - cumulative.get();
      }
    }
  });
}

}  // namespace torch::taper::cpu
