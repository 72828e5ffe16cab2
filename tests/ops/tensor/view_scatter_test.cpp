#include <taper/ops/tensor/view_scatter.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

/// A copy of x with src[i] at the place of index i that `place` gives.
template <class Place>
Array replaced(const Array& x, const Array& src, const Place& place) {
  Array y = x;
  for_each_index(src.sizes, [&](const Sizes& i) { y.at(place(i)) = src.at(i); });
  return y;
}

OpCase select_scatter_case() {
  OpCase c;
  c.name = "select_scatter";
  c.dtypes = {kFloat, kDouble, kLong, kBool};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}, {}}, t, {}, {0, 2}),
                             sample_of({{2, 3, 33}, {2, 33}}, t, {}, {1, -1}),
                             sample_of({{2, 0}, {0}}, t, {}, {0, 1})};
  };
  c.call = [](const Args& a) { return select_scatter(a.t[0], a.t[1], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    const int64_t n = a.t[0].size(a.i[0]), at = a.i[1] < 0 ? a.i[1] + n : a.i[1];
    return replaced(a.t[0], a.t[1], [&](Sizes i) {
      i.insert(i.begin() + a.i[0], at);
      return i;
    });
  };
  c.errors = {error<Error>("expected src to have a size equal to the slice of self. src size = [2]",
                           [] {
                             select_scatter(zeros({2, 3}), zeros({2}), 0, 0);
                           }),
              error<IndexError>("out of range", [] {
                select_scatter(zeros({2, 3}), zeros({3}), 0, 2);
              })};
  return c;
}

OpCase slice_scatter_case() {
  OpCase c;
  c.name = "slice_scatter";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {2}}, t, {}, {0, 1, 4, 2}),
                             sample_of({{2, 33, 3}, {2, 8, 3}}, t, {}, {1, 1, 33, 4}),
                             sample_of({{4, 2}, {0, 2}}, t, {}, {0, 2, 2, 1})};
  };
  c.call = [](const Args& a) {
    return slice_scatter(a.t[0], a.t[1], a.i[0], a.i[1], a.i[2], a.i[3]);
  };
  c.reference = [](const ArrayArgs& a) {
    return replaced(a.t[0], a.t[1], [&](Sizes i) {
      i[a.i[0]] = a.i[1] + i[a.i[0]] * a.i[3];
      return i;
    });
  };
  c.errors = {error<Error>("slice size = [2, 3]", [] {
    slice_scatter(zeros({2, 3}), zeros({1, 3}));
  })};
  return c;
}

OpCase diagonal_scatter_case() {
  OpCase c;
  c.name = "diagonal_scatter";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 3}, {3}}, t, {}, {0}),
                             sample_of({{3, 5}, {3}}, t, {}, {1}),
                             sample_of({{5, 3}, {3}}, t, {}, {-2})};
  };
  c.call = [](const Args& a) { return diagonal_scatter(a.t[0], a.t[1], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const int64_t down = std::max<int64_t>(-a.i[0], 0), right = std::max<int64_t>(a.i[0], 0);
    return replaced(a.t[0], a.t[1], [&](const Sizes& i) {
      return Sizes{i[0] + down, i[0] + right};
    });
  };
  c.errors = {error<Error>("slice size = [2]", [] {
    diagonal_scatter(zeros({2, 3}), zeros({3}));
  })};
  return c;
}

OpCase diag_embed_case() {
  OpCase c;
  c.name = "diag_embed";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}}, t, {}, {0, 0, 1}), sample_of({{2, 3}}, t, {}, {1, 1, 2}),
        sample_of({{2, 33}}, t, {}, {-2, 0, 2}), sample_of({{0}}, t, {}, {0, 0, 1})};
  };
  c.call = [](const Args& a) { return diag_embed(a.t[0], a.i[0], a.i[1], a.i[2]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t n = x.size(-1) + std::abs(a.i[0]);
    Sizes sizes(x.sizes.begin(), x.sizes.end() - 1);
    sizes.insert(sizes.begin() + a.i[1], n);
    sizes.insert(sizes.begin() + a.i[2], n);
    Array y{sizes};
    for_each_index(x.sizes, [&](const Sizes& i) {
      Sizes to(i.begin(), i.end() - 1);
      to.insert(to.begin() + a.i[1], i.back() + std::max<int64_t>(-a.i[0], 0));
      to.insert(to.begin() + a.i[2], i.back() + std::max<int64_t>(a.i[0], 0));
      y.at(to) = x.at(i);
    });
    return y;
  };
  c.errors = {error<Error>("diagonal dimensions cannot be identical 0, 0",
                           [] { diag_embed(zeros({2}), 0, 0, 0); })};
  return c;
}

TAPER_OP_CASES(view_scatter_cases, {
  return std::vector<OpCase>{select_scatter_case(), slice_scatter_case(), diagonal_scatter_case(),
                             diag_embed_case()};
});

TEST(ViewScatter, LeavesItsInputAlone) {
  const Tensor x = counting({2, 2});
  select_scatter(x, values({7, 8}), 0, 1);
  expect_values(x, {2, 2}, {0, 1, 2, 3});
}

TEST(ViewScatter, DiagflatTakesAnyShape) {
  expect_values(diagflat(counting({2, 1}, kFloat, 1), 1), {3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0});
}

