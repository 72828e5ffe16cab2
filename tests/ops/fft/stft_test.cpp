// Short-time Fourier transforms and the way back: from their definitions, and PyTorch's values.
#include <taper/ops/fft/stft.h>

#include <cmath>
#include <complex>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/fft/window.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "complex_util.h"
#include "ops/shared/factory_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Z = std::complex<double>;
using Sizes = std::vector<int64_t>;

// The numbers of a sample; hop and win as given, `whole` is two-sided.
enum Number { kPoints, kHop, kWin, kCenter, kNormalized, kWhole };

ScalarType complex_of(ScalarType t) { return toComplexType(t); }
ScalarType real_of(ScalarType t) { return toRealValueType(t); }

/// The window between zeros, n_fft points.
std::vector<double> wide_window(const Array& window, int64_t n_fft) {
  std::vector<double> w(static_cast<size_t>(n_fft), 0);
  const int64_t left = (n_fft - window.numel()) / 2;
  for (int64_t i = 0; i < window.numel(); ++i)
    w[static_cast<size_t>(left + i)] = window.v[static_cast<size_t>(i)];
  return w;
}
/// The place in a signal of n points of place i of the padded one, mirrored at the ends.
int64_t mirrored(int64_t i, int64_t n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }
double scale_of(const Sizes& i) {
  return i[kNormalized] ? 1 / std::sqrt(static_cast<double>(i[kPoints])) : 1;
}

// ---------------------------------------------------------------------- forward
Array naive_stft(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = a.i[kPoints], hop = a.i[kHop], by = a.i[kCenter] ? n / 2 : 0;
  const int64_t length = x.size(-1), frames = (length + 2 * by - n) / hop + 1;
  const int64_t rows = a.i[kWhole] ? n : n / 2 + 1;
  const std::vector<double> w = wide_window(a.t[1], n);
  Sizes sizes(x.sizes.begin(), x.sizes.end() - 1);
  sizes.insert(sizes.end(), {rows, frames});
  Array y(sizes);
  for (int64_t k = 0; k < y.numel(); ++k) {
    const int64_t frame = k % frames, row = k / frames % rows, signal = k / frames / rows;
    Z sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t at = mirrored(frame * hop + j - by, length);
      sum += x.z(signal * length + at) * w[static_cast<size_t>(j)] *
             std::polar(1.0, -2 * M_PI * double(j * row % n) / double(n));
    }
    y.set_z(k, sum * scale_of(a.i));
  }
  return y;
}
Array in_pairs(const Array& x) {
  Sizes sizes = x.sizes;
  sizes.push_back(2);
  Array y(sizes);
  for (int64_t i = 0; i < x.numel(); ++i) {
    y.v[static_cast<size_t>(2 * i)] = x.z(i).real();
    y.v[static_cast<size_t>(2 * i + 1)] = x.z(i).imag();
  }
  return y;
}

/// A signal and a window without zeros.
Args signal(ScalarType t, const Sizes& sizes, const Sizes& numbers_of_case) {
  Random random(8);
  return {{random_tensor(sizes, t, {-2, 2}, random),
           random_tensor({numbers_of_case[kWin]}, real_of(t), {0.5, 1.5}, random)},
          numbers_of_case};
}
Tensor run_stft(const Args& a, bool as_complex) {
  return stft(a.t[0], a.i[kPoints], a.i[kHop], a.i[kWin], a.t[1], a.i[kCenter] != 0, "reflect",
              a.i[kNormalized] != 0, !a.i[kWhole], as_complex);
}

TAPER_OP_CASES(stft_cases, {
  OpCase c;
  c.name = "stft";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        signal(t, {12}, {4, 2, 4, 1, 0, 0}),       signal(t, {2, 11}, {5, 2, 3, 1, 1, 0}),
        signal(t, {2, 9}, {6, 3, 5, 0, 0, 0}),     signal(t, {10}, {4, 1, 4, 0, 1, 1}),
        signal(t, {3, 200}, {33, 7, 33, 1, 0, 0}), signal(t, {1, 8}, {8, 2, 8, 0, 0, 0})};
  };
  c.call = [](const Args& a) { return Results{run_stft(a, true), run_stft(a, false)}; };
  c.reference = [](const ArrayArgs& a) {
    const Array y = naive_stft(a);
    return Arrays{y, in_pairs(y)};
  };
  c.result_dtype = &complex_of;
  c.tolerance = 40;
  const Tensor x = numbers({8});
  const auto refused = [x](const char* words, int64_t n_fft, int64_t hop, int64_t win,
                           Tensor window = {}) {
    return error<Error>(words, [=] { stft(x, n_fft, hop, win, window); });
  };
  c.errors = {refused("stft: expected 0 < n_fft < 8, but got n_fft=9", 9, 1, 9),
              refused("stft: expected hop_length > 0, but got hop_length=0", 4, 0, 4),
              refused("stft: expected 0 < win_length <= n_fft, but got win_length=5", 4, 1, 5),
              refused("stft: expected a 1D window tensor of size equal to win_length=4", 4, 1, 4,
                      numbers({3})),
              error<Error>("stft: expected a tensor of floating point or complex values",
                           [] { stft(numbers({8}, kLong), 4); }),
              error<Error>("stft: expected a 1D or 2D tensor", [] {
                stft(numbers({1, 1, 8}), 4);
              })};
  OpCase of_complex = c;
  of_complex.name = "stft_complex";
  of_complex.dtypes = {kComplexFloat, kComplexDouble};
  of_complex.samples = [](ScalarType t) {
    return std::vector<Args>{signal(t, {12}, {4, 2, 4, 1, 0, 1}),
                             signal(t, {2, 9}, {5, 2, 3, 0, 1, 1})};
  };
  of_complex.errors = {
      error<Error>("Cannot have onesided output if window or input is complex",
                   [] { stft(numbers({8}, kComplexFloat), 4, 1, 4, {}, false, true, true); })};
  return std::vector<OpCase>{c, of_complex};
});

