// Custom functions, reentrant backward, checkpointing.
#include <taper/framework/autograd/function.h>

#include "autograd/util.h"

namespace torch::taper::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;
using autograd::variable_list;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Cube : Function<Cube> {
  static Tensor forward(AutogradContext* ctx, Tensor x, double factor) {
    EXPECT_FALSE(GradMode::is_enabled());
    ctx->save_for_backward({x});
    ctx->saved_data["factor"] = factor;
    return x * x * x * scalar(factor);
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {g[0] * scalar(3 * ctx->saved_data["factor"].toDouble()) * x * x, Tensor()};
  }
};

TEST(CustomFunction, RunsForwardAndBackward) {
  Tensor x = leaf({1, 2});
  Tensor y = Cube::apply(x, 2.0);
  EXPECT_THAT(values_of(y), ElementsAre(2, 16));
  EXPECT_THAT(y.grad_fn()->name(), HasSubstr("Cube"));
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(6, 24));
}

TEST(CustomFunction, IsDifferentiableAgainWhenItsBackwardIs) {
  Tensor x = leaf({1, 2});
  const Tensor g = grad({Cube::apply(x, 2.0).sum()}, {x}, {}, true, true)[0];
  EXPECT_THAT(values_of(grad({g.sum()}, {x})[0]), ElementsAre(12, 24));
}

TEST(CustomFunction, RecordsNothingWithoutNeed) {
  EXPECT_FALSE(Cube::apply(doubles({1}), 2.0).requires_grad());
  NoGradGuard no_grad;
  EXPECT_FALSE(Cube::apply(leaf({1}), 2.0).requires_grad());
}

TEST(CustomFunction, SavedTensorsAreFreedAndChecked) {
  Tensor x = leaf({1, 2});
  Tensor y = Cube::apply(x, 1.0).sum();
  y.backward();
  EXPECT_THAT(message_of([&] { y.backward(); }), HasSubstr("a second time"));
  Tensor inner = x * scalar(1);
  Tensor z = Cube::apply(inner, 1.0).sum();
  inner.add_(scalar(1));
  EXPECT_THAT(message_of([&] { z.backward(); }), HasSubstr("modified by an inplace operation"));
}

struct TwoOutputs : Function<TwoOutputs> {
  static variable_list forward(AutogradContext* ctx, Tensor a, Tensor b) {
    ctx->save_for_backward({a, b});
    return {a + b, a * b};
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    EXPECT_EQ(g.size(), 2u);
    EXPECT_TRUE(g[0].defined() && g[1].defined());
    const variable_list s = ctx->get_saved_variables();
    return {g[0] + g[1] * s[1], g[0] + g[1] * s[0]};
  }
};

TEST(CustomFunction, UnusedOutputsGiveZeroGradients) {
  Tensor a = leaf({2, 3}), b = leaf({5, 7});
  const variable_list out = TwoOutputs::apply(a, b);
  out[1].sum().backward({}, true);
  EXPECT_THAT(values_of(a.grad()), ElementsAre(5, 7));
  out[0].sum().backward();
  EXPECT_THAT(values_of(a.grad()), ElementsAre(6, 8));
  EXPECT_THAT(values_of(b.grad()), ElementsAre(3, 4));
}

struct Undefined : Function<Undefined> {
  static variable_list forward(AutogradContext* ctx, Tensor a) {
    ctx->set_materialize_grads(false);
    return {a * scalar(1), a * scalar(2)};
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    EXPECT_TRUE(g[0].defined());
    EXPECT_FALSE(g[1].defined());
    return {g[0]};
  }
};

TEST(CustomFunction, MayAskForUndefinedGradients) {
  Tensor a = leaf({1});
  Undefined::apply(a)[0].sum().backward();
  EXPECT_THAT(values_of(a.grad()), ElementsAre(1));
}

struct InPlaceDouble : Function<InPlaceDouble> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(scalar(2));
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * scalar(2)}; }
};

TEST(CustomFunction, MayChangeAnInputThatItDeclares) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(1);
  Tensor z = InPlaceDouble::apply(y);
  EXPECT_TRUE(z.is_same(y));
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2, 2));
}

