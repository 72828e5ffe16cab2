// Images of other sizes, as a module.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/upsampling.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// functional::interpolate.
class UpsampleImpl : public Cloneable<UpsampleImpl> {
 public:
  explicit UpsampleImpl(UpsampleOptions options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  UpsampleOptions options;
};
TAPER_LIBRARY_MODULE(Upsample);

}  // namespace taper::nn

#pragma GCC visibility pop
