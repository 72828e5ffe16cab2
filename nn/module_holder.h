// ModuleHolder: a shared_ptr to a module that is used like the module itself.
#pragma once

#include <memory>
#include <ostream>

#include <taper/nn/module_hooks.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

[[noreturn]] void throw_empty_holder();

template <class T, class Contained, bool = is_module_holder<T>::value>
struct is_module_holder_of : std::false_type {};
template <class T, class Contained>
struct is_module_holder_of<T, Contained, true>
    : std::is_same<typename std::decay_t<T>::ContainedType, Contained> {};

}  // namespace detail

/// Owns a `Contained` together with its copies, which all stand for the same module. Made from
/// nullptr it is empty, and any use of it then throws.
template <class Contained>
class ModuleHolder : detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;  ///< the module class
  using Impl = Contained;           ///< the same, as in LibTorch

  ModuleHolder() : impl_(std::make_shared<Contained>()) { impl_->template is_a<Contained>(); }
  ModuleHolder(std::nullptr_t) {}  ///< empty
  /// Shares it; null: empty.
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}
  /// Makes the module from the arguments of its constructor.
  template <class Head, class... Tail,
            class = std::enable_if_t<!(detail::is_module_holder_of<Head, Contained>::value &&
                                       sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(new Contained(std::forward<Head>(head), std::forward<Tail>(tail)...)) {
    impl_->template is_a<Contained>();
  }

  explicit operator bool() const noexcept { return impl_ != nullptr; }  ///< not empty
  bool is_empty() const noexcept { return impl_ == nullptr; }           ///< as after nullptr
  Contained* operator->() { return get(); }              ///< the module; Error when empty
  const Contained* operator->() const { return get(); }  ///< the module; Error when empty
  Contained& operator*() { return *get(); }              ///< the module; Error when empty
  const Contained& operator*() const { return *get(); }  ///< the module; Error when empty
  /// The module, for as long as a holder of it lives. Throws Error when empty.
  Contained* get() {
    if (!impl_) detail::throw_empty_holder();
    return impl_.get();
  }
  /// The module, for as long as a holder of it lives. Throws Error when empty.
  const Contained* get() const {
    if (!impl_) detail::throw_empty_holder();
    return impl_.get();
  }
  /// The holder's own pointer. Throws Error when empty.
  const std::shared_ptr<Contained>& ptr() const {
    if (!impl_) detail::throw_empty_holder();
    return impl_;
  }

  /// Calls forward(), and the module's hooks.
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return detail::call_module(*get(), std::forward<Args>(args)...);
  }
  /// The module's own operator[]: elements of a Sequential, a ModuleList, ...
  template <class Arg>
  decltype(auto) operator[](Arg&& arg) {
    return (*get())[std::forward<Arg>(arg)];
  }

 protected:
  std::shared_ptr<Contained> impl_;  ///< null when empty
};

/// Prints, saves and loads the module, as Module's own operators do. Throws Error when empty.
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

/// Defines the holder `Name` of the module class `NameImpl`. It is another name, not a class: a
/// hundred classes with their pointers would cost each file that includes them half a second.
#define TAPER_MODULE(Name) using Name = ::taper::nn::ModuleHolder<Name##Impl>
/// Defines it as a class, which a program can declare beforehand.
#define TAPER_MODULE_CLASS(Name, ImplType)                   \
  class Name : public ::taper::nn::ModuleHolder<ImplType> {  \
   public:                                                   \
    using ::taper::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                  \
  }
