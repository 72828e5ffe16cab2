// ModuleDict: modules under names, without a forward() of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Registers its modules under their keys, in the order of insertion.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Dict = OrderedDict<std::string, std::shared_ptr<Module>>;  ///< keys and modules
  using Iterator = Dict::Iterator;                                 ///< of Dict::Item
  using ConstIterator = Dict::ConstIterator;                       ///< of const Dict::Item

  ModuleDictImpl() = default;
  /// As update(): shares the modules; of one key given twice the last one stays.
  ///@{
  explicit ModuleDictImpl(
      const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  explicit ModuleDictImpl(const Dict& modules);
  ///@}

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Copies of all pairs; the modules are shared.
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::vector<std::string> keys() const;                ///< in the order of insertion
  std::vector<std::shared_ptr<Module>> values() const;  ///< in the same order, shared
  /// Items in the order of insertion, until a module is added or removed. A module assigned through
  /// one is not registered: use update().
  ///@{
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  ///@}
  size_t size() const noexcept { return modules_.size(); }  ///< number of modules
  bool empty() const noexcept { return size() == 0; }       ///< no modules
  /// Whether there is a module of that key.
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }
  void clear();  ///< unregisters and drops all modules
  /// Removes a module and returns it. Throws when the key is not there.
  std::shared_ptr<Module> pop(const std::string& key);
  /// Adds modules; those of a key that is there are replaced.
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  /// The same from another dictionary: anything whose items have key() and value().
  template <class Container>
  void update(const Container& container) {
    for (auto& item : container) set(item.key(), item.value());
  }
  /// The module of a key, shared. Throws Error when it is not there.
  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  /// The module of a key as its class. Throws when it is not there or of another class.
  ///@{
  template <class M>
  M& at(const std::string& key) {
    return checked_as<M>(key);
  }
  template <class M>
  const M& at(const std::string& key) const {
    return checked_as<M>(key);
  }
  ///@}
  /// The same as a pointer; as another class, null where it is not of that class. Throws Error for
  /// a key that is not there.
  ///@{
  std::shared_ptr<Module> ptr(const std::string& key) const { return modules_[key]; }
  template <class M>
  std::shared_ptr<M> ptr(const std::string& key) const {
    return std::dynamic_pointer_cast<M>(modules_[key]);
  }
  ///@}

 private:
  void set(const std::string& key, std::shared_ptr<Module> module);
  template <class M>
  M& checked_as(const std::string& key) const {
    auto* module = dynamic_cast<M*>(modules_[key].get());
    if (!module) throw_wrong_class(key, typeid(M));
    return *module;
  }
  [[noreturn]] void throw_wrong_class(const std::string& key, const std::type_info& wanted) const;

  Dict modules_;
};
TAPER_LIBRARY_MODULE(ModuleDict);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
