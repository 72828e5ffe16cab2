// A fiber that runs work again and again, with its own stack, under AddressSanitizer too.
#pragma once

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <functional>

#include <taper/framework/core/check.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace torch::taper::testing {

/// Stacks for fibers, side by side, with pages between them that end the program when touched.
class Stacks {
 public:
  explicit Stacks(size_t count) : nbytes_(count * kBytes) {
    void* const p = mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TAPER_CHECK(p != MAP_FAILED, "blocks: expected memory for ", count, " stacks, got none");
    base_ = static_cast<char*>(p);
    for (size_t i = 0; i < count; ++i) mprotect(base_ + i * kBytes, kGuard, PROT_NONE);
  }
  ~Stacks() { munmap(base_, nbytes_); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  /// Less than all: tops at the same place of their pages would share few lines of the caches.
  static constexpr size_t size(size_t i) { return kBytes - kGuard - i % 64 * (17 * 64); }
  char* bottom(size_t i) const { return base_ + i * kBytes + kGuard; }
  bool holds(const void* p) const {
    return reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(base_) < nbytes_;
  }

 private:
  static constexpr size_t kBytes = size_t{256} << 10, kGuard = 4096;
  size_t nbytes_;
  char* base_;
};

class Fiber {
 public:
  /// `work` runs to its end, and then again. A fiber that goes away in the middle of its work
  /// leaves its frames as they are.
  Fiber(char* bottom, size_t size, std::function<void()> work)
      : bottom_(bottom), size_(size), work_(std::move(work)) {
    own_ = boost::context::detail::make_fcontext(bottom + size, size, &Fiber::begin);
  }
  /// AddressSanitizer keeps megabytes for each fiber, which only the fiber's last switch gives
  /// back.
  ~Fiber() {
    ends_ = true;
    if (is_between_works_) resume();
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it on to its next leave().
  void resume() {
    void* fake = nullptr;
    before_switch(&fake, bottom_, size_);
    own_ = boost::context::detail::jump_fcontext(own_, this).fctx;
    after_switch(fake, nullptr, nullptr);
  }
  /// Inside of the fiber: back to who has resumed it.
  void leave() {
    void* fake = nullptr;
    before_switch(&fake, caller_bottom_, caller_size_);
    caller_ = boost::context::detail::jump_fcontext(caller_, nullptr).fctx;
    after_switch(fake, &caller_bottom_, &caller_size_);
  }

 private:
  static void begin(boost::context::detail::transfer_t from) {
    Fiber* const fiber = static_cast<Fiber*>(from.data);
    after_switch(nullptr, &fiber->caller_bottom_, &fiber->caller_size_);
    fiber->caller_ = from.fctx;
    while (!fiber->ends_) {
      fiber->is_between_works_ = false;
      fiber->work_();
      fiber->is_between_works_ = true;
      fiber->leave();
    }
    before_switch(nullptr, fiber->caller_bottom_, fiber->caller_size_);
    boost::context::detail::jump_fcontext(fiber->caller_, nullptr);
  }
#if defined(__SANITIZE_ADDRESS__)
  static void before_switch(void** fake, const void* bottom, size_t size) {
    __sanitizer_start_switch_fiber(fake, bottom, size);
  }
  static void after_switch(void* fake, const void** bottom, size_t* size) {
    __sanitizer_finish_switch_fiber(fake, bottom, size);
  }
#else
  static void before_switch(void**, const void*, size_t) {}
  static void after_switch(void*, const void**, size_t*) {}
#endif

  char* bottom_;
  size_t size_;
  std::function<void()> work_;
  boost::context::detail::fcontext_t own_ = nullptr, caller_ = nullptr;
  const void* caller_bottom_ = nullptr;
  size_t caller_size_ = 0;
  bool is_between_works_ = false, ends_ = false;
};

}  // namespace torch::taper::testing
