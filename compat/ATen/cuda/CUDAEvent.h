// at::cuda::CUDAEvent: taper::cuda::Event with CUDA's handle.
#pragma once

#include <c10/cuda/CUDAGuard.h>

namespace at::cuda {

class CUDAEvent : public taper::cuda::Event {
 public:
  /// Takes CUDA's flags. The default is cudaEventDisableTiming (2). If this flag is not set, the
  /// event records times.
  explicit CUDAEvent(unsigned flags = 2) : Event((flags & 2) == 0) {}
  bool isCreated() const { return is_recorded(); }
  cudaEvent_t event() const { return static_cast<cudaEvent_t>(native_handle()); }
  operator cudaEvent_t() const { return event(); }
  void recordOnce(const taper::cuda::Stream& stream) {
    if (!is_recorded()) record(stream);
  }
};

}  // namespace at::cuda
