// Metrics over many batches, as torchmetrics defines them.
//
//   utils::ConfusionMatrix matrix(10);
//   for (auto& batch : *loader) matrix.update(net->forward(batch.data), batch.target);
//   std::cout << matrix.accuracy() << ' ' << matrix.f1() << '\n';
//
// update() only queues work on the device of its tensors; what gives a number waits for it. Tensors
// of later calls are on the device of the first. All of them throw ValueError for sizes and dtypes
// other than those said, and for a result of no sample.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils {

/// How scores of classes are joined to one number: over all samples, the mean of the classes that
/// occur, or that weighted by how often each is the target.
enum class Average { kMicro, kMacro, kWeighted };

/// How often class i was taken for class j.
class ConfusionMatrix {
 public:
  /// Targets of `ignore_index` do not count.
  explicit ConfusionMatrix(int64_t num_classes, optional<int64_t> ignore_index = nullopt);
  /// `predictions`: integer classes of the sizes of `target`, or scores [N, C, ...], whose greatest
  /// along dimension 1 is the class; `target`: int64 [N, ...] with values in [0, num_classes).
  void update(const Tensor& predictions, const Tensor& target);
  /// Forgets all samples.
  void reset() { counts_ = Tensor(); }

  /// Counts [C, C], int64: rows are targets, columns predictions.
  Tensor counts() const;
  /// The fraction of targets that were met (kMicro), or the mean of the classes' recalls.
  double accuracy(Average average = Average::kMicro) const;
  /// Of what was taken for a class, the fraction that is of it; a class that was never predicted
  /// has 0.
  double precision(Average average = Average::kMacro) const;
  /// Of what is of a class, the fraction that was found.
  double recall(Average average = Average::kMacro) const;
  /// 2 precision recall / (precision + recall).
  double f1(Average average = Average::kMacro) const;
  /// The mean over classes of intersection / union (Jaccard's index), without the class
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
  /// `scores` [N, C], floating; `target` [N], int64.
  void update(const Tensor& scores, const Tensor& target);
  /// Forgets all samples.
  void reset() { *this = TopKAccuracy(k_); }
  /// Of all samples since the start or reset().
  double compute() const;

 private:
  int64_t k_, num_samples_ = 0;
  Tensor num_right_;
};

/// The area under the ROC curve: how often a positive sample has a greater score than a negative
/// one, ties counting half (Hanley and McNeil, Radiology 143, 1982). Keeps all scores.
class AUROC {
 public:
  /// `scores` [N], floating, and `target` [N] of zeros and ones; or `scores` [N, C] and classes:
  /// then the mean over the classes that occur of one against the rest.
  void update(const Tensor& scores, const Tensor& target);
  /// Forgets all samples.
  void reset() { *this = AUROC(); }
  /// Of all samples since the start or reset().
  double compute() const;

 private:
  std::vector<Tensor> scores_, targets_;
};

/// exp of the mean cross entropy of tokens.
class Perplexity {
 public:
  /// Targets of `ignore_index` do not count.
  explicit Perplexity(optional<int64_t> ignore_index = nullopt) : ignore_index_(ignore_index) {}
  /// `logits` [N, L, C] or [N, C], floating, before softmax; `target` [N, L] or [N], int64.
  void update(const Tensor& logits, const Tensor& target);
  /// Forgets all samples.
  void reset() { *this = Perplexity(ignore_index_); }
  /// Of all samples since the start or reset().
  double compute() const;

 private:
  optional<int64_t> ignore_index_;
  Tensor sum_, count_;
};

}  // namespace torch::taper::utils

#pragma GCC visibility pop
