// Computing the values of binary ops, without history: the shared beats check, shape, compute.
#pragma once

#include <taper/ops/promote.h>

namespace taper::detail {

/// One binary op for the functions below: its name in messages, its kernel, what it does to dtypes.
struct BinaryOp {
  const char* name;
  /// Launches the kernel where `y` lives: on planned operands, on tensors as they are.
  void (*run)(const Tensor& y, const In& a, const In& b);
  void (*run_alike)(const Tensor& y, const Tensor& a, const Tensor& b);
  /// Integers and bools become the default dtype (division).
  bool floats = false;
  /// The result is bool (comparisons).
  bool tests = false;
};

/// Declares the BinaryOp `kernel_op` whose messages carry `text`.
#define TAPER_BINARY_OP(kernel, text, ...)                                                    \
  constexpr detail::BinaryOp kernel##_op{                                                     \
      text,                                                                                   \
      [](const Tensor& y, const In& a, const In& b) { TAPER_ON_DEVICE(y, kernel, y, a, b); }, \
      [](const Tensor& y, const Tensor& a, const Tensor& b) {                                 \
        TAPER_ON_DEVICE(y, kernel, y, a, b);                                                  \
      },                                                                                      \
      __VA_ARGS__};

/// The result as a new tensor.
Tensor compute_binary(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// The result into x, the first operand. The checks are LibTorch's: x keeps its shape and dtype.
void compute_binary_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b);
/// The result into out, which is resized when its shape differs.
void compute_binary_out(const BinaryOp& op, Tensor& out, const Tensor& a, const Tensor& b);

}  // namespace taper::detail
