// Products of matrices: what a case cannot say, and those that have ways of their own.
#include <limits>
#include <tuple>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/repeat.h>
#include <taper/ops/tensor/view.h>

#include "harness/devices.h"
#include "harness/guarded_memory.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

TEST(Matmul, AddmmWithGeluIsExactOnTheCpuAndByTanhOnCuda) {
  for (const Device& device : {Device(kCPU), device_at(0)})
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      const auto make = [&](std::vector<int64_t> sizes) {
        return numbers(sizes, dtype).to(device);
      };
      const Tensor b = make({33}), x = make({7, 5}), w = make({5, 33});
      const char* form = device.is_cpu() ? "none" : "tanh";
      const Tensor want = gelu(addmm(b, x, w), form);
      const double tolerance = isReducedFloatingType(dtype) ? 1e-2 : 1e-5;
      EXPECT_TRUE(_addmm_activation(b, x, w, 1, 1, true).allclose(want, tolerance, tolerance))
          << device << dtype;
      const Tensor leaf = w.clone().requires_grad_();
      const Tensor y = _addmm_activation(b, x, leaf, 1, 1, true);
      EXPECT_TRUE(y.allclose(want, tolerance, tolerance));
      const Tensor other = w.clone().requires_grad_();
      y.sum().backward();
      gelu(addmm(b, x, other), form).sum().backward();
      EXPECT_TRUE(leaf.grad().equal(other.grad()));
    }
}

// The gradient of a relu is that of the ops, from the result alone.
TEST(Matmul, AddmmWithReluHasTheGradientsOfTheOps) {
  for (const Device& device : {Device(kCPU), device_at(0)}) {
    const auto make = [&](std::vector<int64_t> sizes) {
      return numbers(sizes, kDouble).to(device).requires_grad_();
    };
    const Tensor b = make({33}), x = make({7, 5}), w = make({5, 33});
    const auto gradients = [&](bool in_one_go) {
      const Tensor y = in_one_go ? _addmm_activation(b, x, w, 2, 3) : addmm(b, x, w, 2, 3).relu();
      if (in_one_go) EXPECT_EQ(y.grad_fn()->name(), "AddmmActivationBackward0");
      const std::vector<Tensor> first =
          autograd::grad({y.square().sum()}, {b, x, w}, {}, true, true);
      std::vector<Tensor> all =
          autograd::grad({first[0].square().sum() + first[1].square().sum()}, {b, x, w});
      all.insert(all.end(), first.begin(), first.end());
      return all;
    };
    const std::vector<Tensor> got = gradients(true), want = gradients(false);
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(got[i].allclose(want[i], 1e-12, 1e-12)) << device << i;
  }
}

TEST(Matmul, BetaZeroIgnoresNaN) {
  const Tensor self = numbers({2, 2}).mul(std::numeric_limits<double>::quiet_NaN());
  const Tensor y = addmm(self, numbers({2, 3}), numbers({3, 2}), 0, 1);
  EXPECT_TRUE(y.equal(mm(numbers({2, 3}), numbers({3, 2}))));
}

TEST(Matmul, InPlaceChangesItsTensor) {
  Tensor self = numbers({2, 2});
  const Tensor before = self.clone(), a = numbers({2, 3}), b = numbers({3, 2});
  const int64_t version = self._version();
  self.addmm_(a, b, 2, 3);
  EXPECT_TRUE(self.allclose(before.mul(2).add(mm(a, b), 3), 1e-5, 1e-5));
  EXPECT_GT(self._version(), version);
  EXPECT_THROW(numbers({2}).addmm_(a, b), Error);
}

