// Options of the pooling modules and functions.
#pragma once

#include <vector>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// The stride is the kernel's size unless given.
template <size_t D>
struct AvgPoolOptions {
  AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride);
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
  /// Rounds the output's size up: windows that only begin inside count.
  TAPER_ARG(bool, ceil_mode) = false;
  /// Whether padding zeros count in the mean.
  TAPER_ARG(bool, count_include_pad) = true;
  /// Divides by this in place of the window's number of elements.
  TAPER_ARG(optional<int64_t>, divisor_override) = nullopt;
};
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

template <size_t D>
struct MaxPoolOptions {
  MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride);
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;
  TAPER_ARG(bool, ceil_mode) = false;
};
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

/// nullopt for a dimension of the output stands for the input's size.
template <class output_size_t>
struct AdaptivePoolOptions {
  AdaptivePoolOptions(output_size_t output_size) : output_size_(output_size) {}
  TAPER_ARG(output_size_t, output_size);
};
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions<ExpandingArray<1>>;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<3>>;
using AdaptiveAvgPool1dOptions = AdaptiveMaxPool1dOptions;
using AdaptiveAvgPool2dOptions = AdaptiveMaxPool2dOptions;
using AdaptiveAvgPool3dOptions = AdaptiveMaxPool3dOptions;

template <size_t D>
struct MaxUnpoolOptions {
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride);
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
};
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

/// Either output_size or output_ratio (of the input's size) is given.
template <size_t D>
struct FractionalMaxPoolOptions {
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  using ExpandingArrayDouble = ExpandingArray<D, double>;
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(optional<ExpandingArray<D>>, output_size) = nullopt;
  TAPER_ARG(optional<ExpandingArrayDouble>, output_ratio) = nullopt;
  /// (N, C, D) in [0, 1); drawn where it is undefined.
  TAPER_ARG(Tensor, _random_samples) = {};
};
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

template <size_t D>
struct LPPoolOptions {
  LPPoolOptions(double norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(norm_type), kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(double, norm_type);
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride);
  TAPER_ARG(bool, ceil_mode) = false;
};
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;

namespace functional {

template <size_t D>
struct MaxUnpoolFuncOptions {
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride);
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
  /// With or without N and C; what pooling came from where several sizes give the same.
  TAPER_ARG(optional<std::vector<int64_t>>, output_size) = nullopt;
};
using MaxUnpool1dFuncOptions = MaxUnpoolFuncOptions<1>;
using MaxUnpool2dFuncOptions = MaxUnpoolFuncOptions<2>;
using MaxUnpool3dFuncOptions = MaxUnpoolFuncOptions<3>;
using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;
using LPPool1dFuncOptions = LPPool1dOptions;
using LPPool2dFuncOptions = LPPool2dOptions;
using LPPool3dFuncOptions = LPPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AdaptiveMaxPool1dFuncOptions = AdaptiveMaxPool1dOptions;
using AdaptiveMaxPool2dFuncOptions = AdaptiveMaxPool2dOptions;
using AdaptiveMaxPool3dFuncOptions = AdaptiveMaxPool3dOptions;
using AdaptiveAvgPool1dFuncOptions = AdaptiveAvgPool1dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;
using AdaptiveAvgPool3dFuncOptions = AdaptiveAvgPool3dOptions;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
