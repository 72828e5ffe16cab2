// PowerSGD: sends gradients as products of two thin matrices.
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

/// Options of a PowerSGDState. Names and defaults are Python's.
struct PowerSGDOptions {
  /// Number of columns of the two matrices that approximate a gradient.
  TAPER_ARG(int64_t, matrix_approximation_rank) = 1;
  /// Number of passes at the start that do not compress gradients. With error feedback or a warm
  /// start, it must be at least 2, because buckets change after the first pass.
  TAPER_ARG(int64_t, start_powerSGD_iter) = 1000;
  /// The least factor by which compression must shrink a gradient. If it would shrink the gradient
  /// less, the gradient is averaged without compression.
  TAPER_ARG(double, min_compression_rate) = 2;
  /// Whether the error of compression in one pass is added to the gradients of the next pass.
  TAPER_ARG(bool, use_error_feedback) = true;
  /// Whether a pass starts from the matrices of the previous pass.
  TAPER_ARG(bool, warm_start) = true;
  /// A number that is added to norms when columns are orthogonalized.
  TAPER_ARG(double, orthogonalization_epsilon) = 0;
  /// Seed of the initial matrices, equal on all ranks.
  TAPER_ARG(uint64_t, random_seed) = 0;
};

/// The state of power_sgd_hook() between passes, by bucket.
class PowerSGDState {
 public:
  /// Throws ValueError for a rank below 1, and for a start_powerSGD_iter that is too small.
  explicit PowerSGDState(PowerSGDOptions options = {});
  /// Returns the options.
  const PowerSGDOptions& options() const { return options_; }
  /// Returns the number of all passes, with and without compression.
  int64_t iteration() const { return iteration_; }
  /// Returns the number of gradient elements divided by the number of elements sent so far.
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

/// Returns the hook for DistributedDataParallel::register_comm_hook.
CommHook power_sgd_hook(std::shared_ptr<PowerSGDState> state);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
