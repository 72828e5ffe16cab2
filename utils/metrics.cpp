#include <taper/utils/metrics.h>

#include <cmath>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/check.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper::utils {

namespace {

// Returns x / y, and 0 if y is 0.
Tensor fraction(const Tensor& x, const Tensor& y) {
  return where(y.eq(0), zeros_like(x), x / y.clamp_min(1));
}

Tensor diagonal_of(const Tensor& counts) { return counts.diagonal().to(kDouble); }

// Returns one number for classes with `value`. Classes that neither occur nor were predicted do not
// count.
double averaged(const Tensor& value, const Tensor& counts, Average average,
                optional<int64_t> left_out = nullopt) {
  const Tensor targets = counts.sum(1).to(kDouble), predictions = counts.sum(0).to(kDouble);
  Tensor weights =
      average == Average::kWeighted ? targets : (targets + predictions).gt(0).to(kDouble);
  if (left_out) weights[*left_out] = 0;
  return ((value * weights).sum() / weights.sum()).item<double>();
}

void check_target(const char* op, const Tensor& target) {
  TAPER_CHECK_VALUE(target.defined() && target.scalar_type() == kLong, op,
                    ": expected targets of dtype Long");
}

void check_any(const char* op, bool any) {
  TAPER_CHECK_VALUE(any, op, ": expected at least one sample, got none: call update() first");
}

}  // namespace

// ---------------------------------------------------------------------- ConfusionMatrix
ConfusionMatrix::ConfusionMatrix(int64_t num_classes, optional<int64_t> ignore_index)
    : num_classes_(num_classes), ignore_index_(ignore_index) {
  TAPER_CHECK_VALUE(num_classes > 0, "ConfusionMatrix: expected at least one class, got ",
                    num_classes);
}

void ConfusionMatrix::update(const Tensor& predictions, const Tensor& target) {
  const NoGradGuard no_grad;
  check_target("ConfusionMatrix", target);
  TAPER_CHECK_VALUE(predictions.defined() &&
                        (!predictions.is_floating_point() || predictions.dim() == target.dim() + 1),
                    "ConfusionMatrix: expected scores [N, C, ...] or integer classes");
  const bool scores = predictions.is_floating_point();
  TAPER_CHECK_VALUE(!scores || predictions.size(1) == num_classes_,
                    "ConfusionMatrix: expected scores of ", num_classes_, " classes, got ",
                    predictions.sizes());
  const Tensor classes = scores ? predictions.argmax(1) : predictions.to(kLong);
  TAPER_CHECK_VALUE(classes.sizes() == target.sizes(),
                    "ConfusionMatrix: expected as many predictions as targets, got ",
                    classes.sizes(), " and ", target.sizes());
  // An ignored target counts 0 times as class 0.
  const Tensor counted = ignore_index_ ? target.ne(*ignore_index_) : ones_like(target, kBool);
  const Tensor row = where(counted, target, zeros_like(target)).reshape({-1});
  const Tensor column = classes.reshape({-1});
  // An invalid class becomes an index that the addition rejects, so nothing is synchronized here.
  const int64_t C = num_classes_;
  const Tensor valid = row.ge(0) & row.lt(C) & column.ge(0) & column.lt(C);
  const Tensor cell = where(valid, row * C + column, full_like(row, C * C));
  if (!counts_.defined()) counts_ = zeros({C, C}, TensorOptions(kLong).device(target.device()));
  counts_.view({-1}).index_add_(0, cell, counted.reshape({-1}).to(kLong));
}

Tensor ConfusionMatrix::counts() const {
  check_any("ConfusionMatrix", counts_.defined() && counts_.sum().item<int64_t>() > 0);
  return counts_.clone();
}

double ConfusionMatrix::accuracy(Average average) const {
  const Tensor all = counts();
  if (average != Average::kMicro) return recall(average);
  return diagonal_of(all).sum().item<double>() / all.sum().item<double>();
}

double ConfusionMatrix::precision(Average average) const {
  const Tensor all = counts();
  if (average == Average::kMicro) return accuracy();  // each sample is one prediction
  return averaged(fraction(diagonal_of(all), all.sum(0).to(kDouble)), all, average);
}

double ConfusionMatrix::recall(Average average) const {
  const Tensor all = counts();
  if (average == Average::kMicro) return accuracy();
  return averaged(fraction(diagonal_of(all), all.sum(1).to(kDouble)), all, average);
}

double ConfusionMatrix::f1(Average average) const {
  const Tensor all = counts();
  if (average == Average::kMicro) return accuracy();
  const Tensor sides = (all.sum(0) + all.sum(1)).to(kDouble);
  return averaged(fraction(2 * diagonal_of(all), sides), all, average);
}

