// What goes with a table of embeddings, in the harness: its gradient, and rows of bounded norm.
#include <taper/ops/index/embedding.h>

#include <cmath>
#include <map>
#include <set>

#include "test_util.h"

namespace taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

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

}  // namespace
}  // namespace taper::testing
