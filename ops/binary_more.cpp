// The binary ops beside arithmetic: rounding division, powers, extrema, comparisons, logic, bits.
#include <cmath>

#include <taper/framework/autograd/record.h>
#include <taper/framework/shape.h>
#include <taper/ops/binary.h>
#include <taper/ops/binary_compute.h>
#include <taper/ops/binary_kernels.h>
#include <taper/ops/factory.h>
#include <taper/ops/where.h>

namespace taper {

using autograd::Grads;
using autograd::mark_changed;
using autograd::needs_grad;
using autograd::record;
using autograd::saved;
using detail::BinaryOperand;
using detail::compute_binary;
using detail::compute_binary_inplace;
using detail::InputForm;

namespace {

using Pair = std::array<Tensor, 2>;

TAPER_BINARY_OP(div_trunc, "div")
TAPER_BINARY_OP(div_floor, "floor_divide")
TAPER_BINARY_OP(remainder, "remainder")
TAPER_BINARY_OP(fmod, "fmod")
TAPER_BINARY_OP(pow, "pow")
TAPER_BINARY_OP(atan2, "atan2", true)
TAPER_BINARY_OP(copysign, "copysign", true)
TAPER_BINARY_OP(maximum, "maximum")
TAPER_BINARY_OP(minimum, "minimum")
TAPER_BINARY_OP(logical_and, "logical_and", false, true)
TAPER_BINARY_OP(logical_or, "logical_or", false, true)
TAPER_BINARY_OP(logical_xor, "logical_xor", false, true)
TAPER_BINARY_OP(bitwise_and, "bitwise_and")
TAPER_BINARY_OP(bitwise_or, "bitwise_or")
TAPER_BINARY_OP(bitwise_xor, "bitwise_xor")

// An integer divided by zero has no value; the processor would stop the program.
void check_divisor(const BinaryOperand& x, const BinaryOperand& y) {
  if (isFloatingType(detail::promoted_dtype(x, y))) return;
  const bool zero = y.tensor ? y.tensor->eq(0).any().item<bool>() : y.number.equal(0);
  TAPER_CHECK(!zero, "ZeroDivisionError");
}

}  // namespace

// ---------------------------------------------------------------- rounding division
namespace {

Tensor div_rounded(const BinaryOperand& x, const BinaryOperand& y, const std::string& mode) {
  TAPER_CHECK(mode == "trunc" || mode == "floor",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", mode,
              "'");
  check_divisor(x, y);
  return compute_binary(mode == "trunc" ? div_trunc_op : div_floor_op, x, y);
}

// Rounded quotients are constant almost everywhere.
Tensor with_zero_gradient(const char* node, Tensor r, const Tensor& x) {
  if (needs_grad(x) && r.is_floating_point())
    record(node, r, {x}, [f = InputForm(x)](const Tensor& g) { return f(g * 0); });
  return r;
}

}  // namespace

Tensor div(const Tensor& x, const Tensor& y, optional<std::string> mode) {
  if (!mode) return div(x, y);
  Tensor r = div_rounded(x, y, *mode);
  if (needs_grad(x, y) && r.is_floating_point())
    record("DivBackward2", r, {x, y}, [fx = InputForm(x), fy = InputForm(y)](Grads& g) {
      const Tensor zero = g[0] * 0;
      return Pair{fx(zero), fy(zero)};
    });
  return r;
}
Tensor div(const Tensor& x, const Scalar& y, optional<std::string> mode) {
  return mode ? with_zero_gradient("DivBackward2", div_rounded(x, y, *mode), x) : div(x, y);
}
Tensor floor_divide(const Tensor& x, const Tensor& y) { return div(x, y, std::string("floor")); }
Tensor floor_divide(const Tensor& x, const Scalar& y) { return div(x, y, std::string("floor")); }

// ---------------------------------------------------------------- remainders
namespace {

// r = x - y * q with q constant: the gradients are g and -g * q.
Tensor remainder_like(const detail::BinaryOp& op, const char* node, const char* mode,
                      const Tensor& x, const Tensor& y) {
  check_divisor(x, y);
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record(node, r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), x = saved(x), y = saved(y), mode](Grads& g) {
             Pair out;
             if (g.needs(0)) out[0] = fx(g[0]);
             if (g.needs(1)) out[1] = fy(-g[0] * div(x.get(), y.get(), std::string(mode)));
             return out;
           });
  return r;
}

