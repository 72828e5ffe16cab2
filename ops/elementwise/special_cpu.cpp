#define TAPER_ISA_UP_TO_AVX2

#include <cstdint>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/vector_math.h>
#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/special_kernels.h>

// Special functions by arithmetic without branches, in double, so that loops become vector code.
// The callers pass the needed logarithms, which are calls. The quotients of polynomials were fitted
// with 45 digits and have errors below 2e-17. A straight line carries most of the value, so that
// their rounding errors hardly count.
namespace torch::taper::functor::special {

/// Returns c[0] + c[1] t + c[2] t^2 + ...
template <int K = 0, int N>
TAPER_INLINE double power_series(const double (&c)[N], double t) {
  if constexpr (K + 1 == N)
    return c[K];
  else
    return power_series<K + 1>(c, t) * t + c[K];
}

/// Computes log |Gamma(z)| for z >= 0.5. Below 8 it multiplies a line and a quotient by (z - 1) or
/// (z - 2), since it is 0 at 1 and 2. From 8 on it uses Stirling's series (DLMF 5.11.1).
TAPER_INLINE double log_gamma_of(double z, double log_z) {
  constexpr double n1[] = {-0.00019863584940017377, 0.632294787639734,   2.6726501518138632,
                           2.703312585994887,       -2.543500614851971,  -6.36826834290863,
                           -4.043538026171929,      -0.9571727366215605, -0.06653050503963101};
  constexpr double d1[] = {1.0,
                           6.8428871647127965,
                           18.58294688771121,
                           25.514104830458404,
                           18.68223181645659,
                           7.060512552307124,
                           1.216568316164408,
                           0.0684155999363314,
                           -3.518200022290168e-05};
  constexpr double n2[] = {-0.0017833847709157846, 0.15282327331254908,    0.26186015807252583,
                           0.10154315679900809,    -0.04914667630794889,   -0.046100876286787856,
                           -0.01183287388080952,   -0.0011454699891002027, -3.269446252283628e-05};
  constexpr double d2[] = {1.0,
                           2.7145524474215263,
                           2.922016292984106,
                           1.5894337503489333,
                           0.46117834190063794,
                           0.06915452255163157,
                           0.004738795460694366,
                           0.0001062150695933517,
                           -2.7913548814515772e-08};
  constexpr double n3[] = {0.0017409305599453105,  0.08703405363498729,    0.06293257865106076,
                           0.012327851667264576,   -0.0008197590352710428, -0.0005279157894104498,
                           -5.823016059974826e-05, -2.296397746788537e-06, -2.6102619594132312e-08};
  constexpr double d3[] = {1.0,
                           1.1075393475350137,
                           0.48512088932570496,
                           0.1070621633494429,
                           0.012562578058686026,
                           0.000759094615582834,
                           2.087809911949556e-05,
                           1.8707472311934662e-07,
                           -1.6976294703255407e-11};
  constexpr double stirling[] = {0.0833333333333333,    -0.002777777777606242,
                                 0.0007936506649481122, -0.0005952025950762167,
                                 0.0008372834445598766, -0.0016526002910866372};
  const double t1 = z - 0.5, t2 = z - 1.25, t3 = z - 3;
  const double line_12 = z < 1.25 ? -1.14453125 + 1.00390625 * t1 : 0.1328125 + 0.3203125 * t2;
  const double over_12 = z < 1.25 ? power_series(n1, t1) : power_series(n2, t2);
  const double under_12 = z < 1.25 ? power_series(d1, t1) : power_series(d2, t2);
  const double line = z < 3 ? line_12 : 0.69140625 + 0.14453125 * t3;
  const double over = z < 3 ? over_12 : power_series(n3, t3);
  const double under = z < 3 ? under_12 : power_series(d3, t3);
  const double near = (z < 1.25 ? z - 1 : z - 2) * (line + over / under);
  constexpr double half_log_two_pi = 0.91893853320467274178;
  const double w = 1 / z;
  const double far =
      (z - 0.5) * (log_z - 1) + ((half_log_two_pi - 0.5) + w * power_series(stirling, w * w));
  return z < 8 ? near : far;
}

/// Sums 1 / (z + k) over k < 10 as one quotient. The terms k and 9 - k together have the numerator
/// 2 z + 9.
TAPER_INLINE double sum_of_reciprocals(double z) {
  constexpr double products[] = {8, 14, 18, 20};  // k (9 - k)
  const double square = z * (z + 9);
  double over = 1, under = square;
  for (const double c : products) {
    over = over * (square + c) + under;
    under *= square + c;
  }
  return (2 * z + 9) * (over / under);
}
/// Sums 1 / (z + k)^2 over k < 10.
TAPER_INLINE double sum_of_squared_reciprocals(double z) {
  double over = 1, under = z * z;
  for (int k = 1; k < 10; ++k) {
    const double square = (z + k) * (z + k);
    over = over * square + under;
    under *= square;
  }
  return over / under;
}

/// Computes the asymptotic series of digamma for z >= 10.
TAPER_INLINE double digamma_far(double z, double log_z) {
  constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double w = 1 / z, w2 = w * w;
  return log_z - 0.5 * w - w2 * power_series(series, w2);
}
TAPER_INLINE double trigamma_far(double z) {
  constexpr double series[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                               5.0 / 66, -691.0 / 2730, 7.0 / 6};
  const double w = 1 / z, w2 = w * w;
  return (1 + 0.5 * w + w2 * power_series(series, w2)) * w;
}

/// Returns the y >= 0 with erf(y) = x for x in [0, 1]. `root` is sqrt(-log((1 - x) / 2)).
TAPER_INLINE double inverse_erf_of(double x, double root) {
  constexpr double n1[] = {-0.0016864384329087277, -0.49200379890139256, -4.587866500300692,
                           -15.031463243586122,    -16.41912159919972,   12.205361583510632,
                           41.21622301405956,      31.56704273223663,    8.987140457620848,
                           0.7598462556722593};
  constexpr double d1[] = {1.0,
                           13.026354992195886,
                           68.76165013410557,
                           189.38720684290612,
                           292.34008408287497,
                           253.00661709680844,
                           116.26427350443383,
                           24.87078250910579,
                           1.7829288758454085,
                           -0.0003394457403350854};
  constexpr double n2[] = {-0.0012904663963119731, 0.13042159927737101,    0.21198102777235064,
                           0.12540974432739443,    0.030164908019718918,   -2.1284897064429763e-05,
                           -0.001517123645100345,  -0.0002911662531285491, -1.9830274243151105e-05,
                           -4.052469545685823e-07};
  constexpr double d2[] = {1.0,
                           2.2630031370690347,
                           2.1318199312888857,
                           1.091903454659724,
                           0.3314740920212405,
                           0.060201782057340204,
                           0.0061762067209473834,
                           0.00031034821335604226,
                           5.462871487617924e-06,
                           -1.6100924942221885e-11};
  constexpr double most = 0.85;
  const double u = most * most - x * x, v = root - 1.6;
  const bool middle = x < most;
  const double line = middle ? 1.19921875 - 0.4296875 * u : 1.0078125 + 1.07421875 * v;
  const double over = middle ? power_series(n1, u) : power_series(n2, v);
  const double under = middle ? power_series(d1, u) : power_series(d2, v);
  const double y = (middle ? x : 1.0) * (line + over / under);
  return x == 1 ? __builtin_inf() : y;
}

}  // namespace torch::taper::functor::special

