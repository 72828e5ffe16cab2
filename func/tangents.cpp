// Modes of levels, and rules for tangents.
#include <algorithm>
#include <unordered_set>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/core/check.h>
#include <taper/func/rules.h>
#include <taper/func/tape_frame.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/tensor/tensor.h>

// ---------------------------------------------------------------- rules
namespace torch::taper::func::detail {

bool any_leaf(const variable_list& results, const std::function<bool(const Tensor& leaf)>& has,
              uint64_t first) {
  std::unordered_set<const autograd::Node*> seen;
  std::vector<const autograd::Node*> pending;
  const auto add = [&](const autograd::Node* node) {
    if (node && seen.insert(node).second) pending.push_back(node);
  };
  for (const Tensor& t : results) {
    if (!t.defined() || !t.requires_grad()) continue;
    if (!t.grad_fn() && has(t)) return true;
    add(t.grad_fn().get());
  }
  while (!pending.empty()) {
    const autograd::Node* node = pending.back();
    pending.pop_back();
    if (!node->is_accumulate() && node->sequence_nr() < first) return true;
    if (node->is_accumulate() && has(static_cast<const autograd::AccumulateGrad*>(node)->variable))
      return true;
    for (const autograd::Edge& edge : node->next_edges()) add(edge.function.get());
  }
  return false;
}

namespace {

Tensor zeros_of(const Tensor& like) { return zeros({}, like.options()).expand(like.sizes()); }
bool is_differentiable(const Tensor& t) { return isFloatingOrComplexType(t.scalar_type()); }

/// Returns the result of an op that is linear in the arguments of `linear_in`, along the tangents.
variable_list along_linear(const OpInfo& op, Arguments a, unsigned linear_in, LevelId level) {
  const auto is_linear = [&](size_t i) { return (linear_in >> i & 1u) != 0; };
  a.map([&](size_t i, const Tensor& t) {
    if (!is_linear(i) || !is_differentiable(t)) return t;
    const Tensor tangent = tangent_of(t, level);
    return tangent.defined() ? tangent : zeros_of(t);
  });
  for (size_t i = 0; i < a.size(); ++i)
    if (is_linear(i) && a.get<Scalar>(i)) a.set<Scalar>(i, Scalar(0));
  return tensors_of(a.call(op));
}

/// Returns the sum of the results of an op that is linear in each argument.
variable_list along_bilinear(const OpInfo& op, const Arguments& a, LevelId level) {
  Tensor sum;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor* t = (op.linear_in >> i & 1u) != 0 ? a.get<Tensor>(i) : nullptr;
    const Tensor tangent = t ? tangent_of(*t, level) : Tensor();
    if (!tangent.defined()) continue;
    Arguments with = a;
    with.set<Tensor>(i, tangent);
    const Tensor part = tensors_of(with.call(op)).at(0);
    sum = sum.defined() ? sum.add(part) : part;
  }
  return {sum};
}

bool is_named(const OpInfo& op, std::string_view name) { return op.name == name; }

/// Returns whether an element of the result depends on elements at one index, and all are real.
bool is_real_pointwise(const OpInfo& op, const Arguments& a) {
  // masked_fill takes a value of one element for all.
  bool real = op.is(OpTrait::kPointwise) && !is_named(op, "masked_fill");
  a.for_each([&](size_t, const Tensor& t) { real = real && !t.is_complex(); });
  return real;
}

std::vector<int64_t> broadcast_sizes(const Arguments& a) {
  std::vector<int64_t> sizes;
  a.for_each([&](size_t, const Tensor& t) {
    const IntArrayRef other = t.sizes();
    if (other.size() > sizes.size()) sizes.insert(sizes.begin(), other.size() - sizes.size(), 1);
    for (size_t d = 0; d < other.size(); ++d) {
      int64_t& size = sizes[sizes.size() - other.size() + d];
      if (size == 1) size = other[d];
    }
  });
  return sizes;
}

/// Calls an op of real elements. Its derivative is a factor for each element.
IValue call_pointwise(const OpInfo& op, Arguments a, LevelId level) {
  const Temporarily<LevelId> below(levels().limit, level);
  const std::vector<int64_t> sizes = broadcast_sizes(a);
  TapeFrame frame;
  variable_list operands, tangents, factors;
  Tensor y;
  bool leads_outside = false;
  {
    const TapeFrame::Scope scope(frame);
    a.map([&](size_t, const Tensor& t) {
      const Tensor tangent = is_differentiable(t) ? tangent_of(t, level) : Tensor();
      if (!tangent.defined()) return t;
      tangents.push_back(tangent);
      operands.push_back(frame.leaf(t).expand(sizes));
      return operands.back();
    });
    y = tensors_of(a.call(op)).at(0);
    leads_outside = frame.leads_outside({y});
    if (y.requires_grad())
      factors = autograd::grad({y}, operands, {ones_like(y)}, true,
                               leads_outside || frame.has_duals(), true);
  }
  std::vector<Tensor*> results{&y};
  for (Tensor& factor : factors)
    if (factor.defined()) results.push_back(&factor);
  frame.finish(results, frame.recorded() && leads_outside);
  Tensor sum;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!factors[i].defined()) continue;
    const Tensor part = tangents[i].mul(factors[i]);
    sum = sum.defined() ? sum.add(part) : part;
  }
  set_tangent(y, level, sum);
  return y;
}

