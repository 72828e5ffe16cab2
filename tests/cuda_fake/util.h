// What the tests on the fake runtime share.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <taper/framework/runtime/stream.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/tensor.h>

#include "cuda_fake/fake_cuda.h"
#include "expect_error.h"

namespace torch::taper::testing {

/// Writes what has failed in this test to the error stream, which a parent process shows.
inline void tell_failures() {
  const ::testing::TestResult& r =
      *::testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < r.total_part_count(); ++i) {
    const ::testing::TestPartResult& part = r.GetTestPartResult(i);
    if (part.failed())
      std::fprintf(stderr, "%s:%d: %s\n", part.file_name(), part.line_number(), part.message());
  }
}
/// Runs `body` in a new process, in which no device has been used yet; fails when an expectation in
/// it does, or when a rule of CUDA's was broken.
template <class Body>
void in_own_process(const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        for (const std::string& what : fake_cuda::violations()) ADD_FAILURE() << what;
        tell_failures();
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

// ---------------------------------------------------------------------- libraries
/// Calls f as a kernel's host side is called.
template <class F>
void as_launch(DeviceIndex device, const F& f) {
  detail::launch_on(device, "test", f);
}
/// Expects that `body` breaks one rule, and which.
template <class Body>
void expect_violation(const std::string& rule, const Body& body) {
  ASSERT_TRUE(fake_cuda::violations().empty());
  body();
  const std::vector<std::string> broken = fake_cuda::take_violations();
  ASSERT_EQ(broken.size(), 1u) << "expected: " << rule;
  EXPECT_NE(broken[0].find(rule), std::string::npos)
      << "expected: " << rule << "\ngot: " << broken[0];
}
/// Expects that the n-th call of `function` from now on, when it fails, makes `body` throw an error
/// with these texts, and that nothing is left of it: the objects of libraries are as before.
template <class Body>
void expect_failure(const std::string& function, const std::vector<std::string>& texts,
                    const Body& body, int n = 1) {
  const int64_t before = fake_cuda::live_objects("");
  fake_cuda::fail(function, n, cudaErrorUnknown);
  const std::string message = message_of(body);
  for (const std::string& text : texts)
    EXPECT_NE(message.find(text), std::string::npos) << function << ": " << message;
  EXPECT_EQ(fake_cuda::live_objects(""), before) << function;
}

/// Numbers of the host, of about 1.
inline Tensor draw(IntArrayRef sizes, ScalarType dtype) {
  return randn(sizes, toRealValueType(dtype) == kDouble || dtype == kFloat || dtype == kComplexFloat
                          ? dtype
                          : kFloat)
      .to(dtype);
}
inline Tensor on_device(const Tensor& host, DeviceIndex device = 0) {
  return host.contiguous().to(Device(kCUDA, device));
}
inline void expect_close(const Tensor& got, const Tensor& wanted, double tolerance) {
  ASSERT_EQ(got.sizes(), wanted.sizes());
  const auto wide = [](const Tensor& t) { return t.to(t.is_complex() ? kComplexDouble : kDouble); };
  const double error = wide(got).sub(wide(wanted)).abs().max().item<double>();
  EXPECT_LE(error, tolerance) << "of at most " << wide(wanted).abs().max().item<double>();
}

}  // namespace torch::taper::testing