TEST(CustomFunction, DeclaringAnotherTensorThanAnInputWarns) {
  struct Fresh : Function<Fresh> {
    static Tensor forward(AutogradContext* ctx, Tensor x) {
      const Tensor y = x * scalar(2);
      ctx->mark_dirty({y});
      return y;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return g; }
  };
  expect_warning("Only input Tensors should be given to ctx.mark_dirty()",
                 [] { Fresh::apply(leaf({1})); });
}

TEST(CustomFunction, MayNotChangeAViewOfALeaf) {
  Tensor x = leaf({1, 2});
  EXPECT_THAT(message_of([&] { InPlaceDouble::apply(x.view({2})); }),
              HasSubstr("a view of a leaf Variable that requires grad"));
}

struct DirtyButNotReturned : Function<DirtyButNotReturned> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    ctx->mark_dirty({x});
    return x * scalar(1);
  }
  static variable_list backward(AutogradContext*, variable_list g) { return g; }
};

TEST(CustomFunction, MustReturnWhatItChanges) {
  EXPECT_THAT(message_of([] { DirtyButNotReturned::apply(leaf({1}) * scalar(1)); }),
              HasSubstr("Some elements marked as dirty during the forward method were not"));
}

struct ThreeTimes : Function<ThreeTimes> {
  static Tensor forward(AutogradContext*, Tensor x, bool as_it_is) {
    return as_it_is ? x : x.view({-1});
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    return {g[0] * scalar(3), Tensor()};
  }
};

// The function's backward would not be asked for what is written into its input or its output.
TEST(CustomFunction, NeitherAReturnedInputNorAViewOfItMayBeWritten) {
  for (bool as_it_is : {false, true}) {
    const Tensor x = leaf({1, 2}), inner = x * scalar(2), y = ThreeTimes::apply(inner, as_it_is);
    EXPECT_TRUE(y.is_view());
    EXPECT_EQ(y.grad_fn()->name().substr(0, 25), "torch::autograd::CppNode<");
    y.sum().backward({}, true);
    EXPECT_THAT(values_of(x.grad()), ElementsAre(6, 6));
    EXPECT_THAT(message_of([&] { y.mul_(scalar(2)); }),
                HasSubstr("This view was created inside a custom Function"));
    EXPECT_THAT(values_of(inner), ElementsAre(2, 4));
    inner.mul_(scalar(2));
    EXPECT_THAT(message_of([&] { (y * scalar(1)).sum().backward(); }),
                HasSubstr("A view was created inside a custom Function"));
  }
}

struct Needs : Function<Needs> {
  static Tensor forward(AutogradContext*, Tensor x, int64_t, optional<Tensor>, Tensor y) {
    return x * y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    EXPECT_FALSE(ctx->needs_input_grad(0));
    EXPECT_TRUE(ctx->needs_input_grad(1));
    EXPECT_THAT(message_of([&] { ctx->needs_input_grad(2); }), HasSubstr("Index out of range"));
    return {Tensor(), Tensor(), Tensor(), g[0]};
  }
};

TEST(CustomFunction, CountsTheTensorsAmongItsInputs) {
  Tensor y = leaf({1, 2});
  Needs::apply(doubles({1, 2}), 5, optional<Tensor>(), y).sum().backward();
  EXPECT_THAT(values_of(y.grad()), ElementsAre(1, 1));
}

// A graph that cannot be recorded holds nothing of what was to be in it.
struct Products : Function<Products> {
  static inline std::vector<bool> needed;
  static Tensor forward(AutogradContext* ctx, TensorList list, int) {
    ctx->save_for_backward(list.vec());
    return list[0] * list[1];
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const variable_list x = ctx->get_saved_variables();
    using Range = autograd::IndexRange;
    needed = {ctx->needs_input_grad({Range{0, 1}}), ctx->needs_input_grad({Range{1, 2}}),
              ctx->needs_input_grad({Range{0, 1}, Range{1, 2}})};
    return {g[0] * x[1], g[0] * x[0], Tensor()};
  }
};

