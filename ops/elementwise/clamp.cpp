// clamp, clip, clamp_min and clamp_max with bounds that are numbers or tensors.
#include <taper/ops/elementwise/clamp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/elementwise/ternary_compute.h>
#include <taper/ops/elementwise/ternary_kernels.h>
#include <taper/ops/elementwise/unary_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/optional_tensors.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace torch::taper {

using detail::InputForm;

// ---------------------------------------------------------------- numbers
namespace {

// Bounds, and the name of the derivative. clamp and its one-sided forms have different names.
struct NumberBounds {
  const char* node;
  optional<Scalar> min, max;
};
NumberBounds both(const optional<Scalar>& min, const optional<Scalar>& max) {
  TAPER_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  return {"ClampBackward1", min, max};
}
NumberBounds at_least(const Scalar& min) { return {"ClampMinBackward0", min, nullopt}; }
NumberBounds at_most(const Scalar& max) { return {"ClampMaxBackward0", nullopt, max}; }

// A number of a higher category changes the dtype of an integral tensor, as in other ops.
ScalarType clamp_dtype(const Tensor& x, const NumberBounds& b) {
  ScalarType t = x.scalar_type();
  if (isFloatingType(t)) return t;
  for (const optional<Scalar>* bound : {&b.min, &b.max})
    if (*bound) t = promoteTypes(t, detail::promoted_dtype(x, **bound));
  return t;
}

bool is_nan(const optional<Scalar>& bound) {
  return bound && bound->isFloatingPoint() && std::isnan(bound->toDouble());
}
void fill_nan(const Tensor& y) {
  const Scalar nan = std::numeric_limits<double>::quiet_NaN();
  if (y.numel() > 0) TAPER_ON_DEVICE(y, fill, y, In::number(nan, y.scalar_type()));
}

// Returns the least and the largest number of an integral dtype.
std::array<int64_t, 2> range_of(ScalarType t) {
  std::array<int64_t, 2> range{};
  switch_dtype<dtypes::Integral>(t, "clamp", [&]<class scalar_t>() {
    range = {static_cast<int64_t>(std::numeric_limits<scalar_t>::min()),
             static_cast<int64_t>(std::numeric_limits<scalar_t>::max())};
  });
  return range;
}

// A bound outside an integral dtype's range has no effect, so the end of the range replaces it. If
// it would exclude all numbers of the dtype, it is an error.
In bound_of(const char* which, const optional<Scalar>& bound, ScalarType t, bool is_min) {
  if (!bound) return In();
  if (isIntegralType(t, false)) {
    const auto [least, largest] = range_of(t);
    const int64_t v = bound->toLong();
    TAPER_CHECK(is_min ? v <= largest : v >= least, "clamp: Clamp ", which, " value ", v,
                " is outside the representable range of ", toString(t));
    return In::number(std::clamp(v, least, largest), t);
  }
  detail::check_fits(*bound, t);
  return In::number(*bound, t);
}

// A bound that is NaN makes all elements NaN.
void run_clamp(const Tensor& y, const Tensor& x, const NumberBounds& b) {
  TAPER_CHECK(!x.is_complex(), "clamp is not supported for complex types");
  if (is_nan(b.min) || is_nan(b.max)) return fill_nan(y);
  const In low = bound_of("min", b.min, y.scalar_type(), true);
  const In high = bound_of("max", b.max, y.scalar_type(), false);
  if (y.numel() > 0) TAPER_ON_DEVICE(x, clamp, y, x, low, high);
}

template <class Recorded>
void record_clamp(const Recorded& recorded, const Tensor& x, const NumberBounds& b) {
  recorded(b.node, [x = saved(x), min = b.min, max = b.max](const Tensor& g) {
    const Tensor v = x.get();
    Tensor inside = min ? v.ge(*min) : v.le(*max);
    if (min && max) inside = inside.logical_and(v.le(*max));
    return where(inside, g, Scalar(0));
  });
}

Tensor clamp_numbers(const Tensor& given, const NumberBounds& b) {
  check_defined("clamp", given, "input");
  const Tensor x = given.to(clamp_dtype(given, b));
  Tensor y = detail::make_like(x);
  run_clamp(y, x, b);
  if (needs_grad(x))
    record_clamp([&](const char* node, auto f) { record(node, y, {x}, std::move(f)); }, x, b);
  return y;
}

Tensor& clamp_numbers_inplace(Tensor& x, const NumberBounds& b) {
  check_defined("clamp_", x, "input");
  autograd::check_inplace("clamp_", x);
  const ScalarType result = clamp_dtype(x, b);
  TAPER_CHECK(result == x.scalar_type(), "clamp_: result type ", toString(result),
              " can't be cast to the desired output type ", cpp_type_name(x.scalar_type()));
  const bool recording = needs_grad(x);
  const Tensor before = recording ? detail::before_change(x) : Tensor();
  run_clamp(x, x, b);
  autograd::mark_changed(x);
  if (recording)
    record_clamp(
        [&](const char* node, auto f) { autograd::record_inplace(node, x, {x}, std::move(f)); },
        before, b);
  return x;
}

Tensor& clamp_numbers_out(const char* op, Tensor& out, const Tensor& x, const NumberBounds& b) {
  check_defined(op, x, "input");
  check_out_gradient(op, out, {x});
  if (out.defined()) check_out_dtype(op, out, clamp_dtype(x, b));
  return store_out(op, out, clamp_numbers(x, b), {x});
}

}  // namespace

