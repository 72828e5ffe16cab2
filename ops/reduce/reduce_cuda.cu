#include <cmath>

#include <taper/framework/cuda/map.h>
#include <taper/ops/reduce/reduce_cuda.h>
#include <taper/ops/reduce/reduce_kernels.h>

namespace torch::taper::cuda {
namespace {

// ---------------------------------------------------------------- elements before they are joined
struct Same {
  template <class A, class T>
  TAPER_DEVICE A of(T v) const {
    return static_cast<A>(load(v));
  }
};
struct NonZero {
  template <class A, class T>
  TAPER_DEVICE A of(T v) const {
    return static_cast<A>(load(v) != 0);
  }
};
struct NanToZero {
  template <class A, class T>
  TAPER_DEVICE A of(T v) const {
    return load(v) != load(v) ? A(0) : static_cast<A>(load(v));
  }
};
struct Magnitude {
  template <class A, class T>
  TAPER_DEVICE A of(T v) const {
    return std::fabs(static_cast<A>(load(v)));
  }
};
struct Squared {
  template <class A, class T>
  TAPER_DEVICE A of(T v) const {
    return static_cast<A>(load(v)) * static_cast<A>(load(v));
  }
};

struct Times {
  template <class T>
  TAPER_DEVICE T operator()(T a, T b) const {
    return a * b;
  }
};

/// Joins states of type A with Op. At the end it divides and, if asked, takes the square root.
template <class T, class A, class Op, class Before>
struct Joined {
  using State = A;
  using Element = T;
  A identity;
  Op op;
  Before before;
  double divisor = 1;
  bool square_root = false;
  TAPER_HD A start() const { return identity; }
  TAPER_DEVICE A take(const char* x, int64_t) const {
    return before.template of<A>(*reinterpret_cast<const T*>(x));
  }
  TAPER_DEVICE A join(A a, A b) const { return op(a, b); }
  TAPER_DEVICE void finish(char* y, A v) const {
    if constexpr (std::is_floating_point_v<A>) {
      v = static_cast<A>(v / divisor);
      if (square_root) v = std::sqrt(v);
    }
    *reinterpret_cast<T*>(y) = static_cast<T>(static_cast<opmath_t<T>>(v));
  }
};

// Floats are summed in double. A GPU waits for memory here, not for arithmetic.
template <class T, class A, class Op, class Before>
void run(const Out& y, const In& x, DimMask dims, A identity, Op op, Before before,
         double divisor = 1, bool square_root = false) {
  reduce(y, x, dims, Joined<T, A, Op, Before>{identity, op, before, divisor, square_root});
}

// ---------------------------------------------------------------- results that are integers
// The dtype is switched per element, so that one kernel serves all dtypes.

template <class... T>
TAPER_DEVICE void store_integer(TypeList<T...>, ScalarType dtype, char* y, int64_t v) {
  ((dtype == CppTypeToScalarType<T>::value && (*reinterpret_cast<T*>(y) = T(v), true)) || ...);
}

/// Returns the element itself. Integers are summed as unsigned numbers, so that they wrap.
struct Number {
  template <class... T>
  TAPER_DEVICE static uint64_t of_any(TypeList<T...>, ScalarType dtype, const char* x) {
    uint64_t v = 0;
    ((dtype == CppTypeToScalarType<T>::value &&
      (v = static_cast<uint64_t>(*reinterpret_cast<const T*>(x)), true)) ||
     ...);
    return v;
  }
  TAPER_DEVICE uint64_t of(ScalarType dtype, const char* x) const {
    return of_any(dtypes::Bit(), dtype, x);
  }
};
/// Returns 1 for a nonzero element.
struct IsNonZero {
  template <class... T>
  TAPER_DEVICE static uint64_t of_any(TypeList<T...>, ScalarType dtype, const char* x) {
    uint64_t v = 0;
    ((dtype == CppTypeToScalarType<T>::value &&
      (v = load(*reinterpret_cast<const T*>(x)) != 0 ? 1 : 0, true)) ||
     ...);
    return v;
  }
  TAPER_DEVICE uint64_t of(ScalarType dtype, const char* x) const {
    return of_any(dtypes::Real(), dtype, x);
  }
};

template <class Op, class Before>
struct JoinedIntegers {
  using State = uint64_t;
  uint64_t identity;
  ScalarType from, to;
  Op op;
  Before before;
  TAPER_HD uint64_t start() const { return identity; }
  TAPER_DEVICE uint64_t take(const char* x, int64_t) const { return before.of(from, x); }
  TAPER_DEVICE uint64_t join(uint64_t a, uint64_t b) const { return op(a, b); }
  TAPER_DEVICE void finish(char* y, uint64_t v) const {
    store_integer(dtypes::Bit(), to, y, static_cast<int64_t>(v));
  }
};

template <class Op, class Before>
void run_integers(const Out& y, const In& x, DimMask dims, uint64_t identity, Op op,
                  Before before) {
  reduce(y, x, dims, JoinedIntegers<Op, Before>{identity, x.dtype, y.dtype, op, before});
}

// The type in which values of T are compared.
template <class T>
using ValueOf = std::conditional_t<std::is_integral_v<T>, int64_t, opmath_t<T>>;

template <class T>
constexpr T lowest() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::lowest();
  else
    return -std::numeric_limits<T>::infinity();
}
template <class T>
constexpr T highest() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::max();
  else
    return std::numeric_limits<T>::infinity();
}

}  // namespace

