// What is asked of cuDNN, and how: the plain rules, which need neither it nor a GPU.
#include <utility>

#include <gtest/gtest.h>

#include <taper/ops/nn/attention_cudnn.h>
#include <taper/ops/nn/norm_cudnn.h>
#include <taper/ops/spatial/conv/conv_cudnn.h>
#include <taper/ops/spatial/pool_cudnn.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "on_device.h"
#include "test_util.h"

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

// Functions whose operands do not lie as their result does: transposed, channels last, rows with
// gaps.

// y = f(a, b.t()) in patches, of sizes that are no multiples of a patch's side; what is dense in
// another order of dimensions is read in packs.
TEST(CudaKernelsOfWarps, FunctionsOfTransposedOperands) {
  for (ScalarType dtype : {kByte, kFloat}) {
    const Tensor a = spread_numbers({261, 259}, kDouble).mul(20).to(dtype),
                 b = spread_numbers({259, 261}, kDouble).mul(20).to(dtype),
                 c = spread_numbers({3, 131, 176}, kDouble).mul(20).to(dtype),
                 d = spread_numbers({3, 176, 131}, kDouble).mul(20).to(dtype);
    expect_same_on_device([&](Device device) {
      const Tensor x = a.to(device), t = b.to(device).t();
      Tensor in_place = x.clone(), dense = empty({261, 259}, x.options());
      in_place.mul_(t);
      neg_out(dense, t);
      return std::vector<Tensor>{x.add(t),
                                 x.gt(t),
                                 where(x.gt(7), t, x),
                                 t.to(dtype == kFloat ? kBFloat16 : kFloat).add(x),
                                 c.to(device).maximum(d.to(device).transpose(1, 2)),
                                 t.neg(),
                                 t.logical_not(),
                                 in_place,
                                 dense};
    });
  }
}
TEST(CudaKernelsOfWarps, FunctionsOfThreeTransposedOperands) {
  const Tensor a = spread_numbers({300, 260}, kFloat), b = spread_numbers({260, 300}, kFloat);
  expect_same_on_device(
      [&](Device d) {
        const Tensor x = a.to(d), t = b.to(d).t();
        const Tensor last =
            spread_numbers({2, 7, 9, 5}, kFloat).to(d).contiguous(MemoryFormat::ChannelsLast);
        return std::vector<Tensor>{
            addcmul(x, t, x, 0.5),   lerp(x, t, t), gelu(t), gelu(last), last.exp(),
            last.sigmoid().add(last)};
      },
      1e-5);
}
// Parts of matrices, whose rows are packs or not.
TEST(CudaKernelsOfWarps, FunctionsOfRowsWithGaps) {
  for (ScalarType dtype : {kByte, kHalf, kFloat, kDouble}) {
    const Tensor x = spread_numbers({5, 7, 200}, kDouble).mul(20).to(dtype);
    expect_same_on_device([&](Device d) {
      const Tensor t = x.to(d), whole = zeros({5, 7, 200}, t.options());
      for (const auto& [first, n] : {std::pair{16, 64}, {3, 64}, {16, 61}}) {
        Tensor part = whole.narrow(2, first, n);
        neg_out(part, t.narrow(2, 32, n));
      }
      Tensor repeated = empty({35, 64}, t.options());
      neg_out(repeated, t.flatten().slice(0, 0, 64).expand({35, 64}));
      return std::vector<Tensor>{t.narrow(2, 16, 64).neg(),
                                 t.narrow(2, 16, 64).logical_not(),
                                 t.narrow(2, 3, 64).neg(),
                                 t.narrow(2, 16, 61).neg(),
                                 t.narrow(1, 2, 3).square(),
                                 whole,
                                 repeated};
    });
  }
}

}  // namespace
}  // namespace torch::taper::testing
