// Runtime: the interface of a kind of device to the rest of the library.
//
// Streams, events and memory above this interface (stream.h, caching_allocator.h, pinned.h) are
// written once. A kind of device implements the functions here. No function throws OutOfMemoryError
// or waits unless it says so.
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

/// The largest number of CUDA devices of a process.
constexpr int kMaxDevices = 64;

/// Properties of one device, with CUDA's names.
struct DeviceProperties {
  std::string name;         ///< product name, such as "NVIDIA H100 80GB HBM3"
  size_t total_memory = 0;  ///< bytes
  /// Compute capability, such as 9 and 0.
  ///@{
  int major = 0, minor = 0;
  ///@}
  int multi_processor_count = 0;  ///< streaming multiprocessors, 1 if simulated
};

/// Work that was recorded instead of being run (graph.h).
class Recording {
 public:
  virtual ~Recording() = default;
  /// Queues all work on the stream and returns. The CPU's work (`stream` is null) runs at once.
  /// Queued work may outlive the recording.
  virtual void replay(detail::StreamImpl* stream) = 0;
};

/// The interface between Taper and a kind of device. Indices of devices are those that the program
/// sees. Any thread may call the functions.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual DeviceIndex device_count() = 0;  ///< devices that the program sees
  /// Returns a device's name, memory size and capabilities.
  virtual DeviceProperties properties(DeviceIndex device) = 0;
  /// Returns the bytes that can still be allocated.
  virtual size_t free_memory(DeviceIndex device) = 0;
  /// Returns whether the device can reach the peer's memory without the host. False for itself.
  virtual bool can_access_peer(DeviceIndex device, DeviceIndex peer) = 0;
  /// Allows the device to access the memory of a peer that it can reach. Copies go directly from
  /// now on.
  virtual void enable_peer_access(DeviceIndex /*device*/, DeviceIndex /*peer*/) {}

  /// Makes a device current for the calling thread in the driver, so that a program's kernels and
  /// calls use it. A device that nobody has used yet becomes current when it is used.
  virtual void make_current(DeviceIndex /*device*/) noexcept {}
  /// Return the driver's handle of a stream or an event. Null without a driver, and for the default
  /// stream.
  ///@{
  virtual void* native_handle(detail::StreamImpl* /*stream*/) { return nullptr; }
  virtual void* native_handle(detail::EventImpl* /*event*/) { return nullptr; }
  ///@}
  /// Returns a stream that other code has made, given its handle. Throws Error without a driver.
  virtual detail::StreamImpl* wrap_stream(DeviceIndex device, void* handle);
  /// Returns the address from which a kernel captured on the stream reads the key of its random
  /// numbers. Each replay writes a new key there. Null if the stream is not captured, or if replays
  /// draw new numbers anyway.
  virtual const uint64_t* key_for_replays(detail::StreamImpl* /*stream*/,
                                          CPUGeneratorImpl* /*generator*/) {
    return nullptr;
  }
  /// CUDA's libraries whose calls need a handle: cuBLAS, cuBLASLt, cuSOLVER, cuSPARSE.
  enum class Library { kBlas, kBlasLt, kSolver, kSparse };
  /// Returns a library's handle for the calling thread, bound to the stream. Throws Error if there
  /// is none.
  virtual void* library_handle(Library library, detail::StreamImpl* stream);

  /// Allocates device memory, aligned to 512 bytes. Returns null if there is not enough.
  virtual void* allocate(DeviceIndex device, size_t nbytes) = 0;
  /// Frees memory that allocate() returned for `nbytes`. Waits for work of the device's streams.
  virtual void release(DeviceIndex device, void* p, size_t nbytes) noexcept = 0;
  /// Allocates page-locked host memory, with which copies are asynchronous. Returns null if there
  /// is none.
  virtual void* allocate_pinned(size_t nbytes) = 0;
  /// Frees memory that allocate_pinned() returned for `nbytes`.
  virtual void release_pinned(void* p, size_t nbytes) noexcept = 0;

  /// Returns the device's default queue of work. It is never destroyed.
  virtual detail::StreamImpl* make_default_stream(DeviceIndex device) = 0;
  /// Makes a queue of work, which runs in order and is never destroyed. Work of lower priority
  /// numbers runs first.
  virtual detail::StreamImpl* make_stream(DeviceIndex device, int priority) = 0;
  /// Queues `work`, the kernel `name`, and returns. On a GPU `work` runs on the host at once, and
  /// launches the kernel.
  virtual void launch(detail::StreamImpl* stream, const char* name, std::function<void()> work) = 0;
  /// Queues a copy of bytes and returns. Either side may be the host.
  virtual void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) = 0;
  /// Returns whether all work queued so far is done.
  virtual bool is_idle(detail::StreamImpl* stream) = 0;
  /// Waits for all work queued so far. Throws the error of a kernel of the device, once.
  virtual void synchronize(detail::StreamImpl* stream) = 0;
  /// Waits for all streams of a device, like synchronize.
  virtual void synchronize_device(DeviceIndex device) = 0;

  /// Makes an event without a record. With `timing`, elapsed_ms can be called.
  virtual detail::EventImpl* make_event(bool timing) = 0;
  /// Frees an event. Queued work that records it or waits for it still runs.
  virtual void destroy_event(detail::EventImpl* event) noexcept = 0;
  /// Marks the event when the stream reaches this point. Recording again moves the mark.
  virtual void record(detail::EventImpl* event, detail::StreamImpl* stream) = 0;
  /// Makes the stream wait here for the event's last record. The host continues.
  virtual void wait(detail::StreamImpl* stream, detail::EventImpl* event) = 0;
  /// Returns whether the stream has reached the last record of the event. True if there was no
  /// record.
  virtual bool is_reached(detail::EventImpl* event) = 0;
  /// Waits for the last record.
  virtual void synchronize(detail::EventImpl* event) = 0;
  /// Returns the milliseconds between two reached records of timing events.
  virtual double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) = 0;

  /// Records work instead of running it: work queued on the stream from now on, and on streams that
  /// wait for its events. Returns the recording.
  virtual std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) = 0;
  /// Ends the capture, and makes the recording ready for replays. The capture has ended even if
  /// this throws.
  virtual void end_capture(detail::StreamImpl* stream, Recording& recording) = 0;
};

/// Returns the runtime of the CUDA devices: simulated ones if they were requested, else GPUs, else
/// null.
Runtime* cuda_runtime();

namespace detail {
/// Returns the GPUs' runtime, or null if the library was built without it or the driver has no GPU.
Runtime* gpu_runtime();
/// Returns why there are no GPUs, empty if there are.
std::string why_no_gpus();
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
