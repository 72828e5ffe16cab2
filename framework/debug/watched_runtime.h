// A runtime for the race detector. It notifies the detector of each call, and forwards the call to
// the real runtime. Not installed.
#pragma once

#include <taper/framework/debug/race_watch.h>

namespace torch::taper::races {

class WatchedRuntime final : public Runtime {
 public:
  explicit WatchedRuntime(Runtime& runtime) : real_(runtime) {}

  DeviceIndex device_count() override { return real_.device_count(); }
  DeviceProperties properties(DeviceIndex device) override { return real_.properties(device); }
  size_t free_memory(DeviceIndex device) override { return real_.free_memory(device); }
  void enable_peer_access(DeviceIndex device, DeviceIndex peer) override {
    real_.enable_peer_access(device, peer);
  }
  bool can_access_peer(DeviceIndex device, DeviceIndex peer) override {
    return real_.can_access_peer(device, peer);
  }
  void make_current(DeviceIndex device) noexcept override { real_.make_current(device); }
  void* native_handle(detail::StreamImpl* stream) override { return real_.native_handle(stream); }
  void* native_handle(detail::EventImpl* event) override { return real_.native_handle(event); }
  detail::StreamImpl* wrap_stream(DeviceIndex device, void* handle) override {
    return real_.wrap_stream(device, handle);
  }
  const uint64_t* key_for_replays(detail::StreamImpl* stream,
                                  CPUGeneratorImpl* generator) override {
    return real_.key_for_replays(stream, generator);
  }
  void* library_handle(Library library, detail::StreamImpl* stream) override {
    return real_.library_handle(library, stream);
  }

  void* allocate(DeviceIndex device, size_t nbytes) override {
    return real_.allocate(device, nbytes);
  }
  void release(DeviceIndex device, void* p, size_t nbytes) noexcept override;
  void* allocate_pinned(size_t nbytes) override { return real_.allocate_pinned(nbytes); }
  void release_pinned(void* p, size_t nbytes) noexcept override;

  detail::StreamImpl* make_default_stream(DeviceIndex device) override {
    return real_.make_default_stream(device);
  }
  detail::StreamImpl* make_stream(DeviceIndex device, int priority) override {
    return real_.make_stream(device, priority);
  }
  void launch(detail::StreamImpl* stream, const char* name, std::function<void()> work) override {
    real_.launch(stream, name, std::move(work));
  }
  void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) override;
  bool is_idle(detail::StreamImpl* stream) override;
  void synchronize(detail::StreamImpl* stream) override;
  void synchronize_device(DeviceIndex device) override;

  detail::EventImpl* make_event(bool timing) override { return real_.make_event(timing); }
  void destroy_event(detail::EventImpl* event) noexcept override;
  void record(detail::EventImpl* event, detail::StreamImpl* stream) override;
  void wait(detail::StreamImpl* stream, detail::EventImpl* event) override;
  bool is_reached(detail::EventImpl* event) override;
  void synchronize(detail::EventImpl* event) override;
  double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) override {
    return real_.elapsed_ms(start, end);
  }

  // Captures and replays notify the detector themselves.
  std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) override {
    return real_.begin_capture(stream);
  }
  void end_capture(detail::StreamImpl* stream, Recording& recording) override {
    real_.end_capture(stream, recording);
  }

 private:
  Runtime& real_;
};

}  // namespace torch::taper::races
