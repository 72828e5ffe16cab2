// Optimizer: the base class of all optimizers, with parameter groups and states of parameters.
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

/// Declares, inside a struct of fields, the functions that TAPER_OPTIM_FIELDS (optim/serialize.h)
/// defines.
#define TAPER_OPTIM_STATE(Type)                                     \
 public:                                                            \
  void serialize(serialize::InputArchive& archive) override;        \
  void serialize(serialize::OutputArchive& archive) const override; \
  friend TAPER_EXPORTED bool operator==(const Type& a, const Type& b);
/// Declares the functions of options, which have a field `lr`.
#define TAPER_OPTIM_OPTIONS(Type)                 \
  TAPER_OPTIM_STATE(Type)                         \
  double get_lr() const override { return lr(); } \
  void set_lr(double lr) override { lr_ = lr; }

/// Holds the state that an optimizer keeps for one parameter.
class OptimizerParamState {
 public:
  virtual ~OptimizerParamState() = default;
  /// Returns a copy of the state. The tensors of the copy share their memory with the original's
  /// tensors. Throws NotImplementedError unless the class derives from
  /// OptimizerCloneableParamState.
  virtual std::unique_ptr<OptimizerParamState> clone() const;
  /// Read or write the fields. Throw NotImplementedError if a subclass does not override these
  /// functions.
  ///@{
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
  ///@}
};

/// Adds clone() to a state class.
template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
 public:
  /// uses the copy constructor of Derived
  std::unique_ptr<OptimizerParamState> clone() const override;
};
template <class Derived>
std::unique_ptr<OptimizerParamState> OptimizerCloneableParamState<Derived>::clone() const {
  return std::unique_ptr<OptimizerParamState>(new Derived(static_cast<const Derived&>(*this)));
}

/// Holds the options of a parameter group.
class OptimizerOptions {
 public:
  virtual ~OptimizerOptions() = default;
  /// Returns a copy. Throws NotImplementedError unless the class derives from
  /// OptimizerCloneableOptions.
  virtual std::unique_ptr<OptimizerOptions> clone() const;
  /// Read or write the fields. Throw NotImplementedError if a subclass does not override these
  /// functions.
  ///@{
  virtual void serialize(serialize::InputArchive& archive);
  virtual void serialize(serialize::OutputArchive& archive) const;
  ///@}
  /// Returns the learning rate, for schedulers. Throws NotImplementedError if a subclass does not
  /// override this function.
  virtual double get_lr() const;
  /// Sets the learning rate, for schedulers. Throws NotImplementedError if a subclass does not
  /// override this function.
  virtual void set_lr(double lr);
};

/// Adds clone() to an options class.
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 public:
  /// uses the copy constructor of Derived
  std::unique_ptr<OptimizerOptions> clone() const override;
};
template <class Derived>
std::unique_ptr<OptimizerOptions> OptimizerCloneableOptions<Derived>::clone() const {
  return std::unique_ptr<OptimizerOptions>(new Derived(static_cast<const Derived&>(*this)));
}

/// Declares clone() of the options and states of an optimizer of Taper. clone() is compiled only in
/// the file with TAPER_OPTIM_CLONES(Name).
#define TAPER_OPTIM_CLONED(Name)                                  \
  extern template class OptimizerCloneableOptions<Name##Options>; \
  extern template class OptimizerCloneableParamState<Name##ParamState>
#define TAPER_OPTIM_CLONES(Name)                           \
  template class OptimizerCloneableOptions<Name##Options>; \
  template class OptimizerCloneableParamState<Name##ParamState>