// ---------------------------------------------------------------- tensors
namespace {

// A missing bound and an undefined tensor both have no effect. Both become undefined tensors here.
struct TensorBounds {
  Tensor min, max;
  TensorBounds(const optional<Tensor>& least, const optional<Tensor>& largest)
      : min(detail::tensor_in(least)), max(detail::tensor_in(largest)) {
    TAPER_CHECK(min.defined() || max.defined(),
                "torch.clamp: At least one of 'min' or 'max' must not be None");
  }
  // Tests whether one pass over the three operands gives the result.
  bool one_pass(const Tensor& x) const {
    return min.defined() && max.defined() && detail::alike({x, min, max});
  }
};
auto run_clamp(const Tensor& x, const Tensor& min, const Tensor& max) {
  return [&](const Tensor& y) { TAPER_ON_DEVICE(y, clamp_between, y, x, min, max); };
}

Tensor clamp_values(const Tensor& x, const TensorBounds& b) {
  check_defined("clamp", x, "input");
  if (b.one_pass(x))
    return detail::computed("clamp", {x, b.min, b.max}, run_clamp(x, b.min, b.max));
  const NoGradGuard values_only;
  const ScalarType t =
      detail::promoted_dtype({x, b.min.defined() ? b.min : x, b.max.defined() ? b.max : x});
  Tensor y = x.to(t);
  if (b.min.defined()) y = maximum(y, b.min.to(t));
  if (b.max.defined()) y = minimum(y, b.max.to(t));
  return y;
}

// From the lower to the upper bound, both included, x gets the gradient. Outside, the bound that
// was taken gets it. If the bounds cross, the upper one gets it. If they are equal, the lower one
// gets none, as in PyTorch.
std::array<Tensor, 3> clamp_gradients(const Tensor& g, const Tensor& x, const Tensor& low,
                                      const Tensor& high, const Grads& wanted) {
  const Tensor below = low.defined() ? x.lt(low) : Tensor();
  const Tensor above = high.defined() ? x.gt(high) : Tensor();
  const bool two = low.defined() && high.defined();
  std::array<Tensor, 3> out;
  if (wanted.needs(0)) {
    out[0] = below.defined() ? where(below, Scalar(0), g) : g;
    if (above.defined()) out[0] = where(above, Scalar(0), out[0]);
  }
  if (wanted.needs(1)) out[1] = where(two ? below.logical_and(low.lt(high)) : below, g, Scalar(0));
  if (wanted.needs(2)) out[2] = where(two ? above.logical_or(high.lt(low)) : above, g, Scalar(0));
  return out;
}

// Clamps on one side. At a tie, x gets the gradient.
Tensor clamp_one_side(const detail::BinaryOp& op, const char* node, const Tensor& x,
                      const Tensor& bound, Tensor (*stays)(const Tensor&, const Tensor&)) {
  Tensor y = detail::compute_binary(op, x, bound);
  if (needs_grad(x, bound))
    record(node, y, {x, bound},
           [fx = InputForm(x), fb = InputForm(bound), x = saved(x), bound = saved(bound),
            stays](Grads& g) {
             std::array<Tensor, 2> out;
             const Tensor of_x = stays(x.get(), bound.get());
             if (g.needs(0)) out[0] = fx(where(of_x, g[0], Scalar(0)));
             if (g.needs(1)) out[1] = fb(where(of_x, Scalar(0), g[0]));
             return out;
           });
  return y;
}

}  // namespace

Tensor clamp(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max) {
  if (auto done = at_door<"clamp">(x, min, max)) return done;
  const TensorBounds b(min, max);
  Tensor y = clamp_values(x, b);
  if (needs_grad(x, b.min, b.max))
    record("ClampBackward0", y, {x, b.min, b.max},
           [x = saved(x), low = saved(b.min), high = saved(b.max)](Grads& g) {
             const std::array<Tensor, 3> inputs{x.get(), low.get(), high.get()};
             std::array<Tensor, 3> out = clamp_gradients(g[0], inputs[0], inputs[1], inputs[2], g);
             for (size_t i = 0; i < 3; ++i)
               if (out[i].defined()) out[i] = InputForm(inputs[i])(out[i]);
             return out;
           });
  return y;
}
Tensor& clamp_(Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max) {
  if (at_door<"clamp_">(x, min, max)) return x;
  const TensorBounds b(min, max);
  if (b.one_pass(x) &&
      detail::computed_in_place("clamp", {x, b.min, b.max}, run_clamp(x, b.min, b.max)))
    return x;
  return pointwise_in_place("clamp", x, {b.min, b.max},
                            [&](const Tensor& v) { return clamp(v, min, max); });
}
Tensor& clamp_out(Tensor& out, const Tensor& x, const optional<Tensor>& min,
                  const optional<Tensor>& max) {
  if (at_door<"clamp_out">(out, x, min, max)) return out;
  const TensorBounds b(min, max);
  if (b.one_pass(x) &&
      detail::computed_out("clamp", out, {x, b.min, b.max}, run_clamp(x, b.min, b.max)))
    return out;
  return store_out("clamp", out, clamp_values(x, b), {x, b.min, b.max});
}