#define TAPER_ISA_FILE <taper/ops/elementwise/special_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

#include <taper/framework/kernel/loops.inc>

/// These functions are costly, so a thread takes fewer elements than of a sum.
template <class T, class F>
void map_costly(const Out& y, const In& x, const F& f) {
  map<T, T>(y, x, f, kGrain / 16);
}

}  // namespace

#include <taper/ops/elementwise/special_loops.inc>

void lgamma(Out y, In x) { return TAPER_BY_ISA(lgamma, y, x); }
void digamma(Out y, In x) { return TAPER_BY_ISA(digamma, y, x); }
void erfinv(Out y, In x) { return TAPER_BY_ISA(erfinv, y, x); }
void polygamma(Out y, In x, int64_t n) {
  if (n == 1) return TAPER_BY_ISA(trigamma, y, x);
  any_polygamma(y, x, n);
}
void logaddexp(Out y, In a, In b) { return TAPER_BY_ISA(logaddexp, y, a, b); }
void logaddexp2(Out y, In a, In b) { return TAPER_BY_ISA(logaddexp2, y, a, b); }
void hypot(Out y, In a, In b) { return TAPER_BY_ISA(hypot, y, a, b); }
void xlogy(Out y, In a, In b) { return TAPER_BY_ISA(xlogy, y, a, b); }

}  // namespace torch::taper::cpu
