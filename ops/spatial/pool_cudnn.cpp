#include <taper/ops/spatial/pool_cudnn.h>

#include <tuple>

#include <taper/framework/cuda/gpu/cudnn.h>

namespace torch::taper::cuda {
namespace {

TAPER_CUDNN_DESCRIPTION(PoolDescription, cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor,
                        cudnnDestroyPoolingDescriptor)

/// Returns at least two spatial dimensions, as cudnn_sizes does.
std::vector<int> spatial_values(const int64_t (&values)[3], int64_t spatial) {
  const int64_t from = spatial == 3 ? 0 : 1;
  return std::vector<int>(values + from, values + 3);
}

struct PoolPlan {
  TensorDescription x, y;
  PoolDescription pool;

  PoolPlan(const Dims& xs, const Dims& ys, ScalarType dtype, int64_t spatial,
           const PoolWindows& w) {
    describe(x, dtype, cudnn_sizes(xs));
    describe(y, dtype, cudnn_sizes(ys));
    const std::vector<int> kernel = spatial_values(w.kernel, spatial),
                           padding = spatial_values(w.padding, spatial),
                           stride = spatial_values(w.stride, spatial);
    TAPER_LIBRARY_CALL(cudnn, cudnnSetPoolingNdDescriptor, pool.get(),
                       w.count_include_pad ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                           : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                       CUDNN_PROPAGATE_NAN, static_cast<int>(kernel.size()), kernel.data(),
                       padding.data(), stride.data());
  }
};

PoolPlan& plan_for(const Dims& x, const Dims& y, ScalarType dtype, int64_t spatial,
                   const PoolWindows& w) {
  const Dims xs = with_batch(x, spatial), ys = with_batch(y, spatial);
  std::vector<int64_t> numbers(xs.begin(), xs.end());
  numbers.insert(numbers.end(), ys.begin(), ys.end());
  for (const auto* values : {&w.kernel, &w.stride, &w.padding})
    numbers.insert(numbers.end(), *values, *values + 3);
  return plan_of<PoolPlan>(std::tuple(dtype, std::move(numbers), w.count_include_pad),
                           [&] { return std::make_unique<PoolPlan>(xs, ys, dtype, spatial, w); });
}

}  // namespace

bool cudnn_avg_pool(const Out& y, const In& x, int64_t spatial, const PoolWindows& w) {
  PoolPlan& p = plan_for(x.sizes, y.sizes, y.dtype, spatial, w);
  const Factor one(1, y.dtype), zero(0, y.dtype);
  return TAPER_CUDNN_SUPPORTS(cudnnPoolingForward, cudnn_handle(), p.pool.get(), one.get(),
                              p.x.get(), x.data, zero.get(), p.y.get(), y.data);
}

bool cudnn_avg_pool_scatter(const Out& gx, const In& gy, int64_t spatial, const PoolWindows& w) {
  PoolPlan& p = plan_for(gx.sizes, gy.sizes, gx.dtype, spatial, w);
  const Factor one(1, gx.dtype), zero(0, gx.dtype);
  // The gradient of a mean does not depend on x and y, so any memory of their sizes will do.
  return TAPER_CUDNN_SUPPORTS(cudnnPoolingBackward, cudnn_handle(), p.pool.get(), one.get(),
                              p.y.get(), gy.data, p.y.get(), gy.data, p.x.get(), gx.data,
                              zero.get(), p.x.get(), gx.data);
}

}  // namespace torch::taper::cuda
