// Cloneable: the base class of modules with clone().
#pragma once

#include <string>
#include <typeinfo>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Adds deep copies to a module class: `struct NetImpl : Cloneable<NetImpl>`. The class registers
/// its parameters, buffers and submodules in reset(), and its constructors call reset(). clone()
/// first copies the object with the copy constructor. Then it calls reset(), which makes new
/// parameters, and copies the original's values into them.
template <class Derived>
class Cloneable : public virtual Module {
 public:
  using Module::Module;

  /// Creates and registers parameters, buffers and submodules, with fresh initial values.
  virtual void reset() = 0;
  /// Returns a deep copy: parameters, buffers and submodules are copied. If `device` is given, the
  /// copies are on this device. The copy shares the hooks. The copy constructor of the class copies
  /// all other members. Throws Error if reset() registers fewer or more tensors and submodules than
  /// this module has.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;

 private:
  std::string member_bytes() const final;
  void clone_(Module& other, const optional<Device>& device) final;
};

// These functions are defined outside the class, because functions inside it are inline. Compilers
// would instantiate inline functions in every file that includes a module, despite `extern
// template`.
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
  if (typeid(self) != typeid(Derived)) return {};  // a derived class, whose size is unknown here
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
