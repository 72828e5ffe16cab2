// backward and grad: what they add where, with every argument.
#include "autograd/util.h"

namespace torch::taper::testing {
namespace {

using autograd::backward;
using autograd::grad;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

TEST(Backward, AddsToTheGradientOfEveryLeaf) {
  Tensor x = leaf({1, 2, 3}), y = leaf({4, 5, 6});
  (x * y).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4, 5, 6));
  EXPECT_THAT(values_of(y.grad()), ElementsAre(1, 2, 3));
  (x * x).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(6, 9, 12));
  EXPECT_FALSE(x.grad().requires_grad());
}

TEST(Backward, AddsInPlaceSoThatHandlesToTheGradientSeeIt) {
  Tensor x = leaf({1, 2});
  x.sum().backward();
  const Tensor g = x.grad();
  x.sum().backward();
  EXPECT_TRUE(g.is_same(x.grad()));
  EXPECT_THAT(values_of(g), ElementsAre(2, 2));
}

TEST(Backward, AGradientTensorIsNeverSharedBetweenLeaves) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  (x + y).backward(doubles({1, 1}));
  EXPECT_FALSE(x.grad().is_alias_of(y.grad()));
  Tensor seed = doubles({1, 1});
  Tensor z = leaf({1, 2});
  z.alias().backward(seed);
  z.grad().add_(1);
  EXPECT_THAT(values_of(seed), ElementsAre(1, 1));
}

TEST(Backward, AGradientLiesInMemoryAsItsLeafDoes) {
  const auto strides_of_grad = [](const Tensor& x, const Tensor& y) {
    y.sum().backward();
    return x.grad().strides().vec();
  };
  Tensor x = leaf({1, 2, 3, 4, 5, 6}).detach().view({2, 3}).requires_grad_();
  EXPECT_THAT(strides_of_grad(x, x.t().contiguous()), ElementsAre(3, 1));
  Tensor t = x.detach().t().requires_grad_();
  EXPECT_THAT(strides_of_grad(t, t * scalar(2)), ElementsAre(1, 3));
  Tensor spread = x.detach().slice(1, 0, 3, 2).requires_grad_();
  EXPECT_THAT(strides_of_grad(spread, spread * scalar(2)), ElementsAre(2, 1));
}

TEST(Backward, UsesOneTensorTwiceAndThrice) {
  Tensor x = leaf({2, 3});
  Tensor y = x * x * x + x;
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(13, 28));
}

TEST(Backward, FreesTheGraphUnlessRetained) {
  Tensor x = leaf({2});
  Tensor y = (x * x).sum();
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(8));
  EXPECT_THAT(message_of([&] { y.backward(); }),
              HasSubstr("Trying to backward through the graph a second time"));
  // A sum saves nothing: it may run again.
  Tensor z = x.sum();
  z.backward();
  z.backward();
}

TEST(Backward, NeedsAGradientForARootOfSeveralElements) {
  Tensor x = leaf({1, 2});
  EXPECT_EQ(message_of([&] { x.exp().backward(); }),
            "grad can be implicitly created only for scalar outputs");
  EXPECT_EQ(message_of([&] { doubles({1}).backward(); }),
            "element 0 of tensors does not require grad and does not have a grad_fn");
  EXPECT_THAT(message_of([&] {
                x.exp().backward(doubles({1, 2, 3}));
              }),
              HasSubstr("hape"));  // "Mismatch in shape"
  x.mul(scalar(3)).backward(doubles({1, 10}));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(3, 30));
}

TEST(Backward, TakesGradientsThatConvertToTheRoots) {
  const auto gradient_for = [](const Tensor& given) {
    Tensor x = leaf({1, 2});
    (x * scalar(3)).backward(given);
    return values_of(x.grad());
  };
  EXPECT_THAT(gradient_for(values({1, 2}, kFloat)), ElementsAre(3, 6));
  EXPECT_THAT(gradient_for(values({1, 2}, kLong)), ElementsAre(3, 6));
  EXPECT_THAT(gradient_for(doubles({1, 2, 10, 20}).view({2, 2})), ElementsAre(33, 66));
  EXPECT_THAT(message_of([&] { gradient_for(doubles({1})); }), HasSubstr("Mismatch in shape"));
  EXPECT_THAT(message_of([&] {
                gradient_for(doubles({1, 2}).to(kComplexDouble));
              }),
              HasSubstr("grad_output[0]: expected a real gradient"));
}

