#include <tuple>

#include <taper/ops/linalg/matmul.h>

#include <taper/framework/autograd/node.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/random.h>
#include <taper/ops/elementwise/activation.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "harness/devices.h"
#include "ops/linalg/products.h"

namespace taper::testing {
namespace {

const std::vector<ScalarType> kNumbers = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte};
const Range kSmall = {-2, 2};

// Shapes around the sizes where the implementation changes: tiles of 6 rows and 64 columns, panels,
// libraries.
std::vector<Args> samples_of_mm(ScalarType dtype) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1, 1, 1},   {2, 3, 4},   {0, 3, 2},   {2, 0, 3},  {3, 2, 0},   {8, 8, 8},
      {7, 33, 17}, {13, 5, 65}, {4, 16, 32}, {6, 2, 64}, {31, 40, 1}, {1, 70, 31},
      {37, 2, 2},  {40, 3, 3},  {21, 4, 4},  {50, 8, 8}, {33, 2, 4},  {20, 3, 8}};
  std::vector<Args> list;
  for (const auto& s : shapes)
    list.push_back(sample_of({{s[0], s[1]}, {s[1], s[2]}}, dtype, kSmall));
  if (dtype != kFloat && dtype != kDouble) return list;
  list.push_back(sample_of({{130, 40}, {40, 150}}, dtype, kSmall));
  list.push_back(sample_of({{20, 600}, {600, 70}}, dtype, kSmall));
  list.push_back(sample_of({{100, 300}, {300, 130}}, dtype, kSmall));
  return list;
}

TAPER_OP_CASES(mm_case, {
  OpCase c;
  c.name = "mm";
  c.dtypes = kNumbers;
  c.samples = samples_of_mm;
  c.call = [](const Args& a) { return mm(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return mm_out(out, a.t[0], a.t[1]); };
  c.tolerance = 40;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                           [] {
                             mm(numbers({2, 3}), numbers({4, 5}));
                           }),
              error<Error>("self must be a matrix",
                           [] {
                             mm(numbers({3}), numbers({3, 5}));
                           }),
              error<Error>("mat2 must be a matrix",
                           [] {
                             mm(numbers({3, 3}), numbers({3}));
                           }),
              error<Error>("expected scalar type Float but found Double",
                           [] {
                             mm(numbers({2, 3}), numbers({3, 2}, kDouble));
                           }),
              error<NotImplementedError>("not implemented for 'Bool'", [] {
                mm(numbers({2, 3}, kBool), numbers({3, 2}, kBool));
              })};
  return std::vector{c};
});

