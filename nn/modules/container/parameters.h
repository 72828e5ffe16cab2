// ParameterList and ParameterDict: parameters without a forward().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/nn/modules/common.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Registers its tensors as parameters under their positions.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterListImpl() = default;
  template <class... Tensors>
  explicit ParameterListImpl(Tensors&&... params) {
    (append(Tensor(std::forward<Tensors>(params))), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Keeps the tensor's requires_grad.
  void append(Tensor param);
  void append(const OrderedDict<std::string, Tensor>::Item& item) { append(item.value()); }
  /// Appends all elements of another list, or of a std::vector<Tensor>.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& param : container) append(param);
  }
  void extend(const ParameterListImpl& list) {
    for (const Tensor& param : list.parameters_.values()) append(param);  // copies: it may be this
  }
  template <class Container>
  ParameterListImpl& operator+=(const Container& container) {
    extend(container);
    return *this;
  }
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  size_t size() const noexcept { return parameters_.size(); }
  bool is_empty() const noexcept { return size() == 0; }
  Tensor& at(size_t index) { return parameters_[checked(index)].value(); }
  const Tensor& at(size_t index) const { return parameters_[checked(index)].value(); }
  Tensor& operator[](size_t index) { return at(index); }
  const Tensor& operator[](size_t index) const { return at(index); }

 private:
  size_t checked(size_t index) const;
};
TAPER_LIBRARY_MODULE(ParameterList);

/// Registers its tensors as parameters under their keys.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& params);

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Keeps the tensor's requires_grad. Throws when the key is there already.
  Tensor& insert(std::string key, Tensor param);
  /// Removes a parameter and returns it. Throws when the key is not there.
  Tensor pop(const std::string& key);
  std::vector<std::string> keys() const;
  std::vector<Tensor> values() const;
  Iterator begin() { return parameters_.begin(); }
  ConstIterator begin() const { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator end() const { return parameters_.end(); }
  size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// Replaces parameters by those of the same keys in another dictionary. Throws, before anything
  /// is replaced, when a key is not there.
  template <class Container>
  void update(const Container& container) {
    for (auto& item : container) parameters_[item.key()];
    for (auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear();
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
};
TAPER_LIBRARY_MODULE(ParameterDict);

}  // namespace taper::nn

#pragma GCC visibility pop
