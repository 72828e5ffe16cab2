// Powers.
#include <cmath>
#include <complex>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

using detail::compute_binary;
using detail::InputForm;

void binary_op::check_power(const BinaryOp&, const BinaryOperand& x, const BinaryOperand& y) {
  const bool negative = !y.tensor && y.number->isIntegral(true) && y.number->toLong() < 0;
  TAPER_CHECK(!negative || isFloatingOrComplexType(detail::promoted_dtype(x, y)),
              "pow: Integers to negative integer powers are not allowed.");
  if (!y.tensor) detail::check_fits(*y.number, detail::promoted_dtype(x, y));
}

namespace {

Tensor power_gradient(const Tensor& g, const Tensor& x, const Scalar& y) {
  if (y.equal(0)) return g * 0;
  if (y.equal(2)) return g * (x * 2).conj();
  if (y.isComplex()) {
    const Scalar below(y.toComplexDouble() - numbers::complex<double>(1));
    return g * (x.pow(below) * y).conj();
  }
  const Scalar less = y.isIntegral(true) ? Scalar(y.toLong() - 1) : Scalar(y.toDouble() - 1);
  return g * (x.pow(less) * y).conj();
}

// d(x^y)/dy = x^y log x, or 0 if x is 0 and y is not negative.
Tensor exponent_gradient(const Tensor& g, const Tensor& x, const Tensor& y, const Tensor& r) {
  const Tensor exponent = y.is_complex() ? real(y) : y;
  const Tensor flat = x.eq(0).logical_and(exponent.ge(0));
  return g * where(flat, Scalar(0), r * x.log()).conj();
}

Scalar logarithm(const Scalar& x) {
  if (!x.isComplex()) return std::log(x.toDouble());
  const auto z = std::log(std::complex<double>(x.toComplexDouble()));
  return numbers::complex<double>(z);
}

}  // namespace

Tensor pow(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"pow">(x, y)) return done;
  Tensor r = compute_binary(binary_op::pow, x, y);
  if (needs_grad(x))
    record("PowBackward0", r, {x}, [f = InputForm(x), x = saved(x), y](const Tensor& g) {
      return f(power_gradient(g, x.get(), y));
    });
  return r;
}

Tensor pow(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"pow">(x, y)) return done;
  Tensor r = compute_binary(binary_op::pow, x, y);
  if (needs_grad(x, y) && isFloatingOrComplexType(r.scalar_type()))
    record("PowBackward1", r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), sx = saved(x), sy = saved(y),
            sr = autograd::saved_output(r)](Grads& g) {
             std::array<Tensor, 2> out;
             const Tensor x = sx.get(), y = sy.get();
             // The gradient is y * x^(y-1). For y = 0 it is 0, even if x is 0.
             if (g.needs(0))
               out[0] = fx(g[0] * where(y.eq(0), Scalar(0), y * pow(x, y - 1)).conj());
             if (g.needs(1)) out[1] = fy(exponent_gradient(g[0], x, y, sr.get()));
             return out;
           });
  return r;
}

Tensor pow(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"pow">(x, y)) return done;
  Tensor r = compute_binary(binary_op::pow, x, y);
  if (needs_grad(y) && isFloatingOrComplexType(r.scalar_type()))
    record("PowBackward2", r, {y},
           [f = InputForm(y), x, y = autograd::saved_if(x.equal(0), y),
            r = autograd::saved_output(r)](const Tensor& g) {
             if (x.equal(0)) return f(exponent_gradient(g, zeros_like(y.get()), y.get(), r.get()));
             return f(g * (r.get() * logarithm(x)).conj());
           });
  return r;
}

}  // namespace torch::taper