TEST(Matmul, NodesHaveThePeersNames) {
  const auto leaf = [](const std::vector<int64_t>& sizes) {
    return numbers(sizes).requires_grad_();
  };
  EXPECT_EQ(mm(leaf({2, 3}), leaf({3, 2})).grad_fn()->name(), "MmBackward0");
  EXPECT_EQ(bmm(leaf({2, 2, 3}), leaf({2, 3, 2})).grad_fn()->name(), "BmmBackward0");
  EXPECT_EQ(mv(leaf({2, 3}), leaf({3})).grad_fn()->name(), "MvBackward0");
  EXPECT_EQ(dot(leaf({3}), leaf({3})).grad_fn()->name(), "DotBackward0");
  EXPECT_EQ(addmm(leaf({2}), leaf({2, 3}), leaf({3, 2})).grad_fn()->name(), "AddmmBackward0");
  EXPECT_EQ(linear(leaf({2, 3}), leaf({4, 3}), leaf({4})).grad_fn()->name(), "AddmmBackward0");
}

// The same matrix in another layout: transposed in memory, a part of wider rows, or every second
// element of a row.
Tensor laid_out(const Tensor& a, int layout) {
  if (layout == 1) return a.t().contiguous().t();
  if (layout == 0) return a;
  const Tensor wide = zeros({a.size(0), 2 * a.size(1) + 3}, a.options());
  const Tensor part = wide.slice(1, 3, 3 + (layout - 1) * a.size(1), layout - 1);
  part.copy_(a);
  return part;
}

// Sizes around whole vectors, and around the rows that are taken together.
TEST(Matmul, OneRowOrColumnOfEverySizeAndLayout) {
  for (ScalarType dtype : {kFloat, kDouble})
    for (int64_t n : {1, 2, 5, 8, 16, 19, 33, 70})
      for (int64_t k : {1, 3, 8, 17, 32, 67, 270})
        for (int layout = 0; layout < 4; ++layout) {
          const Tensor a = randn({n, k}, dtype), x = randn({k}, dtype), before = randn({n}, dtype);
          const Tensor want = (a.to(kDouble) * x.to(kDouble)).sum(1), A = laid_out(a, layout);
          const double tolerance = dtype == kFloat ? 1e-4 : 1e-12;
          const auto close = [&](const Tensor& y, const Tensor& expected) {
            EXPECT_TRUE(y.to(kDouble).allclose(expected, tolerance, tolerance))
                << dtype << n << "x" << k << " layout " << layout;
          };
          const Tensor strided = laid_out(x.unsqueeze(0), 3).squeeze(0);
          close(mv(A, x), want);
          close(mv(A, strided), want);
          close(mm(strided.unsqueeze(0), A.t()).squeeze(0), want);
          close(mm(A, x.unsqueeze(1)).squeeze(1), want);
          close(addmv(before, A, x, 2, 3), before.to(kDouble) * 2 + want * 3);
          close(bmm(A.expand({3, n, k}), x.view({k, 1}).expand({3, k, 1})).select(0, 2).squeeze(1),
                want);
          close(dot(a.select(0, n - 1), x), want.select(0, n - 1));
        }
}

TEST(Matmul, ThreadsShareVectorProductsReproducibly) {
  manual_seed(0);
  const int before = get_num_threads();
  for (const auto& [n, k] :
       std::vector<std::pair<int64_t, int64_t>>{{3001, 130}, {130, 3001}, {7, 60001}, {60001, 7}}) {
    const Tensor a = randn({n, k}), b = randn({k, n}).t(), x = randn({k}),
                 long_one = randn({300001});
    const auto products = [&] { return std::vector{mv(a, x), mv(b, x), dot(long_one, long_one)}; };
    set_num_threads(1);
    const auto one = products();
    set_num_threads(3);
    const auto three = products(), again = products();
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(three[i].allclose(one[i], 1e-4, 1e-4)) << n << "x" << k << " " << i;
      EXPECT_TRUE(three[i].equal(again[i])) << n << "x" << k << " " << i;
    }
  }
  set_num_threads(before);
}

