// Joining tensors: one behind the other, stacks, block diagonals, flat lists.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
using Stack = Tensor (*)(TensorList);

Array concatenated(const std::vector<Array>& xs, int64_t dim) {
  dim = wrapped(dim, xs[0].dim());
  Sizes sizes = xs[0].sizes;
  sizes[dim] = 0;
  for (const Array& x : xs) sizes[dim] += x.sizes[dim];
  Array y{sizes};
  int64_t start = 0;
  for (const Array& x : xs) {
    for_each_index(x.sizes, [&](const Sizes& index) {
      Sizes to = index;
      to[dim] += start;
      y.at(to) = x.at(index);
    });
    start += x.sizes[dim];
  }
  return y;
}

Array with_dim(Array x, int64_t dim) {
  x.sizes.insert(x.sizes.begin() + wrapped(dim, x.dim() + 1), 1);
  return x;
}

OpCase cat_case() {
  OpCase c;
  c.name = "cat";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}, {1}, {33}}, t, {}, {0}),
        sample_of({{2, 3}, {2, 1}, {2, 4}}, t, {}, {1}),
        sample_of({{2, 3, 2}, {5, 3, 2}}, t, {}, {-3}),
        sample_of({{2, 0}, {2, 3}}, t, {}, {-1}),
        sample_of({{0, 3}, {0, 3}}, t, {}, {0}),
        sample_of({{1, 31, 33}, {1, 2, 33}, {1, 1, 33}}, t, {}, {1}),
        sample_of({{2}}, t, {}, {0}),
    };
  };
  c.call = [](const Args& a) { return cat(a.t, a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return cat_out(y, a.t, a.i[0]); };
  c.reference = [](const ArrayArgs& a) { return concatenated(a.t, a.i[0]); };
  c.covers = {"concat", "concatenate"};
  return c;
}

OpCase stack_case() {
  OpCase c;
  c.name = "stack";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{}, {}}, t, {}, {0}),          sample_of({{3}, {3}, {3}}, t, {}, {1}),
        sample_of({{2, 3}, {2, 3}}, t, {}, {-1}), sample_of({{2, 3}, {2, 3}}, t, {}, {1}),
        sample_of({{0}, {0}}, t, {}, {0}),        sample_of({{33, 31}, {33, 31}}, t, {}, {0}),
    };
  };
  c.call = [](const Args& a) { return stack(a.t, a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return stack_out(y, a.t, a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    std::vector<Array> list;
    for (const Array& x : a.t) list.push_back(with_dim(x, a.i[0]));
    return concatenated(list, wrapped(a.i[0], list[0].dim()));
  };
  return c;
}

TAPER_OP_CASES(joins, { return std::vector<OpCase>{cat_case(), stack_case()}; });

TEST(Cat, DtypesPromoteAndGradientsComeBack) {
  const Tensor a = ones({2}, TensorOptions(kFloat).requires_grad(true)), b = arange(3);
  const Tensor y = cat({a, b, ones({1}, TensorOptions(kDouble).requires_grad(true))});
  EXPECT_EQ(y.scalar_type(), kDouble);
  y.backward(arange(6.0, kDouble));
  EXPECT_EQ(a.grad().scalar_type(), kFloat);
  expect_values(a.grad(), {2}, {0, 1});
  expect_values(cat({zeros({2}, kBool), ones({1}, kLong)}), {3}, {0, 0, 1});
}

TEST(Cat, SkipsEmptyVectors) {
  const Tensor x = ones({2, 3}, requires_grad()), none = zeros({0}, requires_grad());
  const Tensor y = cat({none, x, none}, 1);
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 3}));
  y.backward(ones({2, 3}));
  EXPECT_EQ(none.grad().sizes(), IntArrayRef({0}));
  EXPECT_EQ(cat({none, none}).sizes(), IntArrayRef({0}));
}

TEST(Cat, Errors) {
  expect_error("torch.cat(): expected a non-empty list of Tensors", [] { cat({}); });
  expect_error(
      "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
      "tensor "
      "number 1 in the list.",
      [] {
        cat({zeros({2, 3}), zeros({2, 4})});
      });
  expect_error("Tensors must have same number of dimensions: got 2 and 1", [] {
    cat({zeros({2, 3}), zeros({2})});
  });
  expect_error("zero-dimensional tensor (at position 0) cannot be concatenated", [] {
    cat({tensor(1.), tensor(2.)});
  });
  expect_error<IndexError>("Dimension out of range (expected to be in range of [-1, 0], but got 3)",
                           [] {
                             cat({zeros({2}), zeros({2})}, 3);
                           });
  expect_error("undefined", [] { cat({zeros({2}), Tensor()}); });
  expect_error("stack expects a non-empty TensorList", [] { stack({}); });
  expect_error(
      "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1", [] {
        stack({zeros({2}), zeros({3})});
      });
  expect_error<IndexError>("expected to be in range of [-2, 1], but got 5", [] {
    stack({zeros({2}), zeros({2})}, 5);
  });
}

