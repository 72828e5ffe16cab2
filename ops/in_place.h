// One body for the two forms of an op: y = op(x) works on a copy, op_(x) on x itself.
#pragma once

#include <taper/framework/autograd/record.h>

namespace taper {

/// Which form runs. `name` is the op's, for messages.
struct Form {
  const char* name;
  bool in_place;
  /// What to write: x after the checks for in-place ops, or a row-major copy of it.
  Tensor target(const Tensor& x) const;
  /// The beat after the kernel.
  void changed(const Tensor& y) const {
    if (in_place) autograd::mark_changed(y);
  }
  template <class F>
  void record(const char* node, const Tensor& y, const autograd::detail::Inputs& inputs,
              F&& f) const {
    if (in_place)
      autograd::record_inplace(node, y, inputs, std::forward<F>(f));
    else
      autograd::record(node, y, inputs, std::forward<F>(f));
  }
};

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

}  // namespace taper
