// The indices of elements that are not zero, their number, and the one-hot rows of indices.
#include <taper/ops/index/index_nonzero.h>

#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/reduce/count_bytes.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

TAPER_OP_CASES(places_of_elements, {
  OpCase c;
  c.name = "nonzero";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool, kComplexFloat};
  c.differentiable = false;
  c.result_dtype = [](ScalarType) { return kLong; };
  // A third of the elements are zeros.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const Sizes& sizes : {Sizes{}, {0}, {5}, {2, 3}, {0, 3}, {3, 2, 4}, {1025}, {33, 31}}) {
      Args a = sample_of({sizes}, t);
      for (int64_t k = 0; k < a.t[0].numel(); k += 3)
        for (int part = 0; part <= int(isComplexType(t)); ++part) set_element(a.t[0], k, 0, part);
      list.push_back(a);
    }
    return list;
  };
  c.call = [](const Args& a) { return Results{nonzero(a.t[0]), argwhere(a.t[0])}; };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Array y({0, x.dim()});
    for_each_index(x.sizes, [&](const Sizes& index) {
      if (x.z(x.position(index)) == 0.0) return;
      ++y.sizes[0];
      y.v.insert(y.v.end(), index.begin(), index.end());
    });
    return Arrays{y, y};
  };
  c.covers = {"argwhere"};
  return std::vector<OpCase>{c};
});

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

TAPER_OP_CASES(places_of_a_given_number, { return std::vector<OpCase>{nonzero_static_case()}; });

Tensor tensor_of(Shape shape, std::vector<double> v, ScalarType dtype = kLong) {
  Array a(std::move(shape));
  a.v = std::move(v);
  return to_tensor(a, dtype);
}
std::vector<double> values(const Tensor& t) { return to_array(t).v; }

TEST(NonzeroTest, CoordinatesInRowMajorOrder) {
  const Tensor x = tensor_of({2, 3}, {0, 2, 0, -1, 0, 0.5}, kFloat);
  EXPECT_EQ(values(x.nonzero()), (std::vector<double>{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(x.t().nonzero().sizes().vec(), (Shape{3, 2}));
  EXPECT_EQ(values(x.t().nonzero()), (std::vector<double>{0, 1, 1, 0, 2, 1}));
  EXPECT_EQ(tensor_of({}, {5}).nonzero().sizes().vec(), (Shape{1, 0}));
  EXPECT_EQ(tensor_of({}, {0}).nonzero().sizes().vec(), (Shape{0, 0}));
  EXPECT_EQ(nonzero_numpy(tensor_of({}, {5})).size(), 1u);
}

TEST(NonzeroTest, LongInputs) {
  Array a(Shape{1000});
  std::vector<double> want;
  for (size_t i = 0; i < 1000; ++i)
    if (i % 7 == 3 || (i > 200 && i < 520)) {
      a.v[i] = 1;
      want.push_back(static_cast<double>(i));
    }
  EXPECT_EQ(values(to_tensor(a, kBool).nonzero()), want);
  EXPECT_EQ(values(to_tensor(a, kHalf).nonzero()), want);
}

TEST(NonzeroTest, StretchesOfZeros) {
  for (const std::vector<double>& want :
       {std::vector<double>{}, {0}, {63, 64, 255, 256, 700}, {64, 128, 319, 320, 998}, {999}}) {
    Array a(Shape{1000});
    for (const double i : want) a.v[static_cast<size_t>(i)] = 1;
    EXPECT_EQ(values(to_tensor(a, kBool).nonzero()), want);
    EXPECT_EQ(values(to_tensor(a, kChar).neg().nonzero()), want);
  }
}

// Lanes count up to 255 vectors: longer runs, and what is left of a vector.
TEST(CountBytes, AnyByteThatIsNot0) {
  constexpr uint8_t kValues[] = {0, 1, 0, 2, 255, 0, 128};
  std::vector<uint8_t> bytes;
  for (const int64_t n : {0, 1, 7, 63, 64, 65, 200, 255 * 64, 255 * 64 + 63, 70001}) {
    bytes.clear();
    int64_t want = 0;
    for (int64_t i = 0; i < n; ++i) {
      bytes.push_back(kValues[i % 7]);
      want += bytes.back() != 0;
    }
    EXPECT_EQ(cpu::count_bytes(bytes.data(), n), want) << n;
  }
  const std::vector<uint8_t> ones(70001, 1);
  EXPECT_EQ(cpu::count_bytes(ones.data(), 70001), 70001);
}

// Numbers: how many classes.
TAPER_OP_CASES(classes, {
  OpCase c;
  c.name = "one_hot";
  c.dtypes = {kLong};
  c.differentiable = false;
  c.samples = [](ScalarType) {
    Random random(3);
    std::vector<Args> list;
    for (const Sizes& sizes : {Sizes{}, {4}, {2, 3}, {1025}, {0}})
      list.push_back({{random_index(sizes, 0, 5, random)}, {5}});
    return list;
  };
  c.call = [](const Args& a) { return one_hot(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    Sizes sizes = a.t[0].sizes;
    sizes.push_back(a.i[0]);
    Array y(sizes);
    for (size_t k = 0; k < a.t[0].v.size(); ++k)
      y.v[k * static_cast<size_t>(a.i[0]) + static_cast<size_t>(a.t[0].v[k])] = 1;
    return y;
  };
  const auto of = [](std::vector<double> v) { return testing::values(std::move(v), kLong); };
  c.errors = {
      error<Error>("one_hot is only applicable to index tensor.", [] { one_hot(numbers({2})); }),
      error<Error>("Class values must be non-negative.",
                   [of] {
                     one_hot(of({-1, 2}));
                   }),
      error<Error>("Class values must be smaller than num_classes.", [of] { one_hot(of({3}), 3); }),
      error<Error>("Can not infer total number of classes from empty tensor.",
                   [of] { one_hot(of({})); })};
  return std::vector<OpCase>{c};
});

TEST(OneHot, ClassesAndErrors) {
  expect_values(one_hot(tensor({0, 2})), {2, 3}, {1, 0, 0, 0, 0, 1});
  expect_values(one_hot(tensor({{1}, {0}}), 2), {2, 1, 2}, {0, 1, 1, 0});
  expect_values(one_hot(tensor(1), 3), {3}, {0, 1, 0});
  EXPECT_EQ(one_hot(zeros({0}, kLong), 3).sizes(), IntArrayRef({0, 3}));
  expect_error("Class values must be smaller than num_classes.", [] {
    one_hot(tensor({1, 5}), 3);
  });
  expect_error("Class values must be non-negative.", [] { one_hot(tensor({-1, 5})); });
  expect_error("one_hot is only applicable to index tensor.", [] { one_hot(tensor({1.})); });
  expect_error("Can not infer total number of classes from empty tensor.",
               [] { one_hot(zeros({0}, kLong)); });
}

}  // namespace
}  // namespace torch::taper::testing