TEST(CustomFunction, TakesAListOfTensorsAndRangesOfInputs) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const variable_list list = {x, y};
  Products::apply(TensorList(list), 7).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(3, 4));
  EXPECT_THAT(values_of(y.grad()), ElementsAre(1, 2));
  EXPECT_THAT(Products::needed, ElementsAre(true, true, true));
  const variable_list second = {doubles({5, 6}), y};
  Products::apply(TensorList(second), 7).sum().backward();
  EXPECT_THAT(Products::needed, ElementsAre(false, true, true));
  // Only what leads to the inputs of a pass is wanted.
  const auto alone = grad({Products::apply(TensorList(list), 7).sum()}, {x});
  EXPECT_THAT(values_of(alone[0]), ElementsAre(3, 4));
  EXPECT_THAT(Products::needed, ElementsAre(true, false, true));
}

TEST(CustomFunction, AnErrorWhileRecordingLeavesNothingBehind) {
  const Tensor x = leaf({1, 2}), inner = x * scalar(2), y = ThreeTimes::apply(inner, true);
  inner.mul_(scalar(2));  // y's history is lost
  const Tensor w = leaf({3, 4}) * scalar(1);
  const auto holders = [&] { return std::pair(w.use_count(), w.grad_fn().use_count()); };
  const auto before = holders();
  EXPECT_THAT(message_of([&] { y* w; }), HasSubstr("A view was created inside"));
  EXPECT_EQ(holders(), before);
  EXPECT_THAT(message_of([&] { w* y; }), HasSubstr("A view was created inside"));
  EXPECT_EQ(holders(), before);
  EXPECT_THAT(message_of([&] { Needs::apply(w, 0, nullopt, y); }),
              HasSubstr("A view was created inside"));
  EXPECT_EQ(holders(), before);
}

struct ComplexGradient : Function<ComplexGradient> {
  static Tensor forward(AutogradContext*, Tensor x) { return x * scalar(1); }
  static variable_list backward(AutogradContext*, variable_list g) {
    return {g[0].to(kComplexDouble)};
  }
};

TEST(CustomFunction, GivesRealInputsRealGradients) {
  EXPECT_THAT(message_of([] { ComplexGradient::apply(leaf({1})).sum().backward(); }),
              HasSubstr("expected a real gradient of Double, got ComplexDouble"));
}

struct WithIndex : Function<WithIndex> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    Tensor index = doubles({0, 1});
    ctx->mark_non_differentiable({index});
    return {x * scalar(1), index};
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};

TEST(CustomFunction, OutputsMayBeDeclaredWithoutGradient) {
  const variable_list out = WithIndex::apply(leaf({1, 2}));
  EXPECT_TRUE(out[0].requires_grad());
  EXPECT_FALSE(out[1].requires_grad());
}

struct WrongCount : Function<WrongCount> {
  static Tensor forward(AutogradContext*, Tensor x) { return x * scalar(1); }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0], g[0], g[0]}; }
};
struct Throws : Function<Throws> {
  static Tensor forward(AutogradContext*, Tensor x) { return x * scalar(1); }
  static variable_list backward(AutogradContext*, variable_list) {
    throw std::logic_error("in backward");
  }
};

TEST(CustomFunction, ErrorsInBackwardReachTheCaller) {
  Tensor x = leaf({1});
  EXPECT_THAT(message_of([&] { WrongCount::apply(x).sum().backward(); }), HasSubstr("gradients"));
  EXPECT_THROW(Throws::apply(x).sum().backward(), std::logic_error);
  // The engine works on afterwards.
  (x * scalar(2)).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2));
}

/// Keeps only the input of a section and runs it again in backward.
struct Checkpoint : Function<Checkpoint> {
  static Tensor section(const Tensor& x) { return (x.exp() * x).sin(); }
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    ctx->save_for_backward({x});
    return section(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    AutoGradMode enable(true);
    Tensor x = ctx->get_saved_variables()[0].detach().requires_grad_();
    section(x).backward(g[0]);
    return {x.grad()};
  }
};

TEST(Reentrant, CheckpointingGivesTheSameGradient) {
  Tensor x = leaf({0.1, 0.2}), y = leaf({0.1, 0.2});
  Checkpoint::section(Checkpoint::section(x)).sum().backward();
  Checkpoint::apply(Checkpoint::apply(y)).sum().backward();
  EXPECT_EQ(values_of(x.grad()), values_of(y.grad()));
}

