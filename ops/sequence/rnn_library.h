// Recurrent layers as one op, by a library (cuDNN) that computes all of them. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/sequence/rnn_stack.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// Space that a stack needs beside its inputs and results: elements of its weights (0: the library
/// does not support the stack), bytes that the forward pass keeps for backward, and the parameters'
/// positions in the weights.
struct RnnSpace {
  int64_t weights = 0, reserve = 0;
  std::vector<RnnSpan> spans;
};

/// The library's calls. Without `training` nothing is kept. Tensors are contiguous and of one
/// dtype: x (R x input), y (R x directions * output), h0 and h (layers * directions, N, output). c0
/// and c (..., hidden) are defined only for an LSTM.
struct RnnLibrary {
  RnnSpace (*space)(const RnnStack& stack, ScalarType dtype, Device device, bool training);
  /// `reserve` (bytes) is undefined if nothing is kept.
  void (*forward)(RnnStack stack, Out y, Out h, Out c, Out reserve, In x, In h0, In c0, In weights);
  /// gh_last and gc_last may be undefined, which means zero. gw holds zeros, or is undefined if it
  /// is not wanted. `reserve` is changed.
  void (*backward)(RnnStack stack, Out gx, Out gh, Out gc, InOut gw, InOut reserve, In gy,
                   In gh_last, In gc_last, In x, In h0, In c0, In y, In weights);
};

/// Computes the stack by `library`, which outlives its graph, if cudnn_takes_rnn accepts it. Falls
/// back to layers if the library does not support it.
RnnOutput rnn_by_library(const RnnLibrary& library, const RnnStack& stack, const Tensor& x,
                         const Tensor& h, const Tensor& c, TensorList params);

namespace cuda {
/// Returns cuDNN's calls. Only a build with kernels for GPUs has them.
__attribute__((weak)) const RnnLibrary& cudnn_rnn_library();
}  // namespace cuda

}  // namespace torch::taper

#pragma GCC visibility pop
