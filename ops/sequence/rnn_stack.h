// The layers of a recurrent network over a packed batch, and how cuDNN has them. Not installed.
#pragma once

#include <vector>

#include <taper/ops/sequence/rnn_layer.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// Layers, each in one direction or two, over the rows of a packed batch (rnn_kernels.h).
struct RnnStack {
  RnnMode mode;
  bool has_biases;
  int64_t num_layers;
  bool bidirectional;
  bool tf32;       ///< may a library's products of f32 take TF32
  double dropout;  ///< between layers; 0 but in training
  std::vector<int64_t> sizes;
  /// Columns of the input, units of a layer, and columns of what it gives in one direction (as many
  /// but with projections).
  int64_t input, hidden, output;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  bool projects() const { return output != hidden; }
  /// Parameters of a layer in one direction: w_ih, w_hh, b_ih and b_hh, w_hr.
  size_t params_each() const { return (has_biases ? 4u : 2u) + (projects() ? 1u : 0u); }
};

/// The stack layer by layer: its definition. As ops/sequence/rnn.h describes it, over rows x (R x
/// input).
RnnOutput rnn_layers(const RnnStack& stack, Tensor x, const Tensor& h, const Tensor& c,
                     TensorList params);
/// The sizes that the parameters must have, in their order.
std::vector<Dims> rnn_param_sizes(const RnnStack& stack);
/// How long each sequence is.
std::vector<int> rnn_lengths(const RnnStack& stack);

// ---------------------------------------------------------------------- weights for cuDNN
/// A gate's part of a parameter: elements [from, from + count), which cuDNN calls the matrix or the
/// bias of linear layer `linear` in pseudo layer `layer`.
struct RnnBlock {
  int layer, linear;
  bool is_bias;
  size_t param;
  int64_t from, count;
};
std::vector<RnnBlock> rnn_blocks(const RnnStack& stack);

/// Elements of a parameter that lie side by side in cuDNN's weights, from `to` on.
struct RnnSpan {
  size_t param;
  int64_t from, to, count;
};
/// The same with neighbours joined.
std::vector<RnnSpan> joined(const std::vector<RnnSpan>& spans);
/// Copies the parameters into `weights` (1-dim).
void pack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans, TensorList params);
/// The parts of `weights` that are parameters of these sizes; views where they lie together.
std::vector<Tensor> unpack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans,
                                   const std::vector<Dims>& sizes);

/// Whether cuDNN may be asked: it is switched on, and the same bits in each run are not wanted (it
/// does not promise them here); dtypes agree; nothing is dropped; all sizes are as they should be.
bool cudnn_takes_rnn(const RnnStack& stack, const Tensor& x, const Tensor& h, const Tensor& c,
                     TensorList params);

}  // namespace torch::taper

#pragma GCC visibility pop
