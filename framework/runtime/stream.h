// CUDA streams: queues of work on one device. Work of one stream runs in order. Different streams
// run concurrently, unless one waits for an event of another.
#pragma once

#include <atomic>
#include <memory>

#include <taper/framework/runtime/devices.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {

class Capture;
struct CapturedPoint;

/// The largest number of a stream of a device's pool. Streams that other code made have larger
/// numbers.
constexpr int kLastPooledStream = 64;

/// The object that a Stream refers to. The runtime makes it, and it is never destroyed.
struct StreamImpl {
  StreamImpl(DeviceIndex device, int priority) : device(device), priority(priority) {}
  virtual ~StreamImpl() = default;
  const DeviceIndex device;
  const int priority;
  /// The stream's number (Stream::id), 0 for the default stream of the device.
  int id = 0;
  /// The capture that records work of this stream instead of running it. Usually null.
  std::atomic<Capture*> capture{nullptr};
};

struct EventImpl {
  virtual ~EventImpl() = default;
  /// The last record's position in a capture, or null if the record was not captured.
  std::shared_ptr<const CapturedPoint> point;
};

}  // namespace detail

namespace cuda {

class Event;

/// A handle to a stream. Each device has a pool of 32 streams for each priority. The constructor
/// takes them in round-robin order.
class Stream {
 public:
  /// Takes a stream from the pool. A device without an index means the current device. `priority`
  /// is 0 or -1. -1 is more urgent. Throws Error if there is no such device.
  explicit Stream(Device device = Device(kCUDA), int priority = 0);
  /// Makes a handle to an existing stream.
  explicit Stream(detail::StreamImpl* impl) : impl_(impl) {}

  /// Returns the stream's device, with its index.
  Device device() const { return Device(kCUDA, impl_->device); }
  DeviceIndex device_index() const { return impl_->device; }  ///< index of the stream's device
  /// Returns the stream's number: 0 for the default stream, 1 to 64 for streams of the pool, and
  /// from 65 on for streams that other code made.
  int id() const { return impl_->id; }
  /// Returns 0, or -1 for a stream whose work is more urgent.
  int priority() const { return impl_->priority; }
  /// Returns whether all work that is queued on the stream so far is done.
  bool query() const;
  /// Waits for all work that is queued on the stream so far. If a kernel has failed, throws its
  /// error.
  void synchronize() const;
  /// Makes work that is queued on this stream from now on wait for all current work of `other`.
  void wait_stream(const Stream& other) const;
  /// Makes work that is queued on this stream from now on wait for the event's last record.
  void wait_event(const Event& event) const;
  /// Records a new event on this stream, and returns the event.
  Event record_event() const;
  /// Returns the object behind the handle, never null, for the library's functions.
  detail::StreamImpl* impl() const { return impl_; }
  /// Returns CUDA's stream, a cudaStream_t. (<c10/cuda/CUDAStream.h> has stream().) Returns null
  /// for the default stream, and for simulated devices.
  void* native_handle() const;

  /// Compare handles. Two handles are equal if both refer to one stream.
  ///@{
  friend bool operator==(const Stream& a, const Stream& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Stream& a, const Stream& b) { return a.impl_ != b.impl_; }
  ///@}

 private:
  detail::StreamImpl* impl_;
};

/// Returns the calling thread's current stream of a device (-1: the current device). Ops run on
/// this stream.
Stream current_stream(DeviceIndex device = -1);
/// Returns the default stream of a device (-1: the current device). Ops run on it until
/// set_stream() selects another stream. Throws Error if there is no such device.
Stream default_stream(DeviceIndex device = -1);
/// Makes `stream` the current stream of its device, and this device the current device, for the
/// calling thread.
void set_stream(const Stream& stream);

/// Makes a stream and its device current until the end of the scope. Then restores the device and
/// the stream that were current before.
class StreamGuard {
 public:
  /// Calls set_stream(stream).
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  /// Returns the current stream of the current device.
  Stream current_stream() const { return cuda::current_stream(); }
  /// Returns the stream that was current before the guard, on the device of the guard's stream.
  Stream original_stream() const { return before_; }

 private:
  DeviceIndex device_;
  Stream before_;
};

/// An event marks a point in a stream's work. It is recorded on one stream. The host and streams of
/// any device can wait for it. An Event can be moved, but not copied.
class Event {
 public:
  /// With `timing`, elapsed_time can be called for the event.
  explicit Event(bool timing = false) : timing_(timing) {}
  ~Event();
  /// The constructor takes the record of `other`, which has no record afterwards. The assignment
  /// swaps the two events.
  ///@{
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ///@}

  /// Record the event at the current end of the queue of the current stream or of `stream`. A new
  /// record replaces the last one. Throw Error if there are no CUDA devices.
  ///@{
  void record() { record(current_stream()); }
  void record(const Stream& stream);
  ///@}
  /// Make the current stream or `stream` wait for the last record. The host does not wait. If there
  /// is no record, do nothing. block(stream) is LibTorch's name for wait(stream).
  ///@{
  void wait() const { wait(current_stream()); }
  void wait(const Stream& stream) const;
  void block(const Stream& stream) const { wait(stream); }
  ///@}
  /// Returns whether the last record has been reached, or true if there is no record.
  bool query() const;
  /// Makes the host wait until the last record has been reached. Returns at once if there is no
  /// record. Throws Error for a record that was captured in a graph.
  void synchronize() const;
  /// Returns CUDA's event, a cudaEvent_t. Returns null before the first record, and for simulated
  /// devices.
  void* native_handle() const;
  /// Returns whether the event was recorded.
  bool is_recorded() const { return impl_ != nullptr; }
  /// Returns the milliseconds from this event to `end`. Throws Error unless both events have
  /// `timing` and have been reached.
  float elapsed_time(const Event& end) const;

 private:
  bool timing_;
  detail::EventImpl* impl_ = nullptr;
};

}  // namespace cuda

namespace detail {

/// Returns the calling thread's current stream of a CUDA device, for launches.
StreamImpl* current_stream_of(DeviceIndex device);
/// Returns whether the CUDA devices are GPUs instead of simulated devices.
bool on_gpu();
/// The kind of CUDA kernels that a build has: none, kernels for GPUs, or CUDA kernels compiled for
/// the host.
enum class CudaKernels { kNone, kForGpus, kOnHost };
CudaKernels cuda_kernels();
/// Returns whether CUDA devices run CUDA kernels instead of the CPU's kernels.
bool runs_cuda_kernels();
/// Makes `stream` the calling thread's current stream of `device`, and returns the previous current
/// stream. Unlike cuda::set_stream, it does not change the current device.
StreamImpl* exchange_current_stream(DeviceIndex device, StreamImpl* stream);
/// Queues `work`, the kernel `name`, on the current stream of `device`. With
/// CUDA_LAUNCH_BLOCKING=1, waits for the kernel.
void launch_on(DeviceIndex device, const char* name, std::function<void()> work);
/// Queues a copy of bytes on a stream.
void copy_on(StreamImpl* stream, void* to, const void* from, size_t nbytes);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
