// Expected values are PyTorch 1.13's for the same inputs and seeds.
#include "nn/util.h"

#include <taper/framework/random/random.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::expect_values;
using test::message_of;

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
            "Embeddings parameter is expected to be 2-dimensional");
  EXPECT_EQ(message_of([] { Embedding(EmbeddingOptions(3, 4).padding_idx(3)); }),
            "Padding_idx must be within num_embeddings");
  EXPECT_EQ(message_of([] { Embedding(EmbeddingOptions(3, 4).padding_idx(-4)); }),
            "Padding_idx must be within num_embedding");
  EXPECT_EQ(message_of([] {
              Embedding(EmbeddingOptions(3, 4)._weight(zeros({2, 4})));
            }),
            "Shape of _weight does not match num_embeddings and embedding_dim");
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

}  // namespace
}  // namespace torch::taper
