// Batch rules of ops with indices, and of ops that sort or search.
#include <taper/func/batch_rules.h>

#include <taper/framework/core/check.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {
namespace {

/// Puts batches in place of all tensors. Tensors without one are expanded.
IValue call_with_batches(BatchCall& c) {
  c.a.map([&](size_t, const Tensor& t) { return batch_of(t, c.level); });
  return c.wrapped(c.a.call());
}

// ---------------------------------------------------------------- indices
IValue index_select_rule(BatchCall& c) {
  const Tensor x = c.tensor(0), index = c.tensor(2);
  if (!c.is_batched(index)) return by_dims(c);
  if (x.dim() == 0) return batch_loop(c);
  const int64_t dim = wrap_dim("index_select", *c.a.get<int64_t>(1), x.dim());
  Sizes view(static_cast<size_t>(x.dim()), 1), sizes = x.sizes().vec();
  view[static_cast<size_t>(dim)] = -1;
  sizes[static_cast<size_t>(dim)] = index.numel();
  return gather(x, dim, index.reshape(view).expand(sizes));
}
IValue embedding_rule(BatchCall& c) {
  const Tensor w = c.tensor(0), index = c.tensor(1);
  if (!c.is_batched(w)) {
    c.a.set<Tensor>(1, c.batch(1));
    return c.wrapped(c.a.call());
  }
  // The tables of all examples lie beneath each other.
  const Tensor indices = c.batch(1);
  Sizes view(static_cast<size_t>(indices.dim()), 1);
  view[0] = c.size();
  const Tensor first = arange(0, c.size(), indices.options()).mul(w.size(0)).reshape(view);
  return stand_in(folded(c.batch(0))
                      .index_select(0, indices.add(first).reshape({-1}))
                      .reshape(joined(indices.sizes(), {w.size(1)})),
                  c.level.id);
}

/// x[indices]. Without a batch among the indices, the first dimension keeps its place.
IValue index_rule(BatchCall& c) {
  const auto& indices = *c.a.get<std::vector<optional<Tensor>>>(1);
  const Tensor x = c.tensor(0);
  bool batched = false, gap = false, ended = false, boolean = false;
  for (const auto& t : indices) {
    const bool given = t && t->defined();
    gap = gap || (given && ended);
    ended = ended || !given;
    if (!given) continue;
    batched = batched || c.is_batched(*t);
    boolean = boolean || !isIntegralType(t->scalar_type(), false);
  }
  if (gap || boolean) return batch_loop(c);
  std::vector<optional<Tensor>> with;
  if (!batched) {
    with.emplace_back();
  } else {
    int64_t rank = 0;
    for (const auto& t : indices)
      if (t && t->defined()) rank = std::max(rank, t->dim());
    if (c.is_batched(x)) {
      Sizes view(static_cast<size_t>(rank) + 1, 1);
      view[0] = c.size();
      with.emplace_back(arange(0, c.size(), x.options().dtype(kLong)).reshape(view));
    }
    for (const auto& t : indices) {
      const bool given = t && t->defined();
      with.push_back(
          given && c.is_batched(*t) ? optional<Tensor>(padded(batch_of(*t, c.level), rank)) : t);
    }
    return stand_in((c.is_batched(x) ? c.batch(0) : x).index(with), c.level.id);
  }
  with.insert(with.end(), indices.begin(), indices.end());
  return stand_in(c.batch(0).index(with), c.level.id);
}

/// The index is one vector for all examples.
IValue index_add_rule(BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  if (rank == 0 || c.is_batched(size_t{2})) return batch_loop(c);
  c.a.set<int64_t>(1, shifted(c, *c.a.get<int64_t>(1), rank));
  c.a.map([&](size_t i, const Tensor& t) { return i == 2 ? t : batch_of(t, c.level); });
  return c.wrapped(c.a.call());
}
/// Integers index the first dimensions, and are one for all examples.
IValue index_put_rule(BatchCall& c) {
  const auto& indices = *c.a.get<std::vector<optional<Tensor>>>(1);
  int64_t rank = c.tensor(0).dim() - static_cast<int64_t>(indices.size()), of_index = 0;
  for (const auto& t : indices) {
    if (!t || !t->defined() || c.is_batched(*t) || !isIntegralType(t->scalar_type(), false))
      return batch_loop(c);
    of_index = std::max(of_index, t->dim());
  }
  std::vector<optional<Tensor>> with{nullopt};
  with.insert(with.end(), indices.begin(), indices.end());
  c.a.set<Tensor>(0, c.batch(0));
  c.a.set<std::vector<optional<Tensor>>>(1, with);
  const Tensor values = c.tensor(2);
  if (c.is_batched(values)) c.a.set<Tensor>(2, padded(batch_of(values, c.level), rank + of_index));
  return c.wrapped(c.a.call());
}

/// take(x, index): the index counts the elements of x.
IValue take_rule(BatchCall& c) {
  const Tensor flat = c.tensor(0).reshape({-1}), index = c.tensor(1);
  const Tensor from_start = where(index.lt(0), index.add(flat.numel()), index);
  return flat.index_select(0, from_start.reshape({-1})).reshape(index.sizes());
}

/// All tensors get the batch. Dimensions are those of the first one.
IValue all_by_dims(BatchCall& c) {
  shift_dims(c, c.tensor(0).dim(), false);
  return call_with_batches(c);
}

// ---------------------------------------------------------------- sums, quantiles, searches
/// Sums to sizes that broadcast to those of the tensor.
IValue sum_to_rule(BatchCall& c) {
  const Tensor x = c.tensor(0);
  const IntArrayRef sizes = *c.a.get<IntArrayRef>(1);
  const int64_t added = x.dim() - static_cast<int64_t>(sizes.size());
  Sizes dims;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d < added || (sizes[static_cast<size_t>(d - added)] == 1 && x.size(d) != 1))
      dims.push_back(d);
  return (dims.empty() ? x.clone() : x.sum(dims, true)).reshape(sizes);
}

