#include <taper/ops/linalg/distance.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/linalg/distance_kernels.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

// Returns every difference of a row of x1 and a row of x2: (..., P, R, M).
Tensor differences(const Tensor& x1, const Tensor& x2) {
  return x1.unsqueeze(-2) - x2.unsqueeze(-3);
}

// Returns the gradient of the norm along the last dimension, for each difference. It is 0 for a
// difference of 0, as in PyTorch.
Tensor norm_gradient(const Tensor& g, const Tensor& d, const Tensor& r, double p) {
  const Tensor gy = g.unsqueeze(-1), y = r.unsqueeze(-1);
  if (p == 0) return gy * (d * 0);
  if (p == 1) return gy * d.sign();
  if (std::isinf(p)) return gy * d.sign() * d.abs().eq(y);
  const Tensor unit = d / y.masked_fill(y.eq(0), 1);
  if (p == 2) return gy * unit;
  return gy * (unit.sign() * unit.abs().pow(p - 1)).masked_fill(d.eq(0), 0);
}

// Euclidean distances of many rows come from a product, as in PyTorch: |a|^2 + |b|^2 - 2 a b. This
// takes a fraction of the time and memory of all differences, but loses digits for close rows.
bool by_product(const Tensor& x1, const Tensor& x2, double p, int64_t mode) {
  constexpr int64_t many = 25, always = 1, never = 2;
  if (p != 2 || mode == never) return false;
  return mode == always || x1.size(-2) > many || x2.size(-2) > many;
}

Tensor distances_by_product(const Tensor& x1, const Tensor& x2) {
  const Tensor squares = x1.square().sum(-1, true) + x2.square().sum(-1, true).transpose(-2, -1);
  return (squares - matmul(x1, x2.transpose(-2, -1)) * 2).clamp_min(0).sqrt();
}

// With c = g / r for each pair, returns the sum of c (a - b) over b, without the differences.
std::array<Tensor, 2> gradients_by_product(const Grads& g, const Tensor& x1, const Tensor& x2,
                                           const Tensor& r) {
  const Tensor c = g[0] / r.masked_fill(r.eq(0), 1);
  std::array<Tensor, 2> out;
  if (g.needs(0)) out[0] = (x1 * c.sum(-1, true) - matmul(c, x2)).sum_to_size(x1.sizes());
  const Tensor t = c.transpose(-2, -1);
  if (g.needs(1)) out[1] = (x2 * t.sum(-1, true) - matmul(t, x1)).sum_to_size(x2.sizes());
  return out;
}

// Merges batches into one dimension, because differences need one dimension more than their
// operands.
Tensor cdist_of_batches(const Tensor& x1, const Tensor& x2, double p, optional<int64_t> mode) {
  const auto batch_of = [](const Tensor& x) {
    return x.sizes().slice(0, static_cast<size_t>(x.dim() - 2));
  };
  Dims sizes = broadcast_shapes("cdist", batch_of(x1), batch_of(x2));
  const Dims batch = sizes;
  int64_t count = 1;
  for (int64_t n : batch) count *= n;
  const auto in_one = [&](const Tensor& x) {
    Dims whole = batch;
    whole.push_back(x.size(-2));
    whole.push_back(x.size(-1));
    return x.expand(whole).reshape({count, x.size(-2), x.size(-1)});
  };
  sizes.push_back(x1.size(-2));
  sizes.push_back(x2.size(-2));
  return cdist(in_one(x1), in_one(x2), p, mode).reshape(sizes);
}

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, optional<int64_t> compute_mode) {
  if (auto done = at_door<"cdist">(x1, x2, p, compute_mode)) return done;
  check_defined("cdist", x1, "x1");
  check_defined("cdist", x2, "x2");
  TAPER_CHECK(x1.is_floating_point(),
              "cdist only supports floating-point dtypes, X1 got: ", toString(x1.scalar_type()));
  TAPER_CHECK(x2.is_floating_point(),
              "cdist only supports floating-point dtypes, X2 got: ", toString(x2.scalar_type()));
  TAPER_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
  TAPER_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
  TAPER_CHECK(x1.size(-1) == x2.size(-1),
              "cdist: X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
              " X2: ", x2.size(-1));
  TAPER_CHECK(p >= 0, "cdist only supports non-negative p values");
  const int64_t mode = compute_mode.value_or(0);
  TAPER_CHECK(mode >= 0 && mode <= 2, "cdist: possible modes: 0, 1, 2, but was: ", mode);
  if (std::max(x1.dim(), x2.dim()) == kMaxDims) return cdist_of_batches(x1, x2, p, compute_mode);
  const bool product = by_product(x1, x2, p, mode);
  Tensor r;
  {
    const NoGradGuard values_only;
    r = product ? distances_by_product(x1, x2) : differences(x1, x2).norm(Scalar(p), {-1});
  }
  if (needs_grad(x1, x2))
    record("CdistBackward0", r, {x1, x2},
           [a = saved(x1), b = saved(x2), r = saved_output(r), p, product](Grads& g) {
             const Tensor x1 = a.get(), x2 = b.get();
             if (product) return gradients_by_product(g, x1, x2, r.get());
             const Tensor gd = norm_gradient(g[0], differences(x1, x2), r.get(), p);
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = gd.sum(-2).sum_to_size(x1.sizes());
             if (g.needs(1)) out[1] = -gd.sum(-3).sum_to_size(x2.sizes());
             return out;
           });
  return r;
}

