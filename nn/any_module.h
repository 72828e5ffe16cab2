// AnyModule: holds a module of any class.
#pragma once

#include <tuple>
#include <utility>

#include <taper/nn/module_holder.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Extracts the class, the result and the parameters of a forward().
template <class F>
struct ForwardTraits;
template <class Class, class R, class... P>
struct ForwardTraits<R (Class::*)(P...)> {
  using Result = R;
  using Parameters = std::tuple<std::decay_t<P>...>;
  template <class T>
  static constexpr bool is_mutable_reference =
      std::is_lvalue_reference<T>::value && !std::is_const<std::remove_reference_t<T>>::value;
  static constexpr bool takes_mutable_references = (is_mutable_reference<P> || ...);
  static constexpr bool maps_tensor =
      std::is_same<R, Tensor>::value && std::is_same<Parameters, std::tuple<Tensor>>::value;
};
template <class Class, class R, class... P>
struct ForwardTraits<R (Class::*)(P...) const> : ForwardTraits<R (Class::*)(P...)> {};

template <class M, class = void>
struct has_forward : std::false_type {};
template <class M>
struct has_forward<M, std::void_t<decltype(&M::forward)>> : std::true_type {};

[[noreturn]] void throw_wrong_argument(size_t index, const std::type_info& wanted,
                                       const std::type_info& given);
[[noreturn]] void throw_wrong_module(const std::type_info& held, const std::type_info& wanted);

/// Lists the default values of a forward()'s last parameters, each with the parameter's index.
using DefaultArguments = std::vector<std::pair<unsigned int, AnyValue>>;
/// Returns `arguments`, followed by the values of `defaults` for the missing arguments.
std::vector<AnyValue> with_defaults(std::vector<AnyValue>&& arguments, DefaultArguments defaults);

/// Holds functions for modules of one class. They find the object of this class and call its
/// forward().
struct AnyModuleClass {
  const std::type_info& type;
  /// Returns `module` as an object of this class, or null.
  void* (*find)(Module* module);
  AnyValue (*forward)(Module& module, void* self, std::vector<AnyValue>&& arguments);
  /// Calls forward() of `self`. This pointer is null unless forward() takes one tensor and returns
  /// a tensor.
  Tensor (*map)(void* self, Tensor&& x);
};

template <class T>
T&& argument(std::vector<AnyValue>& arguments, size_t index) {
  if (T* value = arguments[index].template try_get<T>()) return std::move(*value);
  throw_wrong_argument(index, typeid(T), arguments[index].type_info());
}

template <class M, class... P, size_t... I>
AnyValue call_forward(M& m, std::vector<AnyValue>& arguments, std::tuple<P...>*,
                      std::index_sequence<I...>) {
  return AnyValue(m.forward(argument<P>(arguments, I)...));
}

template <class M>
struct AnyModuleClassOf {
  using Traits = ForwardTraits<decltype(&M::forward)>;
  using Parameters = typename Traits::Parameters;
  static_assert(!Traits::takes_mutable_references,
                "Modules stored inside AnyModule must not take references. Use pointers instead.");
  static_assert(!std::is_void<typename Traits::Result>::value,
                "AnyModule cannot store modules that return void (you can return a dummy value).");

  static void* find(Module* module) { return dynamic_cast<M*>(module); }
  static AnyValue forward(Module& module, void* self, std::vector<AnyValue>&& given) {
    constexpr size_t count = std::tuple_size<Parameters>::value;
    std::vector<AnyValue> arguments = complete_arguments(module, std::move(given), count);
    return call_forward(*static_cast<M*>(self), arguments, static_cast<Parameters*>(nullptr),
                        std::make_index_sequence<count>());
  }
  static Tensor map(void* self, Tensor&& x) {
    if constexpr (Traits::maps_tensor)
      return static_cast<M*>(self)->forward(std::move(x));
    else
      return x;
  }
  static inline const AnyModuleClass value{typeid(M), &find, &forward,
                                           Traits::maps_tensor ? &map : nullptr};
};

}  // namespace detail

class AnyModule;