/// Quantiles are the first dimension of the result, if there is more than one number q.
IValue quantile_rule(BatchCall& c) {
  const auto dim_at = static_cast<size_t>(c.index("dim"));
  const auto dim = *c.a.get<optional<int64_t>>(dim_at);
  const bool keepdim = *c.a.get<bool>(static_cast<size_t>(c.index("keepdim")));
  if (c.is_batched(size_t{1}) || !c.is_batched(size_t{0}) || (!dim && keepdim))
    return batch_loop(c);
  const Tensor batch = c.batch(0), q = c.tensor(1);
  const int64_t rank = batch.dim() - 1;
  const bool flat = !dim || rank == 0;
  c.a.set<Tensor>(0, flat ? batch.reshape({c.size(), -1}) : batch);
  c.a.set<optional<int64_t>>(dim_at, flat ? 1 : shifted(c, *dim, rank));
  Tensor y = c.a.call().toTensor();
  const bool several = q.defined() && q.dim() > 0;
  if (flat && rank == 0 && keepdim) y = y.squeeze(-1);
  return stand_in(several ? y.movedim(1, 0) : y, c.level.id);
}

/// A sequence with a batch has one row for each example.
IValue searchsorted_rule(BatchCall& c) {
  const Tensor sequence = c.tensor(0), values = c.tensor(1), sorter = c.tensor(5);
  if (!values.defined()) return batch_loop(c);
  if (!c.is_batched(sequence) && !(sorter.defined() && c.is_batched(sorter)) &&
      sequence.dim() == 1) {
    c.a.set<Tensor>(1, c.batch(1));
    return c.wrapped(c.a.call());
  }
  if (sequence.dim() > 1) return call_with_batches(c);
  c.a.map([&](size_t i, const Tensor& t) {
    const Tensor batch = batch_of(t, c.level);
    return i == 1 ? batch.reshape({c.size(), -1}).contiguous() : batch.contiguous();
  });
  return stand_in(c.a.call().toTensor().reshape(joined({c.size()}, values.sizes())), c.level.id);
}

/// Distances of the pairs i < j of rows.
IValue pdist_rule(BatchCall& c) {
  const Tensor x = c.tensor(0);
  const int64_t n = x.size(0);
  const Tensor pairs = triu_indices(n, n, 1, TensorOptions(x.device()).dtype(kLong));
  const Tensor i = pairs.select(0, 0), j = pairs.select(0, 1);
  return x.index_select(0, i).sub(x.index_select(0, j)).norm(*c.a.get<double>(1), {1});
}

}  // namespace

void add_index_rules(BatchRules& all) {
  // clang-format off
  add_rules(all, index_select_rule, {"index_select"});
  add_rules(all, embedding_rule, {"embedding"});
  add_rules(all, index_rule, {"index"});
  add_rules(all, index_add_rule, {
    "index_add", "index_copy", "index_reduce"});
  add_rules(all, index_put_rule, {"index_put"});
  add_rules(all, take_rule, {"take"});
  add_rules(all, all_by_dims, {
    "linalg_cross", "select_scatter", "slice_scatter", "diagonal_scatter"});
  add_rules(all, sum_to_rule, {"sum_to"});
  add_rules(all, quantile_rule, {
    "quantile", "nanquantile"});
  add_rules(all, searchsorted_rule, {"searchsorted"});
  add_rules(all, pdist_rule, {"pdist"});
  // clang-format on
}

}  // namespace torch::taper::func::detail
