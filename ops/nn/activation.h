// Activation functions. (relu, sigmoid and tanh are declared in ops/elementwise/unary.h.)
//
// In the comments, x is an element of self. All functions but glu are pointwise. All take floating
// tensors of any shape. Functions whose names end in `_` write the result into self. Gradients at
// corners follow PyTorch (see activation_functors.h).
// Errors: NotImplementedError "\"silu_cpu\" not implemented for 'Long'".
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/core/tensor.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x for x > 0, else negative_slope x.
Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope = 0.01);
/// Returns scale x for x > 0, else scale alpha (exp(input_scale x) - 1).
Tensor elu(const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
           const Scalar& input_scale = 1);
Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                const Scalar& input_scale = 1);
Tensor& elu_(Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
             const Scalar& input_scale = 1);
/// Calls elu with the constants of Klambauer et al. 2017: alpha 1.6732632423543772, scale
/// 1.0507009873554805.
Tensor selu(const Tensor& self);
Tensor& selu_(Tensor& self);
/// Returns x for x > 0, else alpha (exp(x / alpha) - 1).
/// Errors: "ZeroDivisionError: alpha cannot be 0 for CELU".
Tensor celu(const Tensor& self, const Scalar& alpha = 1.0);
Tensor& celu_(Tensor& self, const Scalar& alpha = 1.0);
/// Returns x times the cumulative normal distribution function of x. If `approximate` is "tanh",
/// returns the approximation x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
/// Errors: "approximate argument must be either none or tanh.".
Tensor gelu(const Tensor& self, std::string_view approximate = "none");
Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate = "none");
Tensor& gelu_(Tensor& self, std::string_view approximate = "none");
/// Returns x sigmoid(x).
Tensor silu(const Tensor& self);
Tensor& silu_out(Tensor& out, const Tensor& self);
Tensor& silu_(Tensor& self);
/// Returns x tanh(log(1 + exp(x))).
Tensor mish(const Tensor& self);
Tensor& mish_out(Tensor& out, const Tensor& self);
Tensor& mish_(Tensor& self);
/// Returns log(1 + exp(beta x)) / beta, or x if beta x > threshold.
Tensor softplus(const Tensor& self, const Scalar& beta = 1, const Scalar& threshold = 20);
Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta = 1,
                     const Scalar& threshold = 20);
/// Limits x to [min_val, max_val]. Takes integers too.
Tensor hardtanh(const Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val = -1,
                     const Scalar& max_val = 1);
Tensor& hardtanh_(Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
/// Limits x to [0, 6]. Takes integers too.
Tensor relu6(const Tensor& self);
Tensor& relu6_(Tensor& self);
/// Returns x / 6 + 1 / 2 limited to [0, 1].
Tensor hardsigmoid(const Tensor& self);
Tensor& hardsigmoid_out(Tensor& out, const Tensor& self);
Tensor& hardsigmoid_(Tensor& self);
/// Returns x times hardsigmoid(x).
Tensor hardswish(const Tensor& self);
Tensor& hardswish_out(Tensor& out, const Tensor& self);
Tensor& hardswish_(Tensor& self);
/// Returns x if |x| > lambd, else 0.
Tensor hardshrink(const Tensor& self, const Scalar& lambd = 0.5);
Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
/// Returns the gradient of hardshrink by self: 0 if |self| <= lambd, else grad_out. The operands
/// broadcast and promote to a floating dtype.
Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, const Scalar& lambd);
/// Returns x - lambd if x > lambd, x + lambd if x < -lambd, else 0. lambd must not be negative.
/// Errors: "lambda must be greater or equal to 0, but found to be -1.".
Tensor softshrink(const Tensor& self, const Scalar& lambd = 0.5);
Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
/// Returns x if x > threshold, else value. Takes integers too.
Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value);
Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold,
                      const Scalar& value);
Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value);
/// Returns log(sigmoid(x)), without overflow.
Tensor log_sigmoid(const Tensor& self);
Tensor& log_sigmoid_out(Tensor& out, const Tensor& self);
/// Returns log(x / (1 - x)). If eps is given, x is first limited to [eps, 1 - eps].
Tensor logit(const Tensor& self, optional<double> eps = nullopt);
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& logit_(Tensor& self, optional<double> eps = nullopt);
/// Returns x / (1 + |x|).
Tensor softsign(const Tensor& self);
/// Returns x - tanh(x).
Tensor tanhshrink(const Tensor& self);

/// Returns x for x > 0, else w x. w is the element of `weight` for x. `weight` has one element, or
/// one per channel (dimension 1).
/// Errors: "Mismatch of parameter numbers and input channel size. Found parameter numbers = 3 and
/// channel size = 4.".
Tensor prelu(const Tensor& self, const Tensor& weight);
/// Returns the gradients of prelu by self and weight. Throws like prelu.
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight);
/// Applies leaky_relu with a separate slope for each element. In training, slopes are drawn from
/// [lower, upper). Otherwise each slope is (lower + upper) / 2.
Tensor rrelu(const Tensor& self, const Scalar& lower = 0.125, const Scalar& upper = 1.0 / 3,
             bool training = false, optional<Generator> generator = nullopt);
Tensor& rrelu_(Tensor& self, const Scalar& lower = 0.125, const Scalar& upper = 1.0 / 3,
               bool training = false, optional<Generator> generator = nullopt);
/// Applies rrelu, and writes the slopes drawn for x <= 0 to `noise`. For x > 0, it writes 1.
/// `noise` must have the sizes and dtype of self. If `training` is false, `noise` does not change.
/// Errors: "rrelu_with_noise: expected noise of the sizes and dtype of self, ...".
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower = 0.125,
                        const Scalar& upper = 1.0 / 3, bool training = false,
                        optional<Generator> generator = nullopt);
Tensor& rrelu_with_noise_(Tensor& self, const Tensor& noise, const Scalar& lower = 0.125,
                          const Scalar& upper = 1.0 / 3, bool training = false,
                          optional<Generator> generator = nullopt);
/// Returns the first half of self along `dim` times the sigmoid of the second half.
/// Errors: "Halving dimension must be even, but dimension 0 is size 3".
Tensor glu(const Tensor& self, int64_t dim = -1);
Tensor& glu_out(Tensor& out, const Tensor& self, int64_t dim = -1);

}  // namespace torch::taper

#pragma GCC visibility pop
