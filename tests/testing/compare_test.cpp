// The matchers: what they accept, and what their failures say.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <limits>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"

namespace torch::taper::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(TensorMatchers, AcceptWhatIsClose) {
  const Tensor x = values({1, 2, 3});
  EXPECT_TENSOR_CLOSE(x, x + 1e-6);
  EXPECT_TENSOR_CLOSE(x, x.to(kDouble));
  EXPECT_TENSOR_CLOSE(x, x + 0.5, 0, 0.6);
  EXPECT_TENSOR_CLOSE(x, x + 0.5, Tolerance{0.5, 0}) << "more";
  EXPECT_TENSOR_CLOSE(values({kInf, -kInf}), values({kInf, -kInf}));
  EXPECT_TENSOR_CLOSE(Tensor(), Tensor());
  EXPECT_TENSOR_CLOSE(tensor_of({0, 3}, {}), tensor_of({0, 3}, {}));
  EXPECT_TENSOR_EQUAL(x, x.clone());
  EXPECT_TENSOR_EQUAL(values({NAN, 0}), values({NAN, -0.0}));
  EXPECT_TENSOR_EQUAL(counting({2, 3}).t(), counting({2, 3}).t().contiguous());
  EXPECT_TENSOR_FINITE(x);
  ASSERT_TENSOR_CLOSE(x, x);
  ASSERT_TENSOR_EQUAL(x, x);
  ASSERT_TENSOR_FINITE(x);
}

TEST(TensorMatchers, RejectWhatIsNot) {
  const Tensor x = values({1, 2, 3});
  EXPECT_NE(difference(x, x + 1e-3), "");
  EXPECT_NE(difference(x, values({1, 2})), "");
  EXPECT_NE(difference(x, Tensor()), "");
  EXPECT_NE(difference(Tensor(), x), "");
  EXPECT_NE(inequality(x, x + 1e-6), "");
  EXPECT_NE(inequality(x, x.to(kDouble)), "");
  EXPECT_NE(difference(counting({3}, kLong), counting({3}, kLong, 1)), "");
}

TEST(TensorMatchers, TellWholeNumbersApartThatDoublesDoNot) {
  const Tensor x = full({2, 2}, int64_t{1} << 53, kLong), y = x.clone();
  y[1][0] += 1;
  EXPECT_NE(inequality(y, x).find("1 of 4 elements differ"), std::string::npos) << inequality(y, x);
  EXPECT_NE(difference(y, x).find("9007199254740993, want 9007199254740992 at [1, 0]"),
            std::string::npos)
      << difference(y, x);
  EXPECT_EQ(difference(y, x, {0, 1}), "");
  const Tensor high = full({2}, Scalar(UINT64_MAX), kUInt64);
  EXPECT_NE(inequality(high, full({2}, Scalar(UINT64_MAX - 1), kUInt64)), "");
  EXPECT_TENSOR_EQUAL(high, high.clone());
  EXPECT_TENSOR_CLOSE(y, y.clone());
}

TEST(TensorMatchers, CompareStoredDtypes) {
  for (const ScalarType t : {kUInt16, kUInt32, kUInt64, kFloat8_e5m2, kFloat8_e4m3fn,
                             kFloat8_e5m2fnuz, kFloat8_e4m3fnuz, kFloat8_e8m0fnu}) {
    const Tensor x = values({1, 2, 4}).to(t), other = values({1, 2, 8}).to(t);
    EXPECT_TENSOR_EQUAL(x, x.clone()) << t;
    EXPECT_TENSOR_CLOSE(x, values({1, 2, 4})) << t;
    EXPECT_TENSOR_FINITE(x) << t;
    EXPECT_NE(inequality(x, other), "") << t;
    EXPECT_NE(difference(x, other), "") << t;
  }
}

TEST(TensorMatchers, ANaNIsNeverCloseNorInfinityToANumber) {
  for (const double strange : {double(NAN), kInf, -kInf}) {
    EXPECT_NE(difference(values({strange}), values({1}), {1e9, 1e9}), "");
    EXPECT_NE(difference(values({1}), values({strange}), {1e9, 1e9}), "");
    EXPECT_NE(not_finite(values({1, strange})), "");
  }
  EXPECT_NE(difference(values({NAN}), values({NAN}), {1e9, 1e9}), "");
  EXPECT_NE(difference(values({kInf}), values({-kInf}), {1e9, 1e9}), "");
}

