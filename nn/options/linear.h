// Options of Linear, Flatten, Unflatten and Bilinear.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in_features);
  TAPER_ARG(int64_t, out_features);
  TAPER_ARG(bool, bias) = true;
};

struct FlattenOptions {
  TAPER_ARG(int64_t, start_dim) = 1;
  TAPER_ARG(int64_t, end_dim) = -1;
};

/// `dim` is split into `sizes`.
struct UnflattenOptions {
  using namedshape_t = std::vector<std::pair<std::string, int64_t>>;

  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
  /// Dimensions have no names here: throws NotImplementedError, which says what to give instead.
  UnflattenOptions(const std::string& dimname, const namedshape_t& namedshape);
  UnflattenOptions(const char* dimname, const namedshape_t& namedshape)
      : UnflattenOptions(std::string(dimname), namedshape) {}
  TAPER_ARG(int64_t, dim);
  TAPER_ARG(std::vector<int64_t>, sizes);
};

struct BilinearOptions {
  BilinearOptions(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  TAPER_ARG(int64_t, in1_features);
  TAPER_ARG(int64_t, in2_features);
  TAPER_ARG(int64_t, out_features);
  TAPER_ARG(bool, bias) = true;
};

}  // namespace taper::nn

#pragma GCC visibility pop
