// ParameterList and ParameterDict: parameters without a forward().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Registers its tensors as parameters under their positions.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  /// Of OrderedDict::Item: key() and value().
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;  ///< likewise, const

  ParameterListImpl() = default;
  /// From tensors, as append().
  template <class... Tensors>
  explicit ParameterListImpl(Tensors&&... params) {
    (append(Tensor(std::forward<Tensors>(params))), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Keeps the tensor's requires_grad.
  void append(Tensor param);
  /// Its value.
  void append(const OrderedDict<std::string, Tensor>::Item& item) { append(item.value()); }
  /// Appends all elements of another list, or of a std::vector<Tensor>.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& param : container) append(param);
  }
  /// The same of a list, which may be this one; the tensors are shared.
  void extend(const ParameterListImpl& list) {
    for (const Tensor& param : list.parameters_.values()) append(param);  // copies: it may be this
  }
  /// extend().
  template <class Container>
  ParameterListImpl& operator+=(const Container& container) {
    extend(container);
    return *this;
  }
  /// Names ("0", "1", ...) and parameters in order, until one is added.
  ///@{
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  ///@}
  size_t size() const noexcept { return parameters_.size(); }  ///< number of parameters
  bool is_empty() const noexcept { return size() == 0; }       ///< no parameters
  /// The parameter at a position, the list's own handle: until one is added. A tensor assigned to
  /// it takes its place in the list. Throws Error when out of range.
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

/// Registers its tensors as parameters under their keys.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  /// Of OrderedDict::Item: key() and value().
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;  ///< likewise, const

  ParameterDictImpl() = default;
  /// As insert() of each item: the tensors are shared.
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& params);

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Keeps the tensor's requires_grad. Throws when the key is there already.
  Tensor& insert(std::string key, Tensor param);
  /// Removes a parameter and returns it. Throws when the key is not there.
  Tensor pop(const std::string& key);
  std::vector<std::string> keys() const;  ///< in the order of insertion
  std::vector<Tensor> values() const;     ///< in the same order: the parameters themselves
  /// Keys and parameters in the order of insertion, until one is added or removed.
  ///@{
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  ///@}
  size_t size() const noexcept { return parameters_.size(); }  ///< number of parameters
  bool empty() const noexcept { return size() == 0; }          ///< no parameters
  /// Replaces parameters by those of the same keys in another dictionary. Throws, before anything
  /// is replaced, when a key is not there.
  template <class Container>
  void update(const Container& container) {
    for (auto& item : container) parameters_[item.key()];
    for (auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear();  ///< removes all parameters; tensors that hold them stay
  /// Whether there is a parameter of that key.
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  /// The parameter of a key, the dictionary's own handle: until one is added or removed. Throws
  /// Error when it is not there.
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
