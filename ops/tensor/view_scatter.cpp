#include <taper/ops/tensor/view_scatter.h>

#include <cstdlib>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/shared/promote.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {
namespace {

// Returns a copy of x whose part(copy) is `src`.
template <class Part>
Tensor with_part(const char* op, const char* node, const Tensor& x, const Tensor& src, Part part) {
  check_defined(op, x, "self");
  check_defined(op, src, "src");
  check_same_device(op, x, src);
  TAPER_CHECK(
      isFloatingOrComplexType(x.scalar_type()) || !needs_grad(src), op,
      ": expected self of a floating-point or complex dtype where src wants a gradient, got ",
      toString(x.scalar_type()), ". Autograd not support dtype: ", toString(x.scalar_type()),
      ". Convert self, or detach src");
  Tensor y;
  {
    NoGradGuard no_grad;
    const Dims wanted = part(x.detach()).sizes();
    TAPER_CHECK(Dims(src.sizes()) == wanted, op,
                ": expected src to have a size equal to the slice of self. src size = ",
                src.sizes(), ", slice size = ", wanted);
    y = x.clone(MemoryFormat::Contiguous);
    part(y).copy_(src);
  }
  if (needs_grad(x, src))
    record(node, y, {x, src}, [=, form = detail::InputForm(src)](autograd::Grads& g) {
      const Tensor part_of_g = part(g[0]);
      return std::array<Tensor, 2>{with_part(op, node, g[0], zeros_like(part_of_g), part),
                                   form(part_of_g)};
    });
  return y;
}

}  // namespace

Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index) {
  if (auto done = at_door<"select_scatter">(x, src, dim, index)) return done;
  return with_part("select_scatter", "SelectScatterBackward0", x, src,
                   [=](const Tensor& t) { return select(t, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim, optional<int64_t> start,
                     optional<int64_t> end, int64_t step) {
  if (auto done = at_door<"slice_scatter">(x, src, dim, start, end, step)) return done;
  return with_part("slice_scatter", "SliceScatterBackward0", x, src,
                   [=](const Tensor& t) { return slice(t, dim, start, end, step); });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  if (auto done = at_door<"diagonal_scatter">(x, src, offset, dim1, dim2)) return done;
  return with_part("diagonal_scatter", "DiagonalScatterBackward0", x, src,
                   [=](const Tensor& t) { return diagonal(t, offset, dim1, dim2); });
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& src, IntArrayRef size, IntArrayRef stride,
                          optional<int64_t> storage_offset) {
  if (auto done = at_door<"as_strided_scatter">(x, src, size, stride, storage_offset)) return done;
  return with_part(
      "as_strided_scatter", "AsStridedScatterBackward0", x, src,
      [size = Dims(size), stride = Dims(stride), at = storage_offset.value_or(0)](const Tensor& t) {
        const Tensor rows = t.contiguous();
        return as_strided(rows, size, stride, rows.storage_offset() + at);
      });
}

Tensor diag_embed(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  if (auto done = at_door<"diag_embed">(x, offset, dim1, dim2)) return done;
  check_defined("diag_embed", x, "self");
  TAPER_CHECK(x.dim() > 0, "diag_embed: expected a tensor with dimensions, got a 0-dim one");
  const int64_t rank = x.dim() + 1;
  const int64_t a = wrap_dim("diag_embed", dim1, rank), b = wrap_dim("diag_embed", dim2, rank);
  TAPER_CHECK(a != b, "diag_embed: diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t n = detail::embedded_size("diag_embed", x.size(-1), offset);
  Dims sizes = x.sizes();
  sizes.erase(sizes.size() - 1);
  sizes.insert(std::min(a, b), n);
  sizes.insert(std::max(a, b), n);
  Tensor y;
  {
    NoGradGuard no_grad;
    y = zeros(sizes, x.options());
    diagonal(y, offset, a, b).copy_(x);
  }
  if (needs_grad(x))
    record("DiagEmbedBackward0", y, {x},
           [offset, a, b](const Tensor& gy) { return diagonal(gy, offset, a, b); });
  return y;
}

Tensor diagflat(const Tensor& x, int64_t offset) {
  if (auto done = at_door<"diagflat">(x, offset)) return done;
  check_defined("diagflat", x, "self");
  return diag_embed(x.reshape({-1}), offset);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::select_scatter(const Tensor& src, int64_t dim, int64_t index) const {
  return taper::select_scatter(*this, src, dim, index);
}
Tensor Tensor::slice_scatter(const Tensor& src, int64_t dim, optional<int64_t> start,
                             optional<int64_t> end, int64_t step) const {
  return taper::slice_scatter(*this, src, dim, start, end, step);
}
Tensor Tensor::diagonal_scatter(const Tensor& src, int64_t offset, int64_t dim1,
                                int64_t dim2) const {
  return taper::diagonal_scatter(*this, src, offset, dim1, dim2);
}
Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const {
  return taper::diag_embed(*this, offset, dim1, dim2);
}
Tensor Tensor::diagflat(int64_t offset) const { return taper::diagflat(*this, offset); }

namespace {

// Fills the diagonals of the squares that lie one below the other in a tall matrix. One row
// separates them. The last square may be cut off.
void fill_wrapped_diagonal(const Tensor& x, const Scalar& value) {
  const int64_t n = x.size(1), period = n + 1, whole = (x.size(0) + 1) / period;
  const int64_t step = x.stride(0) + x.stride(1), rest = x.size(0) - whole * period;
  x.as_strided({whole, n}, {x.stride(0) * period, step}).fill_(value);
  if (rest > 0)
    x.as_strided({rest}, {step}, x.storage_offset() + whole * period * x.stride(0)).fill_(value);
}

}  // namespace

Tensor& Tensor::fill_diagonal_(const Scalar& value, bool wrap) const {
  if (at_door<"fill_diagonal_">(*this, value, wrap)) return detail::as_mutable(*this);
  const Dims size = sizes();
  TAPER_CHECK(size.size() >= 2, "fill_diagonal_: dimensions must larger than 1");
  for (int64_t d = 1; size.size() > 2 && d < size.size(); ++d)
    TAPER_CHECK(size[d] == size[0],
                "fill_diagonal_: all dimensions of input must be of equal length");
  if (wrap && size.size() == 2 && size[0] > size[1]) {
    fill_wrapped_diagonal(*this, value);
    return detail::as_mutable(*this);
  }
  int64_t length = size[0], step = 0;
  for (int64_t d = 0; d < size.size(); ++d) {
    length = std::min(length, size[d]);
    step += stride(d);
  }
  as_strided({length}, {step}).fill_(value);
  return detail::as_mutable(*this);
}

Tensor Tensor::as_strided_scatter(const Tensor& src, IntArrayRef size, IntArrayRef stride,
                                  optional<int64_t> storage_offset) const {
  return taper::as_strided_scatter(*this, src, size, stride, storage_offset);
}

}  // namespace torch::taper