struct Nested : Function<Nested> {
  static Tensor forward(AutogradContext* ctx, Tensor x, int64_t depth) {
    ctx->save_for_backward({x});
    ctx->saved_data["depth"] = depth;
    return x * scalar(1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    AutoGradMode enable(true);
    const int64_t depth = ctx->saved_data["depth"].toInt();
    Tensor x = ctx->get_saved_variables()[0].detach().requires_grad_();
    Tensor y = depth == 0 ? x * scalar(2) : Nested::apply(x, depth - 1);
    return {grad({y}, {x}, {g[0]})[0], Tensor()};
  }
};

TEST(Reentrant, ToADepthOfFifty) {
  Tensor x = leaf({1, 2});
  Nested::apply(x, int64_t{50}).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2, 2));
}

TEST(Reentrant, DeeperThanTheStack) {
  run_on_small_stack([] {
    const Tensor x = leaf({1, 2});
    Nested::apply(x, int64_t{3000}).sum().backward();
    EXPECT_THAT(values_of(x.grad()), ElementsAre(2, 2));
  });
}

TEST(Reentrant, ADeepErrorReachesTheCaller) {
  struct Fails : Function<Fails> {
    static Tensor forward(AutogradContext* ctx, Tensor x, int64_t depth) {
      ctx->saved_data["depth"] = depth;
      return x * scalar(1);
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
      const AutoGradMode enable(true);
      const int64_t depth = ctx->saved_data["depth"].toInt();
      if (depth == 0) throw std::out_of_range("the bottom");
      Fails::apply(leaf({1}), depth - 1).sum().backward();
      return {g[0], Tensor()};
    }
  };
  EXPECT_EQ(message_of<std::out_of_range>([] { Fails::apply(leaf({1}), int64_t{200}).backward(); }),
            "the bottom");
}

// The backward that a derivative starts is done before what else waits in the outer one.
TEST(Reentrant, ComesBeforeWhatWaits) {
  static std::vector<int> order;
  struct Last : Function<Last> {
    static Tensor forward(AutogradContext*, Tensor x) { return x.clone(); }
    static variable_list backward(AutogradContext*, variable_list g) {
      order.push_back(0);
      return g;
    }
  };
  struct First : Function<First> {
    static Tensor forward(AutogradContext* ctx, Tensor x, int64_t depth) {
      ctx->saved_data["depth"] = depth;
      return x.clone();
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
      order.push_back(1);
      const AutoGradMode enable(true);
      const int64_t depth = ctx->saved_data["depth"].toInt();
      if (depth > 0) First::apply(leaf({1}), depth - 1).backward();
      return {g[0], Tensor()};
    }
  };
  order.clear();
  const Tensor a = Last::apply(leaf({6})), b = First::apply(leaf({9}), int64_t{100});
  (a * b).backward();
  ASSERT_EQ(order.size(), 102u);
  EXPECT_EQ(order.back(), 0);
}

TEST(Reentrant, BackwardInAHookOfAnotherGraph) {
  Tensor x = leaf({1}), y = leaf({3});
  Tensor a = x * scalar(2);
  a.register_hook([&](const Tensor&) {
    AutoGradMode enable(true);
    (y * y).sum().backward();
  });
  a.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(2));
  EXPECT_THAT(values_of(y.grad()), ElementsAre(6));
}

struct AsItIs : Function<AsItIs> {
  static Tensor forward(AutogradContext*, Tensor x, Tensor) { return x; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0], g[0]}; }
};

TEST(CustomFunction, IsNamedWhereAViewThatItReturnedIsWritten) {
  const Tensor w = leaf({1, 2});
  for (const Tensor& x : {leaf({1, 2}), leaf({1, 2}).detach(), leaf({1, 2}) * scalar(1)}) {
    const Tensor y = AsItIs::apply(x, w);
    for (const std::string& part : {"Output 0 of torch::autograd::CppNode<", "AsItIs"})
      EXPECT_THAT(message_of([&] { y.mul_(scalar(2)); }), HasSubstr(part));
  }
}

}  // namespace
}  // namespace torch::taper::testing
