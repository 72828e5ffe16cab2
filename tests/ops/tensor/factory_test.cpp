#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Values = std::vector<double>;
using Sizes = std::vector<int64_t>;

void expect_tensor(const Tensor& t, ScalarType dtype, const Sizes& sizes, const Values& values) {
  EXPECT_EQ(t.scalar_type(), dtype);
  EXPECT_EQ(t.sizes().vec(), sizes);
  EXPECT_EQ(values_of(t), values);
  EXPECT_FALSE(t.requires_grad());
}

// ---------------------------------------------------------------- filled
TEST(Factory, FilledWithOneValue) {
  expect_tensor(zeros({2, 2}), kFloat, {2, 2}, {0, 0, 0, 0});
  expect_tensor(zeros({}), kFloat, {}, {0});
  expect_tensor(zeros({0, 3}, kLong), kLong, {0, 3}, {});
  expect_tensor(ones({2}, kInt), kInt, {2}, {1, 1});
  expect_tensor(ones(3), kFloat, {3}, {1, 1, 1});
  expect_tensor(full({2}, 1.5), kFloat, {2}, {1.5, 1.5});
  expect_tensor(full({2}, 3), kLong, {2}, {3, 3});
  expect_tensor(full({2}, true), kBool, {2}, {1, 1});
  expect_tensor(full({2}, 2.5, kDouble), kDouble, {2}, {2.5, 2.5});
  expect_tensor(scalar_tensor(3), kFloat, {}, {3});
  expect_tensor(scalar_tensor(3, kLong), kLong, {}, {3});
  const Tensor large = zeros({1000, 1000});
  for (double v : values_of(large)) ASSERT_EQ(v, 0);
}

TEST(Factory, DefaultDtypeIsUsed) {
  set_default_dtype(kDouble);
  const Tensor a = zeros({1}), b = tensor({1.5}), c = arange(0.5), d = full({1}, 1.5),
               e = full({1}, 1);
  set_default_dtype(kFloat);
  for (const Tensor& t : {a, b, c, d}) EXPECT_EQ(t.scalar_type(), kDouble);
  EXPECT_EQ(e.scalar_type(), kLong);
}

TEST(Factory, RequiresGradMakesALeaf) {
  for (const Tensor& t : {zeros({2}, requires_grad()), empty({2}, requires_grad()),
                          tensor({1.5}, requires_grad()), full({1}, 1.5, requires_grad()),
                          zeros_like(ones({2}), requires_grad()), arange(2.0, requires_grad())}) {
    EXPECT_TRUE(t.requires_grad());
    EXPECT_TRUE(t.is_leaf());
  }
  expect_error("Only Tensors of floating point and complex dtype can require gradients",
               [] { zeros({2}, TensorOptions(kInt).requires_grad(true)); });
}

