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

/// The floating point operations of an op's calls.
struct OpFlops {
  std::string op;         ///< "Addmm"
  int64_t num_calls = 0;  ///< number of calls
  int64_t forward = 0;    ///< operations of the forward pass. A multiply-add counts as two
  int64_t backward = 0;   ///< operations of the backward pass, for the requested gradients
};

/// The floating point operations of a computation, by op.
struct FlopCounts {
  std::vector<OpFlops> ops;  ///< ops with most operations first
  /// Returns the operations of the forward pass, over all ops.
  int64_t forward() const;
  /// Returns the operations of the backward pass, over all ops.
  int64_t backward() const;
};

/// Prints a table of the ops and their sum.
std::ostream& operator<<(std::ostream& out, const FlopCounts& counts);

/// Counts the floating point operations that computed `output`, and the operations of its backward
/// pass, like Python's FlopCounterMode. It counts only products of matrices and vectors,
/// convolutions, attention, and recurrent layers that do not use cuDNN. It runs a backward pass to
/// get the sizes. `.grad` does not change and the graph is kept, but hooks of tensors and nodes
/// run. A product is counted only if one of its operands requires gradients. A convolution is
/// counted only if its weight requires gradients. Throws ValueError if `output` has no grad_fn.
FlopCounts count_flops(const Tensor& output);

}  // namespace torch::taper::utils

#pragma GCC visibility pop