double ConfusionMatrix::mean_iou() const {
  const Tensor all = counts();
  const Tensor both = diagonal_of(all), either = (all.sum(0) + all.sum(1)).to(kDouble) - both;
  const bool is_class = ignore_index_ && *ignore_index_ >= 0 && *ignore_index_ < num_classes_;
  return averaged(fraction(both, either), all, Average::kMacro, is_class ? ignore_index_ : nullopt);
}

// ---------------------------------------------------------------------- TopKAccuracy
TopKAccuracy::TopKAccuracy(int64_t k) : k_(k) {
  TAPER_CHECK_VALUE(k > 0, "TopKAccuracy: expected k of at least 1, got ", k);
}

void TopKAccuracy::update(const Tensor& scores, const Tensor& target) {
  const NoGradGuard no_grad;
  check_target("TopKAccuracy", target);
  TAPER_CHECK_VALUE(scores.defined() && scores.dim() == 2 && scores.size(1) >= k_ &&
                        target.sizes() == scores.sizes().slice(0, 1),
                    "TopKAccuracy: expected scores [N, C] with C of at least ", k_,
                    " and targets [N]");
  const Tensor best = std::get<1>(scores.topk(k_, 1));
  const Tensor right = best.eq(target.unsqueeze(1)).sum();
  num_right_ = num_right_.defined() ? num_right_ + right : right;
  num_samples_ += target.numel();
}

double TopKAccuracy::compute() const {
  check_any("TopKAccuracy", num_samples_ > 0);
  return num_right_.item<double>() / static_cast<double>(num_samples_);
}

// ---------------------------------------------------------------------- AUROC
namespace {

// Computes the share of ordered pairs from the ranks of positive samples. Ties share their mean
// rank.
optional<double> area(const Tensor& scores, const Tensor& positive) {
  const double P = positive.sum().item<double>(), N = static_cast<double>(positive.numel()) - P;
  if (P == 0 || N == 0) return nullopt;
  const Tensor sorted = std::get<0>(scores.sort());
  const Tensor below = searchsorted(sorted, scores),
               up_to = searchsorted(sorted, scores, false, true);
  const Tensor rank = (below + up_to + 1).to(kDouble) / 2;
  const double sum = (rank * positive).sum().item<double>();
  return (sum - P * (P + 1) / 2) / (P * N);
}

}  // namespace

void AUROC::update(const Tensor& scores, const Tensor& target) {
  check_target("AUROC", target);
  TAPER_CHECK_VALUE(scores.defined() && scores.is_floating_point() &&
                        (scores.dim() == 1 || scores.dim() == 2) &&
                        target.sizes() == scores.sizes().slice(0, 1),
                    "AUROC: expected floating scores [N] or [N, C] and targets [N]");
  TAPER_CHECK_VALUE(scores_.empty() || scores_[0].sizes().slice(1) == scores.sizes().slice(1),
                    "AUROC: expected as many classes in each call");
  scores_.push_back(scores.detach().clone());
  targets_.push_back(target.clone());
}

double AUROC::compute() const {
  check_any("AUROC", !scores_.empty());
  const NoGradGuard no_grad;
  const Tensor scores = cat(scores_), target = cat(targets_);
  double sum = 0, count = 0;
  const bool binary = scores.dim() == 1;
  for (int64_t c = 0; c < (binary ? 1 : scores.size(1)); ++c) {
    const Tensor positive = target.eq(binary ? 1 : c).to(kDouble);
    if (const auto one = area(binary ? scores : scores.select(1, c).contiguous(), positive)) {
      sum += *one;
      count += 1;
    }
  }
  TAPER_CHECK_VALUE(count > 0, "AUROC: expected samples of more than one class");
  return sum / count;
}

// ---------------------------------------------------------------------- Perplexity
void Perplexity::update(const Tensor& logits, const Tensor& target) {
  const NoGradGuard no_grad;
  check_target("Perplexity", target);
  TAPER_CHECK_VALUE(logits.defined() && logits.is_floating_point() &&
                        logits.dim() == target.dim() + 1 &&
                        logits.sizes().slice(0, target.dim()) == target.sizes(),
                    "Perplexity: expected logits [N, L, C] and targets [N, L], or [N, C] and [N]");
  const Tensor labels = target.reshape({-1}),
               rows = logits.reshape({-1, logits.size(-1)}).to(kFloat);
  const Tensor counted = ignore_index_ ? labels.ne(*ignore_index_) : ones_like(labels, kBool);
  const Tensor safe = where(counted, labels, zeros_like(labels));
  const Tensor chosen = rows.log_softmax(1).gather(1, safe.unsqueeze(1)).squeeze(1).to(kDouble);
  const Tensor sum = -(chosen * counted).sum(), count = counted.sum();
  sum_ = sum_.defined() ? sum_ + sum : sum;
  count_ = count_.defined() ? count_ + count : count;
}

double Perplexity::compute() const {
  const double count = count_.defined() ? count_.item<double>() : 0;
  check_any("Perplexity", count > 0);
  return std::exp(sum_.item<double>() / count);
}

}  // namespace torch::taper::utils
