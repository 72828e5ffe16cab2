#include <taper/ops/tensor/combine.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/grad_mode.h>
#include <taper/framework/iterate.h>
#include <taper/framework/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/shape.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_helpers.h>

namespace taper {

// ---------------------------------------------------------------------- differences, powers
Tensor diff(const Tensor& self, int64_t n, int64_t dim, const optional<Tensor>& prepend,
            const optional<Tensor>& append) {
  check_defined("diff", self, "self");
  TAPER_CHECK(self.dim() >= 1, "diff expects input to be at least one-dimensional");
  std::vector<Tensor> parts;
  if (prepend && prepend->defined()) parts.push_back(*prepend);
  parts.push_back(self);
  if (append && append->defined()) parts.push_back(*append);
  for (const Tensor& t : parts)
    TAPER_CHECK(t.dim() == self.dim(),
                "diff expects prepend or append to be the same dimension as input");
  Tensor y = parts.size() > 1 ? cat(parts, dim) : self;
  for (int64_t i = 0; i < n && y.size(dim) > 0; ++i) {
    const Tensor later = y.narrow(dim, 1, y.size(dim) - 1);
    const Tensor earlier = y.narrow(dim, 0, y.size(dim) - 1);
    y = y.scalar_type() == kBool ? later.logical_xor(earlier) : later - earlier;
  }
  return y.is_same(self) ? self.clone() : y;
}

Tensor vander(const Tensor& x, optional<int64_t> N, bool increasing) {
  check_defined("vander", x, "x");
  TAPER_CHECK(x.dim() == 1, "x must be a one-dimensional tensor.");
  const int64_t n = N.value_or(x.size(0));
  TAPER_CHECK(n >= 0, "N must be non-negative.");
  const Tensor base = isIntegralType(x.scalar_type(), true) ? x.to(kLong) : x;
  // Before any power is computed: there may be no memory for so many.
  const Tensor room = base.new_empty({x.size(0), n});
  if (room.numel() == 0) return room;
  std::vector<Tensor> columns;
  Tensor power = base.new_ones(base.sizes());
  for (int64_t k = 0; k < n; ++k) {
    columns.push_back(power);
    if (k + 1 < n) power = power * base;
  }
  if (!increasing) std::reverse(columns.begin(), columns.end());
  return stack(columns, 1);
}

// ---------------------------------------------------------------------- products of sets
Tensor block_diag(TensorList tensors) {
  std::vector<Tensor> blocks;
  int64_t columns = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    check_defined("block_diag", tensors[i], "tensor");
    TAPER_CHECK(tensors[i].dim() <= 2,
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", i,
                " has ", tensors[i].dim(), " dimensions");
    blocks.push_back(atleast_2d(tensors[i]));
    columns += blocks.back().size(1);
  }
  int64_t before = 0;
  for (Tensor& b : blocks) {
    const int64_t width = b.size(1);
    b = constant_pad_nd(b, {before, columns - before - width});
    before += width;
  }
  return blocks.empty() ? empty({1, 0}) : cat(blocks, 0);
}

Tensor cartesian_prod(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "cartesian_prod: expected at least one tensor");
  for (const Tensor& t : tensors) {
    check_defined("cartesian_prod", t, "tensor");
    TAPER_CHECK(t.dim() == 1, "Expect a 1D vector, but got shape ", t.sizes());
  }
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns = meshgrid(tensors, "ij");
  for (Tensor& c : columns) c = c.flatten();
  return stack(columns, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  check_defined("combinations", self, "self");
  TAPER_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", self.sizes());
  TAPER_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  TAPER_CHECK(r <= kMaxDims, "combinations: expected at most ", kMaxDims,
              " elements at a time, got ", r);
  if (r == 0) return self.new_empty({0});
  const Tensor at = arange(self.size(0), self.options().dtype(kLong).requires_grad(false));
  const std::vector<Tensor> grid = meshgrid(std::vector<Tensor>(static_cast<size_t>(r), at), "ij");
  Tensor chosen = ones(grid[0].sizes(), grid[0].options().dtype(kBool));
  for (size_t i = 1; i < grid.size(); ++i)
    chosen =
        chosen.logical_and(with_replacement ? grid[i - 1].le(grid[i]) : grid[i - 1].lt(grid[i]));
  std::vector<Tensor> columns;
  for (const Tensor& g : grid) columns.push_back(index_select(self, 0, g.masked_select(chosen)));
  return stack(columns, 1);
}

