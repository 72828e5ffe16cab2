// Which overload a call takes: numbers, lists, tensors and text in the same place.
#include <cmath>

#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

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

TEST(Overloads, NamesOfDriversAndDevicesAreChecked) {
  const Tensor A = numbers({3, 2}, kDouble);
  EXPECT_TRUE(std::get<1>(linalg_svd(A, false, nullopt)).allclose(linalg_svdvals(A, nullopt)));
  expect_error("keyword argument `driver=` is only supported on CUDA inputs",
               [&] { linalg_svdvals(A, "gesvd"); });
  expect_error("expected pinned memory for a CUDA device, got cpu",
               [&] { A.pin_memory(Device(kCPU)); });
  EXPECT_EQ(A.is_pinned(Device(kCUDA)), A.is_pinned());
}

}  // namespace
}  // namespace torch::taper::testing
