// Batch rules of ops. A pointwise op has a rule by its trait (batching.cpp), a composite one by its
// parts, and an op that is not listed here is called for each example.
#include <taper/func/batch_rules.h>

#include <string>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/check.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/spatial/spatial.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

using autograd::Grads;
using autograd::needs_grad;
using autograd::record;
using autograd::saved_if;
namespace {

/// Puts batches in place of the tensors that stand for them.
void unwrap(BatchCall& c) {
  c.a.map([&](size_t, const Tensor& t) { return c.is_batched(t) ? batch_of(t, c.level) : t; });
}
/// Does so, and expands the tensors without a batch.
void unwrap_all(BatchCall& c) {
  c.a.map([&](size_t, const Tensor& t) { return batch_of(t, c.level); });
}

// ---------------------------------------------------------------- leading dimensions
/// The op treats all dimensions but the last ones as a batch.
IValue leading(BatchCall& c) {
  unwrap(c);
  return c.wrapped(c.a.call());
}
/// So does an op of several tensors, which must all have the batch.
IValue leading_all(BatchCall& c) {
  unwrap_all(c);
  return c.wrapped(c.a.call());
}
/// Right sides are vectors if they have a dimension less. Those that are matrices get all
/// dimensions.
IValue linalg_solve(BatchCall& c) {
  const Tensor A = c.tensor(0), B = c.tensor(1);
  if (B.dim() == 1 || B.sizes() == A.sizes().slice(0, A.sizes().size() - 1)) return leading_all(c);
  const int64_t rank = std::max(A.dim(), B.dim());
  c.a.map([&](size_t, const Tensor& t) { return padded(batch_of(t, c.level), rank); });
  return c.wrapped(c.a.call());
}

/// The result depends on dtypes and dimensions of an example.
IValue by_kind(BatchCall& c) {
  const Temporarily<bool> off(levels().off, true);
  return c.a.call();
}

// ---------------------------------------------------------------- dimensions
bool names_dim(std::string_view name) {
  return name == "dim" || name == "dims" || name == "dim0" || name == "dim1" || name == "dim2" ||
         name == "start_dim" || name == "end_dim" || name == "axis0" || name == "axis1" ||
         name == "source" || name == "destination" || name == "dimension";
}

}  // namespace

int64_t shifted(const BatchCall& c, int64_t dim, int64_t rank) {
  return wrap_dim(c.op.name, dim, rank) + 1;
}

bool shift_dims(BatchCall& c, int64_t rank, bool reduces) {
  bool any = false;
  const auto list = [&](IntArrayRef dims) {
    Sizes all;
    for (const int64_t d : dims) all.push_back(shifted(c, d, rank));
    for (int64_t d = 0; reduces && dims.empty() && d < rank; ++d) all.push_back(d + 1);
    return all;
  };
  const auto& names = argument_names(c.op);
  for (size_t i = 0; i < c.a.size(); ++i) {
    if (!names_dim(names[i])) continue;
    any = true;
    if (const auto* d = c.a.get<int64_t>(i)) c.a.set<int64_t>(i, shifted(c, *d, rank));
    if (const auto* d = c.a.get<optional<int64_t>>(i); d && *d)
      c.a.set<optional<int64_t>>(i, shifted(c, **d, rank));
    if (const auto* d = c.a.get<IntArrayRef>(i)) c.a.set_list(i, list(*d));
    if (const auto* d = c.a.get<OptionalIntArrayRef>(i))
      c.a.set_list(i, list(*d ? IntArrayRef(**d) : IntArrayRef()));
  }
  return any;
}

