// Pooling modules; shapes and errors are in functional/pooling.h.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

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

/// Maxima of windows at places that `_random_samples` (a buffer where the options give it, else
/// drawn in every call) choose. Throws Error unless one of output_size and output_ratio is given,
/// and where a ratio is not between 0 and 1.
#define TAPER_FRACTIONAL_POOL(Name, D)                                      \
  class Name##Impl : public Cloneable<Name##Impl> {                         \
   public:                                                                  \
    Name##Impl(ExpandingArray<D> size) : Name##Impl(Name##Options(size)) {} \
    explicit Name##Impl(const Name##Options& options_);                     \
    void reset() override;                                                  \
    void pretty_print(std::ostream& stream) const override;                 \
    Tensor forward(const Tensor& input);                                    \
    TAPER_WITH_INDICES                                                      \
    Name##Options options;                                                  \
    Tensor _random_samples;                                                 \
  };                                                                        \
  TAPER_LIBRARY_MODULE(Name)
TAPER_FRACTIONAL_POOL(FractionalMaxPool2d, 2);
TAPER_FRACTIONAL_POOL(FractionalMaxPool3d, 3);
#undef TAPER_FRACTIONAL_POOL

#define TAPER_LP_POOL(Name, D)                              \
  class Name##Impl : public Cloneable<Name##Impl> {         \
   public:                                                  \
    Name##Impl(double norm_type, ExpandingArray<D> size)    \
        : Name##Impl(Name##Options(norm_type, size)) {}     \
    explicit Name##Impl(const Name##Options& options_);     \
    void reset() override;                                  \
    void pretty_print(std::ostream& stream) const override; \
    Tensor forward(const Tensor& input);                    \
    Name##Options options;                                  \
  };                                                        \
  TAPER_LIBRARY_MODULE(Name)
TAPER_LP_POOL(LPPool1d, 1);
TAPER_LP_POOL(LPPool2d, 2);
TAPER_LP_POOL(LPPool3d, 3);
#undef TAPER_LP_POOL

/// Takes the maxima and their places, and the size to unpool to where several give the same.
#define TAPER_UNPOOL(Name, D)                                                             \
  class Name##Impl : public Cloneable<Name##Impl> {                                       \
   public:                                                                                \
    Name##Impl(ExpandingArray<D> kernel_size) : Name##Impl(Name##Options(kernel_size)) {} \
    explicit Name##Impl(const Name##Options& options_);                                   \
    void reset() override;                                                                \
    void pretty_print(std::ostream& stream) const override;                               \
    Tensor forward(const Tensor& input, const Tensor& indices,                            \
                   const optional<std::vector<int64_t>>& output_size = nullopt);          \
    Name##Options options;                                                                \
                                                                                          \
   protected:                                                                             \
    TAPER_LIBRARY_DEFAULT_ARGS();                                                         \
  };                                                                                      \
  TAPER_LIBRARY_MODULE(Name)
TAPER_UNPOOL(MaxUnpool1d, 1);
TAPER_UNPOOL(MaxUnpool2d, 2);
TAPER_UNPOOL(MaxUnpool3d, 3);
#undef TAPER_UNPOOL

#undef TAPER_POOL
#undef TAPER_WITH_INDICES

}  // namespace taper::nn

#pragma GCC visibility pop