/// Holds parameters that share options. When a group without options is added to an optimizer, it
/// gets the optimizer's defaults.
class OptimizerParamGroup {
 public:
  /// Shares the parameters and copies the options.
  OptimizerParamGroup(const OptimizerParamGroup& o)
      : params_(o.params_), options_(o.options_ ? o.options_->clone() : nullptr) {}
  /// Moves parameters and options.
  ///@{
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;
  ///@}
  /// Takes parameters without options.
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  /// Takes parameters and options. The class of the options must belong to the optimizer:
  /// AdamOptions for Adam.
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}

  /// returns whether the group has options
  bool has_options() const { return options_ != nullptr; }
  /// Returns the options. Throws Error if the group has none.
  OptimizerOptions& options();
  /// Returns the options as const. Throws Error if the group has none.
  const OptimizerOptions& options() const;
  /// Replaces the options. Null removes them.
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() { return params_; }              ///< the trained parameters
  const std::vector<Tensor>& params() const { return params_; }  ///< the trained parameters

 protected:
  std::vector<Tensor> params_;                 ///< the trained parameters
  std::unique_ptr<OptimizerOptions> options_;  ///< null for a group without options
};

/// Identifies the state of a parameter. Programs written for LibTorch 2 pass the address of the
/// TensorImpl. Programs written for LibTorch 1.13 pass this address as text, from
/// c10::guts::to_string.
class StateKey {
 public:
  StateKey(const void* parameter) : address_(parameter) {}  ///< from the address of a TensorImpl
  /// Converts from a text. Throws Error if the text is not an address.
  StateKey(const std::string& text);
  StateKey(const char* text) : StateKey(std::string(text)) {}     ///< converts from a text
  operator void*() const { return const_cast<void*>(address_); }  ///< converts to the address
  operator std::string() const;
  /// Returns whether both keys belong to one parameter.
  friend bool operator==(StateKey a, StateKey b) { return a.address_ == b.address_; }
  /// Returns whether the keys belong to two parameters.
  friend bool operator!=(StateKey a, StateKey b) { return a.address_ != b.address_; }
  /// Prints the address.
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& out, StateKey key);

  /// Hashes keys, for maps of the standard library.
  struct Hash {
    /// Returns the hash of the address.
    size_t operator()(StateKey key) const { return std::hash<const void*>()(key.address_); }
  };

 private:
  const void* address_;
};

/// Maps keys of parameters to states, and counts removals of entries. If the number of removals has
/// not changed since the last step, the optimizer's pointers to entries are still valid.
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

  /// Erases the entry of an iterator or of a key. Returns what std::unordered_map::erase returns.
  template <class Where>
  auto erase(Where&& where) {
    ++removals_;
    return Map::erase(std::forward<Where>(where));
  }
  /// Removes all states. The next step makes new states.
  void clear() {
    ++removals_;
    Map::clear();
  }
  uint64_t removals() const { return removals_; }  ///< number of removals so far

 private:
  uint64_t removals_ = 0;
};

/// Marks the start and the end of a step(), for profilers and other observers.
struct StepScope : taper::detail::RunScope {
  /// Takes a name such as "SGD.step".
  explicit StepScope(const char* name) : RunScope(taper::detail::RunEvent::kOptimizer, name) {}
};

