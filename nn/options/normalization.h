// Options of LayerNorm, RMSNorm, GroupNorm and functional::normalize.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions.
struct LayerNormOptions {
  /// `normalized_shape` must be the sizes of the input's last dimensions: the call throws Error
  /// otherwise.
  LayerNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< the last dimensions
  TAPER_ARG(double, eps) = 1e-5;                      ///< keeps divisors from 0
  TAPER_ARG(bool, elementwise_affine) = true;         ///< whether there are a weight and a bias
};
/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions.
struct RMSNormOptions {
  /// `normalized_shape` must be the sizes of the input's last dimensions: the call throws Error
  /// otherwise.
  RMSNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< the last dimensions
  /// The distance of 1 to the next number of the input's dtype where none is given.
  TAPER_ARG(optional<double>, eps) = nullopt;
  TAPER_ARG(bool, elementwise_affine) = true;  ///< whether there are a weight and a bias
};
/// (x - mean) / sqrt(var + eps) * weight + bias over each group of channels.
struct GroupNormOptions {
  /// `num_groups` must divide `num_channels`.
  GroupNormOptions(int64_t num_groups, int64_t num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  TAPER_ARG(int64_t, num_groups);    ///< groups of channels
  TAPER_ARG(int64_t, num_channels);  ///< channels C
  TAPER_ARG(double, eps) = 1e-5;     ///< keeps divisors from 0
  TAPER_ARG(bool, affine) = true;    ///< whether there are a weight and a bias
};
/// x / (k + alpha s / size)^beta, with s the sum of the squares of `size` neighbouring channels.
/// CrossMapLRN2d sums others.
struct LocalResponseNormOptions {
  /// A number converts to these options: LocalResponseNorm(5).
  LocalResponseNormOptions(int64_t size) : size_(size) {}
  TAPER_ARG(int64_t, size);         ///< how many neighbours
  TAPER_ARG(double, alpha) = 1e-4;  ///< the factor
  TAPER_ARG(double, beta) = 0.75;   ///< the power
  TAPER_ARG(double, k) = 1.0;       ///< the summand
};
/// The same where s is LibTorch's sum: for an even size over one channel less, and with the first
/// channel's square in it for all channels behind.
using CrossMapLRN2dOptions = LocalResponseNormOptions;

namespace functional {

/// What the functions take: the options of the modules.
using LocalResponseNormFuncOptions = LocalResponseNormOptions;

/// weight and bias have the sizes normalized_shape, or are undefined for 1 and 0.
struct LayerNormFuncOptions {
  /// `normalized_shape` must be the sizes of the input's last dimensions: the call throws Error
  /// otherwise.
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< the last dimensions
  TAPER_ARG(Tensor, weight) = {};                     ///< times the result
  TAPER_ARG(Tensor, bias) = {};                       ///< added
  TAPER_ARG(double, eps) = 1e-5;                      ///< keeps divisors from 0
};
/// The weight has the sizes normalized_shape, or is undefined for 1.
struct RMSNormFuncOptions {
  /// `normalized_shape` must be the sizes of the input's last dimensions: the call throws Error
  /// otherwise.
  RMSNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);  ///< the last dimensions
  TAPER_ARG(Tensor, weight) = {};                     ///< times the result
  TAPER_ARG(optional<double>, eps) = nullopt;         ///< keeps divisors from 0
};
/// weight and bias are (C), or undefined for 1 and 0.
struct GroupNormFuncOptions {
  /// `num_groups` must divide the input's channels: the call throws Error otherwise.
  GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}
  TAPER_ARG(int64_t, num_groups);  ///< groups of channels
  TAPER_ARG(Tensor, weight) = {};  ///< times the result
  TAPER_ARG(Tensor, bias) = {};    ///< added
  TAPER_ARG(double, eps) = 1e-5;   ///< keeps divisors from 0
};
/// x / max(|x|_p, eps), with the norm along `dim`.
struct NormalizeFuncOptions {
  TAPER_ARG(double, p) = 2.0;      ///< of the norm
  TAPER_ARG(int64_t, dim) = 1;     ///< along which
  TAPER_ARG(double, eps) = 1e-12;  ///< keeps divisors from 0
  /// The result is written here.
  TAPER_ARG(optional<Tensor>, out) = nullopt;
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
