// The functions that the compiler calls at each access to memory (-fsanitize=thread), in the place
// of ThreadSanitizer's: that knows threads of the program, not threads of a block. The library of
// that sanitizer is not linked.
#include "blocks/runner.h"

namespace {

using taper::cuda::Access;

inline void touch(const void* p, size_t nbytes, Access access, const void* instruction) {
  if (auto* const block = taper::testing::running_block)
    block->touch(p, nbytes, access, taper::testing::Site(instruction));
}
/// An access at one go, which the compiler makes of what is aligned so (of 16 bytes: to 8).
inline void touch_aligned(const void* p, size_t nbytes, Access access, const void* instruction) {
  auto* const block = taper::testing::running_block;
  if (!block) return;
  const taper::testing::Site site(instruction);
  block->check_aligned(p, nbytes < 8 ? nbytes : 8, access, site);
  block->touch(p, nbytes, access, site);
}

}  // namespace

namespace torch::taper::testing {
bool sees_all_accesses() { return true; }
}  // namespace torch::taper::testing

#define ACCESS(name, nbytes, access) \
  void name(void* p) { touch(p, nbytes, Access::access, __builtin_return_address(0)); }
#define ALIGNED_ACCESS(name, nbytes, access) \
  void name(void* p) { touch_aligned(p, nbytes, Access::access, __builtin_return_address(0)); }
#define ACCESSES(nbytes)                                 \
  ALIGNED_ACCESS(__tsan_read##nbytes, nbytes, kRead)     \
  ALIGNED_ACCESS(__tsan_write##nbytes, nbytes, kWrite)   \
  ACCESS(__tsan_unaligned_read##nbytes, nbytes, kRead)   \
  ACCESS(__tsan_unaligned_write##nbytes, nbytes, kWrite) \
  ACCESS(__tsan_volatile_read##nbytes, nbytes, kRead)    \
  ACCESS(__tsan_volatile_write##nbytes, nbytes, kWrite)
#define ATOMICS(bits, T)                                                                       \
  T __tsan_atomic##bits##_load(const T* p, int) {                                              \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
  }                                                                                            \
  void __tsan_atomic##bits##_store(T* p, T v, int) {                                           \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                            \
  T __tsan_atomic##bits##_exchange(T* p, T v, int) {                                           \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
  }                                                                                            \
  T __tsan_atomic##bits##_fetch_add(T* p, T v, int) {                                          \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  T __tsan_atomic##bits##_fetch_sub(T* p, T v, int) {                                          \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  int __tsan_atomic##bits##_compare_exchange_strong(T* p, T* want, T v, int, int) {            \
    touch(p, sizeof(T), Access::kAtomic, __builtin_return_address(0));                         \
    return __atomic_compare_exchange_n(p, want, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* p, size_t nbytes) {
  touch(p, nbytes, Access::kRead, __builtin_return_address(0));
}
void __tsan_write_range(void* p, size_t nbytes) {
  touch(p, nbytes, Access::kWrite, __builtin_return_address(0));
}
ATOMICS(8, uint8_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
}
