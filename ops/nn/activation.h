// Activation functions that are not in the list of unary ops (relu, sigmoid and tanh are there).
//
// Each works element by element on floating tensors of any shape; f_(x) writes into x. Gradients
// where a function has a corner are those of PyTorch, and are stated in activation_functors.h.
// Errors: NotImplementedError "\"silu_cpu\" not implemented for 'Long'".
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x for x > 0, else negative_slope x.
Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope = 0.01);
/// scale x for x > 0, else scale alpha (exp(input_scale x) - 1).
Tensor elu(const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
           const Scalar& input_scale = 1);
Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                const Scalar& input_scale = 1);
Tensor& elu_(Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
             const Scalar& input_scale = 1);
/// elu with the constants of Klambauer et al. 2017: alpha 1.6732632423543772, scale
/// 1.0507009873554805.
Tensor selu(const Tensor& self);
Tensor& selu_(Tensor& self);
/// x for x > 0, else alpha (exp(x / alpha) - 1). Errors: "ZeroDivisionError: alpha cannot be 0 for
/// CELU".
Tensor celu(const Tensor& self, const Scalar& alpha = 1.0);
Tensor& celu_(Tensor& self, const Scalar& alpha = 1.0);
/// x times the normal distribution function of x; "tanh" is the approximation
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
/// Errors: "approximate argument must be either none or tanh.".
Tensor gelu(const Tensor& self, std::string_view approximate = "none");
Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate = "none");
Tensor& gelu_(Tensor& self, std::string_view approximate = "none");
/// x sigmoid(x).
Tensor silu(const Tensor& self);
Tensor& silu_out(Tensor& out, const Tensor& self);
Tensor& silu_(Tensor& self);
/// x tanh(log(1 + exp(x))).
Tensor mish(const Tensor& self);
Tensor& mish_out(Tensor& out, const Tensor& self);
Tensor& mish_(Tensor& self);
/// log(1 + exp(beta x)) / beta, x itself where beta x > threshold.
Tensor softplus(const Tensor& self, const Scalar& beta = 1, const Scalar& threshold = 20);
Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta = 1,
                     const Scalar& threshold = 20);
/// x limited to [min_val, max_val]; integers, too.
Tensor hardtanh(const Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val = -1,
                     const Scalar& max_val = 1);
Tensor& hardtanh_(Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
/// x limited to [0, 6]; integers, too.
Tensor relu6(const Tensor& self);
Tensor& relu6_(Tensor& self);
/// x / 6 + 1 / 2 limited to [0, 1].
Tensor hardsigmoid(const Tensor& self);
Tensor& hardsigmoid_out(Tensor& out, const Tensor& self);
Tensor& hardsigmoid_(Tensor& self);
/// x times hardsigmoid(x).
Tensor hardswish(const Tensor& self);
Tensor& hardswish_out(Tensor& out, const Tensor& self);
Tensor& hardswish_(Tensor& self);
/// x where |x| > lambd, else 0.
Tensor hardshrink(const Tensor& self, const Scalar& lambd = 0.5);
Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
/// The gradient of hardshrink by self: grad_out, but 0 where |self| <= lambd. The operands are
/// broadcast, and of the dtype that they promote to, which is floating.
Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, const Scalar& lambd);
/// x moved towards 0 by lambd >= 0, 0 where |x| <= lambd.
/// Errors: "lambda must be greater or equal to 0, but found to be -1.".
Tensor softshrink(const Tensor& self, const Scalar& lambd = 0.5);
Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
/// x where x > threshold, else value; integers, too.
Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value);
Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold,
                      const Scalar& value);
Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value);
/// log(sigmoid(x)), without overflow.
Tensor log_sigmoid(const Tensor& self);
Tensor& log_sigmoid_out(Tensor& out, const Tensor& self);
/// log(x / (1 - x)), x first limited to [eps, 1 - eps] if eps is given.
Tensor logit(const Tensor& self, optional<double> eps = nullopt);
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& logit_(Tensor& self, optional<double> eps = nullopt);
/// x / (1 + |x|).
Tensor softsign(const Tensor& self);
/// x - tanh(x).
Tensor tanhshrink(const Tensor& self);

/// x for x > 0, else w x, with one weight, or one for each channel (dimension 1).
/// Errors: "Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and
/// channel size = 4.".
Tensor prelu(const Tensor& self, const Tensor& weight);
/// The gradients of prelu by self and weight; errors as of prelu.
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight);
/// leaky_relu with a slope for each element drawn from [lower, upper) in training, with the mean
/// slope otherwise.
Tensor rrelu(const Tensor& self, const Scalar& lower = 0.125, const Scalar& upper = 1.0 / 3,
             bool training = false, optional<Generator> generator = nullopt);
Tensor& rrelu_(Tensor& self, const Scalar& lower = 0.125, const Scalar& upper = 1.0 / 3,
               bool training = false, optional<Generator> generator = nullopt);
/// The same, with the slopes that were drawn (1 where x > 0) written to `noise`, a tensor of x's
/// sizes and dtype; it is left alone when not training.
/// Errors: "rrelu_with_noise: expected noise of the sizes and dtype of self, ...".
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower = 0.125,
                        const Scalar& upper = 1.0 / 3, bool training = false,
                        optional<Generator> generator = nullopt);
Tensor& rrelu_with_noise_(Tensor& self, const Tensor& noise, const Scalar& lower = 0.125,
                          const Scalar& upper = 1.0 / 3, bool training = false,
                          optional<Generator> generator = nullopt);
/// The first half of x along `dim` times the sigmoid of the second.
/// Errors: "Halving dimension must be even, but dimension 0 is size 3".
Tensor glu(const Tensor& self, int64_t dim = -1);
Tensor& glu_out(Tensor& out, const Tensor& self, int64_t dim = -1);

}  // namespace torch::taper

#pragma GCC visibility pop