Tensor remainder_like(const detail::BinaryOp& op, const char* node, const Tensor& x,
                      const Scalar& y) {
  check_divisor(x, y);
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x) && r.is_floating_point())
    record(node, r, {x}, [f = InputForm(x)](const Tensor& g) { return f(g); });
  return r;
}

}  // namespace

Tensor remainder(const Tensor& x, const Tensor& y) {
  return remainder_like(remainder_op, "RemainderBackward1", "floor", x, y);
}
Tensor remainder(const Tensor& x, const Scalar& y) {
  return remainder_like(remainder_op, "RemainderBackward0", x, y);
}
Tensor fmod(const Tensor& x, const Tensor& y) {
  return remainder_like(fmod_op, "FmodBackward1", "trunc", x, y);
}
Tensor fmod(const Tensor& x, const Scalar& y) {
  return remainder_like(fmod_op, "FmodBackward0", x, y);
}

// ---------------------------------------------------------------- pow
namespace {

// Small whole exponents by multiplication: exact, and much faster than the general power.
Tensor pow_values(const Tensor& x, const Scalar& y) {
  const bool negative_integer =
      !isFloatingType(detail::promoted_dtype(x, y)) && y.isIntegral(true) && y.toLong() < 0;
  TAPER_CHECK(!negative_integer, "Integers to negative integer powers are not allowed.");
  const NoGradGuard values_only;
  if (x.is_floating_point()) {
    if (y.equal(2)) return mul(x, x);
    if (y.equal(1)) return x.clone();
    if (y.equal(3)) return mul(mul(x, x), x);
    if (y.equal(0.5)) return x.sqrt();
    if (y.equal(-0.5)) return x.rsqrt();
    if (y.equal(-1)) return x.reciprocal();
    if (y.equal(-2)) return mul(x, x).reciprocal();
  }
  return compute_binary(pow_op, x, y);
}

Tensor pow_gradient(const Tensor& g, const Tensor& x, const Scalar& y) {
  if (y.equal(0)) return g * 0;
  if (y.equal(2)) return g * (x * 2);
  const Scalar less = y.isIntegral(true) ? Scalar(y.toLong() - 1) : Scalar(y.toDouble() - 1);
  return g * (x.pow(less) * y);
}

// d(x^y)/dy = x^y log x, and 0 where x is 0 and y is not negative.
Tensor pow_exponent_gradient(const Tensor& g, const Tensor& x, const Tensor& y, const Tensor& r) {
  const Tensor flat = x.eq(0).logical_and(y.ge(0));
  return g * where(flat, Scalar(0), r * x.log());
}

}  // namespace

Tensor pow(const Tensor& x, const Scalar& y) {
  check_defined("pow", x, "self");
  Tensor r = pow_values(x, y);
  if (needs_grad(x))
    record("PowBackward0", r, {x}, [f = InputForm(x), x = saved(x), y](const Tensor& g) {
      return f(pow_gradient(g, x.get(), y));
    });
  return r;
}

Tensor pow(const Tensor& x, const Tensor& y) {
  Tensor r = compute_binary(pow_op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record("PowBackward1", r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), sx = saved(x), sy = saved(y),
            sr = autograd::saved_output(r)](Grads& g) {
             Pair out;
             const Tensor x = sx.get(), y = sy.get();
             // y * x^(y-1), with 0 for y = 0 even where x is 0.
             if (g.needs(0)) out[0] = fx(g[0] * where(y.eq(0), Scalar(0), y * pow(x, y - 1)));
             if (g.needs(1)) out[1] = fy(pow_exponent_gradient(g[0], x, y, sr.get()));
             return out;
           });
  return r;
}

Tensor pow(const Scalar& x, const Tensor& y) {
  Tensor r = compute_binary(pow_op, x, y);
  if (needs_grad(y) && r.is_floating_point())
    record("PowBackward1", r, {y},
           [f = InputForm(y), x, r = autograd::saved_output(r)](const Tensor& g) {
             return f(x.equal(0) ? g * 0 : g * (r.get() * std::log(x.toDouble())));
           });
  return r;
}