TEST(Cat, ByRank) {
  const Tensor a = arange(2), m = arange(4).view({2, 2});
  expect_values(hstack({a, a}), {4}, {0, 1, 0, 1});
  expect_values(hstack({m, m}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(vstack({a, m}), {3, 2}, {0, 1, 0, 1, 2, 3});
  expect_values(dstack({a, a}), {1, 2, 2}, {0, 0, 1, 1});
  expect_values(hstack({tensor(1), tensor(2)}), {2}, {1, 2});
  EXPECT_EQ(atleast_3d(a).sizes(), IntArrayRef({1, 2, 1}));
}

TEST(Shape, NamesOfNodes) {
  const Tensor x = ones({2, 2}, requires_grad());
  const std::vector<std::pair<std::string, Tensor>> results = {
      {"CatBackward0", cat({x, x})},
      {"StackBackward0", stack({x, x})},
      {"RepeatBackward0", x.repeat({2, 2})},
      {"IndexSelectBackward0", x.repeat_interleave(2, 0)},
      {"FlipBackward0", x.flip({0})},
      {"RollBackward0", x.roll(1)},
      {"TrilBackward0", x.tril()},
      {"TriuBackward0", x.triu()},
      {"DiagBackward0", x.diag()},
      {"TraceBackward0", x.trace()},
      {"ConstantPadNdBackward0", pad(x, {1, 1})},
      {"ReflectionPad1DBackward0", pad(x, {1, 1}, "reflect")},
      {"ReplicationPad1DBackward0", pad(x, {1, 1}, "replicate")},
  };
  for (const auto& [name, y] : results) EXPECT_EQ(y.grad_fn()->name(), name);
}

TEST(Cat, RowsOfOneElement) {
  for (const ScalarType dtype : {kFloat, kLong, kByte}) {
    const Tensor a = counting({5, 1}, dtype), b = counting({5, 1}, dtype, 10);
    EXPECT_EQ(values_of(cat({a, b, a}, 1)),
              (std::vector<double>{0, 10, 0, 1, 11, 1, 2, 12, 2, 3, 13, 3, 4, 14, 4}));
    EXPECT_EQ(values_of(stack({a.view({5}), b.view({5})}, 1)), values_of(cat({a, b}, 1)));
  }
}

/// With at least `rank` dimensions: a vector is a row, and of three dimensions the middle one.
Array at_least(const Array& x, int64_t rank) {
  Sizes sizes = x.sizes;
  if (sizes.empty()) sizes = {1};
  if (rank > 1 && sizes.size() == 1) sizes = {1, sizes[0]};
  if (rank > 2 && sizes.size() == 2) sizes.push_back(1);
  return reshaped(x, sizes);
}

TAPER_OP_CASES(dimensions_at_least, {
  std::vector<OpCase> list;
  Tensor (*const ops[])(const Tensor&) = {&atleast_1d, &atleast_2d, &atleast_3d};
  for (int64_t rank = 1; rank <= 3; ++rank) {
    const auto op = ops[rank - 1];
    list.push_back(view_case(
        "atleast_" + std::to_string(rank) + "d",
        {{{}}, {{3}}, {{2, 3}}, {{2, 3, 2}}, {{2, 1, 3, 2}}, {{0}}},
        [op](const Tensor& x, const Sizes&) { return op(x); },
        [rank](const Array& x, const Sizes&) { return at_least(x, rank); }));
  }
  return list;
});
Array joined(const std::vector<Array>& xs, size_t dim) {
  Sizes sizes = xs[0].sizes;
  sizes[dim] = 0;
  for (const Array& x : xs) sizes[dim] += x.sizes[dim];
  Array y(sizes);
  int64_t start = 0;
  for (const Array& x : xs) {
    for_each_index(x.sizes, [&](Sizes index) {
      const auto p = x.position(index);
      index[dim] += start;
      if (x.im.empty())
        y.at(index) = x.v[static_cast<size_t>(p)];
      else
        y.set_z(y.position(index), x.z(p));
    });
    start += x.sizes[dim];
  }
  return y;
}
OpCase stack_by_rank_case(std::string name, std::vector<std::vector<Sizes>> samples, Stack op,
                          std::function<Array(const Array&)> prepared, size_t dim) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kBool, kComplexFloat};
  c.samples = [samples = std::move(samples)](ScalarType t) {
    std::vector<Args> list;
    for (const auto& sizes : samples) list.push_back(sample_of(sizes, t));
    return list;
  };
  c.call = [op](const Args& a) { return op(a.t); };
  c.reference = [prepared = std::move(prepared), dim](const ArrayArgs& a) {
    std::vector<Array> list;
    for (const Array& x : a.t) list.push_back(prepared(x));
    return joined(list, std::min(dim, list[0].sizes.size() - 1));
  };
  if (c.name == "row_stack") c.covers = {"vstack"};  // of which it is another name
  c.errors = {
      error<Error>((c.name == "row_stack" ? "vstack" : c.name) + " expects a non-empty TensorList",
                   [op] { op(std::vector<Tensor>{}); }),
      error<Error>("Sizes of tensors must match except in dimension", [op] {
        op({numbers({2, 3, 4}), numbers({3, 4, 5})});
      })};
  return c;
}
std::function<Array(const Array&)> of_rank(int64_t rank) {
  return [rank](const Array& x) { return at_least(x, rank); };
}

