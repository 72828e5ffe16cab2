// The execution of ops in levels: the mode that sees the ops, and the rules for batches, tangents
// and series. Not installed.
#pragma once

#include <functional>

#include <taper/framework/autograd/transform.h>
#include <taper/func/call.h>
#include <taper/func/levels.h>

namespace torch::taper::func::detail {

/// The error of an in-place op that would change a tensor without a batch by an operand with a
/// batch.
class UnbatchedChange : public Error {
  using Error::Error;
};

/// Returns the mode that sees the ops of this thread while levels run.
OpMode& interpreter();
autograd::Transform& transform();

/// Returns whether a leaf of the history of the tensors has a property, or a node of the history is
/// older than sequence number `first`.
bool any_leaf(const variable_list& results, const std::function<bool(const Tensor& leaf)>& has,
              uint64_t first);

/// Calls an op with tensors that have tangents at `level`, the latest level. The op must not change
/// its arguments. The results get tangents.
IValue call_dual(const OpInfo& op, const Arguments& arguments, LevelId level);
/// Calls an op that changes its first argument, and changes the argument's tangent.
void call_dual_in_place(const OpInfo& op, const Arguments& arguments, LevelId level);

/// Calls an op with tensors that are polynomials at `level`, the latest level. The results are
/// polynomials, too.
IValue call_series(const OpInfo& op, const Arguments& arguments, LevelId level);

/// Calls an op with tensors that stand for batches at `level`.
IValue call_batched(const OpInfo& op, Arguments& arguments, const Level& level);
/// Calls a custom function for each example, and joins the results.
variable_list call_for_each(const Level& level, const variable_list& inputs,
                            const std::function<variable_list(const variable_list&)>& f);

}  // namespace torch::taper::func::detail
