// One element for each index along a dimension: gather and scatter.
#include <taper/ops/index/index_scatter.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/index/scatter_product.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

int64_t size_at(const Tensor& x, int64_t dim) { return x.dim() == 0 ? 1 : x.size(dim); }
int64_t rank_of(const Tensor& x) { return std::max<int64_t>(1, x.dim()); }

void check_index_tensor(const char* op, const Tensor& x, const Tensor& index) {
  check_defined(op, x, "self");
  check_defined(op, index, "index");
  TAPER_CHECK(index.scalar_type() == kLong, op, "(): Expected dtype int64 for index");
  check_same_device(op, x, index);
  TAPER_CHECK(index.numel() == 0 || rank_of(index) == rank_of(x), op,
              ": Index tensor must have the same number of dimensions as input tensor");
}

/// Tests that `index` is no larger than `t`, except along `dim` (-1: no exception).
bool fits_in(const Tensor& index, const Tensor& t, int64_t dim) {
  for (int64_t d = 0; d < rank_of(index); ++d)
    if (d != dim && size_at(index, d) > size_at(t, d)) return false;
  return true;
}

void check_scatter(const char* op, const Tensor& x, int64_t dim, const Tensor& index) {
  check_index_tensor(op, x, index);
  TAPER_CHECK(index.numel() == 0 || fits_in(index, x, dim), op, ": Expected index ", index.sizes(),
              " to be smaller than self ", x.sizes(), " apart from dimension ", dim);
}

void check_scatter_source(const char* op, const Tensor& x, int64_t dim, const Tensor& index,
                          const Tensor& src) {
  check_index_tensor(op, x, index);
  check_defined(op, src, "src");
  TAPER_CHECK(x.scalar_type() == src.scalar_type(), op,
              "(): Expected self.dtype to be equal to src.dtype");
  check_same_device(op, x, src);
  if (index.numel() == 0) return;
  TAPER_CHECK(rank_of(index) == rank_of(src), op,
              ": Index tensor must have the same number of dimensions as src tensor");
  TAPER_CHECK(fits_in(index, x, dim) && fits_in(index, src, -1), op, ": Expected index ",
              index.sizes(), " to be smaller than self ", x.sizes(), " apart from dimension ", dim,
              " and to be smaller size than src ", src.sizes());
}

PutMode mode_of(std::string_view reduce) {
  TAPER_CHECK(reduce == "add" || reduce == "multiply",
              "scatter: reduce argument must be either add or multiply.");
  return reduce == "add" ? PutMode::kAdd : PutMode::kMultiply;
}

/// Checks the range of `index`, then writes. `src` has been checked.
template <class Source>
Tensor scatter_into(Form form, const Tensor& x, int64_t dim, const Tensor& index, const Source& src,
                    PutMode mode, const autograd::detail::Inputs& others = {}) {
  const Tensor at = apart_from(x, index).contiguous();
  if (at.numel() > 0)
    TAPER_ON_DEVICE(x, check_index, form.name, at, 0, size_at(x, dim), dim,
                    IndexWording::kDimensionRt);
  const Tensor y = form.target(x, others, {index});
  if (form.in_place && mode == PutMode::kMultiply && needs_grad(x))
    for (size_t i = 0; i < others.n; ++i) autograd::check_can_be_saved(*others.p[i]);
  on_contiguous(
      y, [&](const Tensor& work) { TAPER_ON_DEVICE(x, scatter_along, work, at, src, dim, mode); });
  form.changed(y);
  return y;
}

/// Returns the part of a source that `index` covers.
Tensor used_part(const Tensor& src, const Tensor& index) {
  Tensor part = src;
  for (int64_t d = 0; d < src.dim(); ++d) part = part.narrow(d, 0, size_at(index, d));
  return part;
}

/// Returns the gradient of a source from the gradient of its used part.
Tensor source_gradient(const Tensor& used, const Tensor& index, const Dims& sizes) {
  if (sizes == Dims(index.sizes())) return used;
  Tensor whole = used.new_zeros(sizes);
  const Tensor part = used_part(whole, index);
  part.copy_(used.reshape(part.sizes()));
  return whole;
}

/// Records copying or adding: x loses the gradient at its targets (if copied), src gains it.
void record_put(Form form, const Tensor& y, const Tensor& x, int64_t dim, const Tensor& index,
                const Tensor& src, bool add) {
  form.record(add ? "ScatterAddBackward0" : "ScatterBackward0", y, {x, src},
              [index = saved(index), dim, add, sizes = Dims(src.sizes())](autograd::Grads& g) {
                std::array<Tensor, 2> out;
                const Tensor at = index.get();
                if (g.needs(0)) out[0] = add ? g[0] : scatter(g[0], dim, at, 0);
                if (g.needs(1)) out[1] = source_gradient(gather(g[0], dim, at), at, sizes);
                return out;
              });
}

