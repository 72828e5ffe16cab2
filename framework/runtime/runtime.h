// Runtime: what a kind of device can do for the rest of the library.
//
// Streams, events and memory above this interface (stream.h, event.h, caching_allocator.h,
// pinned.h) are written once; a kind of device implements what is here. Nothing here throws
// OutOfMemoryError or waits unless it says so.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

struct CPUGeneratorImpl;

namespace detail {
struct StreamImpl;
struct EventImpl;
}  // namespace detail

/// The most CUDA devices that a process can have.
constexpr int kMaxDevices = 64;

/// What is known of one device, with CUDA's names.
struct DeviceProperties {
  std::string name;         ///< the product's, such as "NVIDIA H100 80GB HBM3"
  size_t total_memory = 0;  ///< bytes
  /// Compute capability, such as 9 and 0.
  ///@{
  int major = 0, minor = 0;
  ///@}
  int multi_processor_count = 0;  ///< streaming multiprocessors; 1 where simulated
};

/// Work that was recorded in place of being run (graph.h).
class Recording {
 public:
  virtual ~Recording() = default;
  /// Queues all of it on the stream and returns; the CPU's (`stream` is null) runs at once. What is
  /// queued may outlive the recording.
  virtual void replay(detail::StreamImpl* stream) = 0;
};

/// The one interface between Taper and a kind of device. Devices are numbered as the program sees
/// them. May be called from any thread.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual DeviceIndex device_count() = 0;  ///< those that the program sees
  /// A device's name, size of memory and abilities.
  virtual DeviceProperties properties(DeviceIndex device) = 0;
  /// Bytes that can still be allocated.
  virtual size_t free_memory(DeviceIndex device) = 0;
  /// Whether the device can reach the peer's memory without the host; false for itself.
  virtual bool can_access_peer(DeviceIndex device, DeviceIndex peer) = 0;
  /// Lets the device to the memory of a peer that it can access: copies go straight from now on.
  virtual void enable_peer_access(DeviceIndex /*device*/, DeviceIndex /*peer*/) {}

  /// Makes a device the calling thread's in the driver's own sense, by which a program's kernels
  /// and calls go; one that nobody has used yet when it is used.
  virtual void make_current(DeviceIndex /*device*/) noexcept {}
  /// What the driver calls a stream or an event; null where there is no driver, and for the default
  /// stream.
  ///@{
  virtual void* native_handle(detail::StreamImpl* /*stream*/) { return nullptr; }
  virtual void* native_handle(detail::EventImpl* /*event*/) { return nullptr; }
  ///@}
  /// A stream that somebody else has made, by that handle. Throws Error where there is no driver.
  virtual detail::StreamImpl* wrap_stream(DeviceIndex device, void* handle);
  /// Where a kernel that is captured on the stream finds a key of its random numbers, a new one in
  /// each replay; null where the stream is not captured, or replays draw anew anyway.
  virtual const uint64_t* key_for_replays(detail::StreamImpl* /*stream*/,
                                          CPUGeneratorImpl* /*generator*/) {
    return nullptr;
  }
  /// CUDA's libraries that calls need a handle of: cuBLAS, cuBLASLt, cuSOLVER, cuSPARSE.
  enum class Library { kBlas, kBlasLt, kSolver, kSparse };
  /// A library's handle for the calling thread, bound to the stream. Throws Error where there is
  /// none.
  virtual void* library_handle(Library library, detail::StreamImpl* stream);

  /// Device memory, aligned to 512 bytes; null when there is not enough.
  virtual void* allocate(DeviceIndex device, size_t nbytes) = 0;
  /// Gives back what allocate() gave for `nbytes`. Waits for work of the device's streams.
  virtual void release(DeviceIndex device, void* p, size_t nbytes) noexcept = 0;
  /// Host memory that copies may read and write while the host goes on; null when there is none.
  virtual void* allocate_pinned(size_t nbytes) = 0;
  /// Gives back what allocate_pinned() gave for `nbytes`.
  virtual void release_pinned(void* p, size_t nbytes) noexcept = 0;

  /// The queue that work goes to when no other was asked for. Never destroyed.
  virtual detail::StreamImpl* make_default_stream(DeviceIndex device) = 0;
  /// A queue of work, run in order. Never destroyed. Lower priorities run first.
  virtual detail::StreamImpl* make_stream(DeviceIndex device, int priority) = 0;
  /// Queues `work`, which is the kernel `name`, and returns. (On a GPU `work` runs at once, on the
  /// host, and launches the kernel.)
  virtual void launch(detail::StreamImpl* stream, const char* name, std::function<void()> work) = 0;
  /// Queues a copy of bytes and returns. Either side may be the host.
  virtual void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) = 0;
  /// Whether all work queued so far is done.
  virtual bool is_idle(detail::StreamImpl* stream) = 0;
  /// Waits for all work queued so far. Throws what a kernel of the device has thrown, once.
  virtual void synchronize(detail::StreamImpl* stream) = 0;
  /// The same for all streams of a device.
  virtual void synchronize_device(DeviceIndex device) = 0;

  /// A new event without a record. With `timing`, elapsed_ms can be asked.
  virtual detail::EventImpl* make_event(bool timing) = 0;
  /// Frees an event. Queued work that records it or waits for it is done all the same.
  virtual void destroy_event(detail::EventImpl* event) noexcept = 0;
  /// Marks the event when the stream comes to this point. Recording again moves it.
  virtual void record(detail::EventImpl* event, detail::StreamImpl* stream) = 0;
  /// Lets the stream wait here for the event's last record; the host goes on.
  virtual void wait(detail::StreamImpl* stream, detail::EventImpl* event) = 0;
  /// Whether the last record has been reached (true when there was none).
  virtual bool is_reached(detail::EventImpl* event) = 0;
  /// Waits for the last record.
  virtual void synchronize(detail::EventImpl* event) = 0;
  /// Milliseconds between two reached records of timing events.
  virtual double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) = 0;

  /// What is queued on the stream from now on, and on streams that wait for its events, goes to the
  /// recording that is returned and does not run.
  virtual std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) = 0;
  /// Ends that, and makes the recording ready for replays. Also where this throws the capture has
  /// ended.
  virtual void end_capture(detail::StreamImpl* stream, Recording& recording) = 0;
};

/// The runtime of the CUDA devices: simulated ones where they were asked for, else the GPUs, else
/// null.
Runtime* cuda_runtime();

namespace detail {
/// GPUs, where the library was built for them and the driver has some; else null.
Runtime* gpu_runtime();
/// Why there are none; empty where there are.
std::string why_no_gpus();
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