// ---------------------------------------------------------------- 16-bit floats with a vector
// The matrix becomes floats block by block: rows and columns around the blocks' ends.
void expect_narrow_mv(const Tensor& a, const Tensor& x) {
  const Tensor exact = a.to(kDouble).mv(x.to(kDouble));
  const Tensor size = a.to(kDouble).abs().mv(x.to(kDouble).abs());
  const double unit = a.scalar_type() == kHalf ? 1.0 / 1024 : 1.0 / 128;
  const auto check = [&](const Tensor& y) {
    EXPECT_EQ(y.scalar_type(), a.scalar_type());
    EXPECT_LE(
        ((y.to(kDouble) - exact).abs() - exact.abs() * unit - size * 1e-5).max().item<double>(), 0)
        << toString(a.scalar_type()) << a.sizes();
  };
  check(a.mv(x));
  check(x.unsqueeze(0).mm(a.t()).squeeze(0));
  Tensor out = zeros({a.size(0), 2}, a.options());
  out.select(1, 1).copy_(a.mv(x));
  check(out.select(1, 1));
  const Tensor twice = addmv(a.mv(x), a, x, 1, -1);
  EXPECT_LE((twice.to(kDouble).abs() - exact.abs() * unit - size * 1e-5).max().item<double>(), 0);
}

TEST(NarrowFloats, ProductsWithAVector) {
  const std::vector<std::vector<int64_t>> shapes = {{1, 1},     {5, 3},    {16, 512}, {17, 513},
                                                    {37, 1100}, {600, 20}, {1030, 33}};
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const auto& s : shapes) {
      const Tensor a = numbers(s).to(t), x = numbers({s[1]}).to(t);
      expect_narrow_mv(a, x);
      expect_narrow_mv(a.t().contiguous().t(), x);
      expect_narrow_mv(a, numbers({s[1], 2}).to(t).select(1, 0));
      expect_narrow_mv(numbers({s[0], s[1], 2}).to(t).select(2, 1), x);
    }
}

TEST(NarrowFloats, ProductsWithAVectorAreTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const Tensor a = numbers({1000, 1100}).to(kBFloat16), x = numbers({1100}).to(kBFloat16);
  set_num_threads(1);
  const Tensor rows = a.mv(x), columns = a.t().mv(x.slice(0, 0, 1000));
  set_num_threads(3);
  EXPECT_TRUE(equal(a.mv(x), rows));
  EXPECT_TRUE(equal(a.t().mv(x.slice(0, 0, 1000)), columns));
  set_num_threads(before);
}

// Whole numbers whose sums f32 holds: the result is the exact one, rounded once.
Tensor small_integers(const std::vector<int64_t>& sizes, ScalarType t) {
  return randint(-4, 5, sizes, kLong).to(t);
}

// Odd lengths, tiles and panels that are not full, more terms than a panel holds.
TEST(NarrowFloats, ProductsOfMatricesRoundOnceInAnyLayout) {
  const std::vector<std::tuple<int64_t, int64_t, int64_t>> shapes = {
      {2, 2, 1},      {2, 3, 2},    {5, 7, 3},       {6, 64, 16},     {7, 65, 33},
      {49, 15, 31},   {97, 80, 2},  {3, 70, 4101},   {50, 130, 2049}, {130, 20, 66},
      {17, 16, 2048}, {64, 64, 64}, {161, 97, 4101}, {33, 81, 257}};
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const auto& [m, n, k] : shapes)
      for (int layout = 0; layout < 4; ++layout) {
        const Tensor a = small_integers({m, k}, t), b = small_integers({k, n}, t);
        const Tensor c = small_integers({m, n}, t);
        const Tensor exact = a.to(kDouble).mm(b.to(kDouble));
        const Tensor x = laid_out(a, layout), y = laid_out(b, layout);
        const auto same = [&](const Tensor& got, const Tensor& want) {
          EXPECT_TRUE(got.equal(want.to(t)))
              << toString(t) << m << "x" << n << "x" << k << " layout " << layout;
        };
        same(mm(x, y), exact);
        same(mm(x, b), exact);
        same(mm(a, y), exact);
        same(addmm(c, x, y, 1, -2), c.to(kDouble) - 2 * exact);
        same(bmm(x.expand({3, m, k}), y.expand({3, k, n})).select(0, 2), exact);
      }
}

