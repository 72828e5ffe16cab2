#include <taper/ops/index/one_hot.h>

#include <vector>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

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
  const auto of = [](std::vector<double> v) { return values(std::move(v), kLong); };
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
