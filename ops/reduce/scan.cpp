#include <taper/ops/reduce/scan.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/reduce/scan_kernels.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>

namespace torch::taper {

using detail::numbers_of;

namespace {

ScanShape scan_shape(const Tensor& x, int64_t dim) {
  ScanShape s{1, x.dim() == 0 ? 1 : x.size(dim), 1};
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d < dim) s.outer *= x.size(d);
    if (d > dim) s.inner *= x.size(d);
  }
  return s;
}

/// Returns x in the dtype of the scan, with its history.
Tensor converted(const char* op, const Tensor& x, optional<ScalarType> dtype) {
  check_defined(op, x, "self");
  return x.to(dtype.value_or(isIntegralType(x.scalar_type(), true) ? kLong : x.scalar_type()));
}

Tensor sum_along(const Tensor& x, int64_t dim, bool reverse) {
  const Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  {
    NoGradGuard no_grad;
    ScanShape shape = scan_shape(x, dim);
    if (x.is_complex()) shape.inner *= 2;
    TAPER_ON_DEVICE(x, running_sum, numbers_of(y), numbers_of(x.contiguous()), shape, reverse);
  }
  // The derivative of a cumulative sum is the cumulative sum from the other end.
  if (needs_grad(x))
    record("CumsumBackward0", y, {x},
           [dim, reverse](const Tensor& gy) { return sum_along(gy, dim, !reverse); });
  return y;
}

/// Computes gx[k] = y[k-1] * sum over i >= k of gy[i] x[k+1] ... x[i]. Its cost is quadratic. It
/// serves only inputs with zeros, for which the quotient below is undefined.
Tensor product_gradient_with_zeros(const Tensor& gy, const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim);
  const Tensor gx = gy.new_zeros(gy.sizes());
  const Tensor head = detail::make_tensor({1}, kLong, x.device()).zero_();
  Tensor before = x.new_ones({});
  for (int64_t k = 0; k < n; ++k) {
    const Tensor after = cumprod(x.narrow(dim, k, n - k).index_fill(dim, head, 1), dim);
    const Tensor total = gy.narrow(dim, k, n - k).mul(after).sum(dim, true);
    gx.narrow(dim, k, 1).copy_(total.mul(before));
    before = before.mul(x.narrow(dim, k, 1));
  }
  return gx;
}

Tensor product_gradient(const Tensor& gy, const Tensor& x, const Tensor& y, int64_t dim) {
  if (x.dim() == 0) return gy;
  if (x.numel() == 0) return gy;
  if (detail::is_captured(x.device()) || x.detach().eq(0).any().item().toBool())
    return product_gradient_with_zeros(gy, x, dim);
  return sum_along(gy.mul(y), dim, true).div(x);
}

/// Scans complex numbers by doubling: first each element with the one before it, then four
/// elements, and so on.
Tensor complex_scan(const Tensor& x, int64_t dim, Tensor (*combine)(const Tensor&, const Tensor&)) {
  const NoGradGuard no_grad;
  Tensor y = x.clone(MemoryFormat::Contiguous);
  const int64_t n = x.dim() == 0 ? 1 : x.size(dim);
  for (int64_t step = 1; step < n; step *= 2) {
    const Tensor rest = combine(y.narrow(dim, step, n - step), y.narrow(dim, 0, n - step));
    y = cat({y.narrow(dim, 0, step), rest}, dim);
  }
  return y;
}

Tensor products_along(const Tensor& x, int64_t dim) {
  if (x.is_complex()) return complex_scan(x, dim, &mul);
  const Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const NoGradGuard no_grad;
  TAPER_ON_DEVICE(x, running_product, y, x.contiguous(), scan_shape(x, dim));
  return y;
}

/// Returns the part of logcumsumexp's gradient from the positive elements of gy: the sum over i >=
/// k of gy[i] exp(x[k] - y[i]), computed by its logarithm.
Tensor log_sum_gradient(const Tensor& gy, const Tensor& x, const Tensor& y, int64_t dim) {
  const Tensor positive = gy.gt(0);
  const Tensor weight = where(positive, gy, Scalar(1)).log() - y;
  const Tensor summed = where(positive, weight, Scalar(-1e30));
  return (logcumsumexp(summed.flip({dim}), dim).flip({dim}) + x).exp();
}

Tensor log_sums_along(const Tensor& x, int64_t dim) {
  if (x.is_complex()) return complex_scan(x, dim, &logaddexp);
  const Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const NoGradGuard no_grad;
  TAPER_ON_DEVICE(x, running_log_sum, y, x.contiguous(), scan_shape(x, dim));
  return y;
}

/// Returns the sum over i >= k of gy[i] exp(x[k] - y[i]).
Tensor log_sums_gradient(const Tensor& gy, const Tensor& x, const Tensor& y, int64_t dim) {
  if (!x.is_complex()) return log_sum_gradient(gy, x, y, dim) - log_sum_gradient(-gy, x, y, dim);
  // A complex number has a logarithm whatever its sign.
  const Tensor weight = gy.log() - y.conj();
  return (logcumsumexp(weight.flip({dim}), dim).flip({dim}) + x.conj()).exp();
}

