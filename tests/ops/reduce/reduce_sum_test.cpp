// Sums, means, products and truths of elements.
#include <taper/ops/reduce/reduce_sum.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "ops/reduce/reduction_cases.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

TAPER_OP_CASES(sums, {
  OpCase sum =
      looser(reduction(
                 "sum", [](const Tensor& x) { return x.sum(); },
                 [](const Tensor& x, IntArrayRef d, bool k) { return x.sum(d, k); }, sum_of),
             4);
  sum.dtypes = kAllDtypes;
  sum.result_dtype = [](ScalarType t) { return isFloatingType(t) ? t : kLong; };
  sum.out = [](Tensor& out, const Args& a) {
    const Ints dims = dims_of(a.i);
    return dims.empty() ? sum_out(out, a.t[0], OptionalIntArrayRef(), false)
                        : sum_out(out, a.t[0], IntArrayRef(dims), keep_of(a.i));
  };
  sum.errors = {error<IndexError>(
      "Dimension out of range (expected to be in range of [-2, 1], but got 5)", [] {
        to_tensor(Array({2, 3}), kFloat).sum(5);
      })};
  sum.errors.push_back(error<Error>("dim 0 appears multiple times in the list of dims", [] {
    to_tensor(Array({2, 3}), kFloat).sum({0, -2});
  }));

  OpCase mean = reduction(
      "mean", [](const Tensor& x) { return x.mean(); },
      [](const Tensor& x, IntArrayRef d, bool k) { return x.mean(d, k); }, mean_of);
  add_out(mean, [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return mean_out(out, x, d.empty() ? OptionalIntArrayRef() : IntArrayRef(d), k);
  });
  // The mean of nothing is NaN, of which a gradient says nothing.
  mean.gradient_samples = [] { return samples(kDouble, of_something()); };
  mean.errors = {error<Error>(
      "mean(): could not infer output dtype. Input dtype must be either a floating point or "
      "complex dtype. Got: Long",
      [] { to_tensor(Array({2}), kLong).mean(); })};

  OpCase nans = looser(
      reduction(
          "nansum", [](const Tensor& x) { return taper::nansum(x); },
          [](const Tensor& x, IntArrayRef d, bool k) { return taper::nansum(x, d, k); }, sum_of),
      4);
  return std::vector<OpCase>{sum, mean, nans};
});

TAPER_OP_CASES(products, {
  OpCase prod =
      looser(reduction(
                 "prod", [](const Tensor& x) { return x.prod(); },
                 [](const Tensor& x, IntArrayRef d, bool k) { return x.prod(d[0], k); }, prod_of),
             8);
  // The more factors, the nearer to 1 they are: neither overflow nor zero.
  prod.samples = [](ScalarType t) {
    std::vector<Args> list = only(samples(t, {{0.7, 1.3}, true, true, false}),
                                  [](const Args& a) { return a.t[0].numel() < 400; });
    for (Args& a : only(samples(t, {{0.9, 1.1}, true, true, false}), [](const Args& a) {
           return a.t[0].numel() >= 400 && a.t[0].numel() < 7000;
         }))
      list.push_back(std::move(a));
    for (Args& a : only(samples(t, {{0.999, 1.001}, true, true, false}),
                        [](const Args& a) { return a.t[0].numel() >= 7000; }))
      list.push_back(std::move(a));
    return list;
  };
  // Zeros: none, one, two and three in what is multiplied.
  prod.gradient_samples = [all = prod.samples] {
    std::vector<Args> list = all(kDouble);
    for (size_t i = 0; i < list.size(); ++i) {
      const Tensor& x = list[i].t[0];
      for (int64_t k = 0; k < std::min<int64_t>(x.numel(), static_cast<int64_t>(i) % 4); ++k)
        set_element(x, (5 * k) % x.numel(), 0);
    }
    return list;
  };
  return std::vector<OpCase>{prod};
});

/// The same over zeros and others.
OpCase of_truths(OpCase c, std::function<ScalarType(ScalarType)> result) {
  c.dtypes = kAllDtypes;
  c.differentiable = false;
  c.result_dtype = std::move(result);
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const Range& range : {Range{0, 1}, Range{-2, 2}})
      for (Args& a : samples(kLong, {range, true, true, false})) {
        a.t[0] = to_tensor(to_array(a.t[0]), t);
        list.push_back(std::move(a));
      }
    return list;
  };
  return c;
}

