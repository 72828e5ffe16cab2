// Sequential: calls modules one after another.
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include <taper/nn/any_module.h>
#include <taper/nn/cloneable.h>
#include <taper/nn/modules/container/functional.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Calls modules in order. The first module gets the arguments. Each other module gets the result
/// of the module before it. The names of the modules are "0", "1", ... unless names are given. The
/// modules must meet the requirements of AnyModule.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;             ///< iterates over AnyModule
  using ConstIterator = std::vector<AnyModule>::const_iterator;  ///< iterates over const AnyModule

  SequentialImpl() = default;
  /// Appends modules, holders of modules, shared pointers to modules, or functions, like
  /// push_back().
  template <class... Modules>
  explicit SequentialImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }
  /// Appends named modules in order. The modules are shared, not copied. Throws Error if a name
  /// occurs twice.
  ///@{
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules);
  ///@}

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Calls all modules. `Result` is the type that the last module returns. Throws Error if the
  /// sequence is empty, or if a module does not accept the result of the module before it.
  template <class Result = Tensor, class... Inputs>
  Result forward(Inputs&&... inputs) {
    if constexpr (std::is_same<Result, Tensor>::value && sizeof...(Inputs) == 1 &&
                  (std::is_same<std::decay_t<Inputs>, Tensor>::value && ...)) {
      return forward_tensor(Tensor(std::forward<Inputs>(inputs)...));
    } else {
      std::vector<AnyValue> values;
      values.reserve(sizeof...(Inputs));
      (values.emplace_back(std::forward<Inputs>(inputs)), ...);
      AnyValue y = forward_values(std::move(values));
      if (Result* result = y.template try_get<Result>()) return std::move(*result);
      throw_wrong_result(y.type_info(), typeid(Result));
    }
  }

  /// Appends a module or a function. If no name is given, the module's name is its index. Given a
  /// pointer, a holder or an AnyModule, the Sequential shares the module. Given a module object,
  /// the Sequential copies or moves it. Throws Error for an empty pointer, and for a name that is
  /// used, empty or contains a dot.
  ///@{
  template <class M>
  void push_back(std::shared_ptr<M> module) {
    push_back(next_name(), AnyModule(std::move(module)));
  }
  template <class M>
  void push_back(std::string name, std::shared_ptr<M> module) {
    push_back(std::move(name), AnyModule(std::move(module)));
  }
  template <class M, class = detail::enable_if_layer_t<M>>
  void push_back(M&& module) {
    push_back(next_name(), AnyModule(std::forward<M>(module)));
  }
  template <class M, class = detail::enable_if_layer_t<M>>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& module_holder) {
    push_back(next_name(), AnyModule(module_holder));
  }
  template <class M>
  void push_back(std::string name, const ModuleHolder<M>& module_holder) {
    push_back(std::move(name), AnyModule(module_holder));
  }
  void push_back(AnyModule any_module) { push_back(next_name(), std::move(any_module)); }
  void push_back(std::string name, AnyModule any_module);
  ///@}
  /// Appends all modules of another Sequential, or of this Sequential. The modules are shared, not
  /// copied.
  template <class Container>
  void extend(const Container& container) {
    if constexpr (std::is_base_of<SequentialImpl, Container>::value)  // a copy: it may be this
      extend(std::vector<AnyModule>(container.begin(), container.end()));
    else
      for (const auto& module : container) push_back(module);
  }

  /// Iterates over AnyModules. Iterators are valid until a module is added. If you assign a module
  /// through an iterator, forward() calls it, but it is not registered.
  ///@{
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  ///@}
  size_t size() const noexcept { return modules_.size(); }  ///< number of modules
  /// Returns whether there are no modules. forward() then throws Error.
  bool is_empty() const noexcept { return modules_.empty(); }
  /// Returns the module at an index as an M. Throws Error if the index is out of range or the
  /// module is not an M.
  ///@{
  template <class M>
  M& at(size_t index) {
    return modules_[checked(index)].get<M>();
  }
  template <class M>
  const M& at(size_t index) const {
    return modules_[checked(index)].get<M>();
  }
  ///@}
  /// Returns the module at an index as a pointer. Throws Error if the index is out of range or the
  /// module is not an M.
  ///@{
  std::shared_ptr<Module> ptr(size_t index) const { return modules_[checked(index)].ptr(); }
  template <class M>
  std::shared_ptr<M> ptr(size_t index) const {
    return modules_[checked(index)].ptr<M>();
  }
  ///@}
  /// calls ptr(index)
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }

 private:
  Tensor forward_tensor(Tensor x);
  AnyValue forward_values(std::vector<AnyValue>&& inputs);
  [[noreturn]] static void throw_wrong_result(const std::type_info& held,
                                              const std::type_info& wanted);
  std::string next_name() const { return std::to_string(modules_.size()); }
  size_t checked(size_t index) const;

  std::vector<AnyModule> modules_;
};

extern template class Cloneable<SequentialImpl>;

/// Holds a SequentialImpl.
///
///     Sequential plain(Linear(2, 3), ReLU());
///     Sequential named({{"fc", Linear(2, 3)}, {"act", ReLU()}});
///     Sequential own(Linear(2, 3), [](Tensor x) { return x.relu(); });
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;  ///< the held class
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules);  ///< takes named modules
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
