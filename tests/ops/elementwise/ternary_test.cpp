// addcmul, addcdiv, lerp.
#include <gtest/gtest.h>

#include <taper/framework/runtime/devices.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "harness/devices.h"
#include "harness/pointwise.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Three tensors that broadcast; the first has the result's shape often enough for in-place forms.
OpCase ternary(const char* name, Tensor (*op)(const Args&), Tensor& (*inplace)(const Args&),
               Tensor& (*out)(Tensor&, const Args&), double (*f)(double, double, double)) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType dtype) {
    const Range positive{0.3, 3};
    return std::vector<Args>{sample_of({{}, {}, {}}, dtype, positive),
                             sample_of({{3}, {2, 3}, {2, 1}}, dtype, positive),
                             sample_of({{2, 3}, {3}, {2, 1}}, dtype, positive),
                             sample_of({{0}, {1}, {1}}, dtype, positive),
                             sample_of({{33}, {33}, {33}}, dtype, positive),
                             sample_of({{1025}, {1}, {1025}}, dtype, positive)};
  };
  c.call = op;
  c.inplace = inplace;
  c.out = out;
  c.reference = [f](const ArrayArgs& a) {
    Array z(broadcast(broadcast(a.t[0].sizes, a.t[1].sizes), a.t[2].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      z.at(index) =
          f(a.t[0].broadcast_at(index), a.t[1].broadcast_at(index), a.t[2].broadcast_at(index));
    });
    return z;
  };
  return c;
}

/// lerp with a number: the third tensor is not used.
OpCase lerp_number(const char* name, double (*weight)()) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble};
  c.samples = [](ScalarType dtype) {
    return std::vector<Args>{sample_of({{}, {}}, dtype), sample_of({{2, 3}, {3}}, dtype),
                             sample_of({{3}, {2, 3}}, dtype), sample_of({{0}, {1}}, dtype),
                             sample_of({{1025}, {1025}}, dtype)};
  };
  c.call = [weight](const Args& a) { return lerp(a.t[0], a.t[1], weight()); };
  c.inplace = [weight](const Args& a) { return a.t[0].lerp_(a.t[1], weight()); };
  c.out = [weight](Tensor& z, const Args& a) { return lerp_out(z, a.t[0], a.t[1], weight()); };
  c.reference = [weight](const ArrayArgs& a) {
    Array z(broadcast(a.t[0].sizes, a.t[1].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      const double x = a.t[0].broadcast_at(index), y = a.t[1].broadcast_at(index);
      z.at(index) = x + weight() * (y - x);
    });
    return z;
  };
  return c;
}

/// Rows of whole packs of 16 bytes, for which CUDA has kernels.
OpCase of_rows(OpCase c, size_t operands = 3) {
  c.name += "_rows";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.errors = {};
  c.samples = [operands](ScalarType dtype) {
    const Range positive{0.3, 3};
    std::vector<Args> list{sample_of({{2, 3, 8}, {8}, {3, 1}}, dtype, positive),
                           sample_of({{5, 16}, {5, 1}, {5, 16}}, dtype, positive),
                           sample_of({{16}, {3, 16}, {1}}, dtype, positive)};
    for (Args& a : list) a.t.resize(operands);
    return list;
  };
  return c;
}

