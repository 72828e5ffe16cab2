// Values of special functions by their definitions, independent of the library: integrals by the
// trapezoid rule, sums of many terms.
#pragma once

#include <cmath>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::testing {

inline const double kPi = 3.14159265358979323846;

template <class F>
double integral(double from, double to, const F& f, int n = 20000) {
  double sum = (f(from) + f(to)) / 2;
  for (int k = 1; k < n; ++k) sum += f(from + (to - from) * k / n);
  return sum * (to - from) / n;
}
inline double bessel_k_integral(double x, int n) {
  return integral(0, 12, [&](double t) { return std::exp(-x * std::cosh(t)) * std::cosh(n * t); });
}
/// Of an even function of period 2 pi: so few points are exact up to its term cos(64 t).
template <class F>
double periodic_integral(const F& f) {
  return integral(0, kPi, f, 32);
}
inline double bessel_i_integral(double x, int n) {
  return periodic_integral([&](double t) { return std::exp(x * std::cos(t)) * std::cos(n * t); }) /
         kPi;
}
inline double bessel_j_integral(double x, int n) {
  return periodic_integral([&](double t) { return std::cos(n * t - x * std::sin(t)); }) / kPi;
}
/// a >= 1
inline double igamma_integral(double a, double x) {
  return integral(0, x, [&](double t) { return std::pow(t, a - 1) * std::exp(-t); }) /
         std::tgamma(a);
}
inline double zeta_sum(double s, double q) {
  double sum = 0;
  for (int k = 0; k < 2000; ++k) sum += std::pow(q + k, -s);
  const double end = q + 2000;
  return sum + std::pow(end, 1 - s) / (s - 1) + std::pow(end, -s) / 2 +
         s * std::pow(end, -s - 1) / 12;
}
inline double ndtr(double x) { return std::erfc(-x * std::sqrt(0.5)) / 2; }

}  // namespace torch::taper::testing
