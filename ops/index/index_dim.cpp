// Slices along one dimension: index_select, index_add, index_copy, index_fill.
#include <taper/ops/index/index_dim.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out_define.h>

namespace torch::taper {

namespace {

int64_t size_at(const Tensor& x, int64_t dim) { return x.dim() == 0 ? 1 : x.size(dim); }

/// Returns x as [outer, size, inner] around `dim`, which is wrapped.
RowShape rows_around(const Tensor& x, int64_t dim) {
  RowShape s{1, size_at(x, dim), 1};
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d < dim) s.outer *= x.size(d);
    if (d > dim) s.inner *= x.size(d);
  }
  return s;
}

/// Returns x's shape with n slices along `dim`.
Dims shape_with(const Tensor& x, int64_t dim, int64_t n) {
  Dims shape(x.sizes());
  if (x.dim() > 0) shape[dim] = n;
  return shape;
}

/// Checks the source for the three writing ops. They differ in index checks, writing and
/// derivatives.
void check_source(const char* op, const Tensor& x, int64_t dim, const Tensor& index,
                  const Tensor& source) {
  check_defined(op, source, "source");
  TAPER_CHECK_INDEX(index.dim() <= 1, op, "(): Index should have dimension 1 or 0 (got ",
                    index.dim(), ")");
  TAPER_CHECK(x.scalar_type() == source.scalar_type(), op, "(): self (", toString(x.scalar_type()),
              ") and source (", toString(source.scalar_type()), ") must have the same scalar type");
  check_same_device(op, x, index);
  check_same_device(op, x, source);
  TAPER_CHECK(
      index.numel() == size_at(source, std::min(dim, std::max<int64_t>(0, source.dim() - 1))), op,
      "(): Number of indices (", index.numel(), ") should be equal to source.size(dim): (",
      size_at(source, dim), "), for dim: ", dim);
  const Dims expected = shape_with(x, dim, index.numel());
  TAPER_CHECK(source.numel() == 1 || expected == Dims(source.sizes()), op,
              "(): expected source of shape ", expected, ", got ", source.sizes());
}

/// Returns the elements that index_fill writes, as a mask of x's shape.
Tensor filled_mask(const Tensor& x, int64_t dim, const Tensor& index) {
  Tensor mask = detail::make_tensor({size_at(x, dim)}, kBool, x.device());
  mask = index_fill(mask.zero_(), 0, index, true);
  Dims around;
  for (int64_t d = 0; d < x.dim(); ++d) around.push_back(d == dim ? x.size(d) : 1);
  return mask.reshape(around);
}

/// Writes slices of `source` to y. `rows` are in range.
void put_slices(const Tensor& y, int64_t dim, const Tensor& rows, const Tensor& source,
                PutMode mode) {
  NoGradGuard no_grad;
  const Tensor values = apart_from(y, source).contiguous();
  on_contiguous(y, [&](const Tensor& work) {
    TAPER_ON_DEVICE(y, put_rows, work, rows, values, rows_around(y, dim), mode);
  });
}

// Returns the product in x's dtype. For integers, `alpha` is truncated.
Tensor times(const Tensor& x, const Scalar& alpha) {
  const bool whole = isIntegralType(x.scalar_type(), true);
  return x.mul(whole ? Scalar(alpha.toLong()) : alpha).to(x.scalar_type());
}

Tensor add_slices(Form form, const Tensor& x, int64_t dim_given, const Tensor& index,
                  const Tensor& source, const Scalar& alpha) {
  check_defined(form.name, x, "self");
  const int64_t dim = wrap_dim(form.name, dim_given, x.dim());
  TAPER_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_add_(): Expected dtype int32/int64 for index but got: ",
              toString(index.scalar_type()));
  check_source("index_add_", x, dim, index, source);
  if (isIntegralType(x.scalar_type(), false)) detail::check_fits(alpha, x.scalar_type());
  const Tensor rows = apart_from(x, index).contiguous();
  TAPER_ON_DEVICE(x, check_index, form.name, rows, 0, size_at(x, dim), dim, IndexWording::kInSelf);
  const Tensor y = form.target(x, {source}, {index});
  const bool scaled = !alpha.equal(1);
  put_slices(y, dim, rows, scaled ? times(source.detach(), alpha) : source, PutMode::kAdd);
  form.changed(y);
  if (needs_grad(x, source))
    form.record("IndexAddBackward0", y, {x, source},
                [index = saved(index), dim, alpha, scaled,
                 sizes = Dims(source.sizes())](autograd::Grads& g) {
                  std::array<Tensor, 2> out;
                  if (!g[0].defined()) return out;
                  out[0] = g[0];
                  if (!g.needs(1)) return out;
                  out[1] = index_select(g[0], dim, index.get()).reshape(sizes);
                  if (scaled) out[1] = out[1].mul(alpha);
                  return out;
                });
  return y;
}

