// Ops that store a number throw where the dtype cannot hold it, before anything is changed.
#include <gtest/gtest.h>

#include <functional>

#include <taper/taper.h>

#include "test_util.h"

namespace taper::testing {
namespace {

using InPlace = std::function<void(Tensor)>;

TEST(NumberFits, IsCheckedBeforeAnythingChanges) {
  const Tensor index = values({0, 1}, kLong);
  const std::vector<InPlace> ops = {
      [](Tensor x) { x.fill_(300); },
      [](Tensor x) { x.masked_fill_(x.gt(0), 300); },
      [&](Tensor x) { x.index_fill_(0, index, 300); },
      [&](Tensor x) { x.scatter_(0, index, 300); },
      [](Tensor x) { x.index_put_({x.gt(0)}, 300); },
      [](Tensor x) { x.pow_(300); },
      [](Tensor x) { threshold_(x, 1, 300); },
      [](Tensor x) { threshold_(x, 300, 1); },
      [](Tensor x) { x.add_(x, 300); },
      [](Tensor x) { x.addcmul_(x, x, 300); },
      [](Tensor x) { x.copy_(where(x.gt(0), x, 300)); },
  };
  for (const ScalarType t : {kByte, kChar})
    for (const InPlace& op : ops) {
      const Tensor x = values({1, 2, 3}, t);
      expect_error("value cannot be converted to type", [&] { op(x); });
      expect_values(x, {3}, {1, 2, 3});
    }
}

TEST(NumberFits, FactoriesAndOtherDtypes) {
  expect_error("without overflow", [] { full({2}, 1e10, kInt); });
  expect_error("without overflow", [] { full({2}, numbers::complex<double>(1, 2), kFloat); });
  expect_error("without overflow", [] { linspace(-2.5, 7, 4, kByte); });
  expect_error("without overflow", [] { ones({2}, kHalf).masked_fill(ones({2}, kBool), -1e9); });
  expect_values(full({1}, -1, kByte), {1}, {255});
  // What is computed with a number wraps instead.
  expect_values(values({1}, kByte) + 300, {1}, {45});
}

TEST(NumberFits, BytesHaveNoNegativeLimits) {
  const Tensor x = values({1, 5}, kByte);
  expect_error("cannot do hardtanh on an unsigned type with negative limits",
               [&] { hardtanh(x, -1, 1); });
  expect_values(hardtanh(x, 0, 3), {2}, {1, 3});
}

}  // namespace
}  // namespace taper::testing
