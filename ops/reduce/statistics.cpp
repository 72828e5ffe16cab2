#include <taper/ops/reduce/statistics.h>

#include <cmath>

#include <taper/framework/grad_mode.h>
#include <taper/framework/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/count_kernels.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/factory.h>

namespace taper {

// ---------------------------------------------------------------------- counts
Tensor bincount(const Tensor& self, const optional<Tensor>& weights, int64_t minlength) {
  check_defined("bincount", self, "self");
  if (!isIntegralType(self.scalar_type(), false))
    detail::unsupported_dtype("bincount_cpu", self.scalar_type());
  TAPER_CHECK(minlength >= 0, "minlength should be >= 0");
  const NoGradGuard values_only;
  const bool weighted = weights && weights->defined();
  const ScalarType t = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  const TensorOptions options = self.options().dtype(t).requires_grad(false);
  if (self.dim() == 1 && self.numel() == 0) return zeros({minlength}, options.dtype(kLong));
  TAPER_CHECK(self.dim() == 1 && self.min().item().to<int64_t>() >= 0,
              "bincount only supports 1-d non-negative integral inputs.");
  TAPER_CHECK(!weighted || (weights->dim() == 1 && weights->size(0) == self.size(0)),
              "weights should be 1-d and have the same length as input");
  const int64_t largest = self.max().item().to<int64_t>();
  TAPER_CHECK(largest < INT64_MAX, "maximum value of input overflowed, it should be < ", INT64_MAX,
              " but got ", largest);
  const int64_t n = std::max(minlength, largest + 1);
  const Tensor y = zeros({n}, options), x = self.detach().contiguous();
  if (weighted) return y.scatter_add_(0, x.to(kLong), weights->detach().to(t));
  TAPER_ON_DEVICE(x, count_values, y, x, 0);
  return y;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  check_defined("histc", self, "self");
  const ScalarType t = self.scalar_type();
  if (!self.is_floating_point()) detail::unsupported_dtype("histogram_cpu", t);
  TAPER_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  const NoGradGuard values_only;
  double low = min.to<double>(), high = max.to<double>();
  if (low == high && self.numel() > 0) {
    low = self.min().item().to<double>();
    high = self.max().item().to<double>();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  TAPER_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high,
              "] is not finite");
  TAPER_CHECK(low < high, "torch.histc: max must be larger than min");
  const Tensor x = self.detach().flatten();
  const Tensor inside = x.ge(low).logical_and(x.le(high));
  const Tensor place = ((x - low) * (static_cast<double>(bins) / (high - low)))
                           .masked_fill(inside.logical_not(), 0)
                           .to(kLong)
                           .clamp(Scalar(0), Scalar(bins - 1));
  const Tensor counts = zeros({bins}, self.options().dtype(kLong).requires_grad(false));
  return counts.scatter_add_(0, place, inside.to(kLong)).to(t);
}

// ---------------------------------------------------------------------- quantiles
namespace {

struct QuantileArguments {
  const char* op;
  bool skip_nan;
  optional<int64_t> dim;
  bool keepdim;
  std::string_view interpolation;
};

void check_quantile(const Tensor& x, const Tensor& q, const QuantileArguments& a) {
  check_defined(a.op, x, "self");
  check_defined(a.op, q, "q");
  TAPER_CHECK(x.numel() > 0, a.op, "() input tensor must be non-empty");
  if (a.dim) wrap_dim(*a.dim, x.dim());
  TAPER_CHECK(q.dim() <= 1, a.op, "() q must be a scalar or 1D tensor");
  TAPER_CHECK(x.scalar_type() == kFloat || x.scalar_type() == kDouble, a.op,
              "() input tensor must be either float or double dtype");
  TAPER_CHECK(x.scalar_type() == q.scalar_type(), a.op,
              "() q tensor must be same dtype as the input tensor");
  check_same_device(a.op, x, q);
  const std::string_view i = a.interpolation;
  TAPER_CHECK(
      i == "linear" || i == "lower" || i == "higher" || i == "midpoint" || i == "nearest", a.op,
      "() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ",
      std::string(i));
  if (q.device().is_cpu() && q.numel() > 0)
    TAPER_CHECK(q.detach().ge(0).logical_and(q.detach().le(1)).all().item().to<bool>(), a.op,
                "() q values must be in the range [0, 1]");
}

// The place of each quantile among the sorted rows: (..., q).
Tensor ranks_of(const Tensor& sorted, const Tensor& q, const QuantileArguments& a) {
  const NoGradGuard values_only;
  const Tensor nan = isnan(sorted);
  Tensor ranks;
  if (a.skip_nan) {
    const Tensor last = nan.logical_not().sum({-1}, true) - 1;
    ranks = (q * last).clamp_min(Scalar(0));
  } else {
    const int64_t last = sorted.size(-1) - 1;
    Dims sizes = sorted.sizes();
    sizes[sizes.size() - 1] = q.size(0);
    ranks = (q * last).expand(sizes).masked_fill(nan.any(-1, true), last);
  }
  if (a.interpolation == "lower") return ranks.floor();
  if (a.interpolation == "higher") return ranks.ceil();
  return a.interpolation == "nearest" ? ranks.round() : ranks;
}

Tensor values_at(const Tensor& sorted, const Tensor& ranks, std::string_view interpolation) {
  const Tensor low = ranks.floor();
  const Tensor below = gather(sorted, -1, low.to(kLong));
  if (interpolation != "linear" && interpolation != "midpoint") return below;
  const Tensor above = gather(sorted, -1, ranks.ceil().to(kLong));
  return interpolation == "midpoint" ? below.lerp(above, Scalar(0.5))
                                     : below.lerp(above, ranks - low);
}

// The sizes of the result for one q.
Dims kept_sizes(const Tensor& x, const QuantileArguments& a) {
  Dims sizes;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const bool reduced = !a.dim || wrap_dim(*a.dim, x.dim()) == d;
    if (!reduced || a.keepdim) sizes.push_back(reduced ? 1 : x.size(d));
  }
  return sizes;
}

Tensor quantiles(const Tensor& x, const Tensor& q, const QuantileArguments& a) {
  check_quantile(x, q, a);
  const Tensor rows = a.dim && x.dim() > 0 ? x.movedim(*a.dim, -1) : x.flatten();
  const Tensor sorted = std::get<0>(sort(rows, -1));
  const Tensor places = q.detach().reshape({q.numel()});
  const Tensor values = values_at(sorted, ranks_of(sorted, places, a), a.interpolation);
  Dims sizes = kept_sizes(x, a);
  if (q.dim() == 0) return values.reshape(sizes);
  sizes.insert(0, q.size(0));
  return values.movedim(-1, 0).reshape(sizes);
}

Tensor checked_q(const char* op, const Tensor& x, double q) {
  check_defined(op, x, "self");
  TAPER_CHECK(q >= 0 && q <= 1, op, "() q must be in the range [0, 1] but got ", q);
  return full({}, q, x.options().requires_grad(false));
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles(self, q, {"quantile", false, dim, keepdim, interpolation});
}
Tensor quantile(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantile(self, checked_q("quantile", self, q), dim, keepdim, interpolation);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles(self, q, {"nanquantile", true, dim, keepdim, interpolation});
}
Tensor nanquantile(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return nanquantile(self, checked_q("nanquantile", self, q), dim, keepdim, interpolation);
}

// ---------------------------------------------------------------------- summaries
Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
               optional<ScalarType> dtype) {
  check_defined("nanmean", self, "self");
  TAPER_CHECK(self.is_floating_point(),
              "nanmean(): expected input to have floating point or complex dtype but got ",
              self.scalar_type());
  const Tensor counted = isnan(self.detach()).logical_not();
  const Tensor count = dim ? counted.sum(*dim, keepdim) : counted.sum();
  return nansum(self, dim, keepdim, dtype) / count;
}

