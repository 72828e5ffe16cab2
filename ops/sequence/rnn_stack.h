// The layers of a recurrent network over a packed batch, and cuDNN's layout of their weights. Not
// installed.
#pragma once

#include <vector>

#include <taper/ops/sequence/rnn_layer.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper {

/// A stack of layers, each in one or two directions, over the rows of a packed batch
/// (rnn_kernels.h).
struct RnnStack {
  RnnMode mode;
  bool has_biases;
  int64_t num_layers;
  bool bidirectional;
  bool tf32;       ///< true if a library's f32 products may use TF32
  double dropout;  ///< probability of dropout between layers; 0 unless in training
  std::vector<int64_t> sizes;
  /// `input` is the number of columns of the input, and `hidden` the number of units of a layer.
  /// `output` is the number of columns of a layer's output in one direction. Without projections,
  /// `hidden` and `output` are equal.
  int64_t input, hidden, output;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  bool projects() const { return output != hidden; }
  /// Returns the number of parameters of a layer in one direction: w_ih, w_hh, with biases b_ih and
  /// b_hh, and with projections w_hr.
  size_t params_each() const { return (has_biases ? 4u : 2u) + (projects() ? 1u : 0u); }
};

/// Computes the stack layer by layer over rows x (R x input). ops/sequence/rnn.h describes the
/// computation.
RnnOutput rnn_layers(const RnnStack& stack, Tensor x, const Tensor& h, const Tensor& c,
                     TensorList params);
/// Returns the sizes that the parameters must have, in order.
std::vector<Dims> rnn_param_sizes(const RnnStack& stack);
/// Returns the length of each sequence.
std::vector<int> rnn_lengths(const RnnStack& stack);

// ---------------------------------------------------------------------- weights for cuDNN
/// The part of parameter `param` for one gate, or a whole projection: elements [from, from +
/// count). In cuDNN, this part is the matrix or the bias of linear layer `linear` in pseudo layer
/// `layer`.
struct RnnBlock {
  int layer, linear;
  bool is_bias;
  size_t param;
  int64_t from, count;
};
std::vector<RnnBlock> rnn_blocks(const RnnStack& stack);

/// Elements [from, from + count) of parameter `param`. In cuDNN's packed weights, they are elements
/// [to, to + count).
struct RnnSpan {
  size_t param;
  int64_t from, to, count;
};
/// Joins spans that are adjacent in both layouts, and returns all spans.
std::vector<RnnSpan> joined(const std::vector<RnnSpan>& spans);
/// Copies the parameters into the packed weights `weights` (1-dim).
void pack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans, TensorList params);
/// Returns the parameters, of these sizes, from the packed weights. A parameter is a view of
/// `weights` if its elements are adjacent there. Otherwise it is a copy.
std::vector<Tensor> unpack_weights(const Tensor& weights, const std::vector<RnnSpan>& spans,
                                   const std::vector<Dims>& sizes);

/// Tests whether cuDNN may compute the stack. cuDNN must be enabled. Deterministic results must not
/// be required, because cuDNN does not guarantee them for recurrent layers. Dtypes must agree, and
/// all sizes must be valid. If there are several layers, dropout must be 0.
bool cudnn_takes_rnn(const RnnStack& stack, const Tensor& x, const Tensor& h, const Tensor& c,
                     TensorList params);

}  // namespace torch::taper

#pragma GCC visibility pop
