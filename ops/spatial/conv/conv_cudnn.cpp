#include <taper/ops/spatial/conv/conv_cudnn.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>
#include <vector>

#include <taper/framework/core/warning.h>
#include <taper/framework/cuda/gpu/cudnn_graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>

namespace torch::taper::cuda {
namespace {

/// kForwardWithRelu is max(x * w + alpha z + b, 0). z may be missing.
enum class Map { kForward, kForwardWithBias, kForwardWithRelu, kInputGradient, kWeightGradient };
/// Ids of a graph's tensors. Sums that never reach memory have an id for each set of summands.
enum Id : int64_t { kX = 1, kW, kY, kB, kZ, kSums, kSumsWithZ, kSumsWithB };

/// One convolution: memory and sizes.
struct Conv {
  const Dims &xs, &ws, &ys;
  const void *x, *w, *y, *b;
  ScalarType dtype;
  const ConvSteps& steps;
  const void* z = nullptr;
  double alpha = 1;  // of z
};

/// Returns (1, K, 1, 1): one number per channel of y.
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

/// Convolves x and w into the tensor `y`.
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

GraphPart sums_part(const Conv& c, Id id) {
  return graph_tensor(id, cudnn_compute_type(c.dtype), cudnn_sizes(c.ys), 16, GraphPlace::kVirtual);
}
GraphFormula formula(const Conv& c, cudnnPointwiseMode_t mode) {
  return {mode, cudnn_compute_type(c.dtype)};
}
/// Computes y = sums + the bias of each channel.
GraphPart bias_part(const Conv& c, const GraphPart& sums, const GraphPart& y) {
  const GraphPart b = graph_tensor(kB, cudnn_type(c.dtype), bias_sizes(c.ys), graph_alignment(c.b));
  GraphPart p = graph_operation(formula(c, CUDNN_POINTWISE_ADD), {&sums, &b}, y);
  p.finish();
  return p;
}
/// Computes y = sums + alpha z.
GraphPart addend_part(const Conv& c, const GraphPart& sums, const GraphPart& y) {
  const GraphPart z =
      graph_tensor(kZ, cudnn_type(c.dtype), cudnn_sizes(c.ys), graph_alignment(c.z));
  GraphPart p = graph_operation(formula(c, CUDNN_POINTWISE_ADD), {&sums, &z}, y);
  p.set_factor(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1, c.dtype)
      .set_factor(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, c.alpha, c.dtype)
      .finish();
  return p;
}
/// Computes y = max(sums, 0).
GraphPart relu_part(const Conv& c, const GraphPart& sums) {
  GraphPart p = graph_operation(formula(c, CUDNN_POINTWISE_RELU_FWD), {&sums}, y_part(c));
  p.finish();
  return p;
}

void add_bias_operations(std::vector<GraphPart>& r, const Conv& c) {
  const GraphPart sums = sums_part(c, kSums);
  r.push_back(forward_part(c, sums));
  r.push_back(bias_part(c, sums, y_part(c)));
}
void add_relu_operations(std::vector<GraphPart>& r, const Conv& c) {
  GraphPart sums = sums_part(c, kSums);
  r.push_back(forward_part(c, sums));
  if (c.z) {
    GraphPart with_z = sums_part(c, kSumsWithZ);
    r.push_back(addend_part(c, sums, with_z));
    sums = std::move(with_z);
  }
  const GraphPart with_b = sums_part(c, kSumsWithB);
  r.push_back(bias_part(c, sums, with_b));
  r.push_back(relu_part(c, with_b));
}

std::vector<GraphPart> operations_of(Map map, const Conv& c) {
  std::vector<GraphPart> r;
  if (map == Map::kForward) r.push_back(forward_part(c, y_part(c)));
  if (map == Map::kForwardWithBias) add_bias_operations(r, c);
  if (map == Map::kForwardWithRelu) add_relu_operations(r, c);
  if (map == Map::kInputGradient) r.push_back(input_gradient_part(c));
  if (map == Map::kWeightGradient) r.push_back(weight_gradient_part(c));
  return r;
}

EnginePlans& plans_for(Map map, const Conv& c) {
  std::vector<int64_t> sizes(c.xs.begin(), c.xs.end());
  sizes.insert(sizes.end(), c.ws.begin(), c.ws.end());
  sizes.insert(sizes.end(), c.ys.begin(), c.ys.end());
  for (const void* p : {c.x, c.w, c.y, c.b, c.z}) sizes.push_back(p ? graph_alignment(p) : 0);
  sizes.push_back(std::bit_cast<int64_t>(c.alpha));
  EngineRules rules = EngineRules::current(c.dtype);
  // A slow engine of several operations is no better than a fast one and a separate pass.
  rules.has_fallback = map != Map::kForwardWithBias && map != Map::kForwardWithRelu;
  const cudnnHandle_t h = cudnn_handle();
  return plan_of<EnginePlans>(std::tuple(h, map, c.dtype, std::move(sizes), c.steps, rules), [&] {
    const RelaxedCapture relaxed;
    return std::make_unique<EnginePlans>(h, operations_of(map, c), rules);
  });
}

/// Returns false, with nothing done, if cuDNN has no engine.
bool run(Map map, const Conv& c) {
  GraphMemory memory;
  memory.add(kX, c.x);
  memory.add(kW, c.w);
  memory.add(kY, c.y);
  if (c.b && map != Map::kForward) memory.add(kB, c.b);
  if (c.z) memory.add(kZ, c.z);
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

/// Adds b to y if no engine does so, for as many samples at once as a description holds.
void add_bias(const Conv& c) {
  const TensorDescription y, b;
  describe(b, c.dtype, bias_sizes(c.ys));
  const Factor one(1, c.dtype);
  const int64_t most = cudnn_samples(c.ys);
  const int64_t nbytes = elements_of_sample(c.ys) * static_cast<int64_t>(elementSize(c.dtype));
  auto* const from = static_cast<char*>(const_cast<void*>(c.y));
  Dims part = c.ys;
  for (int64_t n = 0; n < c.ys[0]; n += most) {
    part[0] = std::min(most, c.ys[0] - n);
    describe(y, c.dtype, cudnn_sizes(part));
    TAPER_LIBRARY_CALL(cudnn, cudnnAddTensor, cudnn_handle(), one.get(), b.get(), c.b, one.get(),
                       y.get(), from + n * nbytes);
  }
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

void cudnn_forward_relu(bool* done, Out y, In x, In w, In b, In z, double alpha, ConvSteps steps) {
  *done = false;
  if (depthwise_takes(conv_shape(x.sizes, w.sizes, y.sizes, steps)) ||
      !cudnn_takes(x.sizes, w.sizes, y.sizes, steps))
    return;
  const Conv c{x.sizes, w.sizes, y.sizes, x.data, w.data, y.data,
               b.data,  y.dtype, steps,   z.data, alpha};
  *done = run(Map::kForwardWithRelu, c);
}

bool cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps) {
  return run_or_warn(Map::kInputGradient, {gx.sizes, w.sizes, gy.sizes, gx.data, w.data, gy.data,
                                           nullptr, gx.dtype, steps});
}

bool cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps) {
  return run_or_warn(Map::kWeightGradient, {x.sizes, gw.sizes, gy.sizes, x.data, gw.data, gy.data,
                                            nullptr, gw.dtype, steps});
}

}  // namespace torch::taper::cuda
