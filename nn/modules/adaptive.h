// AdaptiveLogSoftmaxWithLoss: a softmax over many classes, of which few are frequent.
#pragma once

#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/options/adaptive.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// What AdaptiveLogSoftmaxWithLoss returns: the log probability of each target, and minus their
/// mean as a number. (A loss to differentiate is `-output.mean()`.)
struct ASMoutput {
  /// Takes both as they are.
  ASMoutput(Tensor output_, double loss_) : output(std::move(output_)), loss(loss_) {}
  Tensor output;  ///< (N), or of no dimensions; with its history
  double loss;    ///< minus the mean of output
};

/// The head tells the frequent classes, below cutoffs[0], and the clusters of the others apart; the
/// tail tells the classes of each cluster apart, with fewer features the rarer they are. Classes
/// are numbered by falling frequency. Grave et al., "Efficient softmax approximation for GPUs",
/// 2017. Throws ValueError for cutoffs that are not increasing between 1 and n_classes - 1.
class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
 public:
  /// Size of an input, how many classes, and the first class of each cluster; div_value 4, no bias
  /// in the head by default.
  ///@{
  AdaptiveLogSoftmaxWithLossImpl(int64_t in_features, int64_t n_classes,
                                 std::vector<int64_t> cutoffs)
      : AdaptiveLogSoftmaxWithLossImpl(
            AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< those of all its linear maps, the head first
  void pretty_print(std::ostream& stream) const override;
  /// input (N, in_features) and target (N), int64, or (in_features) and a number. Throws Error for
  /// other shapes and for targets outside [0, n_classes).
  ASMoutput forward(const Tensor& input, const Tensor& target);
  /// The log probabilities of all classes: (N, in_features) gives (N, n_classes).
  Tensor log_prob(const Tensor& input);
  /// log_prob(input).argmax(1), with less work where the frequent classes win.
  Tensor predict(const Tensor& input);
  /// log_prob, given what the head returns.
  Tensor _get_full_log_prob(const Tensor& input, const Tensor& head_output);

  /// What the constructor and reset() make the rest from.
  AdaptiveLogSoftmaxWithLossOptions options;
  /// The options' and, behind them, n_classes.
  std::vector<int64_t> cutoffs;
  int64_t shortlist_size;  ///< cutoffs[0]: classes that the head tells apart itself
  int64_t n_clusters;      ///< clusters in the tail
  int64_t head_size;       ///< shortlist_size + n_clusters: what the head returns
  Linear head = nullptr;   ///< (in_features) to (head_size)
  /// By cluster i: two maps without bias, by in_features / div_value^(i + 1) features.
  ModuleList tail;

 private:
  Tensor cluster_log_prob(int64_t cluster, const Tensor& input);
};
TAPER_LIBRARY_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
