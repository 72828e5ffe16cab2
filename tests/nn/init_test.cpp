// Values are those of PyTorch 1.13 after torch.manual_seed with the same seed.
#include <limits>

#include <taper/framework/random/random.h>
#include <taper/nn/init.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/tensor/factory.h>

#include "nn/util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;

Tensor seeded(IntArrayRef sizes) {
  manual_seed(7);
  return empty(sizes);
}

TEST(Init, Uniform) {
  expect_values(init::uniform_(seeded({3, 4}), -1, 3),
                {1.1396901607513428, -0.2047872543334961, 1.6368467807769775, 1.627561092376709,
                 -0.0689537525177002, 0.7002456188201904, -0.17165589332580566, 1.5189454555511475,
                 0.46126461029052734, 2.405073404312134, 2.4197726249694824, 1.2037408351898193});
}

TEST(Init, Normal) {
  expect_values(init::normal_(seeded({3, 4}), 1, 2),
                {0.7064098119735718, 2.572282552719116, 2.8936431407928467, -1.2286880016326904,
                 4.381580352783203, -0.7896557450294495, 0.28874993324279785, 3.4647715091705322,
                 1.2763453722000122, -2.3643970489501953, 1.6353566646575928, 1.2656139135360718});
}

TEST(Init, TruncatedNormal) {
  expect_values(init::trunc_normal_(seeded({3, 4}), 1, 2, -1, 2),
                {0.7166373133659363, -0.25858354568481445, 1.0495762825012207, 1.0433738231658936,
                 -0.14984238147735596, 0.4159358739852905, -0.2317277193069458, 0.9708386063575745,
                 0.24713844060897827, 1.5702049732208252, 1.5804353952407837, 0.7597775459289551});
  const Tensor far = init::trunc_normal_(seeded({1000}), 0, 10);
  EXPECT_LE(far.abs().max().item<float>(), 2);
  EXPECT_NE(
      message_of([] { init::trunc_normal_(seeded({2}), 0, 1, 2, 2); }).find("a < b, got std 1"),
      std::string::npos);
}

TEST(Init, Xavier) {
  expect_values(init::xavier_uniform_(seeded({3, 4}), 2.0),
                {0.1293279528617859, -1.1154162883758545, 0.5896055698394775, 0.5810086727142334,
                 -0.9896588921546936, -0.277518630027771, -1.084742546081543, 0.4804501533508301,
                 -0.4987720549106598, 1.3008452653884888, 1.3144540786743164, 0.18862736225128174});
  expect_values(
      init::xavier_normal_(seeded({3, 4})),
      {-0.0784652829170227, 0.42021021246910095, 0.5060974359512329, -0.5956419110298157,
       0.9037653207778931, -0.4783056080341339, -0.19008956849575043, 0.6587378978729248,
       0.0738563984632492, -0.8991729021072388, 0.16980619728565216, 0.07098830491304398});
}

TEST(Init, Kaiming) {
  expect_values(init::kaiming_uniform_(seeded({3, 4}), 0, kFanOut, kReLU),
                {0.09877585619688034, -0.8519132137298584, 0.45031866431236267, 0.4437527060508728,
                 -0.7558644413948059, -0.21195834875106812, -0.8284857869148254, 0.3669498562812805,
                 -0.3809434473514557, 0.9935368895530701, 1.0039308071136475, 0.14406652748584747});
  expect_values(init::kaiming_normal_(seeded({3, 4}), 0.2),
                {-0.10178408771753311, 0.545090913772583, 0.6565026640892029, -0.7726585865020752,
                 1.1723520755767822, -0.6204515099525452, -0.24658158421516418, 0.8545057773590088,
                 0.09580550342798233, -1.166394829750061, 0.2202702760696411, 0.09208506345748901});
}

TEST(Init, OrthogonalRowsOrColumns) {
  expect_values(init::orthogonal_(seeded({3, 4}), 1.5),
                {-0.13211506605148315, 0.707524299621582, 0.8521360158920288, -1.0029054880142212,
                 1.401045560836792, -0.12793704867362976, 0.49856269359588623, 0.1487932801246643,
                 -0.2867359519004822, -1.29642915725708, 0.5861464142799377, -0.37879592180252075},
                1e-5);
  expect_values(init::orthogonal_(seeded({4, 3})),
                {-0.07146227359771729, 0.3939884603023529, 0.7793878316879272, -0.5424816012382507,
                 0.5227473378181458, -0.5431827306747437, -0.1731243133544922, 0.5666179656982422,
                 0.1827949583530426, -0.8189228177070618, -0.5004520416259766, 0.2531659007072449},
                1e-5);
  const Tensor q = init::orthogonal_(empty({20, 2, 7}, kDouble)).reshape({20, 14});
  EXPECT_TRUE(q.t().mm(q).allclose(eye(14, kDouble)));
}

