// Padding modules: (N, C, spatial...) or (C, spatial...), with 1 to 3 spatial dimensions, to which
// functional::pad adds. Those with a constant take any number of dimensions.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/padding.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// A padding of the given options, which are made from `parameters`.
#define TAPER_PAD(Name, parameters, arguments)                     \
  class Name##Impl : public Cloneable<Name##Impl> {                \
   public:                                                         \
    Name##Impl parameters : Name##Impl(Name##Options arguments) {} \
    explicit Name##Impl(const Name##Options& options_);            \
    void reset() override;                                         \
    void pretty_print(std::ostream& stream) const override;        \
    Tensor forward(const Tensor& input);                           \
    Name##Options options;                                         \
  };                                                               \
  TAPER_LIBRARY_MODULE(Name)

TAPER_PAD(ReflectionPad1d, (ExpandingArray<2> padding), (padding));
TAPER_PAD(ReflectionPad2d, (ExpandingArray<4> padding), (padding));
TAPER_PAD(ReflectionPad3d, (ExpandingArray<6> padding), (padding));
TAPER_PAD(ReplicationPad1d, (ExpandingArray<2> padding), (padding));
TAPER_PAD(ReplicationPad2d, (ExpandingArray<4> padding), (padding));
TAPER_PAD(ReplicationPad3d, (ExpandingArray<6> padding), (padding));
TAPER_PAD(ZeroPad1d, (ExpandingArray<2> padding), (padding));
TAPER_PAD(ZeroPad2d, (ExpandingArray<4> padding), (padding));
TAPER_PAD(ZeroPad3d, (ExpandingArray<6> padding), (padding));
TAPER_PAD(ConstantPad1d, (ExpandingArray<2> padding, double value), (padding, value));
TAPER_PAD(ConstantPad2d, (ExpandingArray<4> padding, double value), (padding, value));
TAPER_PAD(ConstantPad3d, (ExpandingArray<6> padding, double value), (padding, value));
#undef TAPER_PAD

}  // namespace taper::nn

#pragma GCC visibility pop
