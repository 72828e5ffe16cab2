// Cloneable: what a module derives from to have clone().
#pragma once

#include <string>
#include <typeinfo>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// A module that can be copied with all below it: `struct NetImpl : Cloneable<NetImpl>`. The class
/// registers everything in reset(), which its constructors call: a clone is a copy of the object
/// (its options) on which reset() has made new parameters, which then get the original's values.
template <class Derived>
class Cloneable : public virtual Module {
 public:
  using Module::Module;

  /// Makes and registers parameters, buffers and submodules, with fresh initial values.
  virtual void reset() = 0;
  /// A copy of this class with copies of all parameters, buffers and submodules, on `device` if
  /// given, and with the same hooks. Other members are copied by the class's copy constructor.
  /// Throws Error where reset() does not register as many as this module has.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;

 private:
  std::string member_bytes() const final;
  void clone_(Module& other, const optional<Device>& device) final;
};

// Not inside the class: there they would be inline, and `extern template` would not keep compilers
// from instantiating them in every file that includes a module.
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
