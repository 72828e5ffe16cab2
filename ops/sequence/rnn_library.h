// Recurrent layers as one op. A library (cuDNN) computes all layers. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>
#include <taper/ops/sequence/rnn_stack.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// The space that a stack needs beside its inputs and results. `weights` is the number of elements
/// of the packed weights, or 0 if the library does not support the stack. `reserve` is the number
/// of bytes that the forward pass keeps for backward. `spans` holds the parameters' positions in
/// the packed weights.
struct RnnSpace {
  int64_t weights = 0, reserve = 0;
  std::vector<RnnSpan> spans;
};

/// The library's functions. Tensors are contiguous and of one dtype. For R rows and N sequences, x
/// is (R x input), y (R x directions * output), h0 and h (num_layers * directions, N, output). c0
/// and c (num_layers * directions, N, hidden) are defined only for an LSTM.
struct RnnLibrary {
  RnnSpace (*space)(const RnnStack& stack, ScalarType dtype, Device device, bool training);
  /// Computes the stack. `reserve` (bytes) is undefined if nothing is kept for backward.
  void (*forward)(RnnStack stack, Out y, Out h, Out c, Out reserve, In x, In h0, In c0, In weights);
  /// Computes the gradients. gh_last and gc_last may be undefined, which means zero. gw holds zeros
  /// on entry. gw is undefined if the gradient of the weights is not needed. `reserve` is
  /// overwritten.
  void (*backward)(RnnStack stack, Out gx, Out gh, Out gc, InOut gw, InOut reserve, In gy,
                   In gh_last, In gc_last, In x, In h0, In c0, In y, In weights);
};

/// Computes the stack by `library`. cudnn_takes_rnn must accept the stack. If the library does not
/// support the stack, rnn_layers() computes it. `library` must outlive the graph of the result.
RnnOutput rnn_by_library(const RnnLibrary& library, const RnnStack& stack, const Tensor& x,
                         const Tensor& h, const Tensor& c, TensorList params);

namespace cuda {
/// Returns cuDNN's functions. This function is null in a build without kernels for GPUs.
__attribute__((weak)) const RnnLibrary& cudnn_rnn_library();
}  // namespace cuda

}  // namespace torch::taper

#pragma GCC visibility pop
