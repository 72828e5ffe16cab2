// Pointwise functions of one tensor.
//
// Each comes as f(x), as the in-place x.f_() (and f_(x)), and as f_out(out, x). Results have the
// shape of x. The floating functions turn integers and bools into the default dtype; the others
// keep the dtype. The lists are in framework/op_lists.h; formulas and derivatives are in unary.cpp
// and unary_functors.h.
#pragma once

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

#define TAPER_DECLARE_UNARY(name) \
  Tensor name(const Tensor& x);   \
  Tensor& name##_(Tensor& x);     \
  Tensor& name##_out(Tensor& out, const Tensor& x);
TAPER_UNARY_FLOAT_OPS(TAPER_DECLARE_UNARY)
TAPER_UNARY_SAME_OPS(TAPER_DECLARE_UNARY)
#define TAPER_DECLARE_ALIAS(alias, name) TAPER_DECLARE_UNARY(alias)
TAPER_UNARY_ALIASES(TAPER_DECLARE_ALIAS)
#undef TAPER_DECLARE_ALIAS
#undef TAPER_DECLARE_UNARY

/// True where x is NaN, infinite, finite; bool tensors.
#define TAPER_DECLARE_BOOL(name) Tensor name(const Tensor& x);
TAPER_UNARY_BOOL_OPS(TAPER_DECLARE_BOOL)
#undef TAPER_DECLARE_BOOL

/// True where x is 0; a bool tensor. In place, 1 or 0 in x's dtype, with a gradient of 0.
Tensor logical_not(const Tensor& x);
Tensor& logical_not_out(Tensor& out, const Tensor& x);
/// Bits inverted; for bools the same as logical_not. Throws for floating dtypes.
Tensor bitwise_not(const Tensor& x);
Tensor& bitwise_not_out(Tensor& out, const Tensor& x);

/// x limited to [min, max]; either bound may be missing, not both. NaN stays NaN. The gradient is 1
/// within the bounds (them included), else 0. Bounds that are tensors broadcast, and get a gradient
/// where they were taken.
#define TAPER_DECLARE_CLAMP(name, T)                                                      \
  Tensor name(const Tensor& x, const optional<T>& min, const optional<T>& max = nullopt); \
  Tensor& name##_(Tensor& x, const optional<T>& min, const optional<T>& max = nullopt);   \
  Tensor& name##_out(Tensor& out, const Tensor& x, const optional<T>& min,                \
                     const optional<T>& max = nullopt);
TAPER_DECLARE_CLAMP(clamp, Scalar)
TAPER_DECLARE_CLAMP(clamp, Tensor)
TAPER_DECLARE_CLAMP(clip, Scalar)
TAPER_DECLARE_CLAMP(clip, Tensor)
#undef TAPER_DECLARE_CLAMP
/// clamp with one bound.
#define TAPER_DECLARE_BOUND(name, T)            \
  Tensor name(const Tensor& x, const T& bound); \
  Tensor& name##_(Tensor& x, const T& bound);   \
  Tensor& name##_out(Tensor& out, const Tensor& x, const T& bound);
TAPER_DECLARE_BOUND(clamp_min, Scalar)
TAPER_DECLARE_BOUND(clamp_min, Tensor)
TAPER_DECLARE_BOUND(clamp_max, Scalar)
TAPER_DECLARE_BOUND(clamp_max, Tensor)
#undef TAPER_DECLARE_BOUND
/// x rounded to so many decimals (negative ones: to tens, hundreds ...), to even on ties. Floating
/// dtypes, integers only with decimals == 0; the gradient is 0.
/// Errors: NotImplementedError "\"round_cpu\" not implemented for 'Long'".
Tensor round(const Tensor& x, int64_t decimals);
Tensor& round_(Tensor& x, int64_t decimals);
Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals);
/// NaN, +inf, -inf replaced: by default 0 and the largest and smallest finite numbers. The gradient
/// is 0 there.
Tensor nan_to_num(const Tensor& x, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt, optional<double> neginf = nullopt);
Tensor& nan_to_num_(Tensor& x, optional<double> nan = nullopt, optional<double> posinf = nullopt,
                    optional<double> neginf = nullopt);
Tensor& nan_to_num_out(Tensor& out, const Tensor& x, optional<double> nan = nullopt,
                       optional<double> posinf = nullopt, optional<double> neginf = nullopt);

}  // namespace taper

#pragma GCC visibility pop
