// Tensors made of numbers alone, in the harness: sequences, places in triangles.
#include <algorithm>
#include <cmath>
#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/triangle.h>

#include "ops/shared/element_moves.h"
#include "ops/shared/factory_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kDtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool};

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

std::vector<Args> any_shape(ScalarType t) { return samples_of_one(t, {-3, 3}); }

Array filled(const Array& x, double value) { return Array(x.sizes, value); }

TAPER_OP_CASES(tensors_like_another, {
  struct Like {
    const char* name;
    double value;
    std::function<Tensor(const Tensor&)> of, of_size;
  };
  const Like likes[] = {{"zeros_like", 0, [](const Tensor& x) { return zeros_like(x); },
                         [](const Tensor& x) { return x.new_zeros(x.sizes()); }},
                        {"ones_like", 1, [](const Tensor& x) { return ones_like(x); },
                         [](const Tensor& x) { return x.new_ones(x.sizes()); }},
                        {"full_like", 1, [](const Tensor& x) { return full_like(x, 1); },
                         [](const Tensor& x) { return x.new_full(x.sizes(), 1); }}};
  std::vector<OpCase> list;
  for (const Like& like : likes) {
    OpCase c;
    c.name = like.name;
    c.dtypes = kDtypes;
    c.samples = &any_shape;
    c.call = [like](const Args& a) { return Results{like.of(a.t[0]), like.of_size(a.t[0])}; };
    c.reference = [like](const ArrayArgs& a) {
      return Arrays{filled(a.t[0], like.value), filled(a.t[0], like.value)};
    };
    c.differentiable = false;
    list.push_back(c);
  }
  return list;
});

// Triangles and diagonals of matrices.

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
OpCase triangle_case(bool upper) {
  OpCase c;
  c.name = upper ? "triu" : "tril";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t k : {-4, -1, 0, 1, 2, 9})
      for (const Sizes& s : {Sizes{3, 3}, {2, 4}, {5, 2}, {2, 3, 3}, {0, 3}, {3, 0}})
        list.push_back(sample_of({s}, t, {}, {k}));
    return list;
  };
  c.call = [upper](const Args& a) { return upper ? triu(a.t[0], a.i[0]) : tril(a.t[0], a.i[0]); };
  c.inplace = [upper](const Args& a) {
    return upper ? a.t[0].triu_(a.i[0]) : a.t[0].tril_(a.i[0]);
  };
  c.reference = [upper](const ArrayArgs& a) {
    const int64_t rank = a.t[0].dim();
    return rearranged(a.t[0], a.t[0].sizes, [&](Sizes& index) {
      const int64_t right = index[rank - 1] - index[rank - 2];
      return upper ? right >= a.i[0] : right <= a.i[0];
    });
  };
  return c;
}

OpCase diag_case() {
  OpCase c;
  c.name = "diag";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t k : {-1, 0, 2})
      for (const Sizes& s : {Sizes{3}, {1}, {3, 3}, {2, 4}, {4, 2}})
        list.push_back(sample_of({s}, t, {}, {k}));
    return list;
  };
  c.call = [](const Args& a) { return diag(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t k = a.i[0], down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
    if (x.dim() == 1) {
      const int64_t n = x.numel() + down + right;
      Array y{{n, n}};
      for (int64_t i = 0; i < x.numel(); ++i) y.at({i + down, i + right}) = x.v[i];
      return y;
    }
    std::vector<double> v;
    for (int64_t i = 0; i + down < x.sizes[0] && i + right < x.sizes[1]; ++i)
      v.push_back(x.at({i + down, i + right}));
    Array y{{static_cast<int64_t>(v.size())}};
    y.v = v;
    return y;
  };
  return c;
}

OpCase trace_case() {
  OpCase c;
  c.name = "trace";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 3}}, t), sample_of({{2, 4}}, t),
                             sample_of({{0, 4}}, t)};
  };
  c.call = [](const Args& a) { return trace(a.t[0]); };
  c.reference = [](const ArrayArgs& a) {
    Array y{{}};
    for (int64_t i = 0; i < std::min(a.t[0].sizes[0], a.t[0].sizes[1]); ++i)
      y.v[0] += a.t[0].at({i, i});
    return y;
  };
  return c;
}

TAPER_OP_CASES(triangles, {
  return std::vector<OpCase>{triangle_case(false), triangle_case(true), diag_case(), trace_case()};
});

}  // namespace
}  // namespace torch::taper::testing
