// Overloads that LibTorch has had since its version 2.
#include <gtest/gtest.h>

#include <cmath>

#include <taper/taper.h>

#include "test_util.h"

namespace taper::testing {
namespace {

using Shape = std::vector<int64_t>;

// ---------------------------------------------------------------------- truths of several
// dimensions
/// i = {keepdim, dimensions...}
Array truth_reference(const ArrayArgs& a, bool all) {
  const Array& x = a.t[0];
  std::vector<bool> reduced(x.sizes.size());
  for (size_t d = 1; d < a.i.size(); ++d)
    reduced[static_cast<size_t>(a.i[d] < 0 ? a.i[d] + x.dim() : a.i[d])] = true;
  Shape sizes;
  for (size_t d = 0; d < reduced.size(); ++d)
    if (!reduced[d] || a.i[0]) sizes.push_back(reduced[d] ? 1 : x.sizes[d]);
  Array y(sizes, all ? 1 : 0);
  for_each_index(x.sizes, [&](const Shape& at) {
    Shape to;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d] || a.i[0]) to.push_back(reduced[d] ? 0 : at[d]);
    if ((x.at(at) != 0) != all) y.at(to) = all ? 0 : 1;
  });
  return y;
}

OpCase truth_case(bool all) {
  OpCase c;
  c.name = all ? "all_of_dims" : "any_of_dims";
  c.dtypes = {kBool, kByte, kLong, kFloat};
  c.differentiable = false;
  c.result_dtype = [](ScalarType t) { return t == kByte ? kByte : kBool; };
  c.samples = [=](ScalarType t) {
    std::vector<Args> list;
    for (const Shape& i : {Shape{0, 0, 2}, Shape{1, -1, 0}, Shape{0, 1}, Shape{0}, Shape{1}})
      for (const double share : {0.2, 0.9}) {
        Array x({3, 2, 4});
        Random random(7);
        for (double& v : x.v) v = random.uniform(0, 1) < share;
        list.push_back({{to_tensor(x, t)}, i});
      }
    list.push_back({{to_tensor(Array({0, 2}), t)}, {0, 0, 1}});
    return list;
  };
  c.call = [=](const Args& a) {
    const IntArrayRef dims = IntArrayRef(a.i).slice(1);
    return all ? taper::all(a.t[0], dims, a.i[0] != 0) : taper::any(a.t[0], dims, a.i[0] != 0);
  };
  c.reference = [=](const ArrayArgs& a) { return truth_reference(a, all); };
  c.errors = {error<IndexError>("Dimension out of range",
                                [=] {
                                  const Tensor x = numbers({2, 3});
                                  all ? x.all({0, 2}) : x.any({0, 2});
                                }),
              error<Error>("dim 1 appears multiple times in the list of dims", [=] {
                const Tensor x = numbers({2, 3});
                all ? x.all({1, -1}) : x.any({1, -1});
              })};
  return c;
}

// ---------------------------------------------------------------------- views
/// i = the dimensions
OpCase squeeze_case() {
  OpCase c;
  c.name = "squeeze_dims";
  c.dtypes = {kFloat, kLong, kComplexFloat, kDouble};
  c.is_view = true;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{1, 3, 1}}, t, {}, {0, 2}),
                             sample_of({{1, 3, 1}}, t, {}, {-1, 1}),
                             sample_of({{2, 1, 1, 2}}, t, {}, {2}), sample_of({{1, 1}}, t, {}, {})};
  };
  c.call = [](const Args& a) { return a.t[0].squeeze(IntArrayRef(a.i)); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    y.sizes.clear();
    for (int64_t d = 0; d < a.t[0].dim(); ++d) {
      bool asked = false;
      for (int64_t i : a.i) asked |= (i < 0 ? i + a.t[0].dim() : i) == d;
      if (!asked || a.t[0].size(d) != 1) y.sizes.push_back(a.t[0].size(d));
    }
    return y;
  };
  c.errors = {error<IndexError>("Dimension out of range",
                                [] {
                                  numbers({1, 2}).squeeze({0, 3});
                                }),
              error<Error>("dim 0 appears multiple times", [] {
                numbers({1, 2}).squeeze({0, -2});
              })};
  return c;
}