namespace {

Tensor squeezed(const Tensor& t) { return t.dim() > 1 && t.size(1) == 1 ? t.squeeze(1) : t; }

/// The first tensor has dimensions that arguments name. An example without any gets one.
IValue dims_rule(BatchCall& c, bool reduces) {
  const Tensor batch = c.is_batched(size_t{0}) ? c.batch(0) : Tensor();
  if (!batch.defined() || c.batched() != 1) return batch_loop(c);
  const int64_t rank = batch.dim() - 1;
  if (rank == 0 && !c.op.caller->result) return batch_loop(c);
  Arguments before = c.a;
  c.a.set<Tensor>(0, rank == 0 ? batch.unsqueeze(1) : batch);
  if (!shift_dims(c, std::max<int64_t>(rank, 1), reduces)) {
    c.a = before;
    return batch_loop(c);
  }
  const IValue value = c.a.call();
  return rank > 0 ? c.wrapped(value) : c.wrapped(mapped(value, squeezed));
}
}  // namespace
IValue by_dims(BatchCall& c) { return dims_rule(c, false); }
namespace {
IValue by_reduced_dims(BatchCall& c) { return dims_rule(c, true); }
/// Dimensions count one more than the tensor has.
IValue by_new_dim(BatchCall& c) {
  if (!c.is_batched(size_t{0}) || c.batched() != 1) return batch_loop(c);
  const Tensor batch = c.batch(0);
  c.a.set<Tensor>(0, batch);
  shift_dims(c, batch.dim(), false);
  return c.wrapped(c.a.call());
}
/// The dims of the result are two more than one that the tensor loses.
IValue diag_embed_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  const int64_t rank = batch.dim();  // of the result without the batch
  return c.wrapped(diag_embed(batch, *c.a.get<int64_t>(1), shifted(c, *c.a.get<int64_t>(2), rank),
                              shifted(c, *c.a.get<int64_t>(3), rank)));
}
/// An op without dimensions, or with an empty optional one, takes the elements in order.
IValue by_flat(BatchCall& c) {
  if (!c.is_batched(size_t{0}) || c.batched() != 1) return batch_loop(c);
  const int dim = c.index("dim");
  const auto* one = dim < 0 ? nullptr : c.a.get<optional<int64_t>>(static_cast<size_t>(dim));
  if (!one || *one) return by_reduced_dims(c);
  c.a.set<Tensor>(0, c.batch(0).reshape({c.size(), -1}));
  c.a.set<optional<int64_t>>(static_cast<size_t>(dim), 1);
  return c.wrapped(c.a.call());
}

/// Reductions. The forms without dimensions reduce all but the first.
IValue reduction(BatchCall& c) {
  if (c.index("dim") >= 0) return by_flat(c);
  const std::string_view name = c.op.name;
  if (c.a.size() > 1 && c.a.get<Tensor>(1)) return batch_pointwise(c);  // max(x, other)
  if (c.batched() != 1) return batch_loop(c);
  const Tensor flat = c.batch(0).reshape({c.size(), -1});
  const auto dtype = [&]() -> optional<ScalarType> {
    for (size_t i = 1; i < c.a.size(); ++i)
      if (const auto* t = c.a.get<optional<ScalarType>>(i)) return *t;
    return nullopt;
  };
  const bool* unbiased = c.a.size() > 1 ? c.a.get<bool>(1) : nullptr;
  if (name == "sum") return stand_in(flat.sum(1, false, dtype()), c.level.id);
  if (name == "mean") return stand_in(flat.mean(1, false, dtype()), c.level.id);
  if (name == "prod") return stand_in(flat.prod(1, false, dtype()), c.level.id);
  if (name == "max") return stand_in(flat.amax(1), c.level.id);
  if (name == "min") return stand_in(flat.amin(1), c.level.id);
  if (name == "any") return stand_in(flat.any(1), c.level.id);
  if (name == "all") return stand_in(flat.all(1), c.level.id);
  if (name == "median") return stand_in(std::get<0>(flat.median(1)), c.level.id);
  if (name == "nanmedian") return stand_in(std::get<0>(flat.nanmedian(1)), c.level.id);
  if (name == "std") return stand_in(flat.std(1, unbiased ? *unbiased : true), c.level.id);
  if (name == "var") return stand_in(flat.var(1, unbiased ? *unbiased : true), c.level.id);
  return batch_loop(c);
}

/// norm(p) without dimensions is that of all elements.
IValue norm_rule(BatchCall& c) {
  if (c.index("dim") >= 0) return by_reduced_dims(c);
  if (c.batched() != 1 || c.a.size() != 2 || !c.a.get<Scalar>(1)) return batch_loop(c);
  return stand_in(c.batch(0).reshape({c.size(), -1}).norm(*c.a.get<Scalar>(1), {1}), c.level.id);
}

