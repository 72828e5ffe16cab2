// Options of Linear, Flatten, Unflatten and Bilinear.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// y = x W^T + b: (..., in_features) to (..., out_features).
struct LinearOptions {
  /// With a bias.
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in_features);   ///< size of an input
  TAPER_ARG(int64_t, out_features);  ///< size of an output
  TAPER_ARG(bool, bias) = true;      ///< whether a bias is added
};

/// The dimensions start_dim to end_dim become one. Negative ones count from the end.
struct FlattenOptions {
  TAPER_ARG(int64_t, start_dim) = 1;  ///< the first one
  TAPER_ARG(int64_t, end_dim) = -1;   ///< the last one
};

/// `dim` is split into `sizes`.
struct UnflattenOptions {
  /// Names and sizes of dimensions, as LibTorch has them.
  using namedshape_t = std::vector<std::pair<std::string, int64_t>>;

  /// One of `sizes` may be -1: what is left. `dim` counts from the end where it is negative.
  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
  /// Dimensions have no names here: throws NotImplementedError, which says what to give instead.
  UnflattenOptions(const std::string& dimname, const namedshape_t& namedshape);
  /// Throws NotImplementedError, too.
  UnflattenOptions(const char* dimname, const namedshape_t& namedshape)
      : UnflattenOptions(std::string(dimname), namedshape) {}
  TAPER_ARG(int64_t, dim);                 ///< which is split
  TAPER_ARG(std::vector<int64_t>, sizes);  ///< in its place
};

/// y = x1 W x2 + b: (..., in1_features) and (..., in2_features) to (..., out_features).
struct BilinearOptions {
  /// With a bias.
  BilinearOptions(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in1_features);  ///< size of the first input
  TAPER_ARG(int64_t, in2_features);  ///< size of the second input
  TAPER_ARG(int64_t, out_features);  ///< size of an output
  TAPER_ARG(bool, bias) = true;      ///< whether a bias is added
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