TAPER_OP_CASES(bmm_case, {
  OpCase c;
  c.name = "bmm";
  c.dtypes = {kFloat, kDouble, kBFloat16, kLong};
  c.samples = [](ScalarType t) {
    return std::vector{sample_of({{3, 2, 5}, {3, 5, 4}}, t, kSmall),
                       sample_of({{0, 2, 5}, {0, 5, 4}}, t, kSmall),
                       sample_of({{2, 7, 0}, {2, 0, 4}}, t, kSmall),
                       sample_of({{5, 17, 33}, {5, 33, 9}}, t, kSmall),
                       sample_of({{1, 1, 1}, {1, 1, 1}}, t, kSmall)};
  };
  c.call = [](const Args& a) { return bmm(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply_batch(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return bmm_out(out, a.t[0], a.t[1]); };
  c.tolerance = 40;
  c.errors = {
      error<Error>("batch1 must be a 3D tensor",
                   [] {
                     bmm(numbers({2, 3}), numbers({3, 5}));
                   }),
      error<Error>("batch2 must be a 3D tensor",
                   [] {
                     bmm(numbers({2, 2, 3}), numbers({3, 5}));
                   }),
      error<Error>("Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: "
                   "[2, 4].",
                   [] {
                     bmm(numbers({2, 2, 3}), numbers({2, 4, 5}));
                   })};
  return std::vector{c};
});

TAPER_OP_CASES(vector_cases, {
  OpCase m;
  m.name = "mv";
  m.tolerance = 40;
  m.dtypes = {kFloat, kDouble, kLong};
  m.samples = [](ScalarType t) {
    return std::vector{sample_of({{2, 3}, {3}}, t, kSmall), sample_of({{0, 3}, {3}}, t, kSmall),
                       sample_of({{2, 0}, {0}}, t, kSmall), sample_of({{33, 65}, {65}}, t, kSmall)};
  };
  m.call = [](const Args& a) { return mv(a.t[0], a.t[1]); };
  m.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  m.errors = {error<Error>("size mismatch, got 2, 2x3,4", [] {
    mv(numbers({2, 3}), numbers({4}));
  })};

  OpCase d;
  d.name = "dot";
  d.dtypes = {kFloat, kDouble, kLong, kHalf};
  d.samples = [](ScalarType t) {
    return std::vector{sample_of({{3}, {3}}, t, kSmall), sample_of({{0}, {0}}, t, kSmall),
                       sample_of({{33}, {33}}, t, kSmall)};
  };
  d.call = [](const Args& a) { return dot(a.t[0], a.t[1]); };
  d.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  d.covers = {"vdot"};
  d.errors = {
      error<Error>("1D tensors expected, but got 2D and 1D tensors",
                   [] {
                     dot(numbers({3, 1}), numbers({3}));
                   }),
      error<Error>("inconsistent tensor size, expected tensor [3] and src [4] to have the same "
                   "number of elements, but got 3 and 4 elements respectively",
                   [] { dot(numbers({3}), numbers({4})); }),
      error<Error>("dot : expected both vectors to have same dtype, but found Float and Double",
                   [] { dot(numbers({3}), numbers({3}, kDouble)); })};

  OpCase o;
  o.name = "outer";
  o.samples = [](ScalarType t) {
    return std::vector{sample_of({{3}, {4}}, t), sample_of({{0}, {4}}, t)};
  };
  o.call = [](const Args& a) { return outer(a.t[0], a.t[1]); };
  o.reference = [](const ArrayArgs& a) {
    Array x = a.t[0], y = a.t[1];
    x.sizes.push_back(1);
    y.sizes.insert(y.sizes.begin(), 1);
    return multiply(x, y);
  };
  o.covers = {"ger"};
  o.errors = {error<Error>("outer: Expected 1-D argument self, but got 2-D", [] {
    outer(numbers({2, 3}), numbers({2}));
  })};
  return std::vector{m, d, o};
});

TAPER_OP_CASES(matmul_case, {
  OpCase c;
  c.name = "matmul";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    const std::vector<std::vector<std::vector<int64_t>>> shapes = {{{3}, {3}},
                                                                   {{2, 3}, {3}},
                                                                   {{3}, {3, 4}},
                                                                   {{2, 3}, {3, 4}},
                                                                   {{5, 2, 3}, {3}},
                                                                   {{5, 2, 3}, {3, 4}},
                                                                   {{3}, {5, 3, 4}},
                                                                   {{2, 3}, {5, 3, 4}},
                                                                   {{5, 2, 3}, {5, 3, 4}},
                                                                   {{6, 1, 2, 3}, {5, 3, 4}},
                                                                   {{2, 1, 2, 3}, {1, 3, 3, 2}},
                                                                   {{2, 2, 2, 3}, {3, 4}},
                                                                   {{0, 2, 3}, {3, 4}},
                                                                   {{2, 3}, {2, 2, 3, 4}}};
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t, kSmall));
    return list;
  };
  c.call = [](const Args& a) { return matmul(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return matmul_out(out, a.t[0], a.t[1]); };
  c.errors = {
      error<Error>("both arguments to matmul need to be at least 1D, but they are 0D and 1D",
                   [] { matmul(numbers({}), numbers({3})); }),
      error<Error>("The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
                   "dimension 0",
                   [] {
                     matmul(numbers({2, 3, 4}), numbers({3, 4, 5}));
                   }),
      error<Error>("mat1 and mat2 shapes cannot be multiplied (6x4 and 5x3)", [] {
        matmul(numbers({2, 3, 4}), numbers({5, 3}));
      })};
  return std::vector{c};
});

