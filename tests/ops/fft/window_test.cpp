// Windows of signals.
#include <taper/ops/fft/window.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>

#include "complex_util.h"
#include "ops/shared/factory_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) sum += term *= x * x / 4 / (k * k);
  return sum;
}

// Numbers: the length, whether it is periodic.
TAPER_OP_CASES(windows_of_signals, {
  struct Window {
    const char* name;
    std::function<Tensor(int64_t, bool, TensorOptions)> op;
    double (*f)(double);  ///< of the place in [0, 1]
  };
  const Window windows[] = {
      {"bartlett_window",
       [](int64_t n, bool p, TensorOptions o) { return bartlett_window(n, p, o); },
       [](double x) { return 1 - std::abs(2 * x - 1); }},
      {"hann_window", [](int64_t n, bool p, TensorOptions o) { return hann_window(n, p, o); },
       [](double x) { return 0.5 - 0.5 * std::cos(2 * M_PI * x); }},
      {"hamming_window", [](int64_t n, bool p, TensorOptions o) { return hamming_window(n, p, o); },
       [](double x) { return 0.54 - 0.46 * std::cos(2 * M_PI * x); }},
      {"blackman_window",
       [](int64_t n, bool p, TensorOptions o) { return blackman_window(n, p, o); },
       [](double x) {
         return 0.42 - 0.5 * std::cos(2 * M_PI * x) + 0.08 * std::cos(4 * M_PI * x);
       }},
      {"kaiser_window", [](int64_t n, bool p, TensorOptions o) { return kaiser_window(n, p, o); },
       [](double x) {
         return bessel_i0(12 * std::sqrt(1 - (2 * x - 1) * (2 * x - 1))) / bessel_i0(12);
       }}};
  std::vector<OpCase> list;
  for (const Window& w : windows) {
    OpCase c = made_case(
        w.name, {{{6, 1}}, {{6, 0}}, {{7, 1}}, {{1, 0}}, {{0, 1}}, {{257, 0}}},
        [w](const Args& a) { return w.op(a.i[0], a.i[1] != 0, options_of(a)); },
        [w](const Sizes& i, const std::vector<double>&) {
          return sequence(i[0], [&](double k) {
            return i[0] == 1 ? 1 : w.f(k / static_cast<double>(i[1] ? i[0] : i[0] - 1));
          });
        });
    c.tolerance = 8;
    c.errors = {error<Error>("requires non-negative window_length, got window_length=-1",
                             [w] { w.op(-1, true, {}); }),
                error<Error>("expects floating point dtypes", [w] { w.op(4, true, kLong); })};
    list.push_back(c);
  }
  return list;
});

void expect_near(const Tensor& t, const std::vector<double>& expected, double tolerance = 1e-6) {
  const std::vector<double> got = values_of(t);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(std::abs(got[i] - expected[i]) <= tolerance) << i << ": " << got[i];
}

TEST(Windows, HaveTheirFormulas) {
  expect_near(hann_window(5), {0, 0.3454915, 0.9045085, 0.9045085, 0.3454915});
  expect_near(hann_window(4, false), {0, 0.75, 0.75, 0});
  expect_near(hamming_window(4), {0.08, 0.54, 1, 0.54});
  expect_near(hamming_window(3, true, 0.6, 0.4), {0.2, 0.8, 0.8});
  expect_near(blackman_window(4), {0, 0.34, 1, 0.34});
  expect_near(bartlett_window(5, false), {0, 0.5, 1, 0.5, 0});
  expect_values(hann_window(1), {1}, {1});
  EXPECT_EQ(hann_window(0).numel(), 0);
  EXPECT_EQ(hann_window(3, kDouble).scalar_type(), kDouble);
  EXPECT_TRUE(hann_window(3, requires_grad()).requires_grad());
  EXPECT_EQ(message_of([] { hann_window(-1); }),
            "hann_window requires non-negative window_length, got window_length=-1");
  EXPECT_NE(message_of([] { hann_window(3, kLong); }).find("expects floating point dtypes"),
            std::string::npos);
}

TEST(Window, Kaiser) {
  expect_close(kaiser_window(6, kDouble),
               {5.277344132e-05, 0.05475936413, 0.5188447217, 1, 0.5188447217, 0.05475936413});
  expect_close(kaiser_window(5, false, 3, kDouble),
               {0.2048847564, 0.7269255303, 1, 0.7269255303, 0.2048847564});
  EXPECT_EQ(kaiser_window(1).item<float>(), 1);
}

}  // namespace
}  // namespace torch::taper::testing
