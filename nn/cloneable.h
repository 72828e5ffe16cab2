// Cloneable: the base class of modules with clone().
#pragma once

#include <string>
#include <typeinfo>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Adds deep copies to a module class: `struct NetImpl : Cloneable<NetImpl>`. The class registers
/// everything in reset(), which its constructors call. To clone, the object with its options is
/// copied. Then reset() makes new parameters, which get the values of the original.
template <class Derived>
class Cloneable : public virtual Module {
 public:
  using Module::Module;

  /// Creates and registers parameters, buffers and submodules, with fresh initial values.
  virtual void reset() = 0;
  /// Returns a deep copy: parameters, buffers and submodules are copied, to `device` if given.
  /// Hooks are shared. The copy constructor copies other members. Throws Error if reset() registers
  /// fewer or more tensors and submodules than this module has.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;

 private:
  std::string member_bytes() const final;
  void clone_(Module& other, const optional<Device>& device) final;
};

// These stand outside the class because functions inside it would be inline. Then `extern template`
// would not stop compilers from instantiating them in every file that includes a module.
template <class Derived>
std::shared_ptr<Module> Cloneable<Derived>::clone(const optional<Device>& device) const {
  NoGradGuard no_grad;
  auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
  Module& base = *copy;
  base.forget_registered();
  copy->reset();
  base.copy_registered_from(*this, device);
  return copy;
}

template <class Derived>
std::string Cloneable<Derived>::member_bytes() const {
  const auto& self = static_cast<const Derived&>(*this);
  if (typeid(self) != typeid(Derived)) return {};  // whose size is not known here
  return detail::bytes_without_base(&self, sizeof(Derived), *this);
}

template <class Derived>
void Cloneable<Derived>::clone_(Module& other, const optional<Device>& device) {
  auto copy = std::dynamic_pointer_cast<Derived>(other.clone(device));
  TAPER_CHECK(copy != nullptr,
              "Attempted to clone submodule, but it is of a different type than "
              "the submodule it was to be cloned into");
  static_cast<Derived&>(*this) = std::move(*copy);
}

}  // namespace torch::taper::nn

#pragma GCC visibility pop
