#include <taper/ops/tensor/view.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/tensor/view_helpers.h>

namespace torch::taper {

using detail::make_view;

// ---------------------------------------------------------------- view, reshape
namespace {

// Tests for plain sizes with the product n, which infer_size() would return unchanged.
TAPER_INLINE bool are_sizes_of(IntArrayRef shape, int64_t n) {
  int64_t product = 1;
  bool plain = shape.size() <= static_cast<size_t>(kMaxDims);
  for (int64_t size : shape) {
    plain &= size >= 0;
    plain &= !__builtin_mul_overflow(product, size, &product);
  }
  return plain && product == n;
}

// Returns the elements of `t` as `shape`, which has as many. Undefined if the strides do not allow
// it.
TAPER_INLINE Tensor as_shape(const TensorImpl& t, const Dims& shape) {
  if (t.contiguous) return detail::share_as_shape(t, shape);
  const optional<Dims> strides = view_strides(t.sizes, t.strides, shape);
  return strides ? detail::share_data(t, shape, *strides, t.offset) : Tensor();
}
// Calls as_shape with the sizes given to an op, one of which may be -1.
TAPER_INLINE Tensor as_sizes(const char* op, const TensorImpl& t, IntArrayRef size) {
  return t.contiguous && are_sizes_of(size, t.numel) ? detail::share_as_shape(t, size)
                                                     : as_shape(t, infer_size(op, size, t.numel));
}

// Makes y a view of x in another shape.
void tie_shaped(const char* node, const Tensor& y, const Tensor& x) {
  detail::tie_view(node, y, x,
                   [sizes = x.impl().sizes](const Tensor& g) { return reshape(g, sizes); });
}

}  // namespace

Tensor view(const Tensor& x, IntArrayRef size) {
  if (auto done = at_door<"view">(x, size)) return done;
  const TensorImpl& t = x.impl();
  Tensor y = as_sizes("view", t, size);
  TAPER_CHECK(y.defined(),
              "view: view size is not compatible with input tensor's size and stride (at least one "
              "dimension spans across two contiguous subspaces). Use .reshape(...) instead. The "
              "tensor has sizes ",
              x.sizes(), " and strides ", x.strides(), ", the view would have sizes ", size);
  tie_shaped("ViewBackward0", y, x);
  return y;
}

namespace {

// Returns the geometry of elements that are `ratio` times smaller.
void split_elements(Dims& sizes, Dims& strides, int64_t ratio) {
  sizes.back() = detail::checked_mul("view", sizes.back(), ratio);
  for (int64_t d = 0; d + 1 < strides.size(); ++d) strides[d] *= ratio;
}
void join_elements(Dims& sizes, Dims& strides, int64_t ratio) {
  sizes.back() /= ratio;
  for (int64_t d = 0; d + 1 < strides.size(); ++d) strides[d] /= ratio;
}

void check_elements_join(const TensorImpl& t, int64_t ratio, const std::string& words) {
  const auto check = [&](const auto& what, int64_t n) {
    TAPER_CHECK(n % ratio == 0, "view: self.", what, " must be divisible by ", ratio, words, n);
  };
  check("size(-1)", t.sizes.back());
  check("storage_offset()", t.offset);
  for (int64_t d = 0; d + 1 < t.strides.size(); ++d)
    check(detail::concat("stride(", d, ")"), t.strides[d]);
}

}  // namespace

Tensor view(const Tensor& x, ScalarType dtype) {
  if (auto done = at_door<"view">(x, dtype)) return done;
  check_defined("view", x, "self");
  const TensorImpl& t = x.impl();
  const int64_t from = x.element_size(), to = static_cast<int64_t>(elementSize(dtype));
  const std::string words = detail::concat(" to view ", toString(t.dtype), " as ", toString(dtype),
                                           " (different element sizes)");
  Dims sizes = t.sizes, strides = t.strides;
  if (from != to) {
    TAPER_CHECK(x.dim() > 0, "view: self.dim() cannot be 0", words);
    if (from < to) check_elements_join(t, to / from, words + ", but got ");
    TAPER_CHECK(t.strides.back() == 1, "view: self.stride(-1) must be 1", words, ", but got ",
                t.strides.back());
    from > to ? split_elements(sizes, strides, from / to)
              : join_elements(sizes, strides, to / from);
  }
  Tensor y = detail::share_in_units(t, dtype, sizes, strides, t.offset * from / to);
  autograd::make_view_of(y, needs_grad(x) ? x.detach() : x, TensorImpl::ViewOrigin::kOtherDtype);
  return y;
}

Tensor reshape(const Tensor& x, IntArrayRef size) {
  if (auto done = at_door<"reshape">(x, size)) return done;
  if (Tensor y = as_sizes("reshape", x.impl(), size); y.defined()) {
    tie_shaped("ReshapeAliasBackward0", y, x);
    return y;
  }
  return _unsafe_view(x.clone(MemoryFormat::Contiguous), size);
}

Tensor _unsafe_view(const Tensor& x, IntArrayRef size) {
  if (auto done = at_door<"_unsafe_view">(x, size)) return done;
  const TensorImpl& t = x.impl();
  TAPER_ASSERT(t.contiguous, "_unsafe_view: a result that is not row-major");
  Tensor y = detail::share_as_shape(t, infer_size("_unsafe_view", size, t.numel));
  if (needs_grad(x))
    record("UnsafeViewBackward0", y, {x},
           [sizes = t.sizes](const Tensor& g) { return reshape(g, sizes); });
  return y;
}

Tensor flatten(const Tensor& x, int64_t start_dim, int64_t end_dim) {
  if (auto done = at_door<"flatten">(x, start_dim, end_dim)) return done;
  const int64_t start = wrap_dim("flatten", start_dim, x.dim()),
                end = wrap_dim("flatten", end_dim, x.dim());
  TAPER_CHECK(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (x.dim() == 0) return reshape(x, {1});
  if (start == end) return x;
  Dims shape;
  int64_t merged = 1;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (d >= start && d <= end) merged = detail::checked_mul("flatten", merged, x.size(d));
    if (d == end) shape.push_back(merged);
    if (d < start || d > end) shape.push_back(x.size(d));
  }
  return reshape(x, shape);
}

Tensor ravel(const Tensor& x) {
  if (auto done = at_door<"ravel">(x)) return done;
  return reshape(x.contiguous(), {-1});
}

namespace {

/// Tests whether the product of the sizes can be n. infer_size refuses more than one -1.
bool multiply_up_to(IntArrayRef sizes, int64_t n) {
  int64_t product = 1, open = 0;
  for (int64_t s : sizes) {
    if (s == -1)
      ++open;
    else if (__builtin_mul_overflow(product, s, &product))
      return false;
  }
  if (open == 0) return product == n;
  return open > 1 || (product != 0 && n % product == 0);
}

}  // namespace

Tensor unflatten(const Tensor& x, int64_t dim, IntArrayRef sizes) {
  if (auto done = at_door<"unflatten">(x, dim, sizes)) return done;
  const int64_t d = wrap_dim("unflatten", dim, x.dim());
  TAPER_CHECK(!sizes.empty(), "unflatten: sizes must be non-empty");
  TAPER_CHECK(multiply_up_to(sizes, x.size(d)), "unflatten: Provided sizes ", sizes,
              " don't multiply up to the size of dim ", d, " (", x.size(d),
              ") in the input tensor");
  const Dims parts = infer_size("unflatten", sizes, x.size(d));
  Dims shape;
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i != d)
      shape.push_back(x.size(i));
    else
      for (int64_t s : parts) shape.push_back(s);
  }
  return view(x, shape);
}

