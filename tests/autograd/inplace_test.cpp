// In-place ops, views and versions: what is allowed, what it does to gradients, and LibTorch's
// words.
#include <taper/ops/elementwise/clamp.h>

#include "autograd/util.h"

namespace torch::taper::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

TEST(InPlace, OnALeafIsAnErrorUnlessNoGradIsOn) {
  Tensor x = leaf({1, 2});
  EXPECT_EQ(message_of([&] { x.add_(scalar(1)); }),
            "add: a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_EQ(
      message_of([&] { x.view({2}).add_(scalar(1)); }),
      "add: a view of a leaf Variable that requires grad is being used in an in-place operation.");
  NoGradGuard no_grad;
  x.add_(scalar(1));
  EXPECT_THAT(values_of(x), ElementsAre(2, 3));
  EXPECT_EQ(x._version(), 1);
}

TEST(InPlace, OnALeafThatIsAView) {
  const std::string words =
      "a view of a leaf Variable that requires grad is being used in an in-place operation.";
  Tensor x = doubles({1, 2, 3, 4}).view({2, 2}).requires_grad_();
  EXPECT_EQ(message_of([&] { x.mul_(scalar(2)); }), "mul: " + words);
  EXPECT_EQ(message_of([&] { x.view({4}).mul_(scalar(2)); }), "mul: " + words);
  EXPECT_THAT(values_of(x), ElementsAre(1, 2, 3, 4));
}

TEST(InPlace, WhatIsOverwrittenGetsAGradientOfZeros) {
  const auto grad_after = [](void (*overwrite)(Tensor&)) {
    Tensor x = leaf({1, 2}), y = x * scalar(3);
    overwrite(y);
    (y * y).sum().backward();
    return x.grad().defined() ? values_of(x.grad()) : std::vector<double>();
  };
  EXPECT_THAT(grad_after([](Tensor& y) { y.zero_(); }), ElementsAre(0, 0));
  EXPECT_THAT(grad_after([](Tensor& y) { y.fill_(2); }), ElementsAre(0, 0));
  EXPECT_THAT(grad_after([](Tensor& y) { y.fill_(scalar(2)); }), ElementsAre(0, 0));
  EXPECT_THAT(grad_after([](Tensor& y) { y.copy_(leaf({5, 6})); }), ElementsAre(0, 0));
}

TEST(InPlace, OnResultsThatOnlyLookLikeViews) {
  Tensor x = leaf({1, 2, 3, 4}).view({2, 2});
  for (Tensor y : {x.logsumexp(1), std::get<0>(x.slice(1, 0, 1).sort(0)), x.matmul(x[0])}) {
    EXPECT_FALSE(y.is_view());
    EXPECT_EQ(message_of([&] { y.mul_(scalar(2)); }), "no error");
  }
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

TEST(InPlace, ShowsTheNodeOfTheOp) {
  Tensor x = leaf({1, 2});
  const auto node = [&](const std::function<void(const Tensor&)>& op) {
    const Tensor y = x * scalar(1);
    op(y);
    return y.grad_fn()->name();
  };
  EXPECT_EQ(node([](const Tensor& y) { y.pow_(3); }), "PowBackward0");
  EXPECT_EQ(node([&](const Tensor& y) { y.pow_(x); }), "PowBackward1");
  EXPECT_EQ(node([&](const Tensor& y) { y.fmod_(x); }), "FmodBackward1");
  EXPECT_EQ(node([&](const Tensor& y) { y.div_(x, "floor"); }), "DivBackward2");
  EXPECT_EQ(node([](const Tensor& y) { y.div_(2, "trunc"); }), "DivBackward3");
  EXPECT_EQ(node([&](const Tensor& y) { y.lerp_(x, 0.5); }), "LerpBackward0");
  EXPECT_EQ(node([&](const Tensor& y) { y.addcmul_(x, x); }), "AddcmulBackward0");
  EXPECT_EQ(node([&](const Tensor& y) { y.eq_(x); }), "EqBackward1");
  EXPECT_EQ(node([](const Tensor& y) { y.greater_(1); }), "GtBackward0");
  EXPECT_EQ(node([&](const Tensor& y) { y.copy_(x); }), "torch::autograd::CopyBackwards");
}

TEST(InPlace, OfAComparisonHasAGradientOfZero) {
  Tensor x = leaf({1, 2}), y = leaf({1, 3});
  Tensor z = x * scalar(1);
  z.eq_(y);
  EXPECT_THAT(values_of(z), ElementsAre(1, 0));
  z.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(0, 0));
  EXPECT_THAT(values_of(y.grad()), ElementsAre(0, 0));
  Tensor whole = values({1, 2}, kLong);
  whole.eq_(y);  // the truth fits into any dtype, and an integral tensor has no history
  EXPECT_FALSE(whole.requires_grad());
}

