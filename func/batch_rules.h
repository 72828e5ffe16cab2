// Batch rules of vmap. A batch rule calls an op with batches in place of examples. Not installed.
#pragma once

#include <string_view>
#include <unordered_map>

#include <taper/func/rules.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

/// A call of an op. Some of its tensors stand for batches at a level.
class BatchCall {
 public:
  BatchCall(const OpInfo& op, Arguments& a, const Level& level) : op(op), a(a), level(level) {}

  const OpInfo& op;
  Arguments& a;
  const Level& level;

  int64_t size() const { return level.batch_size; }
  bool is_batched(const Tensor& t) const { return batch_level(t) == level.id; }
  /// Returns whether argument i is a tensor with a batch.
  bool is_batched(size_t i) const;
  /// Returns argument i, undefined if it is no tensor.
  Tensor tensor(size_t i) const;
  /// Returns the batch of argument i, a tensor. A tensor without a batch is expanded to the size of
  /// the batch.
  Tensor batch(size_t i) const { return batch_of(tensor(i), level); }
  /// Returns the number of tensors among the arguments that have a batch.
  size_t batched() const;
  /// Returns the index of an argument by its name in the schema, or -1.
  int index(std::string_view name) const;
  /// Returns the result for the caller of the op. Dimension 0 of each tensor in `value` is the
  /// batch. The result has tensors that stand for these batches.
  IValue wrapped(const IValue& value) const {
    return mapped(value, [&](const Tensor& t) { return stand_in(t, level.id); });
  }
};

using BatchRule = IValue (*)(BatchCall& c);
using BatchRules = std::unordered_map<std::string_view, BatchRule>;  // by name of the op
inline void add_rules(BatchRules& all, BatchRule rule,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) all.emplace(name, rule);
}
void add_index_rules(BatchRules& all);
void add_layer_rules(BatchRules& all);
/// Returns the rule of an op, or null.
BatchRule batch_rule(const OpInfo& op);

using Sizes = std::vector<int64_t>;
/// Returns the batch with dimensions of size 1 inserted after the first dimension, so that each
/// example has `rank` dimensions.
inline Tensor padded(const Tensor& batch, int64_t rank) {
  if (rank <= batch.dim() - 1) return batch;
  Sizes sizes = batch.sizes().vec();
  sizes.insert(sizes.begin() + 1, static_cast<size_t>(rank - batch.dim() + 1), 1);
  return batch.reshape(sizes);
}

/// Returns the dimension of a batch that is dimension `dim` of an example with `rank` dimensions.
int64_t shifted(const BatchCall& c, int64_t dim, int64_t rank);
/// Applies shifted() to the arguments that are dimensions of an example with `rank` dimensions. If
/// `reduces` is true, an empty list means all dimensions of the example. Returns whether the op has
/// arguments that are dimensions.
bool shift_dims(BatchCall& c, int64_t rank, bool reduces);

/// A rule: applies shift_dims to the arguments and calls the op. Only the first tensor may have a
/// batch.
IValue by_dims(BatchCall& c);

/// folded() turns a batch (B, N, ...) of B examples into (B N, ...). unfolded() inverts this, with
/// `size` = B.
inline Tensor folded(const Tensor& batch) { return batch.flatten(0, 1); }
inline Tensor unfolded(const Tensor& t, int64_t size) { return t.unflatten(0, {size, -1}); }

/// A rule: pads batches with dimensions of size 1 after the first, so that examples broadcast.
IValue batch_broadcast(BatchCall& c);
/// A rule like batch_broadcast. It also promotes dtypes: an example without dimensions is treated
/// as a 0-dim tensor.
IValue batch_pointwise(BatchCall& c);
/// A rule: calls the op for each example.
IValue batch_loop(BatchCall& c);

}  // namespace torch::taper::func::detail
