// Options of LayerNorm, RMSNorm, GroupNorm and functional::normalize.
#pragma once

#include <vector>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);
  TAPER_ARG(double, eps) = 1e-5;
  TAPER_ARG(bool, elementwise_affine) = true;
};
struct RMSNormOptions {
  RMSNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);
  /// The distance of 1 to the next number of the input's dtype where none is given.
  TAPER_ARG(optional<double>, eps) = nullopt;
  TAPER_ARG(bool, elementwise_affine) = true;
};
struct GroupNormOptions {
  GroupNormOptions(int64_t num_groups, int64_t num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  TAPER_ARG(int64_t, num_groups);
  TAPER_ARG(int64_t, num_channels);
  TAPER_ARG(double, eps) = 1e-5;
  TAPER_ARG(bool, affine) = true;
};
/// `size` neighbouring channels. CrossMapLRN2d is the same, but for even sizes, whose windows are
/// one channel narrower.
struct LocalResponseNormOptions {
  LocalResponseNormOptions(int64_t size) : size_(size) {}
  TAPER_ARG(int64_t, size);
  TAPER_ARG(double, alpha) = 1e-4;
  TAPER_ARG(double, beta) = 0.75;
  TAPER_ARG(double, k) = 1.0;
};
using CrossMapLRN2dOptions = LocalResponseNormOptions;

namespace functional {

using LocalResponseNormFuncOptions = LocalResponseNormOptions;

struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(double, eps) = 1e-5;
};
struct RMSNormFuncOptions {
  RMSNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  TAPER_ARG(std::vector<int64_t>, normalized_shape);
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(optional<double>, eps) = nullopt;
};
struct GroupNormFuncOptions {
  GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}
  TAPER_ARG(int64_t, num_groups);
  TAPER_ARG(Tensor, weight) = {};
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(double, eps) = 1e-5;
};
struct NormalizeFuncOptions {
  TAPER_ARG(double, p) = 2.0;
  TAPER_ARG(int64_t, dim) = 1;
  TAPER_ARG(double, eps) = 1e-12;
  /// The result is written here.
  TAPER_ARG(optional<Tensor>, out) = nullopt;
};

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
