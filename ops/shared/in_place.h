// Ops that overwrite a tensor: the checks that all share, one body for the two forms of an op, and
// the in-place form of an op that is written out of place.
#pragma once

#include <functional>
#include <initializer_list>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/record.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// References to the tensors that an op reads, for the length of a call. Undefined ones are
/// skipped.
using Operands = std::initializer_list<std::reference_wrapper<const Tensor>>;

/// needs_grad of any.
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

/// Throws unless a result of this shape fits into `x` as it is.
inline void check_result_shape(const char* op, const Tensor& x, const Dims& shape) {
  TAPER_CHECK(x.impl().sizes == shape, op, ": output with shape ", x.sizes(),
              " doesn't match the broadcast shape ", shape);
}

/// How the elements of two tensors share memory. kUnknown: their ranges meet and at least one of
/// them has gaps.
enum class Overlap { kNone, kFull, kPartial, kUnknown };
/// kFull: the same elements in the same order. Tensors without elements overlap nothing.
Overlap overlap_of(const Tensor& a, const Tensor& b);
/// Throws when some elements of `y`, which is written, are read as other elements of `x`. True when
/// that cannot be excluded: then work on a copy.
bool check_overlap(const char* op, const Tensor& y, const Tensor& x);
/// Throws also where `x` is `y`, all of it.
void check_apart(const char* op, const Tensor& y, const Tensor& x);

/// Which form of an op runs: y = op(x) works on a copy, op_(x) on x itself. `name` is the op's, for
/// messages.
struct Form {
  const char* name;  ///< the op's, for messages
  bool in_place;     ///< whether x itself is changed
  /// What to write: x after the checks for in-place ops, or a row-major copy of it. `others` are
  /// the tensors beside x that have a derivative, `saved` those that derivatives keep.
  Tensor target(const Tensor& x, const autograd::detail::Inputs& others = {},
                const autograd::detail::Inputs& saved = {}) const;
  /// The step after the kernel.
  void changed(const Tensor& y) const {
    if (in_place) autograd::mark_changed(y);
  }
  /// Records how y came to be: `f` is the gradient of `inputs` from that of y, `node` its name.
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
/// x's value and history in memory of their own, for a derivative to keep while x is overwritten.
Tensor before_change(const Tensor& x);
/// x takes over the value and the history of `y`, which was computed from it. Throws, before
/// anything changes, when shape or dtype do not fit.
Tensor& overwrite(const char* op, const Tensor& x, const Tensor& y);
}  // namespace detail

/// The in-place form of an op that is written out of place: x becomes f(x). `others` are the
/// tensors that f reads beside x. Where f records history, an x that is no view shows f's own node.
template <class F>
Tensor& in_place(const char* name, const Tensor& x, Operands others, const F& f) {
  const detail::AutocastOff as_given;
  const bool recording = autograd::check_inplace(name, x, others);
  return detail::overwrite(name, x, f(recording ? detail::before_change(x) : x));
}

/// The same for a pointwise op, whose operands may not overlap x in part.
template <class F>
Tensor& pointwise_in_place(const char* name, const Tensor& x, Operands others, const F& f) {
  for (const Tensor& t : others)
    if (t.defined()) check_overlap(name, x, t);
  return in_place(name, x, others, f);
}

/// `t`, or a copy of it where it shares memory with `x`, which is about to be written.
inline Tensor apart_from(const Tensor& x, const Tensor& t) {
  return t.is_alias_of(x) ? t.detach().clone() : t;
}

/// Calls f(t) with `y` itself where it is row-major, else with a copy that is copied back after.
template <class F>
void on_contiguous(const Tensor& y, const F& f) {
  NoGradGuard no_grad;
  const Tensor work = y.contiguous();
  f(work);
  if (work.data_ptr() != y.data_ptr()) y.copy_(work);
}

}  // namespace torch::taper

#pragma GCC visibility pop