std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim_given, bool keepdim) {
  check_defined("mode", self, "self");
  const int64_t dim = wrap_dim(dim_given, self.dim());
  if (self.dim() == 0) return {self.clone(), zeros({}, self.options().dtype(kLong))};
  TAPER_CHECK_INDEX(self.size(dim) > 0, "mode(): Expected reduction dim ", dim,
                    " to have non-zero size.");
  Tensor index;
  {
    const NoGradGuard values_only;
    const auto [sorted, places] = sort(self.detach().movedim(dim, -1), -1);
    const int64_t n = sorted.size(-1);
    const Tensor at = arange(n, sorted.options().dtype(kLong));
    // How many equal elements come before each one in the sorted row.
    Tensor starts = zeros(sorted.sizes(), sorted.options().dtype(kLong));
    if (n > 1) {
      const Tensor changes = sorted.narrow(-1, 1, n - 1).ne(sorted.narrow(-1, 0, n - 1));
      starts.narrow(-1, 1, n - 1).copy_(changes * at.narrow(0, 1, n - 1));
    }
    const Tensor run = at - std::get<0>(cummax(starts, -1));
    index = gather(places, -1, run.argmax(-1, true)).movedim(-1, dim);
  }
  const Tensor value = gather(self, dim, index);
  return {keepdim ? value : value.squeeze(dim), keepdim ? index : index.squeeze(dim)};
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, optional<int64_t> dim, bool keepdim) {
  check_defined("aminmax", self, "self");
  TAPER_CHECK(dim || self.numel() > 0,
              "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
              "identity.");
  if (dim) {
    const int64_t d = wrap_dim(*dim, self.dim());
    TAPER_CHECK_INDEX(self.dim() == 0 || self.size(d) > 0, "aminmax(): Expected reduction dim ", d,
                      " to have non-zero size.");
    return {self.amin(d, keepdim), self.amax(d, keepdim)};
  }
  return {self.amin({}, keepdim), self.amax({}, keepdim)};
}

Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  check_defined("dist", self, "self");
  check_defined("dist", other, "other");
  return (self - other).norm(p);
}

Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  check_defined("renorm", self, "self");
  TAPER_CHECK(self.dim() >= 2, "renorm: input needs at least 2 dimensions, got ", self.dim(),
              " dimensions");
  TAPER_CHECK(p.to<double>() > 0, "renorm: non-positive-norm not supported");
  TAPER_CHECK(maxnorm.to<double>() >= 0, "renorm: expected maxnorm to be >= 0 but got ",
              maxnorm.to<double>());
  const int64_t kept = wrap_dim(dim, self.dim());
  std::vector<int64_t> others;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (d != kept) others.push_back(d);
  const Tensor norm = self.norm(p, others, true);
  const Tensor large = norm.detach().gt(maxnorm);
  const Tensor shrink = maxnorm.to<double>() / (norm + 1e-7);
  return self * where(large, shrink, Scalar(1)).to(self.scalar_type());
}