// ---------------------------------------------------------------------- splits, stacks
std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  check_defined("tensor_split", self, "self");
  TAPER_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
              self.dim(), " dims");
  TAPER_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  const int64_t n = self.size(dim);
  std::vector<Tensor> parts = detail::room_for_views("tensor_split", sections);
  for (int64_t i = 0, first = 0; i < sections; ++i) {
    const int64_t length = n / sections + (i < n % sections);
    parts.push_back(self.narrow(dim, first, length));
    first += length;
  }
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim) {
  check_defined("tensor_split", self, "self");
  TAPER_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
              self.dim(), " dims");
  std::vector<Tensor> parts;
  int64_t first = 0;
  for (int64_t end : indices) {
    parts.push_back(self.slice(dim, first, end));
    first = end;
  }
  parts.push_back(self.slice(dim, first, self.size(dim)));
  return parts;
}

std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& indices_or_sections,
                                 int64_t dim) {
  check_defined("tensor_split", self, "self");
  check_defined("tensor_split", indices_or_sections, "tensor_indices_or_sections");
  TAPER_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
              self.dim(), " dims");
  const ScalarType t = indices_or_sections.scalar_type();
  TAPER_CHECK(t == kLong,
              "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
              toString(t));
  TAPER_CHECK(indices_or_sections.dim() <= 1,
              "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
              "one-dimensional tensor, but got a tensor with ",
              indices_or_sections.dim(), " dims");
  const Tensor on_host = indices_or_sections.detach().cpu().contiguous();
  if (on_host.dim() == 0) return tensor_split(self, on_host.item<int64_t>(), dim);
  const int64_t* const first = on_host.data_ptr<int64_t>();
  return tensor_split(self, IntArrayRef(first, static_cast<size_t>(on_host.numel())), dim);
}

namespace {

// The dimension that a split of this name takes.
int64_t checked_split(const char* op, const Tensor& x, int64_t least, int64_t dim) {
  check_defined(op, x, "self");
  TAPER_CHECK(x.dim() >= least, "torch.", op, " requires a tensor with at least ", least,
              " dimension", least > 1 ? "s" : "", ", but got a tensor with ", x.dim(),
              " dimensions!");
  return dim;
}

std::vector<Tensor> split_evenly(const char* op, const Tensor& x, int64_t sections, int64_t dim) {
  TAPER_CHECK(sections != 0 && x.size(dim) % sections == 0, "torch.", op,
              " attempted to split along dimension ", dim, ", but the size of the dimension ",
              x.size(dim), " is not divisible by the split_size ", sections, "!");
  return tensor_split(x, sections, dim);
}

}  // namespace

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  const int64_t dim = checked_split("hsplit", self, 1, self.dim() == 1 ? 0 : 1);
  return split_evenly("hsplit", self, sections, dim);
}
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  return tensor_split(self, indices, checked_split("hsplit", self, 1, self.dim() == 1 ? 0 : 1));
}
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  return split_evenly("vsplit", self, sections, checked_split("vsplit", self, 2, 0));
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  return tensor_split(self, indices, checked_split("vsplit", self, 2, 0));
}
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  return split_evenly("dsplit", self, sections, checked_split("dsplit", self, 3, 2));
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  return tensor_split(self, indices, checked_split("dsplit", self, 3, 2));
}

Tensor column_stack(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "column_stack expects a non-empty TensorList");
  std::vector<Tensor> columns;
  for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t);
  return hstack(columns);
}
Tensor row_stack(TensorList tensors) { return vstack(tensors); }

