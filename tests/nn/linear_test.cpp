// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
namespace F = nn::functional;
using test::expect_values;
using test::message_of;
using test::ramp;

TEST(LinearModule, StartsWithPyTorchsNumbers) {
  manual_seed(0);
  Linear l(3, 4);
  expect_values(l->weight, {-0.004322517663240433, 0.3097158372402191, -0.4751853346824646,
                            -0.4248946011066437, -0.2223689705133438, 0.15482072532176971,
                            -0.011439144611358643, 0.45777493715286255, -0.05123639851808548,
                            0.1527741253376007, -0.1744827926158905, -0.11348707973957062});
  expect_values(
      l->bias, {-0.55157071352005, -0.3823687434196472, -0.2379971146583557, 0.021387115120887756});
}

TEST(LinearModule, IsAnAffineMap) {
  Linear l(3, 2);
  const Tensor x = ramp({2, 2, 3}, -5, 3);
  const Tensor y = l(x);
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 2, 2}));
  const Tensor by_hand = (x.unsqueeze(2) * l->weight).sum(-1) + l->bias;
  EXPECT_TRUE(y.allclose(by_hand));
  EXPECT_TRUE(F::linear(x, l->weight, l->bias).equal(y));
  Linear plain(LinearOptions(3, 2).bias(false));
  EXPECT_TRUE(plain(x).equal(F::linear(x, plain->weight)));
  EXPECT_THROW(l(zeros({2, 4})), Error);
}

TEST(LinearModule, WithoutInputsIsRefused) {
  EXPECT_EQ(message_of([] { Linear(0, 2); }), "uniform_: from is out of bounds for float");
}

TEST(LinearFunction, OfAWeightWithoutOutputs) {
  const Tensor w = (ramp({2}, 0, 1) * -9 + 10).requires_grad_();  // 10, 1
  const Tensor x = ramp({3, 1, 2}, 1, 1), y = F::linear(x, w);
  EXPECT_EQ(y.sizes(), IntArrayRef({3, 1}));
  expect_values(y, {12, 34, 56});
  expect_values(F::linear(x, w, full({1}, 100)), {112, 134, 156});
  EXPECT_EQ(F::linear(x[0][0], w).dim(), 0);
  y.sum().backward();
  expect_values(w.grad(), {9, 12});
  EXPECT_THROW(F::linear(x, ramp({3}, 0, 1)), Error);
}

TEST(BilinearModule, ValuesAndErrors) {
  manual_seed(0);
  Bilinear b(2, 3, 2);
  expect_values(b->weight, {-0.005293981172144413, 0.37932288646698, -0.5819807648658752,
                            -0.5203874707221985, -0.27234524488449097, 0.1896158903837204,
                            -0.014010033570230007, 0.5606575012207031, -0.06275151669979095,
                            0.1871093362569809, -0.2136969119310379, -0.13899271190166473});
  expect_values(b->bias, {-0.6755334138870239, -0.4683041572570801});
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 5.f}});
  const Tensor w = tensor({{{1.f, 2.f}, {3.f, 4.f}}}), bias = tensor({0.5f});
  expect_values(F::bilinear(x, x + 1, w, bias), {44.5, 228.5});
  EXPECT_EQ(F::bilinear(zeros({0, 4, 2}), zeros({0, 4, 2}), w).sizes(), IntArrayRef({0, 4, 1}));
  EXPECT_EQ(message_of([&] {
              F::bilinear(x, zeros({2, 3}), w);
            }),
            "bilinear(): input2 size does not match weight size: got 3 but expected 2");
  EXPECT_EQ(message_of([&] {
              F::bilinear(zeros({2, 3, 2}), zeros({3, 2, 2}), w);
            }),
            "bilinear(): input batch dimensions do not match at dim 0: got 2 and 3");
  EXPECT_EQ(message_of([&] { F::bilinear(x, x, w, zeros({2})); }),
            "bilinear(): bias size does not match weight size: got 2 but expected 1");
}

