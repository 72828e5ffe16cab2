// Implements GPUs with the CUDA runtime. Compiled only if the CUDA toolkit is present.
#include <taper/framework/runtime/runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include <taper/framework/capture/capture.h>
#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/framework/cuda/stream.h>

namespace torch::taper {
namespace cuda {
namespace {

struct GpuEvent final : detail::EventImpl {
  cudaEvent_t handle = nullptr;  // made by the first record: events belong to a device
  DeviceIndex device = -1;       // the device of `handle`
  bool timing = false;
};
GpuEvent& event_of(detail::EventImpl* e) { return *static_cast<GpuEvent*>(e); }

GpuRecording* recording_of(detail::StreamImpl* stream) {
  const detail::Capture* capture = stream->capture;
  return capture ? static_cast<GpuRecording*>(capture->recording().get()) : nullptr;
}

/// Marks a scope that queues work on a stream, which may be captured.
class CapturedStep {
 public:
  explicit CapturedStep(detail::StreamImpl* stream)
      : stream_(stream), capture_(stream->capture), recording_(recording_of(stream)) {
    if (recording_) recording_->launches(capture_->pool()).begin(handle_of(stream));
  }
  ~CapturedStep() {
    if (recording_) capture_->log().note_step(recording_->launches().end(handle_of(stream_)));
  }
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;

 private:
  detail::StreamImpl* const stream_;
  const detail::Capture* const capture_;
  GpuRecording* const recording_;
};

/// Returns whether memory ran out, which the caller handles, and clears this error. Throws any
/// other error.
bool is_out_of_memory(cudaError_t status, const char* call, int line) {
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return true;
  }
  check_status(status, call, __FILE__, line);
  return false;
}

class GpuRuntime final : public Runtime {
 public:
  explicit GpuRuntime(int count) : count_(static_cast<DeviceIndex>(count)) {}

  DeviceIndex device_count() override { return count_; }
  DeviceProperties properties(DeviceIndex device) override {
    cudaDeviceProp p;
    TAPER_CUDA_CHECK(cudaGetDeviceProperties(&p, device));
    return {p.name, p.totalGlobalMem, p.major, p.minor, p.multiProcessorCount};
  }
  size_t free_memory(DeviceIndex device) override {
    const OnDevice on(device);
    size_t free = 0, total = 0;
    TAPER_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
  }
  bool can_access_peer(DeviceIndex device, DeviceIndex peer) override {
    int can = 0;
    if (device != peer) TAPER_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    return can != 0;
  }
  // If access is refused, or the program has enabled it, copies work all the same.
  void enable_peer_access(DeviceIndex device, DeviceIndex peer) override {
    const uint64_t bit = uint64_t{1} << peer;
    if (device == peer || peers_[static_cast<size_t>(device)].fetch_or(bit) & bit) return;
    const OnDevice on(device);
    const RelaxedCapture relaxed;
    if (cudaDeviceEnablePeerAccess(peer, 0) != cudaSuccess) (void)cudaGetLastError();
  }

  void make_current(DeviceIndex device) noexcept override { cuda::make_current(device); }
  void* native_handle(detail::StreamImpl* stream) override {
    use_deferred();  // the program is about to launch
    return handle_of(stream);
  }
  void* native_handle(detail::EventImpl* event) override { return event_of(event).handle; }
  detail::StreamImpl* wrap_stream(DeviceIndex device, void* handle) override {
    auto* const stream = new GpuStream(device, 0, static_cast<cudaStream_t>(handle));
    stream->id = detail::kLastPooledStream + ++wrapped_;
    return stream;
  }
  const uint64_t* key_for_replays(detail::StreamImpl* stream,
                                  CPUGeneratorImpl* generator) override {
    const OnDevice on(stream->device);
    const LaunchScope scope(stream->device, handle_of(stream), recording_of(stream));
    return cuda::key_for_replays(generator);
  }
  void* library_handle(Library library, detail::StreamImpl* stream) override {
    const OnDevice on(stream->device);
    const LaunchScope scope(stream->device, handle_of(stream), nullptr);
    switch (library) {
      case Library::kSolver:
        return cusolver_handle(/*for_program=*/true);
      case Library::kSparse:
        return cusparse_handle(/*for_program=*/true);
      case Library::kBlas:
      case Library::kBlasLt:
        break;
    }
    return cublas_handle(/*for_program=*/true);  // also a handle of cuBLASLt
  }

