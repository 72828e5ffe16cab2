// Images of other sizes, as a module.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// functional::interpolate.
class UpsampleImpl : public Cloneable<UpsampleImpl> {
 public:
  /// The options are checked in forward().
  explicit UpsampleImpl(UpsampleOptions options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// (N, C, L), (N, C, H, W) or (N, C, D, H, W) to the same with the size or the scale of the
  /// options. Throws Error when both or none of the two are given, and for a mode of other
  /// dimensions.
  Tensor forward(const Tensor& input);
  UpsampleOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(Upsample);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
