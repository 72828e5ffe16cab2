// The layers of a recurrent network over a packed batch, and cuDNN's layout of them. Not installed.
#pragma once

#include <vector>

#include <taper/ops/sequence/rnn_layer.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// Layers, each in one or two directions, over the rows of a packed batch (rnn_kernels.h).
struct RnnStack {
  RnnMode mode;
  bool has_biases;
  int64_t num_layers;
  bool bidirectional;
  bool tf32;       ///< a library's f32 products may use TF32
  double dropout;  ///< between layers, and 0 unless in training
  std::vector<int64_t> sizes;
  /// Columns of the input, units of a layer, and columns of its output in one direction. Without
  /// projections the last two are equal.
  int64_t input, hidden, output;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  bool projects() const { return output != hidden; }
  /// Returns the number of parameters of a layer in one direction: w_ih, w_hh, b_ih and b_hh, w_hr.
  size_t params_each() const { return (has_biases ? 4u : 2u) + (projects() ? 1u : 0u); }
};

/// Computes the stack layer by layer, by definition, over rows x (R x input). ops/sequence/rnn.h
/// describes it.
RnnOutput rnn_layers(const RnnStack& stack, Tensor x, const Tensor& h, const Tensor& c,
                     TensorList params);
/// Returns the sizes that the parameters must have, in order.
std::vector<Dims> rnn_param_sizes(const RnnStack& stack);
/// Returns the length of each sequence.
std::vector<int> rnn_lengths(const RnnStack& stack);

// ---------------------------------------------------------------------- weights for cuDNN
/// A gate's part of a parameter: elements [from, from + count). cuDNN calls it the matrix or the
/// bias of linear layer `linear` in pseudo layer `layer`.
struct RnnBlock {
  int layer, linear;
  bool is_bias;
  size_t param;
  int64_t from, count;
};
std::vector<RnnBlock> rnn_blocks(const RnnStack& stack);

/// Elements of a parameter that are adjacent in cuDNN's weights, from `to` on.
struct RnnSpan {
  size_t param;
  int64_t from, to, count;
};
/// Returns the spans with adjacent ones joined.
std::vector<RnnSpan> joined(const std::vector<RnnSpan>& spans);
/// Copies the parameters into `weights` (1-dim).
void pack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans, TensorList params);
/// Returns the parameters of these sizes in `weights`. They are views if their elements are
/// adjacent.
std::vector<Tensor> unpack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans,
                                   const std::vector<Dims>& sizes);

/// Tests whether cuDNN may be used: cuDNN is enabled, and results need not be deterministic (cuDNN
/// does not promise that for recurrent layers). Dtypes must agree, nothing may be dropped, and all
/// sizes must be valid.
bool cudnn_takes_rnn(const RnnStack& stack, const Tensor& x, const Tensor& h, const Tensor& c,
                     TensorList params);

}  // namespace torch::taper

#pragma GCC visibility pop
