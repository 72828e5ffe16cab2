// ModuleList: modules in an order, without a forward() of its own.
#pragma once

#include <string>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Registers its modules under their positions.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  template <class... Modules>
  explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  void push_back(std::shared_ptr<Module> module);
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(M&& module) {
    push_back(std::shared_ptr<Module>(std::make_shared<std::decay_t<M>>(std::forward<M>(module))));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& module_holder) {
    push_back(std::shared_ptr<Module>(module_holder.ptr()));
  }
  /// Appends all elements of another list.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }
  /// Puts a module before the one at `index`; those behind it change their names.
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

  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  /// The module at a position as its class. Throws when out of range or of another class.
  template <class M>
  M& at(size_t index) {
    return checked_as<M>(index);
  }
  template <class M>
  const M& at(size_t index) const {
    return checked_as<M>(index);
  }
  std::shared_ptr<Module> ptr(size_t index) const { return modules_[checked(index)]; }
  template <class M>
  std::shared_ptr<M> ptr(size_t index) const {
    return std::dynamic_pointer_cast<M>(modules_[checked(index)]);
  }
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

}  // namespace taper::nn

#pragma GCC visibility pop