TEST(FillDiagonal, WrapsInTallMatrices) {
  const Tensor x = zeros({7, 3});
  x.fill_diagonal_(1, /*wrap=*/true);
  expect_values(x.nonzero(), {6, 2}, {0, 0, 1, 1, 2, 2, 4, 0, 5, 1, 6, 2});
  const Tensor y = zeros({7, 3});
  y.fill_diagonal_(1);
  EXPECT_EQ(y.sum().item<float>(), 3);
  const Tensor part = zeros({9, 4}).narrow(0, 1, 7).narrow(1, 1, 3);
  part.fill_diagonal_(1, true);
  EXPECT_TRUE(part.equal(x));
  expect_values(zeros({2, 2, 2}).fill_diagonal_(5), {2, 2, 2}, {5, 0, 0, 0, 0, 0, 0, 5});
  EXPECT_EQ(message_of([] { zeros({3}).fill_diagonal_(1); }),
            "fill_diagonal_: dimensions must larger than 1");
  EXPECT_EQ(message_of([] {
              zeros({3, 3, 2}).fill_diagonal_(1);
            }),
            "fill_diagonal_: all dimensions of input must be of equal length");
}

TEST(FillDiagonal, TakesTheGradientAway) {
  const Tensor x = ones({2, 2}, requires_grad());
  const Tensor y = x.mul(2);
  y.fill_diagonal_(0).sum().backward();
  expect_values(x.grad(), {2, 2}, {0, 2, 2, 0});
}

TAPER_OP_CASES(flat_diagonals, {
  OpCase c = moving_case(
      "diagflat", {{{3}, {0}}, {{2, 2}, {1}}, {{}, {-2}}, {{0}, {0}}},
      [](const Tensor& x, const Sizes& i) { return diagflat(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        const int64_t down = std::max<int64_t>(-i[0], 0), right = std::max<int64_t>(i[0], 0);
        const int64_t n = x.numel() + down + right;
        Array y({n, n});
        for (int64_t k = 0; k < x.numel(); ++k) {
          const int64_t at = (k + down) * n + k + right;
          if (x.im.empty())
            y.v[static_cast<size_t>(at)] = x.v[static_cast<size_t>(k)];
          else
            y.set_z(at, x.z(k));
        }
        return y;
      });
  return std::vector<OpCase>{c};
});

// Numbers: whether the diagonal goes on below a square.
TAPER_OP_CASES(filled_diagonals, {
  OpCase c = moving_case(
      "fill_diagonal",
      {{{3, 3}, {0}},
       {{2, 4}, {0}},
       {{7, 2}, {0}},
       {{7, 2}, {1}},
       {{8, 2}, {1}},
       {{4, 3}, {1}},
       {{9, 3}, {1}},
       {{2, 2, 2}, {0}},
       {{0, 3}, {0}}},
      [](const Tensor& x, const Sizes& i) { return x.clone().fill_diagonal_(1, i[0] != 0); },
      [](Array y, const Sizes& i) {
        for_each_index(y.sizes, [&](const Sizes& index) {
          const bool on = i[0] ? index[0] % (y.size(1) + 1) == index[1]
                               : std::count(index.begin(), index.end(), index[0]) == y.dim();
          if (on && y.im.empty()) y.at(index) = 1;
          if (on && !y.im.empty()) y.set_z(y.position(index), 1);
        });
        return y;
      });
  c.errors = {error<Error>("fill_diagonal_: dimensions must larger than 1",
                           [] { numbers({3}).fill_diagonal_(1); }),
              error<Error>("fill_diagonal_: all dimensions of input must be of equal length", [] {
                numbers({2, 2, 3}).fill_diagonal_(1);
              })};
  return std::vector<OpCase>{c};
});

TAPER_OP_CASES(scattered_strides, {
  const auto two_sizes = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 4}, {2, 2}}, t), sample_of({{12}, {2, 2}}, t)};
  };
  OpCase scatter;
  scatter.name = "as_strided_scatter";
  scatter.samples = two_sizes;
  scatter.call = [](const Args& a) {
    return as_strided_scatter(a.t[0], a.t[1], {2, 2}, {5, 2}, 1);
  };
  scatter.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 2; ++j) y.v[1 + 5 * i + 2 * j] = a.t[1].v[2 * i + j];
    return Arrays(y);
  };
  scatter.errors = {error<Error>("expected src to have a size equal to the slice of self", [] {
    as_strided_scatter(numbers({3, 4}), numbers({3}), {2, 2}, {5, 2});
  })};
  return std::vector<OpCase>{scatter};
});

TEST(SelectScatter, TheGradientOfItsSourceHasTheSourcesDtype) {
  const Tensor x = ones({2, 3}, kDouble), src = ones({3}).requires_grad_();
  const Tensor g = autograd::grad({select_scatter(x, src, 0, 1).sum()}, {src})[0];
  EXPECT_EQ(g.scalar_type(), kFloat);
  expect_values(g, {3}, {1, 1, 1});
}

TEST(SliceScatter, IntoIntegersNoGradientIsLostInSilence) {
  const Tensor x = ones({3}, kLong);
  EXPECT_THROW(slice_scatter(x, ones({1}).requires_grad_(), 0, 0, 1), Error);
  expect_values(slice_scatter(x, zeros({1}), 0, 0, 1), {3}, {0, 1, 1});
}

}  // namespace
}  // namespace torch::taper::testing
