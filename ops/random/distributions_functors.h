// Samplers of integers, for host and device. `Uniform` gives independent numbers in [0, 1).
#pragma once

#include <taper/ops/elementwise/special_functors.h>

namespace torch::taper::functor {

/// Draws from the Poisson distribution by transformed rejection (Hoermann, "The transformed
/// rejection method for generating Poisson random variables", 1993). For rates below 10, it
/// multiplies uniform numbers instead.
template <class Uniform>
TAPER_HD double draw_poisson(double rate, Uniform& uniform) {
  if (rate < 10) {
    if (!(rate > 0)) return 0;
    const double end = std::exp(-rate);
    double k = 0;
    for (double product = uniform(); product > end; product *= uniform()) k += 1;
    return k;
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), inner = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform() - 0.5, v = uniform(), s = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / s + b) * u + rate + 0.43);
    if (s >= 0.07 && v <= inner) return k;
    if (k < 0 || (s < 0.013 && v > s)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (s * s) + b) <=
        -rate + k * log_rate - special::log_gamma(k + 1))
      return k;
  }
}

/// Returns log k! minus its approximation by Stirling's formula.
TAPER_HD inline double stirling_rest(double k) {
  if (k < 10)
    return special::log_gamma(k + 1) -
           ((k + 0.5) * std::log(k + 1) - (k + 1) + 0.91893853320467274178);
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/// Draws from the binomial distribution for p <= 1/2, by transformed rejection (Hoermann, "The
/// generation of binomial random variates", 1993). If n * p is below 10, it draws the numbers of
/// failures between successes instead.
template <class Uniform>
TAPER_HD double draw_few(double n, double p, Uniform& uniform) {
  if (n * p < 10) {
    const double log_failure = std::log1p(-p);
    double trials = 0, k = 0;
    for (;; k += 1) {
      trials += std::ceil(std::log(uniform()) / log_failure);
      if (!(trials <= n)) return k;
    }
  }
  const double deviation = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p, center = n * p + 0.5, inner = 0.92 - 4.2 / b;
  const double odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((n + 1) * p);
  for (;;) {
    const double u = uniform() - 0.5, v = uniform(), s = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / s + b) * u + center);
    if (s >= 0.07 && v <= inner) return k;
    if (k < 0 || k > n) continue;
    const double bound = (m + 0.5) * std::log((m + 1) / (odds * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(m) +
                         stirling_rest(n - m) - stirling_rest(k) - stirling_rest(n - k);
    if (std::log(v * alpha / (a / (s * s) + b)) <= bound) return k;
  }
}

template <class Uniform>
TAPER_HD double draw_binomial(double n, double p, Uniform& uniform) {
  if (n != n || p != p) return n != n ? n : p;
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  return p <= 0.5 ? draw_few(n, p, uniform) : n - draw_few(n, 1 - p, uniform);
}

}  // namespace torch::taper::functor
