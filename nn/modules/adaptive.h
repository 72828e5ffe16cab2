// AdaptiveLogSoftmaxWithLoss: a softmax over many classes, which is fast if only a few classes are
// frequent.
#pragma once

#include <taper/nn/modules/container/modulelist.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/options/adaptive.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Holds the results of AdaptiveLogSoftmaxWithLoss: the log-probability of each target, and the
/// loss as a number. To differentiate the loss, use `-output.mean()`.
struct ASMoutput {
  /// Stores both results.
  ASMoutput(Tensor output_, double loss_) : output(std::move(output_)), loss(loss_) {}
  Tensor output;  ///< (N), or without dimensions, differentiable
  double loss;    ///< minus the mean of output
};

/// Applies an adaptive softmax, which is efficient for many classes (Grave et al., "Efficient
/// softmax approximation for GPUs", 2017). Classes must be sorted by frequency: class 0 is the most
/// frequent. The head scores the frequent classes (below cutoffs[0]), and one entry for each
/// cluster of the other classes. The tail scores the classes within a cluster. Clusters of rarer
/// classes use fewer features. Throws ValueError unless the cutoffs increase between 1 and
/// n_classes - 1.
class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
 public:
  /// Sets the size of an input, the number of classes, and the first class of each cluster.
  /// Defaults: div_value 4, no bias in the head.
  ///@{
  AdaptiveLogSoftmaxWithLossImpl(int64_t in_features, int64_t n_classes,
                                 std::vector<int64_t> cutoffs)
      : AdaptiveLogSoftmaxWithLossImpl(
            AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_);
  ///@}

  void reset() override;
  void reset_parameters();  ///< resets all linear layers, the head first
  void pretty_print(std::ostream& stream) const override;
  /// Computes the log-probabilities of the targets and the loss. The input is (N, in_features), and
  /// the int64 target is (N). For one sample, the input is (in_features), and the target has no
  /// dimensions. Throws Error for other shapes and for targets outside [0, n_classes).
  ASMoutput forward(const Tensor& input, const Tensor& target);
  /// Returns the log-probabilities of all classes: (N, in_features) gives (N, n_classes).
  Tensor log_prob(const Tensor& input);
  /// Returns log_prob(input).argmax(1). It is faster than log_prob(), because rows whose best class
  /// is in the head do not need the tail.
  Tensor predict(const Tensor& input);
  /// Computes log_prob(input) from `head_output`, the output of the head for `input`.
  Tensor _get_full_log_prob(const Tensor& input, const Tensor& head_output);

  /// The options, read by the constructor and reset().
  AdaptiveLogSoftmaxWithLossOptions options;
  /// The cutoffs of the options, followed by n_classes.
  std::vector<int64_t> cutoffs;
  int64_t shortlist_size;  ///< cutoffs[0], the number of classes in the head
  int64_t n_clusters;      ///< number of clusters in the tail
  int64_t head_size;       ///< shortlist_size + n_clusters, the size of the output of the head
  Linear head = nullptr;   ///< maps in_features to head_size features
  /// For each cluster, two linear layers without bias. Between the two layers of cluster i, there
  /// are in_features / div_value^(i + 1) features.
  ModuleList tail;

 private:
  Tensor cluster_log_prob(int64_t cluster, const Tensor& input);
};
TAPER_LIBRARY_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
