// GoogleTest macros for the checks of <taper/testing/testing.h>. After a failure, EXPECT_ macros
// continue, and ASSERT_ macros return from the test.
//
//   EXPECT_TENSOR_CLOSE(got, want)                 tolerances of the dtypes
//   EXPECT_TENSOR_CLOSE(got, want, rtol, atol)
//   EXPECT_TENSOR_EQUAL(got, want)                 dtype, sizes, every value
//   EXPECT_TENSOR_FINITE(t)
//   EXPECT_GRADCHECK(fn, {x, w})                   arguments of autograd::gradcheck_report
//   EXPECT_GRADGRADCHECK(fn, {x, w})               ... gradgradcheck_report
//   EXPECT_MODULE_GRADCHECK(module, forward, {x})  ... testing::module_gradcheck
//   EXPECT_SAME_ON_DEVICES(fn, {x}, {kCPU, kCUDA}) ... testing::compare_devices
//   EXPECT_GOLDEN("name", tensors)                 ... testing::golden_report
//   EXPECT_FUZZ("name", fn, {"N D"})               ... testing::fuzz
//
// The message of a failure has the position and the size of the difference. `<< "more"` after any
// macro adds to the message.
#pragma once

#include <gtest/gtest.h>

#include <iostream>

#include <taper/testing/testing.h>

namespace torch::taper::testing::impl {

inline ::testing::AssertionResult assertion(const char* what, const std::string& failure) {
  if (failure.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << ": " << failure;
}
/// Prints notes of a passed check to the standard output, because GoogleTest drops them.
template <class Report>
::testing::AssertionResult assertion_of(const char* what, const Report& report) {
  if (!report.passed()) return assertion(what, report.text());
  if (!report.notes.empty()) std::cout << what << ": " << report.text();
  return ::testing::AssertionSuccess();
}
inline std::string close(const Tensor& got, const Tensor& want) { return difference(got, want); }
inline std::string close(const Tensor& got, const Tensor& want, double rtol, double atol) {
  return difference(got, want, Tolerance{rtol, atol});
}
inline std::string close(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  return difference(got, want, tolerance);
}

}  // namespace torch::taper::testing::impl

// clang-format off
#define EXPECT_TENSOR_CLOSE(...) EXPECT_TRUE(::taper::testing::impl::assertion("TENSOR_CLOSE(" #__VA_ARGS__ ")", ::taper::testing::impl::close(__VA_ARGS__)))
#define ASSERT_TENSOR_CLOSE(...) ASSERT_TRUE(::taper::testing::impl::assertion("TENSOR_CLOSE(" #__VA_ARGS__ ")", ::taper::testing::impl::close(__VA_ARGS__)))
#define EXPECT_TENSOR_EQUAL(got, want) EXPECT_TRUE(::taper::testing::impl::assertion("TENSOR_EQUAL(" #got ", " #want ")", ::taper::testing::inequality(got, want)))
#define ASSERT_TENSOR_EQUAL(got, want) ASSERT_TRUE(::taper::testing::impl::assertion("TENSOR_EQUAL(" #got ", " #want ")", ::taper::testing::inequality(got, want)))
#define EXPECT_TENSOR_FINITE(t) EXPECT_TRUE(::taper::testing::impl::assertion("TENSOR_FINITE(" #t ")", ::taper::testing::not_finite(t)))
#define ASSERT_TENSOR_FINITE(t) ASSERT_TRUE(::taper::testing::impl::assertion("TENSOR_FINITE(" #t ")", ::taper::testing::not_finite(t)))
#define EXPECT_GRADCHECK(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("gradcheck", ::taper::autograd::gradcheck_report(__VA_ARGS__)))
#define ASSERT_GRADCHECK(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("gradcheck", ::taper::autograd::gradcheck_report(__VA_ARGS__)))
#define EXPECT_GRADGRADCHECK(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("gradgradcheck", ::taper::autograd::gradgradcheck_report(__VA_ARGS__)))
#define ASSERT_GRADGRADCHECK(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("gradgradcheck", ::taper::autograd::gradgradcheck_report(__VA_ARGS__)))
#define EXPECT_MODULE_GRADCHECK(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("module_gradcheck", ::taper::testing::module_gradcheck(__VA_ARGS__)))
#define ASSERT_MODULE_GRADCHECK(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("module_gradcheck", ::taper::testing::module_gradcheck(__VA_ARGS__)))
#define EXPECT_SAME_ON_DEVICES(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("compare_devices", ::taper::testing::compare_devices(__VA_ARGS__)))
#define ASSERT_SAME_ON_DEVICES(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("compare_devices", ::taper::testing::compare_devices(__VA_ARGS__)))
#define EXPECT_GOLDEN(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("golden", ::taper::testing::golden_report(__VA_ARGS__)))
#define ASSERT_GOLDEN(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("golden", ::taper::testing::golden_report(__VA_ARGS__)))
#define EXPECT_FUZZ(...) EXPECT_TRUE(::taper::testing::impl::assertion_of("fuzz", ::taper::testing::fuzz(__VA_ARGS__)))
#define ASSERT_FUZZ(...) ASSERT_TRUE(::taper::testing::impl::assertion_of("fuzz", ::taper::testing::fuzz(__VA_ARGS__)))
// clang-format on