IValue trace_rule(BatchCall& c) {
  return stand_in(c.batch(0).diagonal(0, 1, 2).sum(-1), c.level.id);
}
IValue diag_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  const int64_t offset = *c.a.get<int64_t>(1);
  return stand_in(batch.dim() == 2 ? diag_embed(batch, offset) : batch.diagonal(offset, 1, 2),
                  c.level.id);
}
IValue roll_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  const IntArrayRef shifts = *c.a.get<IntArrayRef>(1), dims = *c.a.get<IntArrayRef>(2);
  if (!dims.empty()) return by_dims(c);
  return stand_in(batch.reshape({c.size(), -1}).roll(shifts, {1}).reshape(batch.sizes()),
                  c.level.id);
}
/// Counts a change in place that has nothing to do.
IValue unchanged(const Tensor& batch) {
  batch.transpose_(0, 0);
  return {};
}
IValue squeeze_rule(BatchCall& c) {
  const bool changes = !c.op.caller->result;
  Tensor batch = c.batch(0);
  if (c.index("dim") >= 0 && (batch.dim() > 1 || !changes)) return by_dims(c);
  if (c.index("dim") >= 0) return unchanged(batch);  // nothing to squeeze
  Sizes dims;
  for (int64_t d = 1; d < batch.dim(); ++d)
    if (batch.size(d) == 1) dims.push_back(d);
  if (changes && dims.empty()) return unchanged(batch);
  if (changes) {
    batch.squeeze_(dims);
    return {};
  }
  return stand_in(dims.empty() ? batch.alias() : batch.squeeze(dims), c.level.id);
}
IValue transpose_rule(BatchCall& c) {
  Tensor batch = c.batch(0);
  if (!c.op.caller->result) {
    if (batch.dim() != 3) return unchanged(batch);
    batch.transpose_(1, 2);
    return {};
  }
  return stand_in(batch.dim() == 3 ? batch.transpose(1, 2) : batch.alias(), c.level.id);
}
IValue reversed_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  Sizes dims{0};
  for (int64_t d = batch.dim() - 1; d > 0; --d) dims.push_back(d);
  return stand_in(batch.permute(dims), c.level.id);
}
/// permute(dims): the batch stays first.
IValue permute_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  Sizes dims{0};
  for (const int64_t d : *c.a.get<IntArrayRef>(1)) dims.push_back(shifted(c, d, batch.dim() - 1));
  return stand_in(batch.permute(dims), c.level.id);
}

// ---------------------------------------------------------------- sizes
/// The op gives the first tensor these sizes.
IValue by_sizes(BatchCall& c) {
  for (size_t i = 1; i < c.a.size(); ++i) {
    const auto* sizes = c.a.get<IntArrayRef>(i);
    if (!sizes) continue;
    const bool repeats = argument_names(c.op)[i] == "repeats";
    c.a.set_list(i, joined({repeats ? int64_t{1} : c.size()}, *sizes));
    break;
  }
  unwrap_all(c);
  return c.wrapped(c.a.call());
}
/// An example with fewer dimensions than the sizes gets dimensions of 1 after the batch.
IValue expand_rule(BatchCall& c) {
  Tensor batch = c.batch(0);
  const IntArrayRef sizes = *c.a.get<IntArrayRef>(1);
  Sizes with_ones = batch.sizes().vec();
  const auto missing = static_cast<int64_t>(sizes.size()) - (batch.dim() - 1);
  if (missing > 0) {
    with_ones.insert(with_ones.begin() + 1, static_cast<size_t>(missing), 1);
    batch = batch.reshape(with_ones);
  }
  const Sizes all = joined({c.op.name == std::string_view("repeat") ? 1 : c.size()}, sizes);
  return stand_in(c.op.name == std::string_view("repeat") ? batch.repeat(all) : batch.expand(all),
                  c.level.id);
}
IValue like_other(BatchCall& c) {
  const Tensor self = c.tensor(0), other = c.tensor(1);
  if (!c.is_batched(self)) return self.reshape(other.sizes());
  const bool expands = c.op.name == std::string_view("expand_as");
  return expands ? self.expand(other.sizes()) : self.reshape(other.sizes());
}
IValue flatten_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  if (batch.dim() == 1) return stand_in(batch.unsqueeze(1), c.level.id);
  return by_dims(c);
}
IValue as_strided_rule(BatchCall& c) {
  const Tensor batch = c.batch(0);
  const auto* offset = c.a.get<optional<int64_t>>(3);
  return stand_in(batch.as_strided(joined({c.size()}, *c.a.get<IntArrayRef>(1)),
                                   joined({batch.stride(0)}, *c.a.get<IntArrayRef>(2)),
                                   offset && *offset ? **offset : batch.storage_offset()),
                  c.level.id);
}

