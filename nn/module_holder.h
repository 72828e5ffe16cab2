// ModuleHolder: a shared_ptr to a module. Programs use it like the module.
#pragma once

#include <memory>
#include <ostream>
#include <typeinfo>

#include <taper/nn/module_hooks.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

[[noreturn]] void throw_empty_holder(const std::type_info& module);

template <class T, class Contained, bool = is_module_holder<T>::value>
struct is_module_holder_of : std::false_type {};
template <class T, class Contained>
struct is_module_holder_of<T, Contained, true>
    : std::is_same<typename std::decay_t<T>::ContainedType, Contained> {};

}  // namespace detail

/// Holds a shared pointer to a module of class `Contained`. Copies share the module. A holder made
/// from nullptr is empty. Functions that need the module then throw Error.
///
///     nn::Linear linear(3, 4);  // a ModuleHolder<LinearImpl>
///     Tensor y = linear(x);     // forward() with hooks
///     linear->weight.sum();     // a member of the module
template <class Contained>
class ModuleHolder : detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;  ///< the module class
  using Impl = Contained;           ///< ContainedType, as in LibTorch

  ModuleHolder() : impl_(std::make_shared<Contained>()) { impl_->template is_a<Contained>(); }
  ModuleHolder(std::nullptr_t) {}  ///< makes an empty holder
  /// Makes a holder of `module`. A null pointer makes an empty holder.
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}
  /// Makes the module. The arguments go to the module's constructor.
  template <class Head, class... Tail,
            class = std::enable_if_t<!(detail::is_module_holder_of<Head, Contained>::value &&
                                       sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(make(0, std::forward<Head>(head), std::forward<Tail>(tail)...)) {
    impl_->template is_a<Contained>();
  }

  /// returns whether there is a module
  explicit operator bool() const noexcept { return impl_ != nullptr; }
  /// returns whether there is no module
  bool is_empty() const noexcept { return impl_ == nullptr; }
  Contained* operator->() { return get(); }  ///< accesses the module, or throws Error if empty
  /// accesses the module, or throws Error if empty
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }  ///< returns the module, or throws Error if empty
  /// returns the module, or throws Error if empty
  const Contained& operator*() const { return *get(); }
  /// Returns a pointer to the module. It is valid while a holder of the module exists. Throws Error
  /// if the holder is empty.
  Contained* get() {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_.get();
  }
  /// Returns a pointer to the module. It is valid while a holder of the module exists. Throws Error
  /// if the holder is empty.
  const Contained* get() const {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_.get();
  }
  /// Returns the shared pointer to the module. Throws Error if the holder is empty.
  const std::shared_ptr<Contained>& ptr() const {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_;
  }

  /// Calls forward() of the module, and its hooks.
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return detail::call_module(*get(), std::forward<Args>(args)...);
  }
  /// Calls operator[] of the module. It returns an element of a container, such as Sequential or
  /// ModuleList.
  template <class Arg>
  decltype(auto) operator[](Arg&& arg) {
    return (*get())[std::forward<Arg>(arg)];
  }

 protected:
  std::shared_ptr<Contained> impl_;  ///< null if empty

 private:
  template <class... Args>
  static auto make(int, Args&&... args) -> decltype(new Contained(std::forward<Args>(args)...)) {
    return new Contained(std::forward<Args>(args)...);
  }
  template <class... Args>
  static Contained* make(long, Args&&...) {
    static_assert(
        !sizeof(Contained*),
        "no constructor of this module takes these arguments: further options have names, "
        "as in nn::Conv2d(nn::Conv2dOptions(1, 8, 3).stride(1).padding(1))");
    return nullptr;
  }
};

/// Print, save and load the module, with the operators of Module. Throw Error if the holder is
/// empty.
///@{
template <class Contained>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<Contained>& module) {
  return stream << static_cast<const Module&>(*module);
}
template <class Contained>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const ModuleHolder<Contained>& module) {
  return archive << std::shared_ptr<Module>(module.ptr());
}
template <class Contained>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    ModuleHolder<Contained>& module) {
  return archive >> std::shared_ptr<Module>(module.ptr());
}
///@}

}  // namespace torch::taper::nn

#pragma GCC visibility pop

/// Defines `Name`, the holder of the module class `NameImpl`. `Name` is an alias, because a class
/// for each module would cost every file half a second of compile time.
#define TAPER_MODULE(Name) using Name = ::taper::nn::ModuleHolder<Name##Impl>
/// Defines the holder as a class. A program can forward-declare a class, but not an alias.
#define TAPER_MODULE_CLASS(Name, ImplType)                   \
  class Name : public ::taper::nn::ModuleHolder<ImplType> {  \
   public:                                                   \
    using ::taper::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                  \
  }
