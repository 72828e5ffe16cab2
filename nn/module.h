// Module: the base class of networks and layers, with named parameters, buffers and submodules.
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

/// Returns the bytes of the object (`nbytes` bytes at `object`), without the bytes of its base
/// class Module.
std::string bytes_without_base(const void* object, size_t nbytes, const Module& base);
/// Returns the bytes of the members of a module of class M. If the module's class is derived from
/// M, returns an empty text.
template <class M>
std::string bytes_of_members(const Module& module);
/// Returns, as bytes, the state on which a captured call of the module depends. It consists of the
/// modes, members, registered tensors and their layout, of the module and its submodules.
std::string guards_of(const Module& module);
/// Returns whether the module or a submodule has hooks.
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
/// Returns the arguments for a forward() with `count` parameters: `given`, and defaults for the
/// missing arguments.
std::vector<AnyValue> complete_arguments(Module& module, std::vector<AnyValue>&& given,
                                         size_t count);

}  // namespace detail

/// The names that load_state_dict found only in the module, or only in the dictionary.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;     ///< names that only the module has
  std::vector<std::string> unexpected_keys;  ///< names that only the dictionary has
};

/// The base class of all modules. A subclass registers its parameters (trained by an optimizer),
/// its buffers (other tensors of the model's state) and its submodules. Functions such as
/// parameters(), to(), train() and save() visit them in the order of registration. `Module` has no
/// forward(). A subclass defines forward() with any arguments.
///
///     struct NetImpl : nn::Module {
///       NetImpl() { fc = register_module("fc", nn::Linear(4, 2)); }
///       Tensor forward(Tensor x) { return fc(x); }
///       nn::Linear fc{nullptr};
///     };
///     TAPER_MODULE(Net);
class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;             ///< a function for apply()
  using ConstModuleApplyFunction = std::function<void(const Module&)>;  ///< a function for apply()
  /// A function for apply() that also gets the module's path.
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  /// A function for apply() that gets the path and the const module.
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  /// A function for apply() that gets a shared pointer, which it may keep.
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  /// A function for apply() that gets the path and a shared pointer.
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  Module();  ///< takes name() from the class
  /// Sets name() to `name`. Without this argument, name() is the name of the class.
  explicit Module(std::string name);
  virtual ~Module();
  /// Makes a shallow copy, which shares parameters, buffers and submodules with the original. The
  /// copy also has the hooks of the original. clone() makes a deep copy.
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;  ///< makes a shallow copy

  /// Returns the name of the class with its namespaces ("Net", "torch::nn::LinearImpl").
  const std::string& name() const noexcept;
  /// Returns the name under which this module was last registered in another module, or an empty
  /// text.
  const std::string& registered_name() const noexcept { return registered_name_; }
  /// Returns a deep copy. If `device` is given, the copy is on this device. Throws Error if the
  /// class does not derive from Cloneable.
  virtual std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const;

  /// Calls `function` for this module and all its submodules. A module comes before its children. A
  /// path is `name_prefix` followed by the names of the modules ("layer1.conv"). If `function`
  /// takes a pointer, a shared_ptr must own this module.
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

  /// Returns the defined parameters of this module and, with `recurse`, of all its submodules. The
  /// tensors are not copied.
  std::vector<Tensor> parameters(bool recurse = true) const;
  /// like parameters(), with the path of each parameter, such as "layer1.weight"
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;  ///< like parameters(), for buffers
  /// like buffers(), with the path of each buffer
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  /// Returns this module and all its submodules. With `include_self`, a shared_ptr must own this
  /// module.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  /// Returns modules(), with the path of each module. `name_prefix` is the path of this module. The
  /// paths of its submodules begin with `name_prefix`.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;  ///< submodules registered in this module
  /// like children(), with the name of each child
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;

  /// Sets training or evaluation mode for this module and all its submodules. Dropout and batch
  /// normalization depend on this mode.
  virtual void train(bool on = true);
  void eval();                                ///< calls train(false)
  virtual bool is_training() const noexcept;  ///< returns the mode that train() set

  /// Moves and converts all parameters, their gradients and all buffers in-place. Buffers of
  /// integers are converted, too. Existing tensor handles stay valid, for example the handles of an
  /// optimizer.
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Dtype dtype, bool non_blocking = false);    ///< converts only the dtype
  virtual void to(Device device, bool non_blocking = false);  ///< moves to the device
  /// Moves to the current device of that type.
  void to(DeviceType device, bool non_blocking = false) { to(Device(device), non_blocking); }
  void cpu() { to(Device(kCPU)); }  ///< calls to(kCPU)
  /// Moves to CUDA device `index`. -1 means the current device.
  void cuda(DeviceIndex index = -1) { to(Device(kCUDA, index)); }

  /// Sets all gradients to zero. With `set_to_none`, makes them undefined.
  virtual void zero_grad(bool set_to_none = false);

  /// Returns this module as a subclass, or null: `m.as<LinearImpl>()`, `m.as<Linear>()`.
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

  /// Writes parameters and buffers under their names, and each serializable child as a nested
  /// archive. load() reads the archive into a module with the same structure. If a tensor is
  /// missing or a parameter has other sizes, load() throws Error and changes nothing. load()
  /// resizes buffers to the sizes in the archive.
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);  ///< reads the output of save()
  /// Returns whether save() and load() of the parent include this module.
  virtual bool is_serializable() const;

  /// Returns the defined parameters and buffers of this module and all its submodules, with the
  /// names and the order of PyTorch's state_dict. Each name begins with `prefix`. The tensors are
  /// detached, and share the memory of the module's tensors.
  OrderedDict<std::string, Tensor> state_dict(const std::string& prefix = std::string()) const;
  /// Copies the values of `state_dict` into the parameters and buffers, which keep their dtype and
  /// device. The dictionary comes from state_dict(), or from a file (see load_state_dict(path)).
  /// Throws Error for other sizes. If `strict`, also throws Error for missing or unexpected names.
  /// The message lists all problems with PyTorch's texts. After an error, nothing is changed.
  /// Returns the missing and unexpected names.
  IncompatibleKeys load_state_dict(const OrderedDict<std::string, Tensor>& state_dict,
                                   bool strict = true);

  /// Prints this module without its submodules: "torch::nn::Linear(in_features=3, ...)".
  virtual void pretty_print(std::ostream& stream) const;

  /// Registers a parameter, and returns a reference to the registered tensor. The name must be new,
  /// must not be empty, and must not contain dots. An undefined tensor reserves the name, for
  /// example for a bias that the layer does not have.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Registers a buffer, and returns a reference to the registered tensor. The tensor's
  /// requires_grad does not change. The reference is valid until another buffer is registered or
  /// removed. (A reference from register_parameter is valid until another parameter is registered
  /// or removed.)
  Tensor& register_buffer(std::string name, Tensor tensor);
  /// Registers a submodule under a new name, and returns a pointer to it. The module is shared, not
  /// copied. Throws Error for an empty pointer, and for a module that contains this module.
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
  /// Replaces the submodule registered under `name`. Throws Error if there is none.
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
  /// Removes a submodule. Throws Error if there is none with this name.
  void unregister_module(const std::string& name);
  /// Removes a parameter of this module. Other handles to the tensor stay valid. Throws Error if
  /// there is none with this name.
  void unregister_parameter(const std::string& name);
  /// removes a buffer. Throws Error if there is none with this name
  void unregister_buffer(const std::string& name);

  /// A hook that runs before a call. It gets the tensors among the arguments, and may replace them.
  using ForwardPreHook = std::function<void(Module& module, std::vector<Tensor>& inputs)>;
  /// A hook that runs after a call. It gets the tensors of the arguments and of the result, and may
  /// replace the tensors of the result. A result may be a tensor, a tuple or a list.
  using ForwardHook = std::function<void(Module& module, const std::vector<Tensor>& inputs,
                                         std::vector<Tensor>& outputs)>;
  /// A hook that runs in backward. It gets the gradients of the inputs and outputs that require a
  /// gradient, and may replace the gradients of the inputs. An undefined gradient means zero.
  using FullBackwardHook = std::function<void(Module& module, std::vector<Tensor>& grad_inputs,
                                              const std::vector<Tensor>& grad_outputs)>;
  /// Registers a hook, and returns a number that remove_hook() takes. Hooks run in the order of
  /// registration when the module is called by its holder (`linear(x)`), in a Sequential, or in an
  /// AnyModule. As in Python, a direct call of forward() runs no hooks. Clones have the hooks of
  /// the original.
  unsigned register_forward_pre_hook(ForwardPreHook hook);
  unsigned register_forward_hook(ForwardHook hook);             ///< runs after each call
  unsigned register_full_backward_hook(FullBackwardHook hook);  ///< runs in each backward
  /// Removes a hook. Throws Error if this module has no hook with this number.
  void remove_hook(unsigned id);
  /// Returns whether a call does more than forward(): runs hooks, or computes parametrized
  /// parameters.
  bool has_hooks() const noexcept { return hooks_ != nullptr; }
  /// Records that the class of this object is M, so that guards can later detect changes of its
  /// members.
  template <class M>
  void is_a() {
    if (!members_of_) members_of_ = &detail::bytes_of_members<M>;
  }

 protected:
  /// TAPER_FORWARD_HAS_DEFAULT_ARGS overrides these three functions. The first function returns
  /// whether forward() has default arguments. The second returns the number of arguments without a
  /// default. The third returns `arguments`, followed by the missing defaults. Without an override,
  /// the second and the third throw Error.
  ///@{
  virtual bool _forward_has_default_args() { return false; }
  virtual unsigned int _forward_num_required_args();
  virtual std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments);
  ///@}

  /// Copies the hooks of `from` to `to`, for a clone() that constructs a new object.
  static void copy_hooks(Module& to, const Module& from);

  OrderedDict<std::string, Tensor> parameters_;  ///< the registered parameters

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

  /// Holds the replicas of this module on other devices. A copy of the module starts without
  /// replicas.
  struct ReplicaSlot {
    ReplicaSlot() = default;
    ReplicaSlot(const ReplicaSlot&) {}
    ReplicaSlot& operator=(const ReplicaSlot&) { return *this; }
    std::shared_ptr<parallel::ReplicaPool> pool;
  };

  /// Returns the bytes of the members of this object, without those of Module. The bytes differ if
  /// a member was changed. Only Cloneable implements this function. Other modules return an empty
  /// text.
  virtual std::string member_bytes() const { return {}; }
  /// Makes this module a deep copy of `other`. Cloneable implements this function.
  virtual void clone_(Module& other, const optional<Device>& device);
  /// Implement the parts of Cloneable::clone that do not depend on the class. forget_registered()
  /// drops the tensors that a shallow copy shares with its original. After reset(),
  /// copy_registered_from() copies the values of `original`.
  void forget_registered();
  void copy_registered_from(const Module& original, const optional<Device>& device);
  void insert_child(std::string name, std::shared_ptr<Module> module);
  void replace_child(const std::string& name, std::shared_ptr<Module> module);
  /// Calls function(path, module) for all submodules, parents first.
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
  /// split_parameters() replaces parametrized parameters by their parts. refresh_parameters()
  /// computes the parameters from the parts.
  void split_parameters();
  void refresh_parameters();

  OrderedDict<std::string, Tensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
  mutable std::string name_;
  std::string registered_name_;
  bool is_training_ = true;
  unsigned next_hook_id_ = 0;
  std::shared_ptr<const detail::ModuleHooks> hooks_;
  std::string (*members_of_)(const Module&) = nullptr;  ///< null if is_a() was not called
  mutable ReplicaSlot replicas_;
};

/// Prints the module and all its submodules. Each submodule is on an indented line.
std::ostream& operator<<(std::ostream& stream, const Module& module);

/// Call Module::save and Module::load, for save(module, file) and load(module, file). Throw Error
/// for an empty pointer.
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
