#include <taper/framework/debug/simulated_faults.h>

#include <utility>

namespace torch::taper::simulated {

void FaultPlan::fail_kernel(int n, std::string kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  kernels_left_ = n;
  kernel_ = std::move(kernel);
}

bool FaultPlan::takes(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kernels_left_ == 0 || (!kernel_.empty() && kernel_ != name)) return false;
  return --kernels_left_ == 0;
}

void FaultPlan::refuse_memory(int n, int times) {
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_left_ = n - 1;
  refusals_left_ = times;
}

bool FaultPlan::refuses_memory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (refusals_left_ == 0) return false;
  if (requests_left_ > 0) {
    --requests_left_;
    return false;
  }
  --refusals_left_;
  return true;
}

void FaultPlan::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  kernels_left_ = requests_left_ = refusals_left_ = 0;
}

}  // namespace torch::taper::simulated
