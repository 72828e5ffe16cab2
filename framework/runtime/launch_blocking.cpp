#include <taper/framework/runtime/launch_blocking.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <taper/framework/backtrace.h>
#include <taper/framework/check.h>

namespace taper::detail {
namespace {

std::atomic<bool>& blocking() {
  static std::atomic<bool> blocks = [] {
    const char* v = std::getenv("CUDA_LAUNCH_BLOCKING");
    return v && std::strcmp(v, "0") != 0 && *v;
  }();
  return blocks;
}

}  // namespace

bool blocks_launches() { return blocking().load(std::memory_order_relaxed); }
void set_blocks_launches(bool blocks) { blocking() = blocks; }

void finish_launch(Runtime& runtime, StreamImpl* stream) {
  if (!blocks_launches()) return;
  try {
    runtime.synchronize(stream);
  } catch (const Error& e) {
    throw Error(e.what() + describe_stack(capture_stack(), 3));
  }
}

}  // namespace taper::detail