// ---------------------------------------------------------------- expand
Tensor expand(const Tensor& x, IntArrayRef size) {
  if (auto done = at_door<"expand">(x, size)) return done;
  const TensorImpl& t = x.impl();
  const int64_t rank = static_cast<int64_t>(size.size()), added = rank - t.sizes.size();
  TAPER_CHECK(added >= 0, "expand(", x.toString(), "{", x.sizes(), "}, size=", size,
              "): the number of sizes provided (", rank,
              ") must be greater or equal to the number of dimensions in the tensor (",
              t.sizes.size(), ")");
  Dims sizes(size), strides(rank, 0);
  for (int64_t d = rank - 1; d >= 0; --d) {
    const int64_t own = d - added;
    TAPER_CHECK(own >= 0 || sizes[d] >= 0, "expand: The expanded size of the tensor (", sizes[d],
                ") isn't allowed in a leading, non-existing dimension ", d);
    if (own < 0) continue;
    if (sizes[d] == -1) sizes[d] = t.sizes[own];
    TAPER_CHECK(sizes[d] == t.sizes[own] || t.sizes[own] == 1,
                "expand: The expanded size of the tensor (", sizes[d],
                ") must match the existing size (", t.sizes[own], ") at non-singleton dimension ",
                d, ".  Target sizes: ", size, ".  Tensor sizes: ", x.sizes());
    if (sizes[d] == t.sizes[own]) strides[d] = t.strides[own];
  }
  return make_view("ExpandBackward0", x, sizes, strides, t.offset,
                   [own = t.sizes](const Tensor& g) { return g.sum_to_size(own); });
}

