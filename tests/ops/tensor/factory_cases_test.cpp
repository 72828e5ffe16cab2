// Tensors made of numbers alone, in the harness: sequences, places in triangles, windows,
// frequencies. An empty tensor carries the dtype and the device of each sample.
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/fft/window.h>
#include <taper/ops/tensor/factory.h>

#include <algorithm>
#include <cmath>

#include "test_util.h"

namespace taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

Args numbers_of(ScalarType t, Sizes ints, std::vector<double> doubles = {}) {
  return {{to_tensor(Array({0}), t)}, std::move(ints), std::move(doubles)};
}
TensorOptions options_of(const Args& a) {
  return TensorOptions(a.t[0].scalar_type()).device(a.t[0].device());
}
/// f(0), f(1), ...
Array sequence(int64_t n, const std::function<double(double)>& f) {
  Array y({n});
  for (int64_t i = 0; i < n; ++i) y.v[static_cast<size_t>(i)] = f(static_cast<double>(i));
  return y;
}

struct Numbers {
  Sizes ints;
  std::vector<double> doubles = {};
};
OpCase made_case(std::string name, std::vector<Numbers> samples,
                 std::function<Tensor(const Args&)> call,
                 std::function<Array(const Sizes&, const std::vector<double>&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [samples = std::move(samples)](ScalarType t) {
    std::vector<Args> list;
    for (const Numbers& n : samples) list.push_back(numbers_of(t, n.ints, n.doubles));
    return list;
  };
  c.call = std::move(call);
  c.reference = [reference = std::move(reference)](const ArrayArgs& a) {
    return reference(a.i, a.d);
  };
  c.differentiable = false;
  return c;
}

// ---------------------------------------------------------------- sequences
// Whole numbers, so that all dtypes hold them: start, end, step.
TAPER_OP_CASES(sequences_of_whole_numbers, {
  const std::vector<Numbers> samples = {
      {{0, 7, 1}}, {{2, 12, 3}}, {{5, -4, -2}}, {{3, 3, 1}}, {{0, 1025, 1}}};
  const auto terms = [](const Sizes& i, int64_t count) {
    return sequence(count, [&](double k) { return double(i[0]) + k * double(i[2]); });
  };
  OpCase below = made_case(
      "arange", samples,
      [](const Args& a) { return arange(a.i[0], a.i[1], a.i[2], options_of(a)); },
      [terms](const Sizes& i, const std::vector<double>&) {
        int64_t count = 0;
        for (int64_t k = i[0]; i[2] > 0 ? k < i[1] : k > i[1]; k += i[2]) ++count;
        return terms(i, count);
      });
  below.dtypes = {kFloat, kDouble, kLong, kInt, kShort};
  below.errors = {error<Error>("step must be nonzero", [] { arange(0, 5, 0); }),
                  error<Error>("upper bound and larger bound inconsistent with step sign",
                               [] { arange(0, 5, -1); }),
                  error<Error>("unsupported range", [] { arange(0, INFINITY); })};
  OpCase with_end = made_case(
      "range", samples,
      [](const Args& a) { return taper::range(a.i[0], a.i[1], a.i[2], options_of(a)); },
      [terms](const Sizes& i, const std::vector<double>&) {
        int64_t count = 0;
        for (int64_t k = i[0]; i[2] > 0 ? k <= i[1] : k >= i[1]; k += i[2]) ++count;
        return terms(i, count);
      });
  return std::vector<OpCase>{below, with_end};
});

// Numbers: how many; d: start, end, (base).
TAPER_OP_CASES(even_sequences, {
  const auto place = [](const std::vector<double>& d, double k, int64_t n) {
    return n == 1 ? d[0] : d[0] + (d[1] - d[0]) * k / double(n - 1);
  };
  OpCase line = made_case(
      "linspace", {{{5}, {0, 1}}, {{7}, {2, -3}}, {{1}, {4, 9}}, {{0}, {0, 1}}, {{1025}, {-1, 1}}},
      [](const Args& a) { return linspace(a.d[0], a.d[1], a.i[0], options_of(a)); },
      [place](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0], [&](double k) { return place(d, k, i[0]); });
      });
  line.errors = {error<Error>("number of steps must be non-negative", [] { linspace(0, 1, -1); })};
  OpCase powers = made_case(
      "logspace", {{{5}, {0, 2, 10}}, {{4}, {-1, 1, 2}}, {{1}, {2, 3, 3}}, {{33}, {0, 3, 2}}},
      [](const Args& a) { return logspace(a.d[0], a.d[1], a.i[0], a.d[2], options_of(a)); },
      [place](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0], [&](double k) { return std::pow(d[2], place(d, k, i[0])); });
      });
  powers.tolerance = 4;
  powers.errors = {
      error<Error>("number of steps must be non-negative", [] { logspace(0, 1, -1); })};
  return std::vector<OpCase>{line, powers};
});

