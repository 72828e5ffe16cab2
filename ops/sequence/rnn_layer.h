// One layer of a recurrent network in one direction, as one op. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/sequence/rnn_kernels.h>

namespace torch::taper {

/// Weights of a layer, G = gates_of(mode) * H, P the size of what it gives (H without a
/// projection): w_ih (G x D), w_hh (G x P), biases (G) or undefined, w_hr (P x H) or undefined.
struct RnnWeights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};
/// y (R x P) for every row, and the last states h (N x P) and, for an LSTM, c (N x H).
struct RnnOutput {
  Tensor y, h, c;
};

/// Runs the layer over x (R x D), packed as `plan` says, from the states h (N x P) and c (N x H,
/// undefined but for an LSTM). Floating dtypes that agree. Throws Error for other sizes, with
/// addmm's words.
RnnOutput rnn_layer(const RnnPlan& plan, const Tensor& x, const Tensor& h, const Tensor& c,
                    const RnnWeights& weights);

}  // namespace torch::taper
