// Options of Linear, Flatten, Unflatten and Bilinear.
#pragma once

#include <string>
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

/// `dim` is split into `sizes`. (Dimensions have no names here.)
struct UnflattenOptions {
  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
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
