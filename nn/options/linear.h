// Options of Linear, Flatten, Unflatten and Bilinear.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Linear: y = x W^T + b, from (..., in_features) to (..., out_features).
struct LinearOptions {
  /// Sets the sizes. By default, a bias is added.
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in_features);   ///< size of an input
  TAPER_ARG(int64_t, out_features);  ///< size of an output
  TAPER_ARG(bool, bias) = true;      ///< whether a bias is added
};

/// Configures Flatten, which merges the dimensions start_dim to end_dim. Negative numbers count
/// from the end.
struct FlattenOptions {
  TAPER_ARG(int64_t, start_dim) = 1;  ///< the first merged dimension
  TAPER_ARG(int64_t, end_dim) = -1;   ///< the last merged dimension
};

/// Configures Unflatten, which splits `dim` into `sizes`.
struct UnflattenOptions {
  /// Holds names and sizes of dimensions, as in LibTorch.
  using namedshape_t = std::vector<std::pair<std::string, int64_t>>;

  /// Sets the dimension and the sizes that replace it. One of `sizes` may be -1, and is then
  /// computed. A negative `dim` counts from the end.
  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
  /// Throws NotImplementedError, because dimensions have no names. The error message names an
  /// alternative.
  UnflattenOptions(const std::string& dimname, const namedshape_t& namedshape);
  /// Throws NotImplementedError, because dimensions have no names.
  UnflattenOptions(const char* dimname, const namedshape_t& namedshape)
      : UnflattenOptions(std::string(dimname), namedshape) {}
  TAPER_ARG(int64_t, dim);                 ///< the dimension that is split
  TAPER_ARG(std::vector<int64_t>, sizes);  ///< the sizes that replace `dim`
};

/// Configures Bilinear: y = x1 W x2 + b, from (..., in1_features) and (..., in2_features) to (...,
/// out_features).
struct BilinearOptions {
  /// Sets the sizes. By default, a bias is added.
  BilinearOptions(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in1_features);  ///< size of the first input
  TAPER_ARG(int64_t, in2_features);  ///< size of the second input
  TAPER_ARG(int64_t, out_features);  ///< size of an output
  TAPER_ARG(bool, bias) = true;      ///< whether a bias is added
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
