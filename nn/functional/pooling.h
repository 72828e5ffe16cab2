// Pooling functions over the last 1, 2 or 3 dimensions of (N, C, spatial...) or (C, spatial...).
//
// An output size of avg_pool, max_pool and lp_pool is (size + 2 * padding - dilation * (kernel - 1)
// - 1) / stride + 1. The division rounds down, or up with ceil_mode. With ceil_mode, a window that
// would start in the padding after the input is left out. The functions throw Error for other
// numbers of dimensions, for an output size below 1, and for a padding of more than half the
// kernel. avg_pool3d and lp_pool3d also throw Error for a kernel larger than the input without
// padding.
#pragma once

#include <tuple>

#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Returns the mean of every window. The mean includes the zeros of the padding, unless
/// count_include_pad is false. In avg_pool2d and avg_pool3d, divisor_override replaces the number
/// of elements as the divisor.
///@{
Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options);
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options);
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options);
///@}
/// Returns the largest element of every window.
///@{
Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options);
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options);
Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options);
///@}
/// Returns the largest element of every window, and its index. An index (kLong) is the position in
/// the channel of the input, in row-major order. Both results have equal sizes.
///@{
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                   const MaxPool1dFuncOptions& options);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                   const MaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                   const MaxPool3dFuncOptions& options);
///@}
/// Returns the means of windows, which are chosen so that the result is (N, C, output_size...). For
/// input size I and output size O, output i covers the input from floor(i * I / O) to ceil((i + 1)
/// * I / O). In two and three dimensions, an output size of nullopt keeps the size of the input.
///@{
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveAvgPool1dFuncOptions& options);
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options);
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveAvgPool3dFuncOptions& options);
///@}
/// Returns the largest element of each window. The windows are those of adaptive_avg_pool1d to
/// adaptive_avg_pool3d.
///@{
Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
///@}
/// Returns the results of adaptive_max_pool1d to adaptive_max_pool3d, and the indices of the
/// largest elements. An index (kLong) is the position in the channel of the input, in row-major
/// order.
///@{
std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
///@}

/// Returns a tensor with the maxima `input` at the `indices` that max_pool..._with_indices
/// returned, and zeros elsewhere. Throws Error if pooling a tensor of sizes output_size with these
/// options cannot give the sizes of `input`.
///@{
Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options);
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options);
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options);
///@}
/// Returns the maxima of windows of kernel_size at random positions (Graham, "Fractional
/// max-pooling"). The spatial sizes of the result are output_size, or output_ratio times the sizes
/// of the input, rounded down. Throws Error if neither output_size nor output_ratio is given. If
/// _random_samples is given, its values in [0, 1) determine the positions. It is (N, C, 2) for
/// fractional_max_pool2d, and (N, C, 3) for fractional_max_pool3d.
///@{
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
///@}
/// Returns the results of fractional_max_pool2d or fractional_max_pool3d, and the indices of the
/// maxima. An index (kLong) is the position in the channel of the input, in row-major order.
///@{
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
///@}
/// Returns the p-th root of the sum of the p-th powers of every window, with p = norm_type. For an
/// odd p, the sum may be negative. The result is then NaN, unless p is 1.
///@{
Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options);
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options);
Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options);
///@}

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