TEST(Init, OrthogonalDrawsTheSameNumbersForAllDtypes) {
  Tensor x = empty({20, 3}), y = empty({20, 3}, kDouble);
  manual_seed(3);
  init::orthogonal_(x);
  manual_seed(3);
  init::orthogonal_(y);
  EXPECT_TRUE(y.to(kFloat).equal(x));
  EXPECT_THROW(init::orthogonal_(empty({2, 2}, kLong)), Error);
}

TEST(Init, Sparse) {
  expect_values(init::sparse_(seeded({3, 4}), 0.5),
                {0, 0, 0, 0, 0, -0.008948278613388538, 0, 0, 0.0013817265862599015, 0,
                 0.003176783211529255, 0.001328069600276649});
}

TEST(Init, Constants) {
  expect_values(init::constant_(empty({2}), 2.5), {2.5, 2.5});
  expect_values(init::ones_(empty({2})), {1, 1});
  expect_values(init::zeros_(empty({2})), {0, 0});
  expect_values(init::eye_(empty({2, 3})), {1, 0, 0, 0, 1, 0});
  expect_values(init::dirac_(empty({3, 2, 3})),
                {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
}

TEST(Init, GainsAndFans) {
  EXPECT_EQ(init::calculate_gain(kLinear), 1);
  EXPECT_EQ(init::calculate_gain(kConv2D), 1);
  EXPECT_EQ(init::calculate_gain(kSigmoid), 1);
  EXPECT_DOUBLE_EQ(init::calculate_gain(kTanh), 5.0 / 3);
  EXPECT_DOUBLE_EQ(init::calculate_gain(kReLU), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(init::calculate_gain(kLeakyReLU, 2), std::sqrt(2.0 / 5));
  EXPECT_EQ(init::_calculate_fan_in_and_fan_out(empty({3, 4})), std::make_tuple(4, 3));
  EXPECT_EQ(init::_calculate_fan_in_and_fan_out(empty({3, 4, 5, 2})), std::make_tuple(40, 30));
}

TEST(Init, IsNotRecordedAndWorksOnParameters) {
  Tensor w = empty({2, 2}).requires_grad_();
  init::kaiming_uniform_(w);
  EXPECT_TRUE(w.is_leaf() && w.requires_grad());
}

TEST(Init, Errors) {
  const std::string fans =
      "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions";
  const Tensor v = zeros({2});
  EXPECT_EQ(message_of([&] { init::kaiming_uniform_(v); }), fans);
  EXPECT_EQ(message_of([&] { init::kaiming_normal_(v); }), fans);
  EXPECT_EQ(message_of([&] { init::xavier_uniform_(v); }), fans);
  EXPECT_EQ(message_of([&] { init::xavier_normal_(v); }), fans);
  EXPECT_EQ(message_of([&] { init::eye_(v); }), "Only tensors with 2 dimensions are supported");
  EXPECT_EQ(message_of([&] { init::dirac_(v); }),
            "Only tensors with 3, 4, or 5 dimensions are supported");
  EXPECT_EQ(message_of([&] { init::orthogonal_(v); }),
            "Only tensors with 2 or more dimensions are supported");
  for (double sparsity : {-0.1, 1.1})
    EXPECT_THROW(init::sparse_(zeros({3, 2}), sparsity), Error) << sparsity;
  EXPECT_EQ(message_of([&] { init::sparse_(v, 0.1); }),
            "Only tensors with 2 dimensions are supported");
}

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

TEST(ClipGrad, InTwoParts) {
  auto ps = with_gradients();
  const std::vector<Tensor> grads = {ps[0].grad(), ps[1].grad()};
  EXPECT_DOUBLE_EQ(utils::get_total_norm(grads).item<double>(), 5);
  EXPECT_DOUBLE_EQ(utils::get_total_norm(grads, 1).item<double>(), 7);
  EXPECT_DOUBLE_EQ(utils::get_total_norm({}).item<double>(), 0);
  EXPECT_EQ(utils::get_total_norm(grads).dim(), 0);
  utils::clip_grads_with_norm_(ps, 10, utils::get_total_norm(grads));
  expect_values(ps[1].grad(), {-4});
  utils::clip_grads_with_norm_(ps, 1, tensor({5.}));
  expect_values(ps[0].grad(), {0.6, 0});
  expect_values(ps[1].grad(), {-0.8});
  EXPECT_THROW(utils::clip_grads_with_norm_(ps, 1, ones({2})), ValueError);
  EXPECT_THROW(utils::clip_grads_with_norm_(ps, 1, Tensor()), Error);
  EXPECT_THROW(utils::get_total_norm({Tensor()}), Error);
  ps[0].mutable_grad().fill_(std::nan(""));
  EXPECT_THROW(utils::get_total_norm({ps[0].grad()}, 2, true), Error);
  EXPECT_TRUE(std::isnan(utils::get_total_norm({ps[0].grad()}).item<double>()));
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
