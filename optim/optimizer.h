// Optimizer: the base of all optimizers, parameter groups, and what is kept per parameter.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace amp {
class GradScaler;
}
namespace serialize {
class OutputArchive;
class InputArchive;
}  // namespace serialize

namespace optim {

/// Inside a struct of fields: declares what TAPER_OPTIM_FIELDS (optim/serialize.h) defines.
#define TAPER_OPTIM_STATE(Type)                                     \
 public:                                                            \
  void serialize(serialize::InputArchive& archive) override;        \
  void serialize(serialize::OutputArchive& archive) const override; \
  friend TAPER_EXPORTED bool operator==(const Type& a, const Type& b);
/// The same for options, which have a field `lr`.
#define TAPER_OPTIM_OPTIONS(Type)                 \
  TAPER_OPTIM_STATE(Type)                         \
  double get_lr() const override { return lr(); } \
  void set_lr(double lr) override { lr_ = lr; }

/// What an optimizer remembers about one parameter.
class OptimizerParamState {
 public:
  virtual ~OptimizerParamState() = default;
  /// A copy, whose tensors share their memory with this one's. Throws NotImplementedError: derive
  /// from OptimizerCloneableParamState.
  virtual std::unique_ptr<OptimizerParamState> clone() const;
  /// Reads or writes the fields. Throws NotImplementedError where a subclass has none.
  ///@{
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
  ///@}
};

/// Gives a state class its clone().
template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
 public:
  std::unique_ptr<OptimizerParamState> clone() const override;  ///< by Derived's copy constructor
};
template <class Derived>
std::unique_ptr<OptimizerParamState> OptimizerCloneableParamState<Derived>::clone() const {
  return std::unique_ptr<OptimizerParamState>(new Derived(static_cast<const Derived&>(*this)));
}

/// The settings of a parameter group.
class OptimizerOptions {
 public:
  virtual ~OptimizerOptions() = default;
  /// A copy. Throws NotImplementedError: derive from OptimizerCloneableOptions.
  virtual std::unique_ptr<OptimizerOptions> clone() const;
  /// Reads or writes the fields. Throws NotImplementedError where a subclass has none.
  ///@{
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
  ///@}
  /// The learning rate, for schedulers.
  virtual double get_lr() const;
  /// Throws NotImplementedError, as get_lr() does, where a subclass has none.
  virtual void set_lr(double lr);
};

/// Gives an options class its clone().
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 public:
  std::unique_ptr<OptimizerOptions> clone() const override;  ///< by Derived's copy constructor
};
template <class Derived>
std::unique_ptr<OptimizerOptions> OptimizerCloneableOptions<Derived>::clone() const {
  return std::unique_ptr<OptimizerOptions>(new Derived(static_cast<const Derived&>(*this)));
}

/// Behind the library's own options and states: their clone() is compiled once, where
/// TAPER_OPTIM_CLONES(Name) is.
#define TAPER_OPTIM_CLONED(Name)                                  \
  extern template class OptimizerCloneableOptions<Name##Options>; \
  extern template class OptimizerCloneableParamState<Name##ParamState>
#define TAPER_OPTIM_CLONES(Name)                           \
  template class OptimizerCloneableOptions<Name##Options>; \
  template class OptimizerCloneableParamState<Name##ParamState>

/// Parameters that share settings. Without options of its own a group takes the optimizer's
/// defaults when it is added.
class OptimizerParamGroup {
 public:
  /// The same parameters, and a copy of the options.
  OptimizerParamGroup(const OptimizerParamGroup& o)
      : params_(o.params_), options_(o.options_ ? o.options_->clone() : nullptr) {}
  /// Takes parameters and options over.
  ///@{
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;
  ///@}
  /// Without options of its own.
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  /// With options of its own, of the class that belongs to the optimizer: AdamOptions for Adam.
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}

  bool has_options() const { return options_ != nullptr; }  ///< of its own
  /// Throws when the group has none yet.
  OptimizerOptions& options();
  /// The same, to read.
  const OptimizerOptions& options() const;
  /// Gives it other options; null takes them away.
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() { return params_; }              ///< what it trains
  const std::vector<Tensor>& params() const { return params_; }  ///< what it trains

 protected:
  std::vector<Tensor> params_;                 ///< what it trains
  std::unique_ptr<OptimizerOptions> options_;  ///< null: none of its own
};