std::tuple<Tensor, Tensor> extreme(const char* op, const char* node, const Tensor& x,
                                   int64_t dim_given, bool maximum) {
  check_defined(op, x, "self");
  const int64_t dim = wrap_dim(op, dim_given, x.dim());
  const Tensor y = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const Tensor index = detail::make_tensor(x.sizes(), kLong, x.device());
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(x, running_extreme, y, index, x.contiguous(), scan_shape(x, dim), maximum);
  }
  if (needs_grad(x))
    record(node, y, {x}, [index = saved(index), dim](const Tensor& gy) {
      return gy.new_zeros(gy.sizes()).scatter_add_(dim, index.get(), gy);
    });
  return {y, index};
}

}  // namespace

Tensor cumsum(const Tensor& x, int64_t dim, optional<ScalarType> dtype) {
  if (auto done = at_door<"cumsum">(x, dim, dtype)) return done;
  return sum_along(converted("cumsum", x, dtype), wrap_dim("cumsum", dim, x.dim()), false);
}

Tensor cumprod(const Tensor& x_given, int64_t dim_given, optional<ScalarType> dtype) {
  if (auto done = at_door<"cumprod">(x_given, dim_given, dtype)) return done;
  const Tensor x = converted("cumprod", x_given, dtype);
  const int64_t dim = wrap_dim("cumprod", dim_given, x.dim());
  const Tensor y = products_along(x, dim);
  if (needs_grad(x))
    record("CumprodBackward0", y, {x}, [x = saved(x), y = saved_output(y), dim](const Tensor& gy) {
      return product_gradient(gy, x.get().conj(), y.get().conj(), dim);
    });
  return y;
}

Tensor logcumsumexp(const Tensor& x, int64_t dim_given) {
  if (auto done = at_door<"logcumsumexp">(x, dim_given)) return done;
  check_defined("logcumsumexp", x, "self");
  const int64_t dim = wrap_dim("logcumsumexp", dim_given, x.dim());
  if (!isFloatingOrComplexType(x.scalar_type()))
    detail::unsupported_dtype("logcumsumexp_out_cpu", x.scalar_type());
  const Tensor y = log_sums_along(x, dim);
  if (needs_grad(x))
    record("LogcumsumexpBackward0", y, {x},
           [x = saved(x), y = saved_output(y), dim](const Tensor& gy) {
             return log_sums_gradient(gy, x.get(), y.get(), dim);
           });
  return y;
}

std::tuple<Tensor, Tensor> cummax(const Tensor& x, int64_t dim) {
  if (auto done = at_door<"cummax">(x, dim)) return done;
  return extreme("cummax", "CummaxBackward0", x, dim, true);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& x, int64_t dim) {
  if (auto done = at_door<"cummin">(x, dim)) return done;
  return extreme("cummin", "CumminBackward0", x, dim, false);
}

#define TAPER_SCAN_OUT(name)                                                                  \
  Tensor& name##_out(Tensor& out, const Tensor& x, int64_t dim, optional<ScalarType> dtype) { \
    if (at_door<#name "_out">(out, x, dim, dtype)) return out;                                \
    if (dtype) check_asked_dtype(#name, out, *dtype);                                         \
    if (out.defined()) dtype = out.scalar_type();                                             \
    return store_out(#name, out, name(x.detach(), dim, dtype), {x});                          \
  }
TAPER_SCAN_OUT(cumsum)
TAPER_SCAN_OUT(cumprod)
#undef TAPER_SCAN_OUT
Tensor Tensor::cumsum(int64_t dim, optional<ScalarType> dtype) const {
  return taper::cumsum(*this, dim, dtype);
}
Tensor Tensor::cumprod(int64_t dim, optional<ScalarType> dtype) const {
  return taper::cumprod(*this, dim, dtype);
}
Tensor& Tensor::cumsum_(int64_t dim, optional<ScalarType> dtype) const {
  if (at_door<"cumsum_">(*this, dim, dtype)) return detail::as_mutable(*this);
  return in_place("cumsum_", *this, {},
                  [&](const Tensor& x) { return taper::cumsum(x, dim, dtype); });
}
Tensor& Tensor::cumprod_(int64_t dim, optional<ScalarType> dtype) const {
  if (at_door<"cumprod_">(*this, dim, dtype)) return detail::as_mutable(*this);
  return in_place("cumprod_", *this, {},
                  [&](const Tensor& x) { return taper::cumprod(x, dim, dtype); });
}
std::tuple<Tensor, Tensor> Tensor::cummax(int64_t dim) const { return taper::cummax(*this, dim); }
std::tuple<Tensor, Tensor> Tensor::cummin(int64_t dim) const { return taper::cummin(*this, dim); }

Tensor Tensor::logcumsumexp(int64_t dim) const { return taper::logcumsumexp(*this, dim); }

// ---------------------------------------------------------------- out forms
TAPER_OUT(logcumsumexp, (out, self, dim), logcumsumexp(self, dim), (self), const Tensor& self,
          int64_t dim)
TAPER_OUT_PAIR(cummax, (values, indices, self, dim), values, indices, cummax(self, dim),
               const Tensor& self, int64_t dim)
TAPER_OUT_PAIR(cummin, (values, indices, self, dim), values, indices, cummin(self, dim),
               const Tensor& self, int64_t dim)

}  // namespace torch::taper
