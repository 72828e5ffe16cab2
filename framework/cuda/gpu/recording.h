// Captured steps on GPUs: CUDA graphs, and values that differ between replays. Not installed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <taper/framework/cuda/gpu/captured_launches.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/stream.h>
#include <taper/framework/random/random.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::cuda {

struct GpuStream final : detail::StreamImpl {
  GpuStream(DeviceIndex device, int priority, cudaStream_t handle)
      : StreamImpl(device, priority), handle(handle) {}
  const cudaStream_t handle;
};
inline cudaStream_t handle_of(detail::StreamImpl* s) { return static_cast<GpuStream*>(s)->handle; }

/// Makes `device` CUDA's current device. The destructor restores the previous device. It does not
/// if the previous device has no context, or if make_current(device) was deferred.
class OnDevice {
 public:
  explicit OnDevice(int device) : device_(device) {
    TAPER_CUDA_CHECK(cudaGetDevice(&before_));
    if (before_ == device) {
      (void)was_deferred(device);
      return;
    }
    TAPER_CUDA_CHECK(cudaSetDevice(device));
    is_changed_ = true;
  }
  ~OnDevice() {
    if (is_changed_ && !was_deferred(device_)) restore_device(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const int device_;
  int before_ = 0;
  bool is_changed_ = false;
};

/// Makes `device` CUDA's current device like OnDevice, but does not throw. For use at the end of
/// the process.
class TryOnDevice {
 public:
  explicit TryOnDevice(int device) noexcept
      : is_changed_(cudaGetDevice(&before_) == cudaSuccess && before_ != device &&
                    cudaSetDevice(device) == cudaSuccess) {}
  ~TryOnDevice() {
    if (is_changed_) restore_device(before_);
  }
  TryOnDevice(const TryOnDevice&) = delete;
  TryOnDevice& operator=(const TryOnDevice&) = delete;

 private:
  int before_ = 0;
  const bool is_changed_;
};

/// Until the end of the scope, lets the thread make calls that CUDA rejects during a capture, such
/// as allocating memory. These calls do not become part of the graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A CUDA graph. The keys of its random numbers are in device memory. Each replay draws new keys,
/// in the order of the launches.
class GpuRecording final : public Recording {
 public:
  explicit GpuRecording(DeviceIndex device) : device_(device) {}
  ~GpuRecording() override;
  /// Makes `graph`, a captured graph, ready to run.
  void take(cudaGraph_t graph);
  void replay(detail::StreamImpl* stream) override;
  /// Returns the address of the key for the random numbers of the next recorded launch that draws
  /// from `generator`.
  const uint64_t* key_of(CPUGeneratorImpl* generator);
  /// Returns the launches of the running capture so far. `pool` is the pool of the capture's
  /// memory.
  CapturedLaunches& launches(const std::shared_ptr<detail::GraphPool>& pool) {
    pool_ = pool;
    return launches_;
  }
  CapturedLaunches& launches() { return launches_; }

 private:
  /// Memory for keys, filled by one copy.
  struct Keys {
    uint64_t* places;
    std::vector<CPUGeneratorImpl*> generators;
  };
  static constexpr size_t kKeys = 64;
  uint64_t* new_places() const;
  void write_keys(cudaStream_t stream);
  const DeviceIndex device_;
  CapturedLaunches launches_;
  std::shared_ptr<detail::GraphPool> pool_;  // during the capture
  cudaGraphExec_t graph_ = nullptr;
  std::vector<Keys> keys_;
  /// Addresses of keys, by generator and index of the draw. If autograd::checkpoint repeats a draw,
  /// the launch reads the key of the first draw.
  std::map<std::pair<CPUGeneratorImpl*, uint64_t>, const uint64_t*> place_of_draw_;
  cudaEvent_t replayed_ = nullptr;  // end of the last replay, only with keys
};

}  // namespace torch::taper::cuda
