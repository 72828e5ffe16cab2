#include <taper/ops/tensor/split.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/tensor/view_helpers.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {

// ---------------------------------------------------------------- several views
namespace {

bool lie_alike(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.impl().data != b.impl().data) return false;
  for (int64_t d = 0; d < a.dim(); ++d)
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  return true;
}

// Returns the gradient of x if its parts lie in one buffer already, as those of a packed projection
// do (ops/nn/attention.cpp). Else undefined.
template <class Part>
Tensor assembled_before(autograd::Grads& g, const Dims& sizes, const Part& part) {
  if (GradMode::is_enabled() || detail::autocast_state.door != 0) return {};
  for (size_t i = 0; i < g.size(); ++i)
    if (!g[i].defined() || !g[i].is_alias_of(g[0]) || g[i].scalar_type() != g[0].scalar_type())
      return {};
  const TensorImpl& first = g[0].impl();
  Dims strides;
  contiguous_strides(sizes, strides);
  const int64_t extent =
      detail::checked_extent("split", sizes, strides, first.offset, first.itemsize());
  if (g[0].storage().nbytes() < static_cast<size_t>(extent) * first.itemsize()) return {};
  Tensor whole = detail::share_data(first, sizes, strides, first.offset);
  for (size_t i = 0; i < g.size(); ++i)
    if (!lie_alike(g[i], part(whole, static_cast<int64_t>(i)))) return {};
  return whole;
}

// Assembles the gradient of x, whose elements each lie in one of the parts. Undefined without any.
template <class Part>
Tensor assemble(autograd::Grads& g, const Dims& sizes, const Part& part) {
  Tensor whole = assembled_before(g, sizes, part);
  if (whole.defined()) return whole;
  for (size_t i = 0; i < g.size() && !whole.defined(); ++i)
    if (g[i].defined()) whole = detail::make_tensor(sizes, g[i].scalar_type(), g[i].device());
  for (size_t i = 0; i < g.size() && whole.defined(); ++i) {
    const Tensor to = part(whole, static_cast<int64_t>(i));
    if (g[i].defined())
      to.copy_(g[i]);
    else
      to.zero_();
  }
  return whole;
}

// Makes views of x by `part(i)`, which also locates their gradients. One node serves all views.
template <class Part>
std::vector<Tensor> make_views(const char* node, const Tensor& x, int64_t count, const Part& part) {
  std::vector<Tensor> out = detail::room_for_views(node, count);
  for (int64_t i = 0; i < count; ++i) {
    const NoGradGuard geometry_only;
    Tensor y = detail::share_data(part(x, i).impl());
    out.push_back(std::move(y));
  }
  for (const Tensor& y : out) autograd::make_view_of(y, x, TensorImpl::ViewOrigin::kMultiOutput);
  if (!needs_grad(x)) return out;
  autograd::record_list(node, out, x, [own = x.impl().sizes, part](autograd::Grads& g) {
    return assemble(g, own, part);
  });
  return out;
}

std::vector<Tensor> split_by_size(const char* op, const Tensor& x, int64_t size, int64_t dim) {
  TAPER_CHECK(x.dim() != 0, "split expects at least a 1-dimensional tensor");
  const int64_t d = wrap_dim(op, dim, x.dim()), total = x.size(d);
  TAPER_CHECK(size >= 0, "split expects split_size be non-negative, but got split_size=", size);
  TAPER_CHECK(size > 0 || total == 0,
              "split: split_size can only be 0 if dimension size is 0, but got "
              "dimension size of ",
              total);
  const int64_t count = total == 0 ? 1 : (total - 1) / size + 1;
  return make_views("SplitBackward0", x, count, [d, size](const Tensor& w, int64_t i) {
    const int64_t first = i * size, rest = w.size(d) - first;
    return slice(w, d, first, first + std::min(size, rest));
  });
}

}  // namespace

std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim) {
  if (auto done = at_door<"split">(x, split_size, dim)) return done;
  return split_by_size("split", x, split_size, dim);
}

std::vector<Tensor> split_with_sizes(const Tensor& x, IntArrayRef split_sizes, int64_t dim) {
  if (auto done = at_door<"split_with_sizes">(x, split_sizes, dim)) return done;
  TAPER_CHECK(x.dim() != 0, "split_with_sizes: split expects at least a 1-dimensional tensor");
  const int64_t d = wrap_dim("split_with_sizes", dim, x.dim());
  std::vector<int64_t> starts{0};
  for (int64_t s : split_sizes) {
    TAPER_CHECK(s >= 0,
                "split_with_sizes expects split_sizes have only non-negative entries, but "
                "got split_sizes=",
                split_sizes);
    starts.push_back(detail::checked_add("split_with_sizes", starts.back(), s));
  }
  TAPER_CHECK(starts.back() == x.size(d), "split_with_sizes expects split_sizes to sum exactly to ",
              x.size(d), " (input tensor's size at dimension ", d,
              "), but got split_sizes=", split_sizes);
  return make_views(
      "SplitWithSizesBackward0", x, static_cast<int64_t>(split_sizes.size()),
      [d, starts](const Tensor& w, int64_t i) { return slice(w, d, starts[i], starts[i + 1]); });
}

