#include "autograd/util.h"

namespace torch::taper::testing {
namespace {

using ::testing::ElementsAre;

TEST(TensorHook, SeesAndReplacesTheGradient) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(3);
  std::vector<double> seen;
  y.register_hook([&](const Tensor& g) { seen = values_of(g); });
  y.register_hook([](Tensor g) { return g * scalar(10); });
  y.sum().backward();
  EXPECT_THAT(seen, ElementsAre(1, 1));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(30, 30));
}

TEST(TensorHook, RunsOnceWithTheCompleteGradient) {
  Tensor x = leaf({2});
  Tensor y = x * scalar(1);
  int calls = 0;
  double seen = 0;
  y.register_hook([&](const Tensor& g) {
    ++calls;
    seen = values_of(g)[0];
  });
  (y * scalar(3) + y * scalar(4)).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, 7);
}

TEST(TensorHook, OnALeafRunsBeforeItAccumulates) {
  Tensor x = leaf({1});
  x.register_hook([](Tensor g) { return g * scalar(5); });
  (x * scalar(2)).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(10));
  (x * scalar(2)).sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(20));
}

TEST(TensorHook, CanBeRemoved) {
  Tensor x = leaf({1});
  Tensor y = x * scalar(2);
  int first = 0, second = 0;
  const unsigned a = y.register_hook([&](const Tensor&) { ++first; });
  y.register_hook([&](const Tensor&) { ++second; });
  y.sum().backward({}, true);
  y.remove_hook(a);
  y.sum().backward();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST(TensorHook, OfAnInnerTensorIsRemovedByAnIdThatItHas) {
  Tensor x = leaf({1});
  Tensor y = x * scalar(2);
  EXPECT_THROW(y.remove_hook(0), Error);
  int calls = 0;
  const unsigned a = y.register_hook([&](const Tensor&) { ++calls; });
  try {
    y.remove_hook(a + 1);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("Invalid index, no hook at position 1"),
              std::string::npos);
  }
  y.remove_hook(a);
  y.remove_hook(a);
  // An id is not given twice.
  EXPECT_NE(y.register_hook([&](const Tensor&) { calls += 10; }), a);
  y.sum().backward();
  EXPECT_EQ(calls, 10);
}

TEST(TensorHook, NeedsATensorThatRequiresAGradient) {
  EXPECT_THROW(doubles({1}).register_hook([](const Tensor&) {}), Error);
}

TEST(TensorHook, RunsInRegistrationOrder) {
  Tensor x = leaf({1});
  Tensor y = x * scalar(1);
  y.register_hook([](Tensor g) { return g + scalar(1); });
  y.register_hook([](Tensor g) { return g * scalar(10); });
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(20));
}

TEST(TensorHook, StaysWithATensorThatIsChangedInPlace) {
  Tensor x = leaf({1});
  Tensor y = x * scalar(1);
  double seen = 0;
  y.register_hook([&](const Tensor& g) { seen = values_of(g)[0]; });
  y.mul_(scalar(3));
  y.sum().backward();
  // The hook was on the value before the change.
  EXPECT_EQ(seen, 3);
  EXPECT_THAT(values_of(x.grad()), ElementsAre(3));
}

TEST(TensorHook, ThatThrowsReachesTheCaller) {
  Tensor x = leaf({1});
  Tensor y = x * scalar(2);
  y.register_hook([](const Tensor&) { throw std::out_of_range("from the hook"); });
  EXPECT_THROW(y.sum().backward(), std::out_of_range);
}

TEST(NodeHook, PreHookGetsTheGradientsOfTheOutputs) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(3);
  y.grad_fn()->add_pre_hook(
      [](const autograd::variable_list& g) { return autograd::variable_list{g[0] * scalar(2)}; });
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(6, 6));
}

TEST(NodeHook, PostHookGetsBothSides) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(3);
  std::vector<double> outputs;
  y.grad_fn()->add_post_hook(
      [&](const autograd::variable_list& inputs, const autograd::variable_list& of_outputs) {
        outputs = values_of(of_outputs[0]);
        autograd::variable_list changed = inputs;
        changed[0] = changed[0] + scalar(1);
        return changed;
      });
  y.sum().backward();
  EXPECT_THAT(outputs, ElementsAre(1, 1));
  EXPECT_THAT(values_of(x.grad()), ElementsAre(4, 4));
}

struct Doubles : autograd::FunctionPreHook {
  autograd::variable_list operator()(const autograd::variable_list& g) override {
    return {g[0] * scalar(2)};
  }
};
struct Adds : autograd::FunctionPostHook {
  autograd::variable_list operator()(const autograd::variable_list& inputs,
                                     const autograd::variable_list& outputs) override {
    autograd::variable_list changed = inputs;
    changed[0] = changed[0] + outputs[0];
    return changed;
  }
};

TEST(NodeHook, ClassesOfLibTorch) {
  Tensor x = leaf({1, 2});
  Tensor y = x * scalar(3);
  y.grad_fn()->add_pre_hook(std::make_unique<Doubles>());
  y.grad_fn()->add_post_hook(std::make_unique<Adds>());
  y.sum().backward();
  EXPECT_THAT(values_of(x.grad()), ElementsAre(8, 8));
  expect_error("expected a hook, got null",
               [&] { y.grad_fn()->add_pre_hook(std::unique_ptr<autograd::FunctionPreHook>()); });
  expect_error("expected a hook", [&] { y.grad_fn()->add_pre_hook(autograd::PreHook()); });
  expect_error("expected a hook", [&] { y.grad_fn()->add_post_hook(autograd::PostHook()); });
  expect_error("expected a hook", [&] { y.grad_fn()->add_tensor_pre_hook(0, nullptr); });
}

TEST(NodeHook, ReturnsAsManyGradientsAsItGets) {
  using autograd::variable_list;
  const Tensor x = leaf({1, 2});
  const Tensor few = x * x, many = x * x;
  few.grad_fn()->add_pre_hook([](const variable_list&) { return variable_list(); });
  expect_error("incorrect number of values (got 0, but expected 1)", [&] { few.sum().backward(); });
  many.grad_fn()->add_post_hook(
      [](const variable_list& g, const variable_list&) { return variable_list{g[0]}; });
  expect_error("incorrect number of values (got 1, but expected 2)",
               [&] { many.sum().backward(); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(TensorHook, ThatWasNeverThereIsNotRemoved) {
  const Tensor x = values({1}).requires_grad_();
  const unsigned id = x.register_hook([](const Tensor& g) { return g * 2; });
  expect_error("Invalid index, no hook at position", [&] { x.remove_hook(id + 1); });
  x.remove_hook(id);
  x.remove_hook(id);
  x.sum().backward();
  expect_values(x.grad(), {1}, {1});
}

}  // namespace
}  // namespace torch::taper::testing
