// CUDA streams: queues of work on one device. Work of one stream runs in order; streams run beside
// each other unless they wait for each other's events.
#pragma once

#include <atomic>
#include <memory>

#include <taper/framework/runtime/devices.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {

class Capture;
struct CapturedPoint;

/// The number of a device's last stream of the pool; streams that other code made come behind it.
constexpr int kLastPooledStream = 64;

/// What a Stream points to. Made by the runtime, never destroyed.
struct StreamImpl {
  StreamImpl(DeviceIndex device, int priority) : device(device), priority(priority) {}
  virtual ~StreamImpl() = default;
  const DeviceIndex device;
  const int priority;
  /// 0 for the default stream of its device.
  int id = 0;
  /// What records the work that is queued here, in place of running it; null as a rule.
  std::atomic<Capture*> capture{nullptr};
};

struct EventImpl {
  virtual ~EventImpl() = default;
  /// Where in a capture it was recorded last; null outside of captures.
  std::shared_ptr<const CapturedPoint> point;
};

}  // namespace detail

namespace cuda {

class Event;

/// A handle to a stream. Streams come from a pool of 32 for each device and priority, taken in
/// turn.
class Stream {
 public:
  /// A stream of the pool. A device without an index is the current one; a lower priority is more
  /// urgent (0 or -1). Throws Error when there is no such device.
  explicit Stream(Device device = Device(kCUDA), int priority = 0);
  /// A handle to a stream that there is already.
  explicit Stream(detail::StreamImpl* impl) : impl_(impl) {}

  /// The stream's device, with its index.
  Device device() const { return Device(kCUDA, impl_->device); }
  DeviceIndex device_index() const { return impl_->device; }  ///< index of the stream's device
  /// 0 for the default stream; streams of the pool are numbered from 1 to 64 within their device,
  /// those that other code made from 65 on.
  int id() const { return impl_->id; }
  /// 0, or -1 for a stream whose work is more urgent.
  int priority() const { return impl_->priority; }
  /// Whether all work queued so far is done.
  bool query() const;
  /// Waits for it. Throws what a kernel has thrown.
  void synchronize() const;
  /// Work queued here from now on waits for all that `other` has now.
  void wait_stream(const Stream& other) const;
  /// Work queued here from now on waits for the event.
  void wait_event(const Event& event) const;
  /// A new event, recorded here.
  Event record_event() const;
  /// What the handle points to, never null; the library's own functions take it.
  detail::StreamImpl* impl() const { return impl_; }
  /// CUDA's own stream (a cudaStream_t; <c10/cuda/CUDAStream.h> has stream()). Null for the default
  /// stream, and for simulated devices.
  void* native_handle() const;

  /// Whether both are handles to the same stream.
  ///@{
  friend bool operator==(const Stream& a, const Stream& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Stream& a, const Stream& b) { return a.impl_ != b.impl_; }
  ///@}

 private:
  detail::StreamImpl* impl_;
};

/// The stream on which the calling thread's ops run, on a device (-1: the current one).
Stream current_stream(DeviceIndex device = -1);
/// The stream that a device's work goes to until set_stream() chooses another (-1: the current
/// device). Throws Error when there is no such device.
Stream default_stream(DeviceIndex device = -1);
/// Makes `stream` current on its device, and that device current, for the calling thread.
void set_stream(const Stream& stream);

/// set_stream until the end of the scope; restores the device and the stream that were current.
class StreamGuard {
 public:
  /// Makes `stream` current on its device, and that device current.
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  /// The stream that is current now, on the device that is current now.
  Stream current_stream() const { return cuda::current_stream(); }
  /// The stream that was current on the device of the guard's stream.
  Stream original_stream() const { return before_; }

 private:
  DeviceIndex device_;
  Stream before_;
};

/// A point in a stream's work. Recorded on one stream, waited for by the host or by streams of any
/// device. Not copied, but moved.
class Event {
 public:
  /// With `timing`, elapsed_time can be asked.
  explicit Event(bool timing = false) : timing_(timing) {}
  ~Event();
  /// `other` is left without a record when an event is made from it; assigned, the two are
  /// exchanged.
  ///@{
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ///@}

  /// Marks the point that the current stream, or `stream`, has been queued up to. Recording again
  /// moves the mark. Throws Error when there are no CUDA devices.
  ///@{
  void record() { record(current_stream()); }
  void record(const Stream& stream);
  ///@}
  /// Lets the current stream, or `stream`, wait for the last record; the host goes on. Without a
  /// record nothing waits. block(stream) is LibTorch's name of wait(stream).
  ///@{
  void wait() const { wait(current_stream()); }
  void wait(const Stream& stream) const;
  void block(const Stream& stream) const { wait(stream); }
  ///@}
  /// Whether the last record has been reached; true when there was none.
  bool query() const;
  /// Lets the host wait until the last record has been reached; not at all when there was none.
  /// Throws Error for a record that was captured in a graph.
  void synchronize() const;
  /// CUDA's own event; null before the first record, and for simulated devices.
  void* native_handle() const;
  /// Whether the event was recorded.
  bool is_recorded() const { return impl_ != nullptr; }
  /// Milliseconds from this event to `end`. Both are timing events that have been reached; throws
  /// Error otherwise.
  float elapsed_time(const Event& end) const;

 private:
  bool timing_;
  detail::EventImpl* impl_ = nullptr;
};

}  // namespace cuda

namespace detail {

/// The current stream of a CUDA device, for launches.
StreamImpl* current_stream_of(DeviceIndex device);
/// Whether the CUDA devices are GPUs, not simulated ones.
bool on_gpu();
/// The CUDA kernels that this build has.
enum class CudaKernels { kNone, kForGpus, kOnHost };
CudaKernels cuda_kernels();
/// Whether CUDA devices run those, not the CPU's.
bool runs_cuda_kernels();
/// Makes `stream` the calling thread's current one on `device`, and returns which was. Unlike
/// cuda::set_stream it leaves the current device alone.
StreamImpl* exchange_current_stream(DeviceIndex device, StreamImpl* stream);
/// Queues a kernel on the current stream; with CUDA_LAUNCH_BLOCKING=1 waits for it.
void launch_on(DeviceIndex device, const char* name, std::function<void()> work);
/// Queues a copy of bytes on a stream.
void copy_on(StreamImpl* stream, void* to, const void* from, size_t nbytes);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
