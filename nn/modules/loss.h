// Losses as modules. What each computes, and of which shapes, is documented at the function in
// functional/loss.h. Class and element weights are buffers: to() converts them with the rest of the
// model.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/loss.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// A loss with options and a forward() of the given parameters; `...` are its buffers.
#define TAPER_LOSS(Name, parameters, ...)                    \
  class Name##Impl : public Cloneable<Name##Impl> {          \
   public:                                                   \
    explicit Name##Impl(const Name##Options& options_ = {}); \
    void reset() override;                                   \
    void pretty_print(std::ostream& stream) const override;  \
    Tensor forward parameters;                               \
    Name##Options options;                                   \
    __VA_ARGS__                                              \
  };                                                         \
  TAPER_LIBRARY_MODULE(Name)

#define TAPER_LOSS_OF_TWO(Name, ...) \
  TAPER_LOSS(Name, (const Tensor& input, const Tensor& target), __VA_ARGS__)

TAPER_LOSS_OF_TWO(L1Loss);
TAPER_LOSS_OF_TWO(MSELoss);
TAPER_LOSS_OF_TWO(SmoothL1Loss);
TAPER_LOSS_OF_TWO(HuberLoss);
TAPER_LOSS_OF_TWO(KLDivLoss);
TAPER_LOSS_OF_TWO(SoftMarginLoss);
TAPER_LOSS_OF_TWO(HingeEmbeddingLoss);
TAPER_LOSS_OF_TWO(PoissonNLLLoss);
TAPER_LOSS_OF_TWO(CrossEntropyLoss, Tensor weight;);
TAPER_LOSS_OF_TWO(NLLLoss, Tensor weight;);
TAPER_LOSS_OF_TWO(BCELoss, Tensor weight;);
TAPER_LOSS_OF_TWO(MultiMarginLoss, Tensor weight;);
TAPER_LOSS_OF_TWO(MultiLabelMarginLoss);
TAPER_LOSS_OF_TWO(MultiLabelSoftMarginLoss, Tensor weight;);
TAPER_LOSS_OF_TWO(BCEWithLogitsLoss, Tensor weight; Tensor pos_weight;);
TAPER_LOSS(MarginRankingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& target));
TAPER_LOSS(CosineEmbeddingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& target));
TAPER_LOSS(TripletMarginLoss,
           (const Tensor& anchor, const Tensor& positive, const Tensor& negative));
TAPER_LOSS(TripletMarginWithDistanceLoss,
           (const Tensor& anchor, const Tensor& positive, const Tensor& negative));
TAPER_LOSS(CTCLoss, (const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                     const Tensor& target_lengths));

#undef TAPER_LOSS_OF_TWO
#undef TAPER_LOSS

}  // namespace taper::nn

#pragma GCC visibility pop