namespace detail {

/// Extracts the result and the parameters of a function or of an object with one operator().
template <class F, class = void>
struct FunctionTraits {
  static constexpr bool known = false;  ///< false for a generic lambda
};
template <class R, class... P>
struct FunctionTraits<R (*)(P...)> : ForwardTraits<R (FunctionTraits<R (*)(P...)>::*)(P...)> {
  static constexpr bool known = true;
};
template <class F>
struct FunctionTraits<F, std::void_t<typename ForwardTraits<decltype(&F::operator())>::Result>>
    : ForwardTraits<decltype(&F::operator())> {
  static constexpr bool known = true;
};

template <class F>
struct maps_one_tensor
    : std::bool_constant<FunctionTraits<F>::known || std::is_invocable_r_v<Tensor, F&, Tensor>> {};
/// Tells whether F is a callable that can be a layer, and not a module. A generic lambda must
/// accept a tensor and return a tensor.
template <class F, class D = std::decay_t<F>>
using is_layer_function =
    std::conjunction<std::negation<is_module<D>>, std::negation<is_module_holder<D>>,
                     std::negation<std::is_same<D, AnyModule>>, maps_one_tensor<D>>;
template <class T>
using enable_if_layer_t =
    std::enable_if_t<std::disjunction<is_module<T>, is_layer_function<T>>::value>;
/// Makes a module of a function.
template <class F>
AnyModule layer_of(F&& function);

}  // namespace detail

/// Holds any module whose forward() is neither a template nor overloaded. Copies share the module,
/// and clone() makes a deep copy. The types of arguments, without references and const, must equal
/// the types of forward()'s parameters. The caller names the type of the result: forward<Result>().
///
/// An AnyModule can also hold a function, such as a lambda, as a module without state.
///
///     AnyModule any(Linear(3, 4));
///     Tensor y = any.forward(x);  // (N, 3) to (N, 4)
class AnyModule {
 public:
  AnyModule() = default;
  /// Makes an AnyModule of a module. Given a pointer or a holder, it shares the module. Given a
  /// module object, it copies or moves the object. A null pointer makes an empty AnyModule. Throws
  /// Error for an empty holder.
  ///@{
  template <class M>
  explicit AnyModule(std::shared_ptr<M> module) {
    static_assert(detail::is_module<M>::value,
                  "Can only store object derived from nn::Module into AnyModule");
    static_assert(detail::has_forward<M>::value,
                  "Can only store module with a forward() method that has a non-templatized "
                  "argument type and return type into AnyModule (e.g. we cannot store "
                  "nn::Sequential into AnyModule, because its forward() method's argument type and "
                  "return type are templatized. If you need to use nn::Sequentials inside each "
                  "other you can subclass nn::Sequential and write a non-templatized forward "
                  "function for it.)");
    if (module) module->template is_a<M>();
    self_ = module.get();
    class_ = &detail::AnyModuleClassOf<M>::value;
    module_ = std::move(module);
  }
  template <class M, class = detail::enable_if_module_t<M>>
  explicit AnyModule(M&& module)
      : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <class M>
  explicit AnyModule(const ModuleHolder<M>& module_holder) : AnyModule(module_holder.ptr()) {}
  ///@}
  /// Makes an AnyModule of a module that calls `function`.
  template <class F, std::enable_if_t<detail::is_layer_function<F>::value, int> = 0>
  explicit AnyModule(F&& function) : AnyModule(detail::layer_of(std::forward<F>(function))) {}
  /// Replaces the held module by `module`, which is shared.
  template <class M>
  AnyModule& operator=(std::shared_ptr<M> module) {
    return *this = AnyModule(std::move(module));
  }

