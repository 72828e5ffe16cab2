// Reference counting inside the object: one word, no control block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__GLIBC__)
#include <sys/single_threaded.h>
#endif

#pragma GCC visibility push(default)

namespace taper {

/// A count that uses plain arithmetic while the process has one thread (glibc tells), and atomic
/// arithmetic from then on. An uncontended locked increment costs more than a small kernel.
class RefCount {
 public:
  void increment() {
    if (single_threaded())
      n_.store(n_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      n_.fetch_add(1, std::memory_order_relaxed);
  }
  /// True when this was the last reference.
  bool decrement() {
    if (single_threaded()) {
      const uint32_t left = n_.load(std::memory_order_relaxed) - 1;
      n_.store(left, std::memory_order_relaxed);
      return left == 0;
    }
    return n_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Adds a reference unless the object is already dying.
  bool increment_if_alive() {
    uint32_t n = n_.load(std::memory_order_relaxed);
    while (n != 0)
      if (n_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    return false;
  }
  uint32_t load() const { return n_.load(std::memory_order_acquire); }

 private:
  static bool single_threaded() {
#if defined(__GLIBC__)
    return __libc_single_threaded;
#else
    return false;
#endif
  }
  std::atomic<uint32_t> n_{0};
};

/// Owner of an object that has `RefCount refs` and a static `destroy(T*)`.
template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  intrusive_ptr(std::nullptr_t) {}
  explicit intrusive_ptr(T* p) : p_(p) {
    if (p_) p_->refs.increment();
  }
  intrusive_ptr(const intrusive_ptr& o) : intrusive_ptr(o.p_) {}
  intrusive_ptr(intrusive_ptr&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  template <class U>
  intrusive_ptr(const intrusive_ptr<U>& o) : intrusive_ptr(static_cast<T*>(o.get())) {}
  template <class U>
  intrusive_ptr(intrusive_ptr<U>&& o) noexcept : p_(o.release()) {}
  ~intrusive_ptr() { drop(p_); }
  intrusive_ptr& operator=(const intrusive_ptr& o) {
    intrusive_ptr(o).swap(*this);
    return *this;
  }
  intrusive_ptr& operator=(intrusive_ptr&& o) noexcept {
    intrusive_ptr(std::move(o)).swap(*this);
    return *this;
  }
  /// Takes over a reference that was counted already.
  static intrusive_ptr adopt(T* p) {
    intrusive_ptr r;
    r.p_ = p;
    return r;
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool defined() const { return p_ != nullptr; }
  T* release() {
    T* p = p_;
    p_ = nullptr;
    return p;
  }
  void reset() {
    drop(p_);
    p_ = nullptr;
  }
  void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }
  size_t use_count() const { return p_ ? p_->refs.load() : 0; }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ == b.p_; }
  friend bool operator!=(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ != b.p_; }
  friend bool operator==(const intrusive_ptr& a, std::nullptr_t) { return a.p_ == nullptr; }
  friend bool operator!=(const intrusive_ptr& a, std::nullptr_t) { return a.p_ != nullptr; }

 private:
  static void drop(T* p) {
    if (p && p->refs.decrement()) T::destroy(p);
  }
  T* p_ = nullptr;
};

/// The base of a program's own classes that intrusive_ptr is to own.
struct intrusive_ptr_target {
  RefCount refs;
  intrusive_ptr_target() = default;
  intrusive_ptr_target(const intrusive_ptr_target&) {}
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) { return *this; }
  virtual ~intrusive_ptr_target() = default;
  static void destroy(intrusive_ptr_target* p) { delete p; }
};

/// A new T with one owner.
template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  return intrusive_ptr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace taper

#pragma GCC visibility pop
