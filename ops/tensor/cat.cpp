#include <taper/ops/tensor/cat.h>

#include <algorithm>
#include <cstring>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper {
namespace {

bool is_legacy_empty(const Tensor& t) { return t.dim() == 1 && t.size(0) == 0; }

ScalarType common_dtype(TensorList tensors) {
  // Tensors with dimensions outweigh 0-dim ones, which only stack() allows.
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

// Joins a few small parts that lie ready in host memory. Returns false for others.
bool join_few(const TensorImpl& y, TensorList tensors, int64_t outer) {
  if (!detail::runs_without_launch(y) || outer >= 8) return false;
  for (const Tensor& t : tensors)
    if (!t.impl().contiguous || t.impl().dtype != y.dtype) return false;
  char* to = static_cast<char*>(y.data);
  for (int64_t r = 0; r < outer; ++r)
    for (const Tensor& t : tensors) {
      const TensorImpl& x = t.impl();
      const size_t part = static_cast<size_t>(x.numel / outer) * x.itemsize();
      if (part == 0) continue;
      std::memcpy(to, static_cast<const char*>(x.data) + static_cast<size_t>(r) * part, part);
      to += part;
    }
  return true;
}

// Joins the tensors in turn, `outer` times an equal part of each.
Tensor joined(const Dims& size, TensorList tensors, int64_t outer) {
  const ScalarType dtype = common_dtype(tensors);
  Tensor y = detail::make_tensor(size, dtype, tensors[0].device());
  if (join_few(y.impl(), tensors, outer)) return y;
  std::vector<In> parts;
  parts.reserve(tensors.size());
  std::vector<Tensor> kept;  // keeps converted copies alive until the kernel has been launched
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
// Returns the shape of the result. Every tensor but legacy empty ones must fit the first.
Dims cat_sizes(TensorList tensors, const Tensor& first, int64_t dim) {
  Dims size = first.sizes();
  int64_t length = 0, number = -1;
  for (const Tensor& t : tensors) {
    ++number;
    if (is_legacy_empty(t)) continue;
    TAPER_CHECK(t.dim() == first.dim(), "cat: Tensors must have same number of dimensions: got ",
                first.dim(), " and ", t.dim());
    for (int64_t d = 0; d < t.dim(); ++d)
      TAPER_CHECK(d == dim || t.impl().sizes[d] == size[d],
                  "cat: Sizes of tensors must match except in dimension ", dim, ". Expected size ",
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
    TAPER_CHECK(tensors[i].dim() > 0, "cat: zero-dimensional tensor (at position ", i,
                ") cannot be concatenated");
}

/// Describes a tensor for its gradient: its length along dim (-1 if it was skipped) and its dtype.
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
  if (auto done = at_door<"cat">(tensors, dim)) return done;
  check_cat(tensors);
  const Tensor& first = first_not_empty(tensors);
  dim = wrap_dim("cat", dim, first.dim());
  const Dims size = cat_sizes(tensors, first, dim);
  Tensor y = joined(size, tensors, product(size, 0, dim));
  if (needs_grad(tensors))
    record_list("CatBackward0", TensorList(y), tensors,
                [parts = parts_of(tensors, dim), dim](autograd::Grads& g) {
                  return cat_backward(g, parts, dim);
                });
  return y;
}

Tensor concat(TensorList tensors, int64_t dim) {
  if (auto done = at_door<"concat">(tensors, dim)) return done;
  return cat(tensors, dim);
}
Tensor concatenate(TensorList tensors, int64_t dim) {
  if (auto done = at_door<"concatenate">(tensors, dim)) return done;
  return cat(tensors, dim);
}

// ---------------------------------------------------------------- stack
namespace {

// Returns the dtype of each tensor, or nothing if all are equal.
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
  if (auto done = at_door<"stack">(tensors, dim)) return done;
  TAPER_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  check_list("stack", tensors);
  const Dims& each = tensors[0].impl().sizes;
  dim = wrap_dim("stack", dim, each.size() + 1);
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
    if (out.defined() && t.defined()) check_apart(op, out, t);
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
  if (at_door<"cat_out">(out, tensors, dim)) return out;
  return joined_out("cat", out, tensors, [&] { return cat(tensors, dim); });
}
Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim) {
  if (at_door<"stack_out">(out, tensors, dim)) return out;
  return joined_out("stack", out, tensors, [&] { return stack(tensors, dim); });
}

// ---------------------------------------------------------------- by rank
Tensor atleast_1d(const Tensor& x) {
  if (auto done = at_door<"atleast_1d">(x)) return done;
  return x.dim() == 0 ? x.reshape({1}) : x;
}

Tensor atleast_2d(const Tensor& x) {
  if (auto done = at_door<"atleast_2d">(x)) return done;
  return x.dim() == 0 ? x.reshape({1, 1}) : x.dim() == 1 ? x.unsqueeze(0) : x;
}

Tensor atleast_3d(const Tensor& x) {
  if (auto done = at_door<"atleast_3d">(x)) return done;
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

std::vector<Tensor> atleast_1d(TensorList tensors) {
  if (auto done = at_door<"atleast_1d">(tensors)) return done;
  return each(tensors, atleast_1d);
}
std::vector<Tensor> atleast_2d(TensorList tensors) {
  if (auto done = at_door<"atleast_2d">(tensors)) return done;
  return each(tensors, atleast_2d);
}
std::vector<Tensor> atleast_3d(TensorList tensors) {
  if (auto done = at_door<"atleast_3d">(tensors)) return done;
  return each(tensors, atleast_3d);
}

Tensor hstack(TensorList tensors) {
  if (auto done = at_door<"hstack">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "hstack expects a non-empty TensorList");
  const std::vector<Tensor> list = atleast_1d(tensors);
  return cat(list, list[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  if (auto done = at_door<"vstack">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "vstack expects a non-empty TensorList");
  return cat(atleast_2d(tensors), 0);
}

Tensor dstack(TensorList tensors) {
  if (auto done = at_door<"dstack">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "dstack expects a non-empty TensorList");
  return cat(atleast_3d(tensors), 2);
}

// ---------------------------------------------------------------- matrices, columns, flat lists
Tensor block_diag(TensorList tensors) {
  if (auto done = at_door<"block_diag">(tensors)) return done;
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

Tensor column_stack(TensorList tensors) {
  if (auto done = at_door<"column_stack">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "column_stack expects a non-empty TensorList");
  std::vector<Tensor> columns;
  for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t);
  return hstack(columns);
}

Tensor row_stack(TensorList tensors) {
  if (auto done = at_door<"row_stack">(tensors)) return done;
  return vstack(tensors);
}

Tensor flatten_dense_tensors(TensorList tensors) {
  if (auto done = at_door<"flatten_dense_tensors">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "flatten_dense_tensors: expected at least one tensor, got none");
  std::vector<Tensor> flat;
  for (const Tensor& t : tensors) flat.push_back(t.reshape({-1}));
  return flat.size() == 1 ? flat[0] : cat(flat);
}

std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors) {
  if (auto done = at_door<"unflatten_dense_tensors">(flat, tensors)) return done;
  check_defined("unflatten_dense_tensors", flat, "flat");
  std::vector<Tensor> parts;
  int64_t offset = 0;
  for (const Tensor& t : tensors) {
    const int64_t n = t.numel();
    parts.push_back(n == 0 ? flat.new_empty({0}) : flat.narrow(0, offset, n).view(t.sizes()));
    offset += n;
  }
  return parts;
}

// ---------------------------------------------------------------- out forms
TAPER_OUT_LIST(hstack, hstack(tensors))
TAPER_OUT_LIST(vstack, vstack(tensors))
TAPER_OUT_LIST(dstack, dstack(tensors))
TAPER_OUT_LIST(column_stack, column_stack(tensors))

}  // namespace torch::taper