// ---------------------------------------------------------------- products
/// Returns whether all examples of `batch` share their elements (stride 0), and nothing else is
/// kept with it or with `other`. Both must have one floating dtype.
bool is_shared(const Tensor& batch, const Tensor& other) {
  const bool plain = !note_of(batch) && !note_of(other) && batch.dtype() == other.dtype();
  return plain && batch.size(0) > 1 && batch.stride(0) == 0 && batch.is_floating_point();
}

/// Returns f() without a history, and not as a view.
template <class F>
Tensor value_of(const F& f) {
  const NoGradGuard values_only;
  return taper::detail::share_data(f().impl());
}

/// Returns x w for x (B, ..., K) and w (B, K, N) with is_shared(w, x). One product computes the
/// values, and the gradient of w has a batch.
Tensor shared_product(const Tensor& x, const Tensor& w) {
  const Tensor y = value_of([&] { return x.matmul(w.select(0, 0)); });
  if (needs_grad(x, w))
    record("SharedProductBackward0", y, {x, w},
           [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = shared_product(g[0], ws.get().transpose(1, 2));
             if (g.needs(1)) {
               const Tensor x = xs.get();
               const int64_t n = x.size(0);
               r[1] = x.reshape({n, -1, x.size(-1)})
                          .transpose(1, 2)
                          .matmul(g[0].reshape({n, -1, g[0].size(-1)}));
             }
             return r;
           });
  return y;
}

Tensor product(const BatchCall& c, const Tensor& x, const Tensor& y) {
  const bool in_x = c.is_batched(x), in_y = c.is_batched(y);
  Tensor a = in_x ? batch_of(x, c.level) : x, b = in_y ? batch_of(y, c.level) : y;
  if (in_x && !in_y && y.dim() <= 2 && x.dim() > 0) {
    if (y.dim() == 2 || x.dim() == 1) return a.matmul(b);  // rows of all examples
  }
  if (in_y && !in_x && y.dim() == 1 && x.dim() == 2) return b.matmul(x.t());
  if (in_x && in_y && y.dim() == 2 && x.dim() > 0 && is_shared(b, a)) return shared_product(a, b);
  if (x.dim() == 1) a = a.unsqueeze(-2);
  if (y.dim() == 1) b = b.unsqueeze(-1);
  const int64_t rank = std::max(a.dim() - in_x, b.dim() - in_y);
  Tensor z = (in_x ? padded(a, rank) : a).matmul(in_y ? padded(b, rank) : b);
  if (y.dim() == 1) z = z.squeeze(-1);
  if (x.dim() == 1) z = z.squeeze(y.dim() == 1 ? -1 : -2);
  return z;
}
IValue matmul_rule(BatchCall& c) {
  return stand_in(product(c, c.tensor(0), c.tensor(1)), c.level.id);
}
/// beta * self + alpha * product
IValue add_product(BatchCall& c) {
  if (!c.op.caller->result) return batch_loop(c);
  const Tensor z = c.tensor(1).matmul(c.tensor(2));
  const Scalar beta = *c.a.get<Scalar>(3), alpha = *c.a.get<Scalar>(4);
  return z.mul(alpha).add(c.tensor(0).mul(beta));
}
IValue linear_rule(BatchCall& c) {
  const Tensor x = c.tensor(0), w = c.tensor(1), b = c.tensor(2);
  if (!c.is_batched(w) && !(b.defined() && c.is_batched(b)))
    return stand_in(linear(c.batch(0), w, b), c.level.id);
  const Tensor y = x.matmul(w.dim() == 1 ? w : w.t());
  return b.defined() ? y.add(b) : y;
}
IValue dot_rule(BatchCall& c) { return c.tensor(0).mul(c.tensor(1)).sum(); }
IValue outer_rule(BatchCall& c) { return c.tensor(0).unsqueeze(1).mul(c.tensor(1)); }

