// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <limits>

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;

std::vector<Tensor> with_gradients() {
  std::vector<Tensor> ps{zeros({2}).requires_grad_(), zeros({1}).requires_grad_(),
                         zeros({3}).requires_grad_()};
  ps[0].mutable_grad() = tensor({3.f, 0.f});
  ps[1].mutable_grad() = tensor({-4.f});
  return ps;  // the third has none
}

TEST(ClipGrad, ScalesByTheTotalNorm) {
  auto ps = with_gradients();
  EXPECT_DOUBLE_EQ(utils::clip_grad_norm_(ps, 1.0), 5);
  expect_values(ps[0].grad(), {0.6, 0});
  expect_values(ps[1].grad(), {-0.8});
  EXPECT_NEAR(utils::clip_grad_norm_(ps, 10.0), 1, 1e-5);
  expect_values(ps[1].grad(), {-0.8});
  const double infinity = std::numeric_limits<double>::infinity();
  ps = with_gradients();
  EXPECT_DOUBLE_EQ(utils::clip_grad_norm_(ps, 2.0, infinity), 4);
  expect_values(ps[0].grad(), {1.5, 0});
  ps = with_gradients();
  EXPECT_DOUBLE_EQ(utils::clip_grad_norm_(ps, 3.5, 1), 7);
  expect_values(ps[1].grad(), {-2});
  EXPECT_EQ(utils::clip_grad_norm_(zeros({2}), 1), 0);
  EXPECT_NEAR(utils::clip_grad_norm_({ps[0]}, 10.0), 1.5, 1e-5);
}

TEST(ClipGrad, NotFinite) {
  auto ps = with_gradients();
  ps[0].mutable_grad().fill_(std::nan(""));
  EXPECT_EQ(message_of([&] { utils::clip_grad_norm_(ps, 1, 2, true); }),
            "The total norm of order 2 for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients with the non-finite norm "
            "anyway, set `error_if_nonfinite=false`");
  expect_values(ps[1].grad(), {-4});
  EXPECT_TRUE(std::isnan(utils::clip_grad_norm_(ps, 1)));
  EXPECT_TRUE(std::isnan(ps[1].grad().item<float>()));
}

TEST(ClipGrad, ByValue) {
  auto ps = with_gradients();
  utils::clip_grad_value_(ps, 2.5);
  expect_values(ps[0].grad(), {2.5, 0});
  expect_values(ps[1].grad(), {-2.5});
}

TEST(ConvertParameters, ThereAndBack) {
  Linear l(2, 3);
  const Tensor vec = utils::parameters_to_vector(l->parameters());
  EXPECT_EQ(vec.sizes(), IntArrayRef({9}));
  utils::vector_to_parameters(arange(9, kFloat), l->parameters());
  expect_values(l->weight, {0, 1, 2, 3, 4, 5});
  expect_values(l->bias, {6, 7, 8});
  EXPECT_TRUE(l->weight.is_leaf() && l->weight.requires_grad());
  EXPECT_EQ(message_of([&] { utils::vector_to_parameters(zeros({8}), l->parameters()); }),
            "vector_to_parameters: expected a vector of 9 elements, got sizes [8]");
}

}  // namespace
}  // namespace torch::taper