TEST(Backward, WithInputsTouchesOnlyThose) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor inner = x * y;
  inner.sum().backward({}, true, false, std::vector<Tensor>{y});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THAT(values_of(y.grad()), ElementsAre(1, 2));
}

TEST(Backward, InputsMayBeInnerTensors) {
  const Tensor x = leaf({3}), y = leaf({5}), z = x * x, w = z * y;
  w.backward({}, /*retain_graph=*/true, false, std::vector<Tensor>{x, z});
  EXPECT_THAT(values_of(x.grad()), ElementsAre(30));
  EXPECT_THAT(values_of(z.grad()), ElementsAre(5));
  EXPECT_FALSE(y.grad().defined());
  w.backward({}, /*retain_graph=*/true, false,
             std::vector<Tensor>{z});  // it keeps its gradient from now on
  EXPECT_THAT(values_of(z.grad()), ElementsAre(10));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(30));
  const Tensor unused = y * y;
  w.backward({}, /*retain_graph=*/true, false, std::vector<Tensor>{unused});
  EXPECT_FALSE(unused.grad().defined());
  expect_error("can't retain_grad on Tensor that has requires_grad=False",
               [&] { w.backward({}, true, false, std::vector<Tensor>{doubles({1})}); });
  expect_error("'inputs' argument to backward cannot be empty",
               [&] { w.backward({}, true, false, std::vector<Tensor>()); });
}

TEST(Backward, TakesSeveralRoots) {
  Tensor x = leaf({1, 2});
  backward({x * scalar(2), (x * x).sum()}, {doubles({1, 10}), Tensor()});
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4, 24));
}

TEST(Backward, CreateGraphMakesAGradientWithHistory) {
  Tensor x = leaf({3});
  (x * x * x).sum().backward({}, nullopt, /*create_graph=*/true);
  ASSERT_TRUE(x.grad().requires_grad());
  Tensor first = x.grad();
  x.mutable_grad() = Tensor();
  first.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(18));
}

TEST(Backward, CreateGraphWarnsOfTheCycle) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  const std::string text = "Using backward() with create_graph=True will create a reference cycle";
  expect_warning(text, [&] { y.backward({}, nullopt, /*create_graph=*/true); });
  expect_warning(text, [&] { autograd::backward({y}, {}, nullopt, /*create_graph=*/true); });
  EXPECT_TRUE(warnings_of([&] { grad({y}, {x}, {}, true, /*create_graph=*/true); }).empty());
  x.mutable_grad() = Tensor();  // breaks the cycle
}

TEST(Backward, AnyOrderOfDerivative) {
  Tensor x = leaf({0.3, -0.7});
  Tensor y = x.sin();
  const std::vector<std::function<double(double)>> orders = {
      [](double v) { return std::cos(v); }, [](double v) { return -std::sin(v); },
      [](double v) { return -std::cos(v); }, [](double v) { return std::sin(v); }};
  for (const auto& f : orders) {
    y = grad({y.sum()}, {x}, {}, true, true)[0];
    EXPECT_THAT(values_of(y), ElementsAre(DoubleNear(f(0.3), 1e-14), DoubleNear(f(-0.7), 1e-14)));
  }
}

TEST(Grad, LeavesGradAlone) {
  Tensor x = leaf({1, 2});
  const Tensor g = grad({(x * x).sum()}, {x})[0];
  EXPECT_THAT(values_of(g), ElementsAre(2, 4));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(g.requires_grad());
}

TEST(Grad, OfInnerTensors) {
  Tensor x = leaf({1, 2});
  Tensor inner = x * scalar(3);
  Tensor y = (inner * inner).sum();
  const auto g = grad({y}, {inner, x});
  EXPECT_THAT(values_of(g[0]), ElementsAre(6, 12));
  EXPECT_THAT(values_of(g[1]), ElementsAre(18, 36));
}