  void* allocate(DeviceIndex device, size_t nbytes) override {
    const OnDevice on(device);
    const std::lock_guard<std::mutex> no_group(launches_of_several_devices());
    const RelaxedCapture relaxed;
    void* p = nullptr;
    return is_out_of_memory(cudaMalloc(&p, nbytes), "cudaMalloc", __LINE__) ? nullptr : p;
  }
  // At the end of the process the driver may be gone, and no one is left to get an error.
  void release(DeviceIndex device, void* p, size_t) noexcept override {
    const TryOnDevice on(device);
    const std::lock_guard<std::mutex> no_group(launches_of_several_devices());
    const RelaxedCapture relaxed;
    (void)cudaFree(p);
  }
  void* allocate_pinned(size_t nbytes) override {
    const OnDevice on(used_device());
    const std::lock_guard<std::mutex> no_group(launches_of_several_devices());
    const RelaxedCapture relaxed;
    void* p = nullptr;
    const cudaError_t status = cudaHostAlloc(&p, nbytes, cudaHostAllocPortable);
    return is_out_of_memory(status, "cudaHostAlloc", __LINE__) ? nullptr : p;
  }
  void release_pinned(void* p, size_t) noexcept override {
    const TryOnDevice on(used_device());
    const std::lock_guard<std::mutex> no_group(launches_of_several_devices());
    (void)cudaFreeHost(p);
  }

  detail::StreamImpl* make_default_stream(DeviceIndex device) override {
    return new GpuStream(device, 0, nullptr);  // the legacy stream, as other CUDA code expects
  }
  detail::StreamImpl* make_stream(DeviceIndex device, int priority) override {
    const OnDevice on(device);
    cudaStream_t handle = nullptr;
    TAPER_CUDA_CHECK(cudaStreamCreateWithPriority(&handle, cudaStreamNonBlocking, priority));
    return new GpuStream(device, priority, handle);
  }
  void launch(detail::StreamImpl* stream, const char*, std::function<void()> work) override {
    const OnDevice on(stream->device);
    const LaunchScope scope(stream->device, handle_of(stream), recording_of(stream));
    const CapturedStep step(stream);
    work();
  }
  void copy(detail::StreamImpl* stream, void* to, const void* from, size_t nbytes) override {
    const OnDevice on(stream->device);
    const CapturedStep step(stream);
    TAPER_CUDA_CHECK(cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDefault, handle_of(stream)));
  }
  bool is_idle(detail::StreamImpl* stream) override {
    const OnDevice on(stream->device);
    return is_ready(cudaStreamQuery(handle_of(stream)), "cudaStreamQuery", __LINE__);
  }
  void synchronize(detail::StreamImpl* stream) override {
    const OnDevice on(stream->device);
    TAPER_CUDA_CHECK(cudaStreamSynchronize(handle_of(stream)));
    throw_fault(stream->device);
  }
  void synchronize_device(DeviceIndex device) override {
    const OnDevice on(device);
    TAPER_CUDA_CHECK(cudaDeviceSynchronize());
    throw_fault(device);
  }

  detail::EventImpl* make_event(bool timing) override {
    auto event = std::make_unique<GpuEvent>();
    event->timing = timing;
    return event.release();
  }
  void destroy_event(detail::EventImpl* event) noexcept override {
    const GpuEvent& e = event_of(event);
    if (e.handle) {
      const TryOnDevice on(e.device);
      (void)cudaEventDestroy(e.handle);
    }
    delete event;
  }
  void record(detail::EventImpl* event, detail::StreamImpl* stream) override {
    const OnDevice on(stream->device);
    GpuEvent& e = event_of(event);
    make_for(e, stream->device);
    TAPER_CUDA_CHECK(cudaEventRecord(e.handle, handle_of(stream)));
  }
  void wait(detail::StreamImpl* stream, detail::EventImpl* event) override {
    const OnDevice on(stream->device);
    if (event_of(event).handle)
      TAPER_CUDA_CHECK(cudaStreamWaitEvent(handle_of(stream), event_of(event).handle, 0));
  }
  bool is_reached(detail::EventImpl* event) override {
    const GpuEvent& e = event_of(event);
    if (!e.handle) return true;
    const OnDevice on(e.device);
    return is_ready(cudaEventQuery(e.handle), "cudaEventQuery", __LINE__);
  }
  void synchronize(detail::EventImpl* event) override {
    const GpuEvent& e = event_of(event);
    if (!e.handle) return;
    const OnDevice on(e.device);
    TAPER_CUDA_CHECK(cudaEventSynchronize(e.handle));
  }
  double elapsed_ms(detail::EventImpl* start, detail::EventImpl* end) override {
    const OnDevice on(event_of(start).device);
    float ms = 0;
    TAPER_CUDA_CHECK(cudaEventElapsedTime(&ms, event_of(start).handle, event_of(end).handle));
    return ms;
  }

