#include <taper/ops/reduce/statistics.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/reduce/count_kernels.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

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
  if (a.dim) wrap_dim(a.op, *a.dim, x.dim());
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

// Returns the rank of each quantile in the sorted rows: (..., q).
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

// Returns the sizes of the result for one q.
Dims kept_sizes(const Tensor& x, const QuantileArguments& a) {
  Dims sizes;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const bool reduced = !a.dim || wrap_dim(a.op, *a.dim, x.dim()) == d;
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
  if (auto done = at_door<"quantile">(self, q, dim, keepdim, interpolation)) return done;
  return quantiles(self, q, {"quantile", false, dim, keepdim, interpolation});
}
Tensor quantile(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  if (auto done = at_door<"quantile">(self, q, dim, keepdim, interpolation)) return done;
  return quantile(self, checked_q("quantile", self, q), dim, keepdim, interpolation);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  if (auto done = at_door<"nanquantile">(self, q, dim, keepdim, interpolation)) return done;
  return quantiles(self, q, {"nanquantile", true, dim, keepdim, interpolation});
}
Tensor nanquantile(const Tensor& self, double q, optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  if (auto done = at_door<"nanquantile">(self, q, dim, keepdim, interpolation)) return done;
  return nanquantile(self, checked_q("nanquantile", self, q), dim, keepdim, interpolation);
}

// ---------------------------------------------------------------------- summaries

std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim_given, bool keepdim) {
  if (auto done = at_door<"mode">(self, dim_given, keepdim)) return done;
  check_defined("mode", self, "self");
  const int64_t dim = wrap_dim("mode", dim_given, self.dim());
  if (self.dim() == 0) return {self.clone(), zeros({}, self.options().dtype(kLong))};
  TAPER_CHECK_INDEX(self.size(dim) > 0, "mode(): Expected reduction dim ", dim,
                    " to have non-zero size.");
  Tensor index;
  {
    const NoGradGuard values_only;
    const auto [sorted, places] = sort(self.detach().movedim(dim, -1), -1);
    const int64_t n = sorted.size(-1);
    const Tensor at = arange(n, sorted.options().dtype(kLong));
    // The number of equal elements before each one in the sorted row.
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

// ---------------------------------------------------------------- methods
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
std::tuple<Tensor, Tensor> Tensor::mode(int64_t dim, bool keepdim) const {
  return taper::mode(*this, dim, keepdim);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT_PAIR(mode, (values, indices, self, dim, keepdim), values, indices,
               mode(self, dim, keepdim), const Tensor& self, int64_t dim, bool keepdim)

}  // namespace torch::taper
