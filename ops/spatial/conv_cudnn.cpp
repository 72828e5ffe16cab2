#include <taper/ops/spatial/conv_cudnn.h>

#include <memory>
#include <tuple>
#include <vector>

#include <taper/framework/cuda/gpu/cudnn_graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/warning.h>

namespace taper::cuda {
namespace {

enum class Map { kForward, kForwardWithBias, kInputGradient, kWeightGradient };
/// Numbers of a graph's tensors; the sums are those that the bias is added to.
enum Id : int64_t { kX = 1, kW, kY, kB, kSums };

/// One convolution: memory and sizes.
struct Conv {
  const Dims &xs, &ws, &ys;
  const void *x, *w, *y, *b;
  ScalarType dtype;
  const ConvSteps& steps;
};

/// (1, K, 1, 1): one number for each channel of y.
std::vector<int> bias_sizes(const Dims& y) {
  std::vector<int> sizes(cudnn_sizes(y).size(), 1);
  sizes[1] = static_cast<int>(y[1]);
  return sizes;
}

GraphPart steps_part(const Conv& c) {
  const int64_t spatial = static_cast<int64_t>(cudnn_sizes(c.xs).size()) - 2;
  const auto last = [&](const int64_t(&all)[3]) {
    return std::vector<int64_t>(all + 3 - spatial, all + 3);
  };
  GraphPart p(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  p.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, cudnn_compute_type(c.dtype))
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, spatial)
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, last(c.steps.dilation))
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, last(c.steps.stride))
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, last(c.steps.padding))
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, last(c.steps.padding))
      .finish();
  return p;
}

GraphPart x_part(const Conv& c) {
  return graph_tensor(kX, cudnn_type(c.dtype), cudnn_sizes(c.xs), graph_alignment(c.x));
}
GraphPart w_part(const Conv& c) {
  return graph_tensor(kW, cudnn_type(c.dtype), cudnn_sizes(c.ws), graph_alignment(c.w));
}
GraphPart y_part(const Conv& c) {
  return graph_tensor(kY, cudnn_type(c.dtype), cudnn_sizes(c.ys), graph_alignment(c.y));
}

/// x and w to what `y` describes.
GraphPart forward_part(const Conv& c, const GraphPart& y) {
  GraphPart p(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, steps_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1, c.dtype)
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0, c.dtype)
      .finish();
  return p;
}
GraphPart input_gradient_part(const Conv& c) {
  GraphPart p(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, steps_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, x_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, w_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, y_part(c))
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1, c.dtype)
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0, c.dtype)
      .finish();
  return p;
}
GraphPart weight_gradient_part(const Conv& c) {
  GraphPart p(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, steps_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, x_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, w_part(c))
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, y_part(c))
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1, c.dtype)
      .set_factor(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0, c.dtype)
      .finish();
  return p;
}

/// The bias of each channel, added to sums that are never in memory.
GraphPart bias_part(const Conv& c, const GraphPart& sums) {
  GraphPart add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  add.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD)
      .set(CUDNN_ATTR_POINTWISE_MATH_PREC, cudnn_compute_type(c.dtype))
      .finish();
  GraphPart p(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, sums)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
           graph_tensor(kB, cudnn_type(c.dtype), bias_sizes(c.ys), graph_alignment(c.b)))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y_part(c))
      .finish();
  return p;
}

std::vector<GraphPart> operations_of(Map map, const Conv& c) {
  std::vector<GraphPart> r;
  if (map == Map::kForward) r.push_back(forward_part(c, y_part(c)));
  if (map == Map::kInputGradient) r.push_back(input_gradient_part(c));
  if (map == Map::kWeightGradient) r.push_back(weight_gradient_part(c));
  if (map == Map::kForwardWithBias) {
    const GraphPart sums =
        graph_tensor(kSums, cudnn_compute_type(c.dtype), cudnn_sizes(c.ys), 16, true);
    r.push_back(forward_part(c, sums));
    r.push_back(bias_part(c, sums));
  }
  return r;
}

EnginePlans& plans_for(Map map, const Conv& c) {
  std::vector<int64_t> sizes(c.xs.begin(), c.xs.end());
  sizes.insert(sizes.end(), c.ws.begin(), c.ws.end());
  sizes.insert(sizes.end(), c.ys.begin(), c.ys.end());
  for (const void* p : {c.x, c.w, c.y, c.b}) sizes.push_back(graph_alignment(p));
  EngineRules rules = EngineRules::current(c.dtype);
  // A slow engine with a bias is no better than a fast one and a pass for the bias.
  rules.has_fallback = map != Map::kForwardWithBias;
  const cudnnHandle_t h = cudnn_handle();
  return plan_of<EnginePlans>(std::tuple(h, map, c.dtype, std::move(sizes), c.steps, rules), [&] {
    const RelaxedCapture relaxed;
    return std::make_unique<EnginePlans>(h, operations_of(map, c), rules);
  });
}

/// False where cuDNN has no engine for it, with nothing done.
bool run(Map map, const Conv& c) {
  GraphMemory memory;
  memory.add(kX, c.x);
  memory.add(kW, c.w);
  memory.add(kY, c.y);
  if (map == Map::kForwardWithBias) memory.add(kB, c.b);
  return plans_for(map, c).run(memory);
}
bool run_or_warn(Map map, const Conv& c) {
  if (run(map, c)) return true;
  detail::warn_once([] {
    return "convolution: cuDNN has no engine for a shape and dtype that it was given; own "
           "kernels, which are slower, compute it";
  });
  return false;
}

/// y += b, where no engine does that too.
void add_bias(const Conv& c) {
  const TensorDescription y, b;
  describe(y, c.dtype, cudnn_sizes(c.ys));
  describe(b, c.dtype, bias_sizes(c.ys));
  const Factor one(1, c.dtype);
  TAPER_LIBRARY_CALL(cudnn, cudnnAddTensor, cudnn_handle(), one.get(), b.get(), c.b, one.get(),
                     y.get(), const_cast<void*>(c.y));
}

}  // namespace

bool cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps) {
  const void* const bias = b.defined() ? b.data : nullptr;
  const Conv c{x.sizes, w.sizes, y.sizes, x.data, w.data, y.data, bias, y.dtype, steps};
  if (bias && run(Map::kForwardWithBias, c)) return true;
  if (!run_or_warn(Map::kForward, c)) return false;
  if (bias) add_bias(c);
  return true;
}

bool cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps) {
  return run_or_warn(Map::kInputGradient, {gx.sizes, w.sizes, gy.sizes, gx.data, w.data, gy.data,
                                           nullptr, gx.dtype, steps});
}

bool cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps) {
  return run_or_warn(Map::kWeightGradient, {x.sizes, gw.sizes, gy.sizes, x.data, gw.data, gy.data,
                                            nullptr, gw.dtype, steps});
}

}  // namespace taper::cuda
