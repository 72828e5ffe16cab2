#include <taper/framework/debug/simulated.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <taper/framework/capture/capture.h>
#include <taper/framework/core/check.h>
#include <taper/framework/debug/simulated_faults.h>
#include <taper/framework/debug/simulated_memory.h>
#include <taper/framework/debug/simulated_stream.h>
#include <taper/framework/runtime/devices.h>

namespace torch::taper {
namespace simulated {
namespace {

constexpr size_t kAlign = 512;

constexpr size_t aligned(size_t nbytes) { return (nbytes + kAlign - 1) / kAlign * kAlign; }
void* aligned_memory(size_t nbytes) {
  void* const p = std::aligned_alloc(kAlign, aligned(nbytes));
#if defined(__SANITIZE_ADDRESS__)
  // The block ends at the requested size, not at the alignment.
  if (p) ASAN_POISON_MEMORY_REGION(static_cast<char*>(p) + nbytes, aligned(nbytes) - nbytes);
#endif
  return p;
}

struct SimulatedDevice {
  int physical = 0;  ///< its number before CUDA_VISIBLE_DEVICES
  DeviceFault fault;
  FaultPlan plan;
  std::mutex mutex;  // guards the members below
  size_t used = 0;
  std::vector<Stream*> streams;
};

/// Holds the launches that a stream runs one by one.
class StreamLaunches final : public detail::LaunchList,
                             public std::enable_shared_from_this<StreamLaunches> {
 public:
  explicit StreamLaunches(Runtime& runtime) : runtime_(runtime) {}
  void replay(detail::StreamImpl* stream) override {
    for (const Step& step : steps_) runtime_.launch(stream, step.name, [&step] { step.work(); });
    // Keeps the launches alive: the graph may be destroyed before the stream reaches this place.
    static_cast<Stream*>(stream)->push([self = shared_from_this()] {});
  }

 private:
  Runtime& runtime_;
};

class SimulatedRuntime final : public Runtime {
 public:
  SimulatedRuntime(int count, cuda::SimulationOptions options)
      : physical_count_(count), options_(std::move(options)) {
    for (DeviceIndex i : detail::visible_devices(std::getenv("CUDA_VISIBLE_DEVICES"), count))
      devices_.emplace_back().physical = i;
  }

  DeviceIndex device_count() override { return static_cast<DeviceIndex>(devices_.size()); }
  DeviceProperties properties(DeviceIndex device) override {
    DeviceProperties p;
    p.name = options_.name + " " + std::to_string(devices_[device].physical);
    p.total_memory = options_.memory;
    p.major = 9;
    p.multi_processor_count = 1;
    return p;
  }
  size_t free_memory(DeviceIndex device) override {
    SimulatedDevice& d = usable(device);
    const std::lock_guard<std::mutex> lock(d.mutex);
    return options_.memory - d.used;
  }
  bool can_access_peer(DeviceIndex device, DeviceIndex peer) override {
    const auto& without = options_.without_peer_access;
    const int i = devices_[device].physical, j = devices_[peer].physical;
    const auto is_pair = [&](auto& p) { return p == std::pair(i, j) || p == std::pair(j, i); };
    return i != j && options_.peer_access && std::none_of(without.begin(), without.end(), is_pair);
  }

  void* allocate(DeviceIndex device, size_t nbytes) override {
    SimulatedDevice& d = usable(device);
    if (d.plan.refuses_memory()) return nullptr;
    const size_t rounded = aligned(nbytes);
    const std::lock_guard<std::mutex> lock(d.mutex);
    if (rounded < nbytes || rounded > options_.memory - d.used) return nullptr;
    void* p = aligned_memory(nbytes);
    if (!p) return nullptr;
    d.used += rounded;
    add_reachable(p, rounded);
    return p;
  }
  void release(DeviceIndex device, void* p, size_t nbytes) noexcept override {
    SimulatedDevice& d = devices_[device];
    // Waits as cudaFree does, because a stream may still use the memory.
    for (Stream* s : streams(device)) s->drain();
    const std::lock_guard<std::mutex> lock(d.mutex);
    d.used -= aligned(nbytes);
    remove_reachable(p);
    std::free(p);
  }
  void* allocate_pinned(size_t nbytes) override {
    void* p = aligned_memory(nbytes);
    if (p) add_reachable(p, nbytes);
    return p;
  }
  void release_pinned(void* p, size_t) noexcept override {
    remove_reachable(p);
    std::free(p);
  }

