// gradcheck of forward mode and of batches, on functions that are right, and on planted faults.
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/tensor/tensor.h>

#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

using autograd::gradcheck;
using autograd::gradgradcheck;

Tensor leaf(const std::vector<int64_t>& sizes) { return numbers(sizes, kDouble).requires_grad_(); }

GradcheckOptions everything(bool fast) {
  return GradcheckOptions()
      .fast_mode(fast)
      .check_forward_ad(true)
      .check_batched_grad(true)
      .check_batched_forward_grad(true);
}
GradcheckOptions forward_only(bool fast) {
  return GradcheckOptions().fast_mode(fast).check_forward_ad(true).check_backward_ad(false);
}

/// A cube with rules of its own, multiplied by factors that plant faults.
struct Factors {
  double jvp = 1, vmap = 1;
};
struct RuledCube : autograd::Function<RuledCube> {
  static inline Factors factors;
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    ctx->save_for_backward({x});
    return x.mul(x).mul(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {g[0].mul(x).mul(x).mul(3)};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {t[0].mul(x).mul(x).mul(3 * factors.jvp)};
  }
  static std::pair<variable_list, std::vector<optional<int64_t>>> vmap(
      int64_t, const std::vector<optional<int64_t>>& in_dims, Tensor x) {
    return {{x.mul(x).mul(x).mul(factors.vmap)}, {in_dims[0]}};
  }
};
class RuledCubeTest : public ::testing::TestWithParam<bool> {
 protected:
  ~RuledCubeTest() override { RuledCube::factors = {}; }
  static GradcheckReport report(const GradcheckOptions& o) {
    return gradcheck_report([](const Tensor& x) { return RuledCube::apply(x); }, {six()}, o);
  }
};

TEST_P(RuledCubeTest, PassesWithRightRules) {
  const GradcheckReport r = report(everything(GetParam()));
  EXPECT_TRUE(r.passed()) << r.text();
}
TEST_P(RuledCubeTest, FailsWithAWrongJvp) {
  RuledCube::factors.jvp = 1.1;
  EXPECT_TRUE(report(GradcheckOptions().fast_mode(GetParam())).passed());
  const GradcheckReport r = report(everything(GetParam()));
  EXPECT_TRUE(found(r, Kind::kForwardAD)) << r.text();
  EXPECT_NE(r.text().find("forward mode"), std::string::npos) << r.text();
}
TEST_P(RuledCubeTest, FailsWithAWrongVmap) {
  RuledCube::factors.vmap = 1.1;
  EXPECT_TRUE(report(forward_only(GetParam())).passed());
  GradcheckOptions o;
  const GradcheckReport grad = report(o.fast_mode(GetParam()).check_batched_grad(true));
  EXPECT_TRUE(found(grad, Kind::kBatched)) << grad.text();
  EXPECT_NE(grad.text().find("the gradient under func::vmap"), std::string::npos) << grad.text();
}
INSTANTIATE_TEST_SUITE_P(Modes, RuledCubeTest, ::testing::Bool());

TEST(GradcheckForward, AcceptsRightFunctions) {
  for (const bool fast : {false, true}) {
    const GradcheckOptions o = everything(fast);
    EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {six()}, o));
    EXPECT_TRUE(gradcheck([](const Tensor& x) { return x.softmax(1); }, {leaf({3, 4})}, o));
    EXPECT_TRUE(gradgradcheck([](const Tensor& x) { return x.softmax(1); }, {leaf({3, 4})}, o));
    const auto two = [](const Tensor& a, const Tensor& b) { return variable_list{a * b, a.max()}; };
    EXPECT_TRUE(gradcheck(two, {leaf({3}), leaf({3})}, o));
    EXPECT_TRUE(gradcheck(two, {leaf({3}), numbers({3}, kDouble)}, o));
    EXPECT_TRUE(gradcheck([](const Tensor& x) { return x.abs(); },
                          {numbers({3}, kComplexDouble).requires_grad_()}, o));
    const Tensor x = leaf({3});
    EXPECT_TRUE(gradcheck([&](const Tensor&) { return x.sin(); }, {x}, o));  // a closure
    EXPECT_TRUE(gradcheck([](const Tensor& a, const Tensor& b) { return a * b; }, {x, x},
                          forward_only(fast)));
  }
}

TEST(GradcheckForward, FindsADetachedPart) {
  const auto cut = [](const Tensor& x) { return x.detach() * x; };
  for (const bool fast : {false, true})
    EXPECT_TRUE(found(gradcheck_report(cut, {six()}, forward_only(fast)), Kind::kForwardAD));
}

TEST(GradcheckForward, ReportsWhatThrows) {
  const auto f = [](const Tensor& x) { return x.sum().item<double>() > 1e9 ? x : x.sin(); };
  const auto r = gradcheck_report(f, {six()}, everything(false));
  EXPECT_TRUE(found(r, Kind::kBatched)) << r.text();
  EXPECT_NE(r.text().find("stands for a batch"), std::string::npos) << r.text();
}

TEST(GradcheckForward, RefusesContradictions) {
  const auto check = [](const GradcheckOptions& o) {
    gradcheck([](const Tensor& x) { return x.sin(); }, {six()}, o);
  };
  GradcheckOptions none, grad, forward;
  expect_error("expected check_forward_ad or check_backward_ad",
               [&] { check(none.check_backward_ad(false)); });
  expect_error("check_batched_grad needs check_backward_ad", [&] {
    check(grad.check_forward_ad(true).check_backward_ad(false).check_batched_grad(true));
  });
  expect_error("check_batched_forward_grad needs check_forward_ad",
               [&] { check(forward.check_batched_forward_grad(true)); });
}

}  // namespace
}  // namespace torch::taper::testing
