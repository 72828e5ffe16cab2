#include <taper/ops/index/scatter_reduce.h>

#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/shared/counts.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

namespace {

int64_t rank_of(const Tensor& x) { return std::max<int64_t>(1, x.dim()); }
Tensor at_least_1d(const Tensor& x) { return x.dim() == 0 ? x.unsqueeze(0) : x; }

/// The checked arguments. All have one rank, at least 1. `src` has the sizes of `index`.
struct Scatter {
  Tensor self;
  int64_t dim;
  Tensor index, src;
  bool include_self;

  /// Returns self with a neutral element at each target, or self itself with include_self.
  Tensor start(const Scalar& neutral) const {
    return include_self ? self : scatter(self, dim, index, neutral);
  }
  Tensor sum() const { return scatter_add(start(0), dim, index, src); }
  Tensor product() const { return scatter(start(1), dim, index, src, "multiply"); }
  /// Returns how many elements meet at each target, at least 1.
  Tensor count() const {
    const NoGradGuard no_grad;
    const Tensor start = included().to(detail::dtype_of_count(self.scalar_type()));
    return scatter_add(start, dim, index, start.new_ones(src.sizes())).clamp_min(1);
  }
  /// Returns 1 for elements of self that count, else 0, as real numbers.
  Tensor included() const {
    const TensorOptions options = self.options().requires_grad(false);
    const Tensor y = ones(self.sizes(), options.dtype(toRealValueType(self.scalar_type())));
    return include_self ? y : scatter(y, dim, index, 0);
  }
  Tensor extremum(bool largest) const;
};

/// Returns the lower (or upper) bound of all values.
Scalar lowest(ScalarType dtype, bool of_maximum) {
  if (isFloatingType(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return of_maximum ? -infinity : infinity;
  }
  int64_t low = 0, high = 1;
  switch_dtype<dtypes::Real>(dtype, "scatter_reduce", [&]<class scalar_t>() {
    if constexpr (std::numeric_limits<scalar_t>::is_integer) {
      low = static_cast<int64_t>(std::numeric_limits<scalar_t>::lowest());
      high = static_cast<int64_t>(std::numeric_limits<scalar_t>::max());
    }
  });
  return of_maximum ? low : high;
}

Tensor Scatter::extremum(bool largest) const {
  Tensor y;
  {
    const NoGradGuard values_only;
    y = start(lowest(self.scalar_type(), largest)).clone(MemoryFormat::Contiguous);
    TAPER_ON_DEVICE(y, scatter_along, y, index.contiguous(), src, dim,
                    largest ? PutMode::kMax : PutMode::kMin);
  }
  if (!needs_grad(self, src)) return y;
  // Flags of 0 and 1 for the elements equal to the extremum. Those of self need to count.
  const NoGradGuard no_grad;
  const Tensor mine = self.eq(y).to(y.scalar_type()) * included();
  const Tensor theirs = src.eq(gather(y, dim, index)).to(y.scalar_type());
  const ScalarType counted = detail::dtype_of_count(y.scalar_type());
  Tensor count = scatter_add(mine.to(counted), dim, index, theirs.to(counted));
  count = count.masked_fill(count.eq(0), 1);
  const AutoGradMode recording(true);
  record("ScatterReduceBackward0", y, {self, src},
         [mine = saved(mine), theirs = saved(theirs), count = saved(count), index = saved(index),
          dim = dim](Grads& g) {
           const Tensor share = detail::divided_by_count(g[0], count.get());
           std::array<Tensor, 2> out;
           if (g.needs(0)) out[0] = share * mine.get();
           if (g.needs(1)) out[1] = gather(share, dim, index.get()) * theirs.get();
           return out;
         });
  return y;
}

Tensor reduce_into(const Scatter& s, std::string_view reduce) {
  if (s.index.numel() == 0) return s.self.clone();
  if (reduce == "sum") return s.sum();
  if (reduce == "prod") return s.product();
  if (reduce == "amax" || reduce == "amin") return s.extremum(reduce == "amax");
  const ScalarType dtype = s.self.scalar_type();
  if (isReducedFloatingType(dtype)) {
    const Scatter wide{s.self.to(kFloat), s.dim, s.index, s.src.to(kFloat), s.include_self};
    return reduce_into(wide, reduce).to(dtype);
  }
  const Tensor sum = s.sum(), count = s.count();
  return isFloatingOrComplexType(dtype) ? sum / count : floor_divide(sum, count).to(dtype);
}

bool one_of(std::string_view reduce, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    if (reduce == name) return true;
  return false;
}

void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  TAPER_CHECK(index.scalar_type() == kLong, "scatter(): Expected dtype int64 for index");
  TAPER_CHECK(self.scalar_type() == src.scalar_type(),
              "scatter(): Expected self.dtype to be equal to src.dtype");
  check_same_device("scatter_reduce", self, index);
  check_same_device("scatter_reduce", self, src);
  if (index.numel() == 0) return;
  TAPER_CHECK(
      rank_of(index) == rank_of(self),
      "scatter_reduce: Index tensor must have the same number of dimensions as self tensor");
  TAPER_CHECK(rank_of(index) == rank_of(src),
              "scatter_reduce: Index tensor must have the same number of dimensions as src tensor");
  const Tensor i = at_least_1d(index), x = at_least_1d(self), s = at_least_1d(src);
  bool fits = true;
  for (int64_t d = 0; d < i.dim(); ++d)
    fits = fits && i.size(d) <= s.size(d) && (d == dim || i.size(d) <= x.size(d));
  TAPER_CHECK(fits, "scatter_reduce: Expected index ", index.sizes(), " to be smaller than self ",
              self.sizes(), " apart from dimension ", dim, " and to be smaller size than src ",
              src.sizes());
}

/// Cuts `src` to the part that `index` covers. Throws for an index out of range.
Scatter checked(const char* op, const Tensor& self, int64_t dim, const Tensor& index,
                const Tensor& src, bool include_self) {
  const Tensor x = at_least_1d(self), at = at_least_1d(index).contiguous();
  if (at.numel() > 0)
    TAPER_ON_DEVICE(x, check_index, op, at, 0, x.size(dim), dim, IndexWording::kDimensionRt);
  Tensor used = at_least_1d(src);
  for (int64_t d = 0; at.numel() > 0 && d < at.dim(); ++d) used = used.narrow(d, 0, at.size(d));
  return {x, dim, at, used, include_self};
}

}  // namespace