/// Calls `f`, whose ops are recorded, and differentiates what it returns.
IValue call_in_frame(const std::function<IValue(TapeFrame& frame)>& f) {
  TapeFrame frame;
  IValue value;
  {
    const TapeFrame::Scope scope(frame);
    value = f(frame);
  }
  variable_list results = tensors_of(value);
  std::vector<Tensor*> pointers;
  for (Tensor& t : results) pointers.push_back(&t);
  frame.finish(pointers, frame.recorded() && frame.leads_outside(results));
  return with_tensors_of(value, results);
}

/// Returns whether a tangent of a level before `limit` stands for a batch.
bool has_batched_tangents(const Arguments& a, LevelId limit) {
  bool found = false;
  a.for_each(
      [&](size_t, const Tensor& t) { found = found || batch_level_of_tangents(t, limit) != 0; });
  return found;
}
IValue call_with_full_tangents(const OpInfo& op, Arguments a) {
  a.map([](size_t, const Tensor& t) { return with_full_tangents(t); });
  return a.call(op);
}

/// Gives the results of an op tangents.
IValue with_tangents(const IValue& value, const variable_list& tangents, LevelId level) {
  size_t next = 0;
  return mapped(value, [&](const Tensor& t) {
    if (next < tangents.size()) set_tangent(t, level, tangents[next]);
    ++next;
    return t;
  });
}

}  // namespace

IValue call_dual(const OpInfo& op, const Arguments& a, LevelId level) {
  if (is_named(op, "detach")) {
    const Temporarily<LevelId> below(levels().limit, level);
    return a.call(op);
  }
  const bool is_view = op.is(OpTrait::kView), is_linear = op.is(OpTrait::kLinear);
  if (is_view || is_linear || op.is(OpTrait::kBilinear)) {
    const Temporarily<LevelId> below(levels().limit, level);
    const IValue value = a.call(op);
    const unsigned linear_in = is_linear ? op.linear_in : 1u;
    return with_tangents(
        value,
        is_view || is_linear ? along_linear(op, a, linear_in, level) : along_bilinear(op, a, level),
        level);
  }
  const bool has_real_result = !is_named(op, "complex") && !is_named(op, "polar");
  if (is_real_pointwise(op, a) && has_real_result)
    return has_batched_tangents(a, level) ? call_with_full_tangents(op, a)
                                          : call_pointwise(op, a, level);
  if (has_batched_tangents(a, kAllLevels)) return call_with_full_tangents(op, a);
  return call_in_frame([&](TapeFrame&) { return a.call(op); });
}

