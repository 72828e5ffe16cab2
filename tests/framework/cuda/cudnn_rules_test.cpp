// What is asked of cuDNN, and how: the plain rules, which need neither it nor a GPU.
#include <gtest/gtest.h>
#include <taper/ops/nn/norm_cudnn.h>
#include <taper/ops/spatial/conv_cudnn.h>
#include <taper/ops/spatial/pool_cudnn.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace taper::testing {
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

}  // namespace
}  // namespace taper::testing
