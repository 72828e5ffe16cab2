#include <taper/ops/distance.h>

#include <cmath>

#include <taper/framework/autograd/record.h>
#include <taper/framework/shape.h>
#include <taper/ops/binary.h>
#include <taper/ops/matmul.h>

namespace taper {

using autograd::Grads;
using autograd::needs_grad;
using autograd::record;
using autograd::saved;
using autograd::saved_output;

namespace {

// Every difference of a row of x1 and a row of x2: (..., P, R, M).
Tensor differences(const Tensor& x1, const Tensor& x2) {
  return x1.unsqueeze(-2) - x2.unsqueeze(-3);
}

// The gradient of the norm along the last dimension, for each difference. It is 0 at a difference
// of 0, as PyTorch's.
Tensor norm_gradient(const Tensor& g, const Tensor& d, const Tensor& r, double p) {
  const Tensor gy = g.unsqueeze(-1), y = r.unsqueeze(-1);
  if (p == 0) return gy * (d * 0);
  if (p == 1) return gy * d.sign();
  if (std::isinf(p)) return gy * d.sign() * d.abs().eq(y);
  const Tensor unit = d / y.masked_fill(y.eq(0), 1);
  if (p == 2) return gy * unit;
  return gy * (unit.sign() * unit.abs().pow(p - 1)).masked_fill(d.eq(0), 0);
}

// Euclidean distances of many rows come from a product, as PyTorch's: |a|^2 + |b|^2 - 2 a b. It
// takes a fraction of the time and memory of all differences, but loses digits where rows are
// close.
bool by_product(const Tensor& x1, const Tensor& x2, double p) {
  constexpr int64_t many = 25;
  return p == 2 && (x1.size(-2) > many || x2.size(-2) > many);
}

Tensor distances_by_product(const Tensor& x1, const Tensor& x2) {
  const Tensor squares = x1.square().sum(-1, true) + x2.square().sum(-1, true).transpose(-2, -1);
  return (squares - matmul(x1, x2.transpose(-2, -1)) * 2).clamp_min(0).sqrt();
}

// With c = g / r, of each pair: the sum of c (a - b) over b, without the differences.
std::array<Tensor, 2> gradients_by_product(const Grads& g, const Tensor& x1, const Tensor& x2,
                                           const Tensor& r) {
  const Tensor c = g[0] / r.masked_fill(r.eq(0), 1);
  std::array<Tensor, 2> out;
  if (g.needs(0)) out[0] = (x1 * c.sum(-1, true) - matmul(c, x2)).sum_to_size(x1.sizes());
  const Tensor t = c.transpose(-2, -1);
  if (g.needs(1)) out[1] = (x2 * t.sum(-1, true) - matmul(t, x1)).sum_to_size(x2.sizes());
  return out;
}

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p) {
  check_defined("cdist", x1, "x1");
  check_defined("cdist", x2, "x2");
  TAPER_CHECK(x1.is_floating_point(),
              "cdist only supports floating-point dtypes, X1 got: ", toString(x1.scalar_type()));
  TAPER_CHECK(x2.is_floating_point(),
              "cdist only supports floating-point dtypes, X2 got: ", toString(x2.scalar_type()));
  TAPER_CHECK(x1.dim() >= 2, "cdist only supports at least 2D tensors, X1 got: ", x1.dim(), "D");
  TAPER_CHECK(x2.dim() >= 2, "cdist only supports at least 2D tensors, X2 got: ", x2.dim(), "D");
  TAPER_CHECK(x1.size(-1) == x2.size(-1),
              "X1 and X2 must have the same number of columns. X1: ", x1.size(-1),
              " X2: ", x2.size(-1));
  TAPER_CHECK(p >= 0, "cdist only supports non-negative p values");
  Tensor r;
  {
    const NoGradGuard values_only;
    r = by_product(x1, x2, p) ? distances_by_product(x1, x2)
                              : differences(x1, x2).norm(Scalar(p), {-1});
  }
  if (needs_grad(x1, x2))
    record("CdistBackward0", r, {x1, x2},
           [a = saved(x1), b = saved(x2), r = saved_output(r), p](Grads& g) {
             const Tensor x1 = a.get(), x2 = b.get();
             if (by_product(x1, x2, p)) return gradients_by_product(g, x1, x2, r.get());
             const Tensor gd = norm_gradient(g[0], differences(x1, x2), r.get(), p);
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = gd.sum(-2).sum_to_size(x1.sizes());
             if (g.needs(1)) out[1] = -gd.sum(-3).sum_to_size(x2.sizes());
             return out;
           });
  return r;
}

}  // namespace taper
