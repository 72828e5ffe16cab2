#include <taper/ops/reduce/reduce_sum.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_dims.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/shared/counts.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>

namespace torch::taper {

namespace {

// Returns the dtype of a sum or a product.
ScalarType sum_dtype(const Tensor& x, optional<ScalarType> asked) {
  return asked.value_or(isIntegralType(x.scalar_type(), true) ? kLong : x.scalar_type());
}

// Tests whether the elements must be converted before the sum.
bool converts_first(const Tensor& x, ScalarType to) {
  return to != x.scalar_type() &&
         !(isIntegralType(to, false) && isIntegralType(x.scalar_type(), true));
}

Tensor new_result(const Tensor& x, DimMask dims, bool keepdim, ScalarType dtype) {
  return detail::make_tensor(reduced_sizes(x.sizes(), dims, keepdim), dtype, x.device());
}

// Expands a gradient of a reduction's result to the shape of its input.
Tensor spread(const Tensor& gy, const Dims& sizes, DimMask dims) {
  return gy.dim() == 0 ? gy.expand(sizes) : keep_dims(gy, sizes, dims).expand(sizes);
}

Tensor sum_of(const char* node, const Tensor& x, DimMask dims, bool keepdim,
              optional<ScalarType> dtype) {
  const ScalarType to = sum_dtype(x, dtype);
  if (converts_first(x, to)) return sum_of(node, x.to(to), dims, keepdim, to);
  if (x.is_complex())
    return detail::through_parts(
        x, [&](const Tensor& r) { return sum_of(node, r, dims, keepdim, nullopt); });
  Tensor y = new_result(x, dims, keepdim, to);
  TAPER_ON_DEVICE(x, sum, y, x, dims, 1);
  if (needs_grad(x))
    record(node, y, {x},
           [sizes = Dims(x.sizes()), dims](const Tensor& gy) { return spread(gy, sizes, dims); });
  return y;
}

Tensor mean_of(const char* node, const Tensor& x, DimMask dims, bool keepdim,
               optional<ScalarType> dtype) {
  TAPER_CHECK(isFloatingOrComplexType(dtype.value_or(x.scalar_type())),
              "mean(): could not infer output dtype. ", dtype ? "Optional" : "Input",
              " dtype must be either a floating point or complex dtype. Got: ",
              dtype.value_or(x.scalar_type()));
  if (dtype && *dtype != x.scalar_type()) return mean_of(node, x.to(*dtype), dims, keepdim, dtype);
  if (x.is_complex())
    return detail::through_parts(
        x, [&](const Tensor& r) { return mean_of(node, r, dims, keepdim, nullopt); });
  const double count = static_cast<double>(reduced_numel(x, dims));
  Tensor y = new_result(x, dims, keepdim, x.scalar_type());
  TAPER_ON_DEVICE(x, sum, y, x, dims, count);
  if (needs_grad(x))
    record(node, y, {x}, [sizes = Dims(x.sizes()), dims, count](const Tensor& gy) {
      return spread(gy.div(count), sizes, dims);
    });
  return y;
}

// Views the elements along `dims` as rows: [everything else, numel of dims]. Also restores the
// shape.
struct Rows {
  Dims order, back, sizes;
  Rows(const Tensor& x, DimMask dims) : back(x.dim(), 0) {
    for (const bool reduced : {false, true})
      for (int64_t d = 0; d < x.dim(); ++d)
        if (((dims >> d) & 1) == static_cast<DimMask>(reduced)) order.push_back(d);
    for (int64_t i = 0; i < order.size(); ++i) back[order[i]] = i;
    sizes = x.permute(order).sizes();
  }
  Tensor of(const Tensor& x, int64_t row) const { return x.permute(order).reshape({-1, row}); }
  Tensor undo(const Tensor& rows) const { return rows.reshape(sizes).permute(back); }
};

// Returns for each element the product of all others, from the products before and after it. It can
// be differentiated again even if elements are 0. The tensor must not be empty.
Tensor product_of_others(const Tensor& x, DimMask dims) {
  const Rows rows(x, dims);
  const int64_t n = reduced_numel(x, dims);
  const Tensor v = rows.of(x, n), one = v.new_ones({v.size(0), 1});
  const Tensor before = cumprod(cat({one, v.narrow(1, 0, n - 1)}, 1), 1);
  const Tensor after = cumprod(cat({one, v.flip(1).narrow(1, 0, n - 1)}, 1), 1).flip(1);
  return rows.undo(before.mul(after));
}

// Returns the products of the others by division: y / x_i. If exactly one x_i is 0, only it gets a
// nonzero product, that of the rest. If two are 0, all products are 0. Used if nothing is recorded
// or nothing is 0.
Tensor quotients(const Tensor& x, const Tensor& zero, DimMask dims) {
  const Tensor others = x.masked_fill(zero, 1);
  Tensor rest = others, zeros = zero;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (!((dims >> d) & 1)) continue;
    rest = rest.prod(d, true);
    zeros = zeros.sum(d, true);
  }
  const Tensor weight = zero.to(x.scalar_type()).mul(zeros.eq(1)).add(zeros.eq(0));
  return rest.div(others).mul(weight);
}

Tensor prod_backward(const Tensor& gy, const Tensor& x, const Tensor& y, DimMask dims) {
  const Tensor g = keep_dims(gy, Dims(x.sizes()), dims);
  // A nonzero product has no factor 0. On a GPU this test would synchronize.
  if (!needs_grad(gy, x) && x.is_cpu() && !detail::is_captured(x.device()) &&
      y.ne(0).all().item<bool>())
    return g.mul(keep_dims(y, Dims(x.sizes()), dims)).div(x);
  const Tensor zero = x.eq(0);
  const bool exact = needs_grad(x) && (detail::is_captured(x.device()) || zero.any().item<bool>());
  return g.mul(exact ? product_of_others(x, dims) : quotients(x, zero, dims));
}

// Multiplies halves with each other until one number per row is left.
Tensor complex_prod(const Tensor& x, DimMask dims, bool keepdim) {
  const NoGradGuard values_only;
  const Dims sizes = reduced_sizes(x.sizes(), dims, keepdim);
  int64_t n = reduced_numel(x, dims);
  if (n == 0) return x.new_ones(sizes);
  Tensor rows = Rows(x, dims).of(x, n);
  for (; n > 1; n = rows.size(1)) {
    const Tensor pairs = rows.narrow(1, 0, n / 2).mul(rows.narrow(1, n / 2, n / 2));
    rows = n % 2 ? cat({pairs, rows.narrow(1, n - 1, 1)}, 1) : pairs;
  }
  return rows.reshape(sizes).clone();
}

Tensor prod_values(const Tensor& x, DimMask dims, bool keepdim, ScalarType to) {
  if (x.is_complex()) return complex_prod(x, dims, keepdim);
  Tensor y = new_result(x, dims, keepdim, to);
  TAPER_ON_DEVICE(x, prod, y, x, dims);
  return y;
}

Tensor prod_of(const char* node, const Tensor& x, DimMask dims, bool keepdim,
               optional<ScalarType> dtype) {
  const ScalarType to = sum_dtype(x, dtype);
  if (converts_first(x, to)) return prod_of(node, x.to(to), dims, keepdim, to);
  Tensor y = prod_values(x, dims, keepdim, to);
  if (needs_grad(x))
    record(node, y, {x}, [x = saved(x), y = saved_output(y), dims](const Tensor& gy) {
      return prod_backward(gy, x.get().conj(), y.get().conj(), dims);
    });
  return y;
}

ScalarType truth_dtype(const Tensor& x) { return x.scalar_type() == kByte ? kByte : kBool; }

// Converts elements to the dtype of any and all.
Tensor as_truth(const Tensor& x) {
  return x.scalar_type() == kByte ? x.detach().clone() : x.detach().to(kBool, false, true);
}

Tensor any_of(const Tensor& x, DimMask dims, bool keepdim) {
  if (x.is_complex()) return any_of(x.ne(0), dims, keepdim);
  Tensor y = new_result(x, dims, keepdim, truth_dtype(x));
  TAPER_ON_DEVICE(x, any, y, x, dims);
  return y;
}

Tensor all_of(const Tensor& x, DimMask dims, bool keepdim) {
  if (x.is_complex()) return all_of(x.ne(0), dims, keepdim);
  Tensor y = new_result(x, dims, keepdim, truth_dtype(x));
  TAPER_ON_DEVICE(x, all, y, x, dims);
  return y;
}

Tensor count_of(const Tensor& x, DimMask dims) {
  if (x.is_complex()) return count_of(x.ne(0), dims);
  Tensor y = new_result(x, dims, false, kLong);
  TAPER_ON_DEVICE(x, count_nonzero, y, x, dims);
  return y;
}

// Returns the dimensions of `from` that are summed to give `to`.
DimMask broadcast_dims(IntArrayRef from, IntArrayRef to) {
  const size_t lead = from.size() - to.size();
  DimMask dims = all_dims(static_cast<int64_t>(lead));
  for (size_t d = lead; d < from.size(); ++d)
    if (to[d - lead] != from[d]) dims |= DimMask{1} << d;
  return dims;
}

bool broadcasts_to(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != to[d + lead] && from[d] != 1) return false;
  return true;
}

}  // namespace