TAPER_OP_CASES(truths, {
  const auto truth = [](ScalarType t) { return t == kByte ? kByte : kBool; };
  const auto count = [](ScalarType) { return kLong; };
  std::vector<OpCase> list = {
      of_truths(reduction(
                    "any", [](const Tensor& x) { return x.any(); },
                    [](const Tensor& x, IntArrayRef d, bool k) { return x.any(d[0], k); }, any_of),
                truth),
      of_truths(reduction(
                    "all", [](const Tensor& x) { return x.all(); },
                    [](const Tensor& x, IntArrayRef d, bool k) { return x.all(d[0], k); }, all_of),
                truth),
      of_truths(reduction(
                    "count_nonzero", [](const Tensor& x) { return x.count_nonzero(); },
                    [](const Tensor& x, IntArrayRef d, bool k) {
                      const Tensor y = x.count_nonzero(d[0]);
                      return k && x.dim() > 0 ? y.unsqueeze(d[0]) : y;
                    },
                    nonzeros_of),
                count),
  };
  add_out(case_in(list, "any"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? any_out(out, x) : any_out(out, x, d[0], k);
  });
  add_out(case_in(list, "all"), [](Tensor& out, const Tensor& x, const Ints& d, bool k) {
    return d.empty() ? all_out(out, x) : all_out(out, x, d[0], k);
  });
  return list;
});

// dimensions
/// i = {keepdim, dimensions...}
Array truth_reference(const ArrayArgs& a, bool all) {
  const Array& x = a.t[0];
  std::vector<bool> reduced(x.sizes.size());
  for (size_t d = 1; d < a.i.size(); ++d)
    reduced[static_cast<size_t>(a.i[d] < 0 ? a.i[d] + x.dim() : a.i[d])] = true;
  Shape sizes;
  for (size_t d = 0; d < reduced.size(); ++d)
    if (!reduced[d] || a.i[0]) sizes.push_back(reduced[d] ? 1 : x.sizes[d]);
  Array y(sizes, all ? 1 : 0);
  for_each_index(x.sizes, [&](const Shape& at) {
    Shape to;
    for (size_t d = 0; d < reduced.size(); ++d)
      if (!reduced[d] || a.i[0]) to.push_back(reduced[d] ? 0 : at[d]);
    if ((x.at(at) != 0) != all) y.at(to) = all ? 0 : 1;
  });
  return y;
}

OpCase truth_case(bool all) {
  OpCase c;
  c.name = all ? "all_of_dims" : "any_of_dims";
  c.dtypes = {kBool, kByte, kLong, kFloat};
  c.differentiable = false;
  c.result_dtype = [](ScalarType t) { return t == kByte ? kByte : kBool; };
  c.samples = [=](ScalarType t) {
    std::vector<Args> list;
    for (const Shape& i : {Shape{0, 0, 2}, Shape{1, -1, 0}, Shape{0, 1}, Shape{0}, Shape{1}})
      for (const double share : {0.2, 0.9}) {
        Array x({3, 2, 4});
        Random random(7);
        for (double& v : x.v) v = random.uniform(0, 1) < share;
        list.push_back({{to_tensor(x, t)}, i});
      }
    list.push_back({{to_tensor(Array({0, 2}), t)}, {0, 0, 1}});
    return list;
  };
  c.call = [=](const Args& a) {
    const IntArrayRef dims = IntArrayRef(a.i).slice(1);
    return all ? taper::all(a.t[0], dims, a.i[0] != 0) : taper::any(a.t[0], dims, a.i[0] != 0);
  };
  c.reference = [=](const ArrayArgs& a) { return truth_reference(a, all); };
  c.errors = {error<IndexError>("Dimension out of range",
                                [=] {
                                  const Tensor x = numbers({2, 3});
                                  all ? x.all({0, 2}) : x.any({0, 2});
                                }),
              error<Error>("dim 1 appears multiple times in the list of dims", [=] {
                const Tensor x = numbers({2, 3});
                all ? x.all({1, -1}) : x.any({1, -1});
              })};
  return c;
}

TAPER_OP_CASES(truths_of_dimensions, {
  return std::vector<OpCase>{truth_case(false), truth_case(true)};
});

// Numbers: the smaller shape.
TAPER_OP_CASES(sums_to_shapes, {
  OpCase c = moving_case(
      "sum_to_size",
      {{{2, 3}, {2, 1}},
       {{2, 3}, {3}},
       {{2, 3}, {}},
       {{4, 2, 3}, {1, 3}},
       {{2, 3}, {2, 3}},
       {{0, 3}, {1, 3}},
       {{5, 33}, {33}}},
      [](const Tensor& x, const Sizes& i) { return x.sum_to_size(i); },
      [](const Array& x, const Sizes& i) {
        Array y(i);
        const size_t added = x.sizes.size() - i.size();
        for_each_index(x.sizes, [&](const Sizes& index) {
          Sizes to(index.begin() + std::ptrdiff_t(added), index.end());
          for (size_t d = 0; d < to.size(); ++d) to[d] = i[d] == 1 ? 0 : to[d];
          y.at(to) += x.at(index);
        });
        return y;
      });
  c.dtypes = {kFloat, kDouble, kLong};
  c.is_view = true;  // of the tensor's own size
  c.tolerance = 4;
  c.errors = {error<Error>("sum_to_size: size {[4]} is not expandable to size {[2, 3]}.", [] {
    numbers({2, 3}).sum_to_size({4});
  })};
  return std::vector<OpCase>{c};
});

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

