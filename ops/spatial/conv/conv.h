// Convolutions over one, two or three spatial dimensions, and their transposes.
//
// input is (N, C, ...) or, without a batch, (C, ...): N images of C channels. weight is (K, C /
// groups, ...), for K output channels. bias is (K) or undefined. The result is (N, K, ...).
// `stride`, `padding` and `dilation` take one number for all spatial dimensions, or one for each.
// One output size is
//   (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1.
// The functions compute a cross-correlation. Output channel k at position o is y[k][o] = bias[k] +
// s. s is the sum over channels c and kernel elements t of w[k][c][t] x[c][o * stride - padding + t
// * dilation].
//
// The functions take floating, complex and integral dtypes. Transposed convolutions do not take
// integers. input, weight and bias must have one dtype. Sums of f16 and bf16 accumulate in float.
// Integers wrap on overflow. If shapes do not fit, the functions throw Error with LibTorch's
// messages.
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

/// conv1d, conv2d and conv3d compute a convolution. The conv_transpose functions compute its
/// transpose. Convolutions also take `padding` "same" or "valid". For a transpose, input is (N, C,
/// ...), weight is (C, K / groups, ...), and the result is (N, K, ...). One output size of a
/// transpose is
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

/// Computes a convolution, or its transpose if `transposed` is true. The number of spatial
/// dimensions is weight.dim() - 2.
Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups);

/// Returns max(y + bias, 0) (cudnn_convolution_relu) or max(y + alpha z + bias, 0)
/// (cudnn_convolution_add_relu). y is the convolution of self with weight. z must have the result's
/// sizes, dtype and device. alpha defaults to 1. Shapes, dtypes and errors are as for
/// convolution(). Autocast does not cast the operands. On a GPU, one kernel of cuDNN computes the
/// whole formula if cuDNN has such a kernel. Otherwise separate ops run. Beside the operands, only
/// the result is saved for the derivatives.
/// Errors: Error "cudnn_convolution_add_relu: expected z ..." if z has other sizes, another dtype
/// or another device.
Tensor cudnn_convolution_relu(const Tensor& self, const Tensor& weight,
                              const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                              IntArrayRef dilation, int64_t groups);
Tensor cudnn_convolution_add_relu(const Tensor& self, const Tensor& weight, const Tensor& z,
                                  const optional<Scalar>& alpha, const optional<Tensor>& bias,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  int64_t groups);

/// Computes conv1d with stride 1 and the time as the first dimension. input is (T, N, C), weight
/// (kernel size, C, K) and bias (K). The result is (T', N, K). `pad` zeros are added at both ends
/// of the time.
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t pad = 0);
/// Calls conv2d under an older name. `kernel_size` must match the weight.
Tensor thnn_conv2d(const Tensor& input, const Tensor& weight, IntArrayRef kernel_size,
                   const Tensor& bias = {}, IntArrayRef stride = 1, IntArrayRef padding = 0);

}  // namespace torch::taper

#pragma GCC visibility pop
