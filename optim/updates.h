// Launches the kernels of optimizers' steps. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>
#include <taper/framework/capture/step_state.h>
#include <taper/optim/tensor_update.h>
#include <taper/optim/update_kernels.h>

namespace torch::taper::optim {

namespace detail {
/// Throws Error during a capture of `device`, because each replay would reset the state of a
/// parameter.
void check_may_make_state(const char* name, Device device);
/// Throws Error during a capture of `device`, because the coefficients of an update change from
/// step to step.
void check_steps_alike(const char* name, Device device);
/// Increments the number of steps of a parameter's state.
template <class State>
void count_step(State& state) {
  if (auto* const captured = taper::detail::StepState::noting())
    captured->note(&state, [&state, n = state.step()] { state.step(n); });
  state.step(state.step() + 1);
}
}  // namespace detail

/// Gathers the updates of one step. On the CPU, each update runs immediately. On a device, and
/// during a capture of the CPU, one launch handles all parameters with equal coefficients. Complex
/// parameters are updated as real numbers, as in PyTorch. Kernels has the functions
///
///     one(p, operands..., numbers)      changes one parameter, by its kernel
///     many(where, lists, numbers)       changes the parameters of lists on the device of `where`
template <class Numbers, class Kernels>
class Updates {
 public:
  Updates() : gathered_(kGradient, &Kernels::many) {}

  /// Queues the update of p by its gradient g. A state may be undefined, and is not used then.
  template <class... States>
  void add(const Numbers& n, const Tensor& p, const Tensor& g, const States&... states) {
    if (__builtin_expect(p.is_complex(), 0))
      queue(n, numbers_of(p), numbers_of(g), numbers_of(states)...);
    else
      queue(n, p, g, states...);
    autograd::mark_changed(p);
  }
  /// Calls update(*this) and launches the gathered updates. It launches them even if update throws,
  /// because the numbers of steps have already changed.
  template <class Update>
  void run(const Update& update) {
    try {
      update(*this);
    } catch (...) {
      gathered_.launch();
      throw;
    }
    gathered_.launch();
  }

 private:
  template <class... States>
  [[gnu::always_inline]] void queue(const Numbers& n, const Tensor& p, const Tensor& g,
                                    const States&... states) {
    if (__builtin_expect(p.device().is_cpu() && !taper::detail::observes_launches(), 1))
      Kernels::one(p, g, states..., n);
    else
      gather(n, p, g, states...);
  }
  template <class... States>
  [[gnu::noinline]] void gather(const Numbers& n, const Tensor& p, const Tensor& g,
                                const States&... states) {
    const bool at_once = p.device().is_cpu() && !taper::detail::captures_host();
    if (!at_once && Gathered::takes(p) && Gathered::takes(g) && (Gathered::takes(states) && ...))
      gathered_.add(n, {&p, &g, &states...});
    else
      Kernels::one(p, g, states..., n);
  }

  using Gathered =
      GatheredLaunches<Numbers, void (*)(const Tensor&, const TensorLists&, const Numbers&)>;
  static constexpr unsigned kGradient = 1 << 1;
  Gathered gathered_;
};

/// Declares the class RuleUpdates, which runs updates with the kernels rule_update and
/// rule_update_all.
#define TAPER_UPDATES(Rule, rule)                                                             \
  struct Rule##Kernels {                                                                      \
    template <class... Operands>                                                              \
    static void one(const Tensor& p, const Operands&... operands) {                           \
      TAPER_ON_DEVICE(p, rule##_update, p, operands...);                                      \
    }                                                                                         \
    static void many(const Tensor& where, const TensorLists& lists, const Rule##Numbers& n) { \
      TAPER_ON_DEVICE(where, rule##_update_all, lists, n);                                    \
    }                                                                                         \
  };                                                                                          \
  using Rule##Updates = Updates<Rule##Numbers, Rule##Kernels>;

}  // namespace torch::taper::optim
