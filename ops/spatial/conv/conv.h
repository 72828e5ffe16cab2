// Convolutions over one, two or three spatial dimensions, and their transposes.
//
// input is (N, C, ...) or, without a batch, (C, ...). weight is (K, C / groups, ...), bias (K) or
// undefined, and the result (N, K, ...). `stride`, `padding` and `dilation` take one number for all
// spatial dimensions, or one for each. One output size is
//   (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1.
// The functions compute a cross-correlation: y[k] = bias[k] + sum over c and kernel elements t of
// w[k][c][t] x[c][o * stride - padding + t * dilation].
//
// They take floating and complex dtypes. Transposed convolutions do not take integers. All three
// tensors have one dtype. f16 and bf16 accumulate in float, integers wrap. Throws Error with
// LibTorch's messages for shapes that do not fit.
#pragma once

#include <string_view>
#include <type_traits>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {
/// Takes `padding` as text: "valid" (none) or "same" (the output is as long as the input, stride 1
/// only).
Tensor conv_with_mode(int64_t spatial, const Tensor& input, const Tensor& weight,
                      const Tensor& bias, IntArrayRef stride, std::string_view padding,
                      IntArrayRef dilation, int64_t groups);
// Accepts only text, so that the number 0 stays a number.
template <class S>
using IfText = std::enable_if_t<
    !std::is_integral<S>::value && std::is_convertible<const S&, std::string_view>::value, int>;
}  // namespace detail

/// Computes a convolution (conv{D}d), also with padding "same" or "valid", or its transpose
/// (conv_transpose{D}d). For a transpose, input is (N, C, ...), weight (C, K / groups, ...), and
/// the result (N, K, ...). One output size is
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

/// Computes any convolution. The number of spatial dimensions is the weight's rank minus two.
Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups);

/// Returns max(y + bias, 0) of the convolution y, or max(y + alpha z + bias, 0). z has the result's
/// sizes, dtype and device. alpha defaults to 1. The convolution has convolution()'s shapes, dtypes
/// and errors. Autocast does not cast it. On a GPU one kernel of cuDNN computes all, if it has one.
/// Otherwise the ops run. The derivatives keep the result, but neither the convolution nor the sum.
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
