// Dtypes: tables as PyTorch 1.13 computes them, conversions of 16-bit floats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <taper/ops/elementwise/binary.h>

#include "harness/array.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using taper::testing::Array;
using taper::testing::to_tensor;
using ::testing::HasSubstr;

constexpr ScalarType kTypes[] = {kByte, kChar,  kShort,  kInt,  kLong,
                                 kHalf, kFloat, kDouble, kBool, kBFloat16};

/// One letter for each dtype, in the order of kTypes.
char letter(ScalarType t) {
  for (int i = 0; i < 10; ++i)
    if (kTypes[i] == t) return "Bcsilhfdbg"[i];
  return '?';
}

/// torch.promote_types
constexpr const char* kPromotion[] = {"BssilhfdBg", "scsilhfdcg", "sssilhfdsg", "iiiilhfdig",
                                      "lllllhfdlg", "hhhhhhfdhf", "fffffffdff", "dddddddddd",
                                      "Bcsilhfdbg", "gggggffdgg"};
/// torch.result_type of a dimensioned and a 0-dim tensor.
constexpr const char* kWithZeroDim[] = {"BBBBBhfdBg", "ccccchfdcg", "ssssshfdsg", "iiiiihfdig",
                                        "lllllhfdlg", "hhhhhhhhhh", "ffffffffff", "dddddddddd",
                                        "Bcsilhfdbg", "gggggggggg"};
/// The dtype of a / b for dimensioned tensors.
constexpr const char* kQuotient[] = {"fffffhfdfg", "fffffhfdfg", "fffffhfdfg", "fffffhfdfg",
                                     "fffffhfdfg", "hhhhhhfdhf", "fffffffdff", "dddddddddd",
                                     "fffffhfdfg", "gggggffdgg"};
/// torch.result_type with the numbers 1, 1.5 and True.
constexpr const char* kWithNumber[] = {"BfB", "cfc", "sfs", "ifi", "lfl",
                                       "hhh", "fff", "ddd", "lfb", "ggg"};
/// torch.can_cast
constexpr const char* kCast[] = {"1111111101", "1111111101", "1111111101", "1111111101",
                                 "1111111101", "0000011101", "0000011101", "0000011101",
                                 "1111111111", "0000011101"};

Tensor ones(ScalarType t, bool zero_dim = false) {
  return to_tensor(zero_dim ? Array({}, 1) : Array({2}, 1), t);
}

TEST(Promotion, OfTypes) {
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      EXPECT_EQ(letter(promoteTypes(kTypes[i], kTypes[j])), kPromotion[i][j]) << i << " " << j;
      EXPECT_EQ(canCast(kTypes[i], kTypes[j]), kCast[i][j] == '1') << i << " " << j;
    }
}

TEST(Promotion, OfTensorsInAnOp) {
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      const Tensor a = ones(kTypes[i]), b = ones(kTypes[j]);
      EXPECT_EQ(letter((a * b).scalar_type()), kPromotion[i][j]) << i << " " << j;
      EXPECT_EQ(letter((a / b).scalar_type()), kQuotient[i][j]) << i << " " << j;
      const Tensor zero_dim = ones(kTypes[j], true);
      EXPECT_EQ(letter((a * zero_dim).scalar_type()), kWithZeroDim[i][j]) << i << " " << j;
      EXPECT_EQ(letter((zero_dim * a).scalar_type()), kWithZeroDim[i][j]) << i << " " << j;
    }
}

TEST(Promotion, OfTensorsWithNumbers) {
  for (int i = 0; i < 10; ++i)
    for (bool zero_dim : {false, true}) {
      const Tensor a = ones(kTypes[i], zero_dim);
      EXPECT_EQ(letter((a * 1).scalar_type()), kWithNumber[i][0]) << i;
      EXPECT_EQ(letter((a * 1.5).scalar_type()), kWithNumber[i][1]) << i;
      EXPECT_EQ(letter((a * true).scalar_type()), kWithNumber[i][2]) << i;
    }
}

TEST(Promotion, SumsOfIntegersAreLong) {
  const char* want = "lllllhfdlg";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(letter(ones(kTypes[i]).sum().scalar_type()), want[i]);
}