// ---------------------------------------------------------------- atan2, copysign, extrema
Tensor copysign(const Tensor& x, const Tensor& y) {
  Tensor r = compute_binary(copysign_op, x, y);
  if (needs_grad(x, y))
    record("CopysignBackward0", r, {x, y},
           [f = InputForm(x), sx = saved(x), sy = saved(y)](Grads& g) {
             Pair out;
             if (!g[0].defined()) return out;
             const Tensor x = sx.get(), y = sy.get();
             // The sign that x is given: constant wherever it has a derivative.
             const Tensor sign = where(x.eq(0), Scalar(0), copysign(x, y).div(x).detach());
             if (g.needs(0)) out[0] = f(g[0] * sign);
             if (g.needs(1)) out[1] = y * 0;
             return out;
           });
  return r;
}
Tensor copysign(const Tensor& x, const Scalar& y) { return copysign(x, scalar_tensor(y)); }

Tensor atan2(const Tensor& y, const Tensor& x) {
  Tensor r = compute_binary(atan2_op, y, x);
  if (needs_grad(y, x))
    record("Atan2Backward0", r, {y, x},
           [fy = InputForm(y), fx = InputForm(x), sy = saved(y), sx = saved(x)](Grads& g) {
             Pair out;
             const Tensor y = sy.get(), x = sx.get();
             const Tensor scaled = g[0] / (x * x + y * y);
             if (g.needs(0)) out[0] = fy(scaled * x);
             if (g.needs(1)) out[1] = fx(-scaled * y);
             return out;
           });
  return r;
}

namespace {

// The gradient goes to the side that was taken, half to each at ties.
Tensor extremum(const detail::BinaryOp& op, const char* node, const Tensor& x, const Tensor& y,
                Tensor (*taken)(const Tensor&, const Tensor&)) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record(node, r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), sx = saved(x), sy = saved(y), taken](Grads& g) {
             Pair out;
             const Tensor x = sx.get(), y = sy.get();
             const Tensor half = where(x.eq(y), g[0] / 2, g[0]);
             if (g.needs(0)) out[0] = fx(where(taken(y, x), Scalar(0), half));
             if (g.needs(1)) out[1] = fy(where(taken(x, y), Scalar(0), half));
             return out;
           });
  return r;
}

}  // namespace

