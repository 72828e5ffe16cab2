// Padding modules; functional::pad says what each mode adds.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/padding.h>

namespace taper::nn {

#define TAPER_PAD(Name, D)                                                            \
  class Name##Impl : public Cloneable<Name##Impl> {                                   \
   public:                                                                            \
    Name##Impl(ExpandingArray<D * 2> padding) : Name##Impl(Name##Options(padding)) {} \
    explicit Name##Impl(const Name##Options& options_);                               \
    void reset() override;                                                            \
    void pretty_print(std::ostream& stream) const override;                           \
    Tensor forward(const Tensor& input);                                              \
    Name##Options options;                                                            \
  };                                                                                  \
  TAPER_LIBRARY_MODULE(Name)

TAPER_PAD(ReflectionPad1d, 1);
TAPER_PAD(ReflectionPad2d, 2);
TAPER_PAD(ReplicationPad1d, 1);
TAPER_PAD(ReplicationPad2d, 2);
TAPER_PAD(ZeroPad2d, 2);
#undef TAPER_PAD

#define TAPER_CONSTANT_PAD(Name, D)                         \
  class Name##Impl : public Cloneable<Name##Impl> {         \
   public:                                                  \
    Name##Impl(ExpandingArray<D * 2> padding, double value) \
        : Name##Impl(Name##Options(padding, value)) {}      \
    explicit Name##Impl(const Name##Options& options_);     \
    void reset() override;                                  \
    void pretty_print(std::ostream& stream) const override; \
    Tensor forward(const Tensor& input);                    \
    Name##Options options;                                  \
  };                                                        \
  TAPER_LIBRARY_MODULE(Name)

TAPER_CONSTANT_PAD(ConstantPad1d, 1);
TAPER_CONSTANT_PAD(ConstantPad2d, 2);
#undef TAPER_CONSTANT_PAD

}  // namespace taper::nn
