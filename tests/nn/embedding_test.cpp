// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include <sstream>

#include <taper/framework/random/random.h>
#include <taper/nn/functional/embedding_bag.h>
#include <taper/nn/modules.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "nn/util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
using functional::EmbeddingBagFuncOptions;
using test::expect_values;
using test::message_of;
using testing::expect_error;
using testing::expect_values;
using testing::tensor_of;
using testing::values;
using testing::values_of;

TEST(EmbeddingModule, StartsWithPyTorchsNumbersAndPads) {
  manual_seed(0);
  Embedding e(EmbeddingOptions(3, 2).padding_idx(-2));
  expect_values(e->weight, {1.5409960746765137, -0.293428897857666, 0, 0, -1.0845223665237427,
                            -1.3985954523086548});
  EXPECT_EQ(*e->options.padding_idx(), 1);
  const Tensor indices = tensor({1, 0, 0}, kLong);
  e(indices).sum().backward();
  expect_values(e->weight.grad(), {2, 2, 0, 0, 0, 0});
}

TEST(EmbeddingModule, MaxNormScalesRowsInPlace) {
  Embedding e(EmbeddingOptions(2, 2)._weight(tensor({{3.f, 4.f}, {30.f, 40.f}})).max_norm(1.0));
  expect_values(e(tensor({0}, kLong)), {0.6, 0.8}, 1e-5);
  expect_values(e->weight, {0.6, 0.8, 30, 40}, 1e-5);
}

TEST(EmbeddingModule, FromPretrainedAndErrors) {
  const Tensor table = tensor({{1.f, 2.f}, {3.f, 4.f}});
  auto frozen = Embedding::from_pretrained(table);
  EXPECT_FALSE(frozen->weight.requires_grad());
  expect_values(frozen(tensor({1}, kLong)), {3, 4});
  auto free = Embedding::from_pretrained(table, EmbeddingFromPretrainedOptions().freeze(false));
  EXPECT_TRUE(free->weight.requires_grad());
  EXPECT_FALSE(table.requires_grad());
  EXPECT_EQ(message_of([&] { Embedding::from_pretrained(zeros({2})); }),
            "Embedding: Embeddings parameter is expected to be 2-dimensional, got [2]");
  EXPECT_EQ(message_of([] { Embedding(EmbeddingOptions(3, 4).padding_idx(3)); }),
            "Embedding: Padding_idx must be within num_embeddings, got 3 for 3");
  EXPECT_EQ(message_of([] { Embedding(EmbeddingOptions(3, 4).padding_idx(-4)); }),
            "Embedding: Padding_idx must be within num_embedding, got -4 for 3");
  EXPECT_EQ(
      message_of([] {
        Embedding(EmbeddingOptions(3, 4)._weight(zeros({2, 4})));
      }),
      "Embedding: Shape of _weight does not match num_embeddings and embedding_dim, got [2, 4] "
      "for 3 and 4");
  EXPECT_THROW(frozen(tensor({2}, kLong)), Error);
  Embedding sparse(EmbeddingOptions(3, 4).sparse(true));
  EXPECT_THROW(sparse(tensor({2}, kLong)), NotImplementedError);
}

TEST(EmbeddingModule, CloneLeavesTheGivenTableAlone) {
  const Tensor table = tensor({{1.f, 2.f}});
  auto e = Embedding::from_pretrained(table);
  auto copy = std::dynamic_pointer_cast<EmbeddingImpl>(e->clone());
  EXPECT_FALSE(copy->weight.requires_grad());
  init::zeros_(copy->weight);
  expect_values(e->weight, {1, 2});
  expect_values(table, {1, 2});
}

// EmbeddingBag against sums written out, its gradients, and what it refuses.

Tensor table() { return tensor_of({4, 2}, {1, -1, 2, 5, -3, 4, 0.5, 7}, kDouble).requires_grad_(); }

/// Bags {1, 0}, {}, {2, 3, 1}; y and the gradient of its weighted sum with respect to the table.
void bags(const EmbeddingBagFuncOptions& options, const std::vector<double>& y,
          const std::vector<double>& gradient) {
  const Tensor w = table(), input = values({1, 0, 2, 3, 1}, kLong);
  const Tensor got = functional::embedding_bag(
      input, w, EmbeddingBagFuncOptions(options).offsets(values({0, 2, 2}, kLong)));
  expect_values(got, {3, 2}, y);
  (got * tensor_of({3, 2}, {1, 2, 3, 4, 5, 6}, kDouble)).sum().backward();
  expect_values(w.grad(), {4, 2}, gradient);
}

