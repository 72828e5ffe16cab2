// Faults of simulated devices that a test has requested. Not installed.
#pragma once

#include <mutex>
#include <string>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::simulated {

/// Planned faults of one device.
class FaultPlan {
 public:
  /// Plans that the n-th kernel from now on fails. If `kernel` is not empty, only kernels of this
  /// name are counted.
  void fail_kernel(int n, std::string kernel);
  /// Returns whether the kernel `name`, which is being queued, must fail.
  bool takes(const char* name);
  /// Plans to refuse `times` requests for memory, beginning with the n-th request from now on.
  void refuse_memory(int n, int times);
  /// Returns whether the current request must be refused.
  bool refuses_memory();
  void clear();

 private:
  std::mutex mutex_;
  std::string kernel_;
  int kernels_left_ = 0;  // 0: no fault is planned
  int requests_left_ = 0, refusals_left_ = 0;
};

}  // namespace torch::taper::simulated
