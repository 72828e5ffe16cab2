// ParameterList and ParameterDict: containers of parameters, without a forward().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Registers tensors as parameters under their indices.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  /// Iterates over OrderedDict::Item, which has key() and value().
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;  ///< const iterator

  ParameterListImpl() = default;
  /// Appends the tensors like append().
  template <class... Tensors>
  explicit ParameterListImpl(Tensors&&... params) {
    (append(Tensor(std::forward<Tensors>(params))), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Appends a tensor. Its requires_grad does not change.
  void append(Tensor param);
  /// Appends the value of the item.
  void append(const OrderedDict<std::string, Tensor>::Item& item) { append(item.value()); }
  /// Appends all tensors of another list, or of a std::vector<Tensor>.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& param : container) append(param);
  }
  /// Appends all parameters of a list, which may be this list. The tensors are shared.
  void extend(const ParameterListImpl& list) {
    for (const Tensor& param : list.parameters_.values()) append(param);  // copies: it may be this
  }
  /// Calls extend().
  template <class Container>
  ParameterListImpl& operator+=(const Container& container) {
    extend(container);
    return *this;
  }
  /// Iterates over names ("0", "1", ...) and parameters. Iterators are valid until a parameter is
  /// added.
  ///@{
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  ///@}
  size_t size() const noexcept { return parameters_.size(); }  ///< number of parameters
  bool is_empty() const noexcept { return size() == 0; }       ///< whether there are no parameters
  /// Returns a reference to the parameter at an index. The reference is valid until a parameter is
  /// added. A tensor assigned to it replaces the parameter. Throws Error if the index is out of
  /// range.
  ///@{
  Tensor& at(size_t index) { return parameters_[checked(index)].value(); }
  const Tensor& at(size_t index) const { return parameters_[checked(index)].value(); }
  Tensor& operator[](size_t index) { return at(index); }
  const Tensor& operator[](size_t index) const { return at(index); }
  ///@}

 private:
  size_t checked(size_t index) const;
};
TAPER_LIBRARY_MODULE(ParameterList);

/// Registers tensors as parameters under their keys.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  /// Iterates over OrderedDict::Item, which has key() and value().
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;  ///< const iterator

  ParameterDictImpl() = default;
  /// Inserts each item like insert(). The tensors are shared.
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& params);

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Inserts a tensor. Its requires_grad does not change. Throws Error if the key is already used.
  Tensor& insert(std::string key, Tensor param);
  /// Removes a parameter and returns it. Throws Error if the key is missing.
  Tensor pop(const std::string& key);
  std::vector<std::string> keys() const;  ///< keys in the order of insertion
  std::vector<Tensor> values() const;     ///< parameters in the order of insertion, shared
  /// Iterates over keys and parameters in the order of insertion. Iterators are valid until a
  /// parameter is added or removed.
  ///@{
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  ///@}
  size_t size() const noexcept { return parameters_.size(); }  ///< number of parameters
  bool empty() const noexcept { return size() == 0; }          ///< whether there are no parameters
  /// Replaces parameters by the parameters with the same keys in another dictionary. If this
  /// dictionary does not have one of the keys, throws Error and changes nothing.
  template <class Container>
  void update(const Container& container) {
    for (auto& item : container) parameters_[item.key()];
    for (auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear();  ///< removes all parameters. Other handles to the tensors stay valid
  /// Returns whether a parameter has this key.
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  /// Returns a reference to the parameter of a key. The reference is valid until a parameter is
  /// added or removed. Throws Error if the key is missing.
  ///@{
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
  ///@}
};
TAPER_LIBRARY_MODULE(ParameterDict);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
