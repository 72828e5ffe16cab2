// Options of Fold and Unfold.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace taper::nn {

struct FoldOptions {
  FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, output_size);
  TAPER_ARG(ExpandingArray<2>, kernel_size);
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;
  TAPER_ARG(ExpandingArray<2>, padding) = 0;
  TAPER_ARG(ExpandingArray<2>, stride) = 1;
};
struct UnfoldOptions {
  UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, kernel_size);
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;
  TAPER_ARG(ExpandingArray<2>, padding) = 0;
  TAPER_ARG(ExpandingArray<2>, stride) = 1;
};

namespace functional {

using FoldFuncOptions = FoldOptions;
using UnfoldFuncOptions = UnfoldOptions;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
