// AnyValue: one value of any type; what modules in an AnyModule take and return.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {
/// A type's name as C++ writes it; Taper's own types under LibTorch's namespace.
std::string demangle(const char* name);
inline std::string demangle(const std::type_info& type) { return demangle(type.name()); }
[[noreturn]] void throw_wrong_any_value(const std::type_info& wanted, const std::type_info& held);
}  // namespace detail

/// Holds a copy of any copyable value, and gives it back only as the very type it was.
class AnyValue {
 public:
  /// A copy has a copy of the value; a tensor's shares its memory. One that was moved from holds
  /// nothing: it may only be assigned to or destroyed.
  ///@{
  AnyValue(AnyValue&&) noexcept = default;
  AnyValue& operator=(AnyValue&&) noexcept = default;
  AnyValue(const AnyValue& other) : content_(other.content_->clone()) {}
  AnyValue(AnyValue& other) : AnyValue(static_cast<const AnyValue&>(other)) {}
  AnyValue& operator=(const AnyValue& other) {
    content_ = other.content_->clone();
    return *this;
  }
  ///@}
  /// Holds a copy of `value`, or what it was moved into, as its decayed type.
  template <class T>
  explicit AnyValue(T&& value) : content_(new Holder<std::decay_t<T>>(std::forward<T>(value))) {}

  /// A pointer to the value when it is a T, else null.
  template <class T>
  T* try_get() {
    static_assert(!std::is_reference<T>::value && !std::is_array<T>::value,
                  "AnyValue stores decayed types: ask for T or T*, not for T& or T[]");
    if (typeid(T) != content_->type) return nullptr;
    return &static_cast<Holder<T>&>(*content_).value;
  }
  /// A copy of the value. Throws when it is not a T.
  template <class T>
  T get() {
    if (T* value = try_get<T>()) return *value;
    detail::throw_wrong_any_value(typeid(T), type_info());
  }
  /// Of the value that is held.
  const std::type_info& type_info() const noexcept { return content_->type; }

 private:
  struct Placeholder {
    explicit Placeholder(const std::type_info& t) : type(t) {}
    virtual ~Placeholder() = default;
    virtual std::unique_ptr<Placeholder> clone() const = 0;
    const std::type_info& type;
  };
  template <class T>
  struct Holder final : Placeholder {
    template <class U>
    explicit Holder(U&& v) : Placeholder(typeid(T)), value(std::forward<U>(v)) {}
    std::unique_ptr<Placeholder> clone() const override {
      return std::unique_ptr<Placeholder>(new Holder(value));
    }
    T value;
  };
  std::unique_ptr<Placeholder> content_;
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
