#include <taper/framework/debug/simulated_memory.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace torch::taper::simulated {
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

}  // namespace torch::taper::simulated