TAPER_OP_CASES(ternary_ops, {
  OpCase weighted = ternary(
      "lerp", [](const Args& a) { return lerp(a.t[0], a.t[1], a.t[2]); },
      [](const Args& a) -> Tensor& { return a.t[0].lerp_(a.t[1], a.t[2]); },
      [](Tensor& z, const Args& a) -> Tensor& { return lerp_out(z, a.t[0], a.t[1], a.t[2]); },
      [](double x, double y, double w) { return x + w * (y - x); });
  weighted.errors = {
      error<Error>(
          "expected dtype double for `end` but got dtype float",
          [] { lerp(to_tensor(Array({2}), kDouble), to_tensor(Array({2}), kFloat), 0.5); }),
      error<Error>("\"lerp_kernel_scalar\" not implemented for 'Long'", [] {
        const Tensor x = to_tensor(Array({2}), kLong);
        lerp(x, x, 0.5);
      })};
  OpCase quotient = ternary(
      "addcdiv", [](const Args& a) { return addcdiv(a.t[0], a.t[1], a.t[2], 0.5); },
      [](const Args& a) -> Tensor& { return a.t[0].addcdiv_(a.t[1], a.t[2], 0.5); },
      [](Tensor& z, const Args& a) -> Tensor& {
        return addcdiv_out(z, a.t[0], a.t[1], a.t[2], 0.5);
      },
      [](double x, double y, double z) { return x + 0.5 * y / z; });
  quotient.errors = {error<Error>("Integer division with addcdiv is no longer supported", [] {
    const Tensor x = to_tensor(Array({2}, 1), kLong);
    addcdiv(x, x, x);
  })};
  const OpCase product = ternary(
      "addcmul", [](const Args& a) { return addcmul(a.t[0], a.t[1], a.t[2], 0.5); },
      [](const Args& a) -> Tensor& { return a.t[0].addcmul_(a.t[1], a.t[2], 0.5); },
      [](Tensor& z, const Args& a) -> Tensor& {
        return addcmul_out(z, a.t[0], a.t[1], a.t[2], 0.5);
      },
      [](double x, double y, double z) { return x + 0.5 * y * z; });
  const OpCase by_number = lerp_number("lerp_number", [] { return 0.25; });
  return std::vector<OpCase>{
      product,
      quotient,
      weighted,
      by_number,
      of_rows(product),
      of_rows(quotient),
      of_rows(weighted),
      of_rows(by_number, 2),
      lerp_number("lerp_number_near_the_end", [] { return 0.75; }),
  };
});

Tensor counted(IntArrayRef sizes, double from) {
  return (arange(sizes[0] * sizes[1], kFloat) * 0.5 + from).view(sizes);
}

TEST(Ternary, WritesAStridedFirstOperandInPlace) {
  const Tensor x = counted({3, 4}, 1).t(), a = counted({4, 3}, 2), b = counted({4, 1}, 3);
  const Tensor sum = x + 2 * (a * b), quotient = sum + a / b, at_half = quotient * 0.5 + a * 0.5;
  const void* memory = x.data_ptr();
  x.addcmul_(a, b, 2);
  EXPECT_TRUE(x.allclose(sum));
  x.addcdiv_(a, b);
  EXPECT_TRUE(x.allclose(quotient));
  x.lerp_(a, 0.5);
  EXPECT_TRUE(x.allclose(at_half));
  EXPECT_EQ(x._version(), 3);
  EXPECT_EQ(x.data_ptr(), memory);
}

TEST(Ternary, ValueOfIntegersIsAWholeNumber) {
  const Tensor x = ones({2}, kLong), a = full({2}, 3, kLong);
  EXPECT_TRUE(addcmul(x, a, a, 2.0).equal(full({2}, 19, kLong)));
  EXPECT_TRUE(x.clone().addcmul_(a, a, -1.0).equal(full({2}, -8, kLong)));
  expect_error("addcmul: expected a whole number as value for tensors of integers, got 1.5",
               [&] { addcmul(x, a, a, 1.5); });
}

TEST(Ternary, TakesOperandsOfOtherDtypesAndNumbers) {
  const Tensor x = counted({2, 2}, 1), a = counted({2, 2}, 2);
  const Tensor half = tensor(0.5, kDouble), two = tensor(2);
  EXPECT_TRUE(addcmul(x, a, two).equal(x + a * 2));
  EXPECT_EQ(addcmul(x, a.to(kDouble), half).scalar_type(), kDouble);
  EXPECT_EQ(addcmul(x, a, half).scalar_type(), kFloat);
  EXPECT_TRUE(addcdiv(x, a, half).equal(x + a * 2));
  Tensor rounded = zeros({2, 2}, kHalf);
  EXPECT_TRUE(addcmul_out(rounded, x, a, a).equal((x + a * a).to(kHalf)));
}

TEST(Ternary, ResultsGoIntoOperandsOfOtherShapes) {
  Tensor x = counted({1, 3}, 1);
  const Tensor a = counted({2, 3}, 2), expected = x + a * a;
  addcmul_out(x, x.clone(), a, a);
  EXPECT_TRUE(x.equal(expected));
  Tensor part = counted({4, 2}, 0);
  const Tensor every_second = part.slice(0, 0, 4, 2), next = part.slice(0, 1, 4, 2);
  const Tensor sum = every_second + next * next;
  every_second.addcmul_(next, next);
  EXPECT_TRUE(every_second.equal(sum));
}

