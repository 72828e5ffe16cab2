#include <taper/ops/reduce/covariance.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

void check_weights(const char* name, const Tensor& w, const Tensor& x, bool integral) {
  TAPER_CHECK(w.dim() <= 1, "cov(): expected ", name, " to have one or fewer dimensions but got ",
              name, " with ", w.dim(), " dimensions");
  TAPER_CHECK(isIntegralType(w.scalar_type(), false) == integral, "cov(): expected ", name,
              " to have ", integral ? "integral" : "floating point", " dtype but got ", name,
              " with ", toString(w.scalar_type()), " dtype");
  TAPER_CHECK(w.numel() == x.size(-1), "cov(): expected ", name,
              " to have the same numel as there are observations in the input but got ", w.numel(),
              " != ", x.size(-1));
  TAPER_CHECK(w.numel() == 0 || w.min().item<double>() >= 0, "cov(): ", name,
              " cannot be negative");
}

Tensor observation_weights(const Tensor& x, const optional<Tensor>& f, const optional<Tensor>& a) {
  Tensor w;
  if (f && f->defined()) {
    check_weights("fweights", *f, x, true);
    w = *f;
  }
  if (a && a->defined()) {
    check_weights("aweights", *a, x, false);
    w = w.defined() ? w * *a : *a;
  }
  return w;
}

// Returns the divisor of the sum of products. For both kinds of weights it follows NumPy.
Tensor divisor(const Tensor& x, const Tensor& w, const optional<Tensor>& a, int64_t correction) {
  if (!w.defined())
    return full({}, Scalar(x.size(1) - correction),
                x.options().dtype(toRealValueType(x.scalar_type())));
  const Tensor total = w.sum();
  if (!a || !a->defined() || correction == 0) return total - correction;
  return total - (w * *a).sum().div(total).mul(correction);
}

}  // namespace

Tensor cov(const Tensor& self, int64_t correction, const optional<Tensor>& fweights,
           const optional<Tensor>& aweights) {
  if (auto done = at_door<"cov">(self, correction, fweights, aweights)) return done;
  check_defined("cov", self, "input");
  TAPER_CHECK(self.dim() <= 2,
              "cov(): expected input to have two or fewer dimensions but got an "
              "input with ",
              self.dim(), " dimensions");
  TAPER_CHECK(self.scalar_type() != kBool, "cov(): bool dtype is not supported for input");
  const Tensor x = (self.dim() < 2 ? self.reshape({1, -1}) : self)
                       .to(isFloatingOrComplexType(self.scalar_type())
                               ? self.scalar_type()
                               : typeMetaToScalarType(get_default_dtype()));
  Tensor w = observation_weights(x, fweights, aweights);
  const Tensor mean = w.defined() ? (x * w).sum(1).div(w.sum()) : x.mean(1);
  const Tensor centered = x - mean.unsqueeze(1);
  const Tensor weighed = w.defined() ? centered * w : centered;
  const Tensor norm = divisor(x, w, aweights, correction).clamp_min(0);
  return matmul(weighed, adjoint(centered)).div(norm).to(x.scalar_type()).squeeze();
}

Tensor corrcoef(const Tensor& x) {
  if (auto done = at_door<"corrcoef">(x)) return done;
  TAPER_CHECK(x.dim() <= 2,
              "corrcoef(): expected input to have two or fewer dimensions but got "
              "an input with ",
              x.dim(), " dimensions");
  const Tensor c = cov(x);
  if (c.dim() == 0) return c.div(c);
  const Tensor deviation = real(c.diagonal()).sqrt();
  const Tensor y = c.div(deviation.unsqueeze(1)).div(deviation);
  const auto bounded = [](const Tensor& part) { return part.clamp(-1, 1); };
  return y.is_complex() ? detail::of_parts(y, bounded) : bounded(y);
}

Tensor Tensor::cov(int64_t correction, const optional<Tensor>& fweights,
                   const optional<Tensor>& aweights) const {
  return taper::cov(*this, correction, fweights, aweights);
}
Tensor Tensor::corrcoef() const { return taper::corrcoef(*this); }

}  // namespace torch::taper
