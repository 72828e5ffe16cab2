// Options of LayerNorm, RMSNorm, GroupNorm and functional::normalize.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures LayerNorm: (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions.
struct LayerNormOptions {
  /// Sets the normalized sizes. They must equal the sizes of the last dimensions of the input, or
  /// the call throws Error.
  LayerNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< sizes of the last dimensions
  TAPER_ARG(double, eps) = 1e-5;                      ///< keeps the divisor from 0
  TAPER_ARG(bool, elementwise_affine) = true;         ///< whether to learn a weight and a bias
};
/// Configures RMSNorm: x / sqrt(mean(x^2) + eps) * weight over the last dimensions.
struct RMSNormOptions {
  /// Sets the normalized sizes. They must equal the sizes of the last dimensions of the input, or
  /// the call throws Error.
  RMSNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< sizes of the last dimensions
  /// Keeps the divisor from 0. nullopt means the machine epsilon of the dtype of the input.
  TAPER_ARG(optional<double>, eps) = nullopt;
  TAPER_ARG(bool, elementwise_affine) = true;  ///< whether to learn a weight and a bias
};
/// Configures GroupNorm: (x - mean) / sqrt(var + eps) * weight + bias over each group of channels.
struct GroupNormOptions {
  /// Sets the sizes. `num_groups` must divide `num_channels`.
  GroupNormOptions(int64_t num_groups, int64_t num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  TAPER_ARG(int64_t, num_groups);    ///< number of groups of channels
  TAPER_ARG(int64_t, num_channels);  ///< number of channels C
  TAPER_ARG(double, eps) = 1e-5;     ///< keeps the divisor from 0
  TAPER_ARG(bool, affine) = true;    ///< whether to learn a weight and a bias
};
/// Configures LocalResponseNorm: x / (k + alpha * s / size)^beta. s is the sum of the squares of
/// `size` neighbouring channels.
struct LocalResponseNormOptions {
  /// Converts from a number: LocalResponseNorm(5).
  LocalResponseNormOptions(int64_t size) : size_(size) {}
  TAPER_ARG(int64_t, size);         ///< number of neighbouring channels
  TAPER_ARG(double, alpha) = 1e-4;  ///< the factor of the mean
  TAPER_ARG(double, beta) = 0.75;   ///< the exponent
  TAPER_ARG(double, k) = 1.0;       ///< the constant summand
};
/// Configures CrossMapLRN2d, whose sum s differs, as in LibTorch. If `size` is even, the sum covers
/// one channel less. The sums of all later channels include the square of the first channel.
using CrossMapLRN2dOptions = LocalResponseNormOptions;

namespace functional {

/// The options of the function, which are equal to the options of the module.
using LocalResponseNormFuncOptions = LocalResponseNormOptions;

/// Configures functional::layer_norm. weight and bias have the sizes normalized_shape, or are
/// undefined. An undefined weight means 1, and an undefined bias means 0.
struct LayerNormFuncOptions {
  /// Sets the normalized sizes. They must equal the sizes of the last dimensions of the input, or
  /// the call throws Error.
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< sizes of the last dimensions
  TAPER_ARG(Tensor, weight) = {};                     ///< factor of the result
  TAPER_ARG(Tensor, bias) = {};                       ///< summand of the result
  TAPER_ARG(double, eps) = 1e-5;                      ///< keeps the divisor from 0
};
/// Configures functional::rms_norm. The weight has the sizes normalized_shape, or is undefined.
/// An undefined weight means 1.
struct RMSNormFuncOptions {
  /// Sets the normalized sizes. They must equal the sizes of the last dimensions of the input, or
  /// the call throws Error.
  RMSNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< sizes of the last dimensions
  TAPER_ARG(Tensor, weight) = {};                     ///< factor of the result
  TAPER_ARG(optional<double>, eps) = nullopt;         ///< nullopt means machine epsilon
};
/// Configures functional::group_norm. weight and bias are (C), or undefined. An undefined weight
/// means 1, and an undefined bias means 0.
struct GroupNormFuncOptions {
  /// Sets the number of groups. It must divide the channels of the input, or the call throws Error.
  GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}
  TAPER_ARG(int64_t, num_groups);  ///< number of groups of channels
  TAPER_ARG(Tensor, weight) = {};  ///< factor of the result
  TAPER_ARG(Tensor, bias) = {};    ///< summand of the result
  TAPER_ARG(double, eps) = 1e-5;   ///< keeps the divisor from 0
};
/// Configures functional::normalize: x / max(n, eps) for the p-norm n of x along `dim`.
struct NormalizeFuncOptions {
  TAPER_ARG(double, p) = 2.0;      ///< order of the norm
  TAPER_ARG(int64_t, dim) = 1;     ///< the dimension
  TAPER_ARG(double, eps) = 1e-12;  ///< keeps the divisor from 0
  /// If given, the tensor in which the result is stored.
  TAPER_ARG(optional<Tensor>, out) = nullopt;
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
