// Sequential: modules called one after another.
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include <taper/nn/any_module.h>
#include <taper/nn/cloneable.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Feeds its arguments to the first module and each result to the next. Children are named by their
/// position ("0", "1", ...) unless names are given. See AnyModule for what may be an element.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;             ///< of elements
  using ConstIterator = std::vector<AnyModule>::const_iterator;  ///< likewise, const

  SequentialImpl() = default;
  /// From modules, holders of modules, shared pointers to modules.
  template <class... Modules>
  explicit SequentialImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }
  /// Named modules, in that order; they are shared. Throws Error for a name given twice.
  ///@{
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules);
  ///@}

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// `Result` is the type that the last module returns. Throws when the sequence is empty or a
  /// module does not take what the one before returns.
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

  /// Appends a module, under its position unless a name is given: a pointer's, a holder's and an
  /// AnyModule's is shared, a module itself is copied or moved. Throws Error for an empty one and
  /// for a name that is there already, is empty or has a dot.
  ///@{
  template <class M>
  void push_back(std::shared_ptr<M> module) {
    push_back(next_name(), AnyModule(std::move(module)));
  }
  template <class M>
  void push_back(std::string name, std::shared_ptr<M> module) {
    push_back(std::move(name), AnyModule(std::move(module)));
  }
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(M&& module) {
    push_back(next_name(), AnyModule(std::forward<M>(module)));
  }
  template <class M, class = detail::enable_if_module_t<M>>
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
  /// Appends all elements of another sequence, or a second time its own; modules are shared.
  template <class Container>
  void extend(const Container& container) {
    if constexpr (std::is_base_of<SequentialImpl, Container>::value)  // a copy: it may be this
      extend(std::vector<AnyModule>(container.begin(), container.end()));
    else
      for (const auto& module : container) push_back(module);
  }

  /// AnyModules in order, until one is added. What is assigned through one is called, but not
  /// registered.
  ///@{
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  ///@}
  size_t size() const noexcept { return modules_.size(); }  ///< number of modules
  /// No modules: forward() throws Error.
  bool is_empty() const noexcept { return modules_.empty(); }
  /// The module at a position as its class. Throws when out of range or of another class.
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
  /// The same as a pointer. Throws Error when out of range or of another class.
  ///@{
  std::shared_ptr<Module> ptr(size_t index) const { return modules_[checked(index)].ptr(); }
  template <class M>
  std::shared_ptr<M> ptr(size_t index) const {
    return modules_[checked(index)].ptr<M>();
  }
  ///@}
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }  ///< ptr(index)

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

/// Holds a SequentialImpl: `Sequential(Linear(2, 3), ReLU())`, or with names `Sequential({{"fc",
/// Linear(2, 3)}, {"act", ReLU()}})`.
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;  ///< what it holds
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules);  ///< modules under names
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
