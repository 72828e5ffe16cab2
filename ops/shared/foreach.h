// Ops of lists of tensors, of different sizes, dtypes and devices: one call for a whole model.
// LibTorch's _foreach_... functions are made of them (generated/foreach.h), and optimizers and the
// clipping of gradients.
//
// On a CUDA device as few launches as there are dtypes change all tensors of one floating dtype
// that have no gaps; the tensors of a list must not share memory there. Tensors of the CPU, others,
// and those that history is recorded of, have the op of one tensor, one after the other.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// What an op of lists takes beside the tensors, null where it has none: one or two tensors and a
/// number for each of them, or a number for all, as it is or in a tensor without dimensions.
struct ForeachOperands {
  const TensorList* first = nullptr;
  const TensorList* second = nullptr;
  const ArrayRef<Scalar>* numbers = nullptr;
  const Scalar* number = nullptr;
  const Tensor* number_tensor = nullptr;
};

/// {op(self[0], ...), op(self[1], ...), ...} for the op of that name: "add" and so on. Errors:
/// Error for lists of different lengths, and an empty one.
std::vector<Tensor> foreach_make(const char* op, TensorList self, const ForeachOperands& with = {});
/// The same in place. What does not fit throws before anything changes.
void foreach_change(const char* op, TensorList self, const ForeachOperands& with = {});

/// The elements of a vector on the CPU, which are to be `count`, as numbers.
std::vector<Scalar> foreach_numbers(const char* op, const Tensor& numbers, size_t count);
/// Zeros in all elements.
void foreach_zeros(TensorList self);
/// Cuts all elements to [low, high]; NaN stays.
void foreach_clamp(TensorList self, double low, double high);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