// ---------------------------------------------------------------------- all pairs of one set
namespace {

Tensor pdist_backward(const Tensor& gy, const Tensor& x, const Tensor& y, double p) {
  const Tensor g = gy.contiguous(), rows = x.contiguous();
  Tensor gx = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  if (gx.numel() > 0) TAPER_ON_DEVICE(x, pdist_backward, gx, g, rows, y, p);
  return gx;
}

// Computes pdist_backward in ops with derivatives.
Tensor pdist_backward_in_ops(const Tensor& gy, const Tensor& x, const Tensor& y, double p) {
  const int64_t n = x.size(0);
  const Tensor pairs = triu_indices(n, n, 1, x.options().dtype(kLong).requires_grad(false));
  const Tensor first = pairs.select(0, 0), second = pairs.select(0, 1);
  const Tensor d = index_select(x, 0, first) - index_select(x, 0, second);
  const Tensor g = norm_gradient(gy, d, y, p);
  return zeros_like(x).index_add(0, first, g) - zeros_like(x).index_add(0, second, g);
}

}  // namespace

Tensor pdist(const Tensor& self, double p) {
  if (auto done = at_door<"pdist">(self, p)) return done;
  check_defined("pdist", self, "self");
  TAPER_CHECK(self.dim() == 2, "pdist only supports 2D tensors, got: ", self.dim(), "D");
  TAPER_CHECK(self.is_floating_point(), "pdist only supports floating-point dtypes");
  TAPER_CHECK(p >= 0, "pdist only supports non-negative p values");
  if (elementSize(self.scalar_type()) == 2) return pdist(self.to(kFloat), p).to(self.scalar_type());
  const int64_t n = self.size(0);
  const int64_t pairs = n % 2 == 0 ? detail::checked_mul("pdist", n / 2, n - 1)
                                   : detail::checked_mul("pdist", n, (n - 1) / 2);
  Tensor y = detail::make_tensor({n == 0 ? 0 : pairs}, self.scalar_type(), self.device());
  if (y.numel() > 0) {
    const NoGradGuard values_only;
    TAPER_ON_DEVICE(y, pdist, y, self.t().contiguous(), p);
  }
  if (needs_grad(self))
    record("PdistBackward0", y, {self},
           [x = saved(self), y = saved_output(y), p](const Tensor& gy) {
             return GradMode::is_enabled() ? pdist_backward_in_ops(gy, x.get(), y.get(), p)
                                           : pdist_backward(gy, x.get(), y.get(), p);
           });
  return y;
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  if (auto done = at_door<"cosine_similarity">(x1, x2, dim, eps)) return done;
  const ScalarType dtype = result_type(x1, x2);
  TAPER_CHECK(isFloatingType(dtype),
              "cosine_similarity: expected common dtype to be floating point, yet common dtype is ",
              toString(dtype));
  const std::vector<Tensor> pair = broadcast_tensors({x1.to(dtype), x2.to(dtype)});
  const Tensor n1 = norm(pair[0], 2, {dim}).clamp_min(eps);
  const Tensor n2 = norm(pair[1], 2, {dim}).clamp_min(eps);
  return pair[0].mul(pair[1]).sum(dim).div(n1.mul(n2));
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  if (auto done = at_door<"pairwise_distance">(x1, x2, p, eps, keepdim)) return done;
  return norm(x1.sub(x2).add(eps), p, {-1}, keepdim);
}

}  // namespace torch::taper
