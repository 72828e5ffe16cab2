// Convolutions over one, two or three spatial dimensions, and their transposes.
//
// input is (N, C, ...) or, without a batch, (C, ...). weight is (K, C / groups, ...). bias is (K)
// or undefined. The result is (N, K, ...). `stride`, `padding` and `dilation` take one number for
// all spatial dimensions, or one for each. One output size is
//   (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1.
// The functions compute a cross-correlation: y[k] = bias[k] + sum over c and kernel elements t of
// w[k][c][t] x[c][o * stride - padding + t * dilation].
//
// The functions take floating, complex and integral dtypes. Transposed convolutions do not take
// integers. All three tensors must have one dtype. f16 and bf16 accumulate in float. Integers wrap.
// If shapes do not fit, the functions throw Error with LibTorch's messages.
#pragma once

#include <string_view>
#include <type_traits>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {
/// Computes a convolution with `padding` "valid" (no padding) or "same" (the output has the size of
/// the input). "same" needs stride 1.
Tensor conv_with_mode(int64_t spatial, const Tensor& input, const Tensor& weight,
                      const Tensor& bias, IntArrayRef stride, std::string_view padding,
                      IntArrayRef dilation, int64_t groups);
// Enables an overload for strings only, so that padding 0 does not convert to a string.
template <class S>
using IfText = std::enable_if_t<
    !std::is_integral<S>::value && std::is_convertible<const S&, std::string_view>::value, int>;
}  // namespace detail

/// Computes a convolution (conv{D}d) or its transpose (conv_transpose{D}d). conv{D}d also takes
/// `padding` "same" or "valid". For a transpose, input is (N, C, ...), weight (C, K / groups, ...),
/// and the result (N, K, ...). One output size of a transpose is
///   (size - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
template <class S, detail::IfText<S> = 0>
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return detail::conv_with_mode(1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1);
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
template <class S, detail::IfText<S> = 0>
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return detail::conv_with_mode(2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1);
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
template <class S, detail::IfText<S> = 0>
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return detail::conv_with_mode(3, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1);

/// Computes any convolution. The weight has two dimensions more than there are spatial dimensions.
Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups);

/// Returns max(y + bias, 0) (cudnn_convolution_relu) or max(y + alpha z + bias, 0)
/// (cudnn_convolution_add_relu). y is the convolution of self with weight. z must have the result's
/// sizes, dtype and device. alpha defaults to 1. Shapes, dtypes and errors are as for
/// convolution(). Autocast does not cast the operands. On a GPU, one kernel of cuDNN computes all
/// if cuDNN has such a kernel. Otherwise separate ops run. Only the result is saved for the
/// derivatives, not the convolution and the sum.
/// Errors: Error "cudnn_convolution_add_relu: expected z ..." for another z.
Tensor cudnn_convolution_relu(const Tensor& self, const Tensor& weight,
                              const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                              IntArrayRef dilation, int64_t groups);
Tensor cudnn_convolution_add_relu(const Tensor& self, const Tensor& weight, const Tensor& z,
                                  const optional<Scalar>& alpha, const optional<Tensor>& bias,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  int64_t groups);

/// Computes conv1d with time first: input (T, N, C), weight (kernel, C, K), bias (K), and result
/// (T', N, K).
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t pad = 0);
/// Calls conv2d under an older name. `kernel_size` must match the weight.
Tensor thnn_conv2d(const Tensor& input, const Tensor& weight, IntArrayRef kernel_size,
                   const Tensor& bias = {}, IntArrayRef stride = 1, IntArrayRef padding = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
