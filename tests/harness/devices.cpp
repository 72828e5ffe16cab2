#include "harness/devices.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include <taper/framework/runtime/stream.h>

namespace torch::taper::testing {
namespace {

bool is_set(const char* variable) {
  const char* text = std::getenv(variable);
  return text && *text && std::string(text) != "0";
}

[[maybe_unused]] const bool simulated = [] {
  // Kernels are loaded before the first launch: loading one waits for kernels that tests hold back.
  if (is_set("TAPER_TEST_GPU")) return ::setenv("CUDA_MODULE_LOADING", "EAGER", 0) != 0;
  cuda::SimulationOptions options;
  // The race detector looks at what was ordered, not at when it happened.
  options.max_delay_us = is_set("TAPER_RACE_DETECTOR") ? 0 : 20;
  options.without_peer_access = {{2, 3}};
  options.memory = size_t{256} << 20;
  const char* count = std::getenv("TAPER_TEST_DEVICES");
  cuda::simulate_devices(count ? std::atoi(count) : 4, options);
  return true;
}();

}  // namespace

void run_in_gpu_stream(std::function<void()> work) {
  using LaunchHostFunction = int (*)(void* stream, void (*)(void*), void*);
  static const auto launch = reinterpret_cast<LaunchHostFunction>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "cuLaunchHostFunc"));
  TAPER_CHECK(launch, "run_in_gpu_stream: expected cuLaunchHostFunc in the driver");
  auto held = std::make_unique<std::function<void()>>(std::move(work));
  const auto run = [](void* p) {
    const std::unique_ptr<std::function<void()>> mine(static_cast<std::function<void()>*>(p));
    (*mine)();
  };
  const int status = launch(cuda::current_stream().native_handle(), run, held.get());
  TAPER_CHECK(status == 0, "run_in_gpu_stream: cuLaunchHostFunc gave error ", status);
  held.release();
}

}  // namespace torch::taper::testing
