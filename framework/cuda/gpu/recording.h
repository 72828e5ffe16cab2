// Captured steps on GPUs: CUDA graphs, and what differs from replay to replay. Not installed.
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

/// Makes a device CUDA's current one; the caller's is restored, unless nobody has used that one
/// yet, or this one was to become current at its first use (make_current).
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

/// Calls that a capture of this thread would take for mistakes, such as taking memory, are allowed
/// for a scope: what they do is no part of the graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A CUDA graph. The keys of its random numbers lie in device memory, and each replay draws them
/// anew, in the order of the launches.
class GpuRecording final : public Recording {
 public:
  explicit GpuRecording(DeviceIndex device) : device_(device) {}
  ~GpuRecording() override;
  /// Makes the captured graph ready to run.
  void take(cudaGraph_t graph);
  void replay(detail::StreamImpl* stream) override;
  /// Where a launch that is recorded finds the key of its random numbers.
  const uint64_t* key_of(CPUGeneratorImpl* generator);
  /// What has been queued so far, by a capture whose memory is from this pool.
  CapturedLaunches& launches(const std::shared_ptr<detail::GraphPool>& pool) {
    pool_ = pool;
    return launches_;
  }
  CapturedLaunches& launches() { return launches_; }

 private:
  /// Places for keys, filled by one copy.
  struct Keys {
    uint64_t* places;
    std::vector<CPUGeneratorImpl*> generators;
  };
  static constexpr size_t kKeys = 64;
  uint64_t* new_places() const;
  void write_keys(cudaStream_t stream);
  const DeviceIndex device_;
  CapturedLaunches launches_;
  std::shared_ptr<detail::GraphPool> pool_;  // while it is captured
  cudaGraphExec_t graph_ = nullptr;
  std::vector<Keys> keys_;
  /// A draw that autograd::checkpoint repeats reads the key of the first one.
  std::map<std::pair<CPUGeneratorImpl*, uint64_t>, const uint64_t*> place_of_draw_;
  cudaEvent_t replayed_ = nullptr;  // the last replay's end; only with keys
};

}  // namespace torch::taper::cuda
