// Owned: a pointer that owns an object. The owner's header only declares the object's class.
//
// It is a lighter std::unique_ptr. With std::unique_ptr, every program that includes the owner's
// header would compile a tuple and a dozen templates for each class.
#pragma once

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* p) : p_(p) {}
  /// Takes over the object of a std::unique_ptr.
  template <template <class...> class Other, class... Args>
  Owned(Other<Args...>&& other) noexcept : p_(other.release()) {}
  Owned(Owned&& other) noexcept : p_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Owned() { reset(); }

  T* get() const { return p_; }
  T& operator*() const { return *p_; }
  T* operator->() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* release() {
    T* const p = p_;
    p_ = nullptr;
    return p;
  }
  void reset(T* p = nullptr) {
    static_assert(sizeof(T) > 0, "the owner's destructor needs the whole class");
    T* const before = p_;
    p_ = p;
    delete before;
  }

 private:
  T* p_ = nullptr;
};

}  // namespace torch::taper::detail

#pragma GCC visibility pop
