// Cases for the harness: choosing by masks.
#include <taper/ops/elementwise/where.h>

#include <gtest/gtest.h>

#include <taper/framework/cuda/map_rows.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

Tensor random_mask(const Shape& sizes, Random& random) {
  Array a(sizes);
  for (double& v : a.v) v = static_cast<double>(random.integer(0, 2));
  return to_tensor(a, kBool);
}

/// A mask and tensors of the given shapes.
Args masked(const Shape& mask, const std::vector<Shape>& shapes, ScalarType dtype) {
  Random random(5);
  Args a;
  for (const Shape& s : shapes) a.t.push_back(random_tensor(s, dtype, {}, random));
  a.t.push_back(random_mask(mask, random));
  return a;
}

std::vector<Args> where_samples(ScalarType t) {
  std::vector<Args> list = {
      masked({}, {{}, {}}, t), masked({0}, {{0}, {1}}, t), masked({3}, {{2, 3}, {2, 1}}, t),
      masked({2, 1, 3}, {{4, 1}, {3}}, t), masked({33, 31}, {{33, 31}, {}}, t),
      masked({33, 31}, {{1}, {33, 31}}, t), masked({31, 35}, {{31, 35}, {31, 35}}, t),
      // rows of whole packs, for which CUDA has kernels
      masked({16}, {{3, 16}, {3, 1}}, t), masked({2, 1, 16}, {{2, 3, 16}, {16}}, t),
      masked({3, 1}, {{1}, {3, 32}}, t)};
  if (t == kFloat) list.push_back(masked({257, 301}, {{257, 301}, {1}}, t));
  return list;
}

std::vector<Args> fill_samples(ScalarType t) {
  std::vector<Args> list = {masked({}, {{}}, t),
                            masked({3}, {{2, 3}}, t),
                            masked({2, 1}, {{2, 0}}, t),
                            masked({1, 31}, {{33, 31}}, t),
                            masked({33, 31}, {{33, 31}}, t),
                            masked({16}, {{3, 16}}, t),
                            masked({3, 1, 1}, {{3, 2, 32}}, t)};
  if (t == kFloat) list.push_back(masked({257, 301}, {{257, 301}}, t));
  return list;
}

OpCase where_case() {
  OpCase c;
  c.name = "where";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kByte};
  c.samples = where_samples;
  c.call = [](const Args& a) { return where(a.t[2], a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(broadcast(broadcast(a.t[0].sizes, a.t[1].sizes), a.t[2].sizes));
    for_each_index(y.sizes, [&](const Shape& at) {
      y.at(at) = (a.t[2].broadcast_at(at) != 0 ? a.t[0] : a.t[1]).broadcast_at(at);
    });
    return y;
  };
  const Tensor x = to_tensor(Array({3}, 1), kFloat);
  c.errors = {error<Error>("where expected condition to be a boolean tensor, but got a tensor with "
                           "dtype Float",
                           [=] { where(x, x, x); }),
              error<Error>("must match the size of tensor b",
                           [=] { where(x.gt(0), x, to_tensor(Array({2}, 1), kFloat)); })};
  return c;
}

OpCase masked_fill_case() {
  OpCase c;
  c.name = "masked_fill";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kByte};
  c.samples = fill_samples;
  c.call = [](const Args& a) { return a.t[0].masked_fill(a.t[1], 3); };
  c.inplace = [](const Args& a) { return a.t[0].masked_fill_(a.t[1], 3); };
  c.fills = true;
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for_each_index(y.sizes, [&](const Shape& at) {
      if (a.t[1].broadcast_at(at) != 0) y.at(at) = 3;
    });
    return y;
  };
  const Tensor x = to_tensor(Array({3}, 1), kFloat);
  c.errors = {
      error<Error>("masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
                   "with 1 dimension(s).",
                   [=] { x.masked_fill(x.gt(0), x); })};
  return c;
}

OpCase masked_fill_tensor_case() {
  OpCase c = masked_fill_case();
  c.name = "masked_fill_tensor";
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType t) {
    std::vector<Args> list = {masked({3}, {{2, 3}, {}}, t), masked({33, 31}, {{33, 31}, {}}, t)};
    return list;
  };
  c.call = [](const Args& a) { return a.t[0].masked_fill(a.t[2], a.t[1]); };
  c.inplace = [](const Args& a) { return a.t[0].masked_fill_(a.t[2], a.t[1]); };
  c.fills = true;
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for_each_index(y.sizes, [&](const Shape& at) {
      if (a.t[2].broadcast_at(at) != 0) y.at(at) = a.t[1].v[0];
    });
    return y;
  };
  c.errors = {};
  return c;
}

