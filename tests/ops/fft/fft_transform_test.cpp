// Fourier transforms, against PyTorch's values (the literals), the definition, and each other.
#include <taper/generated/fft_names.h>
#include <taper/ops/elementwise/binary.h>

#include <cmath>

#include <taper/ops/elementwise/unary.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "complex_util.h"
#include "harness/devices.h"

namespace torch::taper::testing {
namespace {

using C = numbers::complex<double>;

Tensor x8() { return values({1, -2, 0.5, 3, 0.25, -1.5, 2, 0.75}, kDouble); }
Tensor z8() { return complex(x8(), x8().flip({0}) * 0.5); }

// sum_j x[j] exp(sign 2 pi i j k / n), by a matrix product.
Tensor by_definition(const Tensor& x, double sign) {
  const int64_t n = x.size(-1);
  const Tensor k = arange(n, kLong);
  const Tensor turns = (k.unsqueeze(1) * k).remainder(n).to(kDouble) / static_cast<double>(n);
  const Tensor w = polar(ones({n, n}, kDouble), turns * (sign * 2 * M_PI));
  return matmul(x.to(kComplexDouble), w);
}

TEST(Fft, EveryLengthByDefinition) {
  for (const int64_t n :
       {1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,   15,  16, 17,
        19,  20,  21,  22,  24,  25,  26,  27,  31,  32,  34,  36,  49,   60,  64, 97,
        100, 121, 128, 169, 191, 210, 243, 256, 289, 360, 500, 503, 1000, 1024}) {
    SCOPED_TRACE(n);
    const Tensor z = complex_numbers({2, n}), x = real(z).contiguous();
    const Tensor forward = by_definition(z, -1), of_real = by_definition(x, -1);
    const double atol = 1e-11 * static_cast<double>(n);
    EXPECT_TRUE(fft::fft(z).allclose(forward, 0, atol));
    EXPECT_TRUE(fft::ifft(z).mul(n).allclose(by_definition(z, 1), 0, atol));
    EXPECT_TRUE(fft::rfft(x).allclose(of_real.slice(1, 0, n / 2 + 1), 0, atol));
    EXPECT_TRUE(fft::irfft(fft::rfft(x), n).allclose(x, 0, 1e-12));
    const Tensor single = fft::fft(z.to(kComplexFloat)).to(kComplexDouble);
    EXPECT_LE((single - forward).abs().max().item<double>(),
              1e-6 * std::sqrt(static_cast<double>(n)) * 10);
    EXPECT_TRUE(fft::irfft(fft::rfft(x.to(kFloat)), n).allclose(x.to(kFloat), 1e-4, 1e-5));
  }
}

TEST(Fft, LongRowsComeBack) {
  for (const int64_t n : {65536, 100003, 98304}) {
    const Tensor z = complex_numbers({n});
    const Tensor y = fft::fft(z);
    EXPECT_TRUE(fft::ifft(y).allclose(z, 0, 1e-11)) << n;
    const double energy = z.abs().square().sum().item<double>();
    EXPECT_NEAR(y.abs().square().sum().item<double>() / static_cast<double>(n) / energy, 1, 1e-11);
  }
}

TEST(Fft, PyTorchsValues) {
  const Tensor x = x8(), z = z8();
  expect_close(fft::fft(z),
               {4, 2, -0.6793786053, -0.06694173824, -0.625, 10.875, 2.709708691, -4.657931996, 3.5,
                -1.75, 2.679378605, 0.8169417382, -1.875, -3.625, -1.709708691, -0.5920680041});
  expect_close(fft::fft(z, 5), {2.75, 2.25, -3.362179574, 5.2625184, 4.035621046, -2.895802581,
                                2.959057395, -0.7855536343, -1.382498867, -1.956162185});
  expect_close(fft::fft(z, 9),
               {4, 2, -0.8268312113, -0.04211318465, -5.199948203, 6.607673371, 10.03108891, -1.75,
                2.008654117, 1.365912128, 0.23110703, -1.395550969, 3.968911087, -1.75,
                -2.758987168, -1.484375154, -2.453994565, -0.1765461907});
  expect_close(fft::rfft(x, 7), {3.25, 0, -1.705627887, -0.01571017706, 3.927310724, 6.917515704,
                                 -0.3466828372, 0.6181461629});
  expect_close(fft::irfft(z.slice(0, 0, 5)), {0.53125, -0.8015072587, -0.1875, 0.5912596943,
                                              0.03125, 1.364007259, 0.25, -0.7787596943});
  expect_close(fft::irfft(z.slice(0, 0, 5), 9),
               {0.5, -0.712367364, -0.284775469, 0.291203875, 0.411259358, 0.1691048676,
                1.542129458, -0.4377274443, -0.4788272816});
  expect_close(fft::hfft(z.slice(0, 0, 5)),
               {4.25, -6.230077554, 2, 10.91205807, 0.25, 4.730077554, -1.5, -6.41205807});
  expect_close(fft::ihfft(x, nullopt, -1, "ortho"),
               {1.414213562, 0, -0.4223349571, -0.09283008589, -0.4419417382, -2.563262082,
                0.9526650429, 0.9678300859, 1.237436867, 0});
  const Tensor x24 = x.view({2, 4}), z24 = z.view({2, 4});
  expect_close(fft::fft2(z24), {4, 2, -0.625, 10.875, 3.5, -1.75, -1.875, -3.625, 1, -0.5, 3.375,
                                1.375, -2.5, -1.25, 1.125, -4.125});
  expect_close(fft::rfft2(x24), {4, 0, -1.25, 7.25, 3.5, 0, 1, 0, 2.25, 2.75, -2.5, 0});
  expect_close(fft::irfft2(z24, nullopt, {-2, -1}, "forward"),
               {3, -7.633974596, 0.8038475773, 9.5, 11.19615242, -9.366025404, -1, -2.232050808,
                4.133974596, -3.5, 5.866025404, 1.232050808});
  expect_close(fft::hfft2(z24), {3, -9.366025404, 11.19615242, 9.5, 0.8038475773, -7.633974596, -1,
                                 1.232050808, 5.866025404, -3.5, 4.133974596, -2.232050808});
  expect_close(fft::ihfft2(x24),
               {0.5, 0, -0.15625, -0.90625, 0.4375, 0, 0.125, 0, 0.28125, -0.34375, -0.3125, 0});
  expect_close(
      fft::fftn(z.view({2, 2, 2}), IntArrayRef({3, 1}), IntArrayRef({0, 2}), "ortho"),
      {0.7216878365, 1.082531755, 1.443375673, -1.010362971, 1.255181486, -0.3415063509,
       -0.7886751346, -1.144337567, -0.2448185145, -0.09150635095, 0.2113248654, 0.8556624327});
}

TEST(Fft, DirectionsAndNormsAreInverse) {
  const Tensor z = complex_numbers({3, 4, 5}), x = numbers({3, 4, 6}, kDouble);
  for (const char* norm : {"backward", "ortho", "forward"}) {
    EXPECT_TRUE(fft::ifft(fft::fft(z, nullopt, 1, norm), nullopt, 1, norm).allclose(z));
    EXPECT_TRUE(
        fft::ifftn(fft::fftn(z, nullopt, nullopt, norm), nullopt, nullopt, norm).allclose(z));
    EXPECT_TRUE(
        fft::irfftn(fft::rfftn(x, nullopt, nullopt, norm), nullopt, nullopt, norm).allclose(x));
    EXPECT_TRUE(
        fft::hfftn(fft::ihfftn(x, nullopt, nullopt, norm), nullopt, nullopt, norm).allclose(x));
    EXPECT_TRUE(fft::hfft(fft::ihfft(x, nullopt, 0, norm), 3, 0, norm).allclose(x));
  }
  EXPECT_TRUE(fft::ifft2(fft::fft2(z)).allclose(z));
  EXPECT_NEAR(fft::fftn(z, nullopt, nullopt, "ortho").norm().item<double>(),
              z.norm().item<double>(), 1e-12);
}

TEST(Fft, DtypesAndLayouts) {
  EXPECT_EQ(fft::fft(ones({4}, kLong)).scalar_type(), kComplexFloat);
  EXPECT_EQ(fft::rfft(ones({4}, kBool)).scalar_type(), kComplexFloat);
  EXPECT_EQ(fft::irfft(ones({4}, kDouble)).scalar_type(), kDouble);
  const Tensor z = complex_numbers({6, 4});
  EXPECT_TRUE(fft::fft(z.t(), nullopt, 1).allclose(fft::fft(z, nullopt, 0).t()));
  EXPECT_EQ(fft::fft(zeros({0, 3}, kComplexFloat)).sizes().vec(), (std::vector<int64_t>{0, 3}));
  EXPECT_TRUE(fft::fftn(z, IntArrayRef({-1, 2})).allclose(fft::fftn(z.slice(1, 0, 2))));
  EXPECT_TRUE(fft::fftn(z, nullopt, IntArrayRef()).equal(z));
}

TEST(Fft, Refuses) {
  const Tensor z = z8(), x = x8();
  expect_error("rfft expects a real input tensor, but got ComplexDouble", [&] { fft::rfft(z); });
  expect_error("ihfft expects a real input tensor", [&] { fft::ihfft(z); });
  expect_error("rfftn expects a real-valued input tensor", [&] { fft::rfftn(z); });
  expect_error("Invalid number of data points (0) specified", [&] { fft::fft(z, 0); });
  expect_error("Invalid number of data points (0) specified", [&] { fft::irfft(ones({1})); });
  expect_error("Invalid number of data points (-2) specified", [&] { fft::irfft(ones({0})); });
  expect_error("Invalid number of data points (0) specified", [&] {
    fft::fftn(z.view({2, 4}), IntArrayRef({4, 0}));
  });
  expect_error("Invalid normalization mode: \"foo\"", [&] { fft::fft(z, nullopt, -1, "foo"); });
  expect_error("When given, dim and shape arguments must have the same length", [&] {
    fft::fftn(z, IntArrayRef({1, 2}), IntArrayRef({0}));
  });
  expect_error("FFT dims must be unique", [&] {
    fft::fftn(z.view({2, 4}), nullopt, IntArrayRef({0, -2}));
  });
  expect_error("Got shape with 2 values but input tensor only has 1 dimensions.", [&] {
    fft::fftn(z, IntArrayRef({1, 2}));
  });
  expect_error<IndexError>(
      "Dimension out of range (expected to be in range of [-1, 0], but got -2)",
      [&] { fft::fft2(z); });
  expect_error("Unsupported dtype Half", [&] { fft::fft(ones({3}, kHalf)); });
  expect_error("rfftn must transform at least one axis",
               [&] { fft::rfftn(x, nullopt, IntArrayRef()); });
  expect_error("fftfreq requires a floating point or complex dtype",
               [&] { fft::fftfreq(4, kLong); });
}

TEST(Fft, FrequenciesAndShifts) {
  expect_close(fft::fftfreq(5, 0.5), {0, 0.4, 0.8, -0.8, -0.4}, 1e-6);
  expect_close(fft::fftfreq(4), {0, 0.25, -0.5, -0.25});
  expect_close(fft::rfftfreq(5, 0.5), {0, 0.4, 0.8}, 1e-6);
  expect_values(fft::fftshift(arange(5.0)), {5}, {3, 4, 0, 1, 2});
  expect_values(fft::ifftshift(arange(5.0)), {5}, {2, 3, 4, 0, 1});
  expect_values(fft::fftshift(arange(4).view({2, 2}), IntArrayRef({1})), {2, 2}, {1, 0, 3, 2});
}

TEST(Fft, HermitianBoxesHaveTwoDimensionsUnlessGiven) {
  const Tensor z = complex_numbers({2, 3, 4}), x = numbers({2, 3, 4}, kDouble);
  EXPECT_TRUE(fft::hfftn(z).equal(fft::hfft2(z)));
  EXPECT_TRUE(fft::ihfftn(x).equal(fft::ihfft2(x)));
  const std::vector<int64_t> dims = {0, 1, 2};
  const IntArrayRef all(dims);
  EXPECT_TRUE(fft_hfftn(z).equal(fft::hfftn(z, nullopt, all)));
  EXPECT_TRUE(fft_ihfftn(x).equal(fft::ihfftn(x, nullopt, all)));
  EXPECT_FALSE(fft_ihfftn(x).allclose(fft::ihfftn(x)));
  EXPECT_TRUE(fft_fftfreq(5, 0.5).equal(fft::fftfreq(5, 0.5)));
  EXPECT_TRUE(fft_rfftfreq(5).equal(fft::rfftfreq(5)));
}

TEST(Fft, Gradients) {
  for (const int64_t n : {4, 5, 7}) {
    SCOPED_TRACE(n);
    const Tensor z = complex_numbers({2, n}), x = numbers({2, n}, kDouble);
    check_gradient_at([](const Tensor& v) { return fft::fft(v); }, z);
    check_gradient_at([](const Tensor& v) { return fft::ifft(v, 6, 0, "ortho"); }, z);
    check_gradient_at([](const Tensor& v) { return fft::irfft(v); }, z);
    check_gradient_at([](const Tensor& v) { return fft::irfft(v, 5); }, z);
    check_gradient_at([](const Tensor& v) { return fft::hfft(v); }, z);
    check_gradient_at([](const Tensor& v) { return fft::rfft(v); }, x);
    check_gradient_at([](const Tensor& v) { return fft::ihfft(v, 4); }, x);
    check_gradient_at([](const Tensor& v) { return fft::fft(v); }, x);
    check_gradient_at([](const Tensor& v) { return fft::rfftn(v); }, x);
    check_gradient_at([](const Tensor& v) { return fft::irfftn(v); }, z);
    check_gradient_at([](const Tensor& v) { return fft::hfftn(v); }, z);
  }
}

TEST(Fft, OnDevices) {
  TAPER_NEEDS_DEVICES(1);
  const Device d = device_at(0);
  const Tensor z = complex_numbers({3, 10}), x = numbers({3, 10}, kDouble);
  EXPECT_TRUE(fft::fft2(z.to(d)).cpu().allclose(fft::fft2(z)));
  EXPECT_TRUE(fft::rfft(x.to(d)).cpu().allclose(fft::rfft(x)));
  EXPECT_TRUE(fft::irfft(z.to(d)).cpu().allclose(fft::irfft(z)));
}

// Many rows are transformed as the lanes of vectors: each must be what it is alone, those that are
// left over too, and real rows that begin at any element.
TEST(Fft, ManyRowsAreWhatEachIsAlone) {
  for (const ScalarType dtype : {kFloat, kDouble})
    for (const int64_t n : {1, 2, 6, 15, 16, 30, 37, 64, 105, 128, 256, 400, 1000, 1021})
      for (const int64_t rows : {8, 21, 35}) {
        SCOPED_TRACE(::testing::Message() << n << " " << rows);
        const Tensor z = complex_numbers({rows, n}, toComplexType(dtype));
        const Tensor x = numbers({rows * n + 1}, dtype).narrow(0, 1, rows * n).view({rows, n});
        const Tensor half = fft::rfft(x), y = fft::fft(z), back = fft::irfft(half, n);
        const double tolerance = (dtype == kFloat ? 2e-6 : 1e-14) * 40;
        for (const int64_t r : {int64_t{0}, rows / 2, rows - 1}) {
          const auto same = [&](const Tensor& all, const Tensor& alone) {
            const double size = alone.abs().max().item<double>();
            EXPECT_LE((all[r] - alone).abs().max().item<double>(), tolerance * size);
          };
          same(y, fft::fft(z[r]));
          same(half, fft::rfft(x[r]));
          same(back, x[r]);
        }
      }
}

// Lengths whose passes leave the cache, a row at a time: a prime one, and one without factors of 2.
void expect_long_rows(int64_t n, ScalarType t) {
  const Tensor x = numbers({3, n}, t), parts = view_as_real(fft::fft(x)).to(kDouble);
  const std::vector<double> row = values_of(x[2]);
  for (int64_t k : {int64_t{0}, int64_t{1}, n / 2, n - 1}) {
    double re = 0, im = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double angle = -2 * M_PI * static_cast<double>(i * k % n) / static_cast<double>(n);
      re += row[static_cast<size_t>(i)] * std::cos(angle);
      im += row[static_cast<size_t>(i)] * std::sin(angle);
    }
    const double near = t == kFloat ? 2e-3 : 1e-9;
    EXPECT_NEAR(parts[2][k][0].item<double>(), re, near) << n << ", " << k;
    EXPECT_NEAR(parts[2][k][1].item<double>(), im, near) << n << ", " << k;
  }
}
TEST(Fft, LongRowsOfOddLength) {
  for (ScalarType t : {kFloat, kDouble})
    for (int64_t n : {4099, 6561}) expect_long_rows(n, t);
}

}  // namespace
}  // namespace torch::taper::testing
