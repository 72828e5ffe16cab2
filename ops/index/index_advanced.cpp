// Advanced indexing: several index tensors over several dimensions.
#include <taper/ops/index/index_advanced.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out_define.h>

namespace torch::taper {

namespace {

using Indices = std::vector<Tensor>;  // one per dimension, undefined if it is not indexed

void append_mask(Indices& out, const Tensor& x, const Tensor& mask) {
  for (int64_t d = 0; d < mask.dim(); ++d) {
    const int64_t own = static_cast<int64_t>(out.size()) + d;
    TAPER_CHECK_INDEX(own < x.dim() && mask.size(d) == x.size(own), "index: The shape of the mask ",
                      mask.sizes(), " at index ", d, " does not match the shape of the indexed ",
                      "tensor ", x.sizes(), " at index ", own);
  }
  const Tensor coordinates = nonzero(mask);
  for (int64_t d = 0; d < mask.dim(); ++d) out.push_back(coordinates.select(1, d).contiguous());
}

/// Returns `index` on x's device. An index on the host is copied.
Tensor on_device_of(const Tensor& x, const Tensor& index) {
  if (index.device() == x.device()) return index;
  TAPER_CHECK(
      index.device().is_cpu(),
      "index: indices should be either on cpu or on the same device as the indexed tensor (",
      x.device(), "), got one on ", index.device());
  const NoGradGuard no_grad;
  return index.to(x.device());
}

void warn_of_byte_index() {
  detail::warn_user(
      "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
}

/// Checks the indices and replaces masks by coordinates.
Indices expand_masks(const Tensor& x, const std::vector<optional<Tensor>>& indices) {
  Indices out;
  for (const optional<Tensor>& given : indices) {
    if (!given.has_value() || !given->defined()) {
      out.emplace_back();
      continue;
    }
    const ScalarType t = given->scalar_type();
    TAPER_CHECK_INDEX(t == kLong || t == kInt || t == kByte || t == kBool,
                      "index: tensors used as indices must be long, int, byte or bool tensors");
    if (t == kByte) warn_of_byte_index();
    const Tensor index = on_device_of(x, *given);
    if (t == kLong || t == kInt)
      out.push_back(index.to(kLong));
    else
      append_mask(out, x, index);
  }
  TAPER_CHECK_INDEX(static_cast<int64_t>(out.size()) <= x.dim(),
                    "index: too many indices for tensor of dimension ", x.dim(), " (got ",
                    out.size(), ")");
  out.resize(static_cast<size_t>(x.dim()));
  return out;
}

[[noreturn]] void throw_shape_mismatch(const Indices& indices) {
  std::string list;
  for (const Tensor& t : indices)
    if (t.defined()) list += (list.empty() ? "" : ", ") + detail::concat(t.sizes());
  throw IndexError(
      "index: shape mismatch: indexing tensors could not be broadcast together with shapes " +
      list);
}

Dims broadcast_all(const Indices& indices) {
  Dims shape;
  for (const Tensor& t : indices) {
    if (!t.defined()) continue;
    try {
      shape = broadcast_shapes("index", shape, t.sizes());
    } catch (const Error&) {
      throw_shape_mismatch(indices);
    }
  }
  return shape;
}

/// An advanced index as a walk over the rows of [outer, size, inner].
struct IndexPlan {
  explicit IndexPlan(const Tensor& x, const std::vector<optional<Tensor>>& given)
      : indices(expand_masks(x, given)), index_shape(broadcast_all(indices)), device(x.device()) {
    order_dims();
    const int64_t end = first + dims.size();
    for (int64_t d = 0; d < order.size(); ++d) {
      const int64_t size = x.size(order[d]);
      if (d == first) append_index_shape();
      if (d < first || d >= end) shape.push_back(size);
      (d < first ? rows.outer : d < end ? rows.size : rows.inner) *= size;
      if (d >= first && d < end) indexed_sizes.push_back(size);
    }
  }
  /// Returns `x` with the indexed dimensions adjacent.
  Tensor view(const Tensor& x) const { return adjacent ? x : x.permute(order); }
  /// Returns the rows that the indices name, int64 [n]. Throws if one is out of range.
  Tensor row_numbers() const {
    if (dims.empty()) return detail::make_tensor({1}, kLong, device).zero_();
    NoGradGuard no_grad;
    Indices broadcast;
    std::vector<In> in;
    for (const int64_t d : dims) {
      const Tensor& given = indices[static_cast<size_t>(d)];
      const bool same = index_shape == Dims(given.sizes());
      broadcast.push_back((same ? given : given.expand(index_shape)).contiguous());
      in.emplace_back(broadcast.back());
    }
    const Tensor y = detail::make_tensor({broadcast[0].numel()}, kLong, device);
    TAPER_ON_DEVICE(y, combine_indices, "index", y, in, indexed_sizes, dims);
    return y;
  }

  Indices indices;   // masks as coordinates
  Dims index_shape;  // of all indices together
  Device device;
  Dims dims;  // the indexed dimensions
  bool adjacent = true;
  int64_t first = 0;  // position of the indexed dimensions in `order`
  Dims order;         // of x's dimensions in the view
  Dims indexed_sizes;
  Dims shape;  // of the result
  RowShape rows{1, 1, 1};

 private:
  void order_dims() {
    const int64_t rank = static_cast<int64_t>(indices.size());
    for (int64_t d = 0; d < rank; ++d)
      if (indices[static_cast<size_t>(d)].defined()) dims.push_back(d);
    adjacent = dims.empty() || dims.back() - dims[0] + 1 == dims.size();
    first = dims.empty() || !adjacent ? 0 : dims[0];
    if (!adjacent) order = dims;
    for (int64_t d = 0; d < rank; ++d)
      if (adjacent || !indices[static_cast<size_t>(d)].defined()) order.push_back(d);
  }
  void append_index_shape() {
    for (const int64_t s : index_shape) shape.push_back(s);
  }
};

using SavedIndices = std::vector<Saved>;

SavedIndices save_indices(const Indices& indices) {
  SavedIndices out;
  for (const Tensor& t : indices) out.push_back(t.defined() ? saved(t) : Saved());
  return out;
}

std::vector<optional<Tensor>> get_indices(const SavedIndices& indices) {
  std::vector<optional<Tensor>> out;
  for (const Saved& s : indices) out.push_back(s.defined() ? optional<Tensor>(s.get()) : nullopt);
  return out;
}

/// Returns `values` as the kernel reads them: one element, or the result's shape. If x is the
/// source, they are a copy.
Tensor values_for(const Tensor& x, const IndexPlan& plan, const Tensor& values) {
  NoGradGuard no_grad;
  const Tensor apart = apart_from(x, values);
  return apart.numel() == 1 ? apart : apart.expand(plan.shape).contiguous();
}

void check_values(const Tensor& x, const IndexPlan& plan, const Tensor& values) {
  TAPER_CHECK(values.scalar_type() == x.scalar_type(),
              "index_put_: Index put requires the source and destination dtypes match, got ",
              toString(x.scalar_type()), " for the destination and ",
              toString(values.scalar_type()), " for the source.");
  const int64_t extra = plan.shape.size() - values.dim();
  bool fits = extra >= 0;
  for (int64_t d = 0; fits && d < values.dim(); ++d)
    fits = values.size(d) == 1 || values.size(d) == plan.shape[d + extra];
  TAPER_CHECK(fits, "index_put_: shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", plan.shape);
}

// A single number may pass through a mask with any dtype, as in masked_fill.
bool fills_mask(const std::vector<optional<Tensor>>& indices, const Tensor& values) {
  int64_t masks = 0, others = 0;
  for (const optional<Tensor>& i : indices)
    if (i && i->defined())
      ++(i->scalar_type() == kBool || i->scalar_type() == kByte ? masks : others);
  return values.numel() == 1 && masks == 1 && others == 0;
}

Tensor put(Form form, const Tensor& x, const std::vector<optional<Tensor>>& indices,
           const Tensor& values_given, bool accumulate) {
  check_defined(form.name, x, "self");
  check_defined(form.name, values_given, "values");
  Tensor values = values_given.dim() == 0 ? values_given.to(x.device()) : values_given;
  if (!accumulate && fills_mask(indices, values)) values = values.to(x.scalar_type());
  check_same_device(form.name, x, values);
  const IndexPlan plan(x, indices);
  check_values(x, plan, values);
  const Tensor rows = plan.row_numbers();
  if (form.in_place && !accumulate && values.numel() == 1 && autograd::overlaps_itself(x.impl()))
    return detail::fill_shared(
        form.name, x, index_put(x.new_zeros(x.sizes(), kBool), indices, x.new_ones({}, kBool)),
        values.reshape({}));
  const Tensor source = values_for(x, plan, values);
  const Tensor y = form.target(x, {values});
  if (form.in_place && needs_grad(x, values))
    for (const Tensor& t : plan.indices) autograd::check_can_be_saved(t);
  on_contiguous(y, [&](const Tensor& whole) {
    on_contiguous(plan.view(whole), [&](const Tensor& work) {
      TAPER_ON_DEVICE(x, put_rows, work, rows, source, plan.rows,
                      accumulate ? PutMode::kAdd : PutMode::kCopy);
    });
  });
  form.changed(y);
  if (needs_grad(x, values))
    form.record("IndexPutBackward0", y, {x, values},
                [indices = save_indices(plan.indices), sizes = Dims(values.sizes()),
                 accumulate](autograd::Grads& g) {
                  std::array<Tensor, 2> out;
                  const std::vector<optional<Tensor>> at = get_indices(indices);
                  if (!g[0].defined()) return out;
                  if (g.needs(0))
                    out[0] = accumulate ? g[0] : index_put(g[0], at, g[0].new_zeros({}), false);
                  if (g.needs(1)) out[1] = index(g[0], at).sum_to_size(sizes);
                  return out;
                });
  return y;
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<optional<Tensor>>& indices) {
  if (auto done = at_door<"index">(x, indices)) return done;
  check_defined("index", x, "self");
  const IndexPlan plan(x, indices);
  const Tensor rows = plan.row_numbers();
  const Tensor y = detail::make_tensor(plan.shape, x.scalar_type(), x.device());
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(x, take_rows, y, plan.view(x).contiguous(), rows, plan.rows);
  }
  if (needs_grad(x))
    record("IndexBackward0", y, {x},
           [indices = save_indices(plan.indices), sizes = Dims(x.sizes())](const Tensor& gy) {
             Tensor gx = gy.new_zeros(sizes);
             return index_put_(gx, get_indices(indices), gy, true);
           });
  return y;
}

Tensor index_put(const Tensor& x, const std::vector<optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate) {
  if (auto done = at_door<"index_put">(x, indices, values, accumulate)) return done;
  return put({"index_put", false}, x, indices, values, accumulate);
}

Tensor& index_put_(Tensor& x, const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate) {
  if (at_door<"index_put_">(x, indices, values, accumulate)) return x;
  put({"index_put_", true}, x, indices, values, accumulate);
  return x;
}

Tensor take(const Tensor& x, const Tensor& index) {
  if (auto done = at_door<"take">(x, index)) return done;
  check_defined("take", x, "self");
  TAPER_CHECK(index.scalar_type() == kLong, "take(): Expected a long tensor for index, but got ",
              toString(index.scalar_type()));
  check_same_device("take", x, index);
  const int64_t n = x.numel();
  const Tensor at = index.contiguous();
  const Tensor y = detail::make_tensor(index.sizes(), x.scalar_type(), x.device());
  const Tensor rows = detail::make_tensor({at.numel()}, kLong, x.device());
  TAPER_ON_DEVICE(x, check_index, "take", at, -n, n, 0, IndexWording::kTake);
  TAPER_ON_DEVICE(x, combine_indices, "take", rows, std::vector<In>{In(at)}, Dims{n}, Dims{0});
  {
    NoGradGuard no_grad;
    TAPER_ON_DEVICE(x, take_rows, y, x.contiguous(), rows, RowShape{1, n, 1});
  }
  if (needs_grad(x))
    record("TakeBackward0", y, {x},
           [index = saved(index), sizes = Dims(x.sizes()), n](const Tensor& gy) {
             Tensor gx = gy.new_zeros({n});
             return index_put_(gx, {index.get()}, gy, true).view(sizes);
           });
  return y;
}

Tensor Tensor::index(const std::vector<optional<Tensor>>& indices) const {
  return taper::index(*this, indices);
}
Tensor& Tensor::index_put_(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                           bool accumulate) const {
  return taper::index_put_(detail::as_mutable(*this), indices, values, accumulate);
}
Tensor Tensor::index_put(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                         bool accumulate) const {
  return taper::index_put(*this, indices, values, accumulate);
}
Tensor Tensor::take(const Tensor& index) const { return taper::take(*this, index); }

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  if (auto done = at_door<"put">(self, index, source, accumulate)) return done;
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

Tensor Tensor::put(const Tensor& index, const Tensor& source, bool accumulate) const {
  return taper::put(*this, index, source, accumulate);
}

Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) const {
  if (at_door<"put_">(*this, index, source, accumulate)) return detail::as_mutable(*this);
  return in_place("put_", *this, {index, source},
                  [&](const Tensor& x) { return taper::put(x, index, source, accumulate); });
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(take, (out, self, index), take(self, index), (self, index), const Tensor& self,
          const Tensor& index)

}  // namespace torch::taper
