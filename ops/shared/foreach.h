// Ops on lists of tensors of different sizes, dtypes and devices: one call for a whole model.
// LibTorch's _foreach_... functions (generated/foreach.h), optimizers and the clipping of gradients
// use them.
//
// On a CUDA device, all dense tensors of one floating dtype are computed in as few launches as
// possible. There, the tensors of a list must not share memory. For other tensors (on the CPU, not
// dense, or with recorded history), the op runs once per tensor.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// The operands of a list op beside the tensors `self`. `first` and `second` hold one tensor per
/// tensor of self, `numbers` one number. `number` and `number_tensor` (0-dim) hold one number for
/// all tensors. Operands that an op does not have are null.
struct ForeachOperands {
  const TensorList* first = nullptr;
  const TensorList* second = nullptr;
  const ArrayRef<Scalar>* numbers = nullptr;
  const Scalar* number = nullptr;
  const Tensor* number_tensor = nullptr;
};

/// Returns {op(self[0], ...), op(self[1], ...), ...} for the op of that name: "add" and so on.
/// Errors: Error for lists of different lengths, and for an empty one.
std::vector<Tensor> foreach_make(const char* op, TensorList self, const ForeachOperands& with = {});
/// Computes self[i] = op(self[i], ...) in place. If operands do not fit, throws before any change.
void foreach_change(const char* op, TensorList self, const ForeachOperands& with = {});

/// Returns the elements of a CPU vector as numbers. The vector must have `count` elements.
std::vector<Scalar> foreach_numbers(const char* op, const Tensor& numbers, size_t count);
/// Sets all elements to zero.
void foreach_zeros(TensorList self);
/// Limits all elements to [low, high]. NaN stays NaN.
void foreach_clamp(TensorList self, double low, double high);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
