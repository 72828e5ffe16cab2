// Views of parts in the harness: one element, a stretch, a diagonal, windows, all pieces.
#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/tensor/split.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_part.h>
#include <taper/testing/gradcheck.h>

#include "ops/taken.h"
#include "test_util.h"

namespace taper::testing {
namespace {

constexpr int64_t kNone = 1000;  // a bound that is not given
optional<int64_t> bound(int64_t i) { return i == kNone ? nullopt : optional<int64_t>(i); }

// ---------------------------------------------------------------- one part
TAPER_OP_CASES(parts_of_tensors, {
  OpCase select = view_case(
      "select", {{{4}, {0, 2}}, {{2, 3}, {1, -1}}, {{2, 3, 4}, {-2, 1}}, {{3, 0}, {0, 1}}},
      [](const Tensor& x, const Sizes& i) { return taper::select(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        const int64_t d = wrapped(i[0], x.dim());
        Array y = part_of(x, d, wrapped(i[1], x.size(d)), 1);
        y.sizes.erase(y.sizes.begin() + d);
        return y;
      });
  select.errors = {
      error<IndexError>("select() cannot be applied to a 0-dim tensor.",
                        [] { taper::select(numbers({}), 0, 0); }),
      error<IndexError>("select(): index 3 out of range for tensor of size [2, 3] at dimension 1",
                        [] {
                          taper::select(numbers({2, 3}), 1, 3);
                        }),
      error<IndexError>("select(): index -3 out of range",
                        [] {
                          taper::select(numbers({2, 3}), 0, -3);
                        }),
      error<IndexError>("Dimension out of range", [] {
        taper::select(numbers({2, 3}), 2, 0);
      })};
  OpCase narrow = view_case(
      "narrow", {{{4}, {0, 1, 2}}, {{2, 3}, {1, 0, 3}}, {{2, 3, 4}, {-1, -2, 1}}, {{3}, {0, 3, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::narrow(x, i[0], i[1], i[2]); },
      [](const Array& x, const Sizes& i) {
        return part_of(x, i[0], wrapped(i[1], x.size(i[0])), i[2]);
      });
  narrow.errors = {
      error<Error>("narrow() cannot be applied to a 0-dim tensor.",
                   [] { taper::narrow(numbers({}), 0, 0, 1); }),
      error<Error>("narrow(): length must be non-negative.",
                   [] { taper::narrow(numbers({3}), 0, 0, -1); }),
      error<Error>("start (2) + length (2) exceeds dimension size (3).",
                   [] { taper::narrow(numbers({3}), 0, 2, 2); }),
      error<IndexError>("start out of range (expected to be in range of [-3, 3], but got 4)",
                        [] { taper::narrow(numbers({3}), 0, 4, 0); })};
  return std::vector<OpCase>{select, narrow};
});

// Numbers: dim, start, end, step.
TAPER_OP_CASES(slices, {
  OpCase c = view_case(
      "slice",
      {{{7}, {0, 1, 6, 2}},
       {{7}, {0, -5, -1, 3}},
       {{2, 5}, {1, kNone, 3, 1}},
       {{2, 5}, {-1, 2, kNone, 1}},
       {{3, 4}, {0, 2, 1, 1}},
       {{3, 4}, {0, -9, 9, 5}},
       {{0}, {0, 0, 2, 1}}},
      [](const Tensor& x, const Sizes& i) {
        return taper::slice(x, i[0], bound(i[1]), bound(i[2]), i[3]);
      },
      [](const Array& x, const Sizes& i) {
        const int64_t n = x.size(i[0]);
        const auto clamped = [n](int64_t v) {
          return std::min(std::max<int64_t>(v < 0 ? v + n : v, 0), n);
        };
        const int64_t first = i[1] == kNone ? 0 : clamped(i[1]);
        const int64_t last = i[2] == kNone ? n : clamped(i[2]);
        int64_t count = 0;
        for (int64_t k = first; k < last; k += i[3]) ++count;
        return part_of(x, i[0], first, count, i[3]);
      });
  c.errors = {
      error<Error>("slice step must be positive", [] { taper::slice(numbers({3}), 0, 0, 3, 0); }),
      error<IndexError>("slice() cannot be applied to a 0-dim tensor.",
                        [] { taper::slice(numbers({})); }),
      error<IndexError>("Dimension out of range", [] { taper::slice(numbers({3}), 1); })};
  return std::vector<OpCase>{c};
});

// Numbers: offset, dim1, dim2.
TAPER_OP_CASES(diagonals, {
  OpCase c = view_case(
      "diagonal",
      {{{3, 3}, {0, 0, 1}},
       {{2, 4}, {1, 0, 1}},
       {{4, 2}, {-2, 0, 1}},
       {{2, 3, 4}, {0, -1, 0}},
       {{2, 3}, {5, 0, 1}},
       {{3, 0}, {0, 0, 1}},
       {{2, 2, 3, 2}, {-1, 2, 1}}},
      [](const Tensor& x, const Sizes& i) { return taper::diagonal(x, i[0], i[1], i[2]); },
      [](const Array& x, const Sizes& i) {
        const int64_t a = wrapped(i[1], x.dim()), b = wrapped(i[2], x.dim());
        Sizes sizes, rest;
        for (int64_t d = 0; d < x.dim(); ++d)
          if (d != a && d != b) {
            sizes.push_back(x.size(d));
            rest.push_back(d);
          }
        int64_t count = 0;
        const int64_t down = std::max<int64_t>(-i[0], 0), right = std::max<int64_t>(i[0], 0);
        while (count + down < x.size(a) && count + right < x.size(b)) ++count;
        sizes.push_back(count);
        return taken(x, sizes, [&](const Sizes& index) {
          Sizes own(x.sizes.size());
          for (size_t k = 0; k < rest.size(); ++k) own[static_cast<size_t>(rest[k])] = index[k];
          own[static_cast<size_t>(a)] = index.back() + down;
          own[static_cast<size_t>(b)] = index.back() + right;
          return own;
        });
      });
  c.errors = {error<Error>("diagonal dimensions cannot be identical 0, 0",
                           [] {
                             taper::diagonal(numbers({2, 3}), 0, 0, 0);
                           }),
              error<IndexError>("Dimension out of range", [] { taper::diagonal(numbers({2})); })};
  return std::vector<OpCase>{c};
});

// Numbers: dim, size, step.
TAPER_OP_CASES(windows_of_views, {
  OpCase c = view_case(
      "unfold",
      {{{7}, {0, 3, 2}},
       {{2, 5}, {1, 2, 1}},
       {{4, 3}, {-2, 4, 1}},
       {{5, 2}, {0, 1, 3}},
       {{3}, {0, 0, 1}},
       {{}, {0, 1, 1}}},
      [](const Tensor& x, const Sizes& i) { return taper::unfold(x, i[0], i[1], i[2]); },
      [](const Array& x, const Sizes& i) {
        Sizes sizes = x.sizes;
        const auto d = static_cast<size_t>(std::max<int64_t>(wrapped(i[0], x.dim()), 0));
        if (x.dim() > 0) sizes[d] = (x.sizes[d] - i[1]) / i[2] + 1;
        sizes.push_back(i[1]);
        return taken(x, sizes, [&](Sizes index) {
          const int64_t within = index.back();
          index.pop_back();
          if (!index.empty()) index[d] = index[d] * i[2] + within;
          return index;
        });
      });
  c.errors = {
      error<Error>("maximum size for tensor at dimension 0 is 3 but size is 4",
                   [] { taper::unfold(numbers({3}), 0, 4, 1); }),
      error<Error>("step is 0 but must be > 0", [] { taper::unfold(numbers({3}), 0, 2, 0); }),
      error<IndexError>("Dimension out of range", [] { taper::unfold(numbers({3}), 1, 2, 1); })};
  return std::vector<OpCase>{c};
});

// Numbers: the offset, the sizes, the strides. Of row-major memory, which is what the strides mean.
TAPER_OP_CASES(any_geometry, {
  const auto half = [](const Sizes& i, bool second) {
    const auto middle = i.begin() + 1 + std::ptrdiff_t(i.size() / 2);
    return second ? Sizes(middle, i.end()) : Sizes(i.begin() + 1, middle);
  };
  OpCase c = view_case(
      "as_strided",
      {{{6}, {1, 2, 2, 2, 1}},
       {{3, 4}, {0, 4, 3, 1, 4}},
       {{5}, {0, 3, 3, 1, 1}},
       {{4}, {2, 3, 0}},
       {{2, 3}, {5}},
       {{2, 3}, {0, 0, 2, 1, 1}}},
      [half](const Tensor& x, const Sizes& i) {
        return taper::as_strided(x.contiguous(), half(i, false), half(i, true),
                                 x.contiguous().storage_offset() + i[0]);
      },
      [half](const Array& x, const Sizes& i) {
        const Sizes strides = half(i, true);
        return taken(reshaped(x, {x.numel()}), half(i, false), [&](const Sizes& index) {
          int64_t at = i[0];
          for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
          return Sizes{at};
        });
      });
  c.errors = {error<Error>("mismatch in length of strides and shape",
                           [] {
                             taper::as_strided(numbers({4}), {2, 2}, {1});
                           }),
              error<Error>("are out of bounds for storage of size 16",
                           [] {
                             taper::as_strided(numbers({4}), {2, 2}, {3, 1});
                           }),
              error<Error>("out of bounds for storage",
                           [] { taper::as_strided(numbers({4}), {4}, {1}, 1); }),
              error<Error>("as_strided: Negative strides are not supported at the moment",
                           [] { taper::as_strided(numbers({4}), {2}, {-1}); }),
              error<Error>("invalid storage offset -1",
                           [] { taper::as_strided(numbers({4}), {2}, {1}, -1); })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- all pieces
/// 0, size, 2 size, ... and at last n; for no elements 0 and 0.
Sizes steps(int64_t n, int64_t size) {
  Sizes places{0};
  do {
    places.push_back(std::min(places.back() + size, n));
  } while (places.back() < n);
  return places;
}

TAPER_OP_CASES(pieces, {
  OpCase split = view_case(
      "split",
      {{{5}, {2, 0}}, {{2, 6}, {3, 1}}, {{3, 2, 4}, {1, -3}}, {{3}, {7, 0}}, {{0, 2}, {0, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::split(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) { return parts_of(x, i[1], steps(x.size(i[1]), i[0])); });
  split.errors = {
      error<Error>("split expects at least a 1-dimensional tensor",
                   [] { taper::split(numbers({}), 1); }),
      error<Error>("split expects split_size be non-negative, but got split_size=-1",
                   [] { taper::split(numbers({3}), -1); }),
      error<Error>("split_size can only be 0 if dimension size is 0, but got dimension size of 3",
                   [] { taper::split(numbers({3}), 0); })};
  // The last number is the dimension.
  OpCase sizes = view_case(
      "split_with_sizes", {{{5}, {2, 3, 0}}, {{2, 6}, {1, 0, 5, 1}}, {{3, 2}, {3, -2}}},
      [](const Tensor& x, const Sizes& i) {
        return split_with_sizes(x, Sizes(i.begin(), i.end() - 1), i.back());
      },
      [](const Array& x, const Sizes& i) {
        Sizes places{0};
        for (size_t k = 0; k + 1 < i.size(); ++k) places.push_back(places.back() + i[k]);
        return parts_of(x, i.back(), places);
      });
  sizes.errors = {
      error<Error>("split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size "
                   "at dimension 0), but got split_sizes=[2, 2]",
                   [] {
                     split_with_sizes(numbers({3}), {2, 2});
                   }),
      error<Error>("split_with_sizes expects split_sizes have only non-negative entries", [] {
        split_with_sizes(numbers({3}), {4, -1});
      })};
  OpCase chunk = view_case(
      "chunk",
      {{{5}, {2, 0}}, {{2, 6}, {4, 1}}, {{3, 2, 4}, {3, -3}}, {{3}, {7, 0}}, {{0, 2}, {3, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::chunk(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        const int64_t n = x.size(i[1]), size = (n + i[0] - 1) / i[0];
        return parts_of(x, i[1], n == 0 ? Sizes(static_cast<size_t>(i[0]) + 1, 0) : steps(n, size));
      });
  chunk.errors = {error<Error>("chunk expects `chunks` to be greater than 0, got: 0",
                               [] { taper::chunk(numbers({3}), 0); }),
                  error<Error>("chunk expects at least a 1-dimensional tensor",
                               [] { taper::chunk(numbers({}), 1); })};
  OpCase unbind = view_case(
      "unbind", {{{3}, {0}}, {{2, 3}, {1}}, {{2, 3, 2}, {-2}}, {{2, 0}, {0}}},
      [](const Tensor& x, const Sizes& i) { return taper::unbind(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        Arrays parts = parts_of(x, i[0], steps(x.size(i[0]), 1));
        for (Array& y : parts) y.sizes.erase(y.sizes.begin() + wrapped(i[0], x.dim()));
        return parts;
      });
  unbind.errors = {
      error<IndexError>("Dimension specified as 0 but tensor has no dimensions",
                        [] { taper::unbind(numbers({})); }),
      error<IndexError>("Dimension out of range", [] { taper::unbind(numbers({3}), 1); })};
  return std::vector<OpCase>{split, sizes, chunk, unbind};
});

/// The places where n elements are cut into nearly equal parts, the first ones larger.
Sizes nearly_equal(int64_t n, int64_t sections) {
  Sizes places{0};
  for (int64_t i = 0; i < sections; ++i)
    places.push_back(places.back() + n / sections + (i < n % sections));
  return places;
}
Sizes with_ends(Sizes places, int64_t n) {
  places.insert(places.begin(), 0);
  places.push_back(n);
  return places;
}

TAPER_OP_CASES(splits, {
  OpCase even = view_case(
      "tensor_split", {{{7}, {3, 0}}, {{2, 5}, {2, 1}}, {{2, 3}, {5, -1}}, {{0}, {2, 0}}},
      [](const Tensor& x, const Sizes& i) { return tensor_split(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        return parts_of(x, i[1], nearly_equal(x.size(i[1]), i[0]));
      });
  even.errors = {error<Error>("number of sections must be larger than 0, got 0",
                              [] { tensor_split(numbers({3}), 0); }),
                 error<Error>("tensor_split expected at least a 1-dimensional tensor, but got a "
                              "tensor with 0 dims",
                              [] { tensor_split(numbers({}), 1); })};
  OpCase at = view_case(
      "tensor_split_indices", {{{7}, {2, 5, 0}}, {{2, 5}, {0, 1, 3, 1}}, {{2, 3}, {-1}}},
      [](const Tensor& x, const Sizes& i) {
        return tensor_split(x, Sizes(i.begin(), i.end() - 1), i.back());
      },
      [](const Array& x, const Sizes& i) {
        return parts_of(x, i.back(), with_ends(Sizes(i.begin(), i.end() - 1), x.size(i.back())));
      });
  std::vector<OpCase> list = {even, at};
  // Numbers: one of sections, or 0 and then indices.
  struct Named {
    const char* name;
    std::vector<Tensor> (*by_number)(const Tensor&, int64_t);
    std::vector<Tensor> (*by_indices)(const Tensor&, IntArrayRef);
    int64_t dim;
    std::vector<Moving> samples;
  };
  const Named named[] = {
      {"hsplit",
       &hsplit,
       &hsplit,
       1,
       {{{2, 6}, {3}}, {{4}, {2}}, {{2, 6, 2}, {0, 1, 4}}, {{4}, {0, 3}}}},
      {"vsplit", &vsplit, &vsplit, 0, {{{6, 2}, {3}}, {{4, 1, 2}, {2}}, {{6, 2}, {0, 1, 4}}}},
      {"dsplit",
       &dsplit,
       &dsplit,
       2,
       {{{1, 2, 6}, {3}}, {{2, 1, 4, 2}, {2}}, {{1, 2, 6}, {0, 1, 4}}}}};
  for (const Named& n : named) {
    OpCase c = view_case(
        n.name, n.samples,
        [n](const Tensor& x, const Sizes& i) {
          return i[0] ? n.by_number(x, i[0]) : n.by_indices(x, Sizes(i.begin() + 1, i.end()));
        },
        [n](const Array& x, const Sizes& i) {
          const int64_t d = std::min(n.dim, x.dim() - 1);
          return parts_of(x, d,
                          i[0] ? nearly_equal(x.size(d), i[0])
                               : with_ends(Sizes(i.begin() + 1, i.end()), x.size(d)));
        });
    const auto op = n.by_number;
    const std::string words = std::string("torch.") + n.name;
    c.errors = {
        error<Error>(words + " requires a tensor with at least ", [op] { op(numbers({}), 1); }),
        error<Error>(words + " attempted to split along dimension " + std::to_string(n.dim) +
                         ", but the size of the dimension 5 is not divisible by the "
                         "split_size 2!",
                     [op] {
                       op(numbers({5, 5, 5}), 2);
                     }),
        error<Error>("is not divisible by the split_size 0!", [op] {
          op(numbers({5, 5, 5}), 0);
        })};
    list.push_back(c);
  }
  return list;
});

// ---------------------------------------------------------------- overlapping inputs
/// The gradient of sum(view(x)^2) for x = 1, 2, 3, ...
Tensor gradient_of(const Sizes& sizes, Tensor (*view)(const Tensor&)) {
  const Tensor x = counting(sizes, kDouble, 1).requires_grad_();
  view(x).square().sum().backward();
  return x.grad();
}

TEST(OverlappingViews, GradientsCountSharedElementsOnce) {
  expect_values(gradient_of({3},
                            [](const Tensor& x) {
                              return x.unsqueeze(0).expand({4, 3}).as_strided({3, 3}, {1, 0}, 0);
                            }),
                {3}, {6, 12, 18});
  expect_values(gradient_of({1, 4},
                            [](const Tensor& x) {
                              return x.expand({3, 4}).unfold(0, 2, 1);
                            }),
                {1, 4}, {8, 16, 24, 32});
  expect_values(gradient_of({6},
                            [](const Tensor& x) {
                              return x.as_strided({4, 3}, {1, 1}).as_strided({2, 3}, {2, 1});
                            }),
                {6}, {2, 4, 12, 8, 10, 0});
  expect_values(gradient_of({6},
                            [](const Tensor& x) {
                              return x.unfold(0, 3, 1).as_strided({2, 3}, {1, 1}, 1);
                            }),
                {6}, {0, 4, 12, 16, 10, 0});
}

TEST(OverlappingViews, GradientsOfWindowsOfWindows) {
  // An element of a 4 x 4 image lies in as many 3 x 3 windows as rows times columns of them cover
  // it.
  const Tensor grad =
      gradient_of({1, 1, 4, 4}, [](const Tensor& x) { return x.unfold(2, 3, 1).unfold(3, 3, 1); });
  const double covered[4] = {1, 2, 2, 1};
  std::vector<double> want;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) want.push_back(2 * (4 * r + c + 1) * covered[r] * covered[c]);
  expect_values(grad, {1, 1, 4, 4}, want);
}

TEST(OverlappingViews, SecondOrder) {
  const auto windows = [](const autograd::variable_list& in) {
    return autograd::variable_list{in[0].unfold(0, 3, 1).unfold(1, 2, 1).pow(3),
                                   in[0].as_strided({4, 3}, {1, 1}).unfold(0, 2, 1).pow(3)};
  };
  const Tensor x = numbers({6}, kDouble).requires_grad_();
  EXPECT_TRUE(autograd::gradcheck(windows, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(windows, {x}));
}

}  // namespace
}  // namespace taper::testing
