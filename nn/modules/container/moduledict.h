// ModuleDict: named modules, without a forward().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Registers modules under their keys, in the order of insertion.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Dict = OrderedDict<std::string, std::shared_ptr<Module>>;  ///< keys and modules
  using Iterator = Dict::Iterator;                                 ///< iterates over Dict::Item
  using ConstIterator = Dict::ConstIterator;  ///< iterates over const Dict::Item

  ModuleDictImpl() = default;
  /// Adds the modules like update(). If a key occurs twice, its last module is used.
  ///@{
  explicit ModuleDictImpl(
      const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  explicit ModuleDictImpl(const Dict& modules);
  ///@}

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Returns all pairs of key and module. The modules are shared, not copied.
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::vector<std::string> keys() const;  ///< keys in the order of insertion
  /// modules in the order of insertion, shared
  std::vector<std::shared_ptr<Module>> values() const;
  /// Iterates over items in the order of insertion. Iterators are valid until a module is added or
  /// removed. Do not assign a module through an iterator, because the module would not be
  /// registered. Use update().
  ///@{
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  ///@}
  size_t size() const noexcept { return modules_.size(); }  ///< number of modules
  bool empty() const noexcept { return size() == 0; }       ///< whether there are no modules
  /// Returns whether a module has this key.
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }
  void clear();  ///< unregisters and removes all modules
  /// Removes a module and returns it. Throws Error if the key is missing.
  std::shared_ptr<Module> pop(const std::string& key);
  /// Adds modules, and replaces modules with equal keys.
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  /// Adds the modules of another dictionary. Its items must have key() and value().
  template <class Container>
  void update(const Container& container) {
    for (auto& item : container) set(item.key(), item.value());
  }
  /// Returns the shared module of a key. Throws Error if the key is missing.
  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  /// Returns the module of a key as an M. Throws Error if the key is missing or the module is not
  /// an M.
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
  /// Returns the module of a key as a pointer. ptr<M>() returns null if the module is not an M.
  /// Throws Error if the key is missing.
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
