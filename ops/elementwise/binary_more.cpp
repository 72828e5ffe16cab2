// The binary ops beside arithmetic: angles, signs, extrema, bits.
#include <taper/framework/autograd/record.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/elementwise/where.h>

namespace taper {

using autograd::Grads;
using autograd::needs_grad;
using autograd::record;
using autograd::saved;
using detail::BinaryOp;
using detail::compute_binary;
using detail::InputForm;

namespace {

using Pair = std::array<Tensor, 2>;

}  // namespace

// ---------------------------------------------------------------- atan2, copysign
Tensor atan2(const Tensor& y, const Tensor& x) {
  Tensor r = compute_binary(binary_op::atan2, y, x);
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

// What x was multiplied by to give r, which has its size: 1, -1, or 0 where x is 0.
Tensor changed_sign(const Tensor& x, const Tensor& r) { return x.sign() * r.sign(); }

}  // namespace

Tensor copysign(const Tensor& x, const Tensor& y) {
  Tensor r = compute_binary(binary_op::copysign, x, y);
  if (needs_grad(x, y))
    record("CopysignBackward0", r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), x = saved(x), y = saved(y)](Grads& g) {
             Pair out;
             if (g.needs(0)) out[0] = fx(g[0] * changed_sign(x.get(), copysign(x.get(), y.get())));
             if (g.needs(1)) out[1] = fy(g[0] * 0);
             return out;
           });
  return r;
}
Tensor copysign(const Tensor& x, const Scalar& y) {
  Tensor r = compute_binary(binary_op::copysign, x, y);
  if (needs_grad(x))
    record("CopysignBackward1", r, {x}, [f = InputForm(x), x = saved(x), y](const Tensor& g) {
      return f(g * changed_sign(x.get(), copysign(x.get(), y)));
    });
  return r;
}

// ---------------------------------------------------------------- extrema
namespace {

// The gradient goes to the side that was taken, half to each at ties.
Tensor extremum(const BinaryOp& op, const char* node, const Tensor& x, const Tensor& y,
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
  return extremum(binary_op::maximum, "MaximumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return gt(a, b); });
}
Tensor minimum(const Tensor& x, const Tensor& y) {
  return extremum(binary_op::minimum, "MinimumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return lt(a, b); });
}

// ---------------------------------------------------------------- bits, truth values
void binary_op::check_bits(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = detail::promoted_dtype(a, b);
  TAPER_CHECK(!isFloatingType(t), '"', op.name, "_cpu\" not implemented for '", toString(t), "'");
}

#define TAPER_DEFINE_BITS(name)                                                                   \
  Tensor name(const Tensor& x, const Tensor& y) { return compute_binary(binary_op::name, x, y); } \
  Tensor name(const Tensor& x, const Scalar& y) { return compute_binary(binary_op::name, x, y); } \
  Tensor name(const Scalar& x, const Tensor& y) { return compute_binary(binary_op::name, x, y); }
TAPER_DEFINE_BITS(bitwise_and)
TAPER_DEFINE_BITS(bitwise_or)
TAPER_DEFINE_BITS(bitwise_xor)
#undef TAPER_DEFINE_BITS

}  // namespace taper
