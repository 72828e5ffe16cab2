#include <taper/framework/debug/simulated_memory.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include <taper/framework/debug/simulated_faults.h>

namespace torch::taper::simulated {

// ---------------------------------------------------------------------- simulated_memory
namespace {

struct Reachable {
  std::mutex mutex;
  std::map<uintptr_t, uintptr_t> end_of;  // keyed by the begin of each piece
};
// It is never destroyed, because memory is released until the process ends.
Reachable& reachable() {
  static Reachable& r = *new Reachable;
  return r;
}

}  // namespace

void add_reachable(const void* p, size_t nbytes) {
  Reachable& r = reachable();
  const auto begin = reinterpret_cast<uintptr_t>(p);
  const std::lock_guard<std::mutex> lock(r.mutex);
  r.end_of[begin] = begin + nbytes;
}

void remove_reachable(const void* p) noexcept {
  Reachable& r = reachable();
  const std::lock_guard<std::mutex> lock(r.mutex);
  r.end_of.erase(reinterpret_cast<uintptr_t>(p));
}

bool is_reachable(const void* p) {
  Reachable& r = reachable();
  const auto at = reinterpret_cast<uintptr_t>(p);
  const std::lock_guard<std::mutex> lock(r.mutex);
  const auto behind = r.end_of.upper_bound(at);
  return behind != r.end_of.begin() && at < std::prev(behind)->second;
}

// ---------------------------------------------------------------------- simulated_faults
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