TEST(Ternary, ResultsPastTheCachesAreThoseOfTheirParts) {
  const int64_t n = (int64_t{1} << 22) + 37;
  const Tensor x = arange(n, kFloat), a = x * 1e-3, b = x + 1, y = addcdiv(x, a, b, 3);
  const Tensor head = addcdiv(x.narrow(0, 0, 1000), a.narrow(0, 0, 1000), b.narrow(0, 0, 1000), 3);
  const Tensor tail =
      addcdiv(x.narrow(0, n - 99, 99), a.narrow(0, n - 99, 99), b.narrow(0, n - 99, 99), 3);
  EXPECT_TRUE(y.narrow(0, 0, 1000).equal(head));
  EXPECT_TRUE(y.narrow(0, n - 99, 99).equal(tail));
  EXPECT_TRUE(addcdiv(x, a, b[7], 3).allclose(x + a * (3 / b[7].item<float>())));
}

TEST(Lerp, AWeightOfNoDimensionsMayHaveAnotherDtype) {
  const Tensor x = values({1, 2}), weight = values({0.5}, kDouble)[0].detach().requires_grad_();
  const Tensor y = lerp(x, x + 2, weight);
  EXPECT_EQ(y.scalar_type(), kFloat);
  expect_values(y, {2}, {2, 3});
  y.sum().backward();
  EXPECT_EQ(weight.grad().scalar_type(), kDouble);
  EXPECT_EQ(weight.grad().item<double>(), 4);
  EXPECT_THROW(lerp(x, x, values({0.5, 0.5}, kDouble)), Error);
  EXPECT_THROW(lerp(x, x, weight.to(kComplexDouble)), Error);
}

TEST(Add, AnAlphaThatIsNoIntegerIsRefusedForIntegersAlsoWhereItIsOne) {
  const Tensor x = values({1, 2}, kLong);
  EXPECT_THROW(add(x, x, 1.0), Error);
  EXPECT_THROW(sub(x, x, 1.0), Error);
  expect_values(add(x, x, 1), {2}, {2, 4});
  expect_values(add(values({1}), values({2}), 1.0), {1}, {3});
}

TEST(Lerp, WeightsOfIntegersDoNotWrap) {
  const Tensor x = values({1, 2}), y = values({2, 4});
  expect_values(lerp(x, y, full({}, 252, kByte)), {2}, {253, 506});
  expect_values(lerp(x, y, full({}, -128, kChar)), {2}, {-127, -254});
}

// Rows that begin and end anywhere, of which a kernel takes packs where all operands have them.
TEST(CudaKernelsOfWarps, FunctionsOfThreeInRows) {
  TAPER_NEEDS_DEVICES(1);
  const auto computed = [](ScalarType dtype, int64_t length, int64_t first, int64_t width,
                           Device d) {
    const Tensor all = arange(2 * 3 * length, kFloat).remainder(29).view({2, 3, length}).add(1);
    const Tensor x = all.to(dtype).to(d).narrow(2, first, width);
    const Tensor row = x.select(0, 1).narrow(0, 1, 1), column = x.narrow(2, 0, 1);
    std::vector<Tensor> results = {addcmul(x, row, column, 2),
                                   addcmul(row, x, x),
                                   addcdiv(x.contiguous(), row, column),
                                   lerp(x, row, column),
                                   lerp(row, x, 0.25),
                                   x.clamp(optional<Tensor>(row), optional<Tensor>(row + column)),
                                   column.pow(row / 16)};
    const Tensor whole = all.to(dtype).to(d);
    whole.narrow(2, first, width).addcmul_(row, column);
    results.push_back(whole);
    return results;
  };
  for (ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble})
    for (int64_t length : {64, 65})
      for (int64_t first : {0, 1, 2, 8})
        for (int64_t width : {48, 16, 7}) {
          SCOPED_TRACE(::testing::Message()
                       << dtype << " " << length << " " << first << " " << width);
          const auto got = computed(dtype, length, first, width, device_at(0));
          const auto want = computed(dtype, length, first, width, kCPU);
          const double tolerance = dtype == kHalf ? 2e-3 : dtype == kBFloat16 ? 1e-2 : 1e-5;
          for (size_t i = 0; i < want.size(); ++i)
            EXPECT_TRUE(got[i].cpu().allclose(want[i], tolerance, tolerance)) << i;
        }
}

}  // namespace
}  // namespace torch::taper::testing
