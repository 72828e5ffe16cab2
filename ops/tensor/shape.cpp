// Joining and repeating. See rearrange.cpp for the rest of shape.h.
#include <taper/ops/tensor/shape.h>

#include <algorithm>

#include <taper/framework/autograd/record.h>
#include <taper/framework/checked.h>
#include <taper/framework/shape.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/shape_kernels.h>

namespace taper {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::record_list;

bool is_legacy_empty(const Tensor& t) { return t.dim() == 1 && t.size(0) == 0; }

ScalarType common_dtype(TensorList tensors) {
  // Dimensioned tensors outweigh 0-dim ones, which only stack() lets through.
  ScalarType t = tensors[0].scalar_type();
  for (const Tensor& x : tensors)
    if (x.scalar_type() != t) t = promoteTypes(t, x.scalar_type());
  return t;
}

void check_list(const char* op, TensorList tensors) {
  for (const Tensor& t : tensors) {
    check_defined(op, t, "tensors");
    check_same_device(op, tensors[0], t);
  }
}

// y = the tensors in turn, `outer` times an equal part of each.
Tensor joined(const Dims& size, TensorList tensors, int64_t outer) {
  const ScalarType dtype = common_dtype(tensors);
  Tensor y = detail::make_tensor(size, dtype, tensors[0].device());
  std::vector<In> parts;
  parts.reserve(tensors.size());
  std::vector<Tensor> kept;  // converted copies live until the kernel has been launched
  for (const Tensor& t : tensors) {
    if (t.impl().contiguous && t.scalar_type() == dtype) {
      parts.emplace_back(t);
    } else {
      NoGradGuard no_grad;
      kept.push_back(t.detach().to(dtype).contiguous());
      parts.emplace_back(kept.back());
    }
  }
  TAPER_ON_DEVICE(y, join, y, std::move(parts), outer);
  return y;
}

int64_t product(IntArrayRef sizes, int64_t begin, int64_t end) {
  int64_t p = 1;
  for (int64_t d = begin; d < end; ++d) p *= sizes[static_cast<size_t>(d)];
  return p;
}

// ---------------------------------------------------------------- cat
// The shape of the result; every tensor but the legacy empty ones must fit the first of them.
Dims cat_sizes(TensorList tensors, const Tensor& first, int64_t dim) {
  Dims size = first.sizes();
  int64_t length = 0, number = -1;
  for (const Tensor& t : tensors) {
    ++number;
    if (is_legacy_empty(t)) continue;
    TAPER_CHECK(t.dim() == first.dim(), "Tensors must have same number of dimensions: got ",
                first.dim(), " and ", t.dim());
    for (int64_t d = 0; d < t.dim(); ++d)
      TAPER_CHECK(d == dim || t.impl().sizes[d] == size[d],
                  "Sizes of tensors must match except in dimension ", dim, ". Expected size ",
                  size[d], " but got size ", t.impl().sizes[d], " for tensor number ", number,
                  " in the list.");
    length = detail::checked_add("cat", length, t.impl().sizes[dim]);
  }
  size[dim] = length;
  return size;
}

const Tensor& first_not_empty(TensorList tensors) {
  for (const Tensor& t : tensors)
    if (!is_legacy_empty(t)) return t;
  return tensors[0];
}

void check_cat(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  check_list("cat", tensors);
  for (size_t i = 0; i < tensors.size(); ++i)
    TAPER_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i,
                ") cannot be concatenated");
}

/// What the gradient of one tensor needs: its length along dim (-1 where it was skipped), its
/// dtype.
struct Part {
  int64_t length;
  ScalarType dtype;
};

std::vector<Part> parts_of(TensorList tensors, int64_t dim) {
  std::vector<Part> parts;
  parts.reserve(tensors.size());
  for (const Tensor& t : tensors)
    parts.push_back({is_legacy_empty(t) ? -1 : t.impl().sizes[dim], t.scalar_type()});
  return parts;
}