Tensor maximum(const Tensor& x, const Tensor& y) {
  return extremum(maximum_op, "MaximumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return gt(a, b); });
}
Tensor minimum(const Tensor& x, const Tensor& y) {
  return extremum(minimum_op, "MinimumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return lt(a, b); });
}

// ---------------------------------------------------------------- comparisons, logic, bits
#define TAPER_DEFINE_COMPARE(name)                                                          \
  namespace {                                                                               \
  TAPER_BINARY_OP(name, #name, false, true)                                                 \
  }                                                                                         \
  Tensor name(const Tensor& x, const Tensor& y) { return compute_binary(name##_op, x, y); } \
  Tensor name(const Tensor& x, const Scalar& y) { return compute_binary(name##_op, x, y); } \
  Tensor Tensor::name(const Tensor& o) const { return taper::name(*this, o); }              \
  Tensor Tensor::name(const Scalar& o) const { return taper::name(*this, o); }              \
  Tensor& Tensor::name##_(const Tensor& o) const { return copy_(taper::name(*this, o)); }   \
  Tensor& Tensor::name##_(const Scalar& o) const { return copy_(taper::name(*this, o)); }
TAPER_COMPARE_OPS(TAPER_DEFINE_COMPARE)
#undef TAPER_DEFINE_COMPARE

#define TAPER_DEFINE_LOGIC(name)                                                            \
  Tensor name(const Tensor& x, const Tensor& y) { return compute_binary(name##_op, x, y); } \
  Tensor Tensor::name(const Tensor& o) const { return taper::name(*this, o); }
TAPER_DEFINE_LOGIC(logical_and)
TAPER_DEFINE_LOGIC(logical_or)
TAPER_DEFINE_LOGIC(logical_xor)
TAPER_DEFINE_LOGIC(bitwise_and)
TAPER_DEFINE_LOGIC(bitwise_or)
TAPER_DEFINE_LOGIC(bitwise_xor)
#undef TAPER_DEFINE_LOGIC

// ---------------------------------------------------------------- of three
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  return add(x, mul(a, b), value);
}
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value) {
  TAPER_CHECK(isFloatingType(result_type(a, b)),
              "Integer division with addcdiv is no longer "
              "supported; convert the tensors to a floating dtype first.");
  return add(x, div(a, b), value);
}

namespace {

void check_lerp(const Tensor& start, const Tensor& end) {
  check_defined("lerp", start, "self");
  check_defined("lerp", end, "end");
  TAPER_CHECK(start.scalar_type() == end.scalar_type(), "expected dtype ",
              cpp_type_name(start.scalar_type()), " for `end` but got dtype ",
              cpp_type_name(end.scalar_type()));
}

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight) {
  check_lerp(start, end);
  // From the nearer end, so that weight 1 gives `end` exactly.
  const double w = weight.toDouble();
  return w < 0.5 ? start + (end - start) * w : end - (end - start) * (1 - w);
}
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  check_lerp(start, end);
  const Tensor step = end - start;
  return where(weight.lt(0.5), start + weight * step, end - step * (1 - weight));
}

// ---------------------------------------------------------------- methods and operators
namespace {

// The value for a derivative to keep while x itself is overwritten.
Tensor kept(const Tensor& x) { return needs_grad(x) ? x.clone() : x; }

}  // namespace

Tensor Tensor::div(const Tensor& o, optional<std::string> mode) const {
  return taper::div(*this, o, std::move(mode));
}
Tensor Tensor::div(const Scalar& o, optional<std::string> mode) const {
  return taper::div(*this, o, std::move(mode));
}
Tensor& Tensor::div_(const Tensor& o, optional<std::string> mode) const {
  return mode ? copy_(taper::div(*this, o, std::move(mode))) : div_(o);
}
Tensor Tensor::floor_divide(const Tensor& o) const { return taper::floor_divide(*this, o); }
Tensor Tensor::floor_divide(const Scalar& o) const { return taper::floor_divide(*this, o); }
Tensor Tensor::remainder(const Tensor& o) const { return taper::remainder(*this, o); }
Tensor Tensor::remainder(const Scalar& o) const { return taper::remainder(*this, o); }
Tensor& Tensor::remainder_(const Scalar& o) const { return copy_(taper::remainder(*this, o)); }
Tensor Tensor::fmod(const Tensor& o) const { return taper::fmod(*this, o); }
Tensor Tensor::fmod(const Scalar& o) const { return taper::fmod(*this, o); }
Tensor Tensor::pow(const Tensor& o) const { return taper::pow(*this, o); }
Tensor Tensor::pow(const Scalar& o) const { return taper::pow(*this, o); }
Tensor& Tensor::pow_(const Tensor& o) const { return copy_(taper::pow(kept(*this), o)); }
Tensor& Tensor::pow_(const Scalar& o) const { return copy_(taper::pow(kept(*this), o)); }
Tensor Tensor::atan2(const Tensor& o) const { return taper::atan2(*this, o); }
Tensor Tensor::copysign(const Tensor& o) const { return taper::copysign(*this, o); }
Tensor Tensor::copysign(const Scalar& o) const { return taper::copysign(*this, o); }
Tensor Tensor::maximum(const Tensor& o) const { return taper::maximum(*this, o); }
Tensor Tensor::minimum(const Tensor& o) const { return taper::minimum(*this, o); }
Tensor Tensor::max(const Tensor& o) const { return taper::maximum(*this, o); }
Tensor Tensor::min(const Tensor& o) const { return taper::minimum(*this, o); }
Tensor Tensor::addcmul(const Tensor& a, const Tensor& b, const Scalar& value) const {
  return taper::addcmul(*this, a, b, value);
}
Tensor& Tensor::addcmul_(const Tensor& a, const Tensor& b, const Scalar& value) const {
  return add_(taper::mul(a, b), value);
}
Tensor Tensor::addcdiv(const Tensor& a, const Tensor& b, const Scalar& value) const {
  return taper::addcdiv(*this, a, b, value);
}
Tensor& Tensor::addcdiv_(const Tensor& a, const Tensor& b, const Scalar& value) const {
  return add_(taper::div(a, b), value);
}
Tensor Tensor::lerp(const Tensor& end, const Scalar& w) const { return taper::lerp(*this, end, w); }
Tensor Tensor::lerp(const Tensor& end, const Tensor& w) const { return taper::lerp(*this, end, w); }
Tensor& Tensor::lerp_(const Tensor& end, const Scalar& w) const {
  return copy_(taper::lerp(*this, end, w));
}
Tensor& Tensor::operator&=(const Tensor& o) { return copy_(bitwise_and(o)); }
Tensor& Tensor::operator|=(const Tensor& o) { return copy_(bitwise_or(o)); }
Tensor& Tensor::operator^=(const Tensor& o) { return copy_(bitwise_xor(o)); }

}  // namespace taper