Tensor sum(const Tensor& self, optional<ScalarType> dtype) {
  if (auto done = at_door<"sum">(self, dtype)) return done;
  return sum_of("SumBackward0", self, all_dims(self.dim()), false, dtype);
}
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) {
  if (auto done = at_door<"sum">(self, dim, keepdim, dtype)) return done;
  return sum_of("SumBackward1", self, dim_mask("sum", dim, self.dim()), keepdim, dtype);
}
Tensor& sum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                optional<ScalarType> dtype) {
  if (at_door<"sum_out">(out, self, dim, keepdim, dtype)) return out;
  if (!dtype && out.defined()) dtype = out.scalar_type();
  return store_out("sum", out, sum(self.detach(), dim, keepdim, dtype), {self});
}

Tensor mean(const Tensor& self, optional<ScalarType> dtype) {
  if (auto done = at_door<"mean">(self, dtype)) return done;
  return mean_of("MeanBackward0", self, all_dims(self.dim()), false, dtype);
}
Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) {
  if (auto done = at_door<"mean">(self, dim, keepdim, dtype)) return done;
  return mean_of("MeanBackward1", self, dim_mask("mean", dim, self.dim()), keepdim, dtype);
}
Tensor& mean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
                 optional<ScalarType> dtype) {
  if (at_door<"mean_out">(out, self, dim, keepdim, dtype)) return out;
  return store_out("mean", out, mean(self.detach(), dim, keepdim, dtype), {self});
}