Tensor copy_slices(Form form, const Tensor& x, int64_t dim_given, const Tensor& index,
                   const Tensor& source) {
  check_defined(form.name, x, "self");
  const int64_t dim = wrap_dim(form.name, dim_given, x.dim());
  TAPER_CHECK(index.scalar_type() == kLong,
              "index_copy_(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  check_source("index_copy_", x, dim, index, source);
  const Tensor rows = apart_from(x, index).contiguous();
  TAPER_ON_DEVICE(x, check_index, "index_copy_()", rows, 0, size_at(x, dim), dim,
                  IndexWording::kDimension);
  const Tensor y = form.target(x, {source}, {index});
  put_slices(y, dim, rows, source, PutMode::kCopy);
  form.changed(y);
  if (needs_grad(x, source))
    form.record("IndexCopyBackward0", y, {x, source},
                [index = saved(index), dim, sizes = Dims(source.sizes())](autograd::Grads& g) {
                  std::array<Tensor, 2> out;
                  if (!g[0].defined()) return out;
                  if (g.needs(0)) out[0] = index_fill(g[0], dim, index.get(), 0);
                  if (g.needs(1)) out[1] = index_select(g[0], dim, index.get()).reshape(sizes);
                  return out;
                });
  return y;
}

Tensor fill_slices(Form form, const Tensor& x, int64_t dim_given, const Tensor& index,
                   const Scalar& value) {
  check_defined(form.name, x, "self");
  const int64_t dim = wrap_dim(form.name, dim_given, x.dim());
  TAPER_CHECK_INDEX(index.scalar_type() == kLong, "index_fill_(): Expected dtype int64 for index.");
  TAPER_CHECK_INDEX(index.dim() <= 1, form.name, ": Index has to be a vector/scalar");
  check_same_device(form.name, x, index);
  detail::check_fits(value, x.scalar_type());
  const Tensor at = index.contiguous();
  const Tensor rows = detail::make_tensor({at.numel()}, kLong, x.device());
  TAPER_ON_DEVICE(x, combine_indices, form.name, rows, std::vector<In>{In(at)},
                  Dims{size_at(x, dim)}, Dims{dim});
  if (form.in_place && autograd::overlaps_itself(x.impl()))
    return detail::fill_shared(form.name, x, filled_mask(x, dim, index), x.new_full({}, value));
  const Tensor y = form.target(x, {}, {index});
  on_contiguous(y, [&](const Tensor& work) {
    TAPER_ON_DEVICE(y, put_rows, work, rows, In::number(value, x.scalar_type()),
                    rows_around(y, dim), PutMode::kCopy);
  });
  form.changed(y);
  if (needs_grad(x))
    form.record("IndexFillBackward0", y, {x}, [index = saved(index), dim](const Tensor& gy) {
      return index_fill(gy, dim, index.get(), 0);
    });
  return y;
}

}  // namespace

