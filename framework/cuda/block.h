// GPU operations for the threads of a block: thread indices, barriers, shuffles, shared memory,
// atomics. For *_cuda.cu files only, not installed.
//
// Builds with TAPER_CUDA_ON_HOST run kernels on the host. Tests install a BlockRunner
// (tests/blocks) for this. It runs each thread of a block as a fiber, and rejects operations that
// CUDA leaves undefined. Without a BlockRunner, kernels are plain loops that call no barrier and no
// shuffle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

#ifdef __CUDACC__
#define TAPER_DEVICE __device__
#else
#include <exception>
#include <source_location>
#define TAPER_DEVICE
#endif

namespace torch::taper::cuda {

/// One slot of a block's shared memory. A block has kCount slots: one value for each warp, or other
/// data of their total size.
struct alignas(16) Slot {
  static constexpr int kCount = 32;
  char bytes[32];
};

/// The index of a thread's block, the number of blocks of the launch, and the thread's index in its
/// block.
struct ThreadPlace {
  int block, blocks, thread, threads;  // threads: number in a block
};

#ifdef __CUDACC__
/// The source line of a barrier, for block runners on the host. A GPU does not need it.
struct Here {
  TAPER_DEVICE static constexpr Here current() { return {}; }
};
#else
using Here = std::source_location;

enum class Waiters { kWarp, kBlock };
enum class Access { kRead, kWrite, kAtomic };

/// Runs launches on the host, one thread at a time. The kernel's threads call place() and the
/// functions below it, only during run().
class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  /// Runs body(arguments) in each of the `threads` threads of each of `blocks` blocks. It may run
  /// fewer blocks, because kernels loop over the remaining work. `kernel` names the kernel's type.
  /// `arguments` are `nbytes` bytes, which the kernel does not change.
  virtual void run(const char* kernel, int blocks, int threads, void (*body)(const void*),
                   const void* arguments, size_t nbytes) = 0;
  /// Returns the number of threads for a row of `width` elements. A GPU uses `usual` threads.
  virtual int team_for(int64_t width, int usual) = 0;
  virtual ThreadPlace place() const = 0;
  virtual Slot* slots() = 0;
  /// Waits until all threads of the warp or block have called wait(). For messages, `here` is the
  /// kernel's line and `inside` is the line of the function that waits.
  virtual void wait(Waiters waiters, const Here& here, const Here& inside) = 0;
  /// Sets v, a value of `nbytes` bytes, to the v of lane `from` of this warp.
  virtual void shuffle(void* v, size_t nbytes, int from, const Here& here) = 0;
  virtual void touch(const void* p, size_t nbytes, Access access, const Here& here) = 0;
  /// Keeps the first error that kernels report, and throws it when they have ended.
  virtual void report(std::exception_ptr error) = 0;
};
/// The installed runner. If it is null, kernels run as loops, with teams of one thread.
__attribute__((visibility("default"))) extern BlockRunner* block_runner;
#endif

TAPER_DEVICE inline ThreadPlace this_thread() {
#ifdef __CUDACC__
  return {static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), static_cast<int>(threadIdx.x),
          static_cast<int>(blockDim.x)};
#else
  return block_runner->place();
#endif
}

/// Waits for all threads of the block. After this, each thread sees what the others wrote before
/// it. `here` is the line of the kernel, for messages.
TAPER_DEVICE inline void sync_block([[maybe_unused]] Here here,
                                    [[maybe_unused]] Here inside = Here::current()) {
#ifdef __CUDACC__
  __syncthreads();
#else
  block_runner->wait(Waiters::kBlock, here, inside);
#endif
}
TAPER_DEVICE inline void sync_warp([[maybe_unused]] Here here,
                                   [[maybe_unused]] Here inside = Here::current()) {
#ifdef __CUDACC__
  __syncwarp();
#else
  block_runner->wait(Waiters::kWarp, here, inside);
#endif
}