Tensor nansum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
              optional<ScalarType> dtype) {
  if (auto done = at_door<"nansum">(self, dim, keepdim, dtype)) return done;
  if (dtype && *dtype != self.scalar_type()) return nansum(self.to(*dtype), dim, keepdim, dtype);
  if (isIntegralType(self.scalar_type(), true)) return sum(self, dim, keepdim, dtype);
  TAPER_CHECK(!self.is_complex(), "nansum does not support complex inputs");
  const DimMask dims = dim_mask("nansum", dim, self.dim());
  Tensor y = new_result(self, dims, keepdim, self.scalar_type());
  TAPER_ON_DEVICE(self, nansum, y, self, dims);
  if (needs_grad(self))
    record("NansumBackward0", y, {self}, [x = saved(self), dims](const Tensor& gy) {
      const Tensor numbers = x.get().isnan().logical_not();
      return spread(gy, Dims(numbers.sizes()), dims).mul(numbers);
    });
  return y;
}

Tensor prod(const Tensor& self, optional<ScalarType> dtype) {
  if (auto done = at_door<"prod">(self, dtype)) return done;
  return prod_of("ProdBackward0", self, all_dims(self.dim()), false, dtype);
}
Tensor prod(const Tensor& self, int64_t dim, bool keepdim, optional<ScalarType> dtype) {
  if (auto done = at_door<"prod">(self, dim, keepdim, dtype)) return done;
  return prod_of("ProdBackward1", self, one_dim("prod", dim, self.dim()), keepdim, dtype);
}

