#include <taper/ops/reduce/trapezoid.h>

#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

OpCase trapezoid_case() {
  OpCase c;
  c.name = "trapezoid";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}, {5}}, t, {}, {0}), sample_of({{3, 33}, {33}}, t, {}, {-1}),
        sample_of({{4, 3}, {4, 3}}, t, {}, {0}), sample_of({{2, 1}, {1}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return trapezoid(a.t[0], a.t[1], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &y = a.t[0], &x = a.t[1];
    const int64_t d = a.i[0] < 0 ? a.i[0] + y.dim() : a.i[0];
    std::vector<int64_t> sizes = y.sizes;
    sizes.erase(sizes.begin() + d);
    Array sum{sizes};
    for_each_index(y.sizes, [&](const std::vector<int64_t>& i) {
      if (i[d] + 1 == y.sizes[d]) return;
      std::vector<int64_t> next = i, to = i;
      ++next[d];
      to.erase(to.begin() + d);
      const double width = x.dim() == 1 ? x.v[i[d] + 1] - x.v[i[d]] : x.at(next) - x.at(i);
      sum.at(to) += (y.at(i) + y.at(next)) / 2 * width;
    });
    return sum;
  };
  c.errors = {error<Error>("There must be one `x` value for each sample point",
                           [] { trapezoid(zeros({3}), zeros({4})); }),
              error<IndexError>("Dimension out of range", [] { trapezoid(zeros({3}), 1, 1); })};
  c.covers = {"trapz"};
  return c;
}

TAPER_OP_CASES(trapezoids, { return std::vector<OpCase>{trapezoid_case()}; });

TAPER_OP_CASES(areas, {
  OpCase c;
  c.name = "cumulative_trapezoid";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{6}}, t), sample_of({{2, 5}}, t), sample_of({{3, 1}}, t)};
  };
  c.call = [](const Args& a) { return cumulative_trapezoid(a.t[0], 0.5); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    std::vector<int64_t> sizes = x.sizes;
    --sizes.back();
    Array y(sizes);
    for_each_index(sizes, [&](std::vector<int64_t> index) {
      double& sum = y.at(index);
      for (int64_t k = index.back(); k >= 0; --k) {
        index.back() = k + 1;
        sum += x.at(index) / 4;
        index.back() = k;
        sum += x.at(index) / 4;
      }
    });
    return y;
  };
  c.tolerance = 4;
  return std::vector<OpCase>{c};
});

TEST(Trapezoid, EvenlySpacedAndCumulative) {
  EXPECT_EQ(trapezoid(values({1, 2, 4}), 2).item<float>(), 9);
  expect_values(cumulative_trapezoid(values({1, 2, 4}), 2), {2}, {3, 9});
  expect_values(cumulative_trapezoid(values({1, 2, 4}), values({0, 1, 3})), {2}, {1.5, 7.5});
  expect_values(trapz(zeros({2, 0})), {2}, {0, 0});
}

}  // namespace
}  // namespace torch::taper::testing