IValue einsum_rule(BatchCall& c) {
  const std::string equation(*c.a.get<std::string_view>(0));
  const size_t arrow = equation.find("->");
  char letter = 'a';
  while (letter <= 'z' && equation.find(letter) != equation.npos) ++letter;
  if (arrow == equation.npos || letter > 'z' || equation.find('.') != equation.npos)
    return batch_loop(c);
  std::string with;
  variable_list operands;
  size_t start = 0;
  for (const Tensor& t : *c.a.get<TensorList>(1)) {
    const size_t end = std::min(equation.find(',', start), arrow);
    if (!operands.empty()) with += ',';
    if (c.is_batched(t)) with += letter;
    with += equation.substr(start, end - start);
    start = end + 1;
    operands.push_back(c.is_batched(t) ? batch_of(t, c.level) : t);
  }
  with += std::string("->") + letter + equation.substr(arrow + 2);
  return stand_in(einsum(with, operands), c.level.id);
}

// ---------------------------------------------------------------- copies
IValue copy_rule(BatchCall& c) {
  if (changes_argument(c.op)) return batch_pointwise(c);
  const Tensor self = c.tensor(0), source = c.tensor(1);
  return source.to(self.scalar_type()).expand(self.sizes()).clone();
}
IValue masked_fill_rule(BatchCall& c) {
  const Tensor value = c.tensor(2);
  if (!value.defined() || !c.is_batched(value)) return batch_pointwise(c);
  const Tensor self = c.tensor(0), filled = where(c.tensor(1), value.to(self.scalar_type()), self);
  if (c.op.caller->result) return filled;
  self.copy_(filled);
  return {};
}
IValue fill_rule(BatchCall& c) {
  const Tensor self = c.tensor(0), value = c.tensor(1);
  if (!value.defined() || !c.is_batched(value)) return leading(c);
  if (c.op.caller->result) return value.to(self.scalar_type()).expand(self.sizes()).clone();
  self.copy_(value);
  return {};
}

