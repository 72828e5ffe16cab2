// The whole suite has four simulated CUDA devices, whose streams drift apart. With TAPER_TEST_GPU=1
// it has the machine's GPUs instead.
#include <cstdlib>

#include <taper/framework/runtime/simulated.h>

namespace taper::testing {
namespace {

[[maybe_unused]] const bool simulated = [] {
  if (std::getenv("TAPER_TEST_GPU")) return false;
  cuda::SimulationOptions options;
  options.max_delay_us = 20;
  options.without_peer_access = {{2, 3}};
  options.memory = size_t{256} << 20;
  cuda::simulate_devices(4, options);
  return true;
}();

}  // namespace
}  // namespace taper::testing
