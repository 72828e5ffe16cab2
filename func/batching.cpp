// Batches: calls of vmap, and ops with tensors that stand for batches.
#include <algorithm>

#include <taper/framework/core/check.h>
#include <taper/func/batch_rules.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::func::detail {

// ---------------------------------------------------------------- calls
bool BatchCall::is_batched(size_t i) const {
  const Tensor t = tensor(i);
  return t.defined() && is_batched(t);
}

Tensor BatchCall::tensor(size_t i) const {
  if (const auto* t = a.get<Tensor>(i)) return *t;
  if (const auto* t = a.get<optional<Tensor>>(i); t && *t) return **t;
  return Tensor();
}

size_t BatchCall::batched() const {
  size_t count = 0;
  a.for_each([&](size_t, const Tensor& t) { count += is_batched(t); });
  return count;
}

int BatchCall::index(std::string_view name) const {
  const auto& names = argument_names(op);
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

namespace {

/// 0-dim examples weigh less in type promotion than their batches would.
Arguments promoted(const BatchCall& c) {
  Arguments a = c.a;
  ScalarType common = ScalarType::Undefined;
  bool mixed = false, has_dims = false;
  a.for_each([&](size_t, const Tensor& t) {
    mixed = mixed || (common != ScalarType::Undefined && t.scalar_type() != common);
    common = t.scalar_type();
    has_dims = has_dims || t.dim() > 0;
  });
  if (!mixed || !has_dims) return a;
  Tensor with_dims;
  a.for_each([&](size_t, const Tensor& t) {
    if (t.dim() > 0) with_dims = t;
  });
  a.map([&](size_t, const Tensor& t) {
    return t.dim() > 0 || t.scalar_type() == kBool ? t : t.to(result_type(with_dims, t));
  });
  return a;
}

}  // namespace

IValue batch_broadcast(BatchCall& c) {
  int64_t rank = 0;
  c.a.for_each([&](size_t, const Tensor& t) { rank = std::max(rank, t.dim()); });
  c.a.map([&](size_t, const Tensor& t) {
    return c.is_batched(t) ? padded(batch_of(t, c.level), rank) : t;
  });
  return c.wrapped(c.a.call());
}

IValue batch_pointwise(BatchCall& c) {
  c.a = promoted(c);
  return batch_broadcast(c);
}

namespace {

/// Joins the tensors that each example gave.
variable_list joined_examples(const Level& level, const std::vector<variable_list>& all) {
  variable_list joined;
  for (size_t i = 0; i < all[0].size(); ++i) {
    variable_list each;
    for (const variable_list& one : all) each.push_back(one.at(i));
    joined.push_back(each[0].defined() ? stand_in(stack(each), level.id) : Tensor());
  }
  return joined;
}

}  // namespace

variable_list call_for_each(const Level& level, const variable_list& inputs,
                            const std::function<variable_list(const variable_list&)>& f) {
  std::vector<variable_list> all;
  for (int64_t b = 0; b < level.batch_size; ++b) {
    variable_list example;
    for (const Tensor& t : inputs)
      example.push_back(t.defined() && batch_level(t) == level.id ? batch_of(t, level).select(0, b)
                                                                  : t);
    all.push_back(f(example));
  }
  return joined_examples(level, all);
}

IValue batch_loop(BatchCall& c) {
  TAPER_CHECK(!returns_number(c.op), "vmap: ", c.op.name,
              " returns a number, which would depend on the example");
  warn_once_of(c.op, "vmap: there is a performance drop because ",
               " has no batching rule. It is called for each example");
  std::vector<variable_list> all;
  IValue value;
  for (int64_t b = 0; b < c.size(); ++b) {
    Arguments a = c.a;
    a.map([&](size_t, const Tensor& t) {
      return c.is_batched(t) ? batch_of(t, c.level).select(0, b) : t;
    });
    value = a.call();
    all.push_back(tensors_of(value));
    for (size_t i = 0; i < all.back().size(); ++i)
      TAPER_CHECK(all.back().size() == all[0].size() && all.back()[i].sizes() == all[0][i].sizes(),
                  "vmap: the sizes of the result of ", c.op.name,
                  " depend on the values of an example");
  }
  return with_tensors_of(value, joined_examples(c.level, all));
}

namespace {

void check_can_change(const BatchCall& c) {
  TAPER_CHECK_AS(
      func::detail::UnbatchedChange, c.is_batched(size_t{0}) || c.batched() == 0,
      "vmap: ", c.op.name,
      ": expected a tensor with a batch to be changed, because an operand has one. (vmap: "
      "inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor "
      "`other` in extra_args that has more elements than `self`)");
}

/// Draws numbers for the examples by the policy of vmap.
IValue call_random(BatchCall& c) {
  TAPER_CHECK(
      c.level.randomness != Randomness::kError, "vmap: ", c.op.name,
      " draws random numbers. Choose Randomness::kDifferent or kSame. (vmap: called random "
      "operation while in randomness error mode. Please either use the 'same' or 'different' "
      "randomness flags on vmap or perform the randomness operation out of vmap)");
  const bool same = c.level.randomness == Randomness::kSame;
  const Temporarily<LevelId> met(levels().random_limit, c.level.id);
  if (same && c.batched() == 0) return c.a.call();
  const int sizes = c.index("size");
  if (!same && c.batched() == 0 && sizes >= 0 && c.a.get<IntArrayRef>(static_cast<size_t>(sizes))) {
    std::vector<int64_t> all = c.a.get<IntArrayRef>(static_cast<size_t>(sizes))->vec();
    all.insert(all.begin(), c.size());
    c.a.set_list(static_cast<size_t>(sizes), std::move(all));
    return c.wrapped(c.a.call());
  }
  if (!same && !changes_argument(c.op) && c.tensor(0).defined()) {
    c.a.map([&](size_t i, const Tensor& t) {
      return i == 0 ? batch_of(t, c.level) : c.is_batched(t) ? batch_of(t, c.level) : t;
    });
    const std::string_view name = c.op.name;
    if (name == "randperm" || name == "multinomial") return batch_loop(c);
    return c.wrapped(c.a.call());
  }
  if (changes_argument(c.op)) {
    check_can_change(c);
    TAPER_CHECK(same || c.is_batched(size_t{0}), "vmap: ", c.op.name,
                ": expected a tensor with a batch, because each example gets numbers of its own");
    if (same) {  // the first example's numbers serve all
      const Tensor batch = c.batch(0);
      c.a.set<Tensor>(0, batch.select(0, 0));
      c.a.call();
      batch.copy_(batch.select(0, 0).clone().expand(batch.sizes()));
      return {};
    }
    c.a.set<Tensor>(0, c.batch(0));
    return c.a.call();
  }
  return batch_loop(c);
}

}  // namespace

IValue call_batched(const OpInfo& op, Arguments& a, const Level& level) {
  BatchCall c(op, a, level);
  if (op.is(OpTrait::kRandom)) {
    const std::string_view name = op.name;
    const bool is_eval_dropout =
        name.find("dropout") != name.npos && a.size() > 2 && a.get<bool>(2) && !*a.get<bool>(2);
    if (!is_eval_dropout) return call_random(c);
    return batch_pointwise(c);
  }
  if (changes_argument(op)) check_can_change(c);
  const Tensor self = changes_argument(op) ? c.tensor(0) : Tensor();
  BatchRule rule = batch_rule(op);
  if (!rule) rule = op.is(OpTrait::kPointwise) ? batch_pointwise : batch_loop;
  IValue value = rule(c);
  if (self.defined()) refresh(self);
  return value;
}

// ---------------------------------------------------------------- vmap
namespace {

int64_t batch_size_of(const variable_list& inputs, const BatchDims& dims) {
  int64_t size = -1;
  TAPER_CHECK(inputs.size() == dims.size(), "vmap: expected one in_dim for each of ", inputs.size(),
              " tensors, got ", dims.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!dims[i]) continue;
    TAPER_CHECK(inputs[i].defined(), "vmap: input ", i, " is undefined");
    TAPER_CHECK_INDEX(*dims[i] >= -inputs[i].dim() && *dims[i] < inputs[i].dim(),
                      "vmap: got in_dim ", *dims[i], " for input ", i, ", which has only ",
                      inputs[i].dim(),
                      " dimensions. (in_dim must be within the number of dimensions)");
    const int64_t n = inputs[i].size(*dims[i]);
    TAPER_CHECK(
        size < 0 || n == size,
        "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes ",
        size, " and ", n, " for the mapped dimension");
    size = n;
  }
  TAPER_CHECK(size >= 0, "vmap: at least one input must have a batch: all in_dims are nullopt");
  TAPER_CHECK(size > 0, "vmap: expected at least one example, got a batch of size 0");
  return size;
}

/// Calls the function with batches at dimension 0. So are the results.
variable_list map_chunk(const ListFunction& f, const variable_list& inputs, const BatchDims& dims,
                        int64_t size, Randomness randomness) {
  const LevelScope scope(size, randomness);
  variable_list passed;
  for (size_t i = 0; i < inputs.size(); ++i)
    passed.push_back(dims[i] ? stand_in(inputs[i], scope.id()) : inputs[i]);
  variable_list y = f(passed).tensors;
  const Level level = *levels().find(scope.id());
  for (Tensor& t : y)
    if (t.defined()) t = batch_of(t, level);
  return y;
}

}  // namespace