TEST(NarrowFloats, ProductsOfMatricesAreTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  for (const auto& [m, n] : {std::tuple{300, 210}, {210, 300}}) {
    const Tensor a = randn({m, 250}).to(kBFloat16), b = randn({250, n}).to(kBFloat16);
    set_num_threads(1);
    const Tensor one = mm(a, b), transposed = mm(b.t(), a.t());
    set_num_threads(3);
    EXPECT_TRUE(mm(a, b).equal(one));
    EXPECT_TRUE(mm(b.t(), a.t()).equal(transposed));
  }
  set_num_threads(before);
}

TEST(NarrowFloats, ProductsOfMatricesKeepWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const int64_t n : {8, 41}) {
      Tensor a = ones({n, n}, t);
      a[1][2] = inf;
      a[3][4] = std::numeric_limits<double>::quiet_NaN();
      const Tensor y = mm(a, ones({n, n}, t));
      EXPECT_TRUE(y[1].eq(inf).all().item<bool>());
      EXPECT_TRUE(y[3].isnan().all().item<bool>());
      EXPECT_TRUE(y[0].eq(n).all().item<bool>());
      EXPECT_TRUE(mm(a, zeros({n, n}, t))[1].isnan().all().item<bool>());
    }
}

TEST(Matmul, OfBoolsIsZeroWhereThereIsNothingToAddUp) {
  const auto bools = [](const std::vector<int64_t>& sizes) { return zeros(sizes, kBool); };
  EXPECT_EQ(matmul(bools({2, 0}), bools({0, 3})).sizes(), IntArrayRef({2, 3}));
  EXPECT_FALSE(matmul(bools({2, 0}), bools({0, 3})).any().item<bool>());
  EXPECT_FALSE(matmul(bools({4, 2, 0}), bools({4, 0, 3})).any().item<bool>());
  EXPECT_FALSE(matmul(bools({2, 0}), bools({0})).any().item<bool>());
  EXPECT_THROW(matmul(bools({2, 1}), bools({1, 3})), NotImplementedError);
}

TEST(Addr, OfIntegersTakesIntegralFactors) {
  const Tensor x = values({1, 2}, kLong), a = zeros({2, 2}, kLong);
  expect_error("argument beta must not be a floating point number", [&] { addr(a, x, x, 0.5, 1); });
  expect_error("argument alpha must not be a floating point number",
               [&] { addr(a, x, x, 1, 0.5); });
  expect_values(addr(a, x, x, 1, 2), {2, 2}, {2, 4, 4, 8});
}

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

TEST(Addr, PromotesDtypes) {
  const Tensor m = counting({2, 2}, kLong), v = values({1, 2}), w = values({1, 3}, kDouble);
  const Tensor y = addr(m, v, w);
  EXPECT_EQ(y.scalar_type(), kDouble);
  expect_values(y, {2, 2}, {1, 4, 4, 9});
  EXPECT_EQ(addr(m, v, v).scalar_type(), kFloat);
  expect_error("can't be cast to the desired output type Long", [&] { m.addr_(v, v); });
  expect_values(m, {2, 2}, {0, 1, 2, 3});
}

TEST(OutForms, Addr) {
  Tensor out = zeros({1});
  addr_out(out, ones({3}), tensor({1.0, 2.0}), tensor({1.0, 10.0, 100.0}), 2, 3);
  EXPECT_TRUE(out.equal(tensor({{5.0, 32.0, 302.0}, {8.0, 62.0, 602.0}})));
  Tensor doubles = zeros({2}, kDouble);
  EXPECT_NE(message_of([&] {
              addmv_out(doubles, ones({2}), ones({2, 3}), ones({3}));
            }).find("Expected out tensor to have dtype"),
            std::string::npos);
  EXPECT_EQ(doubles.dim(), 1);
}

