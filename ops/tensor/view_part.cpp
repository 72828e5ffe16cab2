#include <taper/ops/tensor/view_part.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_helpers.h>

namespace torch::taper {

using detail::make_view;

namespace {

// Returns a gradient that is `g` in the part picked by `part`, and 0 elsewhere. In-place ops on
// views are recorded, so it can be differentiated again.
template <class Part>
Tensor embed(const Tensor& g, const Dims& sizes, const Part& part) {
  Tensor whole = detail::zeros_for(g, sizes);
  part(whole).copy_(g);
  return whole;
}

}  // namespace

Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  if (auto done = at_door<"select">(x, dim, index)) return done;
  const TensorImpl& t = x.impl();
  TAPER_CHECK_INDEX(x.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  const int64_t d = wrap_dim("select", dim, x.dim()), size = t.sizes[d];
  TAPER_CHECK_INDEX(index >= -size && index < size, "select(): index ", index,
                    " out of range for tensor of size ", x.sizes(), " at dimension ", d);
  const int64_t i = index < 0 ? index + size : index;
  Dims sizes = t.sizes, strides = t.strides;
  sizes.erase(d);
  strides.erase(d);
  return make_view("SelectBackward0", x, sizes, strides, t.offset + i * t.strides[d],
                   [own = t.sizes, d, i](const Tensor& g) {
                     return embed(g, own, [&](const Tensor& w) { return select(w, d, i); });
                   });
}

Tensor slice(const Tensor& x, int64_t dim, optional<int64_t> start, optional<int64_t> end,
             int64_t step) {
  if (auto done = at_door<"slice">(x, dim, start, end, step)) return done;
  const TensorImpl& t = x.impl();
  TAPER_CHECK_INDEX(x.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  TAPER_CHECK(step > 0, "slice step must be positive");
  const int64_t d = wrap_dim("slice", dim, x.dim()), size = t.sizes[d];
  const auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size); };
  const int64_t first = clamp(start.value_or(0));
  const int64_t last = std::max(first, clamp(end.value_or(INT64_MAX)));
  Dims sizes = t.sizes, strides = t.strides;
  sizes[d] = (last - first) / step + ((last - first) % step != 0);
  strides[d] *= step;
  return make_view("SliceBackward0", x, sizes, strides, t.offset + first * t.strides[d],
                   [own = t.sizes, d, first, last, step](const Tensor& g) {
                     return embed(g, own,
                                  [&](const Tensor& w) { return slice(w, d, first, last, step); });
                   });
}

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  if (auto done = at_door<"narrow">(x, dim, start, length)) return done;
  TAPER_CHECK(x.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TAPER_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t d = wrap_dim("narrow", dim, x.dim()), size = x.size(d);
  TAPER_CHECK_INDEX(start >= -size && start <= size,
                    "narrow: start out of range (expected to be in range of [", -size, ", ", size,
                    "], but got ", start, ")");
  const int64_t first = start < 0 ? start + size : start;
  TAPER_CHECK(first <= size - length, "narrow: start (", first, ") + length (", length,
              ") exceeds dimension size (", size, ").");
  return slice(x, d, first, first + length, 1);
}

Tensor narrow(const Tensor& x, int64_t dim, const Tensor& start, int64_t length) {
  if (auto done = at_door<"narrow">(x, dim, start, length)) return done;
  check_defined("narrow", start, "start");
  TAPER_CHECK(start.dim() == 0 && isIntegralType(start.scalar_type(), false),
              "narrow: start must be an 0-dim integral Tensor.");
  return narrow(x, dim, start.item<int64_t>(), length);
}

