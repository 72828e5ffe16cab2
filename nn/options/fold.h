// Options of Fold and Unfold.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Columns (N, C * K, L) of L windows with K pixels, summed into images (N, C, output_size).
struct FoldOptions {
  /// Windows at steps of 1, without padding.
  FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, output_size);   ///< height and width
  TAPER_ARG(ExpandingArray<2>, kernel_size);   ///< size of a window
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(ExpandingArray<2>, padding) = 0;   ///< elements added on both sides
  TAPER_ARG(ExpandingArray<2>, stride) = 1;    ///< steps of the window
};
/// Images (N, C, H, W) as columns (N, C * K, L) of L windows with K pixels.
struct UnfoldOptions {
  /// Windows at steps of 1, without padding.
  UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, kernel_size);   ///< size of a window
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(ExpandingArray<2>, padding) = 0;   ///< elements added on both sides
  TAPER_ARG(ExpandingArray<2>, stride) = 1;    ///< steps of the window
};

namespace functional {

/// What the functions take: the options of the modules.
///@{
using FoldFuncOptions = FoldOptions;
using UnfoldFuncOptions = UnfoldOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