// ---------------------------------------------------------------- chosen ways
/// Whole numbers, so that sums do not round and each way gives the same bits.
Tensor whole_numbers(const std::vector<int64_t>& sizes, ScalarType dtype) {
  return numbers(sizes, kDouble).mul(3).round().to(dtype);
}

/// Expects elements of y = a b, at the corners and spread over it, by the definition.
void expect_products_of_elements(const Tensor& y, const Tensor& a, const Tensor& b) {
  const int64_t m = y.size(0), n = y.size(1), k = a.size(1);
  for (int64_t i : {int64_t{0}, m / 3, m - 2, m - 1})
    for (int64_t j : {int64_t{0}, n / 2 + 1, n - 1}) {
      double sum = 0;
      const std::vector<double> row = values_of(a[i]), column = values_of(b.select(1, j));
      for (int64_t p = 0; p < k; ++p)
        sum += row[static_cast<size_t>(p)] * column[static_cast<size_t>(p)];
      EXPECT_EQ(y[i][j].item<double>(), sum) << i << ", " << j;
    }
}

// Large enough for a library on one thread; the last layout is none that a library takes.
TEST(Matmul, LargeProductsOfEveryLayout) {
  const int before = get_num_threads();
  for (int threads : {1, 2})
    for (ScalarType t : {kFloat, kDouble}) {
      set_num_threads(threads);
      const Tensor a = whole_numbers({130, 4400}, t), b = whole_numbers({4400, 132}, t);
      const Tensor at = a.t().contiguous().t(), bt = b.t().contiguous().t();
      const Tensor want = mm(a, b);
      expect_products_of_elements(want, a, b);
      EXPECT_TRUE(mm(at, b).equal(want) && mm(a, bt).equal(want) && mm(at, bt).equal(want));
      const Tensor spread = repeat_interleave(a, 2, 1).slice(1, 0, 8800, 2);
      EXPECT_TRUE(mm(spread, b).equal(want));
      const Tensor wide = repeat_interleave(b, 2, 1).slice(1, 0, 264, 2);
      EXPECT_TRUE(mm(a, wide).equal(want));
      EXPECT_TRUE(addmm(want, a, b, 1, 2).equal(want * 3));
      const Tensor tall = whole_numbers({830, 100}, t), low = whole_numbers({100, 830}, t);
      expect_products_of_elements(mm(tall, low), tall, low);
      // One dimension below the bound of a library, and a vector split over threads.
      EXPECT_TRUE(mm(a.narrow(0, 0, 127), b).equal(want.narrow(0, 0, 127)));
      EXPECT_TRUE(mm(a, b.narrow(1, 0, 127)).equal(want.narrow(1, 0, 127)));
      EXPECT_TRUE(
          mv(a.t(), want.select(1, 0)).equal(mm(at.t(), want.narrow(1, 0, 1)).select(1, 0)));
      EXPECT_TRUE(mv(b.t().contiguous(), a[0]).equal(want[0]) && mv(bt.t(), a[0]).equal(want[0]));
    }
  set_num_threads(before);
}

// Rows of C fill any part of their last vector, and the memory ends with the operands.
TEST(Matmul, RowsOfEveryLengthStayInTheirMemory) {
  for (const ScalarType t : {kFloat, kDouble})
    for (const Edge edge : {Edge::kFront, Edge::kBack})
      for (int64_t n = 2; n <= 140; ++n) {
        const Tensor a = at_edge(whole_numbers({13, 37}, t), edge);
        const Tensor b = at_edge(whole_numbers({37, n}, t), edge);
        const Tensor want = (a.unsqueeze(2) * b.unsqueeze(0)).sum(1);
        Tensor y = at_edge(want * 0 - 1, edge);
        mm_out(y, a, b);
        EXPECT_TRUE(y.equal(want)) << toString(t) << ", " << n;
        addmm_out(y, want, a, b, 1, -2);
        EXPECT_TRUE(y.equal(-want)) << toString(t) << ", " << n;
        mm_out(y, a, at_edge(b.t().contiguous(), edge).t());
        EXPECT_TRUE(y.equal(want)) << toString(t) << ", " << n;
      }
}

