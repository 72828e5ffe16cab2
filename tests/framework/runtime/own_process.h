// What must be seen before the first use of a device is tested in a process of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include <taper/framework/debug/simulated.h>

namespace torch::taper::testing {

/// Runs `body` in a new process of this program, in which no device has been used yet, and fails
/// when an expectation in it does, or when what it writes to stderr lacks `text`. There are
/// `devices` simulated devices, unless the body asks for others; with -1 it has the suite's
/// devices.
template <class Body>
void in_own_process(Body body, const char* text = "", int devices = 4) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        // Without simulated devices there would be the machine's GPUs.
        if (devices == 0) ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
        if (devices >= 0) cuda::simulate_devices(devices);
        body();
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), text);
}

}  // namespace torch::taper::testing
