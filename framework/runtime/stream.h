// CUDA streams: queues of work on one device. Work of one stream runs in order. Streams run
// concurrently unless they wait for each other's events.
#pragma once

#include <atomic>
#include <memory>

#include <taper/framework/runtime/devices.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {

class Capture;
struct CapturedPoint;

/// The number of a device's last stream of the pool. Streams that other code made have larger
/// numbers.
constexpr int kLastPooledStream = 64;

/// The object that a Stream refers to. The runtime makes it, and it is never destroyed.
struct StreamImpl {
  StreamImpl(DeviceIndex device, int priority) : device(device), priority(priority) {}
  virtual ~StreamImpl() = default;
  const DeviceIndex device;
  const int priority;
  /// 0 for the default stream of its device.
  int id = 0;
  /// The capture that records the work queued here instead of running it. Usually null.
  std::atomic<Capture*> capture{nullptr};
};

struct EventImpl {
  virtual ~EventImpl() = default;
  /// Position of the last record in a capture, null outside captures.
  std::shared_ptr<const CapturedPoint> point;
};

}  // namespace detail

namespace cuda {

class Event;

/// A handle to a stream. Streams come from a pool of 32 for each device and priority, in
/// round-robin order.
class Stream {
 public:
  /// Takes a stream of the pool. A device without an index is the current one. `priority` is 0 or
  /// -1, and -1 is more urgent. Throws Error if there is no such device.
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
  /// Returns whether all work queued so far is done.
  bool query() const;
  /// Waits for all work queued so far. Throws the error of a kernel, if any.
  void synchronize() const;
  /// Makes work queued here from now on wait for all current work of `other`.
  void wait_stream(const Stream& other) const;
  /// Makes work queued here from now on wait for the event.
  void wait_event(const Event& event) const;
  /// Returns a new event, recorded here.
  Event record_event() const;
  /// Returns the object behind the handle, never null, for the library's functions.
  detail::StreamImpl* impl() const { return impl_; }
  /// Returns CUDA's stream, a cudaStream_t (<c10/cuda/CUDAStream.h> has stream()). Null for the
  /// default stream, and for simulated devices.
  void* native_handle() const;

  /// Compare handles: equal if both refer to one stream.
  ///@{
  friend bool operator==(const Stream& a, const Stream& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Stream& a, const Stream& b) { return a.impl_ != b.impl_; }
  ///@}

 private:
  detail::StreamImpl* impl_;
};

/// Returns the stream on which the calling thread's ops run on a device. -1: the current device.
Stream current_stream(DeviceIndex device = -1);
/// Returns the default stream of a device (-1: the current device). Work is queued there until
/// set_stream() selects another stream. Throws Error if there is no such device.
Stream default_stream(DeviceIndex device = -1);
/// Makes `stream` current on its device, and that device current, for the calling thread.
void set_stream(const Stream& stream);

/// Calls set_stream. At the end of the scope it restores the device and the stream that were
/// current.
class StreamGuard {
 public:
  /// Makes `stream` current on its device, and that device current.
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  /// Returns the stream that is current on the current device.
  Stream current_stream() const { return cuda::current_stream(); }
  /// Returns the stream that was current on the device of the guard's stream.
  Stream original_stream() const { return before_; }

 private:
  DeviceIndex device_;
  Stream before_;
};

/// A point in a stream's work. It is recorded on one stream. The host, or streams of any device,
/// can wait for it. It can be moved, but not copied.
class Event {
 public:
  /// With `timing`, elapsed_time can be called.
  explicit Event(bool timing = false) : timing_(timing) {}
  ~Event();
  /// Constructing from `other` leaves it without a record. Assignment swaps the two.
  ///@{
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ///@}

  /// Mark the current end of the queue of the current stream, or of `stream`. Recording again moves
  /// the mark. Throw Error if there are no CUDA devices.
  ///@{
  void record() { record(current_stream()); }
  void record(const Stream& stream);
  ///@}
  /// Make the current stream, or `stream`, wait for the last record. The host continues. Without a
  /// record nothing waits. block(stream) is LibTorch's name of wait(stream).
  ///@{
  void wait() const { wait(current_stream()); }
  void wait(const Stream& stream) const;
  void block(const Stream& stream) const { wait(stream); }
  ///@}
  /// Returns whether the last record has been reached, or true if there was none.
  bool query() const;
  /// Waits on the host until the last record has been reached. Returns at once if there was none.
  /// Throws Error for a record that was captured in a graph.
  void synchronize() const;
  /// Returns CUDA's event. Null before the first record, and for simulated devices.
  void* native_handle() const;
  /// Returns whether the event was recorded.
  bool is_recorded() const { return impl_ != nullptr; }
  /// Returns the milliseconds from this event to `end`. Both must be timing events that have been
  /// reached: Error otherwise.
  float elapsed_time(const Event& end) const;

 private:
  bool timing_;
  detail::EventImpl* impl_ = nullptr;
};

}  // namespace cuda

namespace detail {

/// Returns the current stream of a CUDA device, for launches.
StreamImpl* current_stream_of(DeviceIndex device);
/// Returns whether the CUDA devices are GPUs, not simulated ones.
bool on_gpu();
/// Kinds of CUDA kernels that a build has.
enum class CudaKernels { kNone, kForGpus, kOnHost };
CudaKernels cuda_kernels();
/// Returns whether CUDA devices run CUDA kernels instead of the CPU's.
bool runs_cuda_kernels();
/// Makes `stream` the calling thread's current one on `device`, and returns the previous one.
/// Unlike cuda::set_stream it does not change the current device.
StreamImpl* exchange_current_stream(DeviceIndex device, StreamImpl* stream);
/// Queues a kernel on the current stream. With CUDA_LAUNCH_BLOCKING=1 it waits for the kernel.
void launch_on(DeviceIndex device, const char* name, std::function<void()> work);
/// Queues a copy of bytes on a stream.
void copy_on(StreamImpl* stream, void* to, const void* from, size_t nbytes);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