Tensor any(const Tensor& self) {
  if (auto done = at_door<"any">(self)) return done;
  return any_of(self, all_dims(self.dim()), false);
}
Tensor any(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"any">(self, dim, keepdim)) return done;
  return any_of(self, one_dim("any", dim, self.dim()), keepdim);
}
Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"any">(self, dim, keepdim)) return done;
  if (dim && dim->empty()) return as_truth(self);
  return any_of(self, dim_mask("any", dim, self.dim()), keepdim);
}
Tensor all(const Tensor& self) {
  if (auto done = at_door<"all">(self)) return done;
  return all_of(self, all_dims(self.dim()), false);
}
Tensor all(const Tensor& self, int64_t dim, bool keepdim) {
  if (auto done = at_door<"all">(self, dim, keepdim)) return done;
  return all_of(self, one_dim("all", dim, self.dim()), keepdim);
}
Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
  if (auto done = at_door<"all">(self, dim, keepdim)) return done;
  if (dim && dim->empty()) return as_truth(self);
  return all_of(self, dim_mask("all", dim, self.dim()), keepdim);
}

namespace {

Tensor& store_truth(const char* op, Tensor& out, const Tensor& self, const Tensor& y) {
  TAPER_CHECK(!out.defined() || out.scalar_type() == kBool || out.scalar_type() == kByte, op,
              " only supports bool tensor for result, got: ", toString(out.scalar_type()));
  return store_out(op, out, out.defined() ? y.to(out.scalar_type()) : y, {self});
}

}  // namespace

