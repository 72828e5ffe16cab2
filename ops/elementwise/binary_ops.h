// The binary ops as values for binary_compute.h: names, kernels, dtypes, what they refuse.
#pragma once

#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/elementwise/binary_compute.h>
#include <taper/ops/elementwise/binary_kernels.h>

namespace torch::taper::binary_op {

using detail::BinaryOp;
using detail::BinaryOperand;

/// Throws for what cannot be subtracted: bool tensors.
void check_sub(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for an integer divided by zero, which has no value: the processor would stop the program.
void check_divisor(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for an integer to a negative integer number.
void check_power(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for floating operands, which have no bits to combine.
void check_bits(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);

/// Runs a loop of few floats, if the operands are such; they are alike.
inline bool run_of_floats(const Tensor& y, const Tensor& a, const Tensor& b,
                          bool (&loop)(void*, const void*, const void*, int64_t)) {
  const TensorImpl &to = *y.impl_ptr(), &x = *a.impl_ptr();
  return x.dtype == kFloat && detail::runs_without_launch(to) &&
         loop(to.data, x.data, b.impl_ptr()->data, to.numel);
}

/// The rest of the arguments are BinaryOp's fields from `floats` on.
#define TAPER_BINARY_OP(name, text, kernel, ...)                                                   \
  inline constexpr BinaryOp name{                                                                  \
      text,                                                                                        \
      [](const Tensor& y, const In& a, const In& b) { TAPER_ON_DEVICE(y, kernel, y, a, b); },      \
      [](const Tensor& y, const Tensor& a, const Tensor& b) {                                      \
        if (!run_of_floats(y, a, b, cpu::kernel##_of_floats)) TAPER_ON_DEVICE(y, kernel, y, a, b); \
      },                                                                                           \
      __VA_ARGS__};
inline constexpr auto run_scaled = [](const Tensor& y, const In& a, const In& b,
                                      const Scalar& alpha) {
  TAPER_ON_DEVICE(y, add_scaled, y, a, b, alpha);
};

TAPER_BINARY_OP(add, "add", add, false, false, nullptr, false, run_scaled, false, true)
/// With an alpha it is add: the caller changes alpha's sign.
TAPER_BINARY_OP(sub, "sub", sub, false, false, check_sub, false, run_scaled)
TAPER_BINARY_OP(mul, "mul", mul, false, false, nullptr, false, nullptr, true)
TAPER_BINARY_OP(div, "div", div, true, false, nullptr, false, nullptr, true)
TAPER_BINARY_OP(div_trunc, "div", div_trunc, false, false, check_divisor, false, nullptr, true)
TAPER_BINARY_OP(div_floor, "div", div_floor, false, false, check_divisor)
TAPER_BINARY_OP(floor_divide, "floor_divide", div_floor, false, false, check_divisor)
TAPER_BINARY_OP(remainder, "remainder", remainder, false, false, check_divisor)
TAPER_BINARY_OP(fmod, "fmod", fmod, false, false, check_divisor)
TAPER_BINARY_OP(pow, "pow", pow, false, false, check_power, true)
TAPER_BINARY_OP(atan2, "atan2", atan2, true)
TAPER_BINARY_OP(copysign, "copysign", copysign, true)
TAPER_BINARY_OP(maximum, "maximum", maximum)
TAPER_BINARY_OP(minimum, "minimum", minimum)
TAPER_BINARY_OP(clamp_min, "clamp_min", maximum)
TAPER_BINARY_OP(clamp_max, "clamp_max", minimum)
TAPER_BINARY_OP(bitwise_and, "bitwise_and", bitwise_and, false, false, check_bits)
TAPER_BINARY_OP(bitwise_or, "bitwise_or", bitwise_or, false, false, check_bits)
TAPER_BINARY_OP(bitwise_xor, "bitwise_xor", bitwise_xor, false, false, check_bits)
TAPER_BINARY_OP(logical_and, "logical_and", logical_and, false, true)
TAPER_BINARY_OP(logical_or, "logical_or", logical_or, false, true)
TAPER_BINARY_OP(logical_xor, "logical_xor", logical_xor, false, true)
TAPER_BINARY_OP(eq, "eq", eq, false, true)
TAPER_BINARY_OP(ne, "ne", ne, false, true)
TAPER_BINARY_OP(lt, "lt", lt, false, true)
TAPER_BINARY_OP(le, "le", le, false, true)
TAPER_BINARY_OP(gt, "gt", gt, false, true)
TAPER_BINARY_OP(ge, "ge", ge, false, true)
/// The gradients of activations.
TAPER_BINARY_OP(relu_backward, "relu_backward", relu_backward)
TAPER_BINARY_OP(tanh_backward, "tanh_backward", tanh_backward)
TAPER_BINARY_OP(sigmoid_backward, "sigmoid_backward", sigmoid_backward)
#undef TAPER_BINARY_OP

}  // namespace torch::taper::binary_op
