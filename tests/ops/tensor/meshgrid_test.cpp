// Grids of vectors and products of sets.
#include <taper/ops/tensor/meshgrid.h>

#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Vectors, of which every combination of elements is taken, the last ones changing first.
std::vector<Args> sets(ScalarType t) {
  return {sample_of({{3}, {2}}, t), sample_of({{2}, {3}, {2}}, t)};
}
Sizes lengths(const ArrayArgs& a) {
  Sizes n;
  for (const Array& x : a.t) n.push_back(x.numel());
  return n;
}

TAPER_OP_CASES(grids, {
  OpCase grid = moving_case(
      "meshgrid", &sets, [](const Args& a) { return Results(meshgrid(a.t)); },
      [](const ArrayArgs& a) {
        Arrays list;
        for (size_t k = 0; k < a.t.size(); ++k) {
          list.emplace_back(lengths(a));
          for_each_index(lengths(a), [&](const Sizes& index) {
            list.back().at(index) = a.t[k].v[size_t(index[k])];
          });
        }
        return list;
      });
  grid.is_view = true;
  grid.errors = {
      error<Error>("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: zz",
                   [] { meshgrid(std::vector<Tensor>{numbers({2})}, "zz"); })};
  OpCase product = moving_case(
      "cartesian_prod", &sets, [](const Args& a) { return cartesian_prod(a.t); },
      [](const ArrayArgs& a) {
        const Sizes n = lengths(a);
        Array y({numel_of(n), int64_t(n.size())});
        size_t at = 0;
        for_each_index(n, [&](const Sizes& index) {
          for (size_t k = 0; k < index.size(); ++k) y.v[at++] = a.t[k].v[size_t(index[k])];
        });
        return y;
      });
  product.errors = {error<Error>("Expect a 1D vector, but got shape [2, 2]", [] {
    cartesian_prod(std::vector<Tensor>{numbers({2, 2})});
  })};
  OpCase pairs = moving_case(
      "combinations",
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{4}}, t), sample_of({{2}}, t), sample_of({{7}}, t)};
      },
      [](const Args& a) { return combinations(a.t[0]); },
      [](const ArrayArgs& a) {
        const Array& x = a.t[0];
        Array y({x.numel() * (x.numel() - 1) / 2, 2});
        size_t at = 0;
        for (size_t i = 0; i < x.v.size(); ++i)
          for (size_t j = i + 1; j < x.v.size(); ++j) {
            y.v[at++] = x.v[i];
            y.v[at++] = x.v[j];
          }
        return y;
      });
  return std::vector<OpCase>{grid, product, pairs};
});

TEST(Meshgrid, IndexingModes) {
  const auto ij = meshgrid({arange(2), arange(3)});
  expect_values(ij[0], {2, 3}, {0, 0, 0, 1, 1, 1});
  expect_values(ij[1], {2, 3}, {0, 1, 2, 0, 1, 2});
  const auto xy = meshgrid({arange(2), arange(3)}, "xy");
  expect_values(xy[0], {3, 2}, {0, 1, 0, 1, 0, 1});
  expect_values(xy[1], {3, 2}, {0, 0, 1, 1, 2, 2});
  expect_error("Expected 0D or 1D tensor", [] { meshgrid({zeros({2, 2})}); });
  expect_error("indexing must be one of", [] { meshgrid({zeros({2})}, "yx"); });
  expect_error("non-empty", [] { meshgrid({}); });
}

TEST(Meshgrid, SetsAndPowers) {
  const Tensor x = values({1, 2, 3});
  expect_values(vander(x), {3, 3}, {1, 1, 1, 4, 2, 1, 9, 3, 1});
  expect_values(vander(x, 2, true), {3, 2}, {1, 1, 1, 2, 1, 3});
  expect_values(cartesian_prod({values({1, 2}), values({3, 4})}), {4, 2}, {1, 3, 1, 4, 2, 3, 2, 4});
  expect_values(combinations(x), {3, 2}, {1, 2, 1, 3, 2, 3});
  expect_values(combinations(values({1, 2}), 2, true), {3, 2}, {1, 1, 1, 2, 2, 2});
  expect_values(diff(values({1, 4}), 1, -1, values({0}), values({5})), {3}, {1, 3, 1});
  expect_error("Expect a 1D vector, but got shape [2, 2]", [] { combinations(numbers({2, 2})); });
}

TEST(Meshgrid, WarnsWhereTheIndexingIsNotSaid) {
  const Tensor x = values({1, 2});
  expect_warning("torch.meshgrid: in an upcoming release", [&] { meshgrid({x, x}); });
  EXPECT_TRUE(warnings_of([&] {
                meshgrid({x, x}, "ij");
                cartesian_prod({x, x});
                combinations(x);
              }).empty());
}

}  // namespace
}  // namespace torch::taper::testing
