#include <taper/framework/debug/watched_runtime.h>

namespace torch::taper::races {
namespace {

thread_local int quiet_queries = 0;

/// Notes that the host knows all work queued before a wait, even if the wait throws a kernel's
/// error.
class HostWaits {
 public:
  explicit HostWaits(Clock clock) : clock_(std::move(clock)) {}
  ~HostWaits() { detector().host_reaches(clock_); }
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;

 private:
  Clock clock_;
};

bool learn(bool done, const Clock& clock) {
  if (done && !QuietQueries::active()) detector().host_reaches(clock);
  return done;
}

}  // namespace

QuietQueries::QuietQueries() { ++quiet_queries; }
QuietQueries::~QuietQueries() { --quiet_queries; }
bool QuietQueries::active() { return quiet_queries > 0; }

void WatchedRuntime::release(DeviceIndex device, void* p, size_t nbytes) noexcept {
  detector().forget(p, nbytes);
  real_.release(device, p, nbytes);
}
void WatchedRuntime::release_pinned(void* p, size_t nbytes) noexcept {
  detector().forget(p, nbytes);
  real_.release_pinned(p, nbytes);
}

void WatchedRuntime::copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) {
  if (!stream->capture)
    detector().launch(
        stream, "copy",
        {detail::Access::bytes(to, nbytes, true), detail::Access::bytes(from, nbytes, false)});
  real_.copy(stream, to, from, nbytes);
}

bool WatchedRuntime::is_idle(detail::StreamImpl* stream) {
  const Clock clock = detector().clock_of(stream);
  return learn(real_.is_idle(stream), clock);
}
void WatchedRuntime::synchronize(detail::StreamImpl* stream) {
  const HostWaits waits(detector().clock_of(stream));
  real_.synchronize(stream);
}
void WatchedRuntime::synchronize_device(DeviceIndex device) {
  const HostWaits waits(detector().clock_of(device));
  real_.synchronize_device(device);
}

void WatchedRuntime::destroy_event(detail::EventImpl* event) noexcept {
  detector().destroy(event);
  real_.destroy_event(event);
}
void WatchedRuntime::record(detail::EventImpl* event, detail::StreamImpl* stream) {
  if (!stream->capture) detector().record(event, stream);
  real_.record(event, stream);
}
void WatchedRuntime::wait(detail::StreamImpl* stream, detail::EventImpl* event) {
  if (!stream->capture) detector().wait(stream, event);
  real_.wait(stream, event);
}
bool WatchedRuntime::is_reached(detail::EventImpl* event) {
  const Clock clock = detector().clock_of(event);
  return learn(real_.is_reached(event), clock);
}
void WatchedRuntime::synchronize(detail::EventImpl* event) {
  const HostWaits waits(detector().clock_of(event));
  real_.synchronize(event);
}

}  // namespace torch::taper::races