Tensor broadcast_to(const Tensor& x, IntArrayRef size) {
  if (auto done = at_door<"broadcast_to">(x, size)) return done;
  return expand(x, size);
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  if (auto done = at_door<"broadcast_tensors">(tensors)) return done;
  Dims shape;
  for (const Tensor& t : tensors) shape = broadcast_shapes("broadcast_tensors", shape, t.sizes());
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(expand(t, shape));
  return out;
}

// ---------------------------------------------------------------- order of dimensions
namespace {

Tensor transpose_named(const char* op, const char* node, const Tensor& x, int64_t dim0,
                       int64_t dim1) {
  const TensorImpl& t = x.impl();
  const int64_t a = wrap_dim(op, dim0, x.dim()), b = wrap_dim(op, dim1, x.dim());
  Dims sizes = t.sizes, strides = t.strides;
  if (!sizes.empty()) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return make_view(node, x, sizes, strides, t.offset,
                   [a, b](const Tensor& g) { return transpose(g, a, b); });
}

}  // namespace

Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
  if (auto done = at_door<"transpose">(x, dim0, dim1)) return done;
  return transpose_named("transpose", "TransposeBackward0", x, dim0, dim1);
}

Tensor t(const Tensor& x) {
  if (auto done = at_door<"t">(x)) return done;
  TAPER_CHECK(x.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", x.dim(),
              "D");
  return transpose_named("t", "TBackward0", x, 0, x.dim() < 2 ? 0 : 1);
}

Tensor permute(const Tensor& x, IntArrayRef dims) {
  if (auto done = at_door<"permute">(x, dims)) return done;
  const TensorImpl& t = x.impl();
  TAPER_CHECK(static_cast<int64_t>(dims.size()) == x.dim(),
              "permute(sparse_coo): number of dimensions in the tensor input does not match the "
              "length of the "
              "desired ordering of dimensions i.e. input.dim() = ",
              x.dim(), " is not equal to len(dims) = ", dims.size());
  Dims sizes, strides, inverse(x.dim(), -1);
  for (int64_t d = 0; d < x.dim(); ++d) {
    const int64_t from = wrap_dim("permute", dims[static_cast<size_t>(d)], x.dim());
    TAPER_CHECK(inverse[from] < 0, "permute(): duplicate dims are not allowed.");
    sizes.push_back(t.sizes[from]);
    strides.push_back(t.strides[from]);
    inverse[from] = d;
  }
  return make_view("PermuteBackward0", x, sizes, strides, t.offset,
                   [inverse](const Tensor& g) { return permute(g, inverse); });
}

Tensor movedim(const Tensor& x, IntArrayRef source, IntArrayRef destination) {
  if (auto done = at_door<"movedim">(x, source, destination)) return done;
  TAPER_CHECK(source.size() == destination.size(),
              "movedim: Invalid source or destination dims: "
              "source (",
              source, " dims) should contain the same number of dims as destination (", destination,
              " dims)");
  const Dims from = wrap_dims("movedim", source, x.dim()),
             to = wrap_dims("movedim", destination, x.dim());
  Dims order(x.dim(), -1), rest;
  for (int64_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  for (int64_t d = 0; d < x.dim(); ++d)
    if (std::find(from.begin(), from.end(), d) == from.end()) rest.push_back(d);
  int64_t next = 0;
  for (int64_t& d : order)
    if (d < 0) d = rest[next++];
  return permute(x, order);
}

Tensor movedim(const Tensor& x, int64_t source, int64_t destination) {
  if (auto done = at_door<"movedim">(x, source, destination)) return done;
  return movedim(x, IntArrayRef(source), IntArrayRef(destination));
}

// ---------------------------------------------------------------- dimensions of size 1
Tensor unsqueeze(const Tensor& x, int64_t dim) {
  if (auto done = at_door<"unsqueeze">(x, dim)) return done;
  const TensorImpl& t = x.impl();
  const int64_t d = wrap_dim("unsqueeze", dim, x.dim() + 1);
  Dims sizes = t.sizes, strides = t.strides;
  const int64_t step = d < x.dim() ? t.sizes[d] * t.strides[d] : 1;
  sizes.insert(d, 1);
  strides.insert(d, step);
  return make_view("UnsqueezeBackward0", x, sizes, strides, t.offset,
                   [d](const Tensor& g) { return squeeze(g, d); });
}

Tensor squeeze(const Tensor& x) {
  if (auto done = at_door<"squeeze">(x)) return done;
  const TensorImpl& t = x.impl();
  Dims sizes, strides;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (t.sizes[d] == 1) continue;
    sizes.push_back(t.sizes[d]);
    strides.push_back(t.strides[d]);
  }
  return make_view("SqueezeBackward0", x, sizes, strides, t.offset,
                   [own = t.sizes](const Tensor& g) { return reshape(g, own); });
}

