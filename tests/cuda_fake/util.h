// What the tests on the fake runtime share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include <taper/ops/tensor/tensor.h>

#include "cuda_fake/fake_cuda.h"
#include "expect_error.h"

namespace taper::testing {

/// Runs `body` in a new process, in which no device has been used yet; fails when an expectation in
/// it does, or when a rule of CUDA's was broken.
template <class Body>
void in_own_process(const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        for (const std::string& what : fake_cuda::violations()) ADD_FAILURE() << what;
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

/// Bytes on a device, all of one value. (Kernels do not run: it is copied there.)
inline Tensor bytes_on(DeviceIndex device, int64_t n, uint8_t value) {
  const Tensor host = empty({n}, kByte);
  std::memset(host.data_ptr(), value, static_cast<size_t>(n));
  return host.to(Device(kCUDA, device));
}
inline std::vector<uint8_t> host_bytes(const Tensor& t) {
  const Tensor host = t.cpu();
  const auto* const p = static_cast<const uint8_t*>(host.data_ptr());
  return {p, p + host.numel()};
}

}  // namespace taper::testing
