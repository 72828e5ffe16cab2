// count_flops: the floating point operations of a computation.
//
//   Tensor loss = criterion(net(x), target);
//   std::cout << utils::count_flops(loss);
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// What the calls of an op came to.
struct OpFlops {
  std::string op;         ///< "Addmm"
  int64_t num_calls = 0;  ///< how often it ran
  int64_t forward = 0;    ///< a multiply-add is two
  int64_t backward = 0;   ///< for the gradients that are asked for
};

/// The operations of a computation, by op.
struct FlopCounts {
  std::vector<OpFlops> ops;  ///< the greatest first
  /// The sum over all ops.
  int64_t forward() const;
  /// The same of their derivatives.
  int64_t backward() const;
};

/// A table of the ops and their sum.
std::ostream& operator<<(std::ostream& out, const FlopCounts& counts);

/// Counts the operations that led to `output` and those of its backward pass, as Python's
/// FlopCounterMode does: products of matrices and vectors, convolutions, attention and recurrent
/// layers (not cuDNN's), nothing else. It runs a backward pass, from whose gradients it learns the
/// sizes: no
/// `.grad` is changed and the graph is kept, hooks of tensors and nodes run. Operands are seen that
/// want gradients, the weight of a convolution among them; a product is counted where one of them
/// does. Throws ValueError for an output without history.
FlopCounts count_flops(const Tensor& output);

}  // namespace torch::taper::utils

#pragma GCC visibility pop