Tensor squeeze(const Tensor& x, int64_t dim) {
  if (auto done = at_door<"squeeze">(x, dim)) return done;
  const TensorImpl& t = x.impl();
  const int64_t d = wrap_dim("squeeze", dim, x.dim());
  Dims sizes = t.sizes, strides = t.strides;
  if (!sizes.empty() && sizes[d] == 1) {
    sizes.erase(d);
    strides.erase(d);
  }
  return make_view("SqueezeBackward1", x, sizes, strides, t.offset,
                   [own = t.sizes](const Tensor& g) { return reshape(g, own); });
}

Tensor squeeze(const Tensor& x, IntArrayRef dim) {
  if (auto done = at_door<"squeeze">(x, dim)) return done;
  const TensorImpl& t = x.impl();
  const Dims asked = wrap_dims("squeeze", dim, x.dim());
  Dims sizes, strides;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (t.sizes[d] == 1 && std::find(asked.begin(), asked.end(), d) != asked.end()) continue;
    sizes.push_back(t.sizes[d]);
    strides.push_back(t.strides[d]);
  }
  return make_view("SqueezeBackward2", x, sizes, strides, t.offset,
                   [own = t.sizes](const Tensor& g) { return reshape(g, own); });
}

// ---------------------------------------------------------------- methods
Tensor Tensor::view(IntArrayRef size) const { return taper::view(*this, size); }
Tensor Tensor::view(ScalarType dtype) const { return taper::view(*this, dtype); }
Tensor Tensor::reshape(IntArrayRef shape) const { return taper::reshape(*this, shape); }
Tensor Tensor::expand(IntArrayRef size, bool implicit) const {
  if (auto done = at_door<"expand">(*this, size, implicit)) return done;
  return taper::expand(*this, size);
}
Tensor Tensor::permute(IntArrayRef dims) const { return taper::permute(*this, dims); }
Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  return taper::transpose(*this, dim0, dim1);
}
Tensor Tensor::t() const { return taper::t(*this); }
Tensor Tensor::mT() const {
  if (auto done = at_door<"mT">(*this)) return done;
  if (dim() == 0) return *this;
  TAPER_CHECK(dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got ",
              dim(), "-D tensor.");
  return taper::transpose(*this, -2, -1);
}
Tensor Tensor::numpy_T() const {
  if (auto done = at_door<"numpy_T">(*this)) return done;
  if (dim() != 2 && dim() != 0)
    detail::warn_once([] {
      return "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
             "deprecated "
             "and it will throw an error in a future release. Consider `x.mT` to transpose batches "
             "of "
             "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions "
             "of a "
             "tensor.";
    });
  Dims order;
  for (int64_t d = dim() - 1; d >= 0; --d) order.push_back(d);
  return taper::permute(*this, order);
}
Tensor Tensor::movedim(IntArrayRef source, IntArrayRef destination) const {
  return taper::movedim(*this, source, destination);
}
Tensor Tensor::movedim(int64_t source, int64_t destination) const {
  return taper::movedim(*this, source, destination);
}
Tensor Tensor::squeeze() const { return taper::squeeze(*this); }
Tensor Tensor::squeeze(int64_t dim) const { return taper::squeeze(*this, dim); }
Tensor Tensor::squeeze(IntArrayRef dim) const { return taper::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int64_t dim) const { return taper::unsqueeze(*this, dim); }
Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  return taper::flatten(*this, start_dim, end_dim);
}
Tensor Tensor::unflatten(int64_t dim, IntArrayRef sizes) const {
  return taper::unflatten(*this, dim, sizes);
}
Tensor Tensor::ravel() const { return taper::ravel(*this); }
Tensor Tensor::alias() const {
  if (auto done = at_door<"alias">(*this)) return done;
  const TensorImpl& t = impl();
  return make_view("AliasBackward0", *this, t.sizes, t.strides, t.offset,
                   [](const Tensor& g) { return g; });
}

}  // namespace torch::taper
