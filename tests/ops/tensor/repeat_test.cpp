#include <taper/ops/tensor/repeat.h>

#include <vector>

#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
OpCase repeat_case() {
  OpCase c;
  c.name = "repeat";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}}, t, {}, {2}),
        sample_of({{2, 3}}, t, {}, {2, 3}),
        sample_of({{2, 3}}, t, {}, {3, 1, 2}),
        sample_of({{}}, t, {}, {4}),
        sample_of({{2, 3}}, t, {}, {1, 1}),
        sample_of({{2, 3}}, t, {}, {0, 2}),
        sample_of({{}}, t, {}, {}),
    };
  };
  c.call = [](const Args& a) { return repeat(a.t[0], a.i); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const size_t missing = a.i.size() - x.sizes.size();
    Sizes sizes = a.i;
    for (size_t d = missing; d < sizes.size(); ++d) sizes[d] *= x.sizes[d - missing];
    Array y{sizes};
    for_each_index(sizes, [&](const Sizes& index) {
      Sizes from(index.begin() + missing, index.end());
      for (size_t d = 0; d < from.size(); ++d) from[d] %= x.sizes[d];
      y.at(index) = x.at(from);
    });
    return y;
  };
  c.covers = {"tile"};
  return c;
}

OpCase repeat_interleave_case() {
  OpCase c;
  c.name = "repeat_interleave";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}}, t, {}, {2, 0}), sample_of({{2, 3}}, t, {}, {3, -1}),
                             sample_of({{2, 3}}, t, {}, {2, 0}),
                             sample_of({{2, 3}}, t, {}, {0, 0})};
  };
  c.call = [](const Args& a) { return repeat_interleave(a.t[0], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t d = wrapped(a.i[1], x.dim());
    Sizes sizes = x.sizes;
    sizes[d] *= a.i[0];
    return rearranged(x, sizes, [&](Sizes& i) {
      i[d] /= a.i[0];
      return true;
    });
  };
  return c;
}

TAPER_OP_CASES(repeated, { return std::vector<OpCase>{repeat_case(), repeat_interleave_case()}; });

TEST(Repeat, Errors) {
  expect_error("Number of dimensions of repeat dims can not be smaller", [] {
    zeros({2, 3}).repeat({2});
  });
  expect_error("negative dimension", [] { zeros({2}).repeat({-1}); });
  expect_values(arange(2).tile({2}), {4}, {0, 1, 0, 1});
  expect_values(arange(2).view({2, 1}).tile({2}), {2, 2}, {0, 0, 1, 1});
}

TEST(RepeatInterleave, Forms) {
  expect_values(repeat_interleave(tensor({2, 0, 1})), {3}, {0, 0, 2});
  const Tensor m = arange(4).view({2, 2});
  expect_values(m.repeat_interleave(2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_values(m.repeat_interleave(tensor({1, 2}), 0), {3, 2}, {0, 1, 2, 3, 2, 3});
  expect_values(m.repeat_interleave(tensor(2), 1), {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_error("repeats must have the same size as input along dim", [] {
    zeros({3}).repeat_interleave(tensor({1, 2}));
  });
  expect_error("repeats can not be negative", [] { zeros({3}).repeat_interleave(-1); });
  expect_error("repeats can not be negative", [] {
    zeros({3}).repeat_interleave(tensor({1, -2, 1}));
  });
  expect_error("\"repeat_interleave_cpu\" not implemented for 'Float'", [] {
    zeros({3}).repeat_interleave(tensor({1., 2., 1.}));
  });
}

}  // namespace
}  // namespace torch::taper::testing
