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
  int64_t forward = 0;    ///< of the forward pass. A multiply-add is two operations
  int64_t backward = 0;   ///< of the backward pass, for the requested gradients
};

/// The operations of a computation, by op.
struct FlopCounts {
  std::vector<OpFlops> ops;  ///< largest first
  /// Returns the sum over all ops.
  int64_t forward() const;
  /// Returns the sum over all derivatives.
  int64_t backward() const;
};

/// Prints a table of the ops and their sum.
std::ostream& operator<<(std::ostream& out, const FlopCounts& counts);

/// Counts the operations that led to `output` and those of its backward pass, like Python's
/// FlopCounterMode. It counts only products of matrices and vectors, convolutions, attention, and
/// recurrent layers that do not use cuDNN. It runs a backward pass and takes sizes from the
/// gradients. No `.grad` is changed and the graph is kept, but hooks of tensors and nodes run. A
/// product is counted if one of its operands requires gradients. A convolution is counted if its
/// weight requires gradients. Throws ValueError for an output without history.
FlopCounts count_flops(const Tensor& output);

}  // namespace torch::taper::utils

#pragma GCC visibility pop
