// Ops on lists of tensors of different sizes, dtypes and devices: one call for a whole model.
// LibTorch's _foreach_... functions (generated/foreach.h), optimizers and the clipping of gradients
// use them.
//
// On a CUDA device, all dense tensors of one floating dtype change in as few launches as possible.
// There, the tensors of a list must not share memory. Other tensors (on the CPU, not dense, or with
// recorded history) run the op for one tensor in turn.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// The operands of a list op beside the tensors, or null: one or two tensors and a number for each
/// of them, or a number for all, given directly or in a 0-dim tensor.
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
/// Computes in place. Operands that do not fit throw before any change.
void foreach_change(const char* op, TensorList self, const ForeachOperands& with = {});

/// Returns the elements of a CPU vector, which must have `count` of them, as numbers.
std::vector<Scalar> foreach_numbers(const char* op, const Tensor& numbers, size_t count);
/// Sets all elements to zero.
void foreach_zeros(TensorList self);
/// Limits all elements to [low, high]. NaN stays.
void foreach_clamp(TensorList self, double low, double high);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
