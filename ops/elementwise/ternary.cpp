// Pointwise functions of three tensors: addcmul, addcdiv, lerp.
#include <taper/ops/elementwise/ternary.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/ternary_compute.h>
#include <taper/ops/elementwise/ternary_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/promote.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

using detail::InputForm;

namespace {

using Triple = std::array<Tensor, 3>;
using detail::alike_floats;
using detail::computed;
using detail::computed_in_place;
using detail::computed_out;

}  // namespace

// ---------------------------------------------------------------- addcmul, addcdiv
namespace {

// Returns the kernel as a `run` function. It is not called if the number is complex.
#define TAPER_RUN_ADDC(name)                                                                \
  auto run_##name(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) { \
    return [&x, &a, &b, v = value.toDouble()](const Tensor& y) {                            \
      TAPER_ON_DEVICE(y, name, y, x, a, b, v);                                              \
    };                                                                                      \
  }
TAPER_RUN_ADDC(addcmul)
TAPER_RUN_ADDC(addcdiv)
#undef TAPER_RUN_ADDC

// Tests whether addcmul and addcdiv need one pass only.
bool one_pass(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  return !value.isComplex() && alike_floats({x, a, b});
}

/// Returns the factor of products of integers. 2.0 becomes 2. Fractions throw.
Scalar whole_value(const Scalar& value) {
  if (!value.isFloatingPoint()) return value;
  const double v = value.toDouble();
  TAPER_CHECK(v == std::floor(v),
              "addcmul: expected a whole number as value for tensors of integers, got ", v);
  return value.to<int64_t>();
}

Tensor addcmul_values(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  if (one_pass(x, a, b, value)) return computed("addcmul", {x, a, b}, run_addcmul(x, a, b, value));
  const NoGradGuard values_only;
  const ScalarType t = detail::promoted_dtype({x, a, b});
  const bool whole = isIntegralType(t, /*includeBool=*/true);
  return add(x.to(t), mul(a.to(t), b.to(t)), whole ? whole_value(value) : value);
}

Tensor addcdiv_values(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  if (one_pass(x, a, b, value)) return computed("addcdiv", {x, a, b}, run_addcdiv(x, a, b, value));
  TAPER_CHECK(
      isFloatingOrComplexType(result_type(a, b)),
      "addcdiv: Integer division with addcdiv is no longer supported, and in a future  release "
      "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
      "behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2))"
      ".to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
      "float inputs. The future addcdiv behavior is just the latter implementation: (input "
      "+ value * tensor1 / tensor2), for all dtypes.");
  const NoGradGuard values_only;
  const ScalarType t = detail::promoted_dtype({x, a, b});
  return add(x.to(t), div(a.to(t), b.to(t)), value);
}

}  // namespace

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  if (auto done = at_door<"addcmul">(x, a, b, value)) return done;
  Tensor r = addcmul_values(x, a, b, value);
  if (needs_grad(x, a, b))
    record("AddcmulBackward0", r, {x, a, b},
           [fx = InputForm(x), fa = InputForm(a), fb = InputForm(b), a = saved(a), b = saved(b),
            value](Grads& g) {
             Triple out;
             if (g.needs(0)) out[0] = fx(g[0]);
             if (g.needs(1)) out[1] = fa(g[0] * (b.get() * value).conj());
             if (g.needs(2)) out[2] = fb(g[0] * (a.get() * value).conj());
             return out;
           });
  return r;
}

Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  if (auto done = at_door<"addcdiv">(x, a, b, value)) return done;
  Tensor r = addcdiv_values(x, a, b, value);
  if (needs_grad(x, a, b))
    record("AddcdivBackward0", r, {x, a, b},
           [fx = InputForm(x), fa = InputForm(a), fb = InputForm(b), a = saved(a), b = saved(b),
            value](Grads& g) {
             Triple out;
             const Tensor scaled = g[0] * value.conj(), b_conj = b.get().conj();
             if (g.needs(0)) out[0] = fx(g[0]);
             if (g.needs(1)) out[1] = fa(scaled / b_conj);
             if (g.needs(2)) out[2] = fb(-scaled * ((a.get().conj() / b_conj) / b_conj));
             return out;
           });
  return r;
}

