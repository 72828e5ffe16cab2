// One layer of a recurrent network in one direction, as one op. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/sequence/rnn_kernels.h>

namespace torch::taper {

/// The weights of a layer with D inputs and H units. w_ih is (G x D), and w_hh is (G x P). The
/// biases are (G) or undefined. The projection w_hr is (P x H) or undefined. G = gates_of(mode) *
/// H. P is the number of columns of the layer's output. Without a projection, P = H.
struct RnnWeights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};
/// The output y (R x P) for all R rows, and the last states of the N sequences: h (N x P) and, for
/// an LSTM, c (N x H).
struct RnnOutput {
  Tensor y, h, c;
};

/// Runs the layer over x (R x D), packed by `plan`. The initial states are h (N x P) and, for an
/// LSTM, c (N x H). All tensors must have one floating dtype. Throws Error for other sizes, with
/// addmm's messages.
RnnOutput rnn_layer(const RnnPlan& plan, const Tensor& x, const Tensor& h, const Tensor& c,
                    const RnnWeights& weights);

}  // namespace torch::taper
