// The formulas of pointwise kernels by name, and properties of the formulas that chains of the CPU
// need. Not installed.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <taper/framework/core/namespaces.h>
#include <taper/framework/kernel/op_lists.h>

// clang-format off
/// Lists the binary kernels with their dtypes. `real`: all real dtypes. `number`: all real dtypes
/// except bool. `floating`: floats. `bit`: integers and bool. `test`: any dtype, and the results
/// are bools.
#define TAPER_BINARY_KERNELS(X)                                                                   \
  X(add, real) X(mul, real) X(maximum, real) X(minimum, real)                                     \
  X(sub, number) X(div_trunc, number) X(div_floor, number) X(remainder, number) X(fmod, number)   \
  X(div, floating) X(atan2, floating) X(copysign, floating) X(prelu, floating)                    \
  X(relu_backward, floating) X(tanh_backward, floating) X(sigmoid_backward, floating)             \
  X(bitwise_and, bit) X(bitwise_or, bit) X(bitwise_xor, bit)                                      \
  X(eq, test) X(ne, test) X(lt, test) X(le, test) X(gt, test) X(ge, test)                         \
  X(logical_and, test) X(logical_or, test) X(logical_xor, test)
// clang-format on

namespace torch::taper::cpu {

/// The functors of the lists of ops, and further functors that runs (row_runs.h) compute.
enum class Formula : uint8_t {
  none,
#define TAPER_ENUMERATOR(name, kind) name,
  TAPER_UNARY_OPS(TAPER_ENUMERATOR) TAPER_BINARY_KERNELS(TAPER_ENUMERATOR)
#undef TAPER_ENUMERATOR
      logical_not,
  power_3,
  power_minus_2,
  add_scaled,  ///< a + alpha b, with the functor's number as alpha
  pow,         ///< x to the power of a number. Runs use simple_power()
  copy,        ///< copies x, also between floats and bools
  where
};

/// Returns a formula of x^e that is exact and much faster than a general power. If e has no such
/// formula, returns none.
constexpr Formula simple_power(double e) {
  return e == 1      ? Formula::copy
         : e == 2    ? Formula::square
         : e == 3    ? Formula::power_3
         : e == 0.5  ? Formula::sqrt
         : e == -0.5 ? Formula::rsqrt
         : e == -1   ? Formula::reciprocal
         : e == -2   ? Formula::power_minus_2
                     : Formula::none;
}

/// The formula that a kernel computes for each element, and properties of its functor.
struct RowFormula {
  Formula name = Formula::none;
  bool takes_lanes = false;  ///< a functor's marks: see ops/elementwise/functor.h
  bool takes_bits = false;
  bool turns = false;
  bool contracts = false;
  bool tests = false;  ///< has bool results
};
/// Returns the RowFormula of functor F, whose formula is `name`.
template <class F>
constexpr RowFormula formula_of(Formula name) {
  RowFormula f{name};
  if constexpr (requires { F::takes_lanes; }) {
    f.takes_lanes = true;
    f.takes_bits = requires { F::takes_bits; };
    f.turns = requires { F::turns; };
    f.contracts = requires { F::contracts; };
    if constexpr (requires(F g, float x) { g(x); })
      f.tests = std::is_same_v<decltype(std::declval<F>()(1.0f)), bool>;
    else if constexpr (!requires { F::takes_bits; })
      f.tests = std::is_same_v<decltype(std::declval<F>()(1.0f, 1.0f)), bool>;
  }
  return f;
}
/// Whether functor F takes one instruction per element.
template <class F>
constexpr bool is_light = requires {
  F::is_light;
};

}  // namespace torch::taper::cpu
