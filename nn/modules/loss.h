// Losses as modules. What each computes is documented at the function in functional/loss.h. Class
// and element weights are buffers: to() converts them with the rest of the model.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/loss.h>

namespace taper::nn {

/// A loss of an input and a target that has options and no state.
#define TAPER_LOSS(Name)                                       \
  class Name##Impl : public Cloneable<Name##Impl> {            \
   public:                                                     \
    explicit Name##Impl(const Name##Options& options_ = {});   \
    void reset() override;                                     \
    void pretty_print(std::ostream& stream) const override;    \
    Tensor forward(const Tensor& input, const Tensor& target); \
    Name##Options options;                                     \
  };                                                           \
  TAPER_LIBRARY_MODULE(Name)

TAPER_LOSS(L1Loss);
TAPER_LOSS(MSELoss);
TAPER_LOSS(SmoothL1Loss);
TAPER_LOSS(HuberLoss);
TAPER_LOSS(KLDivLoss);
TAPER_LOSS(SoftMarginLoss);
TAPER_LOSS(HingeEmbeddingLoss);
TAPER_LOSS(PoissonNLLLoss);

#undef TAPER_LOSS

/// The same with the buffer "weight".
#define TAPER_WEIGHTED_LOSS(Name)                              \
  class Name##Impl : public Cloneable<Name##Impl> {            \
   public:                                                     \
    explicit Name##Impl(const Name##Options& options_ = {});   \
    void reset() override;                                     \
    void pretty_print(std::ostream& stream) const override;    \
    Tensor forward(const Tensor& input, const Tensor& target); \
    Name##Options options;                                     \
    Tensor weight;                                             \
  };                                                           \
  TAPER_LIBRARY_MODULE(Name)

TAPER_WEIGHTED_LOSS(CrossEntropyLoss);
TAPER_WEIGHTED_LOSS(NLLLoss);
TAPER_WEIGHTED_LOSS(BCELoss);
TAPER_WEIGHTED_LOSS(MultiLabelSoftMarginLoss);

#undef TAPER_WEIGHTED_LOSS

/// A loss of three tensors that has options and no state.
#define TAPER_LOSS_OF_THREE(Name)                                                   \
  class Name##Impl : public Cloneable<Name##Impl> {                                 \
   public:                                                                          \
    explicit Name##Impl(const Name##Options& options_ = {});                        \
    void reset() override;                                                          \
    void pretty_print(std::ostream& stream) const override;                         \
    Tensor forward(const Tensor& first, const Tensor& second, const Tensor& third); \
    Name##Options options;                                                          \
  };                                                                                \
  TAPER_LIBRARY_MODULE(Name)

/// Of input1, input2, target.
TAPER_LOSS_OF_THREE(MarginRankingLoss);
TAPER_LOSS_OF_THREE(CosineEmbeddingLoss);
/// Of anchor, positive, negative.
TAPER_LOSS_OF_THREE(TripletMarginLoss);

#undef TAPER_LOSS_OF_THREE

/// Its buffers are "weight" and "pos_weight".
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& target);

  BCEWithLogitsLossOptions options;
  Tensor weight;
  Tensor pos_weight;
};
TAPER_LIBRARY_MODULE(BCEWithLogitsLoss);

}  // namespace taper::nn
