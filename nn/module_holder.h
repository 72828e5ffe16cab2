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

/// Holds a shared pointer to a `Contained`. Copies share the module. A holder made from nullptr is
/// empty, and using it throws Error.
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
  /// Shares `module`. Null makes an empty holder.
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}
  /// Makes the module with the arguments of its constructor.
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
  /// Returns a pointer to the module, valid while a holder of it exists. Throws Error if empty.
  Contained* get() {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_.get();
  }
  /// Returns a pointer to the module, valid while a holder of it exists. Throws Error if empty.
  const Contained* get() const {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_.get();
  }
  /// Returns the shared pointer to the module. Throws Error if empty.
  const std::shared_ptr<Contained>& ptr() const {
    if (!impl_) detail::throw_empty_holder(typeid(Contained));
    return impl_;
  }

  /// Calls forward() and the hooks of the module.
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return detail::call_module(*get(), std::forward<Args>(args)...);
  }
  /// Calls operator[] of the module, which returns elements of a Sequential, a ModuleList, ...
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

/// Prints, saves and loads the module with the operators of Module. Throws Error if empty.
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

/// Defines the holder `Name` of the module class `NameImpl`. It is an alias and not a class,
/// because hundreds of classes would cost every including file half a second of compile time.
#define TAPER_MODULE(Name) using Name = ::taper::nn::ModuleHolder<Name##Impl>
/// Defines a holder as a class, which a program can forward-declare.
#define TAPER_MODULE_CLASS(Name, ImplType)                   \
  class Name : public ::taper::nn::ModuleHolder<ImplType> {  \
   public:                                                   \
    using ::taper::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                  \
  }