/// The key of a parameter's state. Programs written for LibTorch 2 give the TensorImpl's address,
/// those for LibTorch 1.13 the text that c10::guts::to_string makes of it.
class StateKey {
 public:
  StateKey(const void* parameter) : address_(parameter) {}  ///< of a TensorImpl
  /// Throws Error for a text that is no address.
  StateKey(const std::string& text);
  StateKey(const char* text) : StateKey(std::string(text)) {}     ///< by a text
  operator void*() const { return const_cast<void*>(address_); }  ///< the address
  operator std::string() const;
  /// Whether both are keys of one parameter.
  friend bool operator==(StateKey a, StateKey b) { return a.address_ == b.address_; }
  /// Whether they are keys of two parameters.
  friend bool operator!=(StateKey a, StateKey b) { return a.address_ != b.address_; }
  /// As the address.
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, StateKey key);

  /// For maps of the standard library.
  struct Hash {
    /// The hash of the address.
    size_t operator()(StateKey key) const { return std::hash<const void*>()(key.address_); }
  };

 private:
  const void* address_;
};

/// The states by the parameter's key. A map whose removals are counted, so that the optimizer may
/// keep pointers to entries between steps.
class ParamStates
    : private std::unordered_map<StateKey, std::unique_ptr<OptimizerParamState>, StateKey::Hash> {
  using Map = std::unordered_map<StateKey, std::unique_ptr<OptimizerParamState>, StateKey::Hash>;

 public:
  using Map::at;
  using Map::begin;
  using Map::count;
  using Map::emplace;
  using Map::empty;
  using Map::end;
  using Map::find;
  using Map::insert;
  using Map::size;
  using typename Map::const_iterator;
  using typename Map::iterator;
  using typename Map::key_type;
  using typename Map::mapped_type;
  using typename Map::value_type;
  using Map::operator[];

  /// Takes out the entry at an iterator or of a key, as std::unordered_map does, with its result.
  template <class Where>
  auto erase(Where&& where) {
    ++removals_;
    return Map::erase(std::forward<Where>(where));
  }
  /// Takes all states out; the next step makes new ones.
  void clear() {
    ++removals_;
    Map::clear();
  }
  uint64_t removals() const { return removals_; }  ///< how often any were removed

 private:
  uint64_t removals_ = 0;
};

/// The length of a step(), for whoever records the run.
struct StepScope : taper::detail::RunScope {
  /// "SGD.step"
  explicit StepScope(const char* name) : RunScope(taper::detail::RunEvent::kOptimizer, name) {}
};

