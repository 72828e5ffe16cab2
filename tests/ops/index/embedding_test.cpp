// What goes with a table of embeddings: rows, their gradient, and rows of bounded norm.
#include <taper/ops/index/embedding.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;
using Sizes = std::vector<int64_t>;

Tensor longs(std::vector<double> v, ScalarType dtype = kLong) {
  Array a(Shape{static_cast<int64_t>(v.size())});
  a.v = std::move(v);
  return to_tensor(a, dtype);
}
Tensor table(int64_t rows, int64_t width, ScalarType dtype = kDouble) {
  Random random(3);
  return random_tensor({rows, width}, dtype, {}, random);
}

std::vector<Args> samples(ScalarType t) {
  std::vector<Args> list;
  Random random(2);
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{3, 5}, Shape{2, 3, 4}})
    list.push_back({{random_tensor({5, 3}, t, {}, random), random_index(shape, 0, 5, random)}});
  list.push_back({{random_tensor({33, 65}, t, {}, random), random_index({1025}, 0, 33, random)}});
  return list;
}

TAPER_OP_CASES(embedding_cases, {
  OpCase c;
  c.name = "embedding";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = samples;
  c.call = [](const Args& a) { return embedding(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Shape shape = a.t[1].sizes;
    shape.push_back(a.t[0].size(1));
    Array y(shape);
    for_each_index(shape, [&](const Shape& at) {
      const Shape index(at.begin(), at.end() - 1);
      y.at(at) = a.t[0].at({static_cast<int64_t>(a.t[1].at(index)), at.back()});
    });
    return y;
  };
  c.errors = {
      error<Error>("'weight' must be 2-D", [] { embedding(longs({1}, kFloat), longs({0})); }),
      error<IndexError>("index out of range in self", [] { embedding(table(3, 2), longs({3})); }),
      error<IndexError>("index out of range in self", [] { embedding(table(3, 2), longs({-1})); }),
      error<Error>("to have one of the following scalar types: Long, Int; but got CPUFloatType",
                   [] { embedding(table(3, 2), longs({0}, kFloat)); }),
      error<NotImplementedError>("expected sparse=false",
                                 [] { embedding(table(3, 2), longs({0}), -1, false, true); })};
  return std::vector<OpCase>{c};
});

TEST(EmbeddingTest, PaddingRowGetsNoGradient) {
  Tensor w = table(4, 2).requires_grad_();
  embedding(w, longs({1, 2, 1, 0}), 1).backward(to_tensor(Array({4, 2}, 1), kDouble));
  const Array g = to_array(w.grad());
  EXPECT_EQ(g.v, (std::vector<double>{1, 1, 0, 0, 1, 1, 0, 0}));
}

TEST(EmbeddingTest, GradientByFrequency) {
  Tensor w = table(3, 1).requires_grad_();
  Array gy(Shape{4, 1});
  gy.v = {1, 2, 6, 5};
  embedding(w, longs({1, 1, 1, 2}), -1, true).backward(to_tensor(gy, kDouble));
  EXPECT_EQ(to_array(w.grad()).v, (std::vector<double>{0, 3, 5}));
}

TEST(EmbeddingTest, Int32Indices) {
  Tensor w = table(4, 3).requires_grad_();
  const Tensor y = embedding(w, longs({3, 0}, kInt));
  EXPECT_EQ(get_element(y, 0), get_element(w, 9));
  y.backward(to_tensor(Array({2, 3}, 1), kDouble));
  EXPECT_EQ(to_array(w.grad()).v, (std::vector<double>{1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
}

// 16-bit gradients: 4096 additions of 0.25 would stop at 512 (half) or 64 (bfloat16).
TEST(EmbeddingTest, HalfGradientsAreSummedInFloat) {
  const Tensor gy = to_tensor(Array({4096, 1}, 0.25), kBFloat16);
  const Tensor g =
      embedding_dense_backward(gy, longs(std::vector<double>(4096, 0.0)), 1, -1, false);
  EXPECT_EQ(g.scalar_type(), kBFloat16);
  EXPECT_EQ(get_element(g, 0), 1024);
}

TEST(EmbeddingTest, RenormScalesLongRowsOnce) {
  Array a(Shape{3, 2});
  a.v = {3, 4, 0.3, 0.4, 6, 8};
  Tensor w = to_tensor(a, kDouble);
  const auto version = w._version();
  embedding_renorm_(w, longs({0, 1, 0}), 1.0);
  EXPECT_GT(w._version(), version);
  EXPECT_NEAR(get_element(w, 0), 0.6, 1e-6);
  EXPECT_NEAR(get_element(w, 1), 0.8, 1e-6);
  EXPECT_EQ(get_element(w, 2), 0.3);
  EXPECT_EQ(get_element(w, 4), 6);
  embedding_renorm_(w, longs({2}), 7.0, 1);
  EXPECT_NEAR(get_element(w, 4), 3, 1e-6);
  EXPECT_NEAR(get_element(w, 5), 4, 1e-6);
  EXPECT_THROW(embedding_renorm_(w, longs({3}), 1.0), IndexError);
}

TEST(EmbeddingTest, RenormOfACopyLeavesTheTable) {
  Array a(Shape{2, 2});
  a.v = {3, 4, 6, 8};
  const Tensor w = to_tensor(a, kDouble), y = embedding_renorm(w, longs({1}), 5.0);
  EXPECT_EQ(get_element(w, 2), 6);
  EXPECT_EQ(get_element(y, 0), 3);
  EXPECT_NEAR(get_element(y, 2), 3, 1e-6);
  EXPECT_NEAR(get_element(y, 3), 4, 1e-6);
}

// Numbers: the rows of the table, the row without a gradient (-1: none), whether by frequency.
TAPER_OP_CASES(gradients_of_tables, {
  OpCase c;
  c.name = "embedding_dense_backward";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(2);
    const auto add = [&](Sizes indices, int64_t width, Sizes numbers_of_case) {
      Sizes gradient = indices;
      gradient.push_back(width);
      list.push_back({{random_tensor(gradient, t, {}, random),
                       random_index(indices, 0, numbers_of_case[0], random)},
                      numbers_of_case});
    };
    add({7}, 3, {5, -1, 0});
    add({3, 4}, 2, {4, 2, 0});
    add({2, 5}, 3, {3, -1, 1});
    add({9}, 1, {4, 0, 1});
    add({}, 2, {3, -1, 0});
    add({0}, 2, {3, -1, 1});
    add({1025}, 65, {33, 5, 0});
    return list;
  };
  c.call = [](const Args& a) {
    return embedding_dense_backward(a.t[0], a.t[1], a.i[0], a.i[1], a.i[2] != 0);
  };
  c.reference = [](const ArrayArgs& a) {
    const int64_t width = a.t[0].size(-1);
    std::map<int64_t, double> uses;
    for (double row : a.t[1].v) ++uses[static_cast<int64_t>(row)];
    Array y({a.i[0], width});
    for (int64_t k = 0; k < a.t[0].numel(); ++k) {
      const auto row = static_cast<int64_t>(a.t[1].v[static_cast<size_t>(k / width)]);
      if (row != a.i[1])
        y.at({row, k % width}) += a.t[0].v[static_cast<size_t>(k)] / (a.i[2] ? uses[row] : 1);
    }
    return y;
  };
  c.tolerance = 16;  // sums of many numbers of both signs cancel
  return std::vector<OpCase>{c};
});

// Numbers: the bound, the order of the norm.
TAPER_OP_CASES(bounded_rows, {
  OpCase c;
  c.name = "embedding_renorm";
  c.dtypes = {kFloat, kDouble, kHalf};
  c.differentiable = false;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(2);
    for (double p : {1.0, 2.0, 3.0})
      for (const Sizes& table : {Sizes{5, 3}, {4, 1}, {33, 65}})
        list.push_back(
            {{random_tensor(table, t, {}, random), random_index({6}, 0, table[0], random)},
             {},
             {2.5, p}});
    list.push_back(
        {{random_tensor({3, 2}, t, {}, random), random_index({0}, 0, 3, random)}, {}, {0.5, 2}});
    return list;
  };
  c.call = [](const Args& a) { return embedding_renorm(a.t[0], a.t[1], a.d[0], a.d[1]); };
  c.inplace = [](const Args& a) {
    Tensor table = a.t[0];
    return embedding_renorm_(table, a.t[1], a.d[0], a.d[1]);
  };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (double row : std::set<double>(a.t[1].v.begin(), a.t[1].v.end())) {
      const auto r = static_cast<int64_t>(row);
      double sum = 0;
      for (int64_t k = 0; k < y.size(1); ++k) sum += std::pow(std::abs(y.at({r, k})), a.d[1]);
      const double norm = std::pow(sum, 1 / a.d[1]);
      for (int64_t k = 0; norm > a.d[0] && k < y.size(1); ++k)
        y.at({r, k}) *= a.d[0] / (norm + 1e-7);
    }
    return y;
  };
  c.tolerance = 2;
  const auto rows = [](std::vector<double> v, ScalarType t = kLong) {
    return values(std::move(v), t);
  };
  c.errors = {
      error<Error>("'self' must be 2-D", [=] { embedding_renorm(numbers({3}), rows({0}), 1); }),
      error<IndexError>("index out of range in self",
                        [=] {
                          embedding_renorm(numbers({3, 2}), rows({3}), 1);
                        }),
      error<Error>("to have one of the following scalar types: Long, Int; but got CPUFloatType",
                   [=] {
                     embedding_renorm(numbers({3, 2}), rows({0}, kFloat), 1);
                   }),
      error<Error>("expected a floating table, got Long", [=] {
        embedding_renorm(numbers({3, 2}, kLong), rows({0}), 1);
      })};
  return std::vector<OpCase>{c};
});

TEST(Embedding, RenormByTheLargestElement) {
  for (ScalarType t : {kFloat, kDouble}) {
    const Tensor w = tensor_of({3, 2}, {3, -4, 1, 1, 0, 8}, t);
    embedding_renorm_(const_cast<Tensor&>(w), values({0, 1}, kLong), 2, INFINITY);
    EXPECT_TRUE(w.allclose(tensor_of({3, 2}, {1.5, -2, 1, 1, 0, 8}, t), 1e-5)) << toString(t);
  }
}

// A table that is split over threads: each adds the rows of its own part.
TEST(Embedding, GradientsOfLargeTables) {
  const int64_t rows = 3000, width = 40;
  const Tensor w = randn({rows, width}).requires_grad_();
  const Tensor at = arange(20000).mul(7919).remainder(rows), g = randn({20000, width});
  embedding(w, at).backward(g);
  const Tensor want = zeros({rows, width}, kDouble).index_add(0, at, g.to(kDouble));
  EXPECT_TRUE(w.grad().to(kDouble).allclose(want, 1e-4, 1e-4));
  w.mutable_grad() = Tensor();
  embedding(w, at, -1, /*scale_grad_by_freq=*/true).backward(g);
  const Tensor often = bincount(at, {}, rows).unsqueeze(1).to(kDouble);
  EXPECT_TRUE(w.grad().to(kDouble).allclose(want / often, 1e-4, 1e-4));
}

// Rows that are named once, several times, or never; the sums are those of floats, rounded once.
TEST(Embedding, GradientsOf16BitsAreThoseOfFloatsRoundedOnce) {
  const int64_t rows = 600, width = 37;
  const Tensor at = arange(700).square().remainder(rows);
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const bool by_frequency : {false, true}) {
      const Tensor g = randn({700, width}).to(t);
      const auto gradient = [&](const Tensor& gy) {
        return embedding_dense_backward(gy, at, rows, 1, by_frequency);
      };
      const Tensor got = gradient(g), want = gradient(g.to(kFloat)).to(t);
      EXPECT_TRUE(got.equal(want)) << toString(t) << ' ' << by_frequency;
      EXPECT_TRUE(got[1].eq(0).all().item<bool>());
    }
}

TEST(Embedding, FrequenciesAreExactInSmallDtypes) {
  const Tensor at = zeros({3000}, kLong);
  for (const ScalarType t : {kHalf, kBFloat16}) {
    const Tensor weight = ones({2, 1}, t).requires_grad_();
    (embedding(weight, at, -1, true).sum({0}) * 1000).backward();
    EXPECT_EQ(weight.grad()[0].item<double>(), 1000) << toString(t);
  }
}

}  // namespace
}  // namespace torch::taper::testing