std::vector<Tensor> cat_backward(const autograd::Grads& g, const std::vector<Part>& parts,
                                 int64_t dim) {
  const Tensor& gy = g[0];
  std::vector<Tensor> grads(parts.size());
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto [length, dtype] = parts[i];
    if (g.needs(i))
      grads[i] = (length < 0 ? zeros(0, gy.options()) : gy.narrow(dim, start, length)).to(dtype);
    start += std::max<int64_t>(length, 0);
  }
  return grads;
}

}  // namespace

Tensor cat(TensorList tensors, int64_t dim) {
  check_cat(tensors);
  const Tensor& first = first_not_empty(tensors);
  dim = wrap_dim(dim, first.dim());
  const Dims size = cat_sizes(tensors, first, dim);
  Tensor y = joined(size, tensors, product(size, 0, dim));
  if (needs_grad(tensors))
    record_list("CatBackward0", TensorList(y), tensors,
                [parts = parts_of(tensors, dim), dim](autograd::Grads& g) {
                  return cat_backward(g, parts, dim);
                });
  return y;
}

Tensor concat(TensorList tensors, int64_t dim) { return cat(tensors, dim); }
Tensor concatenate(TensorList tensors, int64_t dim) { return cat(tensors, dim); }

// ---------------------------------------------------------------- stack
namespace {

// The dtype of each tensor; nothing where they are all the same.
std::vector<ScalarType> differing_dtypes(TensorList tensors) {
  std::vector<ScalarType> dtypes;
  bool differ = false;
  for (const Tensor& t : tensors) differ |= t.scalar_type() != tensors[0].scalar_type();
  if (differ)
    for (const Tensor& t : tensors) dtypes.push_back(t.scalar_type());
  return dtypes;
}

}  // namespace

Tensor stack(TensorList tensors, int64_t dim) {
  TAPER_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  check_list("stack", tensors);
  const Dims& each = tensors[0].impl().sizes;
  dim = wrap_dim(dim, each.size() + 1);
  for (size_t i = 1; i < tensors.size(); ++i)
    TAPER_CHECK(tensors[i].impl().sizes == each,
                "stack expects each tensor to be equal size, but got ", each, " at entry 0 and ",
                tensors[i].sizes(), " at entry ", i);
  Dims size = each;
  size.insert(dim, static_cast<int64_t>(tensors.size()));
  Tensor y = joined(size, tensors, product(size, 0, dim));
  if (needs_grad(tensors))
    record_list("StackBackward0", TensorList(y), tensors,
                [dim, dtypes = differing_dtypes(tensors)](autograd::Grads& g) {
                  std::vector<Tensor> grads = g[0].unbind(dim);
                  for (size_t i = 0; i < dtypes.size(); ++i) grads[i] = grads[i].to(dtypes[i]);
                  return grads;
                });
  return y;
}

namespace {

template <class Join>
Tensor& joined_out(const char* op, Tensor& out, TensorList tensors, const Join& join) {
  for (const Tensor& t : tensors) {
    check_out_gradient(op, out, {t});
    if (out.defined() && t.defined()) check_apart(out, t);
  }
  const NoGradGuard values_only;
  const Tensor y = join();
  TAPER_CHECK(!out.defined() || canCast(y.scalar_type(), out.scalar_type()),
              "torch.cat(): input types can't be cast to the desired output type ",
              toString(out.scalar_type()));
  return store_out(op, out, y, {});
}

}  // namespace

Tensor& cat_out(Tensor& out, TensorList tensors, int64_t dim) {
  return joined_out("cat", out, tensors, [&] { return cat(tensors, dim); });
}
Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim) {
  return joined_out("stack", out, tensors, [&] { return stack(tensors, dim); });
}

// ---------------------------------------------------------------- by rank
Tensor atleast_1d(const Tensor& x) { return x.dim() == 0 ? x.reshape({1}) : x; }

Tensor atleast_2d(const Tensor& x) {
  return x.dim() == 0 ? x.reshape({1, 1}) : x.dim() == 1 ? x.unsqueeze(0) : x;
}

