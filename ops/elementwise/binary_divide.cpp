// Division that rounds, and its remainders.
#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/shared/no_derivative.h>

namespace torch::taper {

using detail::binary_inplace;
using detail::BinaryOp;
using detail::BinaryOperand;
using detail::compute_binary;
using detail::compute_binary_out;
using detail::InputForm;

void binary_op::check_divisor(const BinaryOp& op, const BinaryOperand& x, const BinaryOperand& y) {
  if (isFloatingType(detail::promoted_dtype(x, y)) || (x.tensor && x.tensor->numel() == 0)) return;
  const bool zero = y.tensor ? y.tensor->eq(0).any().item<bool>() : y.number->equal(0);
  TAPER_CHECK(!zero, op.name, ": ZeroDivisionError");
}

namespace {

using Pair = std::array<Tensor, 2>;
using Mode = optional<std::string_view>;

const BinaryOp& quotient(const Mode& mode) {
  if (!mode) return binary_op::div;
  TAPER_CHECK(*mode == "trunc" || *mode == "floor",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
              *mode, "'");
  return *mode == "trunc" ? binary_op::div_trunc : binary_op::div_floor;
}

// Rounded quotients are constant almost everywhere: the gradients are zero.
Tensor div_rounded(const BinaryOp& op, const Tensor& x, const Tensor& y) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record("DivBackward2", r, {x, y}, [fx = InputForm(x), fy = InputForm(y)](Grads& g) {
      const Tensor zero = g[0] * 0;
      return Pair{fx(zero), fy(zero)};
    });
  return r;
}
Tensor div_rounded(const BinaryOp& op, const Tensor& x, const Scalar& y) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x) && r.is_floating_point())
    record("DivBackward3", r, {x}, [f = InputForm(x)](const Tensor& g) { return f(g * 0); });
  return r;
}

}  // namespace

#define TAPER_DEFINE_ROUNDED(name, T)                                                          \
  Tensor name(const Tensor& x, const T& y, Mode mode) {                                        \
    if (auto done = at_door<#name>(x, y, mode)) return done;                                   \
    return mode ? div_rounded(quotient(mode), x, y) : div(x, y);                               \
  }                                                                                            \
  Tensor& name##_out(Tensor& out, const Tensor& x, const T& y, Mode mode) {                    \
    if (at_door<#name "_out">(out, x, y, mode)) return out;                                    \
    return compute_binary_out(quotient(mode), out, x, y);                                      \
  }                                                                                            \
  Tensor Tensor::name(const T& o, Mode mode) const { return taper::name(*this, o, mode); }     \
  Tensor& Tensor::name##_(const T& o, Mode mode) const {                                       \
    if (at_door<#name "_">(*this, o, mode)) return detail::as_mutable(*this);                  \
    if (!mode) return div_(o);                                                                 \
    const BinaryOp& op = quotient(mode);                                                       \
    return binary_inplace(op, *this, o,                                                        \
                          [&](const Tensor& x, const T& y) { return div_rounded(op, x, y); }); \
  }
TAPER_DEFINE_ROUNDED(div, Tensor)
TAPER_DEFINE_ROUNDED(div, Scalar)
TAPER_DEFINE_ROUNDED(divide, Tensor)
TAPER_DEFINE_ROUNDED(divide, Scalar)
#undef TAPER_DEFINE_ROUNDED

// ---------------------------------------------------------------- floor_divide
// floor_divide has no gradient, not a zero gradient.
Tensor floor_divide(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"floor_divide">(x, y)) return done;
  return detail::without_derivative("floor_divide", compute_binary(binary_op::floor_divide, x, y),
                                    {x, y});
}
Tensor floor_divide(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"floor_divide">(x, y)) return done;
  return detail::without_derivative("floor_divide", compute_binary(binary_op::floor_divide, x, y),
                                    {x});
}

// ---------------------------------------------------------------- remainders
namespace {

// r = x - y * q with constant q, so the gradients are g and -g * q. x or y may be a number.
Tensor remainder_like(const BinaryOp& op, const char* node, const char* mode, const Tensor& x,
                      const Tensor& y) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record(node, r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), x = saved(x), y = saved(y), mode](Grads& g) {
             Pair out;
             if (g.needs(0)) out[0] = fx(g[0]);
             if (g.needs(1)) out[1] = fy(-g[0] * div(x.get(), y.get(), mode));
             return out;
           });
  return r;
}
Tensor remainder_like(const BinaryOp& op, const char* node, const Tensor& x, const Scalar& y) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x) && r.is_floating_point())
    record(node, r, {x}, [f = InputForm(x)](const Tensor& g) { return f(g); });
  return r;
}

}  // namespace

Tensor remainder(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"remainder">(x, y)) return done;
  return remainder_like(binary_op::remainder, "RemainderBackward1", "floor", x, y);
}
Tensor remainder(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"remainder">(x, y)) return done;
  return remainder_like(binary_op::remainder, "RemainderBackward0", x, y);
}
Tensor remainder(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"remainder">(x, y)) return done;
  Tensor r = compute_binary(binary_op::remainder, x, y);
  const Tensor no_tensor;
  if (needs_grad(y) && r.is_floating_point())
    record("RemainderBackward1", r, {no_tensor, y}, [f = InputForm(y), x, y = saved(y)](Grads& g) {
      return Pair{Tensor(), f(-g[0] * (x / y.get()).floor())};
    });
  return r;
}
Tensor fmod(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"fmod">(x, y)) return done;
  return remainder_like(binary_op::fmod, "FmodBackward1", "trunc", x, y);
}
Tensor fmod(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"fmod">(x, y)) return done;
  return remainder_like(binary_op::fmod, "FmodBackward0", x, y);
}

}  // namespace torch::taper