// ---------------------------------------------------------------------- places of numbers
/// i = {size, fill_value}
OpCase nonzero_static_case() {
  OpCase c;
  c.name = "nonzero_static";
  c.dtypes = {kBool, kInt, kFloat};
  c.differentiable = false;
  c.result_dtype = [](ScalarType) { return kLong; };
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const Shape& i : {Shape{2, -1}, Shape{9, 7}, Shape{0, 0}}) {
      list.push_back({{tensor_of({2, 3}, {1, 0, 1, 0, 1, 1}, t)}, i});
      list.push_back({{tensor_of({}, {1}, t)}, i});
    }
    return list;
  };
  c.call = [](const Args& a) { return nonzero_static(a.t[0], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Array y({a.i[0], x.dim()}, static_cast<double>(a.i[1]));
    int64_t row = 0;
    for_each_index(x.sizes, [&](const Shape& at) {
      if (x.at(at) == 0 || row == a.i[0]) return;
      for (size_t d = 0; d < at.size(); ++d)
        y.at({row, static_cast<int64_t>(d)}) = static_cast<double>(at[d]);
      ++row;
    });
    return y;
  };
  c.errors = {error<Error>("nonzero_static: 'size' must be an non-negative integer",
                           [] { numbers({2}).nonzero_static(-1); })};
  return c;
}

TAPER_OP_CASES(overloads, {
  return std::vector<OpCase>{truth_case(false), truth_case(true), squeeze_case(),
                             nonzero_static_case()};
});

TEST(Overloads, VariancesTakeAnyCorrection) {
  const Tensor x = values({1, 2, 4, 9}, kDouble);  // squares of deviations: 9 + 4 + 0 + 25
  const optional<Scalar> half = Scalar(0.5);
  const double expected = 38 / 3.5;
  EXPECT_NEAR(x.var(0, half).item<double>(), expected, 1e-12);
  EXPECT_NEAR(x.std(nullopt, half).item<double>(), std::sqrt(expected), 1e-12);
  EXPECT_NEAR(std::get<0>(var_mean(x, 0, half)).item<double>(), expected, 1e-12);
  EXPECT_NEAR(std::get<0>(std_mean(x, {0}, half, true)).item<double>(), std::sqrt(expected), 1e-12);
  EXPECT_EQ(std::get<1>(std_mean(x, {0}, half)).item<double>(), 4);
  EXPECT_EQ(x.var(0, optional<int64_t>(0)).item<double>(), 9.5);
  EXPECT_EQ(var(x, nullopt, optional<Scalar>(), true).sizes(), IntArrayRef({1}));
  EXPECT_NEAR(var(x, 0, optional<Scalar>()).item<double>(), 38 / 3.0, 1e-12);
  // The gradient of var is 2 (x - mean) / (n - correction).
  const Tensor z = x.clone().requires_grad_();
  z.var(0, half).backward();
  EXPECT_TRUE(z.grad().allclose(values({-3, -2, 0, 5}, kDouble) * (2 / 3.5)));
}

TEST(Overloads, WholeNumbersStayDimensions) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(x.argsort(0, true).sizes(), x.sizes());
  expect_values(x.argsort(0, true), {2, 3}, {1, 1, 1, 0, 0, 0});
  expect_values(x.argsort(true, 1, true), {2, 3}, {2, 1, 0, 2, 1, 0});
  expect_values(argsort(x, 0, true), {2, 3}, {1, 1, 1, 0, 0, 0});
  expect_values(argsort(x, true, 1, true), {2, 3}, {2, 1, 0, 2, 1, 0});
  EXPECT_EQ(argsort(x, 1).sizes(), x.sizes());
  expect_values(x.any(0), {3}, {1, 1, 1});
  expect_values(x.all(1), {2}, {0, 1});
  EXPECT_EQ(x.any({0, 1}).dim(), 0);
  EXPECT_EQ(x.all(nullopt, true).sizes(), IntArrayRef({1, 1}));
  EXPECT_EQ(x.var(0).sizes(), IntArrayRef({3}));
  EXPECT_EQ(x.view({1, 2, 3}).squeeze(0).dim(), 2);
}

TEST(Overloads, StartsAndEndsInTensors) {
  const Tensor x = counting({4, 2});
  expect_values(x.narrow(0, tensor_of({}, {1}, kLong), 2), {2, 2}, {2, 3, 4, 5});
  expect_values(x.narrow(0, tensor_of({}, {-1}, kInt), 1), {1, 2}, {6, 7});
  EXPECT_TRUE(x.narrow(0, tensor_of({}, {1}, kLong), 2).is_alias_of(x));
  expect_error("start must be an 0-dim integral Tensor.",
               [&] { x.narrow(0, values({1}, kLong), 1); });
  expect_error("start must be an 0-dim integral Tensor.",
               [&] { x.narrow(0, tensor_of({}, {1}), 1); });
  const Tensor one = tensor_of({}, {1}), three = tensor_of({}, {3});
  expect_values(linspace(one, three, 3), {3}, {1, 2, 3});
  expect_values(linspace(one, 2, 2), {2}, {1, 2});
  expect_values(linspace(0, three, 2, kDouble), {2}, {0, 3});
  expect_values(logspace(one, three, 3), {3}, {10, 100, 1000});
  expect_values(logspace(one, 2, 2, 2), {2}, {2, 4});
  expect_values(logspace(0, three, 2, 2.0, kDouble), {2}, {1, 8});
  expect_error(
      "linspace only supports 0-dimensional start and end tensors, but got end with 1 "
      "dimension(s).",
      [&] { linspace(one, values({3}), 3); });
}

