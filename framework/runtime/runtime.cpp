#include <taper/framework/runtime/runtime.h>

#include <taper/framework/debug/simulated_stream.h>
#include <taper/framework/debug/watched_runtime.h>

namespace torch::taper {
namespace {

Runtime* real_runtime() {
  static Runtime* const runtime = [] {
    Runtime* r = simulated::make_runtime();
    if (!r) r = detail::gpu_runtime();
    if (r) races::enable_from_environment();
    return r;
  }();
  return runtime;
}

}  // namespace

bool detail::on_gpu() {
  static const bool answer = real_runtime() && real_runtime() == gpu_runtime();
  return answer;
}

detail::StreamImpl* Runtime::wrap_stream(DeviceIndex, void*) {
  throw Error(
      "getStreamFromExternal: expected a GPU, got a simulated device, which runs no stream of "
      "CUDA's; take a stream of the pool");
}
void* Runtime::library_handle(Library, detail::StreamImpl*) {
  throw Error(
      "library handle: expected a GPU, got a simulated device, where cuBLAS, cuSOLVER and cuSPARSE "
      "do not run; call Taper's ops, which run everywhere");
}

Runtime* cuda_runtime() {
  Runtime* r = real_runtime();
  if (__builtin_expect(!detail::watches_races(), 1) || !r) return r;
  static races::WatchedRuntime& watched = *new races::WatchedRuntime(*r);
  return &watched;
}

}  // namespace torch::taper
