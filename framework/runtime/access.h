// What launches read and write: reported to the race detector while it is on, and to captures.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

namespace torch::taper::detail {

/// Elements of `itemsize` bytes at data + sum of i_d * strides[d], strides counted in elements.
struct Access {
  const void* data = nullptr;
  size_t itemsize = 1;
  Dims sizes, strides;
  bool writes = false;
  ScalarType dtype = ScalarType::Undefined;  ///< where it is known

  /// `nbytes` bytes one behind the other.
  static Access bytes(const void* data, size_t nbytes, bool writes) {
    return {data, 1, {static_cast<int64_t>(nbytes)}, {1}, writes};
  }
};

/// Who looks at launches before they are made: bit 0 is the race detector (race_detector.h), bit 1
/// whoever records the run (run_observer.h), the other bits count the captures (graph.h) of all
/// threads. 0 is the usual case, and all that an op asks.
extern std::atomic<uint32_t> launch_observers;
inline bool observes_launches() { return launch_observers.load(std::memory_order_relaxed) != 0; }
inline bool watches_races() { return launch_observers.load(std::memory_order_relaxed) & 1; }

/// Tells whoever observes of the kernel `name`, about to be queued on the current stream of
/// `device`, or to be run by the host. Throws Error for a race where that was asked for.
void watch_kernel(const char* name, Device device, const std::vector<Access>& accesses);

struct Launch;

}  // namespace torch::taper::detail
namespace torch::taper::cpu {
struct KernelInfo;  // framework/kernel/kernel_info.h
}
namespace torch::taper::detail {

/// What is done with launches of one signature: a table in place of virtual functions, so that most
/// are moved as bytes.
struct LaunchKind {
  size_t nbytes;
  void (*run)(const Launch&);
  /// Adds what the arguments let the kernel read and write.
  void (*add_accesses)(const Launch&, std::vector<Access>& all);
  void (*move)(void* to, Launch& from);  ///< null: bytes are copied
  void (*destroy)(const Launch&);        ///< null: nothing is to be done
};

/// A kernel and its arguments, which own nothing, for one launch or, in a capture, for many.
struct Launch {
  const LaunchKind& kind;
  const cpu::KernelInfo* info;  ///< what is known of the kernel, or null
  void run() const { kind.run(*this); }
};

/// Runs `work`, or queues it on the current stream of a CUDA device, or records it where `device`
/// is captured; tells whoever observes of it first. Throws Error for a race, as watch_kernel does.
void make_launch(const char* name, Device device, Launch&& work);

/// Whether the calling thread captures what the CPU does.
bool captures_host();
/// Records work of the host, which owns all that it needs, in the calling thread's capture.
void record_on_host(const char* name, std::function<void()> work);

/// Whether the device's current stream, or the CPU by the calling thread, is captured: what runs
/// there has no values yet.
bool is_captured(Device device);
/// See check_not_capturing.
void throw_if_capturing(const char* what, Device device);
/// Throws Error while `device` is captured: `what` looks at values there, or waits for them.
inline void check_not_capturing(const char* what, Device device) {
  if (__builtin_expect(observes_launches(), 0)) throw_if_capturing(what, device);
}
/// Throws Error while the calling thread captures anything on CUDA devices: `what` waits for them.
void check_may_wait(const char* what);

}  // namespace torch::taper::detail