// ---------------------------------------------------------------- of one value, triangles
TAPER_OP_CASES(of_one_value, {
  const std::vector<Numbers> sizes = {{{2, 3}}, {{}}, {{0, 4}}, {{1025}}};
  std::vector<OpCase> list = {
      made_case(
          "zeros", sizes, [](const Args& a) { return zeros(a.i, options_of(a)); },
          [](const Sizes& i, const std::vector<double>&) { return Array(i); }),
      made_case(
          "ones", sizes, [](const Args& a) { return ones(a.i, options_of(a)); },
          [](const Sizes& i, const std::vector<double>&) { return Array(i, 1); }),
      made_case(
          "full", sizes, [](const Args& a) { return full(a.i, 1, options_of(a)); },
          [](const Sizes& i, const std::vector<double>&) { return Array(i, 1); }),
      made_case(
          "eye", {{{3, 3}}, {{2, 4}}, {{4, 2}}, {{0, 3}}, {{33, 31}}},
          [](const Args& a) { return eye(a.i[0], a.i[1], options_of(a)); },
          [](const Sizes& i, const std::vector<double>&) {
            Array y(i);
            for (int64_t k = 0; k < std::min(i[0], i[1]); ++k) y.at({k, k}) = 1;
            return y;
          })};
  for (OpCase& c : list) {
    c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool, kComplexFloat};
    if (c.name != "eye")
      c.errors = {error<Error>("negative", [op = c.call] { op(numbers_of(kFloat, {2, -1})); })};
  }
  case_in(list, "eye").errors = {
      error<Error>("n must be greater or equal to 0, got -1", [] { eye(-1); }),
      error<Error>("m must be greater or equal to 0, got -1", [] { eye(2, -1); })};
  return list;
});

// Numbers: rows, columns, offset.
TAPER_OP_CASES(places_in_triangles, {
  std::vector<OpCase> list;
  for (const bool upper : {false, true}) {
    const auto op = upper ? &triu_indices : &tril_indices;
    OpCase c = made_case(
        upper ? "triu_indices" : "tril_indices",
        {{{3, 3, 0}},
         {{2, 4, 1}},
         {{4, 2, -1}},
         {{3, 3, 5}},
         {{3, 3, -5}},
         {{0, 3, 0}},
         {{33, 17, -2}}},
        [op](const Args& a) { return op(a.i[0], a.i[1], a.i[2], options_of(a)); },
        [upper](const Sizes& i, const std::vector<double>&) {
          std::vector<double> rows, columns;
          for_each_index({i[0], i[1]}, [&](const Sizes& at) {
            if (upper ? at[1] - at[0] < i[2] : at[1] - at[0] > i[2]) return;
            rows.push_back(static_cast<double>(at[0]));
            columns.push_back(static_cast<double>(at[1]));
          });
          Array y({2, static_cast<int64_t>(rows.size())});
          y.v = rows;
          y.v.insert(y.v.end(), columns.begin(), columns.end());
          return y;
        });
    c.dtypes = {kLong, kInt};
    c.errors = {error<Error>("row must be non-negative, got-1", [op] { op(-1, 2, 0, kLong); }),
                error<Error>("col must be non-negative, got-1", [op] { op(2, -1, 0, kLong); })};
    list.push_back(c);
  }
  return list;
});

// ---------------------------------------------------------------- signals
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

// Numbers: how many points; d: the distance of two.
TAPER_OP_CASES(frequencies, {
  const std::vector<Numbers> samples = {{{6}, {1}}, {{7}, {0.5}}, {{1}, {2}}, {{33}, {0.1}}};
  OpCase all = made_case(
      "fft_fftfreq", samples,
      [](const Args& a) { return fft::fftfreq(a.i[0], a.d[0], options_of(a)); },
      [](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0], [&](double k) {
          const auto n = static_cast<double>(i[0]);
          return (k < n / 2 ? k : k - n) / (n * d[0]);
        });
      });
  OpCase half = made_case(
      "fft_rfftfreq", samples,
      [](const Args& a) { return fft::rfftfreq(a.i[0], a.d[0], options_of(a)); },
      [](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0] / 2 + 1,
                        [&](double k) { return k / (static_cast<double>(i[0]) * d[0]); });
      });
  return std::vector<OpCase>{all, half};
});

}  // namespace
}  // namespace taper::testing
