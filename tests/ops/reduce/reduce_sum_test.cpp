// Reductions: what a case cannot say. The cases are in reduce_cases_test.cpp.
#include <taper/ops/reduce/reduce_sum.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_median.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "test_util.h"

namespace taper::testing {
namespace {

// The reduced dimension has an element, the kept one has none: nothing may be read.
TEST(Reduce, NoResultsReadNothing) {
  const Tensor x = detail::make_tensor({0, 1}, kFloat, kCPU);
  EXPECT_EQ(x.sum(1).numel(), 0);
  EXPECT_EQ(x.gt(0).any(1).numel(), 0);
  EXPECT_EQ(std::get<0>(x.max(1)).numel(), 0);
  EXPECT_EQ(x.argmax(1).numel(), 0);
  EXPECT_EQ(x.var(1).numel(), 0);
}

TEST(Reduce, EmptyGivesTheNeutralElement) {
  const Tensor x = to_tensor(Array({0, 3}), kFloat);
  EXPECT_EQ(x.sum().item<float>(), 0);
  EXPECT_EQ(x.prod().item<float>(), 1);
  EXPECT_TRUE(std::isnan(x.mean().item<float>()));
  EXPECT_TRUE(std::isnan(x.var().item<float>()));
  EXPECT_FALSE(x.any().item<bool>());
  EXPECT_TRUE(x.all().item<bool>());
  EXPECT_EQ(x.sum(0).sizes().vec(), std::vector<int64_t>({3}));
  EXPECT_EQ(x.amax(1).sizes().vec(), std::vector<int64_t>({0}));
}

TEST(Reduce, MedianOfNothing) {
  EXPECT_TRUE(std::isnan(median(empty({0})).item<double>()));
  EXPECT_EQ(median(empty({0}, kByte)).item<int>(), 0);
  EXPECT_EQ(median(empty({0}, kInt)).item<int>(), std::numeric_limits<int>::min());
}

TEST(Reduce, NanWins) {
  const Tensor x = values({1, NAN, 3, NAN});
  EXPECT_TRUE(std::isnan(x.max().item<float>()));
  EXPECT_TRUE(std::isnan(x.min().item<float>()));
  EXPECT_EQ(x.argmax().item<int64_t>(), 1);
  EXPECT_EQ(x.argmin().item<int64_t>(), 1);
  EXPECT_EQ(nansum(x).item<float>(), 4);
  EXPECT_TRUE(std::isnan(median(x).item<float>()));
  EXPECT_EQ(nanmedian(x).item<float>(), 1);
  const Tensor column = x.reshape({4, 1}).expand({4, 3});
  EXPECT_EQ(column.argmax(0)[2].item<int64_t>(), 1);
}

// At every place of vectors, their rest and short rows that go by columns.
TEST(Reduce, NanAndTheFirstOfEqualsAreFoundAtAnyPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t n : {3, 10, 24, 25, 67, 300})
    for (int64_t at = 0; at < n; at += 1 + n / 29) {
      const Tensor x = arange(n).mul(-1).to(kFloat).repeat({40, 1});
      x.select(1, at).fill_(nan);
      EXPECT_TRUE(x.amax({1}).isnan().all().item<bool>()) << n << ' ' << at;
      EXPECT_TRUE(x.amin({1}).isnan().all().item<bool>()) << n << ' ' << at;
      EXPECT_TRUE(x.argmax(1).eq(at).all().item<bool>()) << n << ' ' << at;
      x.narrow(1, at, n - at).fill_(5);
      for (const Tensor& v : {x, x.to(kDouble), x.to(kLong), x.to(kInt), x.t().contiguous().t()}) {
        EXPECT_TRUE(v.argmax(1).eq(at).all().item<bool>()) << n << ' ' << at;
        EXPECT_TRUE(v.amax({1}).eq(5).all().item<bool>()) << n << ' ' << at;
        EXPECT_TRUE(std::get<0>(v.max(1)).eq(5).all().item<bool>()) << n << ' ' << at;
      }
    }
}

TEST(Reduce, MedianOfEqualsIsTheOneThatSortingPutsThere) {
  for (int64_t n : {1, 2, 100, 101}) {
    const Tensor x = arange(20 * n).mul(7919).remainder(5).to(kFloat).view({20, n});
    const auto [v, i] = x.median(1);
    const auto [dv, di] = x.to(kDouble).add(arange(n).to(kDouble).mul(1e-6)).median(1);
    EXPECT_TRUE(i.equal(di)) << n;
    EXPECT_TRUE(v.eq(dv.round()).all().item<bool>()) << n;
  }
}

TEST(Reduce, ColumnsOfExtremesAndSumsOfMasks) {
  const Tensor x = arange(20 * 1100).mul(7919).remainder(1009).to(kFloat).view({20, 1100});
  const Tensor rows = x.t().contiguous();
  EXPECT_TRUE(x.amax({0}).equal(rows.amax({1})));
  EXPECT_TRUE(x.amin({0}).equal(rows.amin({1})));
  EXPECT_TRUE(x.sum(0).equal(rows.sum(1)));
  const Tensor mask = arange(70001).remainder(3).eq(0);
  EXPECT_EQ(mask.sum().item<int64_t>(), 23334);
  EXPECT_EQ(mask.narrow(0, 1, 69).sum().item<int64_t>(), 23);
}

TEST(Reduce, InfinityIsFound) {
  const Tensor x = values({-INFINITY, -INFINITY});
  EXPECT_EQ(x.max().item<float>(), -INFINITY);
  EXPECT_EQ(x.argmax().item<int64_t>(), 0);
  EXPECT_EQ(x.logsumexp(0).item<float>(), -INFINITY);
}

TEST(Reduce, FloatSumsAreAccurate) {
  // One part in ten million would be lost thousands of times over by adding one after the other.
  const Tensor x = detail::make_tensor({1 << 22}, kFloat, Device()).fill_(0.1f);
  const double want = static_cast<double>(0.1f) * (1 << 22);
  EXPECT_NEAR(x.sum().item<double>() / want, 1, 3e-7);
  EXPECT_NEAR(x.view({1 << 20, 4}).sum(0)[1].item<double>() / want * 4, 1, 3e-7);
}

TEST(Reduce, VarianceDoesNotCancel) {
  const Tensor x = values({1e6, 1e6 + 1, 1e6 + 2});
  EXPECT_NEAR(x.var().item<float>(), 1, 1e-6);
  EXPECT_NEAR(x.reshape({3, 1}).expand({3, 5}).var({0}, true)[4].item<float>(), 1, 1e-6);
}

TEST(Reduce, AWholeNumberIsADimensionOfVarianceAndMean) {
  const Tensor x = counting({2, 3});
  EXPECT_TRUE(equal(std::get<0>(var_mean(x, 1)), x.var(1)));
  EXPECT_TRUE(equal(std::get<1>(var_mean(x, 1)), x.mean(1)));
  EXPECT_TRUE(equal(std::get<0>(std_mean(x, 0)), x.std(0)));
}

TEST(Reduce, ThreadsDoNotChangeResults) {
  Random random(3);
  const Tensor x = random_tensor({700, 1000}, kFloat, {}, random);
  const int before = get_num_threads();
  auto all = [&] {
    return std::vector<Tensor>{x.sum(), x.sum(0), x.sum(1), x.var(), x.argmax(), x.norm()};
  };
  set_num_threads(1);
  const std::vector<Tensor> one = all();
  set_num_threads(3);
  const std::vector<Tensor> three = all();
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(three[i])) << i;
}

