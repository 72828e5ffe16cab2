// Module: a network or a part of one: parameters, buffers and submodules under names.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/any_value.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace serialize {
class OutputArchive;
class InputArchive;
}  // namespace serialize

namespace nn {

class AnyModule;
class Module;
namespace parallel {
class ReplicaPool;
namespace detail {
ReplicaPool& pool_of(const Module& module);
}
}  // namespace parallel
template <class Contained>
class ModuleHolder;

namespace detail {

class HookedCall;
class Parametrization;
struct ModuleHooks;
void add_parametrization(Module& module, std::shared_ptr<const Parametrization> p);
void remove_parametrization(Module& module, const std::string& kind, const std::string& name);

/// The bytes of an object of `nbytes` bytes but for those of its base Module.
std::string bytes_without_base(const void* object, size_t nbytes, const Module& base);
/// Those of a module whose class is M; empty for an object of a class that derives from M.
template <class M>
std::string bytes_of_members(const Module& module);
/// Everything of a module and of those below that a captured call takes for granted, as bytes:
/// modes, members, and which tensors are registered and how they lie.
std::string guards_of(const Module& module);
/// Whether a call of the module or of one below runs hooks of the program.
bool runs_hooks(const Module& module);

struct ModuleHolderIndicator {};
template <class T>
using is_module_holder = std::is_base_of<ModuleHolderIndicator, std::decay_t<T>>;
template <class T>
using disable_if_module_holder_t = std::enable_if_t<!is_module_holder<T>::value>;
template <class T>
using is_module = std::is_base_of<Module, std::decay_t<T>>;
template <class T>
using enable_if_module_t = std::enable_if_t<is_module<T>::value>;
/// The arguments for a forward() of `count` parameters: `given`, and defaults for those left out.
std::vector<AnyValue> complete_arguments(Module& module, std::vector<AnyValue>&& given,
                                         size_t count);

}  // namespace detail

/// What load_state_dict found different: names that the module has and the dictionary lacks, and
/// names that only the dictionary has.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;     ///< that the module has and the dict lacks
  std::vector<std::string> unexpected_keys;  ///< that only the dict has
};

