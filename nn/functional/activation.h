// Activation functions of floating tensors of any shape; the result has the input's sizes and dtype
// where nothing else is said. With `inplace` the input is overwritten and returned.
#pragma once

#include <taper/nn/options/activation.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// max(x, 0)
Tensor relu(Tensor input, const ReLUFuncOptions& options = {});
/// min(max(x, 0), 6)
Tensor relu6(Tensor input, const ReLU6FuncOptions& options = {});
/// x where x > 0, else negative_slope * x
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {});
/// x where x > 0, else alpha * (exp(x) - 1)
Tensor elu(Tensor input, const ELUFuncOptions& options = {});
/// ELU with the fixed scale and alpha that keep mean 0 and variance 1 [Klambauer et al. 2017]
Tensor selu(Tensor input, const SELUFuncOptions& options = {});
/// max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))
Tensor celu(Tensor input, const CELUFuncOptions& options = {});
/// x * P(X <= x), X standard normal; or the approximation by tanh
Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {});
/// a * sigmoid(b), a and b the halves of the input along dim. The result has half its size there.
/// Throws Error for an odd size and for no dimensions.
Tensor glu(const Tensor& input, const GLUFuncOptions& options = {});
/// x cut to [min_val, max_val]. Throws unless min_val < max_val.
Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options = {});
/// x where |x| > lambda, else 0
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {});
/// x drawn towards 0 by lambda, 0 where |x| <= lambda
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {});
/// log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});
/// Leaky ReLU with a slope that is random in [lower, upper] when training, their mean when not
Tensor rrelu(Tensor input, const RReLUFuncOptions& options = {});
/// x where x > threshold, else value
Tensor threshold(Tensor input, const ThresholdFuncOptions& options);
/// x where x > 0, else weight * x; the weight (1), or (C) for an input (N, C, ...). Throws Error
/// for a weight of other sizes.
Tensor prelu(const Tensor& input, const Tensor& weight);
/// x * sigmoid(x)
Tensor silu(const Tensor& input);
/// x * tanh(log(1 + exp(x)))
Tensor mish(const Tensor& input);
/// log(sigmoid(x))
Tensor logsigmoid(const Tensor& input);
/// x - tanh(x)
Tensor tanhshrink(const Tensor& input);
/// x / (1 + |x|)
Tensor softsign(const Tensor& input);
/// exp(x) / sum of exp(x) along dim. This and the next two throw IndexError for a dimension that is
/// not there.
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
/// softmax(-x)
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options);
/// log(softmax(x))
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// A sample, along dim, of the relaxed categorical distribution with these log-probabilities [Jang
/// et al. 2017]; `hard` returns one-hot vectors that have the gradient of the relaxed sample.
Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
