// Reference counting inside the object: one word, no control block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// Returns whether the process has only one thread. Returns false if the C library does not tell
/// this (musl, glibc before 2.32).
inline bool process_has_one_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

/// Adds 1 without memory ordering. It is plain arithmetic while the process has one thread, because
/// an uncontended atomic increment costs more than a small kernel.
inline void count_up(std::atomic<uint32_t>& n) {
  if (__builtin_expect(process_has_one_thread(), 1))
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  else
    n.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace detail

/// A reference count. It uses plain arithmetic while the process has one thread, and atomic
/// arithmetic after that.
class RefCount {
 public:
  /// Adds a reference. The caller holds one already, or has just made the object.
  void increment() { detail::count_up(n_); }
  /// Sets the count of a new object to 1. It is faster than increment(), because it does not read
  /// the count.
  void start() { n_.store(1, std::memory_order_relaxed); }
  /// Removes a reference. Returns true if it was the last one.
  bool decrement() {
    if (__builtin_expect(detail::process_has_one_thread(), 1)) {
      const uint32_t left = n_.load(std::memory_order_relaxed) - 1;
      n_.store(left, std::memory_order_relaxed);
      return left == 0;
    }
    return n_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Adds a reference unless the count is 0. Returns whether it did.
  bool increment_if_alive() {
    uint32_t n = n_.load(std::memory_order_relaxed);
    while (n != 0)
      if (n_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    return false;
  }
  /// Returns the current count. Other threads may change it meanwhile.
  uint32_t load() const { return n_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint32_t> n_{0};
};

/// Owns an object that has `RefCount refs` and a static `destroy(T*)`.
template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  /// Owns nothing.
  intrusive_ptr(std::nullptr_t) {}
  /// Becomes one more owner of `p`, which may be new, owned by others, or null.
  explicit intrusive_ptr(T* p) : p_(p) {
    if (p_) p_->refs.increment();
  }
  /// Copying adds an owner. Moving leaves `o` null and does not change the count. A pointer to a
  /// derived class converts.
  ///@{
  intrusive_ptr(const intrusive_ptr& o) : intrusive_ptr(o.p_) {}
  intrusive_ptr(intrusive_ptr&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  template <class U, class = std::enable_if_t<std::is_convertible<U*, T*>::value>>
  intrusive_ptr(const intrusive_ptr<U>& o) : intrusive_ptr(o.get()) {}
  template <class U, class = std::enable_if_t<std::is_convertible<U*, T*>::value>>
  intrusive_ptr(intrusive_ptr<U>&& o) noexcept : p_(o.release()) {}
  ///@}
  ~intrusive_ptr() { drop(p_); }
  /// Releases the previous object, which is destroyed if this was its last owner.
  ///@{
  intrusive_ptr& operator=(const intrusive_ptr& o) {
    intrusive_ptr(o).swap(*this);
    return *this;
  }
  intrusive_ptr& operator=(intrusive_ptr&& o) noexcept {
    intrusive_ptr(std::move(o)).swap(*this);
    return *this;
  }
  ///@}
  /// Takes over a reference that was counted already.
  static intrusive_ptr adopt(T* p) {
    intrusive_ptr r;
    r.p_ = p;
    return r;
  }
  /// LibTorch's names. reclaim() is adopt(). The other two add a reference to an object that has
  /// owners.
  ///@{
  static intrusive_ptr reclaim(T* p) { return adopt(p); }
  static intrusive_ptr reclaim_copy(T* p) { return intrusive_ptr(p); }
  static intrusive_ptr unsafe_reclaim_from_nonowning(T* p) { return intrusive_ptr(p); }
  ///@}
  /// Return the object, still owned, or null if there is none. * and -> do not check for null.
  ///@{
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  ///@}
  /// Return whether this owns an object.
  ///@{
  explicit operator bool() const { return p_ != nullptr; }
  bool defined() const { return p_ != nullptr; }
  ///@}
  /// Returns a std::shared_ptr that is one more owner. LibTorch's programs hold nodes in this way.
  template <class U, class = std::enable_if_t<std::is_convertible<T*, U*>::value>>
  operator std::shared_ptr<U>() const {
    if (!p_) return nullptr;
    return std::shared_ptr<U>(p_, [owner = *this](U*) {});
  }
  /// Returns the object and sets this pointer to null. The reference stays counted: the caller must
  /// pass the result to adopt() later.
  T* release() {
    T* p = p_;
    p_ = nullptr;
    return p;
  }
  /// Releases the object, which is destroyed if this was its last owner.
  void reset() {
    drop(p_);
    p_ = nullptr;
  }
  void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }  ///< changes no count
  size_t use_count() const { return p_ ? p_->refs.load() : 0; }  ///< owners, 0 for null
  bool unique() const { return use_count() == 1; }               ///< the only owner
  /// Compare addresses, not values.
  ///@{
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ == b.p_; }
  friend bool operator!=(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ != b.p_; }
  friend bool operator<(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ < b.p_; }
  friend bool operator==(const intrusive_ptr& a, std::nullptr_t) { return a.p_ == nullptr; }
  friend bool operator!=(const intrusive_ptr& a, std::nullptr_t) { return a.p_ != nullptr; }
  ///@}

 private:
  static void drop(T* p) {
    if (p && p->refs.decrement()) T::destroy(p);
  }
  T* p_ = nullptr;
};

struct intrusive_ptr_target;

namespace detail {
/// State that all weak pointers to an object share. The first weak pointer makes it. The
/// destruction of the object sets `object` to null.
struct WeakLink {
  explicit WeakLink(intrusive_ptr_target* object) : object(object) {}
  RefCount refs;
  std::mutex mutex;
  intrusive_ptr_target* object;
  static void destroy(WeakLink* link) { delete link; }
};
}  // namespace detail

/// Base of a program's classes that intrusive_ptr owns.
struct intrusive_ptr_target {
  RefCount refs;  ///< number of owners
  intrusive_ptr_target() = default;
  /// A copy starts without owners. Assignment keeps the owners of its target.
  ///@{
  intrusive_ptr_target(const intrusive_ptr_target&) {}
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) { return *this; }
  ///@}
  virtual ~intrusive_ptr_target() = default;
  /// Frees resources. Called when the last owner is gone, before the destructor.
  virtual void release_resources() {}
  /// Destroys the object when the last owner is gone: clears weak pointers, calls
  /// release_resources(), and deletes it. It is not inline, because GCC 12 would report a use after
  /// free for code with several owners.
  [[gnu::noinline]] static void destroy(intrusive_ptr_target* p) {
    if (detail::WeakLink* link = p->link_.load(std::memory_order_acquire)) {
      {
        const std::lock_guard<std::mutex> lock(link->mutex);
        link->object = nullptr;
      }
      intrusive_ptr<detail::WeakLink>::adopt(link);
    }
    p->release_resources();
    delete p;
  }

 private:
  template <class T>
  friend class weak_intrusive_ptr;
  intrusive_ptr<detail::WeakLink> link() {
    detail::WeakLink* link = link_.load(std::memory_order_acquire);
    if (!link) {
      auto* made = new detail::WeakLink(this);
      made->refs.increment();  // the object's own reference
      if (link_.compare_exchange_strong(link, made, std::memory_order_acq_rel))
        link = made;
      else
        delete made;
    }
    return intrusive_ptr<detail::WeakLink>(link);
  }
  std::atomic<detail::WeakLink*> link_{nullptr};
};

/// Refers to an object of a program's class without owning it.
template <class T>
class weak_intrusive_ptr {
 public:
  weak_intrusive_ptr() = default;
  /// Refers to the object of `p`, or to nothing.
  explicit weak_intrusive_ptr(const intrusive_ptr<T>& p)
      : p_(p.get()), link_(p ? p->link() : intrusive_ptr<detail::WeakLink>()) {}
  /// Returns an owner of the object, or null if it is gone.
  intrusive_ptr<T> lock() const {
    if (!link_) return {};
    const std::lock_guard<std::mutex> held(link_->mutex);
    const bool alive = link_->object && p_->refs.increment_if_alive();
    return alive ? intrusive_ptr<T>::adopt(p_) : intrusive_ptr<T>();
  }
  /// Returns the number of owners, 0 if the object is gone.
  size_t use_count() const {
    if (!link_) return 0;
    const std::lock_guard<std::mutex> held(link_->mutex);  // the object stays alive meanwhile
    return link_->object ? p_->refs.load() : 0;
  }
  /// Returns whether the object is gone, or there was none.
  bool expired() const { return use_count() == 0; }
  void reset() { *this = weak_intrusive_ptr(); }  ///< refers to nothing afterwards
  /// Return whether both refer to one object, even if it is gone.
  ///@{
  friend bool operator==(const weak_intrusive_ptr& a, const weak_intrusive_ptr& b) {
    return a.p_ == b.p_ && a.link_ == b.link_;
  }
  friend bool operator!=(const weak_intrusive_ptr& a, const weak_intrusive_ptr& b) {
    return !(a == b);
  }
  ///@}

 private:
  T* p_ = nullptr;
  intrusive_ptr<detail::WeakLink> link_;
};

/// Makes a new T with one owner.
template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  return intrusive_ptr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace torch::taper

template <class T>
struct std::hash<taper::intrusive_ptr<T>> {
  size_t operator()(const taper::intrusive_ptr<T>& p) const { return std::hash<T*>()(p.get()); }
};

#pragma GCC visibility pop