// ---------------------------------------------------------------------- back
/// The frame of a spectrum; of a halved one the other half is made of conjugates.
std::vector<double> naive_frame(const std::vector<Z>& spectrum, int64_t n, double scale) {
  std::vector<double> y(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    Z sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t from = k <= n / 2 ? k : n - k;
      Z v = spectrum[static_cast<size_t>(from)];
      if (k > n / 2) v = std::conj(v);
      if ((n - k) % n == k) v = v.real();
      sum += v * std::polar(1.0, 2 * M_PI * double(j * k % n) / double(n));
    }
    y[static_cast<size_t>(j)] = sum.real() / double(n) / scale;
  }
  return y;
}

/// One more number than stft's: the length of the result.
Array naive_istft(const ArrayArgs& a) {
  const Array& x = a.t[0];
  const int64_t n = a.i[kPoints], hop = a.i[kHop], start = a.i[kCenter] ? n / 2 : 0;
  const int64_t rows = x.size(-2), frames = x.size(-1), length = a.i.back();
  const std::vector<double> w = wide_window(a.t[1], n);
  Sizes sizes(x.sizes.begin(), x.sizes.end() - 2);
  sizes.push_back(length);
  Array y(sizes);
  for (int64_t s = 0; s < y.numel() / length; ++s) {
    std::vector<double> sum(static_cast<size_t>(n + hop * (frames - 1)), 0), weight = sum;
    for (int64_t f = 0; f < frames; ++f) {
      std::vector<Z> spectrum;
      for (int64_t r = 0; r < rows; ++r) spectrum.push_back(x.z((s * rows + r) * frames + f));
      const std::vector<double> frame = naive_frame(spectrum, n, scale_of(a.i));
      for (size_t j = 0; j < w.size(); ++j) {
        sum[static_cast<size_t>(f * hop) + j] += frame[j] * w[j];
        weight[static_cast<size_t>(f * hop) + j] += w[j] * w[j];
      }
    }
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<size_t>(start + i);
      y.v[static_cast<size_t>(s * length + i)] = sum[at] / weight[at];
    }
  }
  return y;
}

TAPER_OP_CASES(istft_cases, {
  OpCase c;
  c.name = "istft";
  c.dtypes = {kComplexFloat, kComplexDouble};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        signal(t, {3, 5}, {4, 2, 4, 1, 0, 0, 8}), signal(t, {2, 3, 4}, {5, 2, 5, 1, 1, 0, 7}),
        signal(t, {2, 4, 3}, {6, 3, 6, 0, 0, 0, 12}), signal(t, {4, 4}, {4, 1, 3, 1, 1, 1, 3}),
        signal(t, {2, 17, 20}, {33, 7, 33, 1, 0, 0, 130})};
  };
  c.call = [](const Args& a) {
    return istft(a.t[0], a.i[kPoints], a.i[kHop], a.i[kWin], a.t[1], a.i[kCenter] != 0,
                 a.i[kNormalized] != 0, !a.i[kWhole], a.i.back());
  };
  c.reference = [](const ArrayArgs& a) { return naive_istft(a); };
  c.result_dtype = &real_of;
  c.tolerance = 40;
  const Tensor x = numbers({3, 5}, kComplexFloat);
  c.errors = {
      error<Error>("istft: input tensor cannot be empty.",
                   [] {
                     istft(numbers({3, 0}, kComplexFloat), 4);
                   }),
      error<Error>("istft: expected a tensor with 3 or 4 dimensions, but got 2",
                   [] { istft(numbers({4}, kComplexFloat), 4); }),
      error<Error>("istft: expected the last dimension to be 2",
                   [] {
                     istft(numbers({3, 2, 3}), 4);
                   }),
      error<Error>("to match n_fft / 2 + 1 when onesided=True, but got 3", [x] { istft(x, 6); }),
      error<Error>("to match n_fft when onesided=False, but got 3",
                   [x] { istft(x, 4, 1, 4, {}, true, false, false); }),
      error<Error>("istft: expected 0 < hop_length <= win_length", [x] { istft(x, 4, 3, 2); }),
      error<Error>("istft: expected 0 < win_length <= n_fft", [x] { istft(x, 4, 1, 5); }),
      error<Error>("istft: Invalid window shape. window has to be 1D and length of `win_length`",
                   [x] { istft(x, 4, 1, 4, numbers({3})); }),
      error<Error>("istft: window overlap add min: 1",
                   [x] { istft(x, 4, 1, 4, to_tensor(Array({4}), kFloat)); }),
      error<Error>("Complex windows are incompatible with return_complex=False",
                   [x] { istft(x, 4, 1, 4, numbers({4}, kComplexFloat)); }),
      error<Error>("Cannot have onesided output if window or input is complex",
                   [x] { istft(x, 4, 1, 4, {}, true, false, true, nullopt, true); })};
  return std::vector<OpCase>{c};
});