// ---------------------------------------------------------------- methods
Tensor Tensor::bincount(const optional<Tensor>& weights, int64_t minlength) const {
  return taper::bincount(*this, weights, minlength);
}
Tensor Tensor::histc(int64_t bins, const Scalar& min, const Scalar& max) const {
  return taper::histc(*this, bins, min, max);
}
#define TAPER_QUANTILE(name, Q)                                                                 \
  Tensor Tensor::name(Q q, optional<int64_t> dim, bool keepdim, std::string_view interpolation) \
      const {                                                                                   \
    return taper::name(*this, q, dim, keepdim, interpolation);                                  \
  }
TAPER_QUANTILE(quantile, const Tensor&)
TAPER_QUANTILE(quantile, double)
TAPER_QUANTILE(nanquantile, const Tensor&)
TAPER_QUANTILE(nanquantile, double)
#undef TAPER_QUANTILE
Tensor Tensor::nanmean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::nanmean(*this, dim, keepdim, dtype);
}
std::tuple<Tensor, Tensor> Tensor::mode(int64_t dim, bool keepdim) const {
  return taper::mode(*this, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::aminmax(optional<int64_t> dim, bool keepdim) const {
  return taper::aminmax(*this, dim, keepdim);
}
Tensor Tensor::dist(const Tensor& other, const Scalar& p) const {
  return taper::dist(*this, other, p);
}
Tensor Tensor::renorm(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
  return taper::renorm(*this, p, dim, maxnorm);
}

}  // namespace taper