TAPER_OP_CASES(stacks, {
  const std::vector<std::vector<Sizes>> rows = {
      {{3}, {2, 3}, {1, 3}}, {{}, {}}, {{2, 2, 3}, {1, 2, 3}}, {{0, 3}, {3}}, {{4}}};
  // Vectors become columns; numbers too.
  const auto column = [](const Array& x) { return x.dim() <= 1 ? reshaped(x, {x.numel(), 1}) : x; };
  OpCase vertical = stack_by_rank_case("vstack", rows, &vstack, of_rank(2), 0);
  return std::vector<OpCase>{
      stack_by_rank_case(
          "hstack", {{{3}, {2}, {0}}, {{}, {2}}, {{2, 3}, {2, 1}}, {{2, 1, 3}, {2, 2, 3}}, {{4}}},
          &hstack, of_rank(1), 1),
      vertical, stack_by_rank_case("row_stack", rows, &row_stack, of_rank(2), 0),
      stack_by_rank_case("dstack",
                         {{{3}, {3}}, {{}, {}}, {{2, 3}, {2, 3, 2}}, {{2, 1, 3, 2}, {2, 1, 1, 2}}},
                         &dstack, of_rank(3), 2),
      stack_by_rank_case("column_stack",
                         {{{3}, {3, 2}}, {{}, {}}, {{2, 3}, {2, 1}}, {{2, 1, 2}, {2, 3, 2}}},
                         &column_stack, column, 1)};
});

TAPER_OP_CASES(blocks_on_the_diagonal, {
  OpCase blocks;
  blocks.name = "block_diag";
  blocks.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {4}, {}}, t), sample_of({{1, 1}, {0, 2}}, t)};
  };
  blocks.call = [](const Args& a) { return block_diag(a.t); };
  blocks.reference = [](const ArrayArgs& a) {
    int64_t rows = 0, columns = 0;
    std::vector<Array> parts = a.t;
    for (Array& p : parts) {
      while (p.sizes.size() < 2) p.sizes.insert(p.sizes.begin(), 1);
      rows += p.sizes[0];
      columns += p.sizes[1];
    }
    Array y({rows, columns});
    int64_t row = 0, column = 0;
    for (const Array& p : parts) {
      for_each_index(p.sizes, [&](const auto& at) {
        y.at({row + at[0], column + at[1]}) = p.at(at);
      });
      row += p.sizes[0];
      column += p.sizes[1];
    }
    return y;
  };
  return std::vector<OpCase>{blocks};
});

TAPER_OP_CASES(flat_lists_of_tensors, {
  OpCase join;
  join.name = "flatten_dense_tensors";
  join.dtypes = {kFloat, kDouble, kLong};
  join.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {}, {0}, {4}}, t), sample_of({{3}}, t)};
  };
  join.call = [](const Args& a) { return flatten_dense_tensors(a.t); };
  join.reference = [](const ArrayArgs& a) {
    Array y({0});
    for (const Array& x : a.t) y.v.insert(y.v.end(), x.v.begin(), x.v.end());
    y.sizes = {static_cast<int64_t>(y.v.size())};
    return y;
  };
  join.is_view = true;  // of one tensor
  return std::vector<OpCase>{join};
});

