// Fold and Unfold. functional/fold.h describes shapes and errors.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/fold.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Sums windows, given as columns (N, C * K, L) or (C * K, L), into images. There are L windows
/// with K pixels.
class FoldImpl : public Cloneable<FoldImpl> {
 public:
  /// Sets {height, width} of the images (output_size) and of a window (kernel_size). Defaults:
  /// dilation 1, padding 0, stride 1.
  ///@{
  FoldImpl(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : FoldImpl(FoldOptions(output_size, kernel_size)) {}
  explicit FoldImpl(const FoldOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< returns (N, C, output_size...) or (C, output_size...)
  FoldOptions options;                  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Fold);

/// Extracts the windows of images (N, C, H, W) as columns (N, C * K, L), for L windows with K
/// pixels.
class UnfoldImpl : public Cloneable<UnfoldImpl> {
 public:
  /// Sets {height, width} of a window. Defaults: dilation 1, padding 0, stride 1.
  ///@{
  UnfoldImpl(ExpandingArray<2> kernel_size) : UnfoldImpl(UnfoldOptions(kernel_size)) {}
  explicit UnfoldImpl(const UnfoldOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);  ///< throws Error unless the input has 4 dimensions
  UnfoldOptions options;                ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(Unfold);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