TAPER_OP_CASES(addmm_activation_case, {
  OpCase c;
  c.name = "_addmm_activation";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t beta : {1, 0, 2})
      for (const auto& s : std::vector<std::vector<std::vector<int64_t>>>{{{4}, {2, 3}, {3, 4}},
                                                                          {{}, {2, 3}, {3, 4}},
                                                                          {{4}, {0, 3}, {3, 4}},
                                                                          {{4}, {2, 0}, {0, 4}},
                                                                          {{33}, {7, 5}, {5, 33}}})
        list.push_back(sample_of(s, t, kSmall, {beta, 3 - beta}));
    return list;
  };
  c.call = [](const Args& a) { return _addmm_activation(a.t[0], a.t[1], a.t[2], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y = blend(a.t[0], multiply(a.t[1], a.t[2]), a.i[0], a.i[1]);
    for (double& v : y.v) v = std::max(v, 0.0);
    return y;
  };
  c.tolerance = 10;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x5)",
                           [] {
                             _addmm_activation(numbers({5}), numbers({3, 4}), numbers({5, 5}));
                           }),
              error<NotImplementedError>("not implemented for 'Long'", [] {
                _addmm_activation(numbers({5}, kLong), numbers({3, 4}, kLong),
                                  numbers({4, 5}, kLong), 1, 1, /*use_gelu=*/true);
              })};
  return std::vector{c};
});

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

TAPER_OP_CASES(linear_case, {
  OpCase c;
  c.name = "linear";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    const std::vector<std::vector<std::vector<int64_t>>> shapes = {
        {{2, 3}, {4, 3}, {4}},       {{2, 3}, {4, 3}},
        {{3}, {4, 3}, {4}},          {{3}, {4, 3}},
        {{2, 2, 3}, {4, 3}, {4}},    {{0, 3}, {4, 3}, {4}},
        {{4, 16}, {32, 16}, {32}},   {{4, 32}, {10, 32}, {10}},
        {{65, 130}, {70, 130}, {70}}};
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t, kSmall));
    return list;
  };
  c.call = [](const Args& a) { return linear(a.t[0], a.t[1], a.t.size() > 2 ? a.t[2] : Tensor()); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    Array y(x.sizes);
    y.sizes.back() = w.size(0);
    y = Array(y.sizes);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> in = at;
      double& sum = y.at(at) = a.t.size() > 2 ? a.t[2].at({at.back()}) : 0;
      for (int64_t k = 0; k < w.size(1); ++k) {
        in.back() = k;
        sum += x.at(in) * w.at({at.back(), k});
      }
    });
    return y;
  };
  c.tolerance = 40;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                           [] {
                             linear(numbers({2, 3}), numbers({5, 4}));
                           }),
              error<Error>("mat1 and mat2 must have the same dtype",
                           [] {
                             linear(numbers({2, 3}, kDouble), numbers({5, 3}), numbers({5}));
                           }),
              error<Error>("must match the existing size (4)", [] {
                linear(numbers({2, 3}), numbers({5, 3}), numbers({4}));
              })};
  return std::vector{c};
});

TAPER_OP_CASES(chain_case, {
  OpCase c;
  c.name = "chain_matmul";
  c.samples = [](ScalarType t) {
    return std::vector{sample_of({{2, 3}, {3, 4}, {4, 2}}, t, kSmall),
                       sample_of({{2, 3}}, t, kSmall),
                       sample_of({{5, 2}, {2, 6}, {6, 1}, {1, 3}}, t, kSmall)};
  };
  c.call = [](const Args& a) { return chain_matmul(a.t).clone(); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (size_t i = 1; i < a.t.size(); ++i) y = multiply(y, a.t[i]);
    return y;
  };
  c.errors = {error<Error>("Expected one or more matrices", [] { chain_matmul(TensorList()); })};
  return std::vector{c};
});

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

}  // namespace
}  // namespace taper::testing