// Rows of a few vectors are reduced in groups, with what is left of the rows and of each. Each is
// as it is alone; rows need not follow each other.
TEST(Reduce, RowsOfAFewVectors) {
  Random random(5);
  for (const ScalarType t : {kFloat, kDouble, kLong})
    for (const int64_t n : {25, 31, 32, 49, 64, 100, 127, 200, 256})
      for (const int64_t rows : {3, 16, 37}) {
        const Tensor wide = random_tensor({rows, n + 3}, kDouble, {-9, 9}, random).round().to(t);
        const Tensor x = wide.narrow(1, 1, n), exact = x.to(kDouble).t().contiguous();
        const std::string where = std::to_string(rows) + " x " + std::to_string(n);
        EXPECT_TRUE(x.sum(1).to(kDouble).equal(exact.sum(0))) << where;
        EXPECT_TRUE(x.amax({1}).to(kDouble).equal(exact.amax({0}))) << where;
        EXPECT_TRUE(x.amin({1}).to(kDouble).equal(exact.amin({0}))) << where;
        EXPECT_TRUE(x.narrow(0, rows - 1, 1).sum(1).equal(x.sum(1).narrow(0, rows - 1, 1)));
        if (t == kLong) continue;
        EXPECT_TRUE(x.pow(2).sum(1).sqrt().allclose(x.norm(2, 1), 1e-6)) << where;
        const Tensor factors = x * 0.001 + 1, products = factors.to(kDouble).t().contiguous();
        EXPECT_TRUE(factors.prod(1).to(kDouble).allclose(products.prod(0), 1e-5)) << where;
        wide[rows / 2][n].fill_(NAN);
        EXPECT_TRUE(x.amax({1}).isnan().equal(x.sum(1).isnan())) << where;
        EXPECT_EQ(x.amin({1}).isnan().sum().item<int64_t>(), 1) << where;
      }
}