TEST(DefaultDtype, DecidesWhatIntegersBecome) {
  set_default_dtype(kDouble);
  const ScalarType made = ones(kLong).exp().scalar_type();
  const ScalarType quotient = (ones(kLong) / ones(kLong)).scalar_type();
  set_default_dtype(kFloat);
  EXPECT_EQ(made, kDouble);
  EXPECT_EQ(quotient, kDouble);
  EXPECT_THROW(set_default_dtype(kLong), Error);
  EXPECT_EQ(get_default_dtype(), kFloat);
}

TEST(Names, AreLibTorchsAndPythons) {
  EXPECT_STREQ(toString(kFloat), "Float");
  EXPECT_STREQ(toString(kBFloat16), "BFloat16");
  EXPECT_STREQ(python_name(kByte), "uint8");
  EXPECT_STREQ(cpp_type_name(kLong), "long int");
  EXPECT_EQ(elementSize(kBool), 1u);
  EXPECT_EQ(elementSize(kHalf), 2u);
}

/// The nearest half by search over all of them, ties to even.
uint16_t nearest_half(float f) {
  uint16_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double d = std::abs(static_cast<double>(detail::half_to_float(bits)) - std::abs(f));
    if (d < distance || (d == distance && bits % 2 == 0)) {
      best = static_cast<uint16_t>(bits);
      distance = d;
    }
  }
  return static_cast<uint16_t>(best | (std::signbit(f) ? 0x8000 : 0));
}

TEST(Half, RoundsToNearestEven) {
  testing::Random random(3);
  for (int i = 0; i < 40; ++i) {
    const auto f =
        static_cast<float>(random.uniform(-1, 1) * std::pow(10.0, random.integer(-8, 5)));
    if (std::abs(f) < 65504) EXPECT_EQ(Half(f).x, nearest_half(f)) << f;
  }
  for (float f : {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 0x1p-24f, 0x1p-25f, 1.5f * 0x1p-25f})
    EXPECT_EQ(Half(f).x, nearest_half(f)) << f;
}

TEST(Half, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float f = detail::half_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(f))
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(f))));
    else
      EXPECT_EQ(Half(f).x, bits);
  }
  EXPECT_EQ(Half(65520.0f).x, 0x7c00);
  EXPECT_EQ(Half(65519.0f).x, 0x7bff);
  EXPECT_EQ(Half(-1e30f).x, 0xfc00);
}

TEST(BFloat16, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float f = BFloat16(static_cast<uint16_t>(bits), BFloat16::from_bits());
    if (std::isnan(f))
      EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(f))));
    else
      EXPECT_EQ(BFloat16(f).x, bits);
  }
  EXPECT_EQ(static_cast<float>(BFloat16(1.0f + 0x1p-8f)), 1.0f);
  EXPECT_EQ(static_cast<float>(BFloat16(1.0f + 3 * 0x1p-8f)), 1.0f + 0x1p-6f);
}

TEST(Conversion, OfTensorsFollowsC) {
  const Tensor t = to_tensor(
      [] {
        Array a({4});
        a.v = {-1.7, 0.0, 2.9, 300};
        return a;
      }(),
      kDouble);
  EXPECT_EQ(testing::to_array(t.to(kLong)).v, (std::vector<double>{-1, 0, 2, 300}));
  EXPECT_EQ(testing::to_array(t.to(kBool)).v, (std::vector<double>{1, 0, 1, 1}));
  EXPECT_EQ(testing::to_array(t.to(kHalf)).v[3], 300);
  EXPECT_TRUE(t.to(kDouble).is_same(t));
  EXPECT_FALSE(t.to(kDouble, false, /*copy=*/true).is_same(t));
}

TEST(Scalars, RememberTheirKindAndCheckTheirRange) {
  EXPECT_TRUE(Scalar(1).isIntegral(false));
  EXPECT_TRUE(Scalar(1.5f).isFloatingPoint());
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_FALSE((std::is_constructible<Scalar, const Scalar*>::value));
  EXPECT_FALSE((std::is_convertible<const char*, Scalar>::value));
  EXPECT_EQ(Scalar(3).to<double>(), 3.0);
  EXPECT_EQ(Scalar(2.9).to<int>(), 2);
  EXPECT_EQ(Scalar(int64_t{1} << 40).to<int64_t>(), int64_t{1} << 40);
  EXPECT_THROW(Scalar(int64_t{1} << 40).to<int>(), Error);
  EXPECT_THROW(Scalar(300).to<uint8_t>(), Error);
  EXPECT_THROW(Scalar(1e30).to<int64_t>(), Error);
  EXPECT_EQ((-Scalar(2)).toLong(), -2);
  EXPECT_THROW(-Scalar(true), Error);
}

