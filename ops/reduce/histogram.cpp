#include <taper/ops/reduce/histogram.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/count_kernels.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/search_kernels.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

using Histogram = std::tuple<Tensor, std::vector<Tensor>>;

/// The arguments as rows of points with one weight each. With `innermost`, the last dimension of
/// the input is one point.
struct Points {
  Tensor rows;    // (N, D)
  Tensor weight;  // (N), undefined: 1 each
  bool density;
};

Points points_of(bool innermost, const Tensor& self, int64_t D, const optional<Tensor>& weight,
                 bool density) {
  const ScalarType t = self.scalar_type();
  if (t != kFloat && t != kDouble) detail::unsupported_dtype("histogramdd", t);
  Points p{self.detach().reshape({D == 0 ? 0 : self.numel() / D, D}), {}, density};
  if (!weight || !weight->defined()) return p;
  TAPER_CHECK(weight->scalar_type() == t,
              "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
              "should have the "
              "same dtype, but got input ",
              t, ", and weight ", weight->scalar_type());
  IntArrayRef expected = self.sizes();
  if (innermost) expected = IntArrayRef(expected.data(), expected.size() - 1);
  TAPER_CHECK(weight->sizes() == expected,
              "torch.histogramdd: if weight tensor is provided it should have the same shape as "
              "the input tensor "
              "excluding its innermost dimension, but got input with shape ",
              self.sizes(), " and weight with shape ", weight->sizes());
  p.weight = weight->detach().reshape({-1});
  return p;
}

Tensor widths_of(const Tensor& edges) {
  const int64_t n = edges.size(0) - 1;
  return edges.narrow(0, 1, n) - edges.narrow(0, 0, n);
}

/// Returns the number of points in each of the `cells`, or the sum of their weights.
Tensor sums_of_cells(const Points& p, const Tensor& cell, int64_t cells) {
  // Cell 0 collects the points outside all cells.
  const TensorOptions options = p.rows.options();
  if (p.weight.defined())
    return zeros({cells + 1}, options).index_add_(0, cell, p.weight).narrow(0, 1, cells);
  const Tensor counts = zeros({cells + 1}, options.dtype(kLong));
  TAPER_ON_DEVICE(counts, count_values, counts, cell, 0);
  return counts.narrow(0, 1, cells).to(options.dtype());
}

Tensor count(const Points& p, const std::vector<Tensor>& edges, bool equal) {
  Dims sizes;
  int64_t cells = 1;
  const Tensor cell = ones({p.rows.size(0)}, p.rows.options().dtype(kLong));
  for (size_t d = 0; d < edges.size(); ++d) {
    const Tensor values = p.rows.select(1, static_cast<int64_t>(d));
    TAPER_ON_DEVICE(cell, histogram_cells, cell, values, edges[d], equal);
    sizes.push_back(edges[d].size(0) - 1);
    cells *= sizes.back();
  }
  Tensor hist = sums_of_cells(p, cell, cells).reshape(sizes);
  if (!p.density) return hist;
  hist = hist / hist.sum();
  for (size_t d = 0; d < edges.size(); ++d) {
    Dims along(static_cast<int64_t>(edges.size()), 1);
    along[static_cast<int64_t>(d)] = -1;
    hist = hist / widths_of(edges[d]).reshape(along);
  }
  return hist;
}

void check_edges(const Tensor& self, const Tensor& edges, int64_t d) {
  TAPER_CHECK(edges.dim() == 1,
              "torch.histogramdd: bins tensor should have one dimension, but got ", edges.dim(),
              " dimensions in the bins tensor for dimension ", d);
  TAPER_CHECK(edges.numel() > 1, "torch.histogramdd: bins tensor should have at least 2 elements, ",
              "but got ", edges.numel(), " elements in the bins tensor for dimension ", d);
  TAPER_CHECK(edges.scalar_type() == self.scalar_type(),
              "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
              "got input with "
              "dtype ",
              self.scalar_type(), " and bins for dimension ", d, " with dtype ",
              edges.scalar_type());
}

/// Returns edges of equal parts of the range of dimension d, given or taken from the values.
Tensor equal_edges(const Points& p, int64_t d, int64_t bins,
                   const optional<ArrayRef<double>>& range) {
  TAPER_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension ",
              d);
  double low = 0, high = 1;
  if (range) {
    low = (*range)[static_cast<size_t>(2 * d)];
    high = (*range)[static_cast<size_t>(2 * d + 1)];
  } else if (p.rows.size(0) > 0) {
    const Tensor x = p.rows.select(1, d);
    low = x.min().item<double>();
    high = x.max().item<double>();
  }
  TAPER_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histogramdd: dimension ", d,
              "'s range [", low, ", ", high, "] is not finite");
  TAPER_CHECK(low <= high, "torch.histogramdd: min should not exceed max, but got min ", low,
              " max ", high, " for dimension ", d);
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  return linspace(low, high, bins + 1, p.rows.options());
}

Histogram by_edges(bool innermost, const Tensor& self, int64_t D, TensorList bins,
                   const optional<Tensor>& weight, bool density) {
  const NoGradGuard no_grad;
  const Points p = points_of(innermost, self, D, weight, density);
  std::vector<Tensor> edges;
  for (size_t d = 0; d < bins.size(); ++d) {
    check_edges(self, bins[d], static_cast<int64_t>(d));
    edges.push_back(bins[d].detach().contiguous());
  }
  const Tensor hist = count(p, edges, false);
  return {hist, edges};
}

