// Options of the distance modules and functions.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct CosineSimilarityOptions {
  TAPER_ARG(int64_t, dim) = 1;
  TAPER_ARG(double, eps) = 1e-8;
};
struct PairwiseDistanceOptions {
  TAPER_ARG(double, p) = 2.0;
  TAPER_ARG(double, eps) = 1e-6;
  TAPER_ARG(bool, keepdim) = false;
};

namespace functional {

using CosineSimilarityFuncOptions = CosineSimilarityOptions;
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
