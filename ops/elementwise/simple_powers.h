// Chooses functors for powers with simple exponents. Not installed. GPU kernels that NVRTC compiles
// include binary_functors.h. They do not include formula.h, so this header is separate.
#pragma once

#include <taper/framework/kernel/formula.h>
#include <taper/ops/elementwise/binary_functors.h>

namespace torch::taper::functor {

/// Calls f with the functor of x^e. Returns false if x^e needs the general power.
template <class F>
bool with_simple_power(double e, const F& f) {
  switch (cpu::simple_power(e)) {
    case cpu::Formula::copy:
      return f(power_1()), true;
    case cpu::Formula::square:
      return f(square()), true;
    case cpu::Formula::power_3:
      return f(power_3()), true;
    case cpu::Formula::sqrt:
      return f(sqrt()), true;
    case cpu::Formula::rsqrt:
      return f(rsqrt()), true;
    case cpu::Formula::reciprocal:
      return f(reciprocal()), true;
    case cpu::Formula::power_minus_2:
      return f(power_minus_2()), true;
    default:  // no power
      return false;
  }
}

}  // namespace torch::taper::functor
