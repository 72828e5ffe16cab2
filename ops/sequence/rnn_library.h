// Recurrent layers by a library that takes them all at once (cuDNN), as one op. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/sequence/rnn_stack.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// What a stack needs beside its inputs and results: elements of its weights (0: the library does
/// not support the stack), and where parameters lie in them; bytes that the forward pass keeps for
/// backward.
struct RnnSpace {
  int64_t weights = 0, reserve = 0;
  std::vector<RnnSpan> spans;
};

/// The library's calls. Without `training` nothing is kept. Tensors of the kernels are contiguous
/// and of one dtype: x (R x input), y (R x directions * output), h0, h (layers * directions, N,
/// output), c0, c (..., hidden) or undefined but for an LSTM.
struct RnnLibrary {
  RnnSpace (*space)(const RnnStack& stack, ScalarType dtype, Device device, bool training);
  /// `reserve` (bytes) is undefined where nothing is kept.
  void (*forward)(RnnStack stack, Out y, Out h, Out c, Out reserve, In x, In h0, In c0, In weights);
  /// gh_last and gc_last may be undefined: zero. gw holds zeros, or is undefined where it is not
  /// wanted; `reserve` is changed.
  void (*backward)(RnnStack stack, Out gx, Out gh, Out gc, InOut gw, InOut reserve, In gy,
                   In gh_last, In gc_last, In x, In h0, In c0, In y, In weights);
};

/// The stack by `library`, which outlives its graph; for what cudnn_takes_rnn. By layers where the
/// library does not support it.
RnnOutput rnn_by_library(const RnnLibrary& library, const RnnStack& stack, const Tensor& x,
                         const Tensor& h, const Tensor& c, TensorList params);

namespace cuda {
/// cuDNN's. Only a build with kernels for GPUs has it.
__attribute__((weak)) const RnnLibrary& cudnn_rnn_library();
}  // namespace cuda

}  // namespace torch::taper

#pragma GCC visibility pop
