// Launches of kernels, and the memory that they read and write. This memory is reported to the race
// detector while it is on, and to captures.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

namespace torch::taper::detail {

/// The elements of a tensor that a launch reads or writes. They have `itemsize` bytes. An element
/// with index (i_0, i_1, ...) is sum of i_d * strides[d] elements after `data`.
struct Access {
  const void* data = nullptr;
  size_t itemsize = 1;
  Dims sizes, strides;
  bool writes = false;
  ScalarType dtype = ScalarType::Undefined;  ///< Undefined if unknown

  /// Returns an access to `nbytes` consecutive bytes at `data`.
  static Access bytes(const void* data, size_t nbytes, bool writes) {
    return {data, 1, {static_cast<int64_t>(nbytes)}, {1}, writes};
  }
};

/// Tells which observers watch launches. Bit 0 is set for the race detector (race_detector.h), bit
/// 1 for the recorder of a run (run_observer.h). The other bits count the captures (graph.h) of all
/// threads. The word is usually 0. Then this is all that an op reads to find observers.
extern std::atomic<uint32_t> launch_observers;
inline bool observes_launches() { return launch_observers.load(std::memory_order_relaxed) != 0; }
inline bool watches_races() { return launch_observers.load(std::memory_order_relaxed) & 1; }

/// Reports the kernel `name` to the observers, before it is queued on the current stream of
/// `device` or run by the host. If the race detector finds a race and is set to throw, throws
/// Error.
void watch_kernel(const char* name, Device device, const std::vector<Access>& accesses);

struct Launch;

}  // namespace torch::taper::detail
namespace torch::taper::cpu {
struct KernelInfo;  // framework/kernel/kernel_info.h
}
namespace torch::taper::detail {

/// The functions for launches of one signature. They are in a table instead of being virtual, so
/// that most launches can be moved as bytes.
struct LaunchKind {
  size_t nbytes;
  void (*run)(const Launch&);
  /// Appends the accesses that the kernel may make with the launch's arguments to `all`.
  void (*add_accesses)(const Launch&, std::vector<Access>& all);
  void (*move)(void* to, Launch& from);  ///< null: bytes are copied
  void (*destroy)(const Launch&);        ///< null: nothing to destroy
};

/// A kernel and its arguments. It is launched once, or in a capture at each replay. It owns no
/// memory of tensors.
struct Launch {
  const LaunchKind& kind;
  const cpu::KernelInfo* info;  ///< properties of the kernel, or null
  void run() const { kind.run(*this); }
};

/// Reports `work` to the observers. Then runs it on the CPU, queues it on the current stream of a
/// CUDA device, or records it if `device` is captured. Throws Error for a race, as watch_kernel
/// does.
void make_launch(const char* name, Device device, Launch&& work);

/// Returns whether the calling thread's work on the CPU is captured.
bool captures_host();
/// Records work of the host in the calling thread's capture. `work` must own everything that it
/// needs.
void record_on_host(const char* name, std::function<void()> work);

/// Returns whether work on `device` is captured: the device's current stream, or the calling
/// thread's work on the CPU. If so, results of ops have no values yet.
bool is_captured(Device device);
/// Throws the error of check_not_capturing if `device` is captured.
void throw_if_capturing(const char* what, Device device);
/// Throws Error if `device` is captured. Call it in a function `what` that reads values of tensors
/// on `device` or waits for them.
inline void check_not_capturing(const char* what, Device device) {
  if (__builtin_expect(observes_launches(), 0)) throw_if_capturing(what, device);
}
/// Throws Error if the calling thread captures work of any CUDA device. Call it in a function
/// `what` that waits for CUDA devices.
void check_may_wait(const char* what);

}  // namespace torch::taper::detail
