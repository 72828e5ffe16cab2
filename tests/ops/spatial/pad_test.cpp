#include <taper/ops/spatial/pad.h>

#include <algorithm>
#include <string>
#include <vector>

#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// The element of a dimension of length n that place i (from -before on) shows; -1 for none.
int64_t padded_source(const std::string& mode, int64_t i, int64_t n, int64_t before,
                      int64_t after) {
  if (mode == "replicate") return std::min(std::max<int64_t>(i, 0), n - 1);
  if (mode == "circular") {  // what negative padding leaves goes round
    const int64_t first = std::max<int64_t>(-before, 0);
    const int64_t left = n - first - std::max<int64_t>(-after, 0);
    return first + (i - first + 5 * left) % left;
  }
  if (mode == "reflect") return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
  return i < 0 || i >= n ? -1 : i;
}

OpCase pad_case(const std::string& mode) {
  OpCase c;
  c.name = "pad_" + mode;
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [mode](ScalarType t) {
    std::vector<Args> list = {
        sample_of({{2, 3}}, t, {}, {1, 2}),
        sample_of({{2, 3, 5}}, t, {}, {0, 3}),
        sample_of({{2, 3, 4}}, t, {}, {2, 0, 1, 1}),
        sample_of({{1, 2, 3, 4}}, t, {}, {3, 2, 1, 2}),
        sample_of({{1, 1, 2, 3, 2}}, t, {}, {1, 1, 2, 0, 1, 1}),
    };
    if (mode == "circular") {
      list.push_back(sample_of({{2, 1, 3, 5}}, t, {}, {5, 4, 3, 0}));
      list.push_back(sample_of({{1, 2, 5}}, t, {}, {2, -1}));
    }
    if (mode != "constant") return list;
    list.push_back(sample_of({{5}}, t, {}, {1, 2}));
    list.push_back(sample_of({{5, 4}}, t, {}, {-1, 2, 1, -2}));
    list.push_back(sample_of({{0, 4}}, t, {}, {1, 1, 1, 2}));
    list.push_back(sample_of({{3}}, t, {}, {-2, -1}));
    return list;
  };
  c.call = [mode](const Args& a) { return pad(a.t[0], a.i, mode); };
  c.reference = [mode](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Sizes sizes = x.sizes;
    const auto padding = [&](int64_t d, size_t side) {
      const size_t k = 2 * static_cast<size_t>(x.dim() - 1 - d) + side;
      return k < a.i.size() ? a.i[k] : 0;
    };
    for (size_t k = 0; k < a.i.size(); ++k) sizes[sizes.size() - 1 - k / 2] += a.i[k];
    return rearranged(x, sizes, [&](Sizes& index) {
      for (int64_t d = 0; d < x.dim(); ++d) {
        const int64_t before = padding(d, 0);
        index[d] = padded_source(mode, index[d] - before, x.sizes[d], before, padding(d, 1));
        if (index[d] < 0) return false;
      }
      return true;
    });
  };
  c.covers = {"constant_pad_nd", "reflection_pad1d", "replication_pad1d"};
  return c;
}

TAPER_OP_CASES(padded, {
  return std::vector<OpCase>{pad_case("constant"), pad_case("reflect"), pad_case("replicate"),
                             pad_case("circular")};
});

TEST(Pad, OfAnEmptyBatch) {
  const Tensor x = zeros({0, 2, 3}).requires_grad_();
  for (const char* mode : {"circular", "reflect", "replicate"}) {
    const Tensor y = pad(x, {1, 1}, mode);
    EXPECT_EQ(y.sizes(), IntArrayRef({0, 2, 5}));
    y.sum().backward();
  }
  EXPECT_EQ(pad(zeros({2, 0, 3, 4}), {1, 1, 1, 1}, "circular").sizes(), IntArrayRef({2, 0, 5, 6}));
  EXPECT_EQ(x.grad().sizes(), x.sizes());
}

TEST(Pad, ErrorsAndValue) {
  expect_values(pad(arange(2), {1, 1}, "constant", 7.0), {4}, {7, 0, 1, 7});
  expect_error("Padding length too large", [] { pad(zeros({3}), {1, 1, 1, 1}); });
  expect_error("Padding length must be divisible by 2", [] { pad(zeros({3}), {1}); });
  expect_error("resulted in a negative output size", [] { pad(zeros({3}), {-2, -2}); });
  expect_error("length must be non-negative", [] { pad(zeros({3}), {-4, 2}); });
  expect_error("Padding size should be less than the corresponding input dimension", [] {
    pad(zeros({1, 3}), {3, 3}, "reflect");
  });
  expect_error<NotImplementedError>("Only 2D, 3D, 4D, 5D padding", [] {
    pad(zeros({3}), {1, 1}, "reflect");
  });
  expect_error<NotImplementedError>("Unrecognised padding mode", [] {
    pad(zeros({1, 3}), {1, 1}, "x");
  });
}

}  // namespace
}  // namespace torch::taper::testing