Tensor clamp_min(const Tensor& x, const Tensor& min) {
  if (auto done = at_door<"clamp_min">(x, min)) return done;
  return clamp_one_side(binary_op::clamp_min, "ClampMinBackward1", x, min,
                        [](const Tensor& a, const Tensor& b) { return ge(a, b); });
}
Tensor clamp_max(const Tensor& x, const Tensor& max) {
  if (auto done = at_door<"clamp_max">(x, max)) return done;
  return clamp_one_side(binary_op::clamp_max, "ClampMaxBackward1", x, max,
                        [](const Tensor& a, const Tensor& b) { return le(a, b); });
}

// ---------------------------------------------------------------- all forms
Tensor clamp(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max) {
  if (auto done = at_door<"clamp">(x, min, max)) return done;
  return clamp_numbers(x, both(min, max));
}
Tensor& clamp_(Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max) {
  if (at_door<"clamp_">(x, min, max)) return x;
  return clamp_numbers_inplace(x, both(min, max));
}
Tensor& clamp_out(Tensor& out, const Tensor& x, const optional<Scalar>& min,
                  const optional<Scalar>& max) {
  if (at_door<"clamp_out">(out, x, min, max)) return out;
  return clamp_numbers_out("clamp", out, x, both(min, max));
}

#define TAPER_DEFINE_CLIP(T)                                                                       \
  Tensor clip(const Tensor& x, const optional<T>& min, const optional<T>& max) {                   \
    if (auto done = at_door<"clip">(x, min, max)) return done;                                     \
    return clamp(x, min, max);                                                                     \
  }                                                                                                \
  Tensor& clip_(Tensor& x, const optional<T>& min, const optional<T>& max) {                       \
    if (at_door<"clip_">(x, min, max)) return x;                                                   \
    return clamp_(x, min, max);                                                                    \
  }                                                                                                \
  Tensor& clip_out(Tensor& out, const Tensor& x, const optional<T>& min, const optional<T>& max) { \
    if (at_door<"clip_out">(out, x, min, max)) return out;                                         \
    return clamp_out(out, x, min, max);                                                            \
  }                                                                                                \
  Tensor Tensor::clamp(const optional<T>& min, const optional<T>& max) const {                     \
    return taper::clamp(*this, min, max);                                                          \
  }                                                                                                \
  Tensor& Tensor::clamp_(const optional<T>& min, const optional<T>& max) const {                   \
    return taper::clamp_(detail::as_mutable(*this), min, max);                                     \
  }
TAPER_DEFINE_CLIP(Scalar)
TAPER_DEFINE_CLIP(Tensor)
#undef TAPER_DEFINE_CLIP

#define TAPER_DEFINE_BOUND(name, bounds)                                      \
  Tensor name(const Tensor& x, const Scalar& b) {                             \
    if (auto done = at_door<#name>(x, b)) return done;                        \
    return clamp_numbers(x, bounds(b));                                       \
  }                                                                           \
  Tensor& name##_(Tensor& x, const Scalar& b) {                               \
    if (at_door<#name "_">(x, b)) return x;                                   \
    return clamp_numbers_inplace(x, bounds(b));                               \
  }                                                                           \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Scalar& b) {         \
    if (at_door<#name "_out">(out, x, b)) return out;                         \
    return clamp_numbers_out(#name, out, x, bounds(b));                       \
  }                                                                           \
  Tensor& name##_(Tensor& x, const Tensor& b) {                               \
    if (at_door<#name "_">(x, b)) return x;                                   \
    return detail::binary_inplace(                                            \
        binary_op::name, x, b,                                                \
        [](const Tensor& v, const Tensor& bound) { return name(v, bound); }); \
  }                                                                           \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& b) {         \
    if (at_door<#name "_out">(out, x, b)) return out;                         \
    return detail::compute_binary_out(binary_op::name, out, x, b);            \
  }                                                                           \
  TAPER_DEFINE_BOUND_METHODS(name, Scalar)                                    \
  TAPER_DEFINE_BOUND_METHODS(name, Tensor)
#define TAPER_DEFINE_BOUND_METHODS(name, T)                               \
  Tensor Tensor::name(const T& b) const { return taper::name(*this, b); } \
  Tensor& Tensor::name##_(const T& b) const { return taper::name##_(detail::as_mutable(*this), b); }
TAPER_DEFINE_BOUND(clamp_min, at_least)
TAPER_DEFINE_BOUND(clamp_max, at_most)
#undef TAPER_DEFINE_BOUND
#undef TAPER_DEFINE_BOUND_METHODS

}  // namespace torch::taper
