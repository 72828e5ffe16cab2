// What has no derivative, in LibTorch either: its history says so, where silence would lose a
// gradient. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>

namespace taper::detail {

/// Throws Error: "derivative for aten::op is not implemented".
[[noreturn]] void throw_no_derivative(const char* op);
/// Returns y = op(inputs). Where it is floating and an input wants a gradient, backward through it
/// throws Error.
Tensor without_derivative(const char* op, Tensor y, const autograd::detail::Inputs& inputs);
/// Throws Error where `x`, an argument of that name in which `op` has no derivative, wants a
/// gradient: it would be lost in silence.
void check_wants_no_gradient(const char* op, const char* argument, const Tensor& x);

}  // namespace taper::detail