TEST(Grad, OfTheRootItself) {
  Tensor x = leaf({1, 2});
  Tensor y = x.sum();
  EXPECT_THAT(values_of(grad({y}, {y})[0]), ElementsAre(1));
  EXPECT_THAT(values_of(grad({x}, {x}, {doubles({5, 6})})[0]), ElementsAre(5, 6));
}

TEST(Grad, OfTheSameInputTwice) {
  Tensor x = leaf({1, 2});
  const auto g = grad({(x * x).sum()}, {x, x});
  EXPECT_THAT(values_of(g[0]), ElementsAre(2, 4));
  EXPECT_THAT(values_of(g[1]), ElementsAre(2, 4));
}

TEST(Grad, UnusedInputsAreAnErrorUnlessAllowed) {
  Tensor x = leaf({1}), unused = leaf({1});
  Tensor y = (x * x).sum();
  EXPECT_THAT(message_of([&] { grad({y}, {unused}, {}, true); }),
              HasSubstr("One of the differentiated Tensors appears to not have been used in the "
                        "graph. Set allow_unused=True if this is the desired behavior."));
  EXPECT_THAT(message_of([&] { grad({y}, {doubles({1})}, {}, true); }),
              HasSubstr("not require grad"));
  const auto g = grad({y}, {x, unused}, {}, true, false, /*allow_unused=*/true);
  EXPECT_TRUE(g[0].defined());
  EXPECT_FALSE(g[1].defined());
}

TEST(Grad, DoesNotRunWhatLeadsNowhere) {
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor a = x * scalar(2), b = w * scalar(2);
  bool ran = false;
  b.register_hook([&](const Tensor&) { ran = true; });
  grad({(a + b).sum()}, {x});
  EXPECT_FALSE(ran);
}

TEST(Backward, BroadcastGradientsHaveTheLeafsSizes) {
  Tensor row = to_tensor(Array({1, 3}, 2), kDouble).requires_grad_();
  Tensor column = to_tensor(Array({2, 1}, 3), kDouble).requires_grad_();
  (row * column).sum().backward();
  EXPECT_EQ(row.grad().sizes().vec(), (std::vector<int64_t>{1, 3}));
  EXPECT_THAT(values_of(row.grad()), ElementsAre(6, 6, 6));
  EXPECT_THAT(values_of(column.grad()), ElementsAre(6, 6));
}

TEST(Backward, GradientsHaveTheLeafsDtype) {
  Tensor x = values({1, 2}, kFloat).requires_grad_();
  (x.to(kDouble) * scalar(3)).sum().backward();
  EXPECT_EQ(x.grad().scalar_type(), kFloat);
  EXPECT_THAT(values_of(x.grad()), ElementsAre(3, 3));
}

TEST(MutableGrad, MayBeSetAndReset) {
  Tensor x = leaf({1, 2});
  x.mutable_grad() = doubles({10, 20});
  x.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(11, 21));
  x.mutable_grad().reset();
  EXPECT_FALSE(x.grad().defined());
}

TEST(RetainGrad, KeepsTheGradientOfAnInnerTensor) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(3);
  y.retain_grad();
  EXPECT_TRUE(y.retains_grad());
  (y * y).sum().backward();
  EXPECT_THAT(values_of(y.grad()), ElementsAre(6, 12));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(18, 36));
}

TEST(RetainGrad, AskingForAGradientThatIsNotKeptWarns) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * x;
  expect_warning("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",
                 [&] { EXPECT_FALSE(y.grad().defined()); });
  y.retain_grad();
  EXPECT_TRUE(warnings_of([&] {
                y.grad();
                x.grad();
                x.detach().grad();
              }).empty());
}

TEST(RetainGrad, KeptGradientsAreTensorsOfTheirOwn) {
  Tensor x = leaf({1, 2});
  Tensor y = x + scalar(0), z = y + scalar(0);
  y.retain_grad();
  z.retain_grad();
  z.sum().backward();
  EXPECT_TRUE(z.grad().is_contiguous());  // what arrives is expanded
  z.grad().mul_(scalar(5));
  EXPECT_THAT(values_of(z.grad()), ElementsAre(5, 5));
  EXPECT_THAT(values_of(y.grad()), ElementsAre(1, 1));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 1));
}

}  // namespace
}  // namespace torch::taper::testing