OpCase masked_select_case() {
  OpCase c;
  c.name = "masked_select";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = fill_samples;
  c.call = [](const Args& a) { return a.t[0].masked_select(a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(Shape{0});
    for_each_index(broadcast(a.t[0].sizes, a.t[1].sizes), [&](const Shape& at) {
      if (a.t[1].broadcast_at(at) != 0) y.v.push_back(a.t[0].broadcast_at(at));
    });
    y.sizes = {y.numel()};
    return y;
  };
  const Tensor x = to_tensor(Array({3}, 1), kFloat);
  c.errors = {error<Error>("masked_select: expected BoolTensor or ByteTensor for mask",
                           [=] { x.masked_select(x); })};
  return c;
}

OpCase masked_scatter_case() {
  OpCase c;
  c.name = "masked_scatter";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{masked({3}, {{2, 3}, {7}}, t),
                             masked({33, 31}, {{33, 31}, {33, 32}}, t)};
  };
  c.call = [](const Args& a) { return a.t[0].masked_scatter(a.t[2], a.t[1]); };
  c.inplace = [](const Args& a) { return a.t[0].masked_scatter_(a.t[2], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    size_t next = 0;
    for_each_index(y.sizes, [&](const Shape& at) {
      if (a.t[2].broadcast_at(at) != 0) y.at(at) = a.t[1].v[next++];
    });
    return y;
  };
  const Tensor x = to_tensor(Array({3}, 1), kFloat);
  c.errors = {error<Error>("Number of elements of source < number of ones in mask",
                           [=] { x.masked_scatter(x.gt(0), to_tensor(Array({2}, 1), kFloat)); })};
  return c;
}

TAPER_OP_CASES(where_cases, {
  return std::vector<OpCase>{where_case(), masked_fill_case(), masked_fill_tensor_case(),
                             masked_select_case(), masked_scatter_case()};
});

TEST(Where, OfTwoNumbers) {
  Array a({3}, 1);
  a.v[1] = 0;
  const Tensor mask = to_tensor(a, kBool);
  const Tensor y = where(mask, Scalar(3.5), Scalar(-2));
  EXPECT_EQ(y.scalar_type(), kFloat);
  EXPECT_EQ(to_array(y).v, (std::vector<double>{3.5, -2, 3.5}));
  EXPECT_EQ(where(mask, Scalar(7), Scalar(8)).scalar_type(), kLong);
}

// A place in memory is written where the mask is true for any of its elements.
TEST(MaskedFill, OfExpandedTensors) {
  const auto wide = [] { return counting({3}).unsqueeze(0).expand({2, 3}); };
  const Tensor corners = tensor_of({2, 3}, {1, 0, 0, 0, 0, 1}, kBool);
  const std::vector<double> written = {7, 1, 7, 7, 1, 7};
  expect_values(wide().masked_fill_(corners, 7), {2, 3}, written);
  expect_values(wide().masked_fill_(corners, tensor_of({}, {7}, kLong)), {2, 3}, written);
  expect_values(wide().masked_fill_(values({0, 1, 0}, kBool), 7), {2, 3}, {0, 7, 2, 0, 7, 2});
  const Tensor x = counting({3}), rows = x.unsqueeze(0).expand({2, 3});
  const auto version = x._version();
  expect_warning("on expanded tensors is deprecated", [&] { rows.masked_fill_(corners, 7); });
  expect_values(x, {3}, {7, 1, 7});
  EXPECT_GT(x._version(), version);
}

TEST(MaskedFill, OfExpandedTensorsHasNoHistory) {
  const Tensor mask = values({1, 0, 0}, kBool), leaf = counting({3}).requires_grad_();
  const Tensor x = leaf.clone(), rows = x.unsqueeze(0).expand({2, 3});
  const std::string words =
      "masked_fill_: unsupported operation: more than one element of the written-to tensor";
  expect_error(words, [&] { rows.masked_fill_(mask, 7); });
  const Tensor plain = counting({3}), other = plain.unsqueeze(0).expand({2, 3});
  expect_error(words, [&] { other.masked_fill_(mask, ones({}).requires_grad_()); });
  expect_values(x, {3}, {0, 1, 2});
  expect_values(plain, {3}, {0, 1, 2});
}

TEST(Masks, OfBytesWarn) {
  const Tensor x = counting({3}), mask = values({1, 0, 1}, kByte), truth = mask.to(kBool);
  const std::string masked = " received a mask with dtype torch.uint8, this behavior is now ";
  expect_warning("masked_fill_" + masked, [&] { masked_fill(x, mask, 1); });
  expect_warning("masked_fill_" + masked, [&] { x.clone().masked_fill_(mask, zeros({})); });
  expect_warning("masked_scatter_" + masked, [&] { masked_scatter(x, mask, x); });
  expect_warning("masked_select" + masked, [&] { masked_select(x, mask); });
  expect_warning("where received a uint8 condition tensor", [&] { where(mask, x, x); });
  EXPECT_TRUE(warnings_of([&] {
                masked_fill(x, truth, 1);
                masked_select(x, truth);
                where(truth, x, x);
              }).empty());
}

// Four floats are a pack, and so are four bytes of a mask: both must be aligned in all rows.
TEST(CudaKernels, RowsSuitPacksThatAreAligned) {
  alignas(16) static float x[64];
  alignas(16) static uint8_t mask[64];
  struct Rows {
    int64_t first, step;
  };
  const auto suit = [&](int64_t width, Rows of_x, Rows of_mask) {
    Plan<4> plan{3 * width, 2, {width, 3}, {{4, 1, 4, 0}, {4 * of_x.step, of_mask.step, 0, 4}}, {}};
    plan.base[0] = plan.base[2] = plan.base[3] = reinterpret_cast<char*>(x + of_x.first);
    plan.base[1] = reinterpret_cast<char*>(mask + of_mask.first);
    return cuda::rows_suit_packs(plan, {4, 1, 4, 4}, 4);
  };
  EXPECT_TRUE(suit(8, {0, 8}, {0, 8}));
  EXPECT_TRUE(suit(8, {4, 12}, {12, 0}));
  EXPECT_FALSE(suit(7, {0, 8}, {0, 8}));
  EXPECT_FALSE(suit(8, {1, 8}, {0, 8}));
  EXPECT_FALSE(suit(8, {0, 9}, {0, 8}));
  EXPECT_FALSE(suit(8, {0, 8}, {2, 8}));
  EXPECT_FALSE(suit(8, {0, 8}, {0, 9}));
}

// Rows that begin and end anywhere, of which a kernel takes packs where all operands have them.
TEST(CudaKernelsOfWarps, ChoicesInRows) {
  TAPER_NEEDS_DEVICES(1);
  const auto chosen = [](ScalarType dtype, int64_t length, int64_t first, int64_t width, Device d) {
    const auto part = [&](const Tensor& all) { return all.to(d).narrow(2, first, width); };
    const Tensor numbers = arange(2 * 3 * length).view({2, 3, length});
    const Tensor x = part(numbers.remainder(127).to(dtype)),
                 mask = part(numbers.remainder(3).eq(0));
    const Tensor row = x.select(0, 1).narrow(0, 1, 1), column = x.narrow(2, 0, 1);
    std::vector<Tensor> results = {where(mask, x, row),
                                   where(mask, column, x),
                                   where(mask.narrow(2, 0, 1), x, row),
                                   where(mask.select(0, 0), row, Scalar(7)).to(dtype),
                                   where(mask, x.contiguous(), row.contiguous()),
                                   x.masked_fill(mask.select(1, 0).unsqueeze(1), 5)};
    const Tensor whole = numbers.remainder(31).to(dtype).to(d);
    whole.narrow(2, first, width).masked_fill_(mask.select(0, 1), 9);
    results.push_back(whole);
    return results;
  };
  for (ScalarType dtype : {kByte, kHalf, kFloat, kDouble, kComplexDouble})
    for (int64_t length : {64, 65})
      for (int64_t first : {0, 1, 2, 4, 16})
        for (int64_t width : {48, 32, 16, 7}) {
          SCOPED_TRACE(::testing::Message()
                       << dtype << " " << length << " " << first << " " << width);
          const auto got = chosen(dtype, length, first, width, device_at(0));
          const auto want = chosen(dtype, length, first, width, kCPU);
          for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(got[i].cpu().equal(want[i])) << i;
        }
}

}  // namespace
}  // namespace torch::taper::testing
