// Products of matrices that have ways of their own: of integers, with few columns, tiny ones.
#include <tuple>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "test_util.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------- integers
TEST(IntegerProducts, AreExactInAnyLayoutAndWrap) {
  for (const ScalarType t : {kLong, kInt, kShort, kChar})
    for (const auto& [m, n, k] : {std::tuple{5, 7, 3}, {20, 70, 130}, {130, 9, 600}, {1, 40, 50}}) {
      const Tensor a = numbers({m, k}).to(t), b = numbers({k, n}).to(t);
      const Tensor exact = a.to(kDouble).mm(b.to(kDouble)).to(kLong).to(t);
      EXPECT_TRUE(a.mm(b).equal(exact)) << toString(t) << m;
      EXPECT_TRUE(a.t().contiguous().t().mm(b.t().contiguous().t()).equal(exact)) << toString(t);
      EXPECT_TRUE(addmm(exact, a, b, 3, -2).equal(exact)) << toString(t);
    }
  const Tensor most = full({9, 17}, INT64_MAX, kLong);
  EXPECT_TRUE(most.mm(most.t()).equal(full({9, 9}, 17, kLong)));
  EXPECT_TRUE(full({3, 2}, 127, kChar).mm(full({2, 3}, 127, kChar)).equal(full({3, 3}, 2, kChar)));
}

TEST(IntegerProducts, AreTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const Tensor a = counting({300, 200}, kLong), b = counting({200, 150}, kLong);
  set_num_threads(1);
  const Tensor one = a.mm(b);
  set_num_threads(3);
  EXPECT_TRUE(a.mm(b).equal(one));
  set_num_threads(before);
}

// ---------------------------------------------------------------- few columns
// Several rows go in one vector where nothing lies between them.
TEST(FewColumns, OfAnyNumberOfRowsAndLayout) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const auto& [k, n] : {std::tuple{2, 2}, {3, 3}, {4, 4}, {2, 3}, {3, 8}, {8, 8}, {5, 5}})
      for (const int64_t m : {16, 17, 31, 100}) {
        SCOPED_TRACE(m);
        const Tensor a = numbers({m, k}, t), b = numbers({k, n}, t), c = numbers({m, n}, t);
        const Tensor exact = (a.unsqueeze(2) * b.unsqueeze(0)).sum(1);
        EXPECT_TRUE(a.mm(b).allclose(exact, 1e-5, 1e-5));
        EXPECT_TRUE(a.mm(b.t().contiguous().t()).allclose(exact, 1e-5, 1e-5));
        EXPECT_TRUE(
            numbers({m, k + 1}, t).narrow(1, 0, k).copy_(a).mm(b).allclose(exact, 1e-5, 1e-5));
        EXPECT_TRUE(addmm(c, a, b, 1, -2).allclose(c - 2 * exact, 1e-5, 1e-5));
        EXPECT_TRUE(linear(a, b.t(), c[0]).allclose(exact + c[0], 1e-5, 1e-5));
      }
}

// Columns that are each a product with a vector, by rows that stay near.
TEST(FewColumns, OfLongRows) {
  const int before = get_num_threads();
  for (const ScalarType t : {kFloat, kDouble})
    for (const auto& [m, n, k] :
         {std::tuple{12, 2, 32}, {97, 3, 33}, {1000, 2, 64}, {3001, 3, 150}}) {
      const Tensor a = numbers({m, k}, t), b = numbers({k, n}, t), c = numbers({m, n}, t);
      set_num_threads(1);
      const Tensor y = a.mm(b), exact = (a.unsqueeze(2) * b.unsqueeze(0)).sum(1);
      EXPECT_TRUE(y.allclose(exact, 1e-4, 1e-4)) << m;
      EXPECT_TRUE(a.mm(b.t().contiguous().t()).allclose(exact, 1e-4, 1e-4)) << m;
      EXPECT_TRUE(addmm(c, a, b, 1, -2).allclose(c - 2 * exact, 1e-4, 1e-4)) << m;
      set_num_threads(3);
      EXPECT_TRUE(a.mm(b).equal(y)) << m;
    }
  set_num_threads(before);
}

// Products that are over before a tile has been chosen.
TEST(Matmul, EveryRowBeginsAsTheBias) {
  manual_seed(0);
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {7, 1}, {1, 5}, {300, 7}, {33, 1500}, {2000, 3}})
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
      const Tensor x = rand({rows, 4}).to(dtype), w = rand({columns, 4}).to(dtype),
                   bias = rand({columns}).to(dtype);
      const Tensor want = mm(x.to(kDouble), w.to(kDouble).t()) + bias.to(kDouble);
      const double close = dtype == kBFloat16 ? 0.05 : 1e-5;
      for (const Tensor& y :
           {linear(x, w, bias), addmm(bias, x, w.t()), addmm(bias.unsqueeze(0), x, w.t()),
            addmm(bias.expand({rows, columns}), x, w.t())})
        EXPECT_LE((y.to(kDouble) - want).abs().max().item<double>(), close)
            << rows << "x" << columns << " of " << toString(dtype);
    }
}

TEST(TinyProducts, InBatchesAndAlone) {
  for (const auto& [m, n, k] : {std::tuple{3, 1, 3}, {3, 3, 3}, {2, 2, 2}, {1, 1, 36}, {4, 3, 3}}) {
    const Tensor a = numbers({19, m, k}, kDouble), b = numbers({19, k, n}, kDouble);
    const Tensor exact = (a.unsqueeze(-1) * b.unsqueeze(1)).sum(2);
    EXPECT_LT((a.bmm(b) - exact).abs().max().item<double>(), 1e-13);
    EXPECT_LT((a[4].mm(b[4]) - exact[4]).abs().max().item<double>(), 1e-13);
    EXPECT_LT((a[4].t().contiguous().t().mm(b[4]) - exact[4]).abs().max().item<double>(), 1e-13);
    EXPECT_LT((baddbmm(exact, a, b, 2, -2)).abs().max().item<double>(), 1e-13);
  }
}

}  // namespace
}  // namespace taper::testing