  std::shared_ptr<Recording> begin_capture(detail::StreamImpl* stream) override {
    const OnDevice on(stream->device);
    auto recording = std::make_shared<GpuRecording>(stream->device);
    TAPER_CUDA_CHECK(cudaStreamBeginCapture(handle_of(stream), cudaStreamCaptureModeThreadLocal));
    return recording;
  }
  void end_capture(detail::StreamImpl* stream, Recording& recording) override {
    const OnDevice on(stream->device);
    cudaGraph_t graph = nullptr;
    TAPER_CUDA_CHECK(cudaStreamEndCapture(handle_of(stream), &graph));
    static_cast<GpuRecording&>(recording).take(graph);
  }

 private:
  // Returns a device for calls that concern none, such as those for pinned memory. CUDA creates the
  // context of the thread's device in any call, and a thread that chose none has device 0.
  int used_device() const noexcept {
    int now = 0;
    if (cudaGetDevice(&now) != cudaSuccess || has_context(now)) return now;
    for (int i = 0; i < count_; ++i)
      if (has_context(i)) return i;
    return now;
  }
  // Makes the event for a device. Waits for its last record on another device go on, because CUDA
  // keeps the data they need.
  static void make_for(GpuEvent& e, DeviceIndex device) {
    if (e.handle && e.device == device) return;
    if (e.handle) TAPER_CUDA_CHECK(cudaEventDestroy(std::exchange(e.handle, nullptr)));
    const unsigned flags = e.timing ? cudaEventDefault : cudaEventDisableTiming;
    TAPER_CUDA_CHECK(cudaEventCreateWithFlags(&e.handle, flags));
    e.device = device;
  }
  static bool is_ready(cudaError_t status, const char* call, int line) {
    if (status == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return false;
    }
    check_status(status, call, __FILE__, line);
    return true;
  }

  const DeviceIndex count_;
  std::array<std::atomic<uint64_t>, kMaxDevices> peers_{};  // peers enabled for each device
  std::atomic<int> wrapped_{0};                             // streams of other code
};

std::string text_of_version(int version) {
  return detail::concat(version / 1000, ".", version % 1000 / 10);
}

/// Explains to a user how to get a GPU.
std::string why_none(cudaError_t status) {
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);
  const std::string needed = text_of_version(CUDART_VERSION);
  if (status == cudaErrorInsufficientDriver && driver == 0)
    return detail::concat("no NVIDIA driver is loaded; install one for CUDA ", needed);
  if (status == cudaErrorInsufficientDriver)
    return detail::concat(cudaGetErrorString(status), ": the driver is for CUDA ",
                          text_of_version(driver), ", and Taper was built with ", needed,
                          "; update the driver");
  const char* const words = cudaGetErrorString(status ? status : cudaErrorNoDevice);
  return detail::concat(words, "; see what nvidia-smi says, and CUDA_VISIBLE_DEVICES");
}

/// Holds the runtime, or the reason why there is none.
struct Gpus {
  Runtime* runtime = nullptr;
  std::string why_none;
};

// Queries no device. A query would initialise it, and one failing device would fail all.
Gpus find_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {new GpuRuntime(std::min(count, kMaxDevices)), ""};
  (void)cudaGetLastError();
  return {nullptr, why_none(status)};
}
const Gpus& gpus() {
  static const Gpus& found = *new Gpus(find_gpus());
  return found;
}

}  // namespace
}  // namespace cuda

Runtime* detail::gpu_runtime() { return cuda::gpus().runtime; }
std::string detail::why_no_gpus() { return cuda::gpus().why_none; }

}  // namespace torch::taper
