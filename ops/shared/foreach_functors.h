// The formulas of pointwise ops on lists, for host and device. Each kernel selects the formula at
// run time. With one kernel per formula there would be hundreds of kernels. The selection costs no
// time, because memory traffic limits the kernels. Not installed.
#pragma once

#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/ternary_functors.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/shared/foreach_kernels.h>

namespace torch::taper::functor {

/// Computes v[0] = formula(v[1], ...), with N operands in total.
template <class M, int N>
struct ForeachPointwise {
  ForeachFormula formula;
  const double* shared;  // one number for all entries, or null if each entry has a number
  M n;

  TAPER_HD ForeachPointwise of_entry(const TensorLists& lists, int entry) const {
    const double own = shared ? *shared : lists.number<double>(entry);
    return {formula, shared, static_cast<M>(own)};
  }
  TAPER_HD void operator()(M* v) const {
    if constexpr (N == 2)
      v[0] = of_one(v[1]);
    else if constexpr (N == 3)
      v[0] = of_two(v[1], v[2]);
    else
      v[0] = of_three(v[1], v[2], v[3]);
  }

 private:
  TAPER_HD M of_one(M x) const {
    switch (formula) {
      case ForeachFormula::abs:
        return functor::abs()(x);
      case ForeachFormula::ceil:
        return functor::ceil()(x);
      case ForeachFormula::floor:
        return functor::floor()(x);
      case ForeachFormula::frac:
        return functor::frac()(x);
      case ForeachFormula::neg:
        return functor::neg()(x);
      case ForeachFormula::round:
        return functor::round()(x);
      case ForeachFormula::sign:
        return functor::sign()(x);
      case ForeachFormula::trunc:
        return functor::trunc()(x);
      case ForeachFormula::acos:
        return functor::acos()(x);
      case ForeachFormula::asin:
        return functor::asin()(x);
      case ForeachFormula::atan:
        return functor::atan()(x);
      case ForeachFormula::cos:
        return functor::cos()(x);
      case ForeachFormula::cosh:
        return functor::cosh()(x);
      case ForeachFormula::erf:
        return functor::erf()(x);
      case ForeachFormula::erfc:
        return functor::erfc()(x);
      case ForeachFormula::exp:
        return functor::exp()(x);
      case ForeachFormula::expm1:
        return functor::expm1()(x);
      case ForeachFormula::lgamma:
        return functor::lgamma()(x);
      case ForeachFormula::log:
        return functor::log()(x);
      case ForeachFormula::log10:
        return functor::log10()(x);
      case ForeachFormula::log1p:
        return functor::log1p()(x);
      case ForeachFormula::log2:
        return functor::log2()(x);
      case ForeachFormula::reciprocal:
        return functor::reciprocal()(x);
      case ForeachFormula::rsqrt:
        return functor::rsqrt()(x);
      case ForeachFormula::sigmoid:
        return functor::sigmoid()(x);
      case ForeachFormula::sin:
        return functor::sin()(x);
      case ForeachFormula::sinh:
        return functor::sinh()(x);
      case ForeachFormula::sqrt:
        return functor::sqrt()(x);
      case ForeachFormula::tan:
        return functor::tan()(x);
      case ForeachFormula::tanh:
        return functor::tanh()(x);
      case ForeachFormula::add:
        return x + n;
      case ForeachFormula::sub:
        return x - n;
      default:
        return of_number(x, n);
    }
  }
  TAPER_HD M of_two(M x, M a) const {
    switch (formula) {
      case ForeachFormula::add:
        return x + n * a;
      case ForeachFormula::sub:
        return x - n * a;
      case ForeachFormula::copy:
        return a;
      case ForeachFormula::lerp:
        return lerp()(x, a, n);
      default:
        return of_number(x, a);
    }
  }
  // Formulas of x and y. y is a number or an element of a tensor.
  TAPER_HD M of_number(M x, M y) const {
    switch (formula) {
      case ForeachFormula::mul:
        return x * y;
      case ForeachFormula::div:
        return x / y;
      case ForeachFormula::maximum:
        return maximum()(x, y);
      case ForeachFormula::minimum:
        return minimum()(x, y);
      default:
        return pow()(x, y);
    }
  }
  TAPER_HD M of_three(M x, M a, M b) const {
    switch (formula) {
      case ForeachFormula::addcmul:
        return addcmul<M>{n}(x, a, b);
      case ForeachFormula::addcdiv:
        return addcdiv<M>{n}(x, a, b);
      default:
        return lerp()(x, a, b);
    }
  }
};

}  // namespace torch::taper::functor
