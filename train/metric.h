// Metric: a number that a Trainer computes over many batches.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/reduce/reduce.h>

#pragma GCC visibility push(default)

namespace torch::taper::train {

/// A metric. `update` takes each batch's output and target. `compute` returns the number and resets
/// the metric.
struct Metric {
  std::string name;  ///< a name, which the program can print
  std::function<void(const Tensor& output, const Tensor& target)> update;  ///< after each batch
  std::function<double()> compute;  ///< called at the end of validation
};

/// Makes a Metric from a class of utils/metrics.h, or from another class with update(output,
/// target) and reset(). `compute(metric)` returns the number.
template <class M, class Compute>
Metric make_metric(std::string name, M metric, Compute compute) {
  auto state = std::make_shared<M>(std::move(metric));
  return {std::move(name), [state](const Tensor& y, const Tensor& t) { state->update(y, t); },
          [state, compute] {
            const double value = compute(*state);
            state->reset();
            return value;
          }};
}

/// Returns a metric: the fraction of samples for which the target's class has the greatest score.
/// Scores are along dimension 1 of the output [N, C, ...]. Without samples, the metric is NaN.
inline Metric accuracy() {
  struct Counts {
    void update(const Tensor& y, const Tensor& target) {
      const Tensor right = y.argmax(1).eq(target).sum();
      num_right = num_right.defined() ? num_right + right : right;
      num_samples += target.numel();
    }
    void reset() { *this = Counts(); }
    Tensor num_right;
    int64_t num_samples = 0;
  };
  return make_metric("accuracy", Counts(), [](const Counts& c) {
    const double right = c.num_right.defined() ? c.num_right.item<double>() : 0;
    return right / static_cast<double>(c.num_samples);
  });
}

}  // namespace torch::taper::train

#pragma GCC visibility pop
