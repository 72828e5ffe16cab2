// Views in place: a tensor that takes over another geometry of its memory, with its history.
#include <taper/ops/elementwise/binary.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

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
        EXPECT_GE(y._version(), version);
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
  expect_error("a leaf Variable that requires grad", [&] { x.squeeze_({0}); });
}

}  // namespace
}  // namespace torch::taper::testing
