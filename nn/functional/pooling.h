// Pooling functions over the last 1, 2 or 3 dimensions of (N, C, spatial...) or (C, spatial...).
// One output size is (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or
// up with ceil_mode. All throw Error for other numbers of dimensions, for windows larger than the
// input and for a padding of more than half the kernel.
#pragma once

#include <tuple>

#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// The mean of every window. Zeros of the padding count unless count_include_pad is false;
/// divisor_override (2d, 3d) replaces the number of elements.
///@{
Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options);
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options);
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options);
///@}
/// The largest element of every window.
///@{
Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options);
Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options);
Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options);
///@}
/// The same, and where in its channel (counted row-major) that element is: two tensors of the same
/// sizes, the second of kLong.
///@{
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                   const MaxPool1dFuncOptions& options);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                   const MaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                   const MaxPool3dFuncOptions& options);
///@}
/// The mean over windows chosen so that the result is (N, C, output_size...): output i covers the
/// input from floor(i in / out) to ceil((i + 1) in / out). nullopt (2d, 3d) keeps the input's size.
///@{
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveAvgPool1dFuncOptions& options);
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveAvgPool2dFuncOptions& options);
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveAvgPool3dFuncOptions& options);
///@}
/// The largest element of windows as those of adaptive_avg_pool1d to 3d.
///@{
Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
///@}
/// The same, and the place of each (kLong), counted as by max_pool1d_with_indices to 3d.
///@{
std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
///@}

/// Maxima put back to where `indices` of max_pool..._with_indices say, zeros elsewhere. Throws
/// Error for an output_size that no pooling of these options takes to the input's.
///@{
Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options);
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options);
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options);
///@}
/// Maxima of windows of kernel_size at random places (Graham, "Fractional max-pooling"): the result
/// is (N, C, output_size...), or of output_ratio times the input's sizes, rounded down. Throws
/// Error where neither is given. _random_samples (N, C, 2 or 3), in [0, 1), fixes the places.
///@{
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
///@}
/// The same, and the place of each (kLong), counted as by max_pool1d_with_indices to 3d.
///@{
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
///@}
/// The root of order p of the sum of the p-th powers of every window: NaN where that sum is
/// negative, as an odd p makes it.
///@{
Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options);
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options);
Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options);
///@}

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
