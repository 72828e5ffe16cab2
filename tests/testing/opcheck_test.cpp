// opcheck, on operators that keep to their schema, and on those that do not.
#include <taper/testing/opcheck.h>

#include <taper/extension/library.h>
#include <taper/framework/autograd/function.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/tensor/tensor.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Scales by a kernel with a derivative.
struct Scale : autograd::Function<Scale> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, double by) {
    ctx->saved_data["by"] = by;
    return x.mul(by);
  }
  static autograd::variable_list backward(autograd::AutogradContext* ctx,
                                          autograd::variable_list g) {
    return {g[0].mul(ctx->saved_data["by"].toDouble() * wrong_factor), Tensor()};
  }
  static inline double wrong_factor = 1;
};

Library& library() {
  static Library lib = [] {
    Library m(Library::DEF, "opcheck_test", nullopt, __FILE__, __LINE__);
    m.def("scale(Tensor x, float by=2.) -> Tensor",
          [](const Tensor& x, double by) { return Scale::apply(x, by); });
    m.def("changes(Tensor x) -> Tensor", [](const Tensor& x) {
      const NoGradGuard values_only;
      Tensor y = x;
      y.add_(1);
      return x.clone();
    });
    m.def("adds_one_(Tensor(a!) x) -> Tensor(a!)", [](Tensor x) { return x.add_(1); });
    m.def("returns_its_argument(Tensor x) -> Tensor", [](const Tensor& x) { return x; });
    m.def("part(Tensor(a) x) -> Tensor(a)", [](const Tensor& x) { return x.select(0, 0); });
    m.def("detached(Tensor x) -> Tensor", [](const Tensor& x) { return x.detach().mul(2); });
    m.def("both(Tensor[] xs, int n=1) -> (Tensor, Tensor)", [](TensorList xs, int64_t n) {
      return std::make_tuple(xs[0].add(xs[1]), xs[0].mul(xs[1]).mul(n));
    });
    m.def("counts_calls(Tensor x) -> Tensor", [](const Tensor& x) {
      static int calls = 0;
      return x.mul(++calls);
    });
    return m;
  }();
  return lib;
}

Tensor input() { return numbers({2, 3}, kDouble).requires_grad_(); }

TEST(Opcheck, AcceptsARightOperator) {
  library();
  const auto found = opcheck("opcheck_test::scale", {input()});
  EXPECT_EQ(found.size(), 4u);
  for (const auto& [check, text] : found) EXPECT_EQ(text, "SUCCESS") << check;
  for (const auto& [check, text] :
       opcheck("opcheck_test::both", {std::vector<Tensor>{input(), input()}, 3}))
    EXPECT_EQ(text, "SUCCESS") << check;
}

TEST(Opcheck, FindsAChangedArgument) {
  library();
  expect_error("argument 'x' has been changed",
               [] { opcheck("opcheck_test::changes", {input().detach()}); });
  EXPECT_EQ(opcheck("opcheck_test::adds_one_", {input().detach()})["test_schema"], "SUCCESS");
}

TEST(Opcheck, FindsSharedMemory) {
  library();
  expect_error("result 0 shares memory with argument 'x'",
               [] { opcheck("opcheck_test::returns_its_argument", {input()}); });
  EXPECT_EQ(opcheck("opcheck_test::part", {input()})["test_schema"], "SUCCESS");
}

TEST(Opcheck, FindsAMissingHistory) {
  library();
  expect_error("result 0 has no history", [] { opcheck("opcheck_test::detached", {input()}); });
  const auto found = opcheck("opcheck_test::detached", {input().detach()});
  EXPECT_EQ(found.at("test_autograd_registration"), "SKIPPED: no argument requires a gradient");
}

TEST(Opcheck, FindsAWrongGradient) {
  library();
  Scale::wrong_factor = 1.5;
  const auto found =
      opcheck("opcheck_test::scale", {input()}, OpcheckOptions().raise_exception(false));
  Scale::wrong_factor = 1;
  EXPECT_NE(found.at("test_gradients").find("opcheck_test::scale: test_gradients: "),
            std::string::npos);
  EXPECT_EQ(found.at("test_schema"), "SUCCESS");
}

TEST(Opcheck, FindsADifferenceUnderVmap) {
  library();
  const auto found = opcheck("opcheck_test::counts_calls", {input().detach()},
                             OpcheckOptions().test_utils({"test_vmap"}).raise_exception(false));
  EXPECT_NE(found.at("test_vmap").find("differs from that of two calls"), std::string::npos);
}

TEST(Opcheck, RejectsBadCalls) {
  library();
  expect_error("takes 2 arguments, got 3", [] {
    opcheck("opcheck_test::scale", {input(), 1.0, 2.0});
  });
  expect_error("expected a value for 'x'", [] { opcheck("opcheck_test::scale", {}); });
  expect_error("got \"schema\"", [] {
    opcheck("opcheck_test::scale", {input()}, OpcheckOptions().test_utils({"schema"}));
  });
  expect_error("opcheck_test::absent", [] { opcheck("opcheck_test::absent", {input()}); });
}

}  // namespace
}  // namespace torch::taper::testing