// The first tensor is the flat one.
TAPER_OP_CASES(tensors_of_a_flat_list, {
  OpCase c;
  c.name = "unflatten_dense_tensors";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{7}, {2, 3}, {}}, t), sample_of({{4}, {4}}, t),
                             sample_of({{6}, {2, 1}, {0}, {2}}, t)};
  };
  c.call = [](const Args& a) {
    return unflatten_dense_tensors(a.t[0], TensorList(a.t.data() + 1, a.t.size() - 1));
  };
  c.reference = [](const ArrayArgs& a) {
    Arrays list;
    int64_t at = 0;
    for (size_t k = 1; k < a.t.size(); ++k) {
      list.push_back(reshaped(part_of(a.t[0], 0, at, a.t[k].numel()), a.t[k].sizes));
      at += a.t[k].numel();
    }
    return list;
  };
  c.inputs_without_gradient = {1, 2, 3};
  c.is_view = true;
  c.errors = {error<Error>("exceeds dimension size (3)", [] {
    unflatten_dense_tensors(numbers({3}), {numbers({2}), numbers({2})});
  })};
  return std::vector<OpCase>{c};
});

TEST(Cat, FlattenListsAndBack) {
  const Tensor a = counting({2, 2}), none = zeros({0, 3}), b = values({7});
  const Tensor flat = flatten_dense_tensors({a.t(), none, b});
  expect_values(flat, {5}, {0, 2, 1, 3, 7});
  const std::vector<Tensor> parts = unflatten_dense_tensors(flat, {a, none, b});
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[0], {2, 2}, {0, 2, 1, 3});
  EXPECT_EQ(parts[1].sizes(), IntArrayRef({0}));
  EXPECT_TRUE(parts[2].equal(b) && parts[2].is_alias_of(flat));
  EXPECT_THROW(unflatten_dense_tensors(flat, {a, a}), Error);
  EXPECT_THROW(flatten_dense_tensors({}), Error);
}

TEST(OutForms, OfJoinsConvertAndShareNothing) {
  const Tensor a = values({1, 2}), b = values({3}, kDouble);
  Tensor y = values({}), ints = values({}, kLong), same = a.clone();
  expect_values(cat_out(y, {a, b}), {3}, {1, 2, 3});
  EXPECT_EQ(y.scalar_type(), kFloat);
  expect_values(stack_out(y, {a, a}, 1), {2, 2}, {1, 1, 2, 2});
  expect_error("torch.cat(): input types can't be cast to the desired output type Long", [&] {
    cat_out(ints, {a, a});
  });
  expect_error("refer to a single memory location", [&] { stack_out(same, {same, a}); });
  expect_values(same, {2}, {1, 2});
  expect_error("cat(): functions with out=... arguments don't support", [&] {
    cat_out(y, {a, values({1}).requires_grad_()});
  });
}

// On both sides of the sizes at which rows are copied one by one, several or in pieces of the
// whole.
TEST(Cat, OfRowsOfAnyLength) {
  for (int64_t n : {1, 31, 680, 683, 1000, 1365, 1366, 3000})
    for (int64_t rows : {7, 9, 40}) {
      const Tensor x = arange(rows * n, kFloat).view({rows, n}), y = x.narrow(1, 0, (n + 1) / 2);
      const Tensor joined = cat({x, y, x}, 1);
      const int64_t half = y.size(1);
      EXPECT_TRUE(joined.narrow(1, 0, n).equal(x)) << n << ' ' << rows;
      EXPECT_TRUE(joined.narrow(1, n, half).equal(y)) << n << ' ' << rows;
      EXPECT_TRUE(joined.narrow(1, n + half, n).equal(x)) << n << ' ' << rows;
    }
}

// Short rows in a result that no cache holds.
TEST(LargeResults, OfJoinedShortRowsHaveEveryElement) {
  const Tensor x = arange(8000 * 600, kFloat).view({8000, 600}), y = cat({x, x}, 1);
  EXPECT_TRUE(y.narrow(1, 0, 600).equal(x) && y.narrow(1, 600, 600).equal(x));
}

}  // namespace
}  // namespace torch::taper::testing
