// What is asked of cuDNN, and how: the plain rules, which need neither it nor a GPU.
#include <gtest/gtest.h>
#include <taper/ops/nn/attention_cudnn.h>
#include <taper/ops/nn/norm_cudnn.h>
#include <taper/ops/spatial/conv/conv_cudnn.h>
#include <taper/ops/spatial/pool_cudnn.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::testing {
namespace {

using Ints = std::vector<int>;

/// cuDNN switched off while it lives.
struct WithoutCudnn {
  WithoutCudnn() { globalContext().setUserEnabledCuDNN(false); }
  ~WithoutCudnn() { globalContext().setUserEnabledCuDNN(true); }
};

TEST(CudnnShape, HasTwoSpatialDimensionsAtLeast) {
  EXPECT_EQ(cuda::cudnn_sizes({2, 3, 5}), (Ints{2, 3, 1, 5}));
  EXPECT_EQ(cuda::cudnn_sizes({2, 3, 5, 7}), (Ints{2, 3, 5, 7}));
  EXPECT_EQ(cuda::cudnn_sizes({2, 3, 5, 7, 4}), (Ints{2, 3, 5, 7, 4}));
  EXPECT_EQ(cuda::cudnn_strides({2, 3, 5, 7}), (Ints{105, 35, 7, 1}));
  EXPECT_EQ(cuda::cudnn_strides({4}), (Ints{1}));
}

TEST(CudnnShape, TakesWhatFitsInIntsAndIsSwitchedOn) {
  EXPECT_TRUE(cuda::cudnn_takes_sizes({2, 3, 5}));
  EXPECT_FALSE(cuda::cudnn_takes_sizes({2, 0, 5}));
  EXPECT_FALSE(cuda::cudnn_takes_sizes({2, 3, int64_t{1} << 31}));
  EXPECT_FALSE(cuda::cudnn_takes_sizes({2, 1 << 16, 1 << 15}));  // the stride of a sample
  EXPECT_TRUE(cuda::cudnn_takes_sizes({1 << 20, 1 << 15, (1 << 16) - 1}));
  const WithoutCudnn off;
  EXPECT_FALSE(cuda::cudnn_takes_sizes({2, 3, 5}));
}

// Graphs take more elements than a description of the older interface.
TEST(CudnnShape, DescribesFewerElementsThanAnIntCounts) {
  const Dims most{(1 << 15) - 1, 1 << 15, 2}, one_more{1 << 15, 1 << 15, 2};
  EXPECT_TRUE(cuda::cudnn_describes(most));
  EXPECT_TRUE(cuda::cudnn_takes_sizes(one_more));
  EXPECT_FALSE(cuda::cudnn_describes(one_more));
  EXPECT_EQ(cuda::cudnn_samples(one_more), (1 << 15) - 1);
  EXPECT_EQ(cuda::cudnn_samples({4, 3, 5, 7}), 4);
  EXPECT_FALSE(cuda::cudnn_describes({2, 0, 5}));
  PoolWindows w;
  EXPECT_TRUE(cuda::cudnn_takes_means(most, most, 1, w));
  EXPECT_FALSE(cuda::cudnn_takes_means(one_more, one_more, 1, w));
  const WithoutCudnn off;
  EXPECT_FALSE(cuda::cudnn_describes(most));
}

TEST(CudnnConv, TakesEqualPaddings) {
  ConvSteps steps;
  steps.padding[1] = steps.padding[2] = 1;
  EXPECT_TRUE(cuda::cudnn_takes({2, 3, 8, 8}, {4, 3, 3, 3}, {2, 4, 8, 8}, steps));
  EXPECT_FALSE(cuda::cudnn_takes({2, 3, 8, 8}, {4, 3, 3, 3}, {2, 4, 9, 8}, steps));
  EXPECT_FALSE(cuda::cudnn_takes({0, 3, 8, 8}, {4, 3, 3, 3}, {0, 4, 8, 8}, steps));
}

bool takes_batch_norm(const Tensor& x, ScalarType vectors, bool training = true) {
  const Tensor v = zeros({x.size(1)}, vectors);
  return cuda::cudnn_takes_batch_norm(x, v, v, In(v), In(v), training);
}

TEST(CudnnBatchNorm, TakesVectorsInTheTypeOfStatistics) {
  for (ScalarType dtype : {kFloat, kHalf})
    EXPECT_TRUE(takes_batch_norm(zeros({2, 3, 4}, dtype), kFloat)) << dtype;
  EXPECT_FALSE(takes_batch_norm(zeros({2, 3, 4}, kBFloat16), kFloat));
  EXPECT_TRUE(takes_batch_norm(zeros({2, 3}, kDouble), kDouble));
  EXPECT_FALSE(takes_batch_norm(zeros({2, 3}, kDouble), kFloat));
  EXPECT_FALSE(takes_batch_norm(zeros({2, 3}, kHalf), kHalf));
}

TEST(CudnnBatchNorm, NeedsWeightBiasAndValues) {
  const Tensor x = zeros({2, 3, 4}), v = zeros({3}), none, gaps = zeros({6}).slice(0, 0, 6, 2);
  EXPECT_TRUE(cuda::cudnn_takes_batch_norm(x, v, v, In(none), In(none), true));
  EXPECT_FALSE(cuda::cudnn_takes_batch_norm(x, none, none, In(v), In(v), true));
  EXPECT_FALSE(cuda::cudnn_takes_batch_norm(x, v, v, In(v), In(none), true));
  EXPECT_FALSE(cuda::cudnn_takes_batch_norm(x, v, v, In(gaps), In(gaps), true));
  EXPECT_FALSE(takes_batch_norm(zeros({1, 3}), kFloat));  // a variance of one value
  EXPECT_TRUE(takes_batch_norm(zeros({1, 3}), kFloat, /*training=*/false));
  EXPECT_FALSE(takes_batch_norm(zeros({65536, 1}), kFloat, /*training=*/false));
  EXPECT_TRUE(takes_batch_norm(zeros({65536, 1}), kFloat));
}

PoolWindows windows(int64_t kernel, int64_t stride, int64_t padding) {
  PoolWindows w;
  for (int d = 1; d < 3; ++d) {
    w.kernel[d] = kernel;
    w.stride[d] = stride;
    w.padding[d] = padding;
  }
  return w;
}

TEST(CudnnPool, TakesWindowsOfTheFloorFormula) {
  PoolWindows w = windows(3, 2, 1);
  EXPECT_TRUE(cuda::cudnn_takes_means({2, 3, 8, 8}, {2, 3, 4, 4}, 2, w));
  EXPECT_FALSE(cuda::cudnn_takes_means({2, 3, 8, 8}, {2, 3, 5, 4}, 2, w));  // ceil_mode
  EXPECT_FALSE(cuda::cudnn_takes_means({0, 3, 8, 8}, {0, 3, 4, 4}, 2, w));
  w.divisor = 5;
  EXPECT_FALSE(cuda::cudnn_takes_means({2, 3, 8, 8}, {2, 3, 4, 4}, 2, w));
}

TEST(CudnnPool, TakesAdaptiveWindowsOfOneSize) {
  PoolWindows w;
  w.adaptive = true;
  PoolWindows stated = w;
  ASSERT_TRUE(cuda::cudnn_takes_means({3, 12, 7}, {3, 4, 1}, 2, stated));
  EXPECT_FALSE(stated.adaptive);
  EXPECT_EQ(stated.kernel[1], 3);
  EXPECT_EQ(stated.stride[1], 3);
  EXPECT_EQ(stated.kernel[2], 7);
  EXPECT_EQ(stated.kernel[0], 1);
  stated = w;
  EXPECT_FALSE(cuda::cudnn_takes_means({3, 12, 7}, {3, 5, 1}, 2, stated));
  EXPECT_EQ(cuda::with_batch({3, 12, 7}, 2).vec(), (std::vector<int64_t>{1, 3, 12, 7}));
  EXPECT_EQ(cuda::with_batch({5, 3, 12, 7}, 2).vec(), (std::vector<int64_t>{5, 3, 12, 7}));
}

/// Of L queries and S keys in two heads.
bool takes_attention(int64_t L, int64_t S, int64_t width, int64_t of_values, bool causal,
                     const Tensor& mask = {}) {
  const Tensor q = zeros({2, 2, L, width}, kHalf), k = zeros({2, 2, S, width}, kHalf);
  const Tensor v = zeros({2, 2, S, of_values}, kHalf);
  return cuda::cudnn_takes_attention(In(q), In(k), In(v), In(mask), {1, causal});
}

TEST(CudnnAttention, TakesHeadsOfOneWidthWithoutAMask) {
  for (bool causal : {false, true}) EXPECT_TRUE(takes_attention(5, 5, 64, 64, causal));
  EXPECT_TRUE(takes_attention(5, 7, 128, 128, false));
  EXPECT_FALSE(takes_attention(5, 7, 64, 64, true));
  EXPECT_FALSE(takes_attention(7, 5, 64, 64, true));
  EXPECT_FALSE(takes_attention(1, 5, 64, 64, false));
  EXPECT_FALSE(takes_attention(5, 1, 64, 64, false));
  EXPECT_FALSE(takes_attention(5, 5, 64, 32, false));
  EXPECT_FALSE(takes_attention(5, 5, 60, 60, false));
  EXPECT_FALSE(takes_attention(5, 5, 136, 136, false));
  EXPECT_FALSE(takes_attention(5, 5, 64, 64, false, zeros({2, 2, 5, 5}, kHalf)));
  const WithoutCudnn off;
  EXPECT_FALSE(takes_attention(5, 5, 64, 64, false));
}

TEST(CudnnAttention, TakesElementsAtPlacesOfTheirOwn) {
  const Tensor x = zeros({2, 2, 5, 8}, kHalf), one = zeros({1, 2, 5, 8}, kHalf), none;
  const Tensor repeated = one.expand({2, 2, 5, 8});
  const auto takes = [&](const Tensor& gy, const Tensor& q, const Tensor& k, const Tensor& v) {
    return cuda::cudnn_takes_attention_backward(In(gy), In(q), In(k), In(v), In(none), {1, false});
  };
  EXPECT_TRUE(takes(x, x, x, x));
  EXPECT_TRUE(takes(one, one, one, one));
  EXPECT_FALSE(takes(repeated, x, x, x));
  EXPECT_FALSE(takes(x, repeated, x, x));
  EXPECT_FALSE(takes(x, x, repeated, x));
  EXPECT_FALSE(takes(x, x, x, repeated));
}

// The order in which it adds gradients of queries up is any.
TEST(CudnnAttention, GradientsAreNotAskedForWhereBitsMustBeTheSame) {
  const Tensor x = zeros({2, 2, 5, 8}, kHalf), none;
  globalContext().setDeterministicCuDNN(true);
  EXPECT_TRUE(cuda::cudnn_takes_attention(In(x), In(x), In(x), In(none), {1, false}));
  EXPECT_FALSE(
      cuda::cudnn_takes_attention_backward(In(x), In(x), In(x), In(x), In(none), {1, false}));
  globalContext().setDeterministicCuDNN(false);
}

}  // namespace
}  // namespace torch::taper::testing
