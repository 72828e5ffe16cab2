// Ops on lists of tensors, such as all parameters of a model. The tensors may have different sizes,
// dtypes and devices. LibTorch's _foreach_... functions (generated/foreach.h), optimizers and the
// clipping of gradients use them.
//
// On a CUDA device, all contiguous tensors of one floating dtype are computed in as few launches as
// possible. The tensors of a list on a CUDA device must not share memory. For other tensors (on the
// CPU, not contiguous, or with recorded history), the op runs once per tensor.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// The operands of a list op beside the tensors `self`. `first` and `second` hold one tensor for
/// each tensor of self. `numbers` holds one number for each tensor of self. `number`, or
/// `number_tensor` (0-dim), is one number for all tensors. Operands that an op does not have are
/// null.
struct ForeachOperands {
  const TensorList* first = nullptr;
  const TensorList* second = nullptr;
  const ArrayRef<Scalar>* numbers = nullptr;
  const Scalar* number = nullptr;
  const Tensor* number_tensor = nullptr;
};

/// Returns {op(self[0], ...), op(self[1], ...), ...} for the op with the name `op`, such as "add".
/// Errors: Error for lists of different lengths, and for an empty list.
std::vector<Tensor> foreach_make(const char* op, TensorList self, const ForeachOperands& with = {});
/// Computes self[i] = op(self[i], ...) in place. If the operands are not valid, throws before any
/// change.
void foreach_change(const char* op, TensorList self, const ForeachOperands& with = {});

/// Returns the elements of a CPU vector as numbers. The vector must have `count` elements.
std::vector<Scalar> foreach_numbers(const char* op, const Tensor& numbers, size_t count);
/// Sets all elements to zero.
void foreach_zeros(TensorList self);
/// Limits all elements to [low, high]. NaN stays NaN.
void foreach_clamp(TensorList self, double low, double high);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
