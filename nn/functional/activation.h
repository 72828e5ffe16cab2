// Activation functions of floating tensors of any shape. Unless a comment says otherwise, the
// result has the sizes and the dtype of the input. With the option `inplace`, the functions
// overwrite the input and return it. x is an element of the input.
#pragma once

#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns max(x, 0) for each element.
Tensor relu(Tensor input, const ReLUFuncOptions& options = {});
/// Returns min(max(x, 0), 6) for each element.
Tensor relu6(Tensor input, const ReLU6FuncOptions& options = {});
/// Returns x if x > 0, else negative_slope * x.
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {});
/// Returns x if x > 0, else alpha * (exp(x) - 1).
Tensor elu(Tensor input, const ELUFuncOptions& options = {});
/// Applies SELU: ELU with a fixed scale and a fixed alpha, chosen so that activations keep mean 0
/// and variance 1 [Klambauer et al. 2017].
Tensor selu(Tensor input, const SELUFuncOptions& options = {});
/// Returns max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).
Tensor celu(Tensor input, const CELUFuncOptions& options = {});
/// Returns x * P(X <= x) for a standard normal variable X. If `approximate` is "tanh", returns an
/// approximation with tanh.
Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {});
/// Returns a * sigmoid(b) for the first half a and the second half b of the input along `dim`. The
/// result has half the size along `dim`. Throws Error if the size is odd, or if the input has no
/// dimensions.
Tensor glu(const Tensor& input, const GLUFuncOptions& options = {});
/// Clamps x to [min_val, max_val]. Throws Error unless min_val < max_val.
Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options = {});
/// Returns x if |x| > lambda, else 0.
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {});
/// Returns x - lambda if x > lambda, x + lambda if x < -lambda, and otherwise 0.
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {});
/// Returns log(1 + exp(beta * x)) / beta, or x if beta * x > threshold.
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});
/// Applies leaky ReLU with random slopes. With `training`, a slope is drawn from [lower, upper] for
/// each element. Otherwise, the slope is the mean of lower and upper. Throws Error if lower >
/// upper.
Tensor rrelu(Tensor input, const RReLUFuncOptions& options = {});
/// Returns x if x > threshold, else value.
Tensor threshold(Tensor input, const ThresholdFuncOptions& options);
/// Returns x if x > 0, else weight * x. The weight is (1), or (C) for an input (N, C, ...). Throws
/// Error for other sizes of the weight.
Tensor prelu(const Tensor& input, const Tensor& weight);
/// Returns x * sigmoid(x).
Tensor silu(const Tensor& input);
/// Returns x * tanh(log(1 + exp(x))).
Tensor mish(const Tensor& input);
/// Returns log(sigmoid(x)).
Tensor logsigmoid(const Tensor& input);
/// Returns x - tanh(x).
Tensor tanhshrink(const Tensor& input);
/// Returns x / (1 + |x|).
Tensor softsign(const Tensor& input);
/// Returns exp(x) divided by the sum of exp(x) along `dim`. softmax, softmin and log_softmax throw
/// IndexError if the input has no dimension `dim`.
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
/// Returns softmax(-x) along `dim`.
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options);
/// Returns log(softmax(x)) along `dim`.
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// Samples from the relaxed categorical distribution whose unnormalized log-probabilities along
/// `dim` are `logits` [Jang et al. 2017]. With `hard`, returns one-hot vectors. Backward then uses
/// the gradient of the relaxed sample.
Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