Tensor index_select(const Tensor& x, int64_t dim_given, const Tensor& index) {
  if (auto done = at_door<"index_select">(x, dim_given, index)) return done;
  check_defined("index_select", x, "self");
  const int64_t dim = wrap_dim("index_select", dim_given, x.dim());
  TAPER_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TAPER_CHECK(index.scalar_type() == kLong || index.scalar_type() == kInt,
              "index_select(): Expected dtype int32 or int64 for index");
  TAPER_CHECK(x.dim() > 0 || index.numel() == 1,
              "index_select(): Index to scalar can have only 1 value, got ", index.numel(),
              " value(s)");
  check_same_device("index_select", x, index);
  const Tensor rows = index.contiguous();
  TAPER_ON_DEVICE(x, check_index, "index_select", rows, 0, size_at(x, dim), dim,
                  IndexWording::kInSelf);
  const Tensor y =
      detail::make_tensor(shape_with(x, dim, rows.numel()), x.scalar_type(), x.device());
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(x, take_rows, y, x.contiguous(), rows, rows_around(x, dim));
  }
  if (needs_grad(x))
    record("IndexSelectBackward0", y, {x},
           [index = saved(index), dim, sizes = Dims(x.sizes())](const Tensor& gy) {
             return gy.new_zeros(sizes).index_add_(dim, index.get(), gy);
           });
  return y;
}

Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  if (auto done = at_door<"index_add">(x, dim, index, source, alpha)) return done;
  return add_slices({"index_add", false}, x, dim, index, source, alpha);
}
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  if (auto done = at_door<"index_copy">(x, dim, index, source)) return done;
  return copy_slices({"index_copy", false}, x, dim, index, source);
}
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value) {
  if (auto done = at_door<"index_fill">(x, dim, index, value)) return done;
  return fill_slices({"index_fill", false}, x, dim, index, value);
}

Tensor index_fill(const Tensor& x, int64_t dim_given, const Tensor& index, const Tensor& value) {
  if (auto done = at_door<"index_fill">(x, dim_given, index, value)) return done;
  check_defined("index_fill", x, "self");
  check_defined("index_fill", value, "value");
  TAPER_CHECK(value.dim() == 0,
              "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  const int64_t dim = wrap_dim("index_fill", dim_given, x.dim());
  const Tensor y = index_fill(x.detach(), dim, index, value.item());
  if (needs_grad(x, value))
    record("IndexFillBackward1", y, {x, value},
           [index = saved(index), dim, like = value.options()](autograd::Grads& g) {
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = index_fill(g[0], dim, index.get(), 0);
             // A repeated index counts once.
             if (g.needs(1))
               out[1] = where(filled_mask(g[0], dim, index.get()), g[0], 0).sum().to(like);
             return out;
           });
  return y;
}

Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Tensor& value) const {
  return taper::index_fill(*this, dim, index, value);
}
Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Tensor& value) const {
  if (at_door<"index_fill_">(*this, dim, index, value)) return detail::as_mutable(*this);
  if (autograd::overlaps_itself(impl()) && value.dim() == 0 && !needs_grad(value))
    return index_fill_(dim, index, value.item());
  return in_place("index_fill_", *this, {value},
                  [&](const Tensor& x) { return taper::index_fill(x, dim, index, value); });
}
Tensor Tensor::index_select(int64_t dim, const Tensor& index) const {
  return taper::index_select(*this, dim, index);
}
Tensor Tensor::index_add(int64_t dim, const Tensor& index, const Tensor& source,
                         const Scalar& alpha) const {
  return taper::index_add(*this, dim, index, source, alpha);
}
Tensor& Tensor::index_add_(int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha) const {
  if (at_door<"index_add_">(*this, dim, index, source, alpha)) return detail::as_mutable(*this);
  add_slices({"index_add_", true}, *this, dim, index, source, alpha);
  return detail::as_mutable(*this);
}
Tensor Tensor::index_copy(int64_t dim, const Tensor& index, const Tensor& source) const {
  return taper::index_copy(*this, dim, index, source);
}
Tensor& Tensor::index_copy_(int64_t dim, const Tensor& index, const Tensor& source) const {
  if (at_door<"index_copy_">(*this, dim, index, source)) return detail::as_mutable(*this);
  copy_slices({"index_copy_", true}, *this, dim, index, source);
  return detail::as_mutable(*this);
}
Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Scalar& value) const {
  return taper::index_fill(*this, dim, index, value);
}
Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Scalar& value) const {
  if (at_door<"index_fill_">(*this, dim, index, value)) return detail::as_mutable(*this);
  fill_slices({"index_fill_", true}, *this, dim, index, value);
  return detail::as_mutable(*this);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(index_select, (out, self, dim, index), index_select(self, dim, index), (self, index),
          const Tensor& self, int64_t dim, const Tensor& index)
TAPER_OUT(index_add, (out, self, dim, index, source, alpha),
          index_add(self, dim, index, source, alpha), (self, index, source), const Tensor& self,
          int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha)
TAPER_OUT(index_copy, (out, self, dim, index, source), index_copy(self, dim, index, source),
          (self, index, source), const Tensor& self, int64_t dim, const Tensor& index,
          const Tensor& source)

}  // namespace torch::taper