TEST(Overloads, SqueezeInPlace) {
  const Tensor x = counting({1, 2, 1, 3}).requires_grad_();
  Tensor y = x * 2;
  y.squeeze_({0, -2});
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 3}));
  y.mul(counting({2, 3})).sum().backward();
  expect_values(x.grad(), {1, 2, 1, 3}, {0, 2, 4, 6, 8, 10});
  expect_error("a leaf Variable that requires grad", [&] { x.squeeze_({0}); });
}

TEST(Overloads, EmptyPermutedLiesInTheGivenOrder) {
  EXPECT_EQ(empty_permuted({2, 3, 4}, {2, 0, 1}).strides(), IntArrayRef({3, 1, 6}));
  EXPECT_EQ(empty_permuted({2, 3}, {0, 1}, kLong).scalar_type(), kLong);
  EXPECT_TRUE(empty_permuted({2, 3, 5, 7}, {0, 2, 3, 1}).is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_EQ(empty_permuted({0, 3}, {1, 0}).numel(), 0);
  expect_error("len(size) = 2 is not equal to len(physical_layout) = 3", [] {
    empty_permuted({2, 3}, {0, 1, 2});
  });
  expect_error("Dimension out of range (expected to be between 0 and 1, but got 2 at index 1)", [] {
    empty_permuted({2, 3}, {0, 2});
  });
  expect_error("Duplicate dim not allowed", [] { empty_permuted({2, 3}, {1, 1}); });
}

TEST(Overloads, MemoryFormats) {
  Tensor x = zeros({2, 3, 4, 5});
  x.resize_({1, 2, 3, 4}, MemoryFormat::ChannelsLast);
  EXPECT_EQ(x.strides(), IntArrayRef({24, 1, 8, 2}));
  const Tensor like = empty({2, 3, 4, 5}, {}, MemoryFormat::ChannelsLast);
  EXPECT_EQ(zeros({1}).resize_as_(like, MemoryFormat::Preserve).strides(), like.strides());
  EXPECT_TRUE(zeros({1}).resize_as_(like).is_contiguous());
  EXPECT_EQ(resize(zeros({1}), {2, 3, 4, 5}, MemoryFormat::ChannelsLast).strides(), like.strides());
  EXPECT_EQ(resize_as(zeros({1}), like, MemoryFormat::ChannelsLast).strides(), like.strides());
  EXPECT_TRUE(clone(like, MemoryFormat::Contiguous).is_contiguous());
  const Tensor y = zeros({2, 3, 4, 5}).to(like, false, true, MemoryFormat::ChannelsLast);
  EXPECT_EQ(y.strides(), like.strides());
  expect_error("required rank 4 tensor to use channels_last format", [&] {
    x.resize_({2, 3}, MemoryFormat::ChannelsLast);
  });
  EXPECT_EQ(x.sizes(), IntArrayRef({1, 2, 3, 4}));
}

TEST(Overloads, OfStorages) {
  const Tensor memory = counting({6});
  Tensor x = zeros({1});
  x.set_(memory, 1, {2, 2}, {2, 1});
  expect_values(x, {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(x.is_alias_of(memory));
  expect_values(set(zeros({1}), memory.storage(), 2, {2}), {2}, {2, 3});
  EXPECT_EQ(set(memory).numel(), 0);
  EXPECT_EQ(set(zeros({1}), memory.storage()).numel(), 6);
  expect_error("set_: expected a source of dtype", [&] { x.set_(memory.to(kLong), 0, {1}); });
}

TEST(Overloads, ListsScalarsAndProbabilities) {
  const std::vector<Tensor> both = {tensor_of({}, {3}), values({1, 2})};
  EXPECT_EQ(atleast_1d(both)[0].sizes(), IntArrayRef({1}));
  EXPECT_EQ(atleast_2d(both)[1].sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(atleast_3d(both)[1].sizes(), IntArrayRef({1, 2, 1}));
  expect_values(both[1].where(values({1, 0}, kBool), 9), {2}, {1, 9});
  EXPECT_EQ(result_type(Scalar(1), both[1].to(kHalf)), kHalf);
  EXPECT_EQ(result_type(Scalar(1), Scalar(2.0)), kFloat);
  EXPECT_EQ(result_type(Scalar(1), Scalar(2)), kLong);
  expect_values(bernoulli(zeros({3}), values({0, 1, 0})), {3}, {0, 1, 0});
  expect_values(zeros({2}).bernoulli(1.0), {2}, {1, 1});
  Tensor z = values({2, 3}, kDouble);
  EXPECT_NEAR(values_of(xlogy_(z, Scalar(2)))[1], 3 * std::log(2.0), 1e-12);
  expect_values(values({1, 2}).repeat_interleave(2, 0, 4), {4}, {1, 1, 2, 2});
  expect_values(values({1, 2}).repeat_interleave(values({0, 2}, kLong), 0, 2), {2}, {2, 2});
  expect_error("repeat_interleave: expected output_size 4, got 3", [] {
    values({1, 2}).repeat_interleave(2, 0, 3);
  });
}

TEST(Overloads, TextInAnyForm) {
  const std::string_view add = "add";
  const Tensor at = values({0, 0}, kLong), x = values({1, 2, 3});
  expect_values(zeros({2}).scatter(0, at, x, add), {2}, {3, 0});
  expect_values(zeros({2}).scatter_(0, at, 5, std::string("add")), {2}, {10, 0});
  EXPECT_EQ(conv1d(zeros({1, 1, 4}), zeros({1, 1, 3}), {}, 1, std::string_view("same")).size(2), 4);
  EXPECT_EQ(pad(x, {1, 0}, std::string_view("constant"), 2).size(0), 4);
  EXPECT_EQ(meshgrid({x, x}, std::string_view("xy"))[0].size(0), 3);
}

TEST(Overloads, SequencesArePaddedOnEitherSide) {
  const std::vector<Tensor> list = {values({1, 2}), values({3})};
  expect_values(pad_sequence(list, true, 9, "left"), {2, 2}, {1, 2, 9, 3});
  expect_values(nn::utils::rnn::pad_sequence(list, true, 9, "left"), {2, 2}, {1, 2, 9, 3});
  expect_values(pad_sequence(list, true, 9), {2, 2}, {1, 2, 3, 9});
  expect_error("expected padding_side \"left\" or \"right\", got \"top\"",
               [&] { pad_sequence(list, true, 9, "top"); });
}

TEST(Overloads, NamesOfDriversAndDevicesAreChecked) {
  const Tensor A = numbers({3, 2}, kDouble);
  EXPECT_TRUE(std::get<1>(linalg_svd(A, false, nullopt)).allclose(linalg_svdvals(A, nullopt)));
  expect_error("keyword argument `driver=` is only supported on CUDA inputs",
               [&] { linalg_svdvals(A, "gesvd"); });
  expect_error("expected pinned memory for a CUDA device, got cpu",
               [&] { A.pin_memory(Device(kCPU)); });
  EXPECT_EQ(A.is_pinned(Device(kCUDA)), A.is_pinned());
}

TEST(Nextafter, CountsInTheBitsOfBFloat16) {
  const auto next = [](double x, double y) {
    return nextafter(values({x}, kBFloat16), values({y}, kBFloat16)).item<double>();
  };
  EXPECT_EQ(next(1, 2), 1 + 0x1p-7);
  EXPECT_EQ(next(1, 0), 1 - 0x1p-8);
  EXPECT_EQ(next(-1, 0), -1 + 0x1p-8);
  EXPECT_EQ(next(-1, -2), -1 - 0x1p-7);
  EXPECT_EQ(next(2, 2), 2);
  EXPECT_EQ(next(0, 1), 0x1p-133);
  EXPECT_EQ(next(0, -1), -0x1p-133);
  EXPECT_EQ(next(0x1p-133, -1), 0);
  EXPECT_EQ(next(0x1.FEp127, INFINITY), INFINITY);
  EXPECT_EQ(next(INFINITY, 0), 0x1.FEp127);
  EXPECT_TRUE(std::isnan(next(NAN, 1)) && std::isnan(next(1, NAN)));
  EXPECT_EQ(nextafter(zeros({2, 1}, kBFloat16), zeros({3}, kBFloat16)).sizes(),
            IntArrayRef({2, 3}));
}
TEST(Nextafter, CountsInTheBitsOfHalf) {
  const auto next = [](double x, double y) {
    return nextafter(values({x}, kHalf), values({y}, kHalf)).item<double>();
  };
  EXPECT_EQ(next(1, 2), 1 + 0x1p-10);
  EXPECT_EQ(next(-1, 0), -1 + 0x1p-11);
  EXPECT_EQ(next(0, -1), -0x1p-24);
  EXPECT_EQ(next(65504, INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(next(NAN, 1)));
}

}  // namespace
}  // namespace taper::testing
