// One-hot vectors.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns a kLong tensor with a new last dimension of size num_classes. It is 1 at the class in x
/// and 0 elsewhere. x is kLong and holds classes from 0 to num_classes - 1. If num_classes is -1,
/// it is the largest class + 1.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);

}  // namespace torch::taper

#pragma GCC visibility pop
