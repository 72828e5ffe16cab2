// Metrics over many batches, as torchmetrics defines them.
//
//   utils::ConfusionMatrix matrix(10);
//   for (auto& batch : *loader) matrix.update(net->forward(batch.data), batch.target);
//   std::cout << matrix.accuracy() << ' ' << matrix.f1() << '\n';
//
// update() only queues work on the device of its tensors. Functions that return a number wait for
// this work. All calls of update() must pass tensors on one device. update() throws ValueError for
// other sizes and dtypes than its comment describes. Functions that return a result throw
// ValueError if there are no samples.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// How scores of classes are averaged. kMicro counts over all samples. kMacro is the mean over
/// classes that occur. kWeighted is this mean, weighted by each class's number of targets.
enum class Average { kMicro, kMacro, kWeighted };

/// Counts, for all classes i and j, how often a sample of class i was predicted as class j.
class ConfusionMatrix {
 public:
  /// Targets equal to `ignore_index` are ignored.
  explicit ConfusionMatrix(int64_t num_classes, optional<int64_t> ignore_index = nullopt);
  /// Adds samples. `predictions` are integer classes with the sizes of `target`, or scores [N, C,
  /// ...] of C classes. With scores, the predicted class is the index of the greatest score along
  /// dimension 1. `target` is int64 [N, ...] with values in [0, num_classes).
  void update(const Tensor& predictions, const Tensor& target);
  /// Removes all samples.
  void reset() { counts_ = Tensor(); }

  /// Returns the counts, int64 [C, C] for C classes. Rows are targets, and columns are predictions.
  Tensor counts() const;
  /// Returns the fraction of samples whose class was predicted (kMicro), or the mean over the
  /// recalls of classes.
  double accuracy(Average average = Average::kMicro) const;
  /// Returns the fraction of a class's predictions that are right. The precision of a class that
  /// was never predicted is 0.
  double precision(Average average = Average::kMacro) const;
  /// Returns the fraction of a class's samples that were predicted as this class.
  double recall(Average average = Average::kMacro) const;
  /// Returns the F1 score, 2 * precision * recall / (precision + recall) of each class, averaged.
  double f1(Average average = Average::kMacro) const;
  /// Returns the mean over classes of intersection / union (Jaccard's index), without the class
  /// `ignore_index`.
  double mean_iou() const;

 private:
  const int64_t num_classes_;
  const optional<int64_t> ignore_index_;
  Tensor counts_;
};

/// The fraction of samples whose target is among the `k` greatest scores.
class TopKAccuracy {
 public:
  /// Throws ValueError for `k` below 1.
  explicit TopKAccuracy(int64_t k);
  /// Adds samples: `scores` [N, C], floating, and `target` [N], int64.
  void update(const Tensor& scores, const Tensor& target);
  /// Removes all samples.
  void reset() { *this = TopKAccuracy(k_); }
  /// Returns the fraction over all samples since the start or reset().
  double compute() const;

 private:
  int64_t k_, num_samples_ = 0;
  Tensor num_right_;
};

/// The area under the ROC curve. It is the probability that a positive sample has a greater score
/// than a negative sample. Ties count half (Hanley and McNeil, Radiology 143, 1982). This class
/// keeps all scores in memory.
class AUROC {
 public:
  /// Adds samples: `scores` [N], floating, and `target` [N] of zeros and ones. For C classes,
  /// `scores` are [N, C] and `target` holds classes. Each class then has an area, for which its
  /// samples are positive and all others are negative. The result is the mean of the areas of all
  /// classes that occur.
  void update(const Tensor& scores, const Tensor& target);
  /// Removes all samples.
  void reset() { *this = AUROC(); }
  /// Returns the area for all samples since the start or reset().
  double compute() const;

 private:
  std::vector<Tensor> scores_, targets_;
};

/// The perplexity of tokens: exp(mean cross entropy).
class Perplexity {
 public:
  /// Targets equal to `ignore_index` are ignored.
  explicit Perplexity(optional<int64_t> ignore_index = nullopt) : ignore_index_(ignore_index) {}
  /// Adds tokens. `logits` are floating scores before softmax, [N, L, C] or [N, C], for C classes.
  /// `target` is int64, [N, L] or [N].
  void update(const Tensor& logits, const Tensor& target);
  /// Removes all samples.
  void reset() { *this = Perplexity(ignore_index_); }
  /// Returns the perplexity of all tokens since the start or reset().
  double compute() const;

 private:
  optional<int64_t> ignore_index_;
  Tensor sum_, count_;
};

}  // namespace torch::taper::utils

#pragma GCC visibility pop