#define TAPER_TRUTH_OUT(name)                                                      \
  Tensor& name##_out(Tensor& out, const Tensor& self) {                            \
    if (at_door<#name "_out">(out, self)) return out;                              \
    return store_truth(#name, out, self, name(self.detach()));                     \
  }                                                                                \
  Tensor& name##_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim) { \
    if (at_door<#name "_out">(out, self, dim, keepdim)) return out;                \
    return store_truth(#name, out, self, name(self.detach(), dim, keepdim));       \
  }
TAPER_TRUTH_OUT(any)
TAPER_TRUTH_OUT(all)
#undef TAPER_TRUTH_OUT

Tensor count_nonzero(const Tensor& self, optional<int64_t> dim) {
  if (auto done = at_door<"count_nonzero">(self, dim)) return done;
  return count_of(self, dim ? one_dim("count_nonzero", *dim, self.dim()) : all_dims(self.dim()));
}
Tensor count_nonzero(const Tensor& self, IntArrayRef dim) {
  if (auto done = at_door<"count_nonzero">(self, dim)) return done;
  return count_of(self, dim_mask("count_nonzero", dim, self.dim()));
}

Tensor sum_to(const Tensor& g, IntArrayRef sizes) {
  if (g.sizes() == sizes) return g;
  if (auto done = at_door<"sum_to">(g, sizes)) return done;
  if (g.is_complex()) {
    Dims parts = sizes;
    parts.push_back(2);
    return detail::through_parts(g, [&](const Tensor& r) { return sum_to(r, parts); });
  }
  const DimMask dims = broadcast_dims(g.sizes(), sizes);
  Tensor y = detail::make_tensor(sizes, g.scalar_type(), g.device());
  Out kept(y);  // the same memory seen with g's dimensions
  kept.sizes = reduced_sizes(g.sizes(), dims, true);
  contiguous_strides(kept.sizes, kept.strides);
  TAPER_ON_DEVICE(g, sum, kept, g, dims, 1);
  if (needs_grad(g))
    record("SumBackward1", y, {g},
           [from = Dims(g.sizes())](const Tensor& gy) { return gy.expand(from); });
  return y;
}

Tensor sum_to_size(const Tensor& self, IntArrayRef size) {
  if (auto done = at_door<"sum_to_size">(self, size)) return done;
  TAPER_CHECK(broadcasts_to(size, self.sizes()), "sum_to_size: size {", size,
              "} is not expandable to size {", self.sizes(), "}.");
  if (self.sizes() == size || isFloatingOrComplexType(self.scalar_type()))
    return sum_to(self, size);
  return sum_to(self.to(kLong), size);
}

Tensor Tensor::sum(optional<ScalarType> dtype) const { return taper::sum(*this, dtype); }
Tensor Tensor::sum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::sum(*this, dim, keepdim, dtype);
}
Tensor Tensor::mean(optional<ScalarType> dtype) const { return taper::mean(*this, dtype); }
Tensor Tensor::mean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::mean(*this, dim, keepdim, dtype);
}
Tensor Tensor::prod(optional<ScalarType> dtype) const { return taper::prod(*this, dtype); }
Tensor Tensor::prod(int64_t dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::prod(*this, dim, keepdim, dtype);
}
Tensor Tensor::any() const { return taper::any(*this); }
Tensor Tensor::any(int64_t dim, bool keepdim) const { return taper::any(*this, dim, keepdim); }
Tensor Tensor::any(OptionalIntArrayRef dim, bool keepdim) const {
  return taper::any(*this, dim, keepdim);
}
Tensor Tensor::all() const { return taper::all(*this); }
Tensor Tensor::all(int64_t dim, bool keepdim) const { return taper::all(*this, dim, keepdim); }
Tensor Tensor::all(OptionalIntArrayRef dim, bool keepdim) const {
  return taper::all(*this, dim, keepdim);
}
Tensor Tensor::count_nonzero(optional<int64_t> dim) const {
  return taper::count_nonzero(*this, dim);
}
Tensor Tensor::count_nonzero(IntArrayRef dim) const { return taper::count_nonzero(*this, dim); }
Tensor Tensor::sum_to_size(IntArrayRef size) const { return taper::sum_to_size(*this, size); }

Tensor Tensor::nansum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::nansum(*this, dim, keepdim, dtype);
}

Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim,
               optional<ScalarType> dtype) {
  if (auto done = at_door<"nanmean">(self, dim, keepdim, dtype)) return done;
  check_defined("nanmean", self, "self");
  TAPER_CHECK(self.is_floating_point(),
              "nanmean(): expected input to have floating point or complex dtype but got ",
              self.scalar_type());
  const Tensor counted = isnan(self.detach()).logical_not();
  const Tensor count = dim ? counted.sum(*dim, keepdim) : counted.sum();
  return detail::divided_by_count(nansum(self, dim, keepdim, dtype), count);
}

Tensor Tensor::nanmean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
  return taper::nanmean(*this, dim, keepdim, dtype);
}

// ---------------------------------------------------------------- out forms
Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim,
                 optional<ScalarType> dtype) {
  if (at_door<"prod_out">(out, self, dim, keepdim, dtype)) return out;
  if (!dtype && out.defined()) dtype = out.scalar_type();
  return store_out("prod", out, prod(self.detach(), dim, keepdim, dtype), {self});
}
TAPER_OUT(nansum, (out, self, dim, keepdim, dtype), nansum(self, dim, keepdim, dtype), (self),
          const Tensor& self, OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype)
TAPER_OUT(nanmean, (out, self, dim, keepdim, dtype), nanmean(self, dim, keepdim, dtype), (self),
          const Tensor& self, OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype)

}  // namespace torch::taper