/// Records multiplication. `before` is the old x.
void record_product(Form form, const Tensor& y, const Tensor& x, const Tensor& before, int64_t dim,
                    const Tensor& index, const Tensor& src) {
  form.record(
      "ScatterReduceBackward0", y, {x, src},
      [before = saved(before), index = saved(index), src = saved(src), dim](autograd::Grads& g) {
        std::array<Tensor, 2> out;
        const Tensor at = index.get(), s = src.get().conj();
        if (g.needs(0)) out[0] = scatter(g[0], dim, at, s, "multiply");
        if (!g.needs(1)) return out;
        const Tensor used =
            scatter_product_of_others(g[0] * before.get().conj(), dim, at, used_part(s, at));
        out[1] = source_gradient(used, at, Dims(s.sizes()));
        return out;
      });
}

Tensor scatter_source(Form form, const Tensor& x, int64_t dim_given, const Tensor& index,
                      const Tensor& src, PutMode mode) {
  const int64_t dim = wrap_dim(form.name, dim_given, x.dim());
  check_scatter_source("scatter", x, dim, index, src);
  const bool recording = needs_grad(x, src), product = mode == PutMode::kMultiply;
  const Tensor before = recording && product && form.in_place ? detail::before_change(x) : x;
  const Tensor y = scatter_into(form, x, dim, index, apart_from(x, src), mode, {src});
  if (!recording) return y;
  if (product)
    record_product(form, y, x, before, dim, index, src);
  else
    record_put(form, y, x, dim, index, src, mode == PutMode::kAdd);
  return y;
}

Tensor scatter_value(Form form, const Tensor& x, int64_t dim_given, const Tensor& index,
                     const Scalar& value, PutMode mode) {
  const int64_t dim = wrap_dim(form.name, dim_given, x.dim());
  check_scatter("scatter", x, dim, index);
  detail::check_fits(value, x.scalar_type());
  const Tensor y =
      x.is_complex()
          ? scatter_into(form, x, dim, index,
                         full(index.sizes(), value, x.options().requires_grad(false)), mode)
          : scatter_into(form, x, dim, index, In::number(value, x.scalar_type()), mode);
  if (!needs_grad(x)) return y;
  form.record(mode == PutMode::kMultiply ? "ScatterReduceBackward0" : "ScatterBackward1", y, {x},
              [index = saved(index), dim, value, mode](const Tensor& gy) {
                if (mode == PutMode::kAdd) return gy;
                if (mode == PutMode::kCopy) return scatter(gy, dim, index.get(), 0);
                return scatter(gy, dim, index.get(), value.conj(), "multiply");
              });
  return y;
}

}  // namespace

Tensor gather(const Tensor& x, int64_t dim_given, const Tensor& index, bool sparse_grad) {
  if (auto done = at_door<"gather">(x, dim_given, index, sparse_grad)) return done;
  check_index_tensor("gather", x, index);
  TAPER_CHECK(!sparse_grad,
              "gather: expected sparse_grad=false, got true; "
              "Taper has dense gradients only");
  const int64_t dim = wrap_dim("gather", dim_given, x.dim());
  for (int64_t d = 0; index.numel() > 0 && d < rank_of(x); ++d)
    TAPER_CHECK(d == dim || size_at(index, d) <= size_at(x, d),
                "gather: Size does not match at dimension ", d, " expected index ", index.sizes(),
                " to be smaller than self ", x.sizes(), " apart from dimension ", dim);
  const Tensor y = detail::make_tensor(index.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, gather_along, y, x, index.contiguous(), dim);
  if (needs_grad(x))
    record("GatherBackward0", y, {x},
           [index = saved(index), dim, sizes = Dims(x.sizes())](const Tensor& gy) {
             return gy.new_zeros(sizes).scatter_add_(dim, index.get(), gy);
           });
  return y;
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  if (auto done = at_door<"scatter">(x, dim, index, src)) return done;
  return scatter_source({"scatter", false}, x, dim, index, src, PutMode::kCopy);
}
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value) {
  if (auto done = at_door<"scatter">(x, dim, index, value)) return done;
  return scatter_value({"scatter", false}, x, dim, index, value, PutMode::kCopy);
}
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce) {
  if (auto done = at_door<"scatter">(x, dim, index, src, reduce)) return done;
  return scatter_source({"scatter", false}, x, dim, index, src, mode_of(reduce));
}
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  if (auto done = at_door<"scatter">(x, dim, index, value, reduce)) return done;
  return scatter_value({"scatter", false}, x, dim, index, value, mode_of(reduce));
}
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  if (auto done = at_door<"scatter_add">(x, dim, index, src)) return done;
  return scatter_source({"scatter_add", false}, x, dim, index, src, PutMode::kAdd);
}

