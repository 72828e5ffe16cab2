// Faults that a test asks a simulated device for. Not installed.
#pragma once

#include <mutex>
#include <string>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::simulated {

/// What is to go wrong on one device, and when.
class FaultPlan {
 public:
  /// The n-th kernel from now on, of those named `kernel` (of all when empty).
  void fail_kernel(int n, std::string kernel);
  /// Whether it is the turn of the kernel `name`, which is being queued.
  bool takes(const char* name);
  /// The n-th request of memory from now on, and those after it: `times` in all.
  void refuse_memory(int n, int times);
  /// Whether it is the turn of a request.
  bool refuses_memory();
  void clear();

 private:
  std::mutex mutex_;
  std::string kernel_;
  int kernels_left_ = 0;  // 0: no fault is planned
  int requests_left_ = 0, refusals_left_ = 0;
};

}  // namespace torch::taper::simulated