// ---------------------------------------------------------------- indices, lists
IValue joins(BatchCall& c) {
  variable_list all;
  for (const Tensor& t : *c.a.get<TensorList>(0)) all.push_back(batch_of(t, c.level));
  const auto rank = all.at(0).dim() - 1;
  const bool stacks = c.op.name == std::string_view("stack");
  const int64_t dim = shifted(c, *c.a.get<int64_t>(1), stacks ? rank + 1 : rank);
  return stand_in(stacks ? stack(all, dim) : cat(all, dim), c.level.id);
}
/// All tensors have the dimension of the argument `dim`.
IValue along_dim(BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  if (rank == 0) return batch_loop(c);
  const auto at = static_cast<size_t>(c.index("dim"));
  c.a.set<int64_t>(at, shifted(c, *c.a.get<int64_t>(at), rank));
  return leading_all(c);
}
// ---------------------------------------------------------------- the list
const BatchRules& all_rules() {
  static const BatchRules rules = [] {
    BatchRules all;
    // clang-format off
    add_rules(all, leading, {
      "alias", "clone", "contiguous", "detach", "to", "zeros_like", "ones_like", "empty_like",
      "full_like", "mT", "mH", "adjoint", "det", "linalg_det", "logdet", "slogdet",
      "linalg_slogdet", "inverse", "linalg_inv", "linalg_inv_ex", "linalg_cholesky",
      "linalg_cholesky_ex", "cholesky", "cholesky_inverse", "linalg_qr", "linalg_svd",
      "linalg_svdvals", "linalg_eigh", "linalg_eigvalsh", "linalg_eig", "linalg_eigvals",
      "linalg_matrix_exp", "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex", "tril", "triu",
      "pixel_shuffle", "pixel_unshuffle", "one_hot", "view_as_real", "view_as_complex", "real",
      "imag", "conj", "conj_complex", "constant_pad_nd", "positive", "zero", "matrix_H", "geqrf",
      "linalg_pinv", "linalg_matrix_rank", "linalg_ldl_factor", "linalg_ldl_factor_ex"});
    add_rules(all, leading_all, {
      "linalg_lu_solve", "linalg_householder_product", "lu_unpack", "linalg_ldl_solve"});
    add_rules(all, batch_broadcast, {
      "cdist", "linalg_solve_triangular", "cholesky_solve"});
    add_rules(all, batch_pointwise, {"frexp", "hardshrink_backward"});
    add_rules(all, linalg_solve, {"linalg_solve", "linalg_solve_ex"});
    add_rules(all, by_dims, {
      "softmax", "log_softmax", "_softmax", "_log_softmax", "softmin", "cumsum", "cumprod",
      "logcumsumexp", "cummax", "cummin", "flip", "select", "slice", "narrow", "transpose",
      "swapaxes", "swapdims", "movedim", "moveaxis", "chunk", "split", "split_with_sizes",
      "tensor_split", "unbind", "unfold", "diagonal", "linalg_diagonal", "unflatten", "sort",
      "topk", "kthvalue", "mode", "linalg_matrix_norm", "glu", "fft_fft", "fft_ifft", "fft_rfft",
      "fft_irfft", "fft_hfft", "fft_ihfft", "fft_fft2", "fft_ifft2", "fft_rfft2", "fft_irfft2",
      "index_fill", "narrow_copy"});
    add_rules(all, by_reduced_dims, {
      "linalg_vector_norm", "logsumexp", "amax", "amin", "nansum", "nanmean", "fft_fftn",
      "fft_ifftn", "fft_rfftn", "fft_irfftn", "std_mean", "var_mean"});
    add_rules(all, by_new_dim, {
      "unsqueeze"});
    add_rules(all, by_flat, {
      "argmax", "argmin", "repeat_interleave", "argsort"});
    add_rules(all, reduction, {
      "sum", "mean", "prod", "max", "min", "any", "all", "median", "std", "var", "count_nonzero",
      "nanmedian"});
    add_rules(all, norm_rule, {
      "norm"});
    add_rules(all, by_sizes, {
      "view", "reshape", "new_zeros", "new_ones", "new_empty", "new_full", "_unsafe_view"});
    add_rules(all, expand_rule, {
      "expand", "broadcast_to", "repeat"});
    add_rules(all, like_other, {
      "view_as", "reshape_as", "expand_as"});
    add_rules(all, matmul_rule, {
      "matmul", "mm", "bmm", "mv", "linalg_matmul"});
    add_rules(all, add_product, {
      "addmm", "addmv", "baddbmm"});
    add_rules(all, joins, {
      "cat", "stack"});
    add_rules(all, along_dim, {
      "gather", "scatter", "scatter_add", "scatter_reduce", "softmax_backward",
      "log_softmax_backward"});
    add_rules(all, by_kind, {
      "result_type"});
    add_rules(all, diag_embed_rule, {"diag_embed"});
    add_rules(all, trace_rule, {"trace"});
    add_rules(all, diag_rule, {"diag"});
    add_rules(all, roll_rule, {"roll"});
    add_rules(all, squeeze_rule, {"squeeze"});
    add_rules(all, transpose_rule, {"t"});
    add_rules(all, reversed_rule, {"numpy_T"});
    add_rules(all, permute_rule, {"permute"});
    add_rules(all, flatten_rule, {"flatten"});
    add_rules(all, as_strided_rule, {"as_strided"});
    add_rules(all, linear_rule, {"linear"});
    add_rules(all, dot_rule, {"dot"});
    add_rules(all, dot_rule, {"vdot"});
    add_rules(all, outer_rule, {"outer"});
    add_rules(all, outer_rule, {"ger"});
    add_rules(all, einsum_rule, {"einsum"});
    add_rules(all, copy_rule, {"copy"});
    add_rules(all, masked_fill_rule, {"masked_fill"});
    add_rules(all, fill_rule, {"fill"});
    // clang-format on
    add_index_rules(all);
    add_layer_rules(all);
    return all;
  }();
  return rules;
}

}  // namespace

BatchRule batch_rule(const OpInfo& op) {
  std::string_view name = op.name;
  if (op.is(OpTrait::kInPlace)) name.remove_suffix(1);
  const auto found = all_rules().find(name);
  return found == all_rules().end() ? nullptr : found->second;
}

}  // namespace torch::taper::func::detail