/// Changes parameters by their gradients. A subclass implements step().
class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;  ///< computes the loss again

  /// Throws when a parameter is undefined, is not a leaf, or is in two groups.
  Optimizer(std::vector<OptimizerParamGroup> param_groups,
            std::unique_ptr<OptimizerOptions> defaults);
  /// The same with one group, which takes the defaults.
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;  ///< takes it over
  virtual ~Optimizer() = default;

  /// One update of every parameter that has a gradient. A `closure` computes the loss anew first
  /// (with gradients enabled); its result is returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  /// Sets all gradients to zero, or with `set_to_none` drops them: then a parameter that the next
  /// backward does not reach has no gradient and is left alone by step().
  void zero_grad(bool set_to_none = false);

  /// Adds a copy of the group, with the defaults if it has no options. Throws Error, like the
  /// constructor, for parameters that are undefined, no leaves or in another group, and where there
  /// are neither options nor defaults.
  void add_param_group(const OptimizerParamGroup& group);
  /// Adds to the first group. Warns that it will be removed, as do parameters() and size().
  void add_parameters(const std::vector<Tensor>& parameters);
  /// The groups in the order they were added; changed options hold from the next step on.
  /// References to groups live until one is added.
  ///@{
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  ///@}
  /// The parameters of the first group.
  std::vector<Tensor>& parameters();
  const std::vector<Tensor>& parameters() const;  ///< of the first group
  /// The number of parameters in all groups.
  size_t size() const;
  OptimizerOptions& defaults() noexcept { return *defaults_; }  ///< of groups without their own
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }  ///< the same
  ParamStates& state() noexcept { return state_; }                          ///< of each parameter
  const ParamStates& state() const noexcept { return state_; }              ///< of each parameter

  /// Whether step() can leave parameters of devices as they are where a device finds that their
  /// gradients are not finite, so that GradScaler (optim/grad_scaler.h) waits for no device.
  virtual bool takes_found_inf() const { return false; }

  /// Writes the groups' options and the parameters' states (not the parameters themselves).
  virtual void save(serialize::OutputArchive& archive) const;
  /// Reads what save() wrote, for the same groups of parameters in the same order. On an error
  /// nothing is changed.
  virtual void load(serialize::InputArchive& archive);

 protected:
  /// The key of a parameter in state().
  static StateKey key(const Tensor& parameter);
  /// Evaluates the closure, if there is one, with gradients enabled. Warns once if there are no
  /// parameters.
  Tensor evaluate(const LossClosure& closure);
  /// Calls update(param, grad, options, index) for every parameter with a gradient, after checking
  /// that all groups' options are Options and all gradients fit. `index` numbers the parameters of
  /// all groups, for state_of().
  template <class Options, class Update>
  void for_each_gradient(const char* name, Update&& update);
  /// The same for optimizers written in tensor ops: calls update(p, grad, state, options), where p
  /// and grad of complex parameters are their parts. Defined in tensor_update.h.
  template <class Options, class State, class Update>
  void for_each_update(const char* name, const Update& update);
  /// The state of parameter number `index`, made when there is none. Not a look-up: the place in
  /// the map is kept from the step before.
  template <class State>
  State& state_of(size_t index, const Tensor& parameter);

  /// The number that says, on the device, whether to skip this step (not 0); null: do not.
  const float* found_inf_on(Device device) const;

  /// Makes `state` a tensor of zeros like the parameter if it is undefined, and returns true then.
  /// Else the state follows the parameter to its device and dtype. Throws Error for other sizes,
  /// and if only one of them is complex.
  static bool fit_state(const char* name, const Tensor& parameter, Tensor& state);

  std::vector<OptimizerParamGroup> param_groups_;  ///< what param_groups() returns
  ParamStates state_;                              ///< what state() returns
  std::unique_ptr<OptimizerOptions> defaults_;     ///< what defaults() returns; may be null

 private:
  friend class amp::GradScaler;
  /// Where the state of a parameter was found.
  struct Slot {
    const TensorImpl* parameter = nullptr;
    uint64_t removals = 0;
    std::unique_ptr<OptimizerParamState>* place = nullptr;
  };
  size_t count_parameters() const;
  void warn_of_nothing();
  void check_group(const OptimizerParamGroup& group) const;
  void find_slot(size_t index, const Tensor& parameter);
  static void check_gradient(const char* name, const Tensor& parameter, const Tensor& grad);
  [[noreturn]] static void throw_wrong_options(const char* name);

  std::vector<Slot> slots_;
  std::vector<Tensor> found_inf_;  // of each device, during GradScaler::step
  bool warned_of_nothing_ = false;
};

/// optimizer.save(archive). Returns the archive.
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer);
/// optimizer.load(archive). Returns the archive.
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer);

// ---------------------------------------------------------------------- details
template <class Options, class Update>
void Optimizer::for_each_gradient(const char* name, Update&& update) {
  for (const OptimizerParamGroup& group : param_groups_) {
    if (!dynamic_cast<const Options*>(&group.options())) throw_wrong_options(name);
    for (const Tensor& p : group.params())
      if (p.grad().defined()) check_gradient(name, p, p.grad());
  }
  size_t index = 0;
  for (const OptimizerParamGroup& group : param_groups_) {
    const Options& options = static_cast<const Options&>(group.options());
    for (const Tensor& p : group.params()) {
      const size_t i = index++;
      if (const Tensor& g = p.grad(); g.defined()) update(p, g, options, i);
    }
  }
}

template <class State>
State& Optimizer::state_of(size_t index, const Tensor& parameter) {
  if (index >= slots_.size() || slots_[index].parameter != parameter.unsafeGetTensorImpl() ||
      slots_[index].removals != state_.removals())
    find_slot(index, parameter);
  std::unique_ptr<OptimizerParamState>& place = *slots_[index].place;
  if (!place) place = std::make_unique<State>();
  return static_cast<State&>(*place);
}

}  // namespace optim
}  // namespace torch::taper

#pragma GCC visibility pop
