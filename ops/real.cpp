#include <taper/ops/real.h>

#include <cmath>

#include <taper/framework/shape.h>
#include <taper/ops/factory.h>
#include <taper/ops/unary.h>
#include <taper/ops/view.h>

namespace taper {

Tensor positive(const Tensor& x) {
  check_defined("positive", x, "self");
  TAPER_CHECK(x.scalar_type() != kBool, "The `+` operator, on a bool tensor is not supported.");
  return x;
}

Tensor imag(const Tensor& x) {
  check_defined("imag", x, "self");
  TAPER_CHECK(false, "imag is not implemented for tensors with non-complex dtypes.");
}

Tensor isreal(const Tensor& x) {
  check_defined("isreal", x, "self");
  return ones(x.sizes(), x.options().dtype(kBool).requires_grad(false));
}

Tensor sgn(const Tensor& x) { return sign(x); }

Tensor adjoint(const Tensor& x) {
  check_defined("adjoint", x, "self");
  TAPER_CHECK(x.dim() >= 2,
              "tensor.adjoint() is only supported on matrices or batches of matrices. Got ",
              x.dim(), "-D tensor.");
  return transpose(x, -2, -1);
}

namespace {

Tensor is_infinity(const Tensor& x, double which) {
  if (isFloatingType(x.scalar_type())) return x.eq(which);
  return zeros(x.sizes(), x.options().dtype(kBool));
}

}  // namespace

Tensor isposinf(const Tensor& x) { return is_infinity(x, INFINITY); }
Tensor isneginf(const Tensor& x) { return is_infinity(x, -INFINITY); }

// ---------------------------------------------------------------- methods
Tensor Tensor::positive() const { return taper::positive(*this); }
Tensor Tensor::isreal() const { return taper::isreal(*this); }
Tensor Tensor::sgn() const { return taper::sgn(*this); }
Tensor& Tensor::sgn_() const { return sign_(); }
Tensor Tensor::adjoint() const { return taper::adjoint(*this); }
Tensor Tensor::isposinf() const { return taper::isposinf(*this); }
Tensor Tensor::isneginf() const { return taper::isneginf(*this); }

}  // namespace taper
