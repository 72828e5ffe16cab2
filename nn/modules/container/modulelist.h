// ModuleList: a list of modules, without a forward().
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Registers modules under their indices.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  /// iterates over pointers to modules
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  /// iterates over const pointers to modules
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  /// Appends modules, holders of modules, or shared pointers to modules, like push_back().
  template <class... Modules>
  explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Appends a module. Its name is its index. Given a pointer or a holder, the list shares the
  /// module. Given a module object, the list copies or moves it. Throws Error for an empty pointer,
  /// and for a module that contains this list.
  ///@{
  void push_back(std::shared_ptr<Module> module);
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(M&& module) {
    push_back(std::shared_ptr<Module>(std::make_shared<std::decay_t<M>>(std::forward<M>(module))));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& module_holder) {
    push_back(std::shared_ptr<Module>(module_holder.ptr()));
  }
  ///@}
  /// Appends all modules of another list, or of this list. The modules are shared, not copied.
  template <class Container>
  void extend(const Container& container) {
    if constexpr (std::is_base_of<ModuleListImpl, Container>::value)  // a copy: it may be this
      extend(std::vector<std::shared_ptr<Module>>(container.begin(), container.end()));
    else
      for (const auto& module : container) push_back(module);
  }
  /// Inserts a module before `index`, like push_back(). The names of the later modules change.
  /// Throws Error for an index above size().
  ///@{
  void insert(size_t index, std::shared_ptr<Module> module);
  template <class M, class = detail::enable_if_module_t<M>>
  void insert(size_t index, M&& module) {
    insert(index,
           std::shared_ptr<Module>(std::make_shared<std::decay_t<M>>(std::forward<M>(module))));
  }
  template <class M>
  void insert(size_t index, const ModuleHolder<M>& module_holder) {
    insert(index, std::shared_ptr<Module>(module_holder.ptr()));
  }
  ///@}

  /// Iterates over pointers. Iterators are valid until a module is added. Do not assign a module
  /// through an iterator, because the module would not be registered.
  ///@{
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  ///@}
  size_t size() const noexcept { return modules_.size(); }     ///< number of modules
  bool is_empty() const noexcept { return modules_.empty(); }  ///< whether there are no modules
  /// Returns the module at an index as an M. Throws Error if the index is out of range or the
  /// module is not an M.
  ///@{
  template <class M>
  M& at(size_t index) {
    return checked_as<M>(index);
  }
  template <class M>
  const M& at(size_t index) const {
    return checked_as<M>(index);
  }
  ///@}
  /// Returns the module at an index as a pointer. ptr<M>() returns null if the module is not an M.
  /// Throws Error if the index is out of range.
  ///@{
  std::shared_ptr<Module> ptr(size_t index) const { return modules_[checked(index)]; }
  template <class M>
  std::shared_ptr<M> ptr(size_t index) const {
    return std::dynamic_pointer_cast<M>(modules_[checked(index)]);
  }
  ///@}
  /// calls ptr(index)
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }

 private:
  template <class M>
  M& checked_as(size_t index) const {
    auto* module = dynamic_cast<M*>(modules_[checked(index)].get());
    if (!module) throw_wrong_class(index, typeid(M));
    return *module;
  }
  size_t checked(size_t index) const;
  [[noreturn]] void throw_wrong_class(size_t index, const std::type_info& wanted) const;

  std::vector<std::shared_ptr<Module>> modules_;
};
TAPER_LIBRARY_MODULE(ModuleList);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
