#include <taper/ops/elementwise/compare.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>

namespace torch::taper {

bool equal(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"equal">(self, other)) return done;
  if (self.sizes() != other.sizes()) return false;
  const NoGradGuard no_grad;
  return self.eq(other).all().item<bool>();
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  if (auto done = at_door<"isclose">(self, other, rtol, atol, equal_nan)) return done;
  TAPER_CHECK(self.scalar_type() == other.scalar_type(), "isclose: ", self.scalar_type(),
              " did not match ", other.scalar_type());
  TAPER_CHECK(rtol >= 0, "isclose: rtol must be greater than or equal to zero, but got ", rtol);
  TAPER_CHECK(atol >= 0, "isclose: atol must be greater than or equal to zero, but got ", atol);
  const NoGradGuard no_grad;
  Tensor close = self.eq(other);
  if (equal_nan && isFloatingOrComplexType(self.scalar_type()))
    close = close.logical_or(self.isnan().logical_and(other.isnan()));
  if (rtol == 0 && atol == 0) return close;
  const bool exact = isIntegralType(self.scalar_type(), true);
  const Tensor a = exact ? self.to(kDouble) : self, b = exact ? other.to(kDouble) : other;
  const Tensor error = a.sub(b).abs();
  const Tensor within = error.le(b.abs().mul(rtol).add(atol)).logical_and(error.isfinite());
  return close.logical_or(within);
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  if (auto done = at_door<"allclose">(self, other, rtol, atol, equal_nan)) return done;
  return isclose(self, other, rtol, atol, equal_nan).all().item<bool>();
}

bool Tensor::equal(const Tensor& other) const { return taper::equal(*this, other); }
Tensor Tensor::isclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return taper::isclose(*this, other, rtol, atol, equal_nan);
}
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return taper::allclose(*this, other, rtol, atol, equal_nan);
}

}  // namespace torch::taper