Tensor diagonal(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  if (auto done = at_door<"diagonal">(x, offset, dim1, dim2)) return done;
  const TensorImpl& t = x.impl();
  const int64_t a = wrap_dim("diagonal", dim1, x.dim()), b = wrap_dim("diagonal", dim2, x.dim());
  TAPER_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  // A diagonal outside the matrix is empty, like the nearest one outside.
  offset = std::clamp(offset, -t.sizes[a], t.sizes[b]);
  const int64_t rows = t.sizes[a] - std::max<int64_t>(-offset, 0);
  const int64_t cols = t.sizes[b] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, cols), 0);
  int64_t start = t.offset;
  if (length > 0) start += offset >= 0 ? offset * t.strides[b] : -offset * t.strides[a];
  Dims sizes = t.sizes, strides = t.strides;
  const int64_t step = t.strides[a] + t.strides[b];
  for (int64_t d : {std::max(a, b), std::min(a, b)}) {
    sizes.erase(d);
    strides.erase(d);
  }
  sizes.push_back(length);
  strides.push_back(step);
  return make_view("DiagonalBackward0", x, sizes, strides, start,
                   [own = t.sizes, offset, a, b](const Tensor& g) {
                     return embed(g, own,
                                  [&](const Tensor& w) { return diagonal(w, offset, a, b); });
                   });
}

// ---------------------------------------------------------------- any geometry
namespace {

// Returns the number of storage elements from the first to the last that (sizes, strides) reaches.
int64_t extent(const Dims& sizes, const Dims& strides) {
  return detail::checked_extent("as_strided", sizes, strides, 0, 1);
}

bool overlaps(const Dims& sizes, const Dims& strides) {
  // Sorted by stride, each dimension must step over all dimensions inside it.
  Dims order;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t reach = 0;
  for (int64_t d : order) {
    if (strides[d] <= reach) return true;
    reach += (sizes[d] - 1) * strides[d];
  }
  return false;
}

// Returns the indices in memory, from `first` on, that (sizes, strides) reaches, one per element.
Tensor places_of(const Tensor& g, int64_t length, const Dims& sizes, const Dims& strides,
                 int64_t first) {
  const Tensor places = arange(length, TensorOptions(kLong).device(g.device()));
  return reshape(as_strided(places, sizes, strides, first), {-1});
}

// Adds the gradient of as_strided into a flat buffer and reads it through the geometry of the
// input.
// Elements seen twice add up. `shift` is the view's offset relative to the input's. Elements of the
// input that share memory get equal parts, so that the source of the input gets the sum once.
Tensor as_strided_backward(const Tensor& g, const Dims& in_sizes, const Dims& in_strides,
                           const Dims& sizes, const Dims& strides, int64_t shift) {
  const int64_t first = std::min<int64_t>(shift, 0);
  const int64_t length =
      std::max(extent(in_sizes, in_strides), shift + extent(sizes, strides)) - first;
  Tensor flat = detail::zeros_for(g, {length});
  if (!overlaps(sizes, strides)) {
    as_strided(flat, sizes, strides, shift - first).copy_(g);
  } else {
    const Tensor places = places_of(g, length, sizes, strides, shift - first);
    flat = flat.index_add(0, places, reshape(g, {-1}));
  }
  if (overlaps(in_sizes, in_strides)) {
    const Tensor places = places_of(g, length, in_sizes, in_strides, -first);
    const Tensor ones = detail::make_tensor(places.sizes(), g.scalar_type(), g.device()).fill_(1);
    // This is 0 / 0 for elements that nothing reads.
    flat = flat.div(detail::zeros_for(g, {length}).index_add(0, places, ones));
  }
  return as_strided(flat, in_sizes, in_strides, -first);
}

}  // namespace