TEST(Scalars, CheckTheRangesOfFloats) {
  const double inf = std::numeric_limits<double>::infinity();
  testing::expect_error("value cannot be converted to type float without overflow",
                        [] { Scalar(1e300).toFloat(); });
  EXPECT_EQ(Scalar(-inf).toFloat(), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(Scalar(std::nan("")).to<Half>()));
  EXPECT_EQ(static_cast<float>(Scalar(65504).to<Half>()), 65504);
  EXPECT_THROW(Scalar(65505).to<Half>(), Error);
  EXPECT_THROW(Scalar(3.4e38).to<BFloat16>(), Error);
  EXPECT_THROW(to_tensor(Array({1}, 1e39), kDouble).item<float>(), Error);
  EXPECT_EQ(Scalar(1e300).cast<float>(), std::numeric_limits<float>::infinity());
  const Scalar z = numbers::complex<double>(0, -1e39);
  testing::expect_error("value cannot be converted to type c10::complex<float> without overflow",
                        [&] { z.toComplexFloat(); });
  EXPECT_EQ(z.toComplexDouble().imag(), -1e39);
}

TEST(Scalars, HoldComplexNumbers) {
  using Complex = numbers::complex<double>;
  const Scalar z = Complex(3, -4), real = Complex(5, 0), imaginary = Complex(0, 1);
  EXPECT_TRUE(z.isComplex());
  EXPECT_FALSE(z.isFloatingPoint());
  EXPECT_EQ(z.toComplexDouble(), Complex(3, -4));
  EXPECT_EQ(z.conj().toComplexDouble(), Complex(3, 4));
  EXPECT_EQ((-z).toComplexDouble(), Complex(-3, 4));
  EXPECT_THROW(z.toDouble(), Error);
  EXPECT_THROW(z.toLong(), Error);
  EXPECT_EQ(real.toDouble(), 5);
  EXPECT_EQ(real.toLong(), 5);
  EXPECT_TRUE(real.equal(5));
  EXPECT_FALSE(z.equal(3));
  EXPECT_TRUE(imaginary.toBool());
  EXPECT_FALSE(Scalar(Complex(0, 0)).toBool());
  EXPECT_EQ(Scalar(2.5).toComplexDouble(), Complex(2.5, 0));
  EXPECT_EQ(Scalar(7).toComplexDouble(), Complex(7, 0));
  const Scalar copy = z;
  EXPECT_EQ(copy.toComplexDouble(), Complex(3, -4));
}

TEST(Limits, OfHalfAndBFloat16) {
  using H = std::numeric_limits<Half>;
  using B = std::numeric_limits<BFloat16>;
  EXPECT_EQ(H::signaling_NaN().x, 0x7d00);
  EXPECT_EQ(B::signaling_NaN().x, 0x7fa0);
  EXPECT_TRUE(H::has_signaling_NaN && B::has_signaling_NaN);
  EXPECT_EQ(static_cast<float>(H::round_error()), 0.5f);
  EXPECT_EQ(static_cast<float>(B::round_error()), 0.5f);
  EXPECT_EQ(static_cast<float>(H::denorm_min()), std::ldexp(1.f, -24));
  EXPECT_EQ(static_cast<float>(B::denorm_min()), std::ldexp(1.f, -133));
  EXPECT_EQ(static_cast<float>(H::min()), std::ldexp(1.f, H::min_exponent - 1));
  EXPECT_EQ(static_cast<float>(B::min()), std::ldexp(1.f, B::min_exponent - 1));
  EXPECT_EQ(H::digits10, 3);
  EXPECT_EQ(B::digits10, 2);
  EXPECT_EQ(H::max_exponent10, 4);
  EXPECT_EQ(B::max_exponent10, 38);
  EXPECT_EQ(H::radix, 2);
  EXPECT_TRUE(H::is_bounded && B::is_bounded && !H::is_exact && !B::is_modulo);
}

}  // namespace
}  // namespace torch::taper
