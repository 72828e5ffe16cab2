// L-BFGS: quasi-Newton steps from the last changes of parameters and gradients.
#pragma once

#include <deque>

#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

struct LinePoint;

/// The settings of LBFGS. A number converts to them: the length of a step, all else by default.
struct LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
  LBFGSOptions(double lr = 1) : lr_(lr) {}  ///< all else by default
  TAPER_ARG(double, lr) = 1;                ///< the learning rate
  /// The most iterations of one step(), and the most calls of its closure (default: 5/4 of them).
  TAPER_ARG(int64_t, max_iter) = 20;
  TAPER_ARG(optional<int64_t>, max_eval) = nullopt;  ///< calls of the closure in a step
  /// A step() ends when no gradient is larger, or when loss or parameters change less.
  TAPER_ARG(double, tolerance_grad) = 1e-7;
  TAPER_ARG(double, tolerance_change) = 1e-9;  ///< a smaller change ends it
  TAPER_ARG(int64_t, history_size) = 100;      ///< steps that are remembered
  /// None: steps of length lr. "strong_wolfe": a line search.
  TAPER_ARG(optional<std::string>, line_search_fn) = nullopt;
  TAPER_OPTIM_OPTIONS(LBFGSOptions)
};

/// Kept for all parameters together, under the first one. Vectors have the elements of all
/// parameters, one behind the other; `ro`, `al` and `H_diag` are numbers.
struct LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
  TAPER_ARG(int64_t, func_evals) = 0;  ///< calls of the closure
  TAPER_ARG(int64_t, n_iter) = 0;      ///< iterations
  TAPER_ARG(double, t) = 0;            ///< the length of the step
  TAPER_ARG(double, prev_loss) = 0;    ///< the loss before
  TAPER_ARG(Tensor, d);                ///< the direction
  TAPER_ARG(Tensor, H_diag);           ///< scale of the first Hessian
  TAPER_ARG(Tensor, prev_flat_grad);   ///< the gradient before
  // As TAPER_ARG, but for what a deque's assignment costs each file that includes this.
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
  TAPER_ARG(optional<std::vector<Tensor>>, al) = nullopt;  ///< coefficients
  TAPER_OPTIM_STATE(LBFGSParamState)
};
TAPER_OPTIM_CLONED(LBFGS);

/// Minimises a function by the two-loop recursion over the last `history_size` changes; one step()
/// makes up to `max_iter` iterations and calls the closure, which must clear the gradients, compute
/// the loss, call backward and return the loss, each time anew. All parameters are in one group and
/// of one dtype. Memory: that of the parameters times history_size * 2.
/// Throws Error for several groups, without a closure, and for another line search.
/// Nocedal and Wright, "Numerical optimization", chapters 3.5 and 7.2.
class LBFGS : public Optimizer {
 public:
  /// Of one parameter group, which takes `defaults` unless it has options of its own, or of its
  /// parameters. Throws Error for another number of groups and for parameters that Optimizer's
  /// constructor refuses.
  ///@{
  explicit LBFGS(std::vector<OptimizerParamGroup> param_groups, LBFGSOptions defaults = {});
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
  ///@}
  Tensor step(LossClosure closure) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  /// Of its one group.
  const std::vector<Tensor>& params() const;
  LBFGSOptions checked_options() const;
  int64_t numel() const;
  Tensor flat_gradient() const;
  void move(double length, const Tensor& direction);
  /// The loss and gradient at `t` along the direction; the parameters stay where they are.
  LinePoint look(const LossClosure& closure, const Tensor& direction, double t);
  /// Moves the parameters and updates `now`; returns how often the closure was called.
  int64_t advance(const LossClosure& closure, LBFGSParamState& state, const LBFGSOptions& options,
                  bool is_last, LinePoint& now);
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