// ---------------------------------------------------------------------- elements
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  check_defined("put", self, "self");
  check_defined("put", index, "index");
  check_defined("put", source, "source");
  TAPER_CHECK(self.scalar_type() == source.scalar_type(),
              "put_(): self and source expected to have the same dtype, but got self.dtype = ",
              toString(self.scalar_type()), " and source.dtype = ", toString(source.scalar_type()));
  TAPER_CHECK_INDEX(source.numel() == index.numel(),
                    "put_(): Expected source and index to have the same number of elements, but "
                    "got source.numel() = ",
                    source.numel(), ", index.numel() = ", index.numel());
  return index_put(self.reshape({self.numel()}), {index.reshape({index.numel()})},
                   source.reshape({source.numel()}), accumulate)
      .view(self.sizes());
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, optional<int64_t> dim) {
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
  const int64_t d = wrap_dim(*dim, self.dim());
  Dims a = self.sizes(), b = indices.sizes();
  a[d] = b[d] = 1;
  const Dims both = broadcast_shapes(a, b);
  Dims of_self = both, of_indices = both;
  of_self[d] = self.size(d);
  of_indices[d] = indices.size(d);
  return gather(self.expand(of_self), d, indices.expand(of_indices));
}

Tensor argwhere(const Tensor& self) { return nonzero(self); }

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
  check_defined("isin", elements, "elements");
  check_defined("isin", test_elements, "test_elements");
  const NoGradGuard values_only;
  const int64_t n = test_elements.numel();
  // Up to so many are compared one by one sooner than sorted.
  const double few = 10 * std::pow(static_cast<double>(elements.numel()), 0.145);
  Tensor found = zeros(elements.sizes(), elements.options().dtype(kBool).requires_grad(false));
  if (static_cast<double>(n) < few && elements.scalar_type() == test_elements.scalar_type()) {
    const Tensor tests = test_elements.detach().reshape({n});
    for (int64_t i = 0; i < n; ++i) found |= elements.eq(tests[i]);
  } else if (n > 0) {
    const Tensor sorted = std::get<0>(sort(test_elements.detach().reshape({n}), 0));
    const Tensor place = searchsorted(sorted, elements.detach()).clamp_max(Scalar(n - 1));
    found = take(sorted, place).eq(elements);
  }
  return invert ? found.logical_not() : found;
}
Tensor isin(const Tensor& elements, const Scalar& test_element, bool, bool invert) {
  check_defined("isin", elements, "elements");
  const NoGradGuard values_only;
  return invert ? elements.ne(test_element) : elements.eq(test_element);
}
Tensor isin(const Scalar& element, const Tensor& test_elements, bool, bool invert) {
  check_defined("isin", test_elements, "test_elements");
  const NoGradGuard values_only;
  const Tensor found = any(test_elements.eq(element));
  return invert ? found.logical_not() : found;
}

// ---------------------------------------------------------------- methods
Tensor Tensor::diff(int64_t n, int64_t dim, const optional<Tensor>& prepend,
                    const optional<Tensor>& append) const {
  return taper::diff(*this, n, dim, prepend, append);
}
Tensor Tensor::put(const Tensor& index, const Tensor& source, bool accumulate) const {
  return taper::put(*this, index, source, accumulate);
}
Tensor Tensor::take_along_dim(const Tensor& indices, optional<int64_t> dim) const {
  return taper::take_along_dim(*this, indices, dim);
}
std::vector<Tensor> Tensor::tensor_split(int64_t sections, int64_t dim) const {
  return taper::tensor_split(*this, sections, dim);
}
std::vector<Tensor> Tensor::tensor_split(IntArrayRef indices, int64_t dim) const {
  return taper::tensor_split(*this, indices, dim);
}
std::vector<Tensor> Tensor::tensor_split(const Tensor& indices_or_sections, int64_t dim) const {
  return taper::tensor_split(*this, indices_or_sections, dim);
}
#define TAPER_SPLIT(name)                                       \
  std::vector<Tensor> Tensor::name(int64_t sections) const {    \
    return taper::name(*this, sections);                        \
  }                                                             \
  std::vector<Tensor> Tensor::name(IntArrayRef indices) const { \
    return taper::name(*this, indices);                         \
  }
TAPER_SPLIT(hsplit)
TAPER_SPLIT(vsplit)
TAPER_SPLIT(dsplit)
#undef TAPER_SPLIT

}  // namespace taper
