// AnyValue: holds one value of any type, such as an argument or a result of a module in an
// AnyModule.
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
/// Returns the C++ name of a type. Taper's types get LibTorch's namespace (torch::).
std::string demangle(const char* name);
inline std::string demangle(const std::type_info& type) { return demangle(type.name()); }
[[noreturn]] void throw_wrong_any_value(const std::type_info& wanted, const std::type_info& held);
}  // namespace detail

/// Holds a copy of any copyable value. get<T>() returns the value only if its type is exactly T.
class AnyValue {
 public:
  /// Copies or moves the value. A copied tensor shares memory with the original. After a move, you
  /// can only destroy the source, or assign to it.
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
  /// Copies or moves `value`. The stored type is std::decay_t<T>.
  template <class T>
  explicit AnyValue(T&& value) : content_(new Holder<std::decay_t<T>>(std::forward<T>(value))) {}

  /// Returns a pointer to the value if it is a T, and otherwise null.
  template <class T>
  T* try_get() {
    static_assert(!std::is_reference<T>::value && !std::is_array<T>::value,
                  "AnyValue stores decayed types: ask for T or T*, not for T& or T[]");
    if (typeid(T) != content_->type) return nullptr;
    return &static_cast<Holder<T>&>(*content_).value;
  }
  /// Returns a copy of the value. Throws Error if it is not a T.
  template <class T>
  T get() {
    if (T* value = try_get<T>()) return *value;
    detail::throw_wrong_any_value(typeid(T), type_info());
  }
  /// Returns the type of the value.
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