TEST(ShapeModules, FlattenUnflattenIdentity) {
  EXPECT_EQ(Flatten()(zeros({2, 3, 4})).sizes(), IntArrayRef({2, 12}));
  EXPECT_EQ(Flatten(FlattenOptions().start_dim(0).end_dim(1))(zeros({2, 3, 4})).sizes(),
            IntArrayRef({6, 4}));
  EXPECT_EQ(Unflatten(1, std::vector<int64_t>{2, 3})(zeros({2, 6})).sizes(),
            IntArrayRef({2, 2, 3}));
  const Tensor x = zeros({2});
  EXPECT_TRUE(Identity()(x).is_same(x));
}

TEST(BilinearModule, WithoutResultsOrSamples) {
  EXPECT_EQ(functional::bilinear(ones({4, 2}), ones({4, 3}), ones({0, 2, 3})).sizes(),
            IntArrayRef({4, 0}));
  EXPECT_EQ(functional::bilinear(ones({0, 2}), ones({0, 3}), ones({5, 2, 3})).sizes(),
            IntArrayRef({0, 5}));
}

TEST(Linear, TheBiasMayBeWhateverExpandsToTheResult) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}}), w = tensor({{1.f, 0.f}, {1.f, 1.f}});
  const auto with = [&](const Tensor& b) { return functional::linear(x, w, b); };
  Tensor number = tensor(10.f).requires_grad_();
  const Tensor y = with(number);
  expect_values(y, {11, 13, 13, 17});
  y.sum().backward();
  EXPECT_EQ(number.grad().dim(), 0);
  EXPECT_EQ(number.grad().item<float>(), 4);
  expect_values(with(tensor({{10.f, 20.f}})), {11, 23, 13, 27});
  expect_values(with(tensor({{10.f}, {20.f}})), {11, 13, 23, 27});
  EXPECT_NE(message_of([&] { with(ones({3})); }).find("expanded size"), std::string::npos);
  EXPECT_NE(message_of([&] { with(ones({2, 3})); }).find("xpand"), std::string::npos);
}

TEST(Unflatten, RefusesNamesOfDimensions) {
  testing::expect_error<NotImplementedError>(
      "UnflattenOptions: expected the number of a dimension and sizes, got the name 'b'", [] {
        Unflatten(UnflattenOptions("b", {{"b1", 2}, {"b2", 2}}));
      });
}

}  // namespace
}  // namespace torch::taper

namespace torch::taper::testing {
namespace {

using Sizes = std::vector<int64_t>;

TAPER_OP_CASES(bilinear_maps, {
  OpCase bilinear_map;
  bilinear_map.name = "bilinear";
  bilinear_map.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 2}, {3, 4}, {5, 2, 4}, {5}}, t),
                             sample_of({{2, 1, 3}, {2, 1, 2}, {1, 3, 2}, {1}}, t)};
  };
  bilinear_map.call = [](const Args& a) {
    return nn::functional::bilinear(a.t[0], a.t[1], a.t[2], a.t[3]);
  };
  bilinear_map.reference = [](const ArrayArgs& a) {
    Sizes sizes = a.t[0].sizes;
    sizes.back() = a.t[3].numel();
    Array y(sizes);
    for_each_index(sizes, [&](const Sizes& index) {
      const int64_t k = index.back();
      Sizes p = index, q = index;
      double sum = a.t[3].v[size_t(k)];
      for (p.back() = 0; p.back() < a.t[0].size(-1); ++p.back())
        for (q.back() = 0; q.back() < a.t[1].size(-1); ++q.back())
          sum += a.t[0].at(p) * a.t[2].at({k, p.back(), q.back()}) * a.t[1].at(q);
      y.at(index) = sum;
    });
    return y;
  };
  bilinear_map.tolerance = 8;
  return std::vector<OpCase>{bilinear_map};
});

}  // namespace
}  // namespace torch::taper::testing
