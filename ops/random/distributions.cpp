#include <taper/ops/random/distributions.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/distributions_kernels.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

namespace {

using MaybeGenerator = optional<Generator>;

bool may_look(const Tensor& x) { return x.numel() > 0 && !detail::is_captured(x.device()); }

/// Fills x with values(u). u holds uniform numbers in double, drawn in the order of x's memory. The
/// gradient is zero.
template <class F>
Tensor& fill_from(const char* op, const char* node, const Tensor& x, const F& values) {
  autograd::check_inplace(op, x);
  {
    const NoGradGuard no_grad;
    x.detach().copy_(values(empty_like(x.detach(), TensorOptions(kDouble))));
  }
  if (needs_grad(x))
    autograd::record_inplace(node, x, {x}, [](const Tensor& g) { return zeros_like(g); });
  return detail::as_mutable(x);
}

void check_floating(const char* kernel, const Tensor& x) {
  if (!x.is_floating_point()) detail::unsupported_dtype(kernel, x.scalar_type());
}

}  // namespace

// ---------------------------------------------------------------------- in place
Tensor& Tensor::geometric_(double p, MaybeGenerator generator) const {
  if (at_door<"geometric_">(*this, p, generator)) return detail::as_mutable(*this);
  TAPER_CHECK(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  if (scalar_type() == kBool) detail::unsupported_dtype("geometric_cpu", kBool);
  return fill_from("geometric_", "GeometricBackward0", *this, [&](const Tensor& u) {
    u.uniform_(0, 1, generator);
    return u.log_().div_(std::log(1 - p)).ceil_();
  });
}

Tensor& Tensor::cauchy_(double median, double sigma, MaybeGenerator generator) const {
  if (at_door<"cauchy_">(*this, median, sigma, generator)) return detail::as_mutable(*this);
  TAPER_CHECK(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  check_floating("cauchy_cpu", *this);
  return fill_from("cauchy_", "CauchyBackward0", *this, [&](const Tensor& u) {
    u.uniform_(0, 1, generator);
    return u.sub_(0.5).mul_(3.14159265358979323846).tan_().mul_(sigma).add_(median);
  });
}

Tensor& Tensor::log_normal_(double mean, double std, MaybeGenerator generator) const {
  if (at_door<"log_normal_">(*this, mean, std, generator)) return detail::as_mutable(*this);
  TAPER_CHECK(std > 0, "log_normal_ expects std > 0.0, but found std=", std);
  check_floating("log_normal_cpu", *this);
  return fill_from("log_normal_", "LogNormalBackward0", *this, [&](const Tensor& like) {
    // The stride makes normal_ draw numbers one by one, as PyTorch does here.
    const Tensor spread = empty({like.numel(), 2}, like.options()).select(1, 0);
    spread.normal_(mean, std, generator);
    return spread.exp().as_strided(like.sizes(), like.strides());
  });
}

// ---------------------------------------------------------------------- whole numbers
Tensor poisson(const Tensor& rates, MaybeGenerator generator) {
  if (auto done = at_door<"poisson">(rates, generator)) return done;
  check_defined("poisson", rates, "self");
  check_floating("poisson_cpu", rates);
  TAPER_CHECK(!may_look(rates) || rates.detach().ge(0).all().item<bool>(),
              "poisson: invalid Poisson rate, expected rate to be non-negative");
  const Tensor x = rates.detach().contiguous();
  Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const GeneratorPtr g = detail::generator_for(x.device(), generator);
  TAPER_ON_DEVICE(x, poisson, y, x, g);
  if (needs_grad(rates))
    record("PoissonBackward0", y, {rates}, [](const Tensor& gy) { return zeros_like(gy); });
  return y;
}

Tensor binomial(const Tensor& count, const Tensor& prob, MaybeGenerator generator) {
  if (auto done = at_door<"binomial">(count, prob, generator)) return done;
  check_defined("binomial", count, "count");
  check_defined("binomial", prob, "prob");
  check_same_device("binomial", count, prob);
  check_floating("binomial_cpu", count);
  TAPER_CHECK(count.scalar_type() == prob.scalar_type(),
              "binomial: expected count and prob of one "
              "dtype, got ",
              count.scalar_type(), " and ", prob.scalar_type());
  const Dims sizes = broadcast_shapes("binomial", count.sizes(), prob.sizes());
  const Tensor n = count.detach().expand(sizes).contiguous();
  const Tensor p = prob.detach().expand(sizes).contiguous();
  Tensor y = detail::make_tensor(sizes, n.scalar_type(), n.device());
  const GeneratorPtr g = detail::generator_for(n.device(), generator);
  TAPER_ON_DEVICE(n, binomial, y, n, p, g);
  if (needs_grad(count, prob))
    record("BinomialBackward0", y, {count, prob},
           [a = Dims(count.sizes()), b = Dims(prob.sizes())](const Tensor& gy) {
             return std::array<Tensor, 2>{gy.new_zeros(a), gy.new_zeros(b)};
           });
  return y;
}

// ---------------------------------------------------------------------- as functions
namespace {

Tensor fresh(const Tensor& x) {
  check_defined("random", x, "self");
  return empty_like(x.detach());
}

}  // namespace

Tensor uniform(const Tensor& x, double from, double to, MaybeGenerator generator) {
  if (auto done = at_door<"uniform">(x, from, to, generator)) return done;
  return fresh(x).uniform_(from, to, std::move(generator));
}
Tensor exponential(const Tensor& x, double lambd, MaybeGenerator generator) {
  if (auto done = at_door<"exponential">(x, lambd, generator)) return done;
  return fresh(x).exponential_(lambd, std::move(generator));
}
Tensor random(const Tensor& x, MaybeGenerator generator) {
  if (auto done = at_door<"random">(x, generator)) return done;
  return fresh(x).random_(std::move(generator));
}
Tensor random(const Tensor& x, int64_t to, MaybeGenerator generator) {
  if (auto done = at_door<"random">(x, to, generator)) return done;
  return fresh(x).random_(to, std::move(generator));
}
Tensor random(const Tensor& x, int64_t from, optional<int64_t> to, MaybeGenerator generator) {
  if (auto done = at_door<"random">(x, from, to, generator)) return done;
  return fresh(x).random_(from, to, std::move(generator));
}
Tensor geometric(const Tensor& x, double p, MaybeGenerator generator) {
  if (auto done = at_door<"geometric">(x, p, generator)) return done;
  return fresh(x).geometric_(p, std::move(generator));
}
Tensor cauchy(const Tensor& x, double median, double sigma, MaybeGenerator generator) {
  if (auto done = at_door<"cauchy">(x, median, sigma, generator)) return done;
  return fresh(x).cauchy_(median, sigma, std::move(generator));
}
Tensor log_normal(const Tensor& x, double mean, double std, MaybeGenerator generator) {
  if (auto done = at_door<"log_normal">(x, mean, std, generator)) return done;
  return fresh(x).log_normal_(mean, std, std::move(generator));
}

}  // namespace torch::taper