// Short rows that no cache holds, added one after the other: columns of whole tiles, of vectors and
// alone, and rows that are left. Threads may split the columns.
TEST(Reduce, ColumnsOfManyShortRows) {
  Random random(6);
  const int before = get_num_threads();
  for (const int64_t columns : {70, 300}) {
    const Tensor x = random_tensor({5 * (1 << 20) / columns / 7 * 7, columns}, kFloat, {}, random);
    set_num_threads(1);
    const Tensor sum = x.sum(0), most = x.amax({0}), part = x.view({-1, 7, columns}).sum(1);
    set_num_threads(3);
    EXPECT_TRUE(x.sum(0).equal(sum)) << columns;
    set_num_threads(before);
    EXPECT_TRUE(sum.to(kDouble).allclose(x.to(kDouble).sum(0), 1e-5, 1e-3)) << columns;
    EXPECT_TRUE(most.equal(x.t().contiguous().amax({1}))) << columns;
    EXPECT_TRUE(part.to(kDouble).allclose(x.to(kDouble).view({-1, 7, columns}).sum(1), 1e-5, 1e-5));
  }
}

TEST(Reduce, DtypeArgumentConvertsFirst) {
  const Tensor x = values({1.5, 2.5});
  EXPECT_EQ(x.sum(kLong).item<int64_t>(), 3);
  EXPECT_EQ(x.sum(kDouble).scalar_type(), kDouble);
  EXPECT_EQ(values({1, 2}, kLong).mean(kFloat).item<float>(), 1.5f);
  EXPECT_EQ(values({200, 100}, kByte).sum().item<int64_t>(), 300);
}

TEST(Reduce, TiesShareTheGradient) {
  const Tensor x = values({1, 3, 3}).set_requires_grad(true);
  x.amax(0).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 0.5, 0.5})));
  x.mutable_grad() = Tensor();
  std::get<0>(x.max(0)).backward();
  EXPECT_TRUE(x.grad().equal(values({0, 1, 0})));
}

TEST(Reduce, ProductWithZeros) {
  const Tensor x = values({2, 0, 5}).set_requires_grad(true);
  x.prod().backward();
  EXPECT_TRUE(x.grad().equal(values({0, 10, 0})));
}