namespace {

/// Returns whether a tensor or one of its tangents requires a gradient.
bool leads_to_leaf(const Tensor& t) {
  if (!t.defined()) return false;
  if (t.requires_grad()) return true;
  const Note* note = note_of(t);
  return note && (leads_to_leaf(note->batch) ||
                  std::any_of(note->tangents.begin(), note->tangents.end(),
                              [](const auto& each) { return leads_to_leaf(each.second); }));
}

/// Returns a zero tangent with the strides of `t`. It stands for a batch if `like` does.
Tensor zero_tangent(const Tensor& t, const Tensor& like) {
  if (!like.defined() || !batch_level(like))
    return empty_strided(t.sizes(), t.strides(), t.options()).zero_();
  int64_t extent = t.numel() > 0;
  for (int64_t d = 0; extent && d < t.dim(); ++d) extent += (t.size(d) - 1) * t.stride(d);
  return like.new_zeros({extent}, t.options()).as_strided(t.sizes(), t.strides());
}

/// Returns the tangent of a tensor that is about to be changed to one like `next`, which may be
/// undefined. The tangent of a view is a view.
Tensor own_tangent(const Tensor& t, LevelId level, const Tensor& next) {
  if (const Tensor own = tangent_of(t, level); own.defined()) return own;
  const auto& base = t.impl().view_base;
  Tensor tangent;
  if (base) {
    const Tensor whole{intrusive_ptr<TensorImpl>(base)};
    const Tensor of_base = own_tangent(whole, level, next);
    tangent =
        of_base.as_strided(t.sizes(), t.strides(), t.storage_offset() - whole.storage_offset());
  } else {
    tangent = zero_tangent(t, next);
  }
  set_tangent(t, level, tangent);
  return tangent;
}

/// Returns the arguments with copies in place of those that are about to be changed, for a history
/// that keeps them.
Arguments kept_before_change(Arguments a) {
  bool recorded = false;
  a.for_each([&](size_t, const Tensor& t) { recorded = recorded || leads_to_leaf(t); });
  if (!recorded || !GradMode::is_enabled()) return a;
  const Tensor self = *a.get<Tensor>(0);
  a.map([&](size_t, const Tensor& t) { return t.is_alias_of(self) ? t.clone() : t; });
  return a;
}

/// Returns the changed argument as a new tensor, with its tangents.
Tensor changed_copy(const OpInfo& op, const Arguments& a) {
  if (const OpInfo* form = functional_form(op)) return tensors_of(a.call(*form)).at(0);
  if (has_batched_tangents(a, kAllLevels))
    throw NotImplementedError(std::string(op.name) + ": has no rule for tangents of a batch");
  const IValue value = call_in_frame([&](TapeFrame&) {
    Arguments with = a;
    const Tensor copy = resolved_in_frames(*a.get<Tensor>(0)).clone();
    with.set<Tensor>(0, copy);
    with.call(op);
    return copy;
  });
  return value.toTensor();
}

/// Changes the sizes and strides of a tensor and of its tangent.
void view_dual_in_place(const OpInfo& op, const Arguments& a, LevelId level) {
  const Tensor self = *a.get<Tensor>(0);
  Tensor tangent = tangent_of(self, level);
  drop_tangent(self, level);
  const Temporarily<LevelId> below(levels().limit, level);
  a.call(op);
  if (!tangent.defined() || is_named(op, "detach_")) return;
  Arguments with = a;
  tangent = tangent.alias();
  with.set<Tensor>(0, tangent);
  with.call(op);
  set_tangent(self, level, tangent);
}

}  // namespace