/// The base of all modules. A subclass registers its parameters (what an optimizer changes), its
/// buffers (other tensors that belong to the model's state) and its submodules; everything else
/// (parameters(), to(), train(), save(), printing) walks what was registered, in the order of
/// registration. `Module` has no forward(): a subclass gives its own the arguments it wants.
class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;                           ///< of apply
  using ConstModuleApplyFunction = std::function<void(const Module&)>;                ///< of apply
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;  ///< of apply
  /// Of apply: gets paths and modules, which it cannot change.
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  /// Of apply: gets shared pointers, which it may keep.
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  /// Of apply: gets paths and shared pointers.
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  Module();  ///< its name() is that of its class
  /// A module whose name() is given rather than taken from its class.
  explicit Module(std::string name);
  virtual ~Module();
  /// A shallow copy: parameters, buffers and submodules are shared with the original (clone()
  /// copies them). It starts with the same hooks.
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;  ///< shallow, too

  /// The class's name with its namespaces ("Net", "torch::nn::LinearImpl").
  const std::string& name() const noexcept;
  /// A deep copy, on `device` if given. Throws for a class that does not derive from Cloneable.
  virtual std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const;

  /// Calls `function` for this module and all below it, each before its children. Names are paths
  /// ("layer1.conv") behind `name_prefix`. The forms with a pointer need this module to be owned by
  /// a shared_ptr.
  ///@{
  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  ///@}

  /// The defined parameters (buffers) of this module and, with `recurse`, of all below it. Names
  /// are paths: "layer1.weight". The tensors are the module's own, not copies.
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;  ///< by names
  std::vector<Tensor> buffers(bool recurse = true) const;  ///< as parameters(), of buffers
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;  ///< by names
  /// This module (which must then be owned by a shared_ptr) and all below it.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  /// The same by paths behind `name_prefix`, which is the name of this module.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;  ///< the modules registered here
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;  ///< by names

  /// Training or evaluation: what dropout and batch normalisation ask. Sets all modules below too.
  virtual void train(bool on = true);
  void eval();                                ///< train(false)
  virtual bool is_training() const noexcept;  ///< what train() said last

  /// Converts all parameters, their gradients and all buffers, of every dtype, in place: handles
  /// taken before (an optimizer's, for example) stay those of the module.
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Dtype dtype, bool non_blocking = false);    ///< the dtype alone
  virtual void to(Device device, bool non_blocking = false);  ///< the device alone
  /// To the current device of that type.
  void to(DeviceType device, bool non_blocking = false) { to(Device(device), non_blocking); }
  void cpu() { to(Device(kCPU)); }  ///< to(kCPU)
  /// To a CUDA device; -1 is the current one.
  void cuda(DeviceIndex index = -1) { to(Device(kCUDA, index)); }

  /// Sets all gradients to zero, or drops them.
  virtual void zero_grad(bool set_to_none = false);

  /// This module as a subclass, or null: `m.as<LinearImpl>()`, `m.as<Linear>()`.
  ///@{
  template <class ModuleType>
  typename ModuleType::ContainedType* as() noexcept {
    return dynamic_cast<typename ModuleType::ContainedType*>(this);
  }
  template <class ModuleType>
  const typename ModuleType::ContainedType* as() const noexcept {
    return dynamic_cast<const typename ModuleType::ContainedType*>(this);
  }
  template <class ModuleType, class = detail::disable_if_module_holder_t<ModuleType>>
  ModuleType* as() noexcept {
    return dynamic_cast<ModuleType*>(this);
  }
  template <class ModuleType, class = detail::disable_if_module_holder_t<ModuleType>>
  const ModuleType* as() const noexcept {
    return dynamic_cast<const ModuleType*>(this);
  }
  ///@}

  /// Writes parameters and buffers under their names, and each serializable child as an archive of
  /// its own. `load` reads them back into the same structure. It throws Error, and leaves all as it
  /// was, when one is missing or a parameter has other sizes; a buffer takes over the file's sizes.
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);  ///< what save() wrote
  /// False for modules that save and load pass over.
  virtual bool is_serializable() const;

  /// The defined parameters and buffers of this module and all below it, under the names and in the
  /// order of PyTorch's state_dict, behind `prefix`. The tensors share the module's memory and have
  /// no history.
  OrderedDict<std::string, Tensor> state_dict(const std::string& prefix = std::string()) const;
  /// Copies the values of a dictionary (of state_dict(), or of a file: see load_state_dict(path))
  /// into this module's parameters and buffers, converting dtype and device. Throws Error in
  /// PyTorch's words, with all that is wrong at once and with nothing changed, for other sizes and,
  /// if `strict`, for names that are missing or unexpected. Returns those names.
  IncompatibleKeys load_state_dict(const OrderedDict<std::string, Tensor>& state_dict,
                                   bool strict = true);

  /// What operator<< prints for this module alone: "torch::nn::Linear(in_features=3, ...)".
  virtual void pretty_print(std::ostream& stream) const;

  /// Registers a tensor and returns the module's handle of it. A name must be new, not empty and
  /// without dots. An undefined tensor holds the name's place (an absent bias, for example).
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// The same for a buffer, whose requires_grad stays. Both references hold until the next one of
  /// their kind is registered or removed.
  Tensor& register_buffer(std::string name, Tensor tensor);
  /// Registers a submodule, which is shared, under a new name and returns it. Throws Error for an
  /// empty pointer and for a module that has this one in it.
  ///@{
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name,
                                              std::shared_ptr<ModuleType> module) {
    if (module) module->template is_a<ModuleType>();
    insert_child(std::move(name), module);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name,
                                              ModuleHolder<ModuleType> module_holder) {
    return register_module(std::move(name), module_holder.ptr());
  }
  ///@}
  /// Puts another submodule in the place of the one registered under `name`. Throws Error when
  /// there is none of that name.
  ///@{
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name,
                                             std::shared_ptr<ModuleType> module) {
    if (module) module->template is_a<ModuleType>();
    replace_child(name, module);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name,
                                             ModuleHolder<ModuleType> module_holder) {
    return replace_module(name, module_holder.ptr());
  }
  ///@}
  /// Removes a submodule. Throws when there is none of that name.
  void unregister_module(const std::string& name);
  /// The same for a parameter or a buffer of this module itself; tensors that hold it stay.
  void unregister_parameter(const std::string& name);
  void unregister_buffer(const std::string& name);  ///< Throws Error for other names

  /// Before a call, with the tensors among the arguments, which the hook may replace.
  using ForwardPreHook = std::function<void(Module& module, std::vector<Tensor>& inputs)>;
  /// After it, with the tensors in the result (one, or those of a tuple or list), likewise.
  using ForwardHook = std::function<void(Module& module, const std::vector<Tensor>& inputs,
                                         std::vector<Tensor>& outputs)>;
  /// In backward, with the gradients of those inputs and outputs of a call that want one; undefined
  /// ones are zero. Those of the inputs may be replaced.
  using FullBackwardHook = std::function<void(Module& module, std::vector<Tensor>& grad_inputs,
                                              const std::vector<Tensor>& grad_outputs)>;
  /// Hooks of this module, run in the order of registration whenever it is called: by its holder
  /// (`linear(x)`), as an element of a Sequential, in an AnyModule. As in Python, forward() called
  /// by name runs none. Clones have the same hooks. Returns a number for remove_hook.
  unsigned register_forward_pre_hook(ForwardPreHook hook);
  unsigned register_forward_hook(ForwardHook hook);             ///< behind each call
  unsigned register_full_backward_hook(FullBackwardHook hook);  ///< behind its backward
  /// Throws Error when this module has no such hook.
  void remove_hook(unsigned id);
  /// Whether a call is more than forward().
  bool has_hooks() const noexcept { return hooks_ != nullptr; }
  /// Says that the object is an M, for those who look at its members later.
  template <class M>
  void is_a() {
    if (!members_of_) members_of_ = &detail::bytes_of_members<M>;
  }

 protected:
  /// What TAPER_FORWARD_HAS_DEFAULT_ARGS overrides: whether forward() has defaults, how many
  /// arguments have none, and `arguments` with what is missing. The last two throw Error here.
  ///@{
  virtual bool _forward_has_default_args() { return false; }
  virtual unsigned int _forward_num_required_args();
  virtual std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments);
  ///@}

  /// For a clone() that makes its copy anew.
  static void copy_hooks(Module& to, const Module& from);

  OrderedDict<std::string, Tensor> parameters_;  ///< what register_parameter registered

 private:
  template <class Derived>
  friend class Cloneable;
  friend class detail::HookedCall;
  friend std::string detail::guards_of(const Module& module);
  friend bool detail::runs_hooks(const Module& module);
  friend void detail::add_parametrization(Module& module,
                                          std::shared_ptr<const detail::Parametrization> p);
  friend void detail::remove_parametrization(Module& module, const std::string& kind,
                                             const std::string& name);
  friend std::vector<AnyValue> detail::complete_arguments(Module& module,
                                                          std::vector<AnyValue>&& given,
                                                          size_t count);
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& stream, const Module& module);
  friend parallel::ReplicaPool& parallel::detail::pool_of(const Module& module);
  friend class parallel::ReplicaPool;

  /// What belongs to one module and not to its copies: its replicas on other devices.
  struct ReplicaSlot {
    ReplicaSlot() = default;
    ReplicaSlot(const ReplicaSlot&) {}
    ReplicaSlot& operator=(const ReplicaSlot&) { return *this; }
    std::shared_ptr<parallel::ReplicaPool> pool;
  };

  /// The bytes of this object's own members, those of Module left out: differs when one of them was
  /// changed. Cloneable knows them, other modules give nothing.
  virtual std::string member_bytes() const { return {}; }
  /// Makes this module equal to a deep copy of `other`; Cloneable does.
  virtual void clone_(Module& other, const optional<Device>& device);
  /// The parts of Cloneable::clone that do not depend on the class: `copy` forgets what it shares
  /// with its original; after reset() it takes over copies of the original's values.
  void forget_registered();
  void copy_registered_from(const Module& original, const optional<Device>& device);
  void insert_child(std::string name, std::shared_ptr<Module> module);
  void replace_child(const std::string& name, std::shared_ptr<Module> module);
  /// Calls function(path, module) for all modules below this one, parents first.
  template <class Function>
  void walk(const std::string& prefix, const Function& function) const;
  template <class Function>
  void convert(const Function& function);
  void add_state(const std::string& prefix, OrderedDict<std::string, Tensor>& state) const;
  void add_guards(std::string& guards) const;
  bool has_parametrizations() const;
  std::string members_or_text() const;
  void find_unexpected(const std::string& prefix, const OrderedDict<std::string, Tensor>& state,
                       std::vector<std::string>& names) const;
  void pretty_print_recursive(std::ostream& stream, const std::string& indentation) const;
  std::shared_ptr<Module> shared_from_this_checked() const;
  template <class Change>
  void change_hooks(const Change& change);
  /// Parameters that are computed from others: their parts registered, their values computed anew.
  void split_parameters();
  void refresh_parameters();

  OrderedDict<std::string, Tensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
  mutable std::string name_;
  bool is_training_ = true;
  unsigned next_hook_id_ = 0;
  std::shared_ptr<const detail::ModuleHooks> hooks_;
  std::string (*members_of_)(const Module&) = nullptr;  ///< null: the class was never said
  mutable ReplicaSlot replicas_;
};

/// The module and all below it, one on a line, indented.
std::ostream& operator<<(std::ostream& stream, const Module& module);

/// For save(module, file) and load(module, file): Module::save and Module::load. Throws Error for
/// an empty pointer.
///@{
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const std::shared_ptr<Module>& module);
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    const std::shared_ptr<Module>& module);
///@}

template <class M>
std::string detail::bytes_of_members(const Module& module) {
  if (typeid(module) != typeid(M)) return {};
  return bytes_without_base(dynamic_cast<const M*>(&module), sizeof(M), module);
}

}  // namespace nn
}  // namespace torch::taper

#pragma GCC visibility pop