TEST(Reduce, FloatSumsAreAccurate) {
  // One part in ten million would be lost thousands of times over by adding one after the other.
  const Tensor x = detail::make_tensor({1 << 22}, kFloat, Device()).fill_(0.1f);
  const double want = static_cast<double>(0.1f) * (1 << 22);
  EXPECT_NEAR(x.sum().item<double>() / want, 1, 3e-7);
  EXPECT_NEAR(x.view({1 << 20, 4}).sum(0)[1].item<double>() / want * 4, 1, 3e-7);
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
    for (const int64_t n :
         {25, 31, 32, 49, 64, 100, 127, 200, 256, 257, 500, 512, 513, 1000, 1024, 1025})
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
            "sum_to_size: size {[4]} is not expandable to size {[2, 3]}.");
}

TEST(Reduce, NamesOfNodes) {
  const Tensor x = values({1, 2}).set_requires_grad(true);
  EXPECT_EQ(x.sum().grad_fn()->name(), "SumBackward0");
  EXPECT_EQ(x.sum(0).grad_fn()->name(), "SumBackward1");
  EXPECT_EQ(x.max().grad_fn()->name(), "MaxBackward1");
  EXPECT_EQ(std::get<0>(x.max(0)).grad_fn()->name(), "MaxBackward0");
  EXPECT_FALSE(std::get<1>(x.max(0)).requires_grad());
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

// Whole numbers, whose sums floats hold: rows before and behind a fold, whole vectors of columns
// and what is beside them, rows with gaps, several dimensions at once.
TEST(Reduce, ColumnsOf16BitFloats) {
  const Tensor all = arange(3 * 70 * 1300).remainder(17).sub(8).view({3, 70, 1300});
  const auto expect_rounded_once = [&](IntArrayRef dims, const auto& part) {
    for (const ScalarType t : {kBFloat16, kHalf}) {
      const Tensor x = part(all.to(t));
      EXPECT_TRUE(x.sum(dims).equal(part(all).sum(dims).to(t))) << x.sizes() << toString(t);
    }
  };
  for (const int64_t n : {1, 7, 8, 9, 15, 16, 17, 31, 33, 70})
    for (const int64_t w : {17, 48, 1023, 1300})
      expect_rounded_once(
          {0}, [&](const Tensor& x) { return x[1].slice(0, 70 - n).slice(1, 1300 - w); });
  expect_rounded_once({0, 1}, [](const Tensor& x) { return x; });
  expect_rounded_once({0, 1}, [](const Tensor& x) { return x.slice(1, 0, 21).slice(2, 3); });
  expect_rounded_once({1}, [](const Tensor& x) { return x; });
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

TEST(CountNonzero, TakesSeveralDimensions) {
  const Tensor x = tensor_of({2, 1, 3}, {0, 1, 2, 0, 0, 3});
  expect_values(x.count_nonzero(IntArrayRef{0, 1}), {3}, {0, 1, 2});
  expect_values(x.count_nonzero(IntArrayRef{1, 2}), {2}, {2, 1});
}

TEST(OutForms, OfTruthTakeBoolsAndBytes) {
  const Tensor x = tensor_of({2, 2}, {0, 1, 2, 3});
  Tensor bools = values({}, kBool), bytes = values({}, kByte), floats = values({});
  expect_values(all_out(bools, x, 0), {2}, {0, 1});
  expect_values(any_out(bytes, x, 1, true), {2, 1}, {1, 1});
  expect_values(all_out(bools, x), {}, {0});
  expect_values(any_out(bools, x.to(kByte)), {}, {1});
  EXPECT_EQ(bytes.scalar_type(), kByte);
  expect_error("all only supports bool tensor for result, got: Float", [&] { all_out(floats, x); });
}

// Short rows go together as columns, where what is kept is one dimension or several.
TEST(Sum, ShortRowsOfPartsOfATensor) {
  for (ScalarType t : {kFloat, kDouble, kLong}) {
    const Tensor x = counting({3, 40, 5}, t).slice(1, 0, 20), dense = x.contiguous();
    EXPECT_TRUE(x.sum(-1).equal(dense.sum(-1))) << toString(t);
    EXPECT_EQ(x.sum(-1)[2][19].item<double>(), 5 * (2 * 200 + 19 * 5) + 10);
    EXPECT_EQ(x.amax(-1)[1][3].item<double>(), 200 + 3 * 5 + 4);
  }
}

}  // namespace
}  // namespace torch::taper::testing
