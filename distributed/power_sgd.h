// PowerSGD: gradients are sent as products of two thin matrices.
//
//   auto state = std::make_shared<distributed::PowerSGDState>(
//       distributed::PowerSGDOptions().matrix_approximation_rank(2));
//   parallel.register_comm_hook(distributed::power_sgd_hook(state));
//
// Vogels, Karimireddy, Jaggi, "PowerSGD: Practical low-rank gradient compression for distributed
// optimization", 2019.
#pragma once

#include <map>
#include <memory>

#include <taper/distributed/reducer.h>
#include <taper/framework/core/arg.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Of a PowerSGDState; names and defaults are Python's.
struct PowerSGDOptions {
  /// Columns of the two matrices that stand for a gradient.
  TAPER_ARG(int64_t, matrix_approximation_rank) = 1;
  /// So many passes are averaged as they are first; at least 2 with error feedback or a warm start,
  /// since buckets change after the first.
  TAPER_ARG(int64_t, start_powerSGD_iter) = 1000;
  /// Gradients that would not become smaller by this factor are averaged as they are.
  TAPER_ARG(double, min_compression_rate) = 2;
  /// Whether what a pass has lost is added to the next one's gradients.
  TAPER_ARG(bool, use_error_feedback) = true;
  /// Whether a pass begins with the matrices of the one before.
  TAPER_ARG(bool, warm_start) = true;
  /// Added to norms when columns are made orthogonal.
  TAPER_ARG(double, orthogonalization_epsilon) = 0;
  /// Of the matrices to begin with; the same on all ranks.
  TAPER_ARG(uint64_t, random_seed) = 0;
};

/// What power_sgd_hook() keeps from pass to pass, by bucket.
class PowerSGDState {
 public:
  /// Throws ValueError for a rank below 1 and for a start that is too early.
  explicit PowerSGDState(PowerSGDOptions options = {});
  /// What it was made with.
  const PowerSGDOptions& options() const { return options_; }
  /// How many passes have been compressed or averaged.
  int64_t iteration() const { return iteration_; }
  /// Numbers sent so far, and numbers of the gradients that they stood for.
  double compression_rate() const;

 private:
  struct Matrix;
  struct Pass;
  friend CommHook power_sgd_hook(std::shared_ptr<PowerSGDState> state);
  intrusive_ptr<Work> reduce(ProcessGroup& group, GradBucket& bucket);
  std::shared_ptr<Pass> begin(ProcessGroup& group, GradBucket& bucket);
  void sort_gradients(GradBucket& bucket, Pass& pass);
  Tensor first_q(const Matrix& m, size_t bucket, size_t number) const;

  PowerSGDOptions options_;
  int64_t iteration_ = 0;
  double sent_ = 0, given_ = 0;
  std::map<size_t, Tensor> errors_;
  std::map<std::pair<size_t, size_t>, Tensor> q_;
};

/// The hook for DistributedDataParallel::register_comm_hook.
CommHook power_sgd_hook(std::shared_ptr<PowerSGDState> state);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