Tensor scatter_reduce(const Tensor& self, int64_t dim_given, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
  if (auto done = at_door<"scatter_reduce">(self, dim_given, index, src, reduce, include_self))
    return done;
  check_defined("scatter_reduce", self, "self");
  check_defined("scatter_reduce", index, "index");
  check_defined("scatter_reduce", src, "src");
  const int64_t dim = wrap_dim("scatter_reduce", dim_given, self.dim());
  TAPER_CHECK(one_of(reduce, {"sum", "prod", "mean", "amax", "amin"}),
              "scatter_reduce: reduce argument must be either sum, prod, mean, amax or amin.");
  check_scatter(self, dim, index, src);
  const Tensor y =
      reduce_into(checked("scatter_reduce", self, dim, index, src, include_self), reduce);
  return self.dim() == 0 ? y.squeeze(0) : y;
}

Tensor index_reduce(const Tensor& self, int64_t dim_given, const Tensor& index,
                    const Tensor& source, std::string_view reduce, bool include_self) {
  if (auto done = at_door<"index_reduce">(self, dim_given, index, source, reduce, include_self))
    return done;
  check_defined("index_reduce", self, "self");
  check_defined("index_reduce", index, "index");
  check_defined("index_reduce", source, "source");
  const int64_t dim = wrap_dim("index_reduce", dim_given, self.dim());
  TAPER_CHECK(one_of(reduce, {"prod", "mean", "amax", "amin"}),
              "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ",
              reduce, ".");
  TAPER_CHECK_INDEX(index.dim() <= 1,
                    "index_reduce_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", toString(index.scalar_type()), " and size: ", index.sizes());
  TAPER_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_reduce_(): Expected dtype int32/int64 for index");
  TAPER_CHECK(self.scalar_type() == source.scalar_type(),
              "index_reduce_(): self and source must have the same scalar type");
  const Tensor x = at_least_1d(self), s = at_least_1d(source);
  Dims expected(x.sizes());
  expected[dim] = index.numel();
  TAPER_CHECK(expected == Dims(s.sizes()), "index_reduce_(): expected source of shape ", expected,
              ", got ", source.sizes());
  Dims along(x.dim(), 1);
  along[dim] = index.numel();
  const Tensor each = index.to(kLong).reshape(along).expand(s.sizes());
  return scatter_reduce(x, dim, each, s, reduce, include_self).view(self.sizes());
}

// ---------------------------------------------------------------------- methods
#define TAPER_METHODS(name)                                                    \
  Tensor Tensor::name(int64_t dim, const Tensor& index, const Tensor& src,     \
                      std::string_view reduce, bool include_self) const {      \
    return taper::name(*this, dim, index, src, reduce, include_self);          \
  }                                                                            \
  Tensor& Tensor::name##_(int64_t dim, const Tensor& index, const Tensor& src, \
                          std::string_view reduce, bool include_self) const {  \
    if (at_door<#name "_">(*this, dim, index, src, reduce, include_self))      \
      return detail::as_mutable(*this);                                        \
    return in_place(#name "_", *this, {index, src}, [&](const Tensor& x) {     \
      return taper::name(x, dim, index, src, reduce, include_self);            \
    });                                                                        \
  }
TAPER_METHODS(scatter_reduce)
TAPER_METHODS(index_reduce)
#undef TAPER_METHODS

}  // namespace torch::taper
