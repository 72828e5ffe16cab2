#include <taper/ops/elementwise/compare.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <taper/ops/elementwise/binary.h>

#include "harness/pointwise.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(close_elements, {
  OpCase c;
  c.name = "isclose";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kInt};
  c.differentiable = false;
  c.result_dtype = &bool_result;
  // The second tensor is near the first in some places; numbers: whether NaNs are equal.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& [one, other] : shapes_of_two()) {
      Args a = sample_of({one, other}, t, {-3, 3}, {static_cast<int64_t>(list.size() % 2)});
      for (int64_t k = 0; k < std::min(a.t[0].numel(), a.t[1].numel()); k += 2)
        set_element(a.t[1], k, get_element(a.t[0], k) * (k % 4 ? 1 : 1.03125));
      if (isFloatingType(t) && a.t[0].numel() > 3 && a.t[1].numel() > 3)
        for (const Tensor& x : a.t) {
          set_element(x, 1, std::numeric_limits<double>::quiet_NaN());
          set_element(x, 3, INFINITY);
        }
      list.push_back(a);
    }
    return list;
  };
  c.call = [](const Args& a) { return isclose(a.t[0], a.t[1], 0.05, 0.01, a.i[0] != 0); };
  c.reference = [](const ArrayArgs& a) {
    Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
    for_each_index(y.sizes, [&](const Sizes& index) {
      const double v = a.t[0].broadcast_at(index), w = a.t[1].broadcast_at(index);
      const bool nans = a.i[0] && std::isnan(v) && std::isnan(w);
      const bool near = std::isfinite(w) && std::abs(v - w) <= 0.01 + 0.05 * std::abs(w);
      y.at(index) = v == w || nans || near;
    });
    return y;
  };
  const Tensor x = numbers({2});
  c.errors = {error<Error>("Float did not match Long", [=] { isclose(x, numbers({2}, kLong)); }),
              error<Error>("rtol must be greater than or equal to zero, but got -1",
                           [=] { isclose(x, x, -1); }),
              error<Error>("atol must be greater than or equal to zero, but got -1",
                           [=] { isclose(x, x, 0, -1); }),
              error<Error>("The size of tensor a (2) must match the size of tensor b (3)",
                           [=] { isclose(x, numbers({3})); })};
  return std::vector<OpCase>{c};
});

TEST(Compare, EqualAndClose) {
  const Tensor a = values({1, 2, INFINITY}), b = values({1, 2 + 1e-5, INFINITY});
  EXPECT_FALSE(a.equal(b));
  EXPECT_TRUE(a.equal(a.to(kDouble)));
  EXPECT_FALSE(a.equal(a.reshape({1, 3})));
  EXPECT_TRUE(a.allclose(b));
  EXPECT_FALSE(a.allclose(b, 0, 1e-8));
  EXPECT_FALSE(values({NAN}).allclose(values({NAN})));
  EXPECT_TRUE(values({NAN}).allclose(values({NAN}), 1e-5, 1e-8, true));
  EXPECT_FALSE(values({INFINITY}).allclose(values({-INFINITY})));
  EXPECT_THROW(a.allclose(a.to(kDouble)), Error);
}

}  // namespace
}  // namespace torch::taper::testing