Histogram by_number(bool innermost, const Tensor& self, int64_t D, IntArrayRef bins,
                    const optional<ArrayRef<double>>& range, const optional<Tensor>& weight,
                    bool density) {
  const NoGradGuard no_grad;
  const Points p = points_of(innermost, self, D, weight, density);
  TAPER_CHECK(!range || range->size() == static_cast<size_t>(2 * D), "torch.histogramdd: for a ", D,
              "-dimensional histogram range should have ", 2 * D, " elements, but got ",
              range ? range->size() : 0);
  std::vector<Tensor> edges;
  for (int64_t d = 0; d < D; ++d)
    edges.push_back(equal_edges(p, d, bins[static_cast<size_t>(d)], range));
  const Tensor hist = count(p, edges, true);
  return {hist, edges};
}

int64_t dimensions_of(const Tensor& self, size_t given) {
  check_defined("histogramdd", self, "self");
  TAPER_CHECK(self.dim() >= 2,
              "torch.histogramdd(): input tensor should have at least 2 dimensions, but got ",
              self.dim());
  const int64_t D = self.size(-1);
  TAPER_CHECK(static_cast<size_t>(D) == given, "torch.histogramdd(): expected ", D,
              " sequences of bin edges for a ", D, "-dimensional histogram but got ", given);
  return D;
}

}  // namespace

std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                     const optional<Tensor>& weight, bool density) {
  if (auto done = at_door<"histogram">(self, bins, weight, density)) return done;
  check_defined("histogram", self, "self");
  check_defined("histogram", bins, "bins");
  auto [hist, edges] = by_edges(false, self, 1, {bins}, weight, density);
  return {hist, edges[0]};
}
std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins,
                                     optional<ArrayRef<double>> range,
                                     const optional<Tensor>& weight, bool density) {
  if (auto done = at_door<"histogram">(self, bins, range, weight, density)) return done;
  check_defined("histogram", self, "self");
  auto [hist, edges] = by_number(false, self, 1, {bins}, range, weight, density);
  return {hist, edges[0]};
}

Histogram histogramdd(const Tensor& self, TensorList bins, const optional<Tensor>& weight,
                      bool density) {
  if (auto done = at_door<"histogramdd">(self, bins, weight, density)) return done;
  const int64_t D = dimensions_of(self, bins.size());
  return by_edges(true, self, D, bins, weight, density);
}
Histogram histogramdd(const Tensor& self, IntArrayRef bins, optional<ArrayRef<double>> range,
                      const optional<Tensor>& weight, bool density) {
  if (auto done = at_door<"histogramdd">(self, bins, range, weight, density)) return done;
  const int64_t D = dimensions_of(self, bins.size());
  return by_number(true, self, D, bins, range, weight, density);
}
Histogram histogramdd(const Tensor& self, int64_t bins, optional<ArrayRef<double>> range,
                      const optional<Tensor>& weight, bool density) {
  if (auto done = at_door<"histogramdd">(self, bins, range, weight, density)) return done;
  check_defined("histogramdd", self, "self");
  const size_t D = self.dim() > 0 ? static_cast<size_t>(self.size(-1)) : 0;
  const std::vector<int64_t> each(D, bins);
  return histogramdd(self, IntArrayRef(each), range, weight, density);
}

std::tuple<Tensor, Tensor> Tensor::histogram(const Tensor& bins, const optional<Tensor>& weight,
                                             bool density) const {
  return taper::histogram(*this, bins, weight, density);
}
std::tuple<Tensor, Tensor> Tensor::histogram(int64_t bins, optional<ArrayRef<double>> range,
                                             const optional<Tensor>& weight, bool density) const {
  return taper::histogram(*this, bins, range, weight, density);
}

Tensor bincount(const Tensor& self, const optional<Tensor>& weights, int64_t minlength) {
  if (auto done = at_door<"bincount">(self, weights, minlength)) return done;
  check_defined("bincount", self, "self");
  if (!isIntegralType(self.scalar_type(), false))
    detail::unsupported_dtype("bincount_cpu", self.scalar_type());
  TAPER_CHECK(minlength >= 0, "bincount: minlength should be >= 0");
  const NoGradGuard values_only;
  const bool weighted = weights && weights->defined();
  const ScalarType t = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  const TensorOptions options = self.options().dtype(t).requires_grad(false);
  if (self.dim() == 1 && self.numel() == 0) return zeros({minlength}, options.dtype(kLong));
  TAPER_CHECK(self.dim() == 1 && self.min().item().to<int64_t>() >= 0,
              "bincount only supports 1-d non-negative integral inputs.");
  TAPER_CHECK(!weighted || (weights->dim() == 1 && weights->size(0) == self.size(0)),
              "bincount: weights should be 1-d and have the same length as input");
  const int64_t largest = self.max().item().to<int64_t>();
  TAPER_CHECK(largest < INT64_MAX, "bincount: maximum value of input overflowed, it should be < ",
              INT64_MAX, " but got ", largest);
  const int64_t n = std::max(minlength, largest + 1);
  const Tensor y = zeros({n}, options), x = self.detach().contiguous();
  if (weighted) return y.scatter_add_(0, x.to(kLong), weights->detach().to(t));
  TAPER_ON_DEVICE(x, count_values, y, x, 0);
  return y;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  if (auto done = at_door<"histc">(self, bins, min, max)) return done;
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

Tensor Tensor::bincount(const optional<Tensor>& weights, int64_t minlength) const {
  return taper::bincount(*this, weights, minlength);
}
Tensor Tensor::histc(int64_t bins, const Scalar& min, const Scalar& max) const {
  return taper::histc(*this, bins, min, max);
}

}  // namespace torch::taper
