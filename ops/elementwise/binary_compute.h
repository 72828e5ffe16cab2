// Computing the values of binary ops, without history: the shared steps check, shape, compute.
#pragma once

#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/promote.h>

namespace torch::taper::detail {

/// One binary op for the functions below: its name in messages, its kernel, what it does to dtypes.
struct BinaryOp {
  const char* name;
  /// Launches the kernel where `y` lives: on planned operands, on tensors as they are.
  void (*run)(const Tensor& y, const In& a, const In& b);
  void (*run_alike)(const Tensor& y, const Tensor& a, const Tensor& b);
  /// Integers and bools become the default dtype (division).
  bool floats = false;
  /// The result is bool (comparisons), without a gradient.
  bool tests = false;
  /// Throws for operands that the op does not take; may be null. The last check before computing.
  void (*check)(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) = nullptr;
  /// With a number, a tensor that is written must have just the result's dtype.
  bool exact_with_number = false;
  /// The kernel of op(a, alpha * b); null where the op has none.
  void (*run_scaled)(const Tensor& y, const In& a, const In& b, const Scalar& alpha) = nullptr;
  /// Beside 16-bit floats the kernel takes a second operand that is a number (on the CPU also a
  /// tensor of no dimensions) as a float, as PyTorch does: 0.9 as bf16 would be 0.8984.
  bool keeps_number = false;
  /// The CUDA kernel takes an f32 tensor and one of 16-bit floats as they are, where others get
  /// both of one dtype. A layer's result joins its input so under autocast.
  bool reads_narrow = false;
};

/// The result as a new tensor.
Tensor compute_binary(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// The result into x, the first operand. The checks are LibTorch's: x keeps its shape and dtype.
/// True where the derivative for both operands must be recorded.
bool compute_binary_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b);
/// The result into out, which is resized when its shape differs. Returns out.
Tensor& compute_binary_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b);

/// The same for op(a, alpha * b).
Tensor compute_scaled(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b,
                      const Scalar& alpha);
bool compute_scaled_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b,
                            const Scalar& alpha);
Tensor& compute_scaled_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b, const Scalar& alpha);

/// needs_grad for operands that may be numbers.
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

/// x.op_(y): into x where nothing is recorded, else by `f`, the op out of place, whose history x
/// takes over.
template <class Y, class F>
Tensor& binary_inplace(const BinaryOp& op, const Tensor& x, const Y& y, const F& f) {
  if (wants_history(x, y))
    return replaced(op.name, x, y, [&](const Tensor& before) { return f(before, y); });
  compute_binary_inplace(op, x, y);
  autograd::mark_changed(x);
  return detail::as_mutable(x);
}

}  // namespace torch::taper::detail
