// Memory that launches read and write, reported to the race detector while it is on, and to
// captures.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

namespace torch::taper::detail {

/// Elements of `itemsize` bytes at data + sum of i_d * strides[d], with strides counted in
/// elements.
struct Access {
  const void* data = nullptr;
  size_t itemsize = 1;
  Dims sizes, strides;
  bool writes = false;
  ScalarType dtype = ScalarType::Undefined;  ///< Undefined if unknown

  /// Returns an access to `nbytes` consecutive bytes.
  static Access bytes(const void* data, size_t nbytes, bool writes) {
    return {data, 1, {static_cast<int64_t>(nbytes)}, {1}, writes};
  }
};

/// Observers of launches. Bit 0 is the race detector (race_detector.h), bit 1 the recorder of a run
/// (run_observer.h). The other bits count the captures (graph.h) of all threads. The word is
/// usually 0. In this case an op reads nothing else.
extern std::atomic<uint32_t> launch_observers;
inline bool observes_launches() { return launch_observers.load(std::memory_order_relaxed) != 0; }
inline bool watches_races() { return launch_observers.load(std::memory_order_relaxed) & 1; }

/// Reports the kernel `name` to the observers, before it is queued on the current stream of
/// `device` or run by the host. Throws Error for a race if the detector is set to throw.
void watch_kernel(const char* name, Device device, const std::vector<Access>& accesses);

struct Launch;

}  // namespace torch::taper::detail
namespace torch::taper::cpu {
struct KernelInfo;  // framework/kernel/kernel_info.h
}
namespace torch::taper::detail {

/// Operations on launches of one signature. It is a table instead of virtual functions, so that
/// most launches are moved as bytes.
struct LaunchKind {
  size_t nbytes;
  void (*run)(const Launch&);
  /// Adds the accesses that the kernel may make with these arguments.
  void (*add_accesses)(const Launch&, std::vector<Access>& all);
  void (*move)(void* to, Launch& from);  ///< null: bytes are copied
  void (*destroy)(const Launch&);        ///< null: nothing to destroy
};

/// A kernel and its arguments, for one launch or, in a capture, for many. It owns nothing.
struct Launch {
  const LaunchKind& kind;
  const cpu::KernelInfo* info;  ///< facts about the kernel, or null
  void run() const { kind.run(*this); }
};

/// Runs `work`, queues it on the current stream of a CUDA device, or records it if `device` is
/// captured. Reports it to the observers first. Throws Error for a race, as watch_kernel does.
void make_launch(const char* name, Device device, Launch&& work);

/// Returns whether the calling thread captures the CPU's work.
bool captures_host();
/// Records work of the host in the calling thread's capture. The work owns everything it needs.
void record_on_host(const char* name, std::function<void()> work);

/// Returns whether the device's current stream, or the CPU's work by the calling thread, is
/// captured. Tensors made there have no values yet.
bool is_captured(Device device);
/// Throws the error of check_not_capturing.
void throw_if_capturing(const char* what, Device device);
/// Throws Error while `device` is captured, because `what` reads values there or waits for them.
inline void check_not_capturing(const char* what, Device device) {
  if (__builtin_expect(observes_launches(), 0)) throw_if_capturing(what, device);
}
/// Throws Error while the calling thread captures anything on CUDA devices, because `what` waits
/// for them.
void check_may_wait(const char* what);

}  // namespace torch::taper::detail