std::vector<Tensor> split(const Tensor& x, IntArrayRef split_sizes, int64_t dim) {
  if (auto done = at_door<"split">(x, split_sizes, dim)) return done;
  return split_with_sizes(x, split_sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  if (auto done = at_door<"chunk">(x, chunks, dim)) return done;
  TAPER_CHECK(x.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TAPER_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t d = wrap_dim("chunk", dim, x.dim()), total = x.size(d);
  const int64_t size = total / chunks + (total % chunks != 0);
  if (size == 0) {
    detail::room_for_views("chunk", chunks);
    return split_with_sizes(x, std::vector<int64_t>(static_cast<size_t>(chunks), 0), d);
  }
  return split_by_size("chunk", x, size, d);
}

std::vector<Tensor> unbind(const Tensor& x, int64_t dim) {
  if (auto done = at_door<"unbind">(x, dim)) return done;
  const int64_t d = wrap_dim("unbind", dim, x.dim());
  TAPER_CHECK_INDEX(x.dim() > 0, "unbind: Dimension specified as ", dim,
                    " but tensor has no dimensions");
  return make_views("UnbindBackward0", x, x.size(d),
                    [d](const Tensor& w, int64_t i) { return select(w, d, i); });
}

RowIterator begin(const Tensor& x) {
  TAPER_CHECK_TYPE(x.dim() > 0, "begin: iteration over a 0-d tensor: it has no rows");
  return {std::make_shared<const std::vector<Tensor>>(unbind(x, 0)), 0};
}
RowIterator end(const Tensor& x) {
  TAPER_CHECK_TYPE(x.dim() > 0, "end: iteration over a 0-d tensor: it has no rows");
  return {nullptr, static_cast<size_t>(x.size(0))};
}

// ---------------------------------------------------------------- nearly equal pieces
std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  if (auto done = at_door<"tensor_split">(self, sections, dim)) return done;
  check_defined("tensor_split", self, "self");
  TAPER_CHECK(self.dim() > 0,
              "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
              self.dim(), " dims");
  TAPER_CHECK(sections > 0, "tensor_split: number of sections must be larger than 0, got ",
              sections);
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
  if (auto done = at_door<"tensor_split">(self, indices, dim)) return done;
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
  if (auto done = at_door<"tensor_split">(self, indices_or_sections, dim)) return done;
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

// Returns the dimension that a split of this name uses.
int64_t checked_split(const char* op, const Tensor& x, int64_t least, int64_t dim) {
  check_defined(op, x, "self");
  TAPER_CHECK(x.dim() >= least, "torch.", op, " requires a tensor with at least ", least,
              " dimension", least > 1 ? "s" : "", ", but got a tensor with ", x.dim(),
              " dimensions!");
  return dim;
}

std::vector<Tensor> split_equally(const char* op, const Tensor& x, int64_t sections, int64_t dim) {
  TAPER_CHECK(sections != 0 && x.size(dim) % sections == 0, "torch.", op,
              " attempted to split along dimension ", dim, ", but the size of the dimension ",
              x.size(dim), " is not divisible by the split_size ", sections, "!");
  return tensor_split(x, sections, dim);
}

}  // namespace

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  if (auto done = at_door<"hsplit">(self, sections)) return done;
  const int64_t dim = checked_split("hsplit", self, 1, self.dim() == 1 ? 0 : 1);
  return split_equally("hsplit", self, sections, dim);
}

std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  if (auto done = at_door<"hsplit">(self, indices)) return done;
  return tensor_split(self, indices, checked_split("hsplit", self, 1, self.dim() == 1 ? 0 : 1));
}
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  if (auto done = at_door<"vsplit">(self, sections)) return done;
  return split_equally("vsplit", self, sections, checked_split("vsplit", self, 2, 0));
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  if (auto done = at_door<"vsplit">(self, indices)) return done;
  return tensor_split(self, indices, checked_split("vsplit", self, 2, 0));
}
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  if (auto done = at_door<"dsplit">(self, sections)) return done;
  return split_equally("dsplit", self, sections, checked_split("dsplit", self, 3, 2));
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  if (auto done = at_door<"dsplit">(self, indices)) return done;
  return tensor_split(self, indices, checked_split("dsplit", self, 3, 2));
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

std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim) const {
  return taper::split(*this, split_size, dim);
}
std::vector<Tensor> Tensor::split(IntArrayRef split_sizes, int64_t dim) const {
  return taper::split(*this, split_sizes, dim);
}
std::vector<Tensor> Tensor::split_with_sizes(IntArrayRef split_sizes, int64_t dim) const {
  return taper::split_with_sizes(*this, split_sizes, dim);
}
std::vector<Tensor> Tensor::unsafe_chunk(int64_t chunks, int64_t dim) const {
  return taper::unsafe_chunk(*this, chunks, dim);
}
std::vector<Tensor> Tensor::unsafe_split(int64_t split_size, int64_t dim) const {
  return taper::unsafe_split(*this, split_size, dim);
}
std::vector<Tensor> Tensor::unsafe_split_with_sizes(IntArrayRef split_sizes, int64_t dim) const {
  return taper::unsafe_split_with_sizes(*this, split_sizes, dim);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  return taper::chunk(*this, chunks, dim);
}
std::vector<Tensor> Tensor::unbind(int64_t dim) const { return taper::unbind(*this, dim); }

}  // namespace torch::taper
