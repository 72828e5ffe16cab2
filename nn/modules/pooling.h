// Pooling modules; shapes and errors are in functional/pooling.h.
#pragma once

#include <tuple>

#include <taper/nn/modules/common.h>
#include <taper/nn/options/pooling.h>

namespace taper::nn {

/// A pooling of the given options, which are made from one argument of type `Argument`.
#define TAPER_POOL(Name, Argument, ...)                            \
  class Name##Impl : public Cloneable<Name##Impl> {                \
   public:                                                         \
    Name##Impl(Argument size) : Name##Impl(Name##Options(size)) {} \
    explicit Name##Impl(const Name##Options& options_);            \
    void reset() override;                                         \
    void pretty_print(std::ostream& stream) const override;        \
    Tensor forward(const Tensor& input);                           \
    __VA_ARGS__                                                    \
    Name##Options options;                                         \
  };                                                               \
  TAPER_LIBRARY_MODULE(Name)
/// Also tells where the largest elements were.
#define TAPER_WITH_INDICES std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);

TAPER_POOL(AvgPool1d, ExpandingArray<1>);
TAPER_POOL(AvgPool2d, ExpandingArray<2>);
TAPER_POOL(AvgPool3d, ExpandingArray<3>);
TAPER_POOL(MaxPool1d, ExpandingArray<1>, TAPER_WITH_INDICES);
TAPER_POOL(MaxPool2d, ExpandingArray<2>, TAPER_WITH_INDICES);
TAPER_POOL(MaxPool3d, ExpandingArray<3>, TAPER_WITH_INDICES);
TAPER_POOL(AdaptiveAvgPool1d, ExpandingArray<1>);
TAPER_POOL(AdaptiveAvgPool2d, ExpandingArrayWithOptionalElem<2>);
TAPER_POOL(AdaptiveAvgPool3d, ExpandingArrayWithOptionalElem<3>);
TAPER_POOL(AdaptiveMaxPool1d, ExpandingArray<1>, TAPER_WITH_INDICES);
TAPER_POOL(AdaptiveMaxPool2d, ExpandingArrayWithOptionalElem<2>, TAPER_WITH_INDICES);
TAPER_POOL(AdaptiveMaxPool3d, ExpandingArrayWithOptionalElem<3>, TAPER_WITH_INDICES);

#undef TAPER_POOL
#undef TAPER_WITH_INDICES

}  // namespace taper::nn