TEST(TensorMatchers, CompareComplexNumbersByTheirDistance) {
  const Tensor z = complex_values({3, 4, 0, 1});
  EXPECT_TENSOR_CLOSE(z, z + 1e-8);
  EXPECT_TENSOR_EQUAL(z, z.clone());
  // 0.1 beside a number of size 5, whose imaginary part alone would allow less.
  EXPECT_EQ(difference(z, complex_values({3, 4, 0, 1.1}), {0, 0.11}), "");
  EXPECT_EQ(difference(complex_values({3.4, 4}), complex_values({3, 4}), {0.1, 0}), "");
  EXPECT_NE(difference(complex_values({3.6, 4}), complex_values({3, 4}), {0.1, 0}), "");
  EXPECT_NE(difference(z, z.conj()), "");
  EXPECT_NE(difference(complex_values({1, NAN}), complex_values({1, 2}), {1e9, 1e9}), "");
  EXPECT_NE(not_finite(complex_values({1, 2, 3, kInf})).find("1 of 2 elements are not finite"),
            std::string::npos);
  EXPECT_NE(difference(z, view_as_real(z).select(1, 0)).find("expected dtype Double"),
            std::string::npos);
  EXPECT_NE(difference(z, complex_values({3, 4, 0, 2})).find("got 0+1j, want 0+2j: difference 1"),
            std::string::npos);
}

TEST(TensorMatchers, SayWhereAndByHowMuch) {
  const Tensor want = counting({2, 3}), got = want.clone();
  got[1][0].fill_(3.5);
  got[1][2].fill_(4);
  const std::string text = difference(got, want);
  for (const char* part :
       {"2 of 6 elements differ (Float [2, 3], rtol 1.3e-06, atol 1e-05)",
        "worst at [1, 2]: got 4, want 5: difference 1, tolerance 1.65e-05", "[1, 0]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(not_finite(values({1, NAN})).find("the first is nan at [1]"), std::string::npos);
  EXPECT_NE(difference(values({1}), want).find("expected sizes [2, 3], got [1]"),
            std::string::npos);
}

TEST(TensorMatchers, FailAsGoogleTestDoes) {
  static const Tensor x = values({1, 2}), y = values({1, 2.5});
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_CLOSE(x, y), "TENSOR_CLOSE(x, y): 1 of 2 elements differ");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_CLOSE(x, y), "worst at [1]: got 2, want 2.5");
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_EQUAL(x, y), "TENSOR_EQUAL(x, y)");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_EQUAL(x, y), "TENSOR_EQUAL(x, y)");
  EXPECT_NONFATAL_FAILURE(EXPECT_TENSOR_FINITE(x / 0), "not finite");
  EXPECT_FATAL_FAILURE(ASSERT_TENSOR_FINITE(x / 0), "not finite");
}

TEST(TensorMatchers, GradcheckFormsFailWithTheReport) {
  static const Tensor x = numbers({2, 3}, kDouble).requires_grad_();
  static const auto cut = [](const Tensor& a) { return a.detach() * a; };
  static const auto right = [](const Tensor& a) { return a * a; };
  EXPECT_GRADCHECK(right, {x});
  ASSERT_GRADCHECK(right, {x}, autograd::GradcheckOptions().fast_mode(true));
  EXPECT_GRADGRADCHECK(right, {x});
  ASSERT_GRADGRADCHECK(right, {x});
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADCHECK(cut, {x}), "Jacobian mismatch");
  EXPECT_FATAL_FAILURE(ASSERT_GRADCHECK(cut, {x}), "is 0.5 times the numeric one");
  EXPECT_NONFATAL_FAILURE(EXPECT_GRADGRADCHECK(cut, {x}), "Jacobian mismatch");
  EXPECT_FATAL_FAILURE(ASSERT_GRADGRADCHECK(cut, {x}), "Jacobian mismatch");
}

}  // namespace
}  // namespace torch::taper::testing
