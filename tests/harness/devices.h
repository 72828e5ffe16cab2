// The CUDA devices of the tests: four simulated ones, whose streams drift apart. In the environment
// TAPER_TEST_DEVICES=n makes it n, and TAPER_TEST_GPU=1 takes the machine's GPUs.
//
// A test that cannot run on what there is ends as skipped and says why. It asks before it does
// anything else, but inside in_own_process, where the devices are always simulated.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include <taper/framework/core/context.h>
#include <taper/framework/debug/simulated.h>
#include <taper/framework/runtime/devices.h>

/// Skips the test unless there are at least `count` CUDA devices.
#define TAPER_NEEDS_DEVICES(count)                                          \
  if (::taper::cuda::device_count() < (count))                              \
    GTEST_SKIP() << "needs " << (count) << " CUDA devices, found " << int { \
      ::taper::cuda::device_count()                                         \
    }

/// Skips the test on GPUs. `what` is what only simulated devices have.
#define TAPER_NEEDS_SIMULATION(what) \
  if (!::taper::cuda::is_simulated()) GTEST_SKIP() << "needs simulated devices: " << (what)

namespace torch::taper::testing {

/// The CUDA device number i, for tests of what holds on any: where there are fewer, counting begins
/// anew.
inline Device device_at(int i) {
  return Device(kCUDA, static_cast<DeviceIndex>(i % cuda::device_count()));
}
/// The last CUDA device: the first one too where it is alone.
inline Device last_device() { return device_at(cuda::device_count() - 1); }

/// Waits for all devices: work that earlier tests have left is done then.
inline void synchronize_all() {
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i) cuda::synchronize(i);
}

/// Whether reports name source lines here: binutils' addr2line knows them.
inline bool has_source_lines() {
  static const bool found = std::system("addr2line --version >/dev/null 2>&1") == 0;
  return found;
}

/// While it lives, cuDNN computes convolutions and recurrent layers of float32 in float32.
struct WithoutTf32 {
  const bool before = globalContext().allowTF32CuDNN();
  WithoutTf32() { globalContext().setAllowTF32CuDNN(false); }
  ~WithoutTf32() { globalContext().setAllowTF32CuDNN(before); }
  WithoutTf32(const WithoutTf32&) = delete;
  WithoutTf32& operator=(const WithoutTf32&) = delete;
};

/// While a launch on a GPU is being made: a thread of the driver runs `work` when the launch's
/// stream comes to it, and what is queued behind it waits. `work` may not use CUDA.
void run_in_gpu_stream(std::function<void()> work);

}  // namespace torch::taper::testing
