// Formulas as types, for loops over elements. Not installed.
//
// A functor derives from `Lanes` if its formula also takes vectors. Chains on the CPU then compute
// it in registers (framework/fusion/cpu/row_runs.h). Such a formula uses operators, `T{}` for zero,
// and the functions below.
#pragma once

#include <cmath>
#include <type_traits>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

/// Defines struct `name` with a template call operator that returns the given expression. The
/// arguments have type T or a type made of T: TAPER_FUNCTOR(TAPER_HD, div, (T x, T y), x / y).
/// `marks` are the marks of host_device.h.
#define TAPER_FUNCTOR(marks, name, arguments, ...) \
  struct name {                                    \
    template <class T>                             \
    marks auto operator() arguments const {        \
      return __VA_ARGS__;                          \
    }                                              \
  };

namespace torch::taper::functor {

/// A base of commutative functors: f(x, y) == f(y, x).
struct Turning {
  static constexpr bool turns = true;
};
/// A base of functors whose formula also takes vectors of floats.
struct Lanes {
  static constexpr bool takes_lanes = true;
};
struct TurningLanes : Turning, Lanes {};
/// A base of commutative functors of bits, whose formula also takes vectors of words.
struct BitLanes : Turning, Lanes {
  static constexpr bool takes_bits = true;
};
/// A base of functors that take one instruction per element in every instruction set.
struct Light : Lanes {
  static constexpr bool is_light = true;
};
/// A base of functors that multiply the second operand and add to the product. Compilers fuse
/// product and sum into one FMA instruction, which does not round the product. If the second
/// operand is a number, compilers may move the product out of the loop. The product is then
/// rounded.
struct Contracting : Lanes {
  static constexpr bool contracts = true;
};

/// A base of functors that call functions of <cmath>. Compilers replace these calls by calls of
/// functions of whole vectors. See calls_functions in framework/kernel/loops.inc.
struct Calling {
  static constexpr bool calls = true;
};

/// Return the two results of tests. For vectors of T, yes() is a vector of 1 and no() a vector of
/// 0. Each test selects between yes() and no() itself, because GCC does not optimize a mask that is
/// passed to another function.
///@{
template <class T>
TAPER_HD constexpr bool yes() {
  return true;
}
template <class T>
TAPER_HD constexpr bool no() {
  return false;
}
///@}
/// Returns the square root of x.
template <class T>
TAPER_HD T root(T x) {
  return std::sqrt(x);
}
/// Returns |x|.
template <class T>
TAPER_HD std::enable_if_t<std::is_floating_point<T>::value, T> magnitude(T x) {
  return std::fabs(x);
}
// Uses no conditional expression. GCC would compile it to a jump if there is no maximum instruction
// for int64.
template <class T>
TAPER_HD std::enable_if_t<std::is_integral<T>::value, T> magnitude(T x) {
  if constexpr (std::is_signed<T>::value) {
    using U = std::make_unsigned_t<T>;
    const U sign = x < 0 ? ~U(0) : U(0);
    return static_cast<T>(static_cast<U>((static_cast<U>(x) ^ sign) - sign));
  } else {
    return x;
  }
}

}  // namespace torch::taper::functor
