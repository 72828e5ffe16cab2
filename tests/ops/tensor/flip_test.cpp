// Turning and rolling tensors: flip, roll, rot90.
#include <taper/ops/tensor/flip.h>

#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
OpCase flip_case() {
  OpCase c;
  c.name = "flip";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}}, t, {}, {0}),           sample_of({{2, 3}}, t, {}, {0, 1}),
        sample_of({{2, 3, 4}}, t, {}, {-1, 0}), sample_of({{2, 3}}, t, {}, {}),
        sample_of({{0, 3}}, t, {}, {1}),        sample_of({{33, 31}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return flip(a.t[0], a.i); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    return rearranged(x, x.sizes, [&](Sizes& index) {
      for (int64_t d : a.i) {
        const int64_t w = wrapped(d, x.dim());
        index[w] = x.sizes[w] - 1 - index[w];
      }
      return true;
    });
  };
  c.covers = {"fliplr", "flipud"};
  return c;
}

// Numbers: how many shifts, the shifts, the dims.
OpCase roll_case() {
  OpCase c;
  c.name = "roll";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}}, t, {}, {1, 2, 0}),           sample_of({{2, 3}}, t, {}, {1, -1, 1}),
        sample_of({{3, 4}}, t, {}, {2, 1, -6, 0, 1}), sample_of({{3, 4}}, t, {}, {1, 5}),
        sample_of({{0, 4}}, t, {}, {1, 5, 0}),        sample_of({{3, 4}}, t, {}, {2, 1, 1, 1, 1}),
    };
  };
  const auto shifts = [](const Sizes& i) { return Sizes(i.begin() + 1, i.begin() + 1 + i[0]); };
  const auto dims = [](const Sizes& i) { return Sizes(i.begin() + 1 + i[0], i.end()); };
  c.call = [=](const Args& a) { return roll(a.t[0], shifts(a.i), dims(a.i)); };
  c.reference = [=](const ArrayArgs& a) {
    const Sizes by = shifts(a.i), at = dims(a.i);
    Array x = a.t[0];
    const Sizes sizes = x.sizes;
    if (at.empty()) x.sizes = {x.numel()};
    for (size_t k = 0; k < by.size(); ++k) {
      const int64_t d = at.empty() ? 0 : at[k];
      x = rearranged(x, x.sizes, [&](Sizes& index) {
        const int64_t n = x.sizes[d];
        index[d] = ((index[d] - by[k]) % n + n) % n;
        return true;
      });
    }
    x.sizes = sizes;
    return x;
  };
  return c;
}

TAPER_OP_CASES(flipped_and_rolled, { return std::vector<OpCase>{flip_case(), roll_case()}; });

TAPER_OP_CASES(turns, {
  OpCase c = moving_case(
      "rot90",
      [](ScalarType t) {
        std::vector<Args> list;
        for (int64_t k = -1; k < 4; ++k) list.push_back(sample_of({{3, 4}}, t, {}, {k, 0, 1}));
        list.push_back(sample_of({{2, 3, 4}}, t, {}, {1, 2, 0}));
        return list;
      },
      [](const Args& a) {
        return rot90(a.t[0], a.i[0], {a.i[1], a.i[2]});
      },
      [](const ArrayArgs& a) {
        // A quarter: y[.., i, .., j, ..] = x[.., j, .., last - i, ..] of the two dimensions.
        Array x = a.t[0];
        const auto p = size_t(a.i[1]), q = size_t(a.i[2]);
        for (int64_t turn = 0; turn < ((a.i[0] % 4) + 4) % 4; ++turn) {
          Sizes sizes = x.sizes;
          std::swap(sizes[p], sizes[q]);
          Array y(sizes);
          for_each_index(sizes, [&](const Sizes& to) {
            Sizes from = to;
            from[p] = to[q];
            from[q] = sizes[p] - 1 - to[p];
            y.at(to) = x.at(from);
          });
          x = y;
        }
        return x;
      });
  c.errors = {error<Error>("dim 0 appears multiple times in the list of dims", [] {
    rot90(numbers({2, 2}), 1, {0, 0});
  })};
  return std::vector<OpCase>{c};
});

TEST(Rearrange, Rot90) {
  const Tensor m = arange(6).view({2, 3});
  expect_values(rot90(m), {3, 2}, {2, 5, 1, 4, 0, 3});
  expect_values(rot90(m, 2), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(rot90(m, -1), {3, 2}, {3, 0, 4, 1, 5, 2});
  expect_values(rot90(m, 4), {2, 3}, {0, 1, 2, 3, 4, 5});
}

TEST(Rearrange, Errors) {
  const Tensor x = zeros({2, 3});
  expect_error("dim 0 appears multiple times in the list of dims", [&] { x.flip({0, 0}); });
  expect_error<IndexError>("Dimension out of range", [&] { x.flip({2}); });
  expect_error("shifts and dimensions must align. shifts: 1, dims:2", [&] { x.roll(1, {0, 1}); });
  expect_error("`shifts` required", [&] { x.roll(IntArrayRef()); });
  expect_error("must have at least 2 dimensions", [] { zeros({2}).tril(); });
  expect_error("matrix or a vector expected", [] { zeros({2, 2, 2}).diag(); });
  expect_error("trace: expected a matrix, but got tensor with dim 3", [] {
    zeros({2, 2, 2}).trace();
  });
}

TEST(Rearrange, FlipAndRollOfRows) {
  const Tensor x = counting({3, 4});
  EXPECT_EQ(values_of(x.flip({0})), (std::vector<double>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(values_of(x.flip({1})), (std::vector<double>{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
  EXPECT_EQ(values_of(x.t().flip({0})), values_of(x.flip({1}).t().contiguous()));
  EXPECT_EQ(values_of(x.roll({1}, {1})),
            (std::vector<double>{3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10}));
  const Tensor same = x.roll({4}, {1});
  EXPECT_TRUE(same.equal(x));
  EXPECT_NE(same.data_ptr(), x.data_ptr());
}

// Expected values from here on are PyTorch 1.13's.
TEST(Rot90, IsLaidOutAsWhatItWasTurnedFrom) {
  EXPECT_EQ(rot90(counting({2, 3}), 1, {0, 1}).strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(rot90(counting({2, 3}), 3, {0, 1}).strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(rot90(counting({2, 3}), 2, {0, 1}).strides(), IntArrayRef({3, 1}));
}

}  // namespace
}  // namespace torch::taper::testing