variable_list vmap(const ListFunction& f, const variable_list& inputs, const BatchDims& in_dims,
                   const std::function<BatchDims(size_t count)>& out_dims, Randomness randomness,
                   int64_t chunk_size) {
  const int64_t size = batch_size_of(inputs, in_dims);
  TAPER_CHECK(chunk_size >= 0, "vmap: expected a positive chunk_size, got ", chunk_size);
  const int64_t step = chunk_size == 0 ? size : std::min(chunk_size, size);
  variable_list first;
  for (size_t i = 0; i < inputs.size(); ++i)
    first.push_back(in_dims[i] ? inputs[i].movedim(*in_dims[i], 0) : inputs[i]);
  std::vector<variable_list> parts;
  for (int64_t start = 0; start < size; start += step) {
    const int64_t n = std::min(step, size - start);
    variable_list part;
    for (size_t i = 0; i < first.size(); ++i)
      part.push_back(in_dims[i] && n < size ? first[i].narrow(0, start, n) : first[i]);
    parts.push_back(map_chunk(f, part, in_dims, n, randomness));
  }
  variable_list y = parts[0];
  for (size_t i = 0; parts.size() > 1 && i < y.size(); ++i) {
    variable_list all;
    for (const variable_list& part : parts) all.push_back(part[i]);
    y[i] = cat(all);
  }
  const BatchDims dims = out_dims(y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    if (!y[i].defined()) continue;
    if (!dims[i]) {
      y[i] = y[i].select(0, 0);
      continue;
    }
    TAPER_CHECK_INDEX(*dims[i] >= -y[i].dim() && *dims[i] < y[i].dim(), "vmap: got out_dim ",
                      *dims[i], " for output ", i, ", which has ", y[i].dim(),
                      " dimensions with the batch");
    if (*dims[i] != 0) y[i] = y[i].movedim(0, *dims[i]);
  }
  return y;
}

}  // namespace torch::taper::func::detail
