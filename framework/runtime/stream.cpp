#include <taper/framework/runtime/stream.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include <taper/framework/capture/capture.h>
#include <taper/framework/debug/timeline.h>
#include <taper/framework/runtime/launch_blocking.h>

namespace torch::taper {
namespace {

constexpr int kPoolSize = detail::kLastPooledStream / 2;  // for each of two priorities

/// Holds the streams of one device. Each is made on its first use.
struct DeviceStreams {
  std::mutex mutex;
  detail::StreamImpl* main = nullptr;
  std::array<std::array<detail::StreamImpl*, kPoolSize>, 2> pools{};
  std::array<int, 2> next{};
};

DeviceStreams& streams_of(DeviceIndex device) {
  static auto& all = *new std::array<DeviceStreams, kMaxDevices>;
  return all[device];
}

detail::StreamImpl* default_stream_of(DeviceIndex device) {
  DeviceStreams& s = streams_of(device);
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (!s.main) s.main = detail::require_cuda().make_default_stream(device);
  return s.main;
}

detail::StreamImpl* pool_stream(DeviceIndex device, int priority) {
  DeviceStreams& s = streams_of(device);
  const std::lock_guard<std::mutex> lock(s.mutex);
  const int level = priority < 0 ? 1 : 0;
  const int i = s.next[level]++ % kPoolSize;
  detail::StreamImpl*& stream = s.pools[level][i];
  if (!stream) {
    stream = detail::require_cuda().make_stream(device, -level);
    stream->id = 1 + level * kPoolSize + i;
  }
  return stream;
}

/// Holds the calling thread's stream on each device. Null stands for the default stream. Most
/// threads choose none, and thread-local memory is short, so the first choice allocates the array.
using CurrentStreams = std::array<detail::StreamImpl*, kMaxDevices>;
thread_local CurrentStreams* current = nullptr;

struct CurrentStreamsOwner {
  CurrentStreamsOwner() { current = new CurrentStreams{}; }
  ~CurrentStreamsOwner() { delete std::exchange(current, nullptr); }
};

void choose(DeviceIndex device, detail::StreamImpl* stream) {
  static thread_local CurrentStreamsOwner owner;
  (void)owner;
  if (current) (*current)[device] = stream;  // an ending thread has no array
}

}  // namespace

namespace detail {

StreamImpl* current_stream_of(DeviceIndex device) {
  StreamImpl* s = current ? (*current)[device] : nullptr;
  return s ? s : default_stream_of(device);
}

StreamImpl* exchange_current_stream(DeviceIndex device, StreamImpl* stream) {
  StreamImpl* before = current_stream_of(device);
  choose(device, stream);
  return before;
}

void launch_on(DeviceIndex device, const char* name, std::function<void()> work) {
  Runtime& r = require_cuda();
  StreamImpl* stream = current_stream_of(device);
  {
    const TimelineSpan span(stream, name);
    r.launch(stream, name, std::move(work));
  }
  if (!stream->capture) finish_launch(r, stream);
}

void copy_on(StreamImpl* stream, void* to, const void* from, size_t nbytes) {
  if (Capture* capture = stream->capture)
    capture->note(stream, "copy",
                  {Access::bytes(to, nbytes, true), Access::bytes(from, nbytes, false)});
  const TimelineSpan span(stream, "memcpy");
  require_cuda().copy(stream, to, from, nbytes);
}

}  // namespace detail

namespace cuda {

// ---------------------------------------------------------------------- streams
Stream::Stream(Device device, int priority) {
  TAPER_CHECK(device.is_cuda(), "Stream: expected a CUDA device, got ", device);
  impl_ = pool_stream(detail::existing_device(device).index(), priority);
}

namespace {

void check_not_captured(const detail::StreamImpl& stream, const char* what) {
  TAPER_CHECK(!stream.capture,
              "CUDA error: operation not permitted when stream is capturing: ", what,
              " of a stream that is captured; do it before or after the capture");
}

}  // namespace

bool Stream::query() const {
  check_not_captured(*impl_, "query");
  return detail::require_cuda().is_idle(impl_);
}
void Stream::synchronize() const {
  check_not_captured(*impl_, "synchronize");
  detail::require_cuda().synchronize(impl_);
}

void* Stream::native_handle() const { return detail::require_cuda().native_handle(impl_); }

void Stream::wait_stream(const Stream& other) const {
  if (other != *this) wait_event(other.record_event());
}
void Stream::wait_event(const Event& event) const { event.wait(*this); }

Event Stream::record_event() const {
  Event e;
  e.record(*this);
  return e;
}

Stream current_stream(DeviceIndex device) {
  return Stream(detail::current_stream_of(detail::existing_index(device)));
}
Stream default_stream(DeviceIndex device) {
  return Stream(default_stream_of(detail::existing_index(device)));
}
void set_stream(const Stream& stream) {
  set_device(stream.device_index());
  choose(stream.device_index(), stream.impl());
}

StreamGuard::StreamGuard(const Stream& stream)
    : device_(current_device()), before_(cuda::current_stream(stream.device_index())) {
  set_stream(stream);
}
StreamGuard::~StreamGuard() {
  choose(before_.device_index(), before_.impl());
  set_device(device_);
}

// ---------------------------------------------------------------------- events
Event::~Event() {
  if (impl_) cuda_runtime()->destroy_event(impl_);
}
Event::Event(Event&& other) noexcept : timing_(other.timing_), impl_(other.impl_) {
  other.impl_ = nullptr;
}
Event& Event::operator=(Event&& other) noexcept {
  std::swap(timing_, other.timing_);
  std::swap(impl_, other.impl_);
  return *this;
}

void Event::record(const Stream& stream) {
  Runtime& r = detail::require_cuda();
  if (!impl_) impl_ = r.make_event(timing_);
  if (detail::Capture* capture = stream.impl()->capture)
    capture->record(*impl_, stream.impl());
  else
    impl_->point.reset();
  r.record(impl_, stream.impl());
}

namespace {

// Returns the capture that a wait belongs to: the stream's or the event's. It is usually null.
detail::Capture* capture_of_wait(const detail::StreamImpl& stream, const detail::EventImpl& event) {
  if (!event.point || stream.capture) return stream.capture;
  detail::Capture* capture = detail::thread_capture();
  TAPER_CHECK(
      capture && capture->origin(),
      "CUDA error: operation not permitted on an event last recorded in a capturing stream");
  return capture;
}

// Throws for a captured event. It is a place in a graph, which is never reached.
void check_not_captured(const detail::EventImpl& event, const char* what) {
  TAPER_CHECK(!event.point,
              "CUDA error: operation not permitted on an event last recorded in a capturing "
              "stream: ",
              what, "; record it again outside of the capture");
  detail::check_may_wait(what);
}

}  // namespace

void Event::wait(const Stream& stream) const {
  if (!impl_) return;
  if (detail::Capture* capture = capture_of_wait(*stream.impl(), *impl_))
    capture->wait(stream.impl(), *impl_);
  detail::require_cuda().wait(stream.impl(), impl_);
}
bool Event::query() const {
  if (!impl_) return true;
  check_not_captured(*impl_, "Event::query");
  return detail::require_cuda().is_reached(impl_);
}
void Event::synchronize() const {
  if (!impl_) return;
  check_not_captured(*impl_, "Event::synchronize");
  detail::require_cuda().synchronize(impl_);
}
void* Event::native_handle() const {
  return impl_ ? detail::require_cuda().native_handle(impl_) : nullptr;
}
float Event::elapsed_time(const Event& end) const {
  TAPER_CHECK(timing_ && end.timing_,
              "elapsed_time: expected two events made with timing, got one without; make them with "
              "Event(true)");
  TAPER_CHECK(impl_ && end.impl_,
              "elapsed_time: expected both events to be recorded before asking");
  TAPER_CHECK(query() && end.query(),
              "elapsed_time: an event has not been reached yet; call synchronize() first");
  return static_cast<float>(detail::require_cuda().elapsed_ms(impl_, end.impl_));
}

}  // namespace cuda
}  // namespace torch::taper
