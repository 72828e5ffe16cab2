// Similarities and distances as modules; shapes are at the functions in functional/distance.h.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/distance.h>

#pragma GCC visibility push(default)

namespace taper::nn {

#define TAPER_DISTANCE(Name)                                 \
  class Name##Impl : public Cloneable<Name##Impl> {          \
   public:                                                   \
    explicit Name##Impl(const Name##Options& options_ = {}); \
    void reset() override;                                   \
    void pretty_print(std::ostream& stream) const override;  \
    Tensor forward(const Tensor& x1, const Tensor& x2);      \
    Name##Options options;                                   \
  };                                                         \
  TAPER_LIBRARY_MODULE(Name)

TAPER_DISTANCE(CosineSimilarity);
TAPER_DISTANCE(PairwiseDistance);

#undef TAPER_DISTANCE

}  // namespace taper::nn

#pragma GCC visibility pop