  /// Returns an AnyModule with a clone of the module. If `device` is given, the clone is on this
  /// device. If this AnyModule is empty, the result is empty.
  AnyModule clone(optional<Device> device = nullopt) const;
  /// Returns whether there is no module. Calls, get(), ptr() and type_info() then throw Error.
  bool is_empty() const noexcept { return module_ == nullptr; }
  /// Calls the module with its hooks. Throws Error if the number or the types of `args` differ from
  /// forward()'s parameters.
  template <class... Args>
  AnyValue any_forward(Args&&... args) {
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Args));
    (values.emplace_back(std::forward<Args>(args)), ...);
    return forward_values(std::move(values));
  }
  /// Calls the module with a vector of arguments.
  AnyValue forward_values(std::vector<AnyValue>&& arguments);
  /// Calls the module and returns its result. Throws Error unless the result's type is exactly
  /// `Result`.
  template <class Result = Tensor, class... Args>
  Result forward(Args&&... args) {
    return any_forward(std::forward<Args>(args)...).template get<Result>();
  }
  /// Returns the module as an object of its class M. `m.get<LinearImpl>()` returns a reference.
  /// `m.get<Linear>()` returns a holder that shares the module. Throws Error if the AnyModule is
  /// empty or holds a module of another class.
  ///@{
  template <class M, class = detail::enable_if_module_t<M>>
  M& get() {
    return *static_cast<M*>(checked(typeid(M), "get"));
  }
  template <class M, class = detail::enable_if_module_t<M>>
  const M& get() const {
    return *static_cast<const M*>(checked(typeid(M), "get"));
  }
  template <class Holder, class Contained = typename Holder::ContainedType>
  Holder get() const {
    return Holder(ptr<Contained>());
  }
  ///@}
  /// Returns a shared pointer to the module, as a Module or as its class M. Throws Error if the
  /// AnyModule is empty or holds a module of another class.
  ///@{
  std::shared_ptr<Module> ptr() const;
  template <class M, class = detail::enable_if_module_t<M>>
  std::shared_ptr<M> ptr() const {
    return std::shared_ptr<M>(module_, static_cast<M*>(checked(typeid(M), "ptr")));
  }
  ///@}
  /// returns the class of the module. Throws Error if there is no module
  const std::type_info& type_info() const;

  /// Returns whether map() can be called: the forward() of the module takes one tensor and returns
  /// a tensor.
  bool maps_tensor() const noexcept { return module_ && class_->map; }
  /// Calls a module that maps a tensor to a tensor, with its hooks and without type checks. Throws
  /// Error if maps_tensor() is false.
  Tensor map(Tensor&& x) const {
    TAPER_CHECK(maps_tensor(),
                "AnyModule: expected a module that maps a tensor to a tensor, got another or none");
    const detail::ModuleScope recorded(*module_);
    return module_->has_hooks() ? map_with_hooks(x) : class_->map(self_, std::move(x));
  }

 private:
  void* checked(const std::type_info& wanted, const char* function) const;
  Tensor map_with_hooks(Tensor x) const;

  std::shared_ptr<Module> module_;
  void* self_ = nullptr;
  const detail::AnyModuleClass* class_ = nullptr;
};

/// Holds an AnyModule with a name, as an element of `Sequential({{"fc", Linear(2, 3)}, ...})`.
class NamedAnyModule {
 public:
  /// Takes a name and a module, like the constructors of AnyModule. Sequential checks the name when
  /// it registers the module.
  ///@{
  NamedAnyModule(std::string name, AnyModule any_module)
      : name_(std::move(name)), module_(std::move(any_module)) {}
  template <class M>
  NamedAnyModule(std::string name, std::shared_ptr<M> module)
      : NamedAnyModule(std::move(name), AnyModule(std::move(module))) {}
  template <class M, class = detail::enable_if_layer_t<M>>
  NamedAnyModule(std::string name, M&& module)
      : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}
  template <class M>
  NamedAnyModule(std::string name, const ModuleHolder<M>& module_holder)
      : NamedAnyModule(std::move(name), AnyModule(module_holder)) {}
  ///@}

  const std::string& name() const noexcept { return name_; }  ///< returns the name as given
  /// Returns the module. The reference is valid while this object exists.
  ///@{
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }
  ///@}

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop

/// Declares, inside a module class, the default values of forward()'s last parameters, for calls
/// through an AnyModule. Each macro argument is {index, AnyValue(default)}, in the order of the
/// parameters.
#define TAPER_FORWARD_HAS_DEFAULT_ARGS(...)                                         \
  bool _forward_has_default_args() override { return true; }                        \
  unsigned int _forward_num_required_args() override {                              \
    return ::taper::nn::detail::DefaultArguments{__VA_ARGS__}[0].first;             \
  }                                                                                 \
  std::vector<::taper::nn::AnyValue> _forward_populate_default_args(                \
      std::vector<::taper::nn::AnyValue>&& arguments) override {                    \
    return ::taper::nn::detail::with_defaults(std::move(arguments), {__VA_ARGS__}); \
  }