  detail::StreamImpl* make_default_stream(DeviceIndex device) override {
    return make_stream(device, 0);
  }
  detail::StreamImpl* make_stream(DeviceIndex device, int priority) override {
    SimulatedDevice& d = devices_[device];
    const std::lock_guard<std::mutex> lock(d.mutex);
    const uint64_t seed = options_.seed * 1000003 + device * 1009 + d.streams.size();
    d.streams.push_back(new Stream(device, priority, &d.fault, options_.max_delay_us, seed));
    return d.streams.back();
  }
  void launch(detail::StreamImpl* stream, const char* name, std::function<void()> work) override {
    if (detail::Capture* capture = stream->capture) return capture->add(name, std::move(work));
    if (usable(stream->device).plan.takes(name)) work = [] { throw Error("a simulated fault"); };
    stream_of(stream).launch(name, std::move(work));
  }
  void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) override {
    launch(stream, "memcpy", [=] { std::memmove(to, from, nbytes); });
  }
  bool is_idle(detail::StreamImpl* stream) override {
    usable(stream->device);
    return stream_of(stream).is_idle();
  }
  void synchronize(detail::StreamImpl* stream) override {
    stream_of(stream).drain();
    devices_[stream->device].fault.rethrow();
  }
  void synchronize_device(DeviceIndex device) override {
    for (Stream* s : streams(device)) s->drain();
    devices_[device].fault.rethrow();
  }

  detail::EventImpl* make_event(bool) override {
    auto event = std::make_shared<Event>();
    event->self = event;
    return event.get();
  }
  void destroy_event(detail::EventImpl* event) noexcept override {
    // A stream that must still reach or await the event keeps it alive.
    const std::shared_ptr<Event> last = std::move(static_cast<Event*>(event)->self);
  }
  void record(detail::EventImpl* event, detail::StreamImpl* stream) override {
    usable(stream->device);
    if (stream->capture) return;  // a replay runs in one queue
    const std::shared_ptr<Event> e = shared(event);
    const uint64_t record = e->begin(stream->device);
    stream_of(stream).push(e, record);
  }
  void wait(detail::StreamImpl* stream, detail::EventImpl* event) override {
    usable(stream->device);
    if (stream->capture) return;
    const std::shared_ptr<Event> e = shared(event);
    const uint64_t record = e->last();
    if (!e->is_reached()) stream_of(stream).push([e, record] { e->wait_for(record); });
  }
  bool is_reached(detail::EventImpl* event) override { return shared(event)->is_reached(); }
  void synchronize(detail::EventImpl* event) override {
    const std::shared_ptr<Event> e = shared(event);
    e->wait_for(e->last());
    if (e->device() >= 0) usable(e->device());
  }
  double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) override {
    const auto time = shared(end)->time() - shared(start)->time();
    return std::chrono::duration<double, std::milli>(time).count();
  }

  std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) override {
    usable(stream->device);
    return std::make_shared<StreamLaunches>(*this);
  }
  void end_capture(detail::StreamImpl* stream, Recording&) override { usable(stream->device); }

  SimulatedDevice& device(DeviceIndex index) { return devices_[detail::existing_index(index)]; }

  std::vector<size_t> physical_free_memory() {
    std::vector<size_t> free(physical_count_, options_.memory);
    for (DeviceIndex i = 0; i < device_count(); ++i) free[devices_[i].physical] = free_memory(i);
    return free;
  }

  void stop() {
    Stream::end_kernels();
    for (DeviceIndex i = 0; i < device_count(); ++i)
      for (Stream* s : streams(i)) s->stop();
  }

 private:
  /// Returns the device. Throws if it is lost.
  SimulatedDevice& usable(DeviceIndex device) {
    devices_[device].fault.check_lost();
    return devices_[device];
  }
  static Stream& stream_of(detail::StreamImpl* s) { return *static_cast<Stream*>(s); }
  std::vector<Stream*> streams(DeviceIndex device) {
    SimulatedDevice& d = devices_[device];
    const std::lock_guard<std::mutex> lock(d.mutex);
    return d.streams;
  }
  std::shared_ptr<Event> shared(detail::EventImpl* event) {
    return static_cast<Event*>(event)->self;
  }

