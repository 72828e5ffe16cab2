// Gradient modes, detach, leaves.
#include <thread>

#include "autograd/util.h"

namespace taper::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GradModes, NoGradRecordsNothing) {
  Tensor x = leaf({1});
  {
    NoGradGuard no_grad;
    EXPECT_FALSE(GradMode::is_enabled());
    EXPECT_FALSE((x * x).requires_grad());
    {
      AutoGradMode enable(true);
      EXPECT_TRUE((x * x).requires_grad());
    }
    EXPECT_TRUE(leaf({1}).requires_grad());
  }
  EXPECT_TRUE((x * x).requires_grad());
}

TEST(GradModes, ComeBackAfterAnException) {
  try {
    NoGradGuard no_grad;
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(GradModes, BelongToTheThread) {
  NoGradGuard no_grad;
  bool elsewhere = false;
  std::thread([&] { elsewhere = GradMode::is_enabled(); }).join();
  EXPECT_TRUE(elsewhere);
}

TEST(GradModes, BackwardRunsWithoutRecording) {
  Tensor x = leaf({2});
  bool recording = true;
  Tensor y = x * x;
  y.register_hook([&](const Tensor&) { recording = GradMode::is_enabled(); });
  y.sum().backward();
  EXPECT_FALSE(recording);
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(InferenceModes, MakeTensorsThatNeverEnterAGraph) {
  Tensor x = leaf({1, 2});
  Tensor made;
  {
    InferenceMode guard;
    EXPECT_TRUE(InferenceMode::is_enabled());
    made = x * x;
    EXPECT_TRUE(made.is_inference());
    EXPECT_FALSE(made.requires_grad());
    made.add_(scalar(1));
    EXPECT_FALSE(x.is_inference());
  }
  EXPECT_FALSE(InferenceMode::is_enabled());
  EXPECT_THAT(message_of([&] { x* made; }),
              HasSubstr("Inference tensors cannot be saved for backward. To work around you can "
                        "make a clone"));
  EXPECT_THAT(message_of([&] { made.add_(scalar(1)); }),
              HasSubstr("Inplace update to inference tensor outside InferenceMode is not allowed"));
  EXPECT_THROW(made.set_requires_grad(true), Error);
  EXPECT_TRUE((x * made.clone()).requires_grad());
  // Nothing is saved by a sum: allowed.
  EXPECT_TRUE((x + made).requires_grad());
}

TEST(InferenceModes, NormalTensorsStayNormal) {
  Tensor x = leaf({1, 2});
  Tensor y = x * x;
  {
    InferenceMode guard;
    Tensor view = y.view({2});
    EXPECT_FALSE(view.is_inference());
  }
  InferenceMode guard;
  InferenceMode off(false);
  EXPECT_TRUE((x * x).requires_grad());
}

TEST(InferenceModes, ViewsOfNormalTensorsMayNotBeWrittenOutside) {
  Tensor x = leaf({1, 2}), y = x * scalar(2), view;
  {
    const InferenceMode inference;
    view = y.view({2});
    view.add_(scalar(1));
  }
  EXPECT_TRUE(view.is_view());
  EXPECT_FALSE(view.is_inference());
  EXPECT_THAT(message_of([&] { view.add_(scalar(1)); }),
              HasSubstr("A view was created in inference mode and is being modified inplace in "
                        "normal mode."));
  y.mul_(scalar(2));
  EXPECT_THAT(message_of([&] { view.grad_fn(); }),
              HasSubstr("A view was created in inference mode and its base or another view"));
  EXPECT_THAT(values_of(y), ElementsAre(6, 10));
}

TEST(InferenceModes, InferenceTensorsTakeNoResultsOutside) {
  Tensor out;
  {
    const InferenceMode inference;
    out = doubles({1, 2});
    add_out(out, out, out);
  }
  EXPECT_THAT(message_of([&] {
                add_out(out, doubles({1, 2}), doubles({1, 2}));
              }),
              HasSubstr("Inplace update to inference tensor outside InferenceMode"));
  EXPECT_THAT(values_of(out), ElementsAre(2, 4));
}

TEST(Detach, SharesDataAndVersionButNotHistory) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(2);
  Tensor d = y.detach();
  EXPECT_FALSE(d.requires_grad());
  EXPECT_TRUE(d.is_leaf());
  EXPECT_TRUE(d.is_alias_of(y));
  Tensor z = y * y;
  d.add_(scalar(1));
  EXPECT_EQ(d._version(), y._version());
  EXPECT_THAT(message_of([&] { z.sum().backward(); }),
              HasSubstr("modified by an inplace operation"));
}

TEST(Detach, InPlaceCutsTheGraph) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(2);
  y.detach_();
  EXPECT_TRUE(y.is_leaf());
  EXPECT_FALSE(y.requires_grad());
  EXPECT_THROW(x.mul(scalar(1)).view({2}).detach_(), Error);
}

TEST(Data, IsInvisibleToAutograd) {
  Tensor x = leaf({1, 2});
  Tensor y = x * x;
  const auto version = x._version();
  x.data().mul_(scalar(10));
  EXPECT_EQ(x._version(), version);
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(20, 40));
}

TEST(SetData, KeepsTheLeafAndItsGradient) {
  Tensor x = leaf({1, 2});
  x.sum().backward();
  x.set_data(doubles({5, 6}));
  EXPECT_THAT(values_of(x), ElementsAre(5, 6));
  EXPECT_TRUE(x.requires_grad());
  EXPECT_THAT(values_of(x.grad()), ElementsAre(1, 1));
}

TEST(Leaves, AreWhatNoOpMade) {
  Tensor x = leaf({1});
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(x.grad_fn());
  EXPECT_TRUE(doubles({1}).is_leaf());
  EXPECT_FALSE((x * x).is_leaf());
  EXPECT_TRUE((x * x).detach().is_leaf());
  EXPECT_TRUE((doubles({1}) * doubles({1})).is_leaf());
}

TEST(Leaves, MustBeFloatingToRequireAGradient) {
  for (ScalarType t : {kBool, kByte, kChar, kShort, kInt, kLong})
    EXPECT_EQ(message_of([&] { values({1}, t).requires_grad_(); }),
              "Only Tensors of floating point and complex dtype can require gradients");
  for (ScalarType t : {kHalf, kBFloat16, kFloat, kDouble})
    EXPECT_TRUE(values({1}, t).requires_grad_().requires_grad());
  EXPECT_FALSE(leaf({1}).requires_grad_(false).requires_grad());
}

TEST(Leaves, IndicesHaveNoHistory) {
  Tensor x = leaf({3, 1, 2});
  EXPECT_FALSE((x > scalar(1)).requires_grad());
  EXPECT_FALSE(x.to(kLong).requires_grad());
}

TEST(SetRequiresGrad, LeavesResultsOfOpsAlone) {
  const Tensor y = values({1}).requires_grad_().mul(2);
  EXPECT_TRUE(y.set_requires_grad(false).requires_grad());
  expect_error("you can only change requires_grad flags of leaf variables",
               [&] { y.requires_grad_(false); });
}

TEST(InferenceModes, TensorsHaveNoVersion) {
  const InferenceMode inference;
  expect_error("Inference tensors do not track version counter.", [] { values({1})._version(); });
}

}  // namespace
}  // namespace taper::testing
