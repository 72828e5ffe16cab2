// Runtime: the interface between a kind of device and the rest of the library.
//
// Streams, events and memory (stream.h, caching_allocator.h, pinned.h) are written once, on top of
// this interface. Each kind of device implements the functions here. A function throws
// OutOfMemoryError or waits only if its comment says so.
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
  int multi_processor_count = 0;  ///< number of streaming multiprocessors, 1 if simulated
};

/// Work that was recorded instead of being run (graph.h).
class Recording {
 public:
  virtual ~Recording() = default;
  /// Queues all work on the stream and returns. A recording of the CPU, whose `stream` is null,
  /// runs its work at once. Queued work may outlive the recording.
  virtual void replay(detail::StreamImpl* stream) = 0;
};

/// The interface between Taper and a kind of device. Devices have the indices that the program
/// uses. Any thread may call the functions.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual DeviceIndex device_count() = 0;  ///< number of devices that the program can use
  /// Returns a device's name, memory size and capabilities.
  virtual DeviceProperties properties(DeviceIndex device) = 0;
  /// Returns the bytes of the device's memory that can still be allocated.
  virtual size_t free_memory(DeviceIndex device) = 0;
  /// Returns whether the device can access the peer's memory directly, without the host. Returns
  /// false if both are one device.
  virtual bool can_access_peer(DeviceIndex device, DeviceIndex peer) = 0;
  /// Allows the device to access the peer's memory. can_access_peer must be true. From now on,
  /// copies between them do not use the host.
  virtual void enable_peer_access(DeviceIndex /*device*/, DeviceIndex /*peer*/) {}

  /// Makes a device the driver's current one for the calling thread, so that a program's kernels
  /// and calls of CUDA use it. A device that was not used yet becomes current when it is first
  /// used.
  virtual void make_current(DeviceIndex /*device*/) noexcept {}
  /// Return the driver's handle of a stream or an event. Return null for the default stream, and if
  /// there is no driver.
  ///@{
  virtual void* native_handle(detail::StreamImpl* /*stream*/) { return nullptr; }
  virtual void* native_handle(detail::EventImpl* /*event*/) { return nullptr; }
  ///@}
  /// Returns a stream for the driver's handle of a stream that other code has made. Throws Error if
  /// there is no driver.
  virtual detail::StreamImpl* wrap_stream(DeviceIndex device, void* handle);
  /// Returns an address for a kernel that is captured on the stream. The kernel reads the key of
  /// its random numbers there, and each replay writes a new key. Returns null if the stream is not
  /// captured, or if replays draw new numbers without a key.
  virtual const uint64_t* key_for_replays(detail::StreamImpl* /*stream*/,
                                          CPUGeneratorImpl* /*generator*/) {
    return nullptr;
  }
  /// CUDA's libraries whose calls need a handle: cuBLAS, cuBLASLt, cuSOLVER, cuSPARSE.
  enum class Library { kBlas, kBlasLt, kSolver, kSparse };
  /// Returns the calling thread's handle of a library, bound to the stream. Throws Error if the
  /// library cannot be used.
  virtual void* library_handle(Library library, detail::StreamImpl* stream);

  /// Allocates device memory, aligned to 512 bytes. Returns null if there is not enough memory.
  virtual void* allocate(DeviceIndex device, size_t nbytes) = 0;
  /// Frees memory that allocate() returned for `nbytes`. Waits for the work of the device's
  /// streams.
  virtual void release(DeviceIndex device, void* p, size_t nbytes) noexcept = 0;
  /// Allocates page-locked host memory. Copies from and to it are asynchronous. Returns null if
  /// there is not enough memory.
  virtual void* allocate_pinned(size_t nbytes) = 0;
  /// Frees memory that allocate_pinned() returned for `nbytes`.
  virtual void release_pinned(void* p, size_t nbytes) noexcept = 0;

  /// Makes the device's default stream. It is never destroyed.
  virtual detail::StreamImpl* make_default_stream(DeviceIndex device) = 0;
  /// Makes a stream. Its work runs in order. It is never destroyed. Work of streams with lower
  /// priority numbers runs first.
  virtual detail::StreamImpl* make_stream(DeviceIndex device, int priority) = 0;
  /// Queues `work`, the kernel `name`, and returns. On a GPU `work` runs on the host at once, and
  /// launches the kernel.
  virtual void launch(detail::StreamImpl* stream, const char* name, std::function<void()> work) = 0;
  /// Queues a copy of bytes and returns. Either side may be the host.
  virtual void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) = 0;
  /// Returns whether all work that is queued on the stream so far is done.
  virtual bool is_idle(detail::StreamImpl* stream) = 0;
  /// Waits for all work that is queued on the stream so far. If a kernel of the device has failed,
  /// throws its error, once.
  virtual void synchronize(detail::StreamImpl* stream) = 0;
  /// Waits for all streams of a device. Throws like synchronize.
  virtual void synchronize_device(DeviceIndex device) = 0;

  /// Makes an event without a record. With `timing`, elapsed_ms can be called for the event.
  virtual detail::EventImpl* make_event(bool timing) = 0;
  /// Frees an event. Queued work that records it or waits for it still runs.
  virtual void destroy_event(detail::EventImpl* event) noexcept = 0;
  /// Queues a record of the event on the stream. The record is reached when all work that was
  /// queued on the stream before it is done. A new record replaces the last one.
  virtual void record(detail::EventImpl* event, detail::StreamImpl* stream) = 0;
  /// Makes work that is queued on the stream from now on wait for the event's last record. The host
  /// does not wait.
  virtual void wait(detail::StreamImpl* stream, detail::EventImpl* event) = 0;
  /// Returns whether the event's last record was reached. Returns true if there is no record.
  virtual bool is_reached(detail::EventImpl* event) = 0;
  /// Makes the host wait until the event's last record is reached.
  virtual void synchronize(detail::EventImpl* event) = 0;
  /// Returns the milliseconds between the last records of two events. Both events must have
  /// `timing`, and their records must be reached.
  virtual double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) = 0;

  /// Begins a capture: work that is queued from now on is recorded instead of run. This applies to
  /// the stream, and to streams that wait for its events. Returns the recording.
  virtual std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) = 0;
  /// Ends the capture, and makes the recording ready for replays. Even if this throws, the capture
  /// has ended.
  virtual void end_capture(detail::StreamImpl* stream, Recording& recording) = 0;
};

/// Returns the runtime of the CUDA devices: that of simulated devices if they were requested, else
/// that of GPUs. Returns null if there are none.
Runtime* cuda_runtime();

namespace detail {
/// Returns the GPUs' runtime, or null if the library was built without it or the driver has no GPU.
Runtime* gpu_runtime();
/// Returns why there are no GPUs, or "" if there are GPUs.
std::string why_no_gpus();
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
