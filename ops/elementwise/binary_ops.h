// Describes each binary op for binary_compute.h: name, kernel, dtypes and checks.
#pragma once

#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/elementwise/binary_compute.h>
#include <taper/ops/elementwise/binary_kernels.h>

namespace torch::taper::binary_op {

using detail::BinaryOp;
using detail::BinaryOperand;

/// Throws for bool tensors, because bools cannot be subtracted.
void check_sub(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for an integer divided by 0. That division would end the program.
void check_divisor(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for integers if b is a negative integer number. A tensor b is not checked.
void check_power(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);
/// Throws for floating operands. Bitwise ops take integers and bools.
void check_bits(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b);

/// Runs `loop` without a launch if the operands are small float tensors on the CPU. Returns whether
/// it ran `loop`. The operands must have one shape and dtype.
inline bool run_of_floats(const Tensor& y, const Tensor& a, const Tensor& b,
                          bool (&loop)(void*, const void*, const void*, int64_t)) {
  const TensorImpl &to = *y.impl_ptr(), &x = *a.impl_ptr();
  return x.dtype == kFloat && detail::runs_without_launch(to) &&
         loop(to.data, x.data, b.impl_ptr()->data, to.numel);
}

/// Defines a BinaryOp. The arguments after `kernel` set more of its fields.
#define TAPER_BINARY_OP(op, text, kernel, ...)                                                  \
  inline constexpr BinaryOp op{.name = text,                                                    \
                               .run = [](const Tensor& y, const In& a,                          \
                                         const In& b) { TAPER_ON_DEVICE(y, kernel, y, a, b); }, \
                               .run_alike =                                                     \
                                   [](const Tensor& y, const Tensor& a, const Tensor& b) {      \
                                     if (!run_of_floats(y, a, b, cpu::kernel##_of_floats))      \
                                       TAPER_ON_DEVICE(y, kernel, y, a, b);                     \
                                   },                                                           \
                               __VA_ARGS__};
inline constexpr auto run_scaled = [](const Tensor& y, const In& a, const In& b,
                                      const Scalar& alpha) {
  TAPER_ON_DEVICE(y, add_scaled, y, a, b, alpha);
};

TAPER_BINARY_OP(add, "add", add, .run_scaled = run_scaled, .reads_narrow = true)
/// sub with an alpha launches the kernel add_scaled. The caller negates alpha.
TAPER_BINARY_OP(sub, "sub", sub, .check = check_sub, .run_scaled = run_scaled)
TAPER_BINARY_OP(mul, "mul", mul, .keeps_number = true)
TAPER_BINARY_OP(div, "div", div, .floats = true, .keeps_number = true)
TAPER_BINARY_OP(div_trunc, "div", div_trunc, .check = check_divisor, .keeps_number = true)
TAPER_BINARY_OP(div_floor, "div", div_floor, .check = check_divisor)
TAPER_BINARY_OP(floor_divide, "floor_divide", div_floor, .check = check_divisor)
TAPER_BINARY_OP(remainder, "remainder", remainder, .check = check_divisor)
TAPER_BINARY_OP(fmod, "fmod", fmod, .check = check_divisor)
TAPER_BINARY_OP(pow, "pow", pow, .check = check_power, .exact_with_number = true)
TAPER_BINARY_OP(atan2, "atan2", atan2, .floats = true)
TAPER_BINARY_OP(copysign, "copysign", copysign, .floats = true)
TAPER_BINARY_OP(maximum, "maximum", maximum)
TAPER_BINARY_OP(minimum, "minimum", minimum)
TAPER_BINARY_OP(clamp_min, "clamp_min", maximum)
TAPER_BINARY_OP(clamp_max, "clamp_max", minimum)
TAPER_BINARY_OP(bitwise_and, "bitwise_and", bitwise_and, .check = check_bits)
TAPER_BINARY_OP(bitwise_or, "bitwise_or", bitwise_or, .check = check_bits)
TAPER_BINARY_OP(bitwise_xor, "bitwise_xor", bitwise_xor, .check = check_bits)
TAPER_BINARY_OP(logical_and, "logical_and", logical_and, .tests = true)
TAPER_BINARY_OP(logical_or, "logical_or", logical_or, .tests = true)
TAPER_BINARY_OP(logical_xor, "logical_xor", logical_xor, .tests = true)
TAPER_BINARY_OP(eq, "eq", eq, .tests = true)
TAPER_BINARY_OP(ne, "ne", ne, .tests = true)
TAPER_BINARY_OP(lt, "lt", lt, .tests = true)
TAPER_BINARY_OP(le, "le", le, .tests = true)
TAPER_BINARY_OP(gt, "gt", gt, .tests = true)
TAPER_BINARY_OP(ge, "ge", ge, .tests = true)
/// The gradients of activation functions.
TAPER_BINARY_OP(relu_backward, "relu_backward", relu_backward)
TAPER_BINARY_OP(tanh_backward, "tanh_backward", tanh_backward)
TAPER_BINARY_OP(sigmoid_backward, "sigmoid_backward", sigmoid_backward)
#undef TAPER_BINARY_OP

}  // namespace torch::taper::binary_op