Tensor x8() { return values({1, -2, 0.5, 3, 0.25, -1.5, 2, 0.75}, kDouble); }
Tensor z8() { return complex(x8(), x8().flip({0}) * 0.5); }

TEST(Stft, PyTorchsValues) {
  const Tensor x = x8().repeat({2}), w = hann_window(6, kDouble);
  const Tensor y = stft(x, 8, 3, 6, w, true, "reflect", false, nullopt, true);
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{5, 6}));
  expect_close(y.slice(0, 0, 2), {-1.75,
                                  0,
                                  2.6875,
                                  0,
                                  1.75,
                                  0,
                                  0.0625,
                                  0,
                                  2,
                                  0,
                                  3,
                                  0,
                                  1.121320344,
                                  0,
                                  -3.397747564,
                                  -0.007582521472,
                                  -1.602252436,
                                  1.380742693,
                                  1.204504871,
                                  0.2973349571,
                                  -1.045495129,
                                  -2.011485387,
                                  -2.871320344,
                                  0});
  const Tensor whole = x.stft(8, 2, nullopt, {}, true, false, true);
  EXPECT_EQ(whole.sizes().vec(), (std::vector<int64_t>{8, 5}));
  expect_close(whole[3], {0.9526650429, -0.9678300859, -0.9678300859, -0.9526650429, -0.9526650429,
                          0.9678300859, 0.9678300859, 0.9526650429, 0.9526650429, -0.9678300859});
  EXPECT_EQ(stft(x.view({1, 16}), 8).sizes().vec(), (std::vector<int64_t>{1, 5, 5, 2}));
}

TEST(Stft, ComesBack) {
  const Tensor x = numbers({3, 40}, kDouble), w = hann_window(12, kDouble);
  const Tensor y = stft(x, 16, 4, 12, w, true, "reflect", true, nullopt, true);
  EXPECT_TRUE(istft(y, 16, 4, 12, w, true, true).allclose(x));
  EXPECT_TRUE(istft(view_as_real(y), 16, 4, 12, w, true, true).allclose(x));
  EXPECT_TRUE(y[0].istft(16, 4, 12, w, true, true, nullopt, 30).allclose(x[0].slice(0, 0, 30)));
  const Tensor z = complex_numbers({40});
  const Tensor s = stft(z, 16, 4, 12, w, true, "reflect", false, false, true);
  EXPECT_TRUE(istft(s, 16, 4, 12, w, true, false, false, nullopt, true).allclose(z));
  check_gradient_at(
      [&](const Tensor& v) {
        return stft(v, 4, 2, 3, hann_window(3, kDouble), true, "reflect", false, nullopt, true);
      },
      x[0].slice(0, 0, 9));
  check_gradient_at([&](const Tensor& v) { return istft(v, 4, 1); }, complex_numbers({3, 5}));
}

TEST(Stft, Refuses) {
  const Tensor x = x8();
  expect_error("expected a tensor of floating point or complex values",
               [&] { stft(ones({8}, kLong), 4); });
  expect_error("expected a 1D or 2D tensor", [&] { stft(ones({1, 1, 8}), 4); });
  expect_error("expected 0 < n_fft < 8, but got n_fft=9", [&] { stft(x, 9); });
  expect_error("expected hop_length > 0, but got hop_length=0", [&] { stft(x, 4, 0); });
  expect_error("expected 0 < win_length <= n_fft, but got win_length=5", [&] { stft(x, 4, 1, 5); });
  expect_error("expected a 1D window tensor of size equal to win_length=4",
               [&] { stft(x, 4, 1, 4, ones({3}, kDouble)); });
  expect_error("Cannot have onesided output if window or input is complex",
               [&] { stft(z8(), 4, 1, 4, {}, false, true, true); });
  expect_error("expected a tensor with 3 or 4 dimensions, but got 2", [&] {
    istft(ones({3, 2}), 4);
  });
  expect_error("expected the last dimension to be 2", [&] { istft(ones({3, 2, 3}), 4); });
  expect_error("match n_fft / 2 + 1 when onesided=True, but got 5", [&] {
    istft(ones({5, 3, 2}), 4);
  });
  expect_error("window overlap add min", [&] {
    istft(ones({3, 5, 2}), 4, 1, 4, zeros({4}), false);
  });
}

// Windows of signals.

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
