// Views of parts in the harness: one element, a stretch, a diagonal, windows.
#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_part.h>
#include <taper/testing/gradcheck.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
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

// Views in place: a tensor that takes over another geometry of its memory, with its history.

/// Of a copy, which has memory and history of its own.
OpCase geometry_case(std::string name, std::vector<Moving> samples,
                     std::function<Tensor(const Tensor&, const Sizes&)> op,
                     std::function<Array(const Array&, const Sizes&)> reference) {
  return moving_case(
      std::move(name), std::move(samples),
      [op](const Tensor& x, const Sizes& i) {
        const Tensor y = x.clone();
        const auto version = y._version();
        const Tensor z = op(y, i);
        EXPECT_TRUE(z.is_same(y));
        EXPECT_EQ(y._version(), version + 1);
        return z.clone();
      },
      [reference](const Array& x, const Sizes& i) { return Arrays{reference(x, i)}; });
}

Array exchanged(const Array& x, int64_t a, int64_t b) {
  Sizes sizes = x.sizes;
  if (x.dim() == 0) return x;
  const auto p = static_cast<size_t>(wrapped(a, x.dim()));
  const auto q = static_cast<size_t>(wrapped(b, x.dim()));
  std::swap(sizes[p], sizes[q]);
  return taken(x, sizes, [=](Sizes index) {
    std::swap(index[p], index[q]);
    return index;
  });
}

TAPER_OP_CASES(exchanged_in_place, {
  const std::vector<Moving> pairs = {{{2, 3}, {0, 1}}, {{2, 3, 4}, {-1, 0}}, {{4}, {0, 0}}};
  const auto swapped = [](const Array& x, const Sizes& i) { return exchanged(x, i[0], i[1]); };
  std::vector<OpCase> list = {
      geometry_case(
          "transpose_", pairs,
          [](const Tensor& x, const Sizes& i) { return x.transpose_(i[0], i[1]); }, swapped),
      geometry_case(
          "swapaxes_", pairs,
          [](const Tensor& x, const Sizes& i) { return x.swapaxes_(i[0], i[1]); }, swapped),
      geometry_case(
          "swapdims_", pairs,
          [](const Tensor& x, const Sizes& i) { return x.swapdims_(i[0], i[1]); }, swapped),
      geometry_case(
          "t_", {{{2, 3}}, {{4}}, {{}}}, [](const Tensor& x, const Sizes&) { return x.t_(); },
          [](const Array& x, const Sizes&) { return exchanged(x, 0, -1); })};
  case_in(list, "transpose_").errors = {error<IndexError>("Dimension out of range", [] {
    numbers({2, 3}).transpose_(0, 2);
  })};
  case_in(list, "t_").errors = {
      error<Error>("t_() expects a tensor with <= 2 dimensions, but self is 3D", [] {
        numbers({2, 3, 4}).t_();
      })};
  return list;
});

TAPER_OP_CASES(ones_in_place, {
  std::vector<OpCase> list = {
      geometry_case(
          "squeeze_", {{{1, 3, 1}}, {{2, 3}}, {{1}}},
          [](const Tensor& x, const Sizes&) { return x.squeeze_(); },
          [](const Array& x, const Sizes&) {
            Sizes sizes;
            for (int64_t s : x.sizes)
              if (s != 1) sizes.push_back(s);
            return reshaped(x, sizes);
          }),
      geometry_case(
          "squeeze_dim_", {{{1, 3, 1}, {0}}, {{1, 3, 1}, {1}}, {{2, 1}, {-1}}},
          [](const Tensor& x, const Sizes& i) { return x.squeeze_(i[0]); },
          [](const Array& x, const Sizes& i) {
            Sizes sizes = x.sizes;
            const auto at = sizes.begin() + wrapped(i[0], x.dim());
            if (*at == 1) sizes.erase(at);
            return reshaped(x, sizes);
          }),
      geometry_case(
          "unsqueeze_", {{{2, 3}, {1}}, {{3}, {-1}}, {{}, {0}}},
          [](const Tensor& x, const Sizes& i) { return x.unsqueeze_(i[0]); },
          [](const Array& x, const Sizes& i) {
            Sizes sizes = x.sizes;
            sizes.insert(sizes.begin() + wrapped(i[0], x.dim() + 1), 1);
            return reshaped(x, sizes);
          })};
  case_in(list, "squeeze_dim_").errors = {error<IndexError>("Dimension out of range", [] {
    numbers({2, 1}).squeeze_(2);
  })};
  case_in(list, "unsqueeze_").errors = {error<IndexError>("Dimension out of range", [] {
    numbers({2, 1}).unsqueeze_(3);
  })};
  return list;
});

// ---------------------------------------------------------------- of views that are not dense
TEST(ViewsInPlace, GradientsOfViewsWithGaps) {
  using Change = Tensor (*)(const Tensor&);
  const std::pair<Change, Change> pairs[] = {
      {[](const Tensor& y) { return y.unsqueeze_(0); },
       [](const Tensor& y) { return y.unsqueeze(0); }},
      {[](const Tensor& y) { return y.squeeze_(); }, [](const Tensor& y) { return y.squeeze(); }},
      {[](const Tensor& y) { return y.squeeze_(2); }, [](const Tensor& y) { return y.squeeze(2); }},
      {[](const Tensor& y) { return y.transpose_(0, 1); },
       [](const Tensor& y) { return y.transpose(0, 1); }},
      {[](const Tensor& y) { return y.select(2, 0).t_(); },
       [](const Tensor& y) { return y.select(2, 0).t(); }}};
  const auto gradient = [](Change change) {
    const Tensor x = counting({3, 6, 2}, kDouble, 1).requires_grad_();
    const Tensor gaps = (x * 1).slice(1, 0, 5, 2).slice(2, 0, 1);
    const Tensor y = change(gaps);
    (y * y * counting(y.sizes().vec(), kDouble)).sum().backward();
    return x.grad();
  };
  for (const auto& [in_place, plain] : pairs)
    EXPECT_EQ(values_of(gradient(in_place)), values_of(gradient(plain)));
}

TEST(ViewsInPlace, Squeeze) {
  const Tensor x = counting({1, 2, 1, 3}).requires_grad_();
  Tensor y = x * 2;
  y.squeeze_({0, -2});
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 3}));
  y.mul(counting({2, 3})).sum().backward();
  expect_values(x.grad(), {1, 2, 1, 3}, {0, 2, 4, 6, 8, 10});
  expect_error("a leaf Variable that requires grad", [&] { x.squeeze_(0); });
}

}  // namespace
}  // namespace torch::taper::testing