// ---------------------------------------------------------------- lerp
namespace {

void check_lerp(const Tensor& start, const Tensor& end) {
  check_defined("lerp", start, "self");
  check_defined("lerp", end, "end");
  TAPER_CHECK(start.scalar_type() == end.scalar_type(), "lerp: expected dtype ",
              cpp_type_name(start.scalar_type()), " for `end` but got dtype ",
              cpp_type_name(end.scalar_type()));
  broadcast_shapes("lerp", start.sizes(), end.sizes());
}

void check_lerp(const Tensor& start, const Tensor& end, const Scalar&) { check_lerp(start, end); }
void check_lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  check_lerp(start, end);
  check_defined("lerp", weight, "weight");
  const bool a_number = weight.dim() == 0 && (start.is_complex() || !weight.is_complex());
  TAPER_CHECK(start.scalar_type() == weight.scalar_type() || a_number, "lerp: expected dtype ",
              cpp_type_name(start.scalar_type()), " for `weight` but got dtype ",
              cpp_type_name(weight.scalar_type()));
}

auto run_lerp(const Tensor& start, const Tensor& end, const Scalar& weight) {
  return [&start, &end, w = weight.toDouble()](const Tensor& y) {
    TAPER_ON_DEVICE(y, lerp_number, y, start, end, w);
  };
}
auto run_lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  return [&](const Tensor& y) { TAPER_ON_DEVICE(y, lerp, y, start, end, weight); };
}

Tensor as_weight(const Scalar& weight, const Tensor& start) {
  return full({}, weight, start.options().requires_grad(false));
}

// Starts from the nearer end, so that weight 1 gives `end` exactly.
Tensor lerp_values(const Tensor& start, const Tensor& end, const Scalar& weight) {
  check_lerp(start, end, weight);
  TAPER_CHECK(isFloatingOrComplexType(start.scalar_type()),
              "lerp: \"lerp_kernel_scalar\" not implemented for '", toString(start.scalar_type()),
              "'");
  if (alike_floats({start, end}))
    return computed("lerp", {start, end}, run_lerp(start, end, weight));
  const NoGradGuard values_only;
  const double w = weight.toDouble();
  return w < 0.5 ? start + (end - start) * w : end - (end - start) * (1 - w);
}
Tensor lerp_values(const Tensor& start, const Tensor& end, const Tensor& given) {
  check_lerp(start, end, given);
  TAPER_CHECK(isFloatingOrComplexType(start.scalar_type()),
              "lerp: \"lerp_kernel_tensor\" not implemented for '", toString(start.scalar_type()),
              "'");
  // 1 - weight would wrap in small integers.
  const bool whole = isIntegralType(given.scalar_type(), /*includeBool=*/true);
  const Tensor weight = whole ? given.to(start.scalar_type()) : given;
  if (alike_floats({start, end, weight}))
    return computed("lerp", {start, end, weight}, run_lerp(start, end, weight));
  const NoGradGuard values_only;
  const Tensor step = end - start, size = weight.is_complex() ? weight.abs() : weight;
  return where(size.lt(0.5), start + weight * step, end - step * (1 - weight));
}

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight) {
  if (auto done = at_door<"lerp">(start, end, weight)) return done;
  if (weight.isComplex()) return lerp(start, end, as_weight(weight, start));
  Tensor r = lerp_values(start, end, weight);
  if (needs_grad(start, end))
    record("LerpBackward0", r, {start, end},
           [fs = InputForm(start), fe = InputForm(end), w = weight.toDouble()](Grads& g) {
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = fs(g[0] * (1 - w));
             if (g.needs(1)) out[1] = fe(g[0] * w);
             return out;
           });
  return r;
}

Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  if (auto done = at_door<"lerp">(start, end, weight)) return done;
  Tensor r = lerp_values(start, end, weight);
  if (needs_grad(start, end, weight))
    record("LerpBackward1", r, {start, end, weight},
           [fs = InputForm(start), fe = InputForm(end), fw = InputForm(weight),
            start = saved(start), end = saved(end), weight = saved(weight)](Grads& g) {
             Triple out;
             const Tensor w = weight.get().conj();
             if (g.needs(0)) out[0] = fs(g[0] * (1 - w));
             if (g.needs(1)) out[1] = fe(g[0] * w);
             if (g.needs(2)) out[2] = fw(g[0] * (end.get() - start.get()).conj());
             return out;
           });
  return r;
}