#ifdef __CUDACC__
/// Returns v with each of its words w replaced by shuffle(w), which moves a word between lanes. T
/// must be trivially copyable.
template <class T, class Shuffle>
TAPER_DEVICE T by_words(T v, const Shuffle& shuffle) {
  uint32_t words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &v, sizeof(T));
  for (uint32_t& w : words) w = shuffle(w);
  memcpy(&v, words, sizeof(T));
  return v;
}
#else
template <class T>
T from_lane(T v, int lane, const Here& here) {
  block_runner->shuffle(&v, sizeof v, lane, here);
  return v;
}
inline int this_lane() { return block_runner->place().thread % 32; }
#endif

/// Returns the v of the lane whose index is this lane's index ^ mask. All lanes of a warp must call
/// a shuffle.
template <class T>
TAPER_DEVICE T shuffle_xor(T v, int mask, [[maybe_unused]] Here here) {
#ifdef __CUDACC__
  return by_words(v, [mask](uint32_t w) { return __shfl_xor_sync(0xffffffffu, w, mask); });
#else
  return from_lane(v, this_lane() ^ mask, here);
#endif
}
/// Returns the v of the lane whose index is lower by `distance`. If there is no such lane, returns
/// this lane's v.
template <class T>
TAPER_DEVICE T shuffle_up(T v, int distance, [[maybe_unused]] Here here) {
#ifdef __CUDACC__
  return by_words(v, [distance](uint32_t w) { return __shfl_up_sync(0xffffffffu, w, distance); });
#else
  const int lane = this_lane();
  return from_lane(v, lane < distance ? lane : lane - distance, here);
#endif
}
/// Returns the v of lane `lane`.
template <class T>
TAPER_DEVICE T shuffle_from(T v, int lane, [[maybe_unused]] Here here) {
#ifdef __CUDACC__
  return by_words(v, [lane](uint32_t w) { return __shfl_sync(0xffffffffu, w, lane); });
#else
  return from_lane(v, lane, here);
#endif
}

/// Adds v to *to by an atomic addition. T must be an integer, because a sum of floats would depend
/// on the order of the threads.
template <class T>
TAPER_DEVICE void atomic_add(T* to, T v) {
#ifdef __CUDACC__
  if constexpr (sizeof(T) == 8)
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(v));
  else
    atomicAdd(to, v);
#else
  __atomic_fetch_add(to, v, __ATOMIC_RELAXED);
#endif
}

#ifndef __CUDACC__
template <class T>
__attribute__((no_sanitize("thread"))) void store_unseen(T* to, const T& v) {
  *to = v;
}
#endif
/// Stores v in *to, even if other threads store in *to at the same time. Afterwards *to has one of
/// these values.
template <class T>
TAPER_DEVICE void store_same(T* to, const T& v, [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  *to = v;
#else
  if (block_runner) block_runner->touch(to, sizeof(T), Access::kAtomic, here);
  store_unseen(to, v);
#endif
}

/// The slots of this block, as an array of T.
template <class T>
class Shared {
 public:
  static constexpr int kSize = static_cast<int>(sizeof(Slot) * Slot::kCount / sizeof(T));
  TAPER_DEVICE explicit Shared(Slot* slots) : data_(reinterpret_cast<T*>(slots)) {}
  TAPER_DEVICE T get(int64_t i, Here here = Here::current()) const {
    touch(i, 0, here);
    return data_[i];
  }
  TAPER_DEVICE void put(int64_t i, const T& v, Here here = Here::current()) const {
    touch(i, 1, here);
    data_[i] = v;
  }
  TAPER_DEVICE void add(int64_t i, T v, Here here = Here::current()) const {
    touch(i, 2, here);
    atomic_add(&data_[i], v);
  }

 private:
  TAPER_DEVICE void touch([[maybe_unused]] int64_t i, [[maybe_unused]] int access,
                          [[maybe_unused]] Here here) const {
#ifndef __CUDACC__
    if (block_runner) block_runner->touch(&data_[i], sizeof(T), static_cast<Access>(access), here);
#endif
  }
  T* data_;
};

TAPER_DEVICE inline Slot* block_slots() {
#ifdef __CUDACC__
  __shared__ Slot slots[Slot::kCount];
  return slots;
#else
  return block_runner->slots();
#endif
}

}  // namespace torch::taper::cuda
