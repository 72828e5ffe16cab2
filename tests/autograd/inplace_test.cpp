// In-place ops, views and versions: what is allowed, what it does to gradients, and LibTorch's
// words.
#include "autograd/util.h"

namespace taper::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(InPlace, OnALeafIsAnErrorUnlessNoGradIsOn) {
  Tensor x = leaf({1, 2});
  EXPECT_EQ(message_of([&] { x.add_(scalar(1)); }),
            "a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_EQ(message_of([&] { x.view({2}).add_(scalar(1)); }),
            "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  NoGradGuard no_grad;
  x.add_(scalar(1));
  EXPECT_THAT(values_of(x), ElementsAre(2, 3));
  EXPECT_EQ(x._version(), 1);
}

TEST(InPlace, RewritesTheHistory) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(1);
  y.mul_(scalar(3));
  EXPECT_EQ(y.grad_fn()->name().substr(0, 3), "Mul");
  y.add_(x);
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4, 4));
}

TEST(InPlace, GivesAPlainTensorAHistory) {
  Tensor x = leaf({1, 2});
  Tensor y = doubles({10, 10});
  y.add_(x);
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 1));
}

TEST(Versions, CountChangesAndAreSharedByViews) {
  Tensor x = doubles({1, 2, 3, 4});
  Tensor v = x.view({2, 2});
  EXPECT_EQ(x._version(), 0);
  v.add_(scalar(1));
  x.mul_(scalar(2));
  EXPECT_EQ(x._version(), 2);
  EXPECT_EQ(v._version(), 2);
  EXPECT_EQ(v.clone()._version(), 0);
}

TEST(Versions, AChangedInputIsReportedByName) {
  Tensor x = leaf({1, 2, 3});
  Tensor y = x * scalar(2);
  Tensor z = y * y;
  y.mul_(scalar(3));
  EXPECT_THAT(
      message_of([&] { z.sum().backward(); }),
      HasSubstr("one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [CPUDoubleType [3]], which is output 0 of " +
                y.grad_fn()->name() + ", is at version 1; expected version 0 instead."));
}

TEST(Versions, AChangedOutputIsReported) {
  Tensor x = leaf({1, 2});
  Tensor y = x.exp();
  y.add_(scalar(1));
  EXPECT_THAT(message_of([&] { y.sum().backward(); }),
              HasSubstr("which is output 0 of ExpBackward0, is at version 1; expected version 0"));
}

TEST(Versions, AChangeOfWhatIsNotSavedIsFine) {
  Tensor x = leaf({1, 2});
  Tensor y = x + x;
  Tensor z = y + scalar(1);
  y.mul_(scalar(5));
  z.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2, 2));
}

TEST(Views, OfABaseChangeItsGradient) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor base = x * scalar(1);
  base.narrow(0, 1, 2).mul_(scalar(10));
  EXPECT_EQ(base.grad_fn()->name(), "torch::autograd::CopySlices");
  base.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 10, 10, 1));
}

TEST(Views, SeeTheChangeOfTheirBase) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor base = x * scalar(1);
  Tensor view = base.narrow(0, 1, 2);
  base.mul_(scalar(10));
  view.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(0, 10, 10, 0));
}

TEST(Views, SeeTheChangeOfASibling) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor base = x * scalar(1);
  Tensor a = base.narrow(0, 0, 3), b = base.narrow(0, 1, 3);
  a.mul_(scalar(10));
  b.mul_(scalar(2));
  a.sum().backward({}, true);
  EXPECT_THAT(values_of(x.grad()), ElementsAre(10, 20, 20, 0));
}

TEST(Views, OfViewsShareOneBase) {
  Tensor x = doubles({1, 2, 3, 4, 5, 6});
  Tensor v = x.view({2, 3}).select(0, 1).narrow(0, 1, 2);
  EXPECT_TRUE(v.is_view());
  EXPECT_TRUE(v._base().is_same(x));
  EXPECT_FALSE(x.is_view());
}

TEST(Views, WrittenWithADifferentiableTensor) {
  Tensor x = leaf({7, 8});
  Tensor base = doubles({1, 2, 3, 4});
  base.narrow(0, 1, 2).copy_(x * x);
  EXPECT_TRUE(base.requires_grad());
  (base * base).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4 * 343, 4 * 512));
}

TEST(Views, OfManyOutputsMayNotBeWritten) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor base = x * scalar(1);
  const auto text = [](const char* name) {
    return std::string("Output 0 of ") + name +
           " is a view and is being modified inplace. This view is the output of a function that "
           "returns multiple views. Such functions do not allow the output views to be modified "
           "inplace. You should replace the inplace operation by an out-of-place one.";
  };
  EXPECT_EQ(message_of([&] { base.unbind()[0].mul_(scalar(2)); }), text("UnbindBackward0"));
  EXPECT_EQ(message_of([&] { base.split(2)[0].mul_(scalar(2)); }), text("SplitBackward0"));
}

TEST(Views, MadeWithoutGradMayNotBeWrittenWithIt) {
  Tensor x = leaf({1, 2});
  Tensor base = x * scalar(1);
  Tensor view;
  {
    NoGradGuard no_grad;
    view = base.view({2});
    view.mul_(scalar(1));
  }
  EXPECT_THAT(message_of([&] { view.mul_(scalar(2)); }),
              HasSubstr("A view was created in no_grad mode and is being modified inplace with "
                        "grad mode enabled."));
}

TEST(Views, WithoutGradientAreFreeToBeWritten) {
  Tensor x = doubles({1, 2, 3, 4});
  for (const Tensor& part : x.unbind()) part.mul_(scalar(2));
  EXPECT_THAT(values_of(x), ElementsAre(2, 4, 6, 8));
}

TEST(Views, ThatOverlapThemselvesMayNotBeWritten) {
  EXPECT_THAT(message_of([&] { doubles({1}).expand({3}).add_(scalar(1)); }),
              HasSubstr("unsupported operation: more than one element of the written-to tensor "
                        "refers to a single memory location."));
}

TEST(Views, BroadcastIntoInPlaceMayNotGrowTheTensor) {
  Tensor x = doubles({1});
  EXPECT_THAT(message_of([&] {
                x.add_(doubles({1, 2, 3}));
              }),
              HasSubstr("output with shape [1] doesn't match the broadcast shape [3]"));
}

TEST(InPlace, NeverFromFloatingToIntegral) {
  Tensor x = values({1}, kLong);
  EXPECT_THAT(message_of([&] { x.add_(values({0.5}, kFloat)); }),
              HasSubstr("result type Float can't be cast to the desired output type Long"));
}

TEST(InPlace, AssignmentToAnIndexWritesIntoTheTensor) {
  Tensor x = leaf({1, 2, 3});
  Tensor y = x * scalar(2);
  y[1] = scalar(100);
  EXPECT_THAT(values_of(y), ElementsAre(2, 100, 6));
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2, 0, 2));
}

TEST(InPlace, OfATransposedViewOfABase) {
  Tensor x = to_tensor(Array({2, 3}, 1), kDouble).requires_grad_();
  Tensor base = x * scalar(1);
  base.t().select(0, 1).mul_(scalar(4));
  base.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 4, 1, 1, 4, 1));
}

TEST(InPlace, UnderNoGradChangesTheVersion) {
  Tensor x = leaf({1, 2});
  Tensor y = x * x;
  {
    NoGradGuard no_grad;
    x.add_(scalar(1));
  }
  EXPECT_THAT(message_of([&] { y.sum().backward(); }),
              HasSubstr("[CPUDoubleType [2]] is at version 1; expected version 0 instead"));
}

}  // namespace
}  // namespace taper::testing
