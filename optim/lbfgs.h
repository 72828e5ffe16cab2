// L-BFGS: quasi-Newton steps from the last changes of parameters and gradients.
#pragma once

#include <deque>

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

struct LinePoint;

/// Configures LBFGS. A number converts to options with that learning rate.
struct LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
  LBFGSOptions(double lr = 1) : lr_(lr) {}  ///< sets the learning rate
  TAPER_ARG(double, lr) = 1;                ///< the learning rate
  /// The maximum number of iterations in one step().
  TAPER_ARG(int64_t, max_iter) = 20;
  /// The maximum number of calls of the closure in one step(), by default 5/4 of max_iter.
  TAPER_ARG(optional<int64_t>, max_eval) = nullopt;
  /// A step() ends when no element of the gradient has a magnitude above this number.
  TAPER_ARG(double, tolerance_grad) = 1e-7;
  /// A step() ends when the loss or the parameters change by less than this number.
  TAPER_ARG(double, tolerance_change) = 1e-9;
  TAPER_ARG(int64_t, history_size) = 100;  ///< number of steps in the history
  /// How the length of a step is found. nullopt means the length lr. "strong_wolfe" means a line
  /// search.
  TAPER_ARG(optional<std::string>, line_search_fn) = nullopt;
  TAPER_OPTIM_OPTIONS(LBFGSOptions)
};

/// Holds one state for all parameters together. Its key in state() is the key of the first
/// parameter. Vectors concatenate the elements of all parameters. `ro`, `al` and `H_diag` are
/// numbers.
struct LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
  TAPER_ARG(int64_t, func_evals) = 0;  ///< number of calls of the closure
  TAPER_ARG(int64_t, n_iter) = 0;      ///< number of iterations
  TAPER_ARG(double, t) = 0;            ///< the length of the step
  TAPER_ARG(double, prev_loss) = 0;    ///< the last loss
  TAPER_ARG(Tensor, d);                ///< the direction of the step
  TAPER_ARG(Tensor, H_diag);           ///< scale of the initial Hessian
  TAPER_ARG(Tensor, prev_flat_grad);   ///< the last gradient
  // Declares a field like TAPER_ARG. The functions that assign a deque are defined in the .cpp,
  // because they would slow down the compilation of each including file.
#define TAPER_LBFGS_HISTORY(name)                                     \
 public:                                                              \
  LBFGSParamState& name(const std::deque<Tensor>& new_##name);        \
  LBFGSParamState& name(std::deque<Tensor>&& new_##name);             \
  const std::deque<Tensor>& name() const noexcept { return name##_; } \
  std::deque<Tensor>& name() noexcept { return name##_; }             \
                                                                      \
 private:                                                             \
  std::deque<Tensor> name##_
  TAPER_LBFGS_HISTORY(old_dirs);
  TAPER_LBFGS_HISTORY(old_stps);
  TAPER_LBFGS_HISTORY(ro);
#undef TAPER_LBFGS_HISTORY
  /// Coefficients of the two-loop recursion.
  TAPER_ARG(optional<std::vector<Tensor>>, al) = nullopt;
  TAPER_OPTIM_STATE(LBFGSParamState)
};
TAPER_OPTIM_CLONED(LBFGS);

/// Minimizes a function by the two-loop recursion over the last `history_size` changes of
/// parameters and gradients (Nocedal and Wright, "Numerical optimization", chapters 3.5 and 7.2).
/// One step() makes up to `max_iter` iterations.
///
/// The closure must clear the gradients, compute the loss, call backward and return the loss. It is
/// called several times in a step. All parameters are in one group and have one dtype. The history
/// takes history_size * 2 times the memory of the parameters. step() throws Error if there is no
/// closure. Throws Error for several groups and for an unknown line search.
class LBFGS : public Optimizer {
 public:
  /// Takes one parameter group, or parameters that form one group. A group without options gets
  /// `defaults`. Throws Error unless there is exactly one group, and for parameters that the
  /// constructor of Optimizer refuses.
  ///@{
  explicit LBFGS(std::vector<OptimizerParamGroup> param_groups, LBFGSOptions defaults = {});
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  /// Returns the parameters of the only group.
  const std::vector<Tensor>& params() const;
  LBFGSOptions checked_options() const;
  int64_t numel() const;
  Tensor flat_gradient() const;
  void move(double length, const Tensor& direction);
  /// Returns the loss and the gradient at distance `t` along `direction`. Restores the parameters.
  LinePoint look(const LossClosure& closure, const Tensor& direction, double t);
  /// Moves the parameters by one step, sets `now` to the new point, and returns the number of calls
  /// of the closure.
  int64_t advance(const LossClosure& closure, LBFGSParamState& state, const LBFGSOptions& options,
                  bool is_last, LinePoint& now);
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
