// Options of Fold and Unfold.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures Fold, which sums columns (N, C * K, L) of L windows with K pixels into images (N, C,
/// output_size...).
struct FoldOptions {
  /// Sets the sizes. By default: stride 1, padding 0.
  FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, output_size);   ///< height and width of the images
  TAPER_ARG(ExpandingArray<2>, kernel_size);   ///< size of the window
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;  ///< spacing between elements of the window
  TAPER_ARG(ExpandingArray<2>, padding) = 0;   ///< padding on both sides
  TAPER_ARG(ExpandingArray<2>, stride) = 1;    ///< stride of the window
};
/// Configures Unfold, which turns images (N, C, H, W) into columns (N, C * K, L) of L windows with
/// K pixels.
struct UnfoldOptions {
  /// Sets the size. By default: stride 1, padding 0.
  UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  TAPER_ARG(ExpandingArray<2>, kernel_size);   ///< size of the window
  TAPER_ARG(ExpandingArray<2>, dilation) = 1;  ///< spacing between elements of the window
  TAPER_ARG(ExpandingArray<2>, padding) = 0;   ///< padding on both sides
  TAPER_ARG(ExpandingArray<2>, stride) = 1;    ///< stride of the window
};

namespace functional {

/// The options of the functions, which are equal to the options of the modules.
///@{
using FoldFuncOptions = FoldOptions;
using UnfoldFuncOptions = UnfoldOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