// ---------------------------------------------------------------- their forms
#define TAPER_DEFINE_ADDC(name)                                                              \
  Tensor Tensor::name(const Tensor& a, const Tensor& b, const Scalar& value) const {         \
    return taper::name(*this, a, b, value);                                                  \
  }                                                                                          \
  Tensor& Tensor::name##_(const Tensor& a, const Tensor& b, const Scalar& value) const {     \
    if (at_door<#name "_">(*this, a, b, value)) return detail::as_mutable(*this);            \
    if (one_pass(*this, a, b, value) &&                                                      \
        computed_in_place(#name, {*this, a, b}, run_##name(*this, a, b, value)))             \
      return detail::as_mutable(*this);                                                      \
    return pointwise_in_place(#name, *this, {a, b},                                          \
                              [&](const Tensor& x) { return taper::name(x, a, b, value); }); \
  }                                                                                          \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& a, const Tensor& b,         \
                     const Scalar& value) {                                                  \
    if (at_door<#name "_out">(out, x, a, b, value)) return out;                              \
    if (one_pass(x, a, b, value) &&                                                          \
        computed_out(#name, out, {x, a, b}, run_##name(x, a, b, value)))                     \
      return out;                                                                            \
    return store_out(#name, out, name##_values(x, a, b, value), {x, a, b});                  \
  }
TAPER_DEFINE_ADDC(addcmul)
TAPER_DEFINE_ADDC(addcdiv)
#undef TAPER_DEFINE_ADDC

Tensor Tensor::lerp(const Tensor& end, const Scalar& w) const { return taper::lerp(*this, end, w); }
Tensor Tensor::lerp(const Tensor& end, const Tensor& w) const { return taper::lerp(*this, end, w); }
Tensor& Tensor::lerp_(const Tensor& end, const Scalar& w) const {
  if (at_door<"lerp_">(*this, end, w)) return detail::as_mutable(*this);
  if (w.isComplex()) return lerp_(end, as_weight(w, *this));
  check_lerp(*this, end, w);
  if (alike_floats({*this, end}) &&
      computed_in_place("lerp", {*this, end}, run_lerp(*this, end, w)))
    return detail::as_mutable(*this);
  return pointwise_in_place("lerp", *this, {end},
                            [&](const Tensor& x) { return taper::lerp(x, end, w); });
}
Tensor& Tensor::lerp_(const Tensor& end, const Tensor& w) const {
  if (at_door<"lerp_">(*this, end, w)) return detail::as_mutable(*this);
  check_lerp(*this, end, w);
  if (alike_floats({*this, end, w}) &&
      computed_in_place("lerp", {*this, end, w}, run_lerp(*this, end, w)))
    return detail::as_mutable(*this);
  return pointwise_in_place("lerp", *this, {end, w},
                            [&](const Tensor& x) { return taper::lerp(x, end, w); });
}
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Scalar& weight) {
  if (at_door<"lerp_out">(out, start, end, weight)) return out;
  if (weight.isComplex()) return lerp_out(out, start, end, as_weight(weight, start));
  check_lerp(start, end, weight);
  if (alike_floats({start, end}) &&
      computed_out("lerp", out, {start, end}, run_lerp(start, end, weight)))
    return out;
  return store_out("lerp", out, lerp_values(start, end, weight), {start, end});
}
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Tensor& weight) {
  if (at_door<"lerp_out">(out, start, end, weight)) return out;
  check_lerp(start, end, weight);
  if (alike_floats({start, end, weight}) &&
      computed_out("lerp", out, {start, end, weight}, run_lerp(start, end, weight)))
    return out;
  const Tensor r = lerp_values(start, end, weight);
  if (out.defined()) check_out_dtype("lerp", out, r.scalar_type());
  return store_out("lerp", out, r, {start, end, weight});
}

}  // namespace torch::taper