TEST(InPlace, WithItselfAsTheOtherOperandKeepsWhatItOverwrites) {
  Tensor x = leaf({2, 3});
  for (int op = 0; op < 3; ++op) {
    Tensor y = x * scalar(1);
    if (op == 0) y.mul_(y);
    if (op == 1) y.div_(y);
    if (op == 2) y.view({2}).mul_(y);
    x.mutable_grad() = Tensor();
    y.sum().backward();
    if (op == 1)
      EXPECT_THAT(values_of(x.grad()), ElementsAre(0, 0));
    else
      EXPECT_THAT(values_of(x.grad()), ElementsAre(4, 6)) << op;
  }
}

TEST(InPlace, CanBeDifferentiatedAgain) {
  Tensor x = leaf({2, 3}), w = leaf({5, 7});
  Tensor y = x * scalar(1);
  y.mul_(w);
  const Tensor gw = autograd::grad({y.sum()}, {w}, {}, true, true)[0];
  EXPECT_THAT(values_of(gw), ElementsAre(2, 3));
  EXPECT_THAT(values_of(autograd::grad({gw.sum()}, {x})[0]), ElementsAre(1, 1));
}

TEST(InPlace, RefusesBeforeItChangesAnything) {
  Tensor x = values({1, 2, 3, 4}, kLong), half = values({0.5, 0.5, 0.5, 0.5}, kFloat);
  using NamedCalls = std::map<std::string, std::function<void()>>;
  for (const auto& [name, op] : NamedCalls{{"pow", [&] { x.pow_(half); }},
                                           {"remainder", [&] { x.remainder_(half); }},
                                           {"bitwise_and", [&] { x.bitwise_and_(half); }},
                                           {"atan2", [&] { x.atan2_(half); }},
                                           {"copysign", [&] { x.copysign_(2); }}})
    EXPECT_EQ(message_of(op),
              name + ": result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(message_of([&] { x.pow_(0.5); }), "pow: Found dtype Long but expected Float");
  Tensor column = doubles({1, 2, 3, 4}).view({4, 1}), row = doubles({1, 2, 3, 4});
  for (const auto& [name, op] : NamedCalls{{"pow", [&] { row.pow_(column); }},
                                           {"fmod", [&] { row.fmod_(column); }},
                                           {"eq", [&] { row.eq_(column); }},
                                           {"lerp", [&] { row.lerp_(column, 0.5); }},
                                           {"clamp", [&] { row.clamp_(optional<Tensor>(column)); }},
                                           {"addcdiv", [&] { row.addcdiv_(column, column); }}})
    EXPECT_EQ(message_of(op),
              name + ": output with shape [4] doesn't match the broadcast shape [4, 4]");
  Tensor zero = values({0, 0, 0, 0}, kLong);
  for (const auto& op : std::vector<std::function<void()>>{
           [&] { x.remainder_(zero); }, [&] { x.fmod_(0); }, [&] { x.div_(zero, "floor"); },
           [&] { x.floor_divide_(0); }})
    EXPECT_THAT(message_of(op), ::testing::EndsWith(": ZeroDivisionError"));
  EXPECT_THAT(values_of(x), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(x._version(), 0);
  EXPECT_EQ(row._version(), 0);
}

TEST(InPlace, RefusesOperandsThatOverlapInPart) {
  const std::string words =
      "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
      "a single memory location. Please clone() the tensor before performing the operation.";
  Tensor all = doubles({1, 2, 3, 4, 5, 6});
  const Tensor head = all.narrow(0, 0, 4), tail = all.narrow(0, 2, 4);
  EXPECT_EQ(message_of([&] { head.add_(tail); }), "add: " + words);
  EXPECT_EQ(message_of([&] { head.lerp_(tail, 0.5); }), "lerp: " + words);
  Tensor out = head;
  EXPECT_EQ(message_of([&] { mul_out(out, tail, tail); }), "mul: " + words);
  EXPECT_EQ(message_of([&] { exp_out(out, tail); }), "exp: " + words);
  EXPECT_THAT(values_of(all), ElementsAre(1, 2, 3, 4, 5, 6));
  // Elements that only lie between each other are fine.
  all.view({3, 2}).select(1, 0).add_(all.view({3, 2}).select(1, 1));
  EXPECT_THAT(values_of(all), ElementsAre(3, 2, 7, 4, 11, 6));
}

TEST(Out, ThatIsAnInputMayNotGrow) {
  Tensor x = doubles({1, 2});
  EXPECT_EQ(message_of([&] {
              add_out(x, x, doubles({1, 2}).view({2, 1}));
            }),
            "add: output with shape [2] doesn't match the broadcast shape [2, 2]");
  EXPECT_THAT(values_of(add_out(x, x, x)), ElementsAre(2, 4));
}

TEST(Out, IsMadeWhereUndefined) {
  Tensor sum, root, least;
  EXPECT_THAT(values_of(add_out(sum, doubles({1, 2}), 3)), ElementsAre(4, 5));
  EXPECT_THAT(values_of(sqrt_out(root, doubles({4}))), ElementsAre(2));
  EXPECT_THAT(values_of(clamp_min_out(least, doubles({4}), 5)), ElementsAre(5));
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

// Only the factor wants a gradient; the view, and its base, must be as before.
TEST(Views, OfManyOutputsAreNotWrittenBeforeTheyAreRefused) {
  const Tensor k = leaf({2, 2});
  const auto refused = [](const Tensor& base, const std::function<void()>& body) {
    EXPECT_THAT(message_of(body), HasSubstr("returns multiple views"));
    EXPECT_THAT(values_of(base), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(base._version(), 0);
  };
  const Tensor b = doubles({1, 2, 3, 4}), part = b.split(2)[0], one = b.unbind()[0];
  refused(b, [&] { part.mul_(k); });
  refused(b, [&] { part.add_(k); });
  refused(b, [&] { part.copy_(k); });
  refused(b, [&] { part.addcmul_(k, k); });
  refused(b, [&] { part.index_put_({values({0}, kLong)}, k.narrow(0, 0, 1)); });
  refused(b, [&] { one.mul_(k.sum()); });
  refused(b, [&] { one.fill_(k.sum()); });
  refused(b, [&] { part.masked_fill_(part.gt(0), k.sum()); });
}

// The other view's history is that of before the change, which its own kind could not have after.
TEST(Views, AnOperandMayBeAnotherViewOfTheSameBase) {
  const auto gradient = [](void (*change)(const Tensor& x, const Tensor& other)) {
    const Tensor x = leaf({1, 2, 3, 4}), base = (x * scalar(1)).view({2, 2});
    change(base.select(0, 0), base.unbind()[1]);
    (base * base).sum().backward();
    return values_of(x.grad());
  };
  EXPECT_THAT(gradient([](const Tensor& x, const Tensor& other) { x.add_(other); }),
              ElementsAre(8, 12, 14, 20));
  EXPECT_THAT(gradient([](const Tensor& x, const Tensor& other) { x.copy_(other); }),
              ElementsAre(0, 0, 12, 16));
  EXPECT_THAT(gradient([](const Tensor& x, const Tensor& other) { x.mul_(other); }),
              ElementsAre(18, 64, 12, 40));
}

TEST(Views, GeometryOfAViewOfALeafMayNotChange) {
  const std::string words =
      "a view of a leaf Variable that requires grad is being used in an in-place operation.";
  const Tensor x = leaf({1, 2}), view = x.view({1, 2});
  EXPECT_EQ(message_of([&] { view.squeeze_(); }), "squeeze_: " + words);
  EXPECT_EQ(message_of([&] { view.t_(); }), "t_: " + words);
  EXPECT_EQ(message_of([&] { view.transpose_(0, 1); }), "transpose_: " + words);
  EXPECT_EQ(message_of([&] { view.unsqueeze_(0); }), "unsqueeze_: " + words);
  EXPECT_EQ(view.sizes(), IntArrayRef({1, 2}));
  EXPECT_THAT(message_of([&] { (x * scalar(1)).split(1)[0].unsqueeze_(0); }),
              HasSubstr("returns multiple views"));
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

TEST(Views, ThatOverlapThemselvesMayBeFilled) {
  const Tensor x = doubles({1, 2}), rows = x.expand({3, 2});
  rows.fill_(5);
  EXPECT_THAT(values_of(x), ElementsAre(5, 5));
  rows.select(1, 0).zero_();
  EXPECT_THAT(values_of(x), ElementsAre(0, 5));
  const Tensor y = leaf({1, 2}), base = y * scalar(1);
  base.narrow(0, 0, 1).expand({3}).zero_();
  (base * base).sum().backward();
  EXPECT_THAT(values_of(y.grad()), ElementsAre(0, 4));
  EXPECT_THAT(message_of([&] { base.narrow(0, 0, 1).expand({3}).fill_(y.sum()); }),
              HasSubstr("refers to a single memory location"));
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

// y = exp(x) is written through a view, so that its derivative's derivative needs the saved view.
TEST(InPlace, OnAViewIsDifferentiatedTwice) {
  const auto second = [](const std::function<Tensor(const Tensor&)>& view, size_t n) {
    std::vector<double> start(n);
    for (size_t i = 0; i < n; ++i) start[i] = 0.1 * static_cast<double>(i + 1);
    Tensor x = leaf(start), base = x * scalar(2);
    view(base.view({2, static_cast<int64_t>(n) / 2})).exp_();
    const Tensor g = autograd::grad({base.sum()}, {x}, {}, true, true)[0];
    return values_of(autograd::grad({g.sum()}, {x})[0]);
  };
  const auto expected = [](std::vector<double> x) {
    for (double& v : x) v = v < 0 ? 0 : 4 * std::exp(2 * v);
    return Pointwise(::testing::DoubleNear(1e-12), x);
  };
  const auto transposed = [](const Tensor& t) { return t.t(); };
  const auto row = [](const Tensor& t) { return t.select(0, 1); };
  const auto columns = [](const Tensor& t) { return t.narrow(1, 0, 2); };
  EXPECT_THAT(second(transposed, 6), expected({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
  EXPECT_THAT(second(row, 6), expected({-1, -1, -1, 0.4, 0.5, 0.6}));
  EXPECT_THAT(second(columns, 6), expected({0.1, 0.2, -1, 0.4, 0.5, -1}));
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

// The base of a written view may itself lie in memory with gaps, and be no view: a detached one.
TEST(Inplace, ViewsOfABaseWithGaps) {
  const Tensor base = counting({2, 6}, kDouble).slice(1, 0, 6, 2).detach();
  const Tensor w = ones({3}, kDouble).requires_grad_();
  base.select(0, 1).copy_(w * 2);
  (base * base).sum().backward();
  expect_values(w.grad(), {3}, {8, 8, 8});
  const Tensor x = ones({2, 3}, kDouble).requires_grad_();
  const Tensor other = zeros({2, 6}, kDouble).slice(1, 0, 6, 2).detach();
  other.add_(x);
  other.select(0, 1).mul_(3);
  const Tensor g = autograd::grad({(other * other * other).sum()}, {x}, {}, true, true)[0];
  expect_values(g, {2, 3}, {3, 3, 3, 81, 81, 81});
  g.sum().backward();
  expect_values(x.grad(), {2, 3}, {6, 6, 6, 162, 162, 162});
}

TEST(Inplace, ABaseThatOverlapsItselfIsRefused) {
  const Tensor w = ones({3}, kDouble).requires_grad_();
  for (const Tensor& base : {counting({3}, kDouble).expand({2, 3}).detach(),
                             counting({5}, kDouble).unfold(0, 3, 1).detach()}) {
    const std::vector<double> before = values_of(base);
    expect_error("copy_: unsupported operation: more than one element of the base",
                 [&] { base.select(0, 1).copy_(w * 2); });
    EXPECT_EQ(values_of(base), before);
    base.select(0, 1).fill_(7);  // without history it may be written
    EXPECT_EQ(base[0][1].item<double>(), 7);
  }
}

}  // namespace
}  // namespace torch::taper::testing