/// The base class of optimizers. An optimizer updates parameters from their gradients. A subclass
/// implements step().
///
///     optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.1).momentum(0.9));
///     optimizer.zero_grad();
///     loss.backward(), optimizer.step();
class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;  ///< recomputes the loss

  /// Takes parameter groups. Throws Error if a parameter is undefined, is not a leaf, or is in two
  /// groups.
  Optimizer(std::vector<OptimizerParamGroup> param_groups,
            std::unique_ptr<OptimizerOptions> defaults);
  /// Takes parameters as one group with the defaults.
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;  ///< moves the groups and states
  virtual ~Optimizer() = default;

  /// Updates every parameter that has a gradient. If `closure` is given, step() first calls it with
  /// gradients enabled. The closure recomputes the loss and the gradients. step() then returns this
  /// loss.
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  /// Sets all gradients to zero. With `set_to_none`, makes all gradients undefined instead. step()
  /// then skips parameters that the next backward does not reach.
  void zero_grad(bool set_to_none = false);

  /// Adds a copy of the group. If the group has no options, the copy gets the defaults. Throws
  /// Error for parameters that are undefined, not leaves, or in another group. Also throws Error if
  /// the group has no options and there are no defaults.
  void add_param_group(const OptimizerParamGroup& group);
  /// Adds parameters to the first group. This function, parameters() and size() warn that they are
  /// deprecated.
  void add_parameters(const std::vector<Tensor>& parameters);
  /// Returns the groups in the order of addition. Changed options apply to the next step and later
  /// ones. References are valid until a group is added.
  ///@{
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  ///@}
  /// Returns the parameters of the first group.
  std::vector<Tensor>& parameters();
  const std::vector<Tensor>& parameters() const;  ///< of the first group
  /// Returns the number of parameters in all groups.
  size_t size() const;
  /// returns the options that groups without options get
  OptimizerOptions& defaults() noexcept { return *defaults_; }
  /// returns the options that groups without options get
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  ParamStates& state() noexcept { return state_; }              ///< the state of each parameter
  const ParamStates& state() const noexcept { return state_; }  ///< the state of each parameter

  /// Returns whether kernels of step() leave the parameters unchanged if a number on the device
  /// says that gradients are not finite. GradScaler (optim/grad_scaler.h) then need not wait for
  /// the device.
  virtual bool takes_found_inf() const { return false; }

  /// Writes the options of the groups and the states of the parameters, but not the parameters.
  virtual void save(serialize::OutputArchive& archive) const;
  /// Reads the output of save(). The groups must have the same numbers of parameters, in the same
  /// order. After an error, nothing is changed.
  virtual void load(serialize::InputArchive& archive);

 protected:
  /// Returns the key of a parameter in state().
  static StateKey key(const Tensor& parameter);
  /// Calls the closure, if there is one, with gradients enabled, and returns its result. Warns once
  /// if there are no parameters.
  Tensor evaluate(const LossClosure& closure);
  /// Calls update(param, grad, options, index) for every parameter with a gradient. Before the
  /// first call, checks that the options of all groups have the class Options, and that all
  /// gradients match their parameters. `index` is the number of the parameter over all groups, for
  /// state_of().
  template <class Options, class Update>
  void for_each_gradient(const char* name, Update&& update);
  /// Implements a step() that uses tensor ops. Calls the closure, and then update(p, grad, state,
  /// options) for every parameter with a gradient. If the parameter is complex, p and grad are real
  /// views. Returns the closure's loss. Defined in tensor_update.h.
  template <class Options, class State, class Update>
  Tensor step_each(const char* name, const LossClosure& closure, const Update& update);
  /// Returns the state of the parameter with number `index`. Makes the state if there is none.
  /// Usually, no look-up is needed, because the position in the map is kept from the last step.
  template <class State>
  State& state_of(size_t index, const Tensor& parameter);

  /// Returns the address of a number on `device`, or null. If the number is not 0, kernels skip
  /// this step. Null means that no step is skipped.
  const float* found_inf_on(Device device) const;

  /// If `state` is undefined, sets it to zeros like the parameter, and returns true. Otherwise
  /// moves `state` to the device and dtype of the parameter, and returns false. Throws Error if the
  /// sizes differ, or if only one of the two is complex.
  static bool fit_state(const char* name, const Tensor& parameter, Tensor& state);

  std::vector<OptimizerParamGroup> param_groups_;  ///< returned by param_groups()
  ParamStates state_;                              ///< returned by state()
  std::unique_ptr<OptimizerOptions> defaults_;     ///< returned by defaults(), may be null

 private:
  friend class amp::GradScaler;
  /// Caches the position of the state of a parameter.
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

/// Calls optimizer.save(archive) and returns the archive.
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer);
/// Calls optimizer.load(archive) and returns the archive.
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