void sum(Out y, In x, DimMask dims, double divisor) {
  if (isIntegralType(y.dtype, true)) return run_integers(y, x, dims, 0, Plus(), Number());
  switch_dtype<dtypes::Floating>(x.dtype, "sum", [&]<class scalar_t>() {
    run<scalar_t>(y, x, dims, 0.0, Plus(), Same(), divisor);
  });
}

void nansum(Out y, In x, DimMask dims) {
  switch_dtype<dtypes::Floating>(x.dtype, "nansum", [&]<class scalar_t>() {
    run<scalar_t>(y, x, dims, 0.0, Plus(), NanToZero());
  });
}

void prod(Out y, In x, DimMask dims) {
  if (isIntegralType(y.dtype, true)) return run_integers(y, x, dims, 1, Times(), Number());
  switch_dtype<dtypes::Floating>(
      x.dtype, "prod", [&]<class scalar_t>() { run<scalar_t>(y, x, dims, 1.0, Times(), Same()); });
}

void count_nonzero(Out y, In x, DimMask dims) { run_integers(y, x, dims, 0, Plus(), IsNonZero()); }
void any(Out y, In x, DimMask dims) { run_integers(y, x, dims, 0, Larger(), IsNonZero()); }
void all(Out y, In x, DimMask dims) { run_integers(y, x, dims, 1, Smaller(), IsNonZero()); }

void amax(Out y, In x, DimMask dims) {
  switch_dtype<dtypes::Real>(x.dtype, "amax", [&]<class scalar_t>() {
    run<scalar_t>(y, x, dims, lowest<ValueOf<scalar_t>>(), Larger(), Same());
  });
}
void amin(Out y, In x, DimMask dims) {
  switch_dtype<dtypes::Real>(x.dtype, "amin", [&]<class scalar_t>() {
    run<scalar_t>(y, x, dims, highest<ValueOf<scalar_t>>(), Smaller(), Same());
  });
}

void vector_norm(Out y, In x, DimMask dims, double p) {
  switch_dtype<dtypes::Floating>(x.dtype, "norm", [&]<class T>() {
    if (p == 2)
      run<T>(y, x, dims, 0.0, Plus(), Squared(), 1, true);
    else if (p == 1)
      run<T>(y, x, dims, 0.0, Plus(), Magnitude());
    else if (p == 0)
      run<T>(y, x, dims, 0.0, Plus(), NonZero());
    else if (p > 0)
      run<T>(y, x, dims, lowest<opmath_t<T>>(), Larger(), Magnitude());
    else
      run<T>(y, x, dims, highest<opmath_t<T>>(), Smaller(), Magnitude());
  });
}