Tensor Tensor::gather(int64_t dim, const Tensor& index, bool sparse_grad) const {
  return taper::gather(*this, dim, index, sparse_grad);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src) const {
  return taper::scatter(*this, dim, index, src);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value) const {
  return taper::scatter(*this, dim, index, value);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce) const {
  return taper::scatter(*this, dim, index, src, reduce);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value,
                       std::string_view reduce) const {
  return taper::scatter(*this, dim, index, value, reduce);
}
Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const {
  return taper::scatter_add(*this, dim, index, src);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src) const {
  if (at_door<"scatter_">(*this, dim, index, src)) return detail::as_mutable(*this);
  scatter_source({"scatter_", true}, *this, dim, index, src, PutMode::kCopy);
  return detail::as_mutable(*this);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value) const {
  if (at_door<"scatter_">(*this, dim, index, value)) return detail::as_mutable(*this);
  scatter_value({"scatter_", true}, *this, dim, index, value, PutMode::kCopy);
  return detail::as_mutable(*this);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src,
                         std::string_view reduce) const {
  if (at_door<"scatter_">(*this, dim, index, src, reduce)) return detail::as_mutable(*this);
  scatter_source({"scatter_", true}, *this, dim, index, src, mode_of(reduce));
  return detail::as_mutable(*this);
}
Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value,
                         std::string_view reduce) const {
  if (at_door<"scatter_">(*this, dim, index, value, reduce)) return detail::as_mutable(*this);
  scatter_value({"scatter_", true}, *this, dim, index, value, mode_of(reduce));
  return detail::as_mutable(*this);
}
Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) const {
  if (at_door<"scatter_add_">(*this, dim, index, src)) return detail::as_mutable(*this);
  scatter_source({"scatter_add_", true}, *this, dim, index, src, PutMode::kAdd);
  return detail::as_mutable(*this);
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, optional<int64_t> dim) {
  if (auto done = at_door<"take_along_dim">(self, indices, dim)) return done;
  check_defined("take_along_dim", self, "self");
  check_defined("take_along_dim", indices, "indices");
  TAPER_CHECK(indices.scalar_type() == kLong,
              "torch.take_along_dim(): dtype of indices should be Long but got ",
              indices.scalar_type());
  if (!dim) return gather(self.reshape({self.numel()}), 0, indices.reshape({indices.numel()}));
  TAPER_CHECK(self.dim() == indices.dim(),
              "torch.take_along_dim(): input and indices should have the same number of "
              "dimensions, but got ",
              self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  const int64_t d = wrap_dim("take_along_dim", *dim, self.dim());
  Dims a = self.sizes(), b = indices.sizes();
  a[d] = b[d] = 1;
  const Dims both = broadcast_shapes("take_along_dim", a, b);
  Dims of_self = both, of_indices = both;
  of_self[d] = self.size(d);
  of_indices[d] = indices.size(d);
  return gather(self.expand(of_self), d, indices.expand(of_indices));
}

Tensor Tensor::take_along_dim(const Tensor& indices, optional<int64_t> dim) const {
  return taper::take_along_dim(*this, indices, dim);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(gather, (out, self, dim, index, sparse_grad), gather(self, dim, index, sparse_grad),
          (self, index), const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad)
TAPER_OUT(scatter, (out, self, dim, index, src), scatter(self, dim, index, src), (self, index, src),
          const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src)
TAPER_OUT(scatter, (out, self, dim, index, value), scatter(self, dim, index, value), (self, index),
          const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value)
TAPER_OUT(scatter_add, (out, self, dim, index, src), scatter_add(self, dim, index, src),
          (self, index, src), const Tensor& self, int64_t dim, const Tensor& index,
          const Tensor& src)
TAPER_OUT(take_along_dim, (out, self, indices, dim), self.take_along_dim(indices, dim),
          (self, indices), const Tensor& self, const Tensor& indices, optional<int64_t> dim)

}  // namespace torch::taper