TEST(Factory, Eye) {
  expect_tensor(eye(2), kFloat, {2, 2}, {1, 0, 0, 1});
  expect_tensor(eye(2, 3, kLong), kLong, {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_tensor(eye(3, 2), kFloat, {3, 2}, {1, 0, 0, 1, 0, 0});
  expect_tensor(eye(1, 4, kBool), kBool, {1, 4}, {1, 0, 0, 0});
  expect_tensor(eye(0), kFloat, {0, 0}, {});
  expect_error("n must be greater or equal to 0, got -1", [] { eye(-1); });
  expect_error("m must be greater or equal to 0, got -1", [] { eye(2, -1); });
}

TEST(Factory, SizesAreChecked) {
  expect_error("Trying to create tensor with negative dimension -1: [2, -1]", [] {
    zeros({2, -1});
  });
  expect_error("Storage size calculation overflowed", [] { zeros({int64_t{1} << 62}); });
  expect_error("", [] { zeros({int64_t{1} << 40, int64_t{1} << 40}); });
}

TEST(Factory, MemoryFormats) {
  EXPECT_EQ(empty({2, 3, 4, 5}, MemoryFormat::ChannelsLast).strides().vec(), Sizes({60, 1, 15, 3}));
  EXPECT_EQ(zeros({2, 3, 4, 5}, MemoryFormat::ChannelsLast).strides().vec(), Sizes({60, 1, 15, 3}));
  EXPECT_EQ(empty({2, 3, 1, 2, 2}, MemoryFormat::ChannelsLast3d).strides().vec(),
            Sizes({12, 1, 12, 6, 3}));
  expect_error("required rank 4 tensor to use channels_last format", [] {
    empty({2, 3}, MemoryFormat::ChannelsLast);
  });
  EXPECT_EQ(empty_strided({2, 3}, {1, 2}).strides().vec(), Sizes({1, 2}));
  expect_error("dimensionality of sizes (2) must match dimensionality of strides (1)", [] {
    empty_strided({2, 3}, {1});
  });
  expect_error("overflowed", [] { empty_strided({2, 3}, {-1, 2}); });
}

TEST(Factory, LikeForms) {
  const Tensor x = zeros({2, 3}, kInt).t();
  for (const Tensor& y : {empty_like(x), zeros_like(x), ones_like(x), full_like(x, 2)}) {
    EXPECT_EQ(y.scalar_type(), kInt);
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_EQ(y.strides(), x.strides());
    EXPECT_FALSE(y.is_alias_of(x));
  }
  expect_tensor(full_like(x, 2.7), kInt, {3, 2}, {2, 2, 2, 2, 2, 2});
  EXPECT_EQ(zeros_like(x, kDouble).scalar_type(), kDouble);
  // Overlapping memory is not imitated.
  EXPECT_EQ(zeros_like(zeros({3}).expand({2, 3})).strides().vec(), Sizes({3, 1}));
  EXPECT_EQ(zeros_like(x, {}, MemoryFormat::Contiguous).strides().vec(), Sizes({2, 1}));
  expect_error("undefined", [] { zeros_like(Tensor()); });
}

TEST(Factory, NewForms) {
  const Tensor x = zeros({2}, kDouble);
  expect_tensor(x.new_zeros({1}), kDouble, {1}, {0});
  expect_tensor(x.new_ones({1}, kInt), kInt, {1}, {1});
  expect_tensor(x.new_full({2}, 7), kDouble, {2}, {7, 7});
  EXPECT_EQ(x.new_empty({3, 1}).scalar_type(), kDouble);
}

// ---------------------------------------------------------------- sequences
TEST(Factory, Arange) {
  expect_tensor(arange(4), kLong, {4}, {0, 1, 2, 3});
  expect_tensor(arange(1, 4), kLong, {3}, {1, 2, 3});
  expect_tensor(arange(5, 0, -2), kLong, {3}, {5, 3, 1});
  expect_tensor(arange(3.0), kFloat, {3}, {0, 1, 2});
  expect_tensor(arange(3, kDouble), kDouble, {3}, {0, 1, 2});
  expect_tensor(arange(0, 2.5, kInt), kInt, {3}, {0, 1, 2});
  expect_tensor(arange(0.5, 4.5, kLong), kLong, {4}, {0, 1, 2, 3});
  expect_tensor(arange(3, kHalf), kHalf, {3}, {0, 1, 2});
  expect_tensor(arange(2, 2), kLong, {0}, {});
  EXPECT_EQ(arange(0, 1, 0.1).numel(), 10);
  const int64_t far = int64_t{1} << 60;
  EXPECT_EQ(arange(far, far + 3)[2].item<int64_t>(), far + 2);
  expect_error("upper bound and larger bound inconsistent with step sign", [] { arange(5, 0); });
  expect_error("step must be nonzero", [] { arange(0, 5, 0); });
  expect_error("unsupported range: 0 -> inf", [] { arange(0, INFINITY); });
  expect_error("unsupported range", [] { arange(NAN, 5); });
  expect_error("\"arange_cpu\" not implemented for 'Bool'", [] { arange(5, kBool); });
}

TEST(Factory, SequencesOfIntegersAreMadeOfWholeNumbers) {
  expect_error("step must be nonzero", [] { arange(0, 5, 0.5, kInt); });
  expect_error("step must be nonzero", [] { range(0, 5, 0.5, kLong); });
  expect_values(arange(0, 5, 1.5, kInt), {4}, {0, 1, 2, 3});
  expect_values(arange(1.5, 1, 1, kInt), {0}, {});
  expect_values(arange(9, 1, -2.5, kLong), {4}, {9, 7, 5, 3});
  expect_values(range(1.5, 5, 1, kLong), {5}, {1, 2, 3, 4, 5});
  expect_values(range(1.5, -2.5, -1, kLong), {4}, {1, 0, -1, -2});
  expect_values(range(-3, 7.3, 2.3, kLong), {6}, {-3, -1, 1, 3, 5, 7});
}

TEST(Factory, RangeLinspaceLogspace) {
  expect_tensor(range(0, 3), kFloat, {4}, {0, 1, 2, 3});
  EXPECT_EQ(range(0, 1, 0.3).numel(), 4);
  expect_tensor(linspace(3, 10, 5), kFloat, {5}, {3, 4.75, 6.5, 8.25, 10});
  expect_tensor(linspace(0, 10, 5, kInt), kInt, {5}, {0, 2, 5, 7, 10});
  expect_tensor(linspace(2, 5, 1), kFloat, {1}, {2});
  expect_tensor(linspace(2, 5, 0), kFloat, {0}, {});
  expect_tensor(logspace(0, 4, 5, 2, kInt), kInt, {5}, {1, 2, 4, 8, 16});
  expect_tensor(logspace(0, 2, 3, 10, kDouble), kDouble, {3}, {1, 10, 100});
  expect_error("number of steps must be non-negative", [] { linspace(0, 1, -1); });
  expect_error("number of steps must be non-negative", [] { logspace(0, 1, -1); });
}

TEST(Factory, LogspaceOfComplexNumbers) {
  const auto expect = [](const Tensor& z, ScalarType dtype, const std::vector<double>& parts) {
    EXPECT_EQ(z.scalar_type(), dtype);
    EXPECT_TRUE(view_as_real(z).to(kDouble).view({-1}).allclose(values(parts, kDouble), 1e-6));
  };
  using Complex = numbers::complex<double>;
  const Complex i(0, 1);
  expect(logspace(i, Complex(1, 2), 2, 10, kComplexDouble), kComplexDouble,
         {std::cos(std::log(10)), std::sin(std::log(10)), 10 * std::cos(2 * std::log(10)),
          10 * std::sin(2 * std::log(10))});
  expect(logspace(i, 2, 3), kComplexFloat,
         {std::cos(std::log(10)), std::sin(std::log(10)), 10 * std::cos(std::log(10) / 2),
          10 * std::sin(std::log(10) / 2), 100, 0});
  expect(logspace(0, 2, 3, -2, kComplexFloat), kComplexFloat, {1, 0, -2, 0, 4, 0});
  expect(logspace(i, 2, 0, 2, kComplexFloat), kComplexFloat, {});
  Tensor y = empty({0}, kComplexFloat);
  expect(logspace_out(y, 0, 1, 2, 3), kComplexFloat, {1, 0, 3, 0});
  EXPECT_TRUE(logspace(i, 2, 3, 2, TensorOptions().requires_grad(true)).is_leaf());
  expect_error("logspace(): inferred dtype ComplexFloat can't be safely cast to passed dtype Float",
               [&] { logspace(i, 2, 3, 2, kFloat); });
}

// PyTorch's values where rounding shows: in the middle of a long range, and past its last group.
TEST(Factory, SequencesRoundAsPyTorch) {
  const Tensor lin = linspace(-1, 1, 20);
  EXPECT_EQ(lin[6].item<double>(), -0.3684210777282714844);
  EXPECT_EQ(lin[10].item<double>(), 0.0526315867900848389);
  EXPECT_EQ(lin[19].item<double>(), 1.0);
  const Tensor r = arange(0, 2, 0.1);
  EXPECT_EQ(r[3].item<float>(), 0.3f);
  EXPECT_EQ(r[13].item<float>(), 1.3f);
  EXPECT_EQ(arange(0, 2, 0.1, kDouble)[3].item<double>(), 0.30000000000000004);
}

// PyTorch computes groups of 32 bytes from their first element, and the rest one by one.
template <class T>
T line_element(int64_t i, int64_t n, double start, double step, bool from_first) {
  constexpr int64_t length = 32 / static_cast<int64_t>(sizeof(T));
  const int64_t whole = n / (2 * length) * (2 * length), g = i < whole ? i / length * length : i;
  const bool forward = from_first || g < n / 2;
  const double end = from_first ? start : -start;  // the tests' lines are symmetric
  const double steps = static_cast<double>(forward ? g : n - 1 - g);
  const T first = static_cast<T>(std::fma(forward ? step : -step, steps, forward ? start : end));
  const double k = static_cast<double>(i - g);
  if (from_first) return static_cast<T>(std::fma(step, k, static_cast<double>(first)));
  const volatile T moved = static_cast<T>(step) * static_cast<T>(k);  // rounded before it is added
  return first + moved;
}

template <class T>
void expect_lines(int64_t n) {
  const ScalarType t = CppTypeToScalarType<T>::value;
  const Tensor lin = linspace(-2.7, 2.7, n, t), range = arange(0.3, 0.3 + 0.1 * (n - 0.5), 0.1, t);
  ASSERT_EQ(range.numel(), n);
  const T end = static_cast<T>(2.7), step = (end + end) / static_cast<T>(n - 1);
  for (int64_t i = 0; i < n; ++i) {
    const T expected =
        line_element<T>(i, n, static_cast<double>(-end), static_cast<double>(step), false);
    ASSERT_EQ(lin.data_ptr<T>()[i], expected) << i << " of " << n;
    ASSERT_EQ(range.data_ptr<T>()[i], line_element<T>(i, n, 0.3, 0.1, true)) << i << " of " << n;
  }
}

TEST(Factory, LinesAreComputedGroupByGroup) {
  for (const int64_t n : {2, 15, 16, 17, 63, 64, 65, 130, 1003, 70001}) {
    expect_lines<float>(n);
    expect_lines<double>(n);
  }
}

TEST(Factory, LinesAreTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor lin = linspace(-1, 3, 100003), range = arange(0, 1, 1e-5);
  set_num_threads(3);
  EXPECT_TRUE(equal(linspace(-1, 3, 100003), lin));
  EXPECT_TRUE(equal(arange(0, 1, 1e-5), range));
  set_num_threads(before);
}

TEST(Factory, TriangleIndices) {
  expect_tensor(tril_indices(3, 4, 1), kLong, {2, 9},
                {0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 1, 0, 1, 2, 0, 1, 2, 3});
  expect_tensor(triu_indices(3, 4, 1), kLong, {2, 6}, {0, 0, 0, 1, 1, 2, 1, 2, 3, 2, 3, 3});
  expect_tensor(tril_indices(2, 2, -5), kLong, {2, 0}, {});
  expect_tensor(triu_indices(2, 2, -5, kInt), kInt, {2, 4}, {0, 0, 1, 1, 0, 1, 0, 1});
  expect_error("row must be non-negative", [] { tril_indices(-1, 2); });
}

// ---------------------------------------------------------------- from memory
TEST(FromBlob, SharesMemory) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  const Tensor t = from_blob(data, {2, 3});
  expect_tensor(t, kFloat, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(t.data_ptr(), data);
  t.fill_(7);
  EXPECT_EQ(data[5], 7);
  int64_t ints[6] = {0, 1, 2, 3, 4, 5};
  expect_tensor(from_blob(ints, {3, 2}, {1, 3}, kLong), kLong, {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_tensor(from_blob(ints, {2, 2}, {0, 2}, kLong), kLong, {2, 2}, {0, 2, 0, 2});
  expect_tensor(from_blob(nullptr, {0}), kFloat, {0}, {});
  EXPECT_TRUE(from_blob(data, {6}, requires_grad()).requires_grad());
}

TEST(FromBlob, DeleterRunsOnceWhenTheLastIsGone) {
  static int calls;
  static void* freed;
  calls = 0;
  double data[2] = {1, 2};
  {
    Tensor view;
    {
      const Tensor t = from_blob(
          data, {2},
          [](void* p) {
            ++calls;
            freed = p;
          },
          kDouble);
      view = t.slice(0, 1);
    }
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(view.item<double>(), 2);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(freed, data);
}

TEST(FromBlob, Errors) {
  float data[2];
  const Tensor given = from_blob(data, {2});
  expect_error("Trying to resize storage that is not resizable", [&] { given.resize_({2000}); });
  EXPECT_EQ(given.sizes(), IntArrayRef({2}));
  EXPECT_EQ(given.resize_({1}).data_ptr(), data);
  expect_error("null pointer", [] { from_blob(nullptr, {2}); });
  expect_error("negative dimension", [&] { from_blob(data, {-1}); });
  expect_error("must match dimensionality of strides", [&] { from_blob(data, {2}, {1, 2}); });
}

// ---------------------------------------------------------------- from numbers
TEST(TensorOf, Numbers) {
  expect_tensor(tensor(1), kLong, {}, {1});
  expect_tensor(tensor(1.5), kFloat, {}, {1.5});
  expect_tensor(tensor(true), kBool, {}, {1});
  expect_tensor(tensor({1, 2}), kLong, {2}, {1, 2});
  expect_tensor(tensor({1.0f, 2.5f}), kFloat, {2}, {1, 2.5});
  expect_tensor(tensor({1.0, 2.5}, kDouble), kDouble, {2}, {1, 2.5});
  expect_tensor(tensor({1, 2}, kInt), kInt, {2}, {1, 2});
  expect_tensor(tensor({1, 255}, kUInt8), kByte, {2}, {1, 255});
  expect_tensor(tensor({true, false}), kBool, {2}, {1, 0});
  expect_tensor(tensor({int64_t{1} << 40}), kLong, {1}, {std::ldexp(1.0, 40)});
  expect_tensor(tensor({static_cast<uint8_t>(3)}), kByte, {1}, {3});
  expect_tensor(tensor({static_cast<int16_t>(3)}), kShort, {1}, {3});
  expect_tensor(tensor(size_t{3}), kLong, {}, {3});
  expect_tensor(tensor({Half(1.5f)}), kHalf, {1}, {1.5});
  expect_tensor(tensor(0.1, kDouble), kDouble, {}, {0.1});
}

TEST(TensorOf, NestedLists) {
  expect_tensor(tensor({{1, 2}, {3, 4}}), kLong, {2, 2}, {1, 2, 3, 4});
  expect_tensor(tensor({{{1.5}, {2.}}, {{3.}, {4.}}, {{5.}, {6.}}}), kFloat, {3, 2, 1},
                {1.5, 2, 3, 4, 5, 6});
  expect_tensor(tensor({{1}}), kLong, {1, 1}, {1});
  expect_tensor(tensor({}), kFloat, {0}, {});
  expect_tensor(tensor({{}, {}}), kFloat, {2, 0}, {});
}

TEST(TensorOf, Arrays) {
  const std::vector<int64_t> longs{1, 2, 3};
  expect_tensor(tensor(longs), kLong, {3}, {1, 2, 3});
  expect_tensor(tensor(IntArrayRef(longs)), kLong, {3}, {1, 2, 3});
  expect_tensor(tensor(std::vector<int>{1, 2}), kLong, {2}, {1, 2});
  expect_tensor(tensor(std::vector<double>{1.5}), kFloat, {1}, {1.5});
  expect_tensor(tensor(std::vector<float>{1.5f}, kDouble), kDouble, {1}, {1.5});
  expect_tensor(tensor(std::vector<bool>{true, false, true}), kBool, {3}, {1, 0, 1});
  expect_tensor(tensor(std::vector<uint8_t>{200}), kByte, {1}, {200});
  expect_tensor(tensor({std::vector<int64_t>{1, 2}, std::vector<int64_t>{3, 4}}), kLong, {2, 2},
                {1, 2, 3, 4});
}

TEST(TensorOf, RaggedOrMixedListsThrow) {
  expect_error(
      "Expected all sub-lists to have sizes: 2 (e.g. {1, 2}), but got sub-list {3} with sizes: 1",
      [] {
        tensor({{1, 2}, {3}});
      });
  expect_error(
      "Expected all elements of the tensor to have the same scalar type: Int, but got element of "
      "scalar type: Double",
      [] {
        tensor({1, 2.5});
      });
  expect_error("without overflow", [] { tensor({1, 300}, kByte); });
}

// How a factory filled a tensor is no change to it.
TEST(Factory, MakesTensorsOfVersionZero) {
  const Tensor x = ones({2});
  for (const Tensor& t : {x, full({2}, 3), scalar_tensor(2), eye(3), arange(3), ones_like(x),
                          full_like(x, 2), x.new_ones({2}), x.new_full({2}, 3), taper::rand({2}),
                          randn({2}), randint(3, {2}), rand_like(x), tensor({1., 2.})})
    EXPECT_EQ(t._version(), 0);
  x.fill_(2);
  EXPECT_EQ(x._version(), 1);
}

TEST(Factory, EmptyPermutedLiesInTheGivenOrder) {
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

TEST(OutForms, FactoriesFillTheGivenTensor) {
  Tensor y = empty({7}, kLong);
  void* const memory = y.data_ptr();
  expect_values(zeros_out(y, {2, 3}), {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_values(ones_out(y, {3}), {3}, {1, 1, 1});
  expect_values(full_out(y, {2}, 9), {2}, {9, 9});
  expect_values(eye_out(y, 2), {2, 2}, {1, 0, 0, 1});
  expect_values(eye_out(y, 1, 2), {1, 2}, {1, 0});
  expect_values(arange_out(y, 3), {3}, {0, 1, 2});
  expect_values(arange_out(y, 5, 1, -2), {2}, {5, 3});
  expect_values(range_out(y, 1, 3), {3}, {1, 2, 3});
  expect_values(linspace_out(y, 0, 4, 3), {3}, {0, 2, 4});
  expect_values(logspace_out(y, 0, 2, 3), {3}, {1, 10, 100});
  EXPECT_EQ(y.data_ptr(), memory);
  EXPECT_EQ(y.scalar_type(), kLong);
  EXPECT_EQ(empty_out(y, {1, 2, 2, 1}, MemoryFormat::ChannelsLast).strides(),
            IntArrayRef({4, 1, 2, 2}));
  Tensor leaf = zeros({2}).requires_grad_();
  expect_error("don't support automatic differentiation", [&] { zeros_out(leaf, {2}); });
  Tensor none;
  expect_error("zeros: expected a defined tensor", [&] { zeros_out(none, {2}); });
}

TEST(TensorOfNumbers, SaysWhichSubListIsOfAnotherShape) {
  expect_error(
      "Expected all sub-lists to have sizes: 2 (e.g. {5, 6}), but got sub-list {7} with sizes: 1",
      [] {
        tensor({{{2, 3, 4}, {{5, 6}, {7}}}});
      });
  expect_error(
      "Expected all sub-lists to have sizes: 1 1 (e.g. {{1}}), but got sub-list {{2}, {3}} with "
      "sizes: 2 1",
      [] {
        tensor({{{1}}, {{2}, {3}}});
      });
}

TEST(TensorOfNumbers, OfComplexOnesIsNotReal) {
  const numbers::complex<double> z(1, 2);
  for (const ScalarType t : {kFloat, kDouble})
    for (const Tensor& list : {ones({1}), ones({2})})
      expect_error("value cannot be converted to type " + std::string(cpp_type_name(t)) +
                       " without overflow",
                   [&] {
                     list.numel() == 1 ? tensor(z, t) : tensor({z, z}, t);
                   });
}

TEST(Spans, GoInAndOut) {
  std::array<float, 3> numbers{1, 2, 3};
  expect_tensor(tensor(numbers), kFloat, {3}, {1, 2, 3});
  expect_tensor(tensor(std::span(numbers).subspan(1)), kFloat, {2}, {2, 3});
  const std::array<int64_t, 2> sizes{2, 1};
  EXPECT_EQ(zeros(sizes).sizes().vec(), (Sizes{2, 1}));
  EXPECT_EQ(zeros(std::span(sizes)).sizes().vec(), (Sizes{2, 1}));
  const Tensor x = ones(sizes, kDouble);
  const std::span<const int64_t> out = x.sizes();
  EXPECT_EQ(out.data(), x.sizes().data());
  for (double& v : as_span<std::span<double>>(x)) v = 4;
  EXPECT_EQ(values_of(x), (Values{4, 4}));
  expect_error("data_ptr: expected scalar type Float but found Double",
               [&] { as_span<std::span<float>>(x); });
  expect_error(
      "as_span: expected a contiguous tensor on the CPU, got one on cpu with sizes [2] "
      "and strides [2]",
      [&] {
        const Tensor column = ones({2, 2}).select(1, 0);
        as_span<std::span<float>>(column);
      });
}

}  // namespace
}  // namespace torch::taper::testing