Tensor atleast_3d(const Tensor& x) {
  if (x.dim() >= 3) return x;
  if (x.dim() == 0) return x.reshape({1, 1, 1});
  return x.dim() == 1 ? x.unsqueeze(0).unsqueeze(-1) : x.unsqueeze(-1);
}

namespace {

std::vector<Tensor> each(TensorList tensors, Tensor (*f)(const Tensor&)) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) out.push_back(f(t));
  return out;
}

}  // namespace

std::vector<Tensor> atleast_1d(TensorList tensors) { return each(tensors, atleast_1d); }
std::vector<Tensor> atleast_2d(TensorList tensors) { return each(tensors, atleast_2d); }
std::vector<Tensor> atleast_3d(TensorList tensors) { return each(tensors, atleast_3d); }

Tensor hstack(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  const std::vector<Tensor> list = atleast_1d(tensors);
  return cat(list, list[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return cat(atleast_2d(tensors), 0);
}

Tensor dstack(TensorList tensors) {
  TAPER_CHECK(!tensors.empty(), "dstack expects a non-empty TensorList");
  return cat(atleast_3d(tensors), 2);
}

// ---------------------------------------------------------------- repeat
namespace {

/// How repeat sees its result: a repeated dimension is split into (copies, size).
struct Repetition {
  Dims size;    // of the result
  Dims split;   // of the result, with repeated dimensions split in two
  Dims source;  // of x to broadcast to split
  Dims copies;  // the dimensions of split that hold copies
};

Repetition plan_repeat(const Dims& x, IntArrayRef repeats) {
  Repetition r;
  const int64_t rank = static_cast<int64_t>(repeats.size()), missing = rank - x.size();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = d < missing ? 1 : x[d - missing], count = repeats[static_cast<size_t>(d)];
    TAPER_CHECK(count >= 0, "repeat: Trying to create tensor with negative dimension, got repeats ",
                repeats);
    r.size.push_back(detail::checked_mul("repeat", size, count));
    if (count != 1) {
      r.copies.push_back(r.split.size());
      r.split.push_back(count);
      r.source.push_back(1);
    }
    r.split.push_back(size);
    r.source.push_back(size);
  }
  return r;
}

}  // namespace

Tensor repeat(const Tensor& x, IntArrayRef repeats) {
  check_defined("repeat", x, "self");
  TAPER_CHECK(static_cast<int64_t>(repeats.size()) >= x.dim(),
              "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
              "tensor");
  const Repetition r = plan_repeat(x.impl().sizes, repeats);
  Tensor y = detail::make_tensor(r.size, x.scalar_type(), x.device());
  if (y.numel() > 0) {
    NoGradGuard no_grad;
    y.view(r.split).copy_(x.detach().reshape(r.source).expand(r.split));
  }
  if (needs_grad(x))
    record("RepeatBackward0", y, {x}, [r, size = Dims(x.sizes())](const Tensor& gy) {
      const Tensor g = gy.reshape(r.split);
      return (r.copies.empty() ? g : g.sum(r.copies.ref())).reshape(size);
    });
  return y;
}

Tensor tile(const Tensor& x, IntArrayRef dims) {
  check_defined("tile", x, "self");
  const int64_t missing = x.dim() - static_cast<int64_t>(dims.size());
  if (missing <= 0) return repeat(x, dims);
  Dims repeats(missing, 1);
  for (int64_t d : dims) repeats.push_back(d);
  return repeat(x, repeats);
}

namespace {

Tensor select_flat(const Tensor& x, optional<int64_t> dim, const Tensor& index) {
  return dim ? x.index_select(*dim, index) : x.flatten().index_select(0, index);
}

void check_output_size(optional<int64_t> asked, int64_t total) {
  TAPER_CHECK(!asked || *asked == total, "repeat_interleave: expected output_size ", total,
              ", got ", asked.value_or(0));
}

// The sum of counts that are not negative. No memory has room for what a double cannot count.
int64_t checked_total(const Tensor& counts) {
  if (counts.max().item<int64_t>() > INT64_MAX / counts.numel())
    TAPER_CHECK(counts.to(kDouble).sum().item<double>() < 0x1p62,
                "repeat_interleave: integer overflow in the sum of repeats");
  return counts.sum().item<int64_t>();
}

int64_t length_along(const Tensor& x, optional<int64_t> dim) {
  return dim ? x.size(*dim) : x.numel();
}

}  // namespace

Tensor repeat_interleave(const Tensor& repeats, optional<int64_t> output_size) {
  check_defined("repeat_interleave", repeats, "repeats");
  TAPER_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TAPER_CHECK(repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
              "\"repeat_interleave_cpu\" not implemented for '", toString(repeats.scalar_type()),
              "'");
  const Tensor counts = repeats.contiguous();
  int64_t total = 0;
  if (counts.numel() > 0) {
    TAPER_CHECK(counts.min().item<int64_t>() >= 0, "repeats can not be negative");
    total = checked_total(counts);
  }
  check_output_size(output_size, total);
  Tensor y = empty(total, counts.options().dtype(kLong));
  TAPER_ON_DEVICE(y, repeat_indices, y, counts);
  return y;
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  check_defined("repeat_interleave", x, "self");
  check_defined("repeat_interleave", repeats, "repeats");
  const int64_t n = length_along(x, dim);
  Tensor counts = repeats;
  if (counts.dim() == 0 || (counts.dim() == 1 && counts.size(0) == 1))
    counts = counts.reshape({1}).expand({n});
  else
    TAPER_CHECK(counts.dim() == 1, "repeats must be 0-dim or 1-dim tensor");
  TAPER_CHECK(counts.size(0) == n, "repeats must have the same size as input along dim");
  return select_flat(x, dim, repeat_interleave(counts, output_size));
}

Tensor repeat_interleave(const Tensor& x, int64_t repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
  check_defined("repeat_interleave", x, "self");
  TAPER_CHECK(repeats >= 0, "repeats can not be negative");
  const int64_t n = length_along(x, dim);
  const int64_t total = detail::checked_mul("repeat_interleave", n, repeats);
  check_output_size(output_size, total);
  const Tensor each = arange(n, x.options().dtype(kLong)).unsqueeze(1);
  return select_flat(x, dim, each.expand({n, repeats}).reshape({total}));
}

// ---------------------------------------------------------------- meshgrid
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  TAPER_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TAPER_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  const int64_t n = static_cast<int64_t>(tensors.size());
  const auto place = [swap](int64_t i) { return swap && i < 2 ? 1 - i : i; };
  Dims size(n, 1);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& t = tensors[static_cast<size_t>(i)];
    check_defined("meshgrid", t, "tensors");
    TAPER_CHECK(t.dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", t.sizes());
    TAPER_CHECK(t.scalar_type() == tensors[0].scalar_type(),
                "torch.meshgrid expects all tensors to have the same dtype");
    size[place(i)] = t.numel();
  }
  std::vector<Tensor> grids;
  for (int64_t i = 0; i < n; ++i) {
    Dims own(n, 1);
    own[place(i)] = size[place(i)];
    grids.push_back(tensors[static_cast<size_t>(i)].view(own).expand(size));
  }
  return grids;
}

// ---------------------------------------------------------------- methods
Tensor Tensor::repeat(IntArrayRef repeats) const { return taper::repeat(*this, repeats); }
Tensor Tensor::tile(IntArrayRef dims) const { return taper::tile(*this, dims); }
Tensor Tensor::repeat_interleave(int64_t repeats, optional<int64_t> dim,
                                 optional<int64_t> output_size) const {
  return taper::repeat_interleave(*this, repeats, dim, output_size);
}
Tensor Tensor::repeat_interleave(const Tensor& repeats, optional<int64_t> dim,
                                 optional<int64_t> output_size) const {
  return taper::repeat_interleave(*this, repeats, dim, output_size);
}

}  // namespace taper
