// Gradient modes, detach, leaves.
#include <thread>

#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index.h>
#include <taper/ops/tensor/cat.h>

#include "autograd/util.h"

namespace torch::taper::testing {
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

TEST(InferenceModes, NothingIsRecordedOfInferenceTensorsAlone) {
  Tensor a, b;
  {
    const InferenceMode inference;
    a = doubles({1, 2}).set_requires_grad(true);
    b = doubles({3, 4});
  }
  EXPECT_TRUE(a.requires_grad());
  for (const Tensor& y : {a * a, a * b, a + b, a.sum(), stack({a, b})}) {
    EXPECT_FALSE(y.requires_grad());
    EXPECT_FALSE(y.is_inference());
  }
  const Tensor view = a.view({2, 1});
  EXPECT_TRUE(view.is_inference() && view.is_leaf());
  EXPECT_FALSE(view.requires_grad() || view.is_view());
  // With a normal tensor it is a leaf like others, but for what would be saved.
  const Tensor y = a + doubles({5, 6});
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  EXPECT_THAT(values_of(a.grad()), ElementsAre(1, 1));
  EXPECT_TRUE((a * doubles({5, 6})).requires_grad());  // saves the other factor
  EXPECT_THAT(message_of([&] { leaf({5, 6}) * b; }), HasSubstr("cannot be saved"));
}

TEST(InferenceModes, NothingIsRecordedWhateverTheGradientMode) {
  const Tensor x = leaf({1, 2});
  const InferenceMode inference;
  const autograd::AutoGradMode on(true);
  const Tensor y = x * x;
  EXPECT_TRUE(y.is_inference());
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(stack({x, x}).requires_grad());
  x.add_(1);  // a leaf, but nothing would be recorded
  EXPECT_THAT(values_of(x), ElementsAre(2, 3));
}

TEST(InferenceModes, InferenceTensorsKeepTheirShapeOutside) {
  Tensor a;
  {
    const InferenceMode inference;
    a = doubles({1, 2});
  }
  const std::string text = "Inplace update to inference tensor outside InferenceMode";
  expect_error(text, [&] { a.resize_({3}); });
  expect_error(text, [&] { a.set_(); });
  expect_error(text, [&] { a.as_strided_({1}, {1}); });
  EXPECT_THAT(values_of(a), ElementsAre(1, 2));
}

TEST(InferenceModes, AViewOfALeafSaysWhereItWasMade) {
  const Tensor x = leaf({1, 2});
  Tensor view;
  {
    const InferenceMode inference;
    view = x.view_as(x);
  }
  const std::string text = "A view was created in inference mode and is being modified inplace";
  EXPECT_THAT(message_of([&] { view.add_(1); }), HasSubstr(text));
  Tensor second;
  {
    const NoGradGuard no_grad;
    second = view.view_as(view);
  }
  EXPECT_THAT(message_of([&] { second.add_(1); }), HasSubstr(text));
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

// What a derivative keeps must be found before the values that it belongs to are overwritten.
TEST(InferenceModes, AnInPlaceOpThatMayNotSaveChangesNothing) {
  Tensor other, mask, index;
  {
    const InferenceMode inference;
    other = doubles({2, 3});
    mask = values({1, 0}, kBool);
    index = values({1, 0}, kLong);
  }
  const auto refuses = [&](const char* name, auto change) {
    const Tensor x = leaf({5, 7}).clone();
    const int64_t version = x._version();
    EXPECT_THAT(message_of([&] { change(x); }), HasSubstr("Inference tensors cannot be saved"))
        << name;
    EXPECT_THAT(values_of(x), ElementsAre(5, 7)) << name;
    EXPECT_EQ(x._version(), version) << name;
  };
  refuses("mul_", [&](const Tensor& x) { x.mul_(other); });
  refuses("div_", [&](const Tensor& x) { x.div_(other); });
  refuses("pow_", [&](const Tensor& x) { x.pow_(other); });
  refuses("atan2_", [&](const Tensor& x) { x.atan2_(other); });
  refuses("addcmul_", [&](const Tensor& x) { x.addcmul_(other, leaf({1, 2})); });
  refuses("masked_fill_", [&](const Tensor& x) { x.masked_fill_(mask, 1); });
  refuses("masked_fill_", [&](const Tensor& x) { x.masked_fill_(mask, scalar(1)); });
  refuses("masked_scatter_", [&](const Tensor& x) { x.masked_scatter_(mask, doubles({1, 2})); });
  refuses("index_fill_", [&](const Tensor& x) { x.index_fill_(0, index, 1); });
  refuses("index_add_", [&](const Tensor& x) { x.index_add_(0, index, doubles({1, 2})); });
  refuses("index_copy_", [&](const Tensor& x) { x.index_copy_(0, index, doubles({1, 2})); });
  refuses("index_put_", [&](const Tensor& x) { x.index_put_({index}, doubles({1, 2})); });
  refuses("scatter_", [&](const Tensor& x) { x.scatter_(0, index, doubles({1, 2})); });
  refuses("scatter_", [&](const Tensor& x) { x.scatter_(0, index, 3); });
  refuses("scatter_add_", [&](const Tensor& x) { x.scatter_add_(0, index, doubles({1, 2})); });
  refuses("scatter_ product", [&](const Tensor& x) {
    x.scatter_(0, values({1, 0}, kLong), other, "multiply");
  });
  const Tensor x = leaf({5, 7}).clone();
  x.add_(other).sub_(other).copy_(other);  // these save nothing
  EXPECT_THAT(values_of(x), ElementsAre(2, 3));
  const Tensor constant = doubles({5, 7});
  constant.mul_(other).masked_fill_(mask, 1);  // nothing is recorded
  EXPECT_THAT(values_of(constant), ElementsAre(1, 21));
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

TEST(Data, AsTensorDataCountsItsChanges) {
  const Tensor x = leaf({1, 2}), y = x * x, shared = x.tensor_data();
  EXPECT_FALSE(shared.requires_grad() || shared.is_view());
  shared.mul_(scalar(10));
  EXPECT_EQ(x._version(), 1);
  x.variable_data().mul_(scalar(10));
  EXPECT_EQ(x._version(), 1);
  EXPECT_THAT(message_of([&] { y.sum().backward(); }),
              HasSubstr("modified by an inplace operation"));
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

TEST(Leaves, AreMadeFromOtherTensorsMemory) {
  const Tensor x = leaf({1, 2}), y = x * x;
  const Tensor z = autograd::make_variable(y.tensor_data(), /*requires_grad=*/true);
  EXPECT_TRUE(z.is_leaf() && z.requires_grad());
  EXPECT_EQ(z.data_ptr(), y.data_ptr());
  EXPECT_FALSE(autograd::make_variable(y).requires_grad());
  EXPECT_FALSE(autograd::make_variable(Tensor(), true).defined());
  z.sum().backward();
  EXPECT_THAT(values_of(z.grad()), ElementsAre(1, 1));
  EXPECT_FALSE(x.grad().defined());
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
}  // namespace torch::taper::testing