// Expected values are PyTorch's.
TEST(Reduce, ProductWithZerosCanBeDifferentiatedAgain) {
  const Tensor x = values({0, 2, 3}).set_requires_grad(true), weight = values({1, 10, 100});
  const Tensor g = autograd::grad({x.prod()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(g.equal(values({6, 0, 0})));
  EXPECT_TRUE(autograd::grad({(g * weight).sum()}, {x})[0].equal(values({230, 3, 2})));
  const Tensor y = values({0, 0, 3}).set_requires_grad(true);
  const Tensor gy = autograd::grad({y.prod(0)}, {y}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({(gy * weight).sum()}, {y})[0].equal(values({30, 3, 0})));
}

TEST(Reduce, SumToABroadcastShape) {
  const Tensor g = values({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  EXPECT_TRUE(sum_to(g, {2, 3}).is_same(g));
  EXPECT_TRUE(sum_to(g, {3}).equal(values({5, 7, 9})));
  EXPECT_TRUE(sum_to(g, {2, 1}).equal(values({6, 15}).reshape({2, 1})));
  EXPECT_EQ(sum_to(g, {}).item<float>(), 21);
  EXPECT_TRUE(sum_to(g.t(), {3, 1}).equal(values({5, 7, 9}).reshape({3, 1})));
  EXPECT_EQ(message_of([&] { g.sum_to_size({4}); }),
            "size {[4]} is not expandable to size {[2, 3]}.");
}

TEST(Reduce, NamesOfNodes) {
  const Tensor x = values({1, 2}).set_requires_grad(true);
  EXPECT_EQ(x.sum().grad_fn()->name(), "SumBackward0");
  EXPECT_EQ(x.sum(0).grad_fn()->name(), "SumBackward1");
  EXPECT_EQ(x.max().grad_fn()->name(), "MaxBackward1");
  EXPECT_EQ(std::get<0>(x.max(0)).grad_fn()->name(), "MaxBackward0");
  EXPECT_FALSE(std::get<1>(x.max(0)).requires_grad());
}

TEST(Compare, EqualAndClose) {
  const Tensor a = values({1, 2, INFINITY}), b = values({1, 2 + 1e-5, INFINITY});
  EXPECT_FALSE(a.equal(b));
  EXPECT_TRUE(a.equal(a.to(kDouble)));
  EXPECT_FALSE(a.equal(a.reshape({1, 3})));
  EXPECT_TRUE(a.allclose(b));
  EXPECT_FALSE(a.allclose(b, 0, 1e-8));
  EXPECT_FALSE(values({NAN}).allclose(values({NAN})));
  EXPECT_TRUE(values({NAN}).allclose(values({NAN}), 1e-5, 1e-8, true));
  EXPECT_FALSE(values({INFINITY}).allclose(values({-INFINITY})));
  EXPECT_THROW(a.allclose(a.to(kDouble)), Error);
}

TEST(SumToSize, IntegersAndBoolsSumAsLong) {
  const Tensor mask = tensor_of({2, 2}, {1, 1, 0, 1}, kBool);
  EXPECT_EQ(mask.sum_to_size({1, 2}).scalar_type(), kLong);
  expect_values(mask.sum_to_size({1, 2}), {1, 2}, {1, 2});
  EXPECT_EQ(mask.sum_to_size({2, 2}).scalar_type(), kBool);
}

// Several short rows are reduced as one longer row.
TEST(Reduce, ShortRowsThatFollowEachOther) {
  for (const int64_t columns : {1, 2, 3, 7, 31, 32})
    for (const int64_t rows : {1, 5, 128, 1003}) {
      SCOPED_TRACE(columns);
      const Tensor x = numbers({rows, columns}), wide = x.to(kDouble);
      const Tensor apart = wide.t().contiguous();
      EXPECT_TRUE(x.sum(0).to(kDouble).allclose(apart.sum(1), 1e-6, 1e-5));
      EXPECT_TRUE(x.amax(0).to(kDouble).equal(apart.amax(1)));
      EXPECT_TRUE(x.amin(0).to(kDouble).equal(apart.amin(1)));
      EXPECT_TRUE(x.to(kLong).sum(0).equal(apart.to(kLong).sum(1)));
    }
  Tensor y = numbers({500, 3});
  y[321][1] = NAN;
  EXPECT_EQ(values_of(y.amax(0).isnan()), (std::vector<double>{0, 1, 0}));
  Tensor z = numbers({300, 200});
  z[299][150] = NAN;
  EXPECT_EQ(z.amin(0).isnan().sum().item<int64_t>(), 1);
  EXPECT_TRUE(z.amin(0)[150].isnan().item<bool>());
}

TEST(Reduce, LargestIntegers) {
  Tensor x = counting({1037}, kLong, -2000);
  x[500] = int64_t{1} << 60;
  x[700] = -(int64_t{1} << 61);
  EXPECT_EQ(x.max().item<int64_t>(), int64_t{1} << 60);
  EXPECT_EQ(x.min().item<int64_t>(), -(int64_t{1} << 61));
  EXPECT_EQ(std::get<1>(x.max(0)).item<int64_t>(), 500);
  EXPECT_EQ(counting({1037}, kInt).sum().item<int64_t>(), 1036 * 1037 / 2);
  EXPECT_EQ(counting({1037}, kBool).sum().item<int64_t>(), 518);
}

TEST(Reduce, ProductsWithoutZeros) {
  const Tensor x = values({2, -4, 0.5, 3}).reshape({2, 2}).set_requires_grad(true);
  x.prod(1).backward(values({1, 10}));
  EXPECT_TRUE(x.grad().equal(values({-4, 2, 30, 5}).reshape({2, 2})));
  const Tensor g = autograd::grad({x.prod()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(
      autograd::grad({g.sum()}, {x})[0].allclose(values({-12.5, 8.5, -14, -9}).reshape({2, 2})));
}

// Few columns: many rows are taken as one, as many as there are enough of.
TEST(Reduce, FewColumnsOfAnyNumberOfRows) {
  for (const int64_t rows : {2, 9, 40, 256, 1000})
    for (const int64_t columns : {1, 2, 3, 5, 31}) {
      const Tensor x = numbers({3, rows, columns}), across = x.transpose(1, 2).contiguous();
      const Tensor exact = across.to(kDouble).sum(2);
      EXPECT_LT((x.sum(1).to(kDouble) - exact).abs().max().item<double>(), 1e-3) << rows;
      EXPECT_TRUE(equal(x.amax(1), across.amax(2))) << rows << " x " << columns;
    }
}

// Complex numbers are two columns; with few columns a vector holds several rows.
TEST(Reduce, RowsOfComplexNumbers) {
  for (const ScalarType t : {kComplexFloat, kComplexDouble})
    for (const int64_t n : {1, 3, 8, 30, 257, 3000}) {
      const Tensor re = numbers({5, n + 1}, kDouble), im = numbers({5, n + 1}, kDouble) * 3;
      const Tensor z = complex(re, im).to(t).narrow(1, 1, n), sums = z.sum(1);
      EXPECT_TRUE(real(sums).to(kDouble).allclose(re.narrow(1, 1, n).sum(1), 1e-5, 1e-5)) << n;
      EXPECT_TRUE(imag(sums).to(kDouble).allclose(im.narrow(1, 1, n).sum(1), 1e-5, 1e-5)) << n;
      EXPECT_LT((z.contiguous().sum(1) - sums).abs().max().item<double>(), 1e-3) << n;
      EXPECT_LT((z.mean(1) * n - sums).abs().max().item<double>(), 1e-3) << n;
    }
}

TEST(Reduce, FewColumnsOfManyMatrices) {
  for (const ScalarType t : {kFloat, kDouble, kLong})
    for (const int64_t columns : {2, 4, 8})
      for (const int64_t rows : {2, 5, 64, 1001}) {
        const Tensor x = (numbers({7, rows, columns}, kDouble) * 9).round().to(t);
        const Tensor apart = x.transpose(1, 2).contiguous().to(kDouble);
        EXPECT_TRUE(x.sum(1).to(kDouble).equal(apart.sum(2))) << rows << " x " << columns;
        EXPECT_TRUE(x.amax(1).to(kDouble).equal(apart.amax(2))) << rows << " x " << columns;
        EXPECT_TRUE(
            x.narrow(1, 1, rows - 1).sum(1).to(kDouble).equal(apart.narrow(2, 1, rows - 1).sum(2)));
      }
}

// A byte counts 255 rows; threads may split the columns.
TEST(Reduce, ColumnsOfMasks) {
  const int before = get_num_threads();
  for (const int threads : {1, 3})
    for (const auto& [rows, columns] : {std::pair{2, 40}, {255, 3}, {256, 1500}, {1021, 70}}) {
      set_num_threads(threads);
      const Tensor mask = numbers({2, rows, columns}).gt(-0.5), ones = ones_like(mask);
      EXPECT_TRUE(mask.sum(1).equal(mask.to(kLong).sum(1))) << rows;
      EXPECT_TRUE(mask.sum({0, 1}).equal(mask.to(kLong).sum({0, 1}))) << rows;
      EXPECT_TRUE(mask.slice(2, 1).sum(1).equal(mask.slice(2, 1).to(kLong).sum(1))) << rows;
      EXPECT_EQ(ones.sum(1)[1][columns - 1].item<int64_t>(), rows);
    }
  set_num_threads(before);
}

// Elements that no lane takes: pairs of bf16, bytes of masks; blocks and what is left of them.
TEST(Reduce, LinesOfSmallElements) {
  for (const int64_t n : {1, 2, 15, 33, 64, 255, 1024, 1500, 70001}) {
    const Tensor x = (numbers({3, n + 1}, kFloat) * 30).round().narrow(1, 1, n);
    for (const ScalarType t : {kBFloat16, kHalf}) {
      const Tensor sum = x.to(kDouble).sum(1), narrow = x.to(t);
      EXPECT_TRUE(narrow.sum(1).equal(sum.to(kFloat).to(t))) << toString(t) << n;
      EXPECT_TRUE(narrow.sum().equal(sum.sum().to(kFloat).to(t))) << toString(t) << n;
      EXPECT_TRUE(narrow.t().sum(0).equal(narrow.sum(1))) << toString(t) << n;
    }
    const Tensor mask = x.gt(3), count = mask.to(kLong).sum(1);
    EXPECT_TRUE(mask.sum(1).equal(count)) << n;
    EXPECT_TRUE(mask.t().sum(0).equal(count)) << n;
    EXPECT_TRUE(mask.t().contiguous().sum(0).equal(count)) << n;
    EXPECT_EQ(mask.sum().item<int64_t>(), count.sum().item<int64_t>()) << n;
  }
}

}  // namespace
}  // namespace taper::testing
