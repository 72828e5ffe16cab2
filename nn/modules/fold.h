// Fold and Unfold; shapes and errors are in functional/fold.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/fold.h>

#pragma GCC visibility push(default)

namespace taper::nn {

class FoldImpl : public Cloneable<FoldImpl> {
 public:
  FoldImpl(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : FoldImpl(FoldOptions(output_size, kernel_size)) {}
  explicit FoldImpl(const FoldOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  FoldOptions options;
};
TAPER_LIBRARY_MODULE(Fold);

class UnfoldImpl : public Cloneable<UnfoldImpl> {
 public:
  UnfoldImpl(ExpandingArray<2> kernel_size) : UnfoldImpl(UnfoldOptions(kernel_size)) {}
  explicit UnfoldImpl(const UnfoldOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  UnfoldOptions options;
};
TAPER_LIBRARY_MODULE(Unfold);

}  // namespace taper::nn

#pragma GCC visibility pop