TEST(EmbeddingBag, AddsMeansAndTakesTheLargest) {
  bags(EmbeddingBagFuncOptions().mode(kSum), {3, 4, 0, 0, -0.5, 16}, {1, 2, 6, 8, 5, 6, 5, 6});
  bags(EmbeddingBagFuncOptions().mode(kMax), {2, 5, 0, 0, 2, 7}, {0, 0, 6, 2, 0, 0, 0, 6});
  bags(EmbeddingBagFuncOptions().mode(kSum).padding_idx(-3), {1, -1, 0, 0, -2.5, 11},
       {1, 2, 0, 0, 5, 6, 5, 6});
  bags(EmbeddingBagFuncOptions().mode(kSum).per_sample_weights(values({2, -1, 0.5, 4, 1}, kDouble)),
       {3, 11, 0, 0, 2.5, 35}, {-1, -2, 7, 10, 2.5, 3, 20, 24});
  const Tensor w = table();
  const Tensor mean = functional::embedding_bag(tensor_of({2, 2}, {0, 1, 2, 3}, kLong), w);
  expect_values(mean, {2, 2}, {1.5, 2, -1.25, 5.5});
  mean.sum().backward();
  expect_values(w.grad(), {4, 2}, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
}

TEST(EmbeddingBag, DividesGradientsByHowOftenARowIsUsed) {
  const Tensor w = table(), input = values({1, 0, 2, 3, 1}, kLong);
  functional::embedding_bag(input, w,
                            EmbeddingBagFuncOptions().mode(kSum).scale_grad_by_freq(true).offsets(
                                values({0, 2, 2}, kLong)))
      .mul(tensor_of({3, 1}, {1, 10, 100}, kDouble))
      .sum()
      .backward();
  expect_values(w.grad(), {4, 2}, {1, 1, 50.5, 50.5, 100, 100, 100, 100});  // row 1: (1 + 100) / 2
}

TEST(EmbeddingBag, WeightsOfSamplesHaveAGradient) {
  const Tensor factors = ones({2}, kDouble).requires_grad_();
  functional::embedding_bag(
      values({2, 1}, kLong), table(),
      EmbeddingBagFuncOptions().mode(kSum).offsets(values({0}, kLong)).per_sample_weights(factors))
      .sum()
      .backward();
  expect_values(factors.grad(), {2}, {1, 7});
}

TEST(EmbeddingBag, LastOffsetMayBeGiven) {
  const Tensor y = functional::embedding_bag(
      values({1, 0, 2}, kInt), table(),
      EmbeddingBagFuncOptions().mode(kSum).include_last_offset(true).offsets(
          values({0, 1, 3}, kInt)));
  expect_values(y, {2, 2}, {2, 5, -2, 3});
}

TEST(EmbeddingBag, IsAModule) {
  EmbeddingBag bag(EmbeddingBagOptions(4, 2).mode(kSum).padding_idx(-1));
  EXPECT_EQ(values_of(bag->weight.select(0, 3)), (std::vector<double>{0, 0}));
  EXPECT_EQ(bag(values({0, 1}, kLong), values({0}, kLong)).sizes().vec(),
            (std::vector<int64_t>{1, 2}));
  std::ostringstream text;
  text << bag;
  EXPECT_EQ(text.str(),
            "torch::nn::EmbeddingBag(num_embeddings=4, embedding_dim=2, mode=kSum, padding_idx=3)");
  Sequential net(EmbeddingBag(4, 2), Linear(2, 3));
  EXPECT_EQ(net->forward(tensor_of({2, 2}, {0, 1, 2, 3}, kLong)).sizes().vec(),
            (std::vector<int64_t>{2, 3}));
  const EmbeddingBag frozen = EmbeddingBag::from_pretrained(table().detach());
  EXPECT_FALSE(frozen->weight.requires_grad());
  EmbeddingBag sparse(EmbeddingBagOptions(2, 1).mode(kSum).sparse(true));  // the gradient is dense
  sparse(values({1, 1}, kLong), values({0}, kLong)).sum().backward();
  expect_values(sparse->weight.grad(), {2, 1}, {0, 2});
}

TEST(EmbeddingBag, WrongArgumentsAreRefused) {
  const Tensor input = values({1, 0, 2}, kLong);
  const auto refused = [&](const std::string& text, const Tensor& x,
                           const EmbeddingBagFuncOptions& options) {
    expect_error(text, [&] { functional::embedding_bag(x, table(), options); });
  };
  const EmbeddingBagFuncOptions plain;
  const auto at = [](std::vector<double> v) {
    return EmbeddingBagFuncOptions().mode(kSum).offsets(values(std::move(v), kLong));
  };
  refused("offsets has to be a 1D Tensor but got null", input, plain);
  refused("offsets[0] has to be 0", input, at({1, 2}));
  refused("offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 4", input,
          at({0, 4}));
  refused("expected offsets that do not fall", input, at({0, 2, 1}));
  refused("input has to be 1D or 2D Tensor, but got Tensor of dimension 3", zeros({1, 1, 1}, kLong),
          plain);
  refused("If input is 2D, then offsets has to be null", zeros({1, 1}, kLong), at({0}));
  refused("it must have the same shape as the input", input,
          at({0}).per_sample_weights(ones({2}, kDouble)));
  refused("only supported for mode='kSum' (got mode='kMean')", input,
          at({0}).mode(kMean).per_sample_weights(ones({3}, kDouble)));
  refused("index out of range", values({4}, kLong), at({0}));
}

}  // namespace
}  // namespace torch::taper