void call_dual_in_place(const OpInfo& op, const Arguments& a, LevelId level) {
  const Tensor self = *a.get<Tensor>(0);
  if (op.is(OpTrait::kView)) return view_dual_in_place(op, a, level);
  Tensor tangent;
  if (is_named(op, "copy_")) {
    tangent = tangent_of(*a.get<Tensor>(1), level);
  } else if (op.is(OpTrait::kRandom)) {
    if (functional_form(op)) {  // the numbers are drawn once
      self.copy_(changed_copy(op, a));
      return;
    }
  } else {
    tangent = tangent_of(changed_copy(op, kept_before_change(a)), level);
  }
  const Temporarily<LevelId> below(levels().limit, level);
  a.call(op);
  if (!tangent.defined() && !tangent_of(self, level).defined()) return;
  const Tensor own = own_tangent(self, level, tangent);
  if (tangent.defined())
    own.copy_(tangent);
  else
    own.zero_();
}

// ---------------------------------------------------------------- modes
namespace {

/// Returns a level if an op would see it: it started in the innermost frame. Otherwise returns 0.
LevelId in_frame(LevelId level) {
  return levels().frame && level < levels().frame->start() ? 0 : level;
}
LevelId visible_tangents(const Tensor& t) { return in_frame(tangent_level(t, levels().limit)); }
LevelId visible_series(const Tensor& t) { return in_frame(series_level(t, levels().limit)); }

struct Found {
  LevelId batch = 0, tangents = 0, series = 0;
  bool waits = false;
};
Found look_at(const Arguments& a) {
  Found found;
  a.for_each([&](size_t, const Tensor& t) {
    take_tangents_of_base(t);
    if (!note_of(t)) return;
    found.batch = std::max(found.batch, batch_level(t));
    found.tangents = std::max(found.tangents, visible_tangents(t));
    found.series = std::max(found.series, visible_series(t));
    found.waits = found.waits || waits_in_frames(t);
  });
  return found;
}

/// Returns a tensor of a batch if its tangents stand for a batch at a level.
Tensor with_full_tangents_at(const Tensor& t, LevelId level) {
  if (batch_level(t) == level) return t;
  Tensor inner = t;
  while (batch_level(inner)) inner = note_of(inner)->batch;
  return batch_level_of_tangents(inner, kAllLevels) == level ? with_full_tangents_in_batch(t) : t;
}

class Interpreter final : public OpMode {
 public:
  void call(const OpInfo& op, OpCall& call) override {
    if (levels().off) return call.next();
    Arguments a(op, call);
    Found found = look_at(a);
    const Level* random =
        op.is(OpTrait::kRandom) ? levels().last_batch(levels().random_limit) : nullptr;
    if (!found.batch && !found.tangents && !found.series && !found.waits && !random)
      return call.next();
    if (op.is(OpTrait::kComposite)) return call.decompose();
    TAPER_CHECK(!op.is(OpTrait::kOut), op.name,
                ": expected the form without `out` inside of func::vmap, grad or jvp");
    const ModesAgain again;
    if (found.waits || (found.batch && found.tangents)) {
      a.map([](size_t, const Tensor& t) { return with_full_tangents(resolved_in_frames(t)); });
      found = look_at(a);
      if (found.batch && found.tangents)
        a.map([&](size_t, const Tensor& t) { return with_full_tangents_at(t, found.batch); });
    }
    const bool changes = changes_argument(op);
    IValue value;
    if (found.batch || random)
      value = call_batched(
          op, a, Level(random && random->id > found.batch ? *random : *levels().find(found.batch)));
    else if (found.series > found.tangents)
      value = call_series(op, a, found.series);
    else if (!found.tangents)
      value = call_plain(op, a);
    else if (changes)
      call_dual_in_place(op, a, found.tangents);
    else
      value = call_dual(op, a, found.tangents);
    finish_call(op, call, changes && op.caller->result ? call.argument(0) : value);
  }