// Few columns from a transposed operand, by the transposed product.
TEST(FewColumns, OfATransposedMatrix) {
  for (const ScalarType t : {kFloat, kDouble, kLong, kInt})
    for (const Edge edge : {Edge::kFront, Edge::kBack})
      for (int64_t n = 2; n <= 12; ++n)
        for (const int64_t m : {8, 40, 67}) {
          const Tensor a = at_edge(whole_numbers({29, m}, t), edge);
          const Tensor b = at_edge(whole_numbers({29, n}, t), edge);
          const Tensor want = (a.t().unsqueeze(2) * b.unsqueeze(0)).sum(1).to(t);
          Tensor y = at_edge(want * 0 - 1, edge);
          mm_out(y, a.t(), b);
          EXPECT_TRUE(y.equal(want)) << toString(t) << ", " << m << "x" << n;
          Tensor wide = zeros({m, n + 2}, want.options());
          wide.narrow(1, 1, n).copy_(want).addmm_(a.t(), b, 1, 2);
          EXPECT_TRUE(wide.narrow(1, 1, n).equal(want * 3)) << toString(t) << ", " << m << "x" << n;
          EXPECT_TRUE(wide.narrow(1, 0, 1).equal(zeros({m, 1}, t)));
        }
}

// Each thread adds up some of the terms: of whole numbers the sums are the same.
TEST(Matmul, ThreadsShareTheTermsOfFewSums) {
  const int before = get_num_threads();
  manual_seed(0);
  for (const ScalarType t : {kFloat, kDouble})
    for (const auto& [m, n, k] : {std::tuple{50, 50, 2000}, {7, 40, 9001}, {130, 20, 3000}}) {
      SCOPED_TRACE(m);
      const Tensor a = whole_numbers({k, m}, t), b = whole_numbers({k, n}, t);
      const Tensor left = randn({k, m}, t), right = randn({k, n}, t);
      set_num_threads(1);
      const Tensor want = mm(a.t(), b), one = mm(left.t(), right);
      for (const int threads : {2, 3}) {
        set_num_threads(threads);
        EXPECT_TRUE(mm(a.t(), b).equal(want));
        EXPECT_TRUE(mm(a.t().contiguous(), b.t().contiguous().t()).equal(want));
        Tensor part = zeros({m, n + 3}, want.options());
        part.narrow(1, 1, n).copy_(want).addmm_(a.t(), b, 1, 2);
        EXPECT_TRUE(part.narrow(1, 1, n).equal(want * 3));
        EXPECT_TRUE(part.narrow(1, 0, 1).equal(zeros({m, 1}, t)));
        const Tensor y = mm(left.t(), right);
        EXPECT_TRUE(y.allclose(one, 1e-4, 1e-4));
        EXPECT_TRUE(mm(left.t(), right).equal(y));
        EXPECT_FALSE(y.equal(one));  // else they have shared something else
      }
    }
  set_num_threads(before);
}

TEST(Matmul, VectorsWithGaps) {
  for (ScalarType t : {kFloat, kDouble, kLong, kInt, kHalf, kBFloat16}) {
    const Tensor x = whole_numbers({33}, t), y = whole_numbers({33, 2}, t).select(1, 1);
    const Tensor dense = y.contiguous();
    EXPECT_EQ(dot(x, y).item<double>(), dot(x, dense).item<double>()) << toString(t);
    EXPECT_EQ(dot(y, x).item<double>(), dot(x, dense).item<double>()) << toString(t);
    // One term: the vector's step is of no meaning.
    const Tensor column = whole_numbers({50, 1}, t), one = whole_numbers({2, 2}, t);
    EXPECT_TRUE(mm(column, one.narrow(0, 0, 1).narrow(1, 1, 1)).equal(column * one[0][1]));
  }
}

}  // namespace
}  // namespace torch::taper::testing