  const int physical_count_;
  const cuda::SimulationOptions options_;
  std::deque<SimulatedDevice> devices_;
};

void check_count(int count) {
  TAPER_CHECK_VALUE(count >= 0 && count <= kMaxDevices, "simulate_devices: expected 0 to ",
                    kMaxDevices, " devices, got ", count);
}

// Holds the request made before the first use, and the runtime that was made for it.
struct Choice {
  std::mutex mutex;
  int count = -1;  ///< -1: not asked for
  cuda::SimulationOptions options;
  bool made = false;
  SimulatedRuntime* runtime = nullptr;
};
Choice& choice() {
  static Choice& c = *new Choice;
  return c;
}

int count_from_environment() {
  const char* text = std::getenv("TAPER_SIMULATED_CUDA_DEVICES");
  if (!text || !*text) return 0;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  TAPER_CHECK_VALUE(*end == 0 && count >= 0 && count <= kMaxDevices,
                    "TAPER_SIMULATED_CUDA_DEVICES: expected a number from 0 to ", kMaxDevices,
                    ", got '", text, "'");
  return static_cast<int>(count);
}

int chosen_count(const Choice& c) { return c.count >= 0 ? c.count : count_from_environment(); }

}  // namespace

Runtime* make_runtime() {
  Choice& c = choice();
  const std::lock_guard<std::mutex> lock(c.mutex);
  if (c.made) return c.runtime;
  const int count = chosen_count(c);
  if (count > 0) {
    c.runtime = new SimulatedRuntime(count, c.options);
    // Kernels must not outlive the static objects that they may use.
    std::atexit([] { choice().runtime->stop(); });
  }
  c.made = true;
  return c.runtime;
}

}  // namespace simulated

std::vector<size_t> detail::simulated_free_memory() {
  simulated::Choice& c = simulated::choice();
  const std::lock_guard<std::mutex> lock(c.mutex);
  if (c.runtime) return c.runtime->physical_free_memory();
  return std::vector<size_t>(c.made ? 0 : simulated::chosen_count(c), c.options.memory);
}

namespace cuda {

void simulate_devices(int count, const SimulationOptions& options) {
  simulated::check_count(count);
  simulated::Choice& c = simulated::choice();
  const std::lock_guard<std::mutex> lock(c.mutex);
  TAPER_CHECK(!c.made,
              "simulate_devices: expected to be called before the first use of a CUDA device; the "
              "devices are in use already");
  c.count = count;
  c.options = options;
}

namespace {

simulated::SimulatedDevice& faulty(const char* name, DeviceIndex device) {
  TAPER_CHECK(is_simulated(), name, ": expected simulated devices, and there are none");
  return static_cast<simulated::SimulatedRuntime*>(simulated::make_runtime())->device(device);
}

void check_turn(const char* name, int n) {
  TAPER_CHECK_VALUE(n >= 1, name, ": expected n and times to be 1 or more, got ", n);
}

}  // namespace

void simulate_kernel_fault(DeviceIndex device, int n, const std::string& kernel) {
  check_turn("simulate_kernel_fault", n);
  faulty("simulate_kernel_fault", device).plan.fail_kernel(n, kernel);
}
void simulate_full_memory(DeviceIndex device, int n, int times) {
  check_turn("simulate_full_memory", std::min(n, times));
  faulty("simulate_full_memory", device).plan.refuse_memory(n, times);
}
void simulate_device_loss(DeviceIndex device) {
  faulty("simulate_device_loss", device)
      .fault.lose(detail::concat("CUDA error: ", Device(kCUDA, detail::existing_index(device)),
                                 " is lost: nothing runs on it any more. Other devices can still "
                                 "be used."));
}
void end_simulated_faults(DeviceIndex device) {
  simulated::SimulatedDevice& d = faulty("end_simulated_faults", device);
  d.plan.clear();
  d.fault.clear();
}

bool is_simulated() { return cuda_runtime() && !detail::on_gpu(); }

}  // namespace cuda
}  // namespace torch::taper
