// Faults that a test requests of a simulated device. Not installed.
#pragma once

#include <mutex>
#include <string>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::simulated {

/// Planned faults of one device.
class FaultPlan {
 public:
  /// Plans a fault of the n-th kernel from now on with the name `kernel` (any if empty).
  void fail_kernel(int n, std::string kernel);
  /// Returns whether the kernel `name`, which is being queued, must fail.
  bool takes(const char* name);
  /// Plans to refuse the n-th request of memory from now on, `times` requests in all.
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
