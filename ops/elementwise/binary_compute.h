// Computes the values of binary ops without history: checks, shapes, dtypes and launches.
#pragma once

#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/promote.h>

namespace torch::taper::detail {

/// Describes one binary op: its name in messages, its kernels and its rules of dtypes.
struct BinaryOp {
  const char* name;
  /// Launch the kernel on y's device. `run` takes operands that may broadcast. `run_alike` takes
  /// tensors of y's shape.
  void (*run)(const Tensor& y, const In& a, const In& b);
  void (*run_alike)(const Tensor& y, const Tensor& a, const Tensor& b);
  /// If true, integers and bools become the default dtype, as in division.
  bool floats = false;
  /// If true, the result is bool and has no gradient, as in comparisons.
  bool tests = false;
  /// Throws for operands that the op does not accept. It is the last check before the launch. May
  /// be null.
  void (*check)(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) = nullptr;
  /// If true and the second operand is a number, x of an in-place form and `out` must have the
  /// result's dtype.
  bool exact_with_number = false;
  /// Launches the kernel of op(a, alpha * b). Null if the op has none.
  void (*run_scaled)(const Tensor& y, const In& a, const In& b, const Scalar& alpha) = nullptr;
  /// If true and the second operand is a number, the kernel gets it in f32, even if the first
  /// operand is a 16-bit float. PyTorch does the same. Rounded to bf16, 0.9 would be 0.8984. On the
  /// CPU, this holds for 0-dim tensors too.
  bool keeps_number = false;
  /// If true, the CUDA kernel reads an f32 tensor and a 16-bit tensor without a cast. Under
  /// autocast, a residual sum has such operands.
  bool reads_narrow = false;
};

/// Returns the result as a new tensor.
Tensor compute_binary(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Writes the result into x, the first operand, with LibTorch's checks: x keeps its shape and
/// dtype. Returns true if the derivative for both operands must be recorded.
bool compute_binary_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b);
/// Writes the result into `out`, which is resized if its shape differs. Returns `out`.
Tensor& compute_binary_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b);

/// Compute op(a, alpha * b) as compute_binary, compute_binary_inplace and compute_binary_out
/// compute op(a, b).
Tensor compute_scaled(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b,
                      const Scalar& alpha);
bool compute_scaled_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b,
                            const Scalar& alpha);
Tensor& compute_scaled_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b, const Scalar& alpha);

/// Returns whether an operand that is a tensor needs a gradient. Numbers need none.
inline bool wants_history(const Tensor& x, const Tensor& y) { return autograd::needs_grad(x, y); }
inline bool wants_history(const Tensor& x, const Scalar&) { return autograd::needs_grad(x); }

template <class F>
Tensor& replaced(const char* name, const Tensor& x, const Tensor& y, const F& f) {
  return pointwise_in_place(name, x, {y}, f);
}
template <class F>
Tensor& replaced(const char* name, const Tensor& x, const Scalar&, const F& f) {
  return pointwise_in_place(name, x, {}, f);
}

/// Computes x.op_(y). Writes into x if nothing is recorded. Otherwise f(copy of x, y) computes the
/// op out of place, and x takes over the result's values and history.
template <class Y, class F>
Tensor& binary_inplace(const BinaryOp& op, const Tensor& x, const Y& y, const F& f) {
  if (wants_history(x, y))
    return replaced(op.name, x, y, [&](const Tensor& before) { return f(before, y); });
  compute_binary_inplace(op, x, y);
  autograd::mark_changed(x);
  return detail::as_mutable(x);
}

}  // namespace torch::taper::detail
