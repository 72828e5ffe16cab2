// Functors of the p-norms of differences, for host and device. step() adds a difference d to a
// partial result. join() joins two partial results, and finish() returns the norm. With the
// gradient gy of the norm, the gradient of d is scale(gy, norm) * slope(d, norm).
#pragma once

#include <cmath>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_math.h>

namespace torch::taper::functor {

/// Returns the index of the pair (i, j) among the pairs i < j of n rows.
TAPER_HD inline int64_t pair_at(int64_t i, int64_t j, int64_t n) {
  return i * n - i * (i + 1) / 2 + (j - i - 1);
}

/// Returns the sign of d, like functor::sign. It converts nothing to int, because this would halve
/// the number of lanes for doubles.
template <class T>
TAPER_HD inline T sign_of(T d) {
  return static_cast<T>(d > 0) - static_cast<T>(d < 0);
}

/// Counts the nonzero differences. NaN stays NaN.
template <class T>
struct Norm0 {
  TAPER_HD T step(T sum, T d) const {
    const T one = d != 0 ? T(1) : T(0);
    return sum + (d == d ? one : d);
  }
  TAPER_HD T join(T a, T b) const { return a + b; }
  TAPER_HD T finish(T sum) const { return sum; }
  TAPER_HD T scale(T, T) const { return 0; }
  TAPER_HD T slope(T, T) const { return 0; }
};
template <class T>
struct Norm1 {
  TAPER_HD T step(T sum, T d) const { return sum + std::fabs(d); }
  TAPER_HD T join(T a, T b) const { return a + b; }
  TAPER_HD T finish(T sum) const { return sum; }
  TAPER_HD T scale(T gy, T) const { return gy; }
  TAPER_HD T slope(T d, T) const { return sign_of(d); }
};
template <class T>
struct Norm2 {
  TAPER_HD T step(T sum, T d) const { return sum + d * d; }
  TAPER_HD T join(T a, T b) const { return a + b; }
  TAPER_HD T finish(T sum) const { return std::sqrt(sum); }
  TAPER_HD T scale(T gy, T norm) const { return norm == 0 ? T(0) : gy / norm; }
  TAPER_HD T slope(T d, T) const { return d; }
};
/// Keeps the largest magnitude of the differences. NaN stays NaN.
template <class T>
struct NormLargest {
  TAPER_HD T step(T most, T d) const { return join(most, std::fabs(d)); }
  TAPER_HD T join(T a, T b) const { return (b > a) | (b != b) ? b : a; }
  TAPER_HD T finish(T most) const { return most; }
  TAPER_HD T scale(T gy, T) const { return gy; }
  TAPER_HD T slope(T d, T norm) const { return std::fabs(d) == norm ? sign_of(d) : T(0); }
};
template <class T>
struct NormAny {
  T p;
  TAPER_HD T step(T sum, T d) const { return sum + std::pow(std::fabs(d), p); }
  TAPER_HD T join(T a, T b) const { return a + b; }
  TAPER_HD T finish(T sum) const { return std::pow(sum, 1 / p); }
  TAPER_HD T scale(T gy, T norm) const { return norm == 0 ? T(0) : gy / std::pow(norm, p - 1); }
  TAPER_HD T slope(T d, T) const {
    const T power = std::pow(std::fabs(d), p - 1) * sign_of(d);
    return d == 0 ? T(0) : power;
  }
};

/// Calls f with the functor of the norm of order p.
template <class T, class F>
inline void with_norm(double p, const F& f) {
  if (p == 0) return f(Norm0<T>());
  if (p == 1) return f(Norm1<T>());
  if (p == 2) return f(Norm2<T>());
  if (std::isinf(p)) return f(NormLargest<T>());
  f(NormAny<T>{static_cast<T>(p)});
}

}  // namespace torch::taper::functor
