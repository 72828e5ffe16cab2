// Pointwise functions of one tensor.
//
// Each comes as f(x), as the in-place x.f_() (and f_(x)), and as f_out(out, x). Results have the
// shape of x. The floating functions turn integers and bools into the default dtype; the others
// keep the dtype. The lists are in framework/op_lists.h; formulas and derivatives are in unary.cpp
// and unary_functors.h.
#pragma once

#include <taper/framework/tensor.h>

namespace taper {

#define TAPER_DECLARE_UNARY(name) \
  Tensor name(const Tensor& x);   \
  Tensor& name##_(Tensor& x);     \
  Tensor& name##_out(Tensor& out, const Tensor& x);
TAPER_UNARY_FLOAT_OPS(TAPER_DECLARE_UNARY)
TAPER_UNARY_SAME_OPS(TAPER_DECLARE_UNARY)
#undef TAPER_DECLARE_UNARY

/// True where x is NaN, infinite, finite; bool tensors.
#define TAPER_DECLARE_BOOL(name) Tensor name(const Tensor& x);
TAPER_UNARY_BOOL_OPS(TAPER_DECLARE_BOOL)
#undef TAPER_DECLARE_BOOL

/// True where x is 0; a bool tensor.
Tensor logical_not(const Tensor& x);
/// Bits inverted; for bools the same as logical_not. Throws for floating dtypes.
Tensor bitwise_not(const Tensor& x);
inline Tensor absolute(const Tensor& x) { return abs(x); }
inline Tensor negative(const Tensor& x) { return neg(x); }

/// x limited to [min, max]; either bound may be missing, not both. NaN stays NaN. The gradient is 1
/// within the bounds (them included), else 0. Tensor bounds broadcast.
Tensor clamp(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor clamp(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max = nullopt);
Tensor& clamp_(Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor clamp_min(const Tensor& x, const Scalar& min);
Tensor clamp_max(const Tensor& x, const Scalar& max);
Tensor& clamp_min_(Tensor& x, const Scalar& min);
Tensor& clamp_max_(Tensor& x, const Scalar& max);
inline Tensor clip(const Tensor& x, const optional<Scalar>& min,
                   const optional<Scalar>& max = nullopt) {
  return clamp(x, min, max);
}
/// NaN, +inf, -inf replaced: by default 0 and the largest and smallest finite numbers.
Tensor nan_to_num(const Tensor& x, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt, optional<double> neginf = nullopt);

}  // namespace taper