namespace {

// ---------------------------------------------------------------- values with their positions
template <class V>
struct Best {
  V value;
  int64_t index;  // -1: nothing yet
};

/// Keeps the larger value (the smaller one if Sign is -1) and its first index. NaN wins over all.
template <class T, int Sign>
struct BestOf {
  using V = ValueOf<T>;
  using State = Best<V>;
  using Element = T;
  T* values;  // null if not wanted
  int64_t* indices;
  TAPER_HD State start() const { return {V(), -1}; }
  TAPER_DEVICE State take(const char* x, int64_t index) const {
    return {static_cast<V>(load(*reinterpret_cast<const T*>(x))), index};
  }
  TAPER_DEVICE static bool is_better(const State& a, const State& b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan || b_nan) return a_nan && (!b_nan || a.index < b.index);
    if (a.value == b.value) return a.index < b.index;
    return Sign > 0 ? a.value > b.value : a.value < b.value;
  }
  TAPER_DEVICE State join(State a, State b) const {
    if (a.index < 0) return b;
    if (b.index < 0) return a;
    return is_better(a, b) ? a : b;
  }
  TAPER_DEVICE void finish(char* y, State s) const {
    int64_t* const index = reinterpret_cast<int64_t*>(y);
    *index = s.index;
    if (values) values[index - indices] = static_cast<T>(static_cast<opmath_t<T>>(s.value));
  }
};

template <int Sign>
void best(const char* name, const Out& values, const Out& indices, const In& x, DimMask dims) {
  switch_dtype<dtypes::Real>(x.dtype, name, [&]<class scalar_t>() {
    reduce(indices, x, dims, BestOf<scalar_t, Sign>{values.as<scalar_t>(), indices.as<int64_t>()});
  });
}

// ---------------------------------------------------------------- mean and variance
/// Keeps number, mean and sum of squared deviations, joined as in Chan, Golub and LeVeque (1979).
template <class To, class From>
struct MomentsOf {
  using Element = From;
  struct State {
    double n, mean, squares;
  };
  char* mean;  // null if not wanted
  const char* variance;
  double correction;
  bool square_root;
  TAPER_HD State start() const { return {0, 0, 0}; }
  TAPER_DEVICE State take(const char* x, int64_t) const {
    return {1, static_cast<double>(load(*reinterpret_cast<const From*>(x))), 0};
  }
  TAPER_DEVICE State join(State a, State b) const {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const double n = a.n + b.n, d = b.mean - a.mean;
    return {n, a.mean + d * (b.n / n), a.squares + b.squares + d * d * (a.n * b.n / n)};
  }
  TAPER_DEVICE void finish(char* y, State s) const {
    const double freedom = s.n - correction;
    double v = s.squares / (freedom > 0 ? freedom : 0);
    if (square_root) v = std::sqrt(v);
    store(y, v);
    if (mean) store(mean + (y - variance), s.n == 0 ? double(NAN) : s.mean);
  }
  TAPER_DEVICE static void store(char* y, double v) {
    *reinterpret_cast<To*>(y) = static_cast<To>(static_cast<opmath_t<To>>(v));
  }
};

}  // namespace

void max_with_index(Out values, Out indices, In x, DimMask dims) {
  best<1>("max", values, indices, x, dims);
}
void min_with_index(Out values, Out indices, In x, DimMask dims) {
  best<-1>("min", values, indices, x, dims);
}

void moments(Out variance, Out mean, In x, DimMask dims, double correction, bool square_root) {
  switch_dtype<dtypes::Floating>(x.dtype, "var", [&]<class scalar_t>() {
    reduce(variance, x, dims,
           MomentsOf<scalar_t, scalar_t>{mean.as<char>(), variance.as<char>(), correction,
                                         square_root});
  });
}

}  // namespace torch::taper::cuda
