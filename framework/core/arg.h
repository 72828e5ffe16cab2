// TAPER_ARG: one named argument of an options struct.
#pragma once

#include <utility>

/// Declares a private member `name_` of type T with a setter and a getter `name`. The setter
/// returns the struct, so that calls can be chained. Declarations after the macro are private. A
/// default value may follow the macro: `TAPER_ARG(double, momentum) = 0;`.
#define TAPER_ARG(T, name)                           \
 public:                                             \
  auto name(const T& new_##name)->decltype(*this) {  \
    this->name##_ = new_##name;                      \
    return *this;                                    \
  }                                                  \
  auto name(T&& new_##name)->decltype(*this) {       \
    this->name##_ = std::move(new_##name);           \
    return *this;                                    \
  }                                                  \
  const T& name() const noexcept { return name##_; } \
  T& name() noexcept { return name##_; }             \
                                                     \
 private:                                            \
  T name##_

/// Declares an argument in a base of several structs. Setters return the struct as type Self.
#define TAPER_ARG_OF(Self, T, name)                  \
 public:                                             \
  Self& name(const T& new_##name) {                  \
    this->name##_ = new_##name;                      \
    return static_cast<Self&>(*this);                \
  }                                                  \
  Self& name(T&& new_##name) {                       \
    this->name##_ = std::move(new_##name);           \
    return static_cast<Self&>(*this);                \
  }                                                  \
  const T& name() const noexcept { return name##_; } \
  T& name() noexcept { return name##_; }             \
                                                     \
 private:                                            \
  T name##_
