// Helpers for ops that overwrite a tensor. They check the operands. They let the in-place and the
// out-of-place form of an op share one body. They make an in-place form from an out-of-place
// function.
#pragma once

#include <functional>
#include <initializer_list>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/record.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// References to the tensors that an op reads, for the duration of a call. Undefined tensors are
/// skipped.
using Operands = std::initializer_list<std::reference_wrapper<const Tensor>>;

/// Tests whether any tensor needs a gradient.
inline bool any_needs_grad(Operands tensors) {
  for (const Tensor& t : tensors)
    if (autograd::needs_grad(t)) return true;
  return false;
}

/// Throws unless a result of dtype `result` may be stored in a tensor of dtype `to`.
inline void check_result_cast(const char* op, ScalarType result, ScalarType to) {
  TAPER_CHECK(canCast(result, to), op, ": result type ", toString(result),
              " can't be cast to the desired output type ", toString(to));
}

/// Throws unless `x` has the sizes `shape`, the sizes of a result.
inline void check_result_shape(const char* op, const Tensor& x, const Dims& shape) {
  TAPER_CHECK(x.impl().sizes == shape, op, ": output with shape ", x.sizes(),
              " doesn't match the broadcast shape ", shape);
}

/// How the elements of two tensors share memory. kUnknown means that their memory ranges overlap,
/// and that a tensor has gaps.
enum class Overlap { kNone, kFull, kPartial, kUnknown };
/// Returns how a and b overlap. kFull means that they have the same elements in the same order.
/// Tensors without elements overlap nothing.
Overlap overlap_of(const Tensor& a, const Tensor& b);
/// Checks the memory of y, which is written, and x, which is read. Throws if an element of y is
/// also an element of x at another index. Returns true if it cannot tell. The caller must then work
/// on a copy.
bool check_overlap(const char* op, const Tensor& y, const Tensor& x);
/// Throws like check_overlap. Also throws if x and y have the same elements in the same order.
void check_apart(const char* op, const Tensor& y, const Tensor& x);

/// Selects the form of an op: y = op(x) changes a copy of x, op_(x) changes x itself.
struct Form {
  const char* name;  ///< the op's name, for messages
  bool in_place;     ///< whether x itself is changed
  /// Returns the tensor to write: x after the checks for in-place ops, or a row-major copy of x.
  /// `others` are the tensors besides x that may get a gradient. `saved` are the tensors that the
  /// derivative will save.
  Tensor target(const Tensor& x, const autograd::detail::Inputs& others = {},
                const autograd::detail::Inputs& saved = {}) const;
  /// Marks y as changed, after the kernel of an in-place form.
  void changed(const Tensor& y) const {
    if (in_place) autograd::mark_changed(y);
  }
  /// Records y's derivative. `f` computes the gradients of `inputs` from y's gradient. `node` is
  /// the name of the node.
  template <class F>
  void record(const char* node, const Tensor& y, const autograd::detail::Inputs& inputs,
              F&& f) const {
    if (in_place)
      autograd::record_inplace(node, y, inputs, std::forward<F>(f));
    else
      autograd::record(node, y, inputs, std::forward<F>(f));
  }
};

namespace detail {
/// Returns a copy of x with x's history. Derivatives use it after x is overwritten.
Tensor before_change(const Tensor& x);
/// Gives x the value and the history of y, which was computed from x. Throws before any change if
/// y's shape differs, or if its dtype cannot be converted to x's.
Tensor& overwrite(const char* op, const Tensor& x, const Tensor& y);
}  // namespace detail

/// Runs an out-of-place op f in place: x becomes f(x). `others` are the tensors besides x that f
/// reads. If f records history and x is no view, f's node becomes x's grad_fn.
template <class F>
Tensor& in_place(const char* name, const Tensor& x, Operands others, const F& f) {
  const detail::AutocastOff as_given;
  const bool recording = autograd::check_inplace(name, x, others);
  return detail::overwrite(name, x, f(recording ? detail::before_change(x) : x));
}

/// Calls in_place for a pointwise op f. Throws if one of `others` partly overlaps x.
template <class F>
Tensor& pointwise_in_place(const char* name, const Tensor& x, Operands others, const F& f) {
  for (const Tensor& t : others)
    if (t.defined()) check_overlap(name, x, t);
  return in_place(name, x, others, f);
}

/// Returns t, or a copy of t if t shares a storage with x. The caller is about to write to x.
inline Tensor apart_from(const Tensor& x, const Tensor& t) {
  return t.is_alias_of(x) ? t.detach().clone() : t;
}

/// Calls f(y) if y is row-major. Otherwise calls f with a row-major copy and copies it back.
template <class F>
void on_contiguous(const Tensor& y, const F& f) {
  NoGradGuard no_grad;
  const Tensor work = y.contiguous();
  f(work);
  if (work.data_ptr() != y.data_ptr()) y.copy_(work);
}

}  // namespace torch::taper

#pragma GCC visibility pop
