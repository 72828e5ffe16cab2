// One-hot vectors.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a kLong tensor of x's shape with a new last dimension of size num_classes. An element is
/// 1 if its last index is the class in x, else 0. x is kLong and holds classes from 0 to
/// num_classes - 1. A num_classes of -1 means the largest class + 1.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);

}  // namespace torch::taper

#pragma GCC visibility pop