Tensor as_strided(const Tensor& x, IntArrayRef size, IntArrayRef stride,
                  optional<int64_t> storage_offset) {
  if (auto done = at_door<"as_strided">(x, size, stride, storage_offset)) return done;
  const TensorImpl& t = x.impl();
  TAPER_CHECK(size.size() == stride.size(),
              "as_strided: mismatch in length of strides and shape: got size ", size,
              " and stride ", stride);
  const Dims sizes(size), strides(stride);
  const int64_t offset = storage_offset.value_or(t.offset);
  checked_numel(size, "as_strided");
  for (int64_t s : stride)
    TAPER_CHECK(
        s >= 0,
        "as_strided: Negative strides are not supported at the moment, got strides: ", stride);
  TAPER_CHECK(offset >= 0, "Tensor: invalid storage offset ", offset);
  const int64_t needed = detail::checked_extent("as_strided", sizes, strides, offset, t.itemsize());
  const int64_t held = static_cast<int64_t>(t.storage->nbytes / t.itemsize());
  TAPER_CHECK(needed <= held, "setStorage: sizes ", size, ", strides ", stride, ", storage offset ",
              offset, ", and itemsize ", t.itemsize(), " requiring a storage size of ",
              needed * static_cast<int64_t>(t.itemsize()),
              " are out of bounds for storage of size ", t.storage->nbytes);
  return make_view("AsStridedBackward0", x, sizes, strides, offset,
                   [in_sizes = t.sizes, in_strides = t.strides, sizes, strides,
                    shift = offset - t.offset](const Tensor& g) {
                     return as_strided_backward(g, in_sizes, in_strides, sizes, strides, shift);
                   });
}

Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step) {
  if (auto done = at_door<"unfold">(x, dimension, size, step)) return done;
  const TensorImpl& t = x.impl();
  const int64_t d = wrap_dim("unfold", dimension, x.dim());
  const int64_t length = x.dim() == 0 ? 1 : t.sizes[d], unit = x.dim() == 0 ? 1 : t.strides[d];
  TAPER_CHECK(size >= 0 && size <= length, "unfold: maximum size for tensor at dimension ", d,
              " is ", length, " but size is ", size);
  TAPER_CHECK(step > 0, "unfold: step is ", step, " but must be > 0");
  Dims sizes = t.sizes, strides = t.strides;
  if (x.dim() > 0) {
    sizes[d] = (length - size) / step + 1;
    strides[d] = step * unit;
  }
  sizes.push_back(size);
  strides.push_back(unit);
  return make_view("UnfoldBackward0", x, sizes, strides, t.offset,
                   [in_sizes = t.sizes, sizes, d, step](const Tensor& g) {
                     // Each element of x has a separate index, as if x were dense, even if elements
                     // share memory.
                     Dims dense;
                     contiguous_strides(in_sizes, dense);
                     Dims steps = dense;
                     if (!in_sizes.empty()) steps[d] *= step;
                     steps.push_back(in_sizes.empty() ? 1 : dense[d]);
                     return as_strided_backward(g, in_sizes, dense, sizes, steps, 0);
                   });
}

// ---------------------------------------------------------------- methods
Tensor Tensor::narrow(int64_t dim, const Tensor& start, int64_t length) const {
  return taper::narrow(*this, dim, start, length);
}
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  return taper::narrow(*this, dim, start, length);
}
Tensor Tensor::select(int64_t dim, int64_t index) const { return taper::select(*this, dim, index); }
Tensor Tensor::slice(int64_t dim, optional<int64_t> start, optional<int64_t> end,
                     int64_t step) const {
  return taper::slice(*this, dim, start, end, step);
}
Tensor Tensor::as_strided(IntArrayRef size, IntArrayRef stride,
                          optional<int64_t> storage_offset) const {
  return taper::as_strided(*this, size, stride, storage_offset);
}
Tensor Tensor::unfold(int64_t dimension, int64_t size, int64_t step) const {
  return taper::unfold(*this, dimension, size, step);
}
Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
  return taper::diagonal(*this, offset, dim1, dim2);
}

Tensor Tensor::narrow_copy(int64_t dim, int64_t start, int64_t length) const {
  if (auto done = at_door<"narrow_copy">(*this, dim, start, length)) return done;
  return narrow(dim, start, length).clone(MemoryFormat::Contiguous);
}

}  // namespace torch::taper