 private:
  static IValue call_plain(const OpInfo& op, const Arguments& a) {
    const Temporarily<bool> off(levels().off, true);
    return a.call(op);
  }
};

class FuncTransform final : public autograd::Transform {
 public:
  void check_pass(const autograd::BackwardPass& pass) override {
    if (levels().off) return;
    for (const TensorList list : {pass.roots, pass.root_grads, pass.inputs})
      for (const Tensor& t : list)
        TAPER_CHECK(!t.defined() || (!batch_level(t) && !visible_tangents(t) && !visible_series(t)),
                    "backward: expected tensors without batch or tangent. Inside of func::vmap and "
                    "func::jvp, use func::grad or func::vjp");
  }

  bool is_transformed(const variable_list& inputs) override {
    return !levels().off && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) {
      return note_of(t) && (batch_level(t) || visible_tangents(t) || waits_in_frames(t));
    });
  }

  variable_list call_transformed(const autograd::detail::CustomCall& call) override {
    variable_list inputs;
    LevelId batch = 0, level = 0;
    for (const Tensor& t : call.inputs) {
      inputs.push_back(resolved_in_frames(t));
      batch = std::max(batch, batch_level(inputs.back()));
      level = std::max(level, visible_tangents(inputs.back()));
    }
    // The tape sees tangents of one example only.
    if (batch || (level && !call.jvp)) {
      for (Tensor& t : inputs) {
        t = with_full_tangents_in_batch(t);
        batch = std::max(batch, batch_level(t));
      }
    }
    if (batch) return call_batched_function(call, inputs, Level(*levels().find(batch)));
    if (!level) return call.call(inputs);
    return call.jvp ? with_own_tangents(call, inputs, level) : by_backward(call, inputs);
  }

 private:
  static variable_list call_batched_function(const autograd::detail::CustomCall& call,
                                             variable_list inputs, const Level& level) {
    if (!call.vmap) return call_for_each(level, inputs, call.call);
    BatchDims dims;
    for (Tensor& t : inputs) {
      const bool batched = batch_level(t) == level.id;
      dims.push_back(batched ? optional<int64_t>(0) : nullopt);
      if (batched) t = batch_of(t, level);
    }
    auto [outputs, out_dims] = call.vmap(level.batch_size, inputs, dims);
    TAPER_CHECK(outputs.size() == out_dims.size(), "vmap: a custom function returned ",
                outputs.size(), " tensors and ", out_dims.size(), " dimensions");
    for (size_t i = 0; i < outputs.size(); ++i)
      if (out_dims[i]) outputs[i] = stand_in(outputs[i].movedim(*out_dims[i], 0), level.id);
    return std::move(outputs);
  }
  static variable_list with_own_tangents(const autograd::detail::CustomCall& call,
                                         const variable_list& inputs, LevelId level) {
    const Temporarily<LevelId> below(levels().limit, level);
    variable_list tangents;
    for (const Tensor& t : inputs) {
      const Tensor tangent = tangent_of(t, level);
      tangents.push_back(tangent.defined() || !is_differentiable(t) ? tangent : zeros_like(t));
    }
    variable_list y = call.call(inputs);
    const variable_list dy = call.jvp(inputs, tangents).second;
    for (size_t i = 0; i < y.size() && i < dy.size(); ++i) set_tangent(y[i], level, dy[i]);
    return y;
  }
  static variable_list by_backward(const autograd::detail::CustomCall& call,
                                   const variable_list& inputs) {
    const IValue value = call_in_frame([&](TapeFrame& frame) {
      variable_list leaves;
      for (const Tensor& t : inputs) leaves.push_back(frame.resolved(t));
      return IValue(call.call(leaves));
    });
    return value.toTensorVector();
  }
};

}  // namespace

OpMode& interpreter() {
  static Interpreter mode;
  return mode;
}
autograd::Transform& transform() {
  static FuncTransform all;
  return all;
}

}  // namespace torch::taper::func::detail
