#include <taper/ops/spatial/conv_cudnn.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include <taper/framework/context.h>
#include <taper/framework/cuda/gpu/cudnn.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

namespace taper::cuda {
namespace {

TAPER_CUDNN_DESCRIPTION(FilterDescription, cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor,
                        cudnnDestroyFilterDescriptor)
TAPER_CUDNN_DESCRIPTION(ConvDescription, cudnnConvolutionDescriptor_t,
                        cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor)

/// The switches that algorithms depend on.
struct ConvModes {
  cudnnMathType_t math;
  bool benchmark, deterministic;
  auto operator<=>(const ConvModes&) const = default;

  static ConvModes current(ScalarType dtype) {
    return {cudnn_math(dtype), globalContext().benchmarkCuDNN(), cudnn_is_deterministic()};
  }
};

/// An algorithm and the arithmetic it was listed with.
struct Chosen {
  int algorithm = -1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

/// What one convolution is, and the algorithms that were chosen for it.
struct ConvPlan {
  TensorDescription x, y, b;
  FilterDescription w;
  ConvDescription conv;
  const ConvModes modes;
  Chosen forward, input_gradient, weight_gradient;

  ConvPlan(const Dims& xs, const Dims& ws, const Dims& ys, ScalarType dtype, const ConvSteps& steps,
           const ConvModes& modes)
      : modes(modes) {
    describe(x, dtype, cudnn_sizes(xs));
    describe(y, dtype, cudnn_sizes(ys));
    const std::vector<int> filter = cudnn_sizes(ws);
    TAPER_LIBRARY_CALL(cudnn, cudnnSetFilterNdDescriptor, w.get(), cudnn_type(dtype),
                       CUDNN_TENSOR_NCHW, static_cast<int>(filter.size()), filter.data());
    std::vector<int> bias(filter.size(), 1);
    bias[1] = static_cast<int>(ys[1]);
    describe(b, dtype, bias);
    describe_steps(static_cast<int>(filter.size()) - 2, dtype, steps);
  }

 private:
  void describe_steps(int spatial, ScalarType dtype, const ConvSteps& steps) {
    std::vector<int> padding, stride, dilation;
    for (int d = 3 - spatial; d < 3; ++d) {
      padding.push_back(static_cast<int>(steps.padding[d]));
      stride.push_back(static_cast<int>(steps.stride[d]));
      dilation.push_back(static_cast<int>(steps.dilation[d]));
    }
    TAPER_LIBRARY_CALL(cudnn, cudnnSetConvolutionNdDescriptor, conv.get(), spatial, padding.data(),
                       stride.data(), dilation.data(), CUDNN_CROSS_CORRELATION,
                       cudnn_compute_type(dtype));
    TAPER_LIBRARY_CALL(cudnn, cudnnSetConvolutionGroupCount, conv.get(),
                       static_cast<int>(steps.groups));
  }

 public:
  /// The arithmetic that an algorithm was listed with; but f32 without TF32 stays f32.
  void set_math(cudnnMathType_t math) {
    const bool exact = modes.math == CUDNN_FMA_MATH;
    TAPER_LIBRARY_CALL(cudnn, cudnnSetConvolutionMathType, conv.get(), exact ? modes.math : math);
  }
  /// What algorithms are asked for with.
  void set_math() { set_math(modes.math); }
};

ConvPlan& plan_for(const Dims& x, const Dims& w, const Dims& y, ScalarType dtype,
                   const ConvSteps& steps) {
  std::vector<int64_t> sizes(x.begin(), x.end());
  sizes.insert(sizes.end(), w.begin(), w.end());
  sizes.insert(sizes.end(), y.begin(), y.end());
  const ConvModes modes = ConvModes::current(dtype);
  return plan_of<ConvPlan>(std::tuple(kernel_device(), dtype, std::move(sizes), steps, modes), [&] {
    return std::make_unique<ConvPlan>(x, w, y, dtype, steps, modes);
  });
}

/// The first algorithm of the list that can be had and, where that was asked for, always gives the
/// same bits.
template <class Found>
Chosen first_of(const Found* found, int count, bool deterministic) {
  for (int i = 0; i < count; ++i)
    if (found[i].status == CUDNN_STATUS_SUCCESS &&
        (!deterministic || found[i].determinism == CUDNN_DETERMINISTIC))
      return {static_cast<int>(found[i].algo), found[i].mathType};
  throw Error("convolution: Unable to find a valid cuDNN algorithm to run convolution");
}

/// The algorithm that cuDNN expects to be fastest, of those that list(room, &count, found) lists in
/// this order; or the one that is, by measure(room, &count, found, memory, nbytes).
template <class Found, class List, class Measure>
Chosen search(ConvPlan& plan, const List& list, const Measure& measure) {
  constexpr int kMost = 10;
  constexpr size_t kMostBytes = size_t{1} << 30;  // algorithms that want more are not tried
  Found found[kMost];
  int count = 0;
  plan.set_math();
  list(kMost, &count, found);
  if (plan.modes.benchmark && !is_capturing(kernel_stream())) {
    size_t nbytes = 1;
    for (int i = 0; i < count; ++i)
      if (found[i].status == CUDNN_STATUS_SUCCESS && found[i].memory <= kMostBytes)
        nbytes = std::max(nbytes, found[i].memory);
    const Scratch<char> memory(static_cast<int64_t>(nbytes));
    measure(kMost, &count, found, memory.get(), nbytes);
  }
  return first_of(found, count, plan.modes.deterministic);
}

/// The algorithm in `chosen`, which is searched for on first use; the plan then has its arithmetic.
template <class Found, class List, class Measure>
decltype(Found::algo) choose(ConvPlan& plan, Chosen& chosen, const List& list,
                             const Measure& measure) {
  if (chosen.algorithm < 0) chosen = search<Found>(plan, list, measure);
  plan.set_math(chosen.math);
  return static_cast<decltype(Found::algo)>(chosen.algorithm);
}

}  // namespace

void cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps) {
  ConvPlan& p = plan_for(x.sizes, w.sizes, y.sizes, y.dtype, steps);
  const cudnnHandle_t h = cudnn_handle();
  const auto algorithm = choose<cudnnConvolutionFwdAlgoPerf_t>(
      p, p.forward,
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionForwardAlgorithm_v7, h, p.x.get(), p.w.get(),
                           p.conv.get(), p.y.get(), list...);
      },
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnFindConvolutionForwardAlgorithmEx, h, p.x.get(), x.data,
                           p.w.get(), w.data, p.conv.get(), p.y.get(), y.data, list...);
      });
  size_t nbytes = 0;
  TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionForwardWorkspaceSize, h, p.x.get(), p.w.get(),
                     p.conv.get(), p.y.get(), algorithm, &nbytes);
  const Scratch<char> room(static_cast<int64_t>(nbytes));
  const Factor one(1, y.dtype), zero(0, y.dtype);
  TAPER_LIBRARY_CALL(cudnn, cudnnConvolutionForward, h, one.get(), p.x.get(), x.data, p.w.get(),
                     w.data, p.conv.get(), algorithm, room.get(), nbytes, zero.get(), p.y.get(),
                     y.data);
  if (b.defined())
    TAPER_LIBRARY_CALL(cudnn, cudnnAddTensor, h, one.get(), p.b.get(), b.data, one.get(), p.y.get(),
                       y.data);
}

void cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps) {
  ConvPlan& p = plan_for(gx.sizes, w.sizes, gy.sizes, gx.dtype, steps);
  const cudnnHandle_t h = cudnn_handle();
  const auto algorithm = choose<cudnnConvolutionBwdDataAlgoPerf_t>(
      p, p.input_gradient,
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionBackwardDataAlgorithm_v7, h, p.w.get(),
                           p.y.get(), p.conv.get(), p.x.get(), list...);
      },
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnFindConvolutionBackwardDataAlgorithmEx, h, p.w.get(), w.data,
                           p.y.get(), gy.data, p.conv.get(), p.x.get(), gx.data, list...);
      });
  size_t nbytes = 0;
  TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionBackwardDataWorkspaceSize, h, p.w.get(), p.y.get(),
                     p.conv.get(), p.x.get(), algorithm, &nbytes);
  const Scratch<char> room(static_cast<int64_t>(nbytes));
  const Factor one(1, gx.dtype), zero(0, gx.dtype);
  TAPER_LIBRARY_CALL(cudnn, cudnnConvolutionBackwardData, h, one.get(), p.w.get(), w.data,
                     p.y.get(), gy.data, p.conv.get(), algorithm, room.get(), nbytes, zero.get(),
                     p.x.get(), gx.data);
}

void cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps) {
  ConvPlan& p = plan_for(x.sizes, gw.sizes, gy.sizes, gw.dtype, steps);
  const cudnnHandle_t h = cudnn_handle();
  const auto algorithm = choose<cudnnConvolutionBwdFilterAlgoPerf_t>(
      p, p.weight_gradient,
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionBackwardFilterAlgorithm_v7, h, p.x.get(),
                           p.y.get(), p.conv.get(), p.w.get(), list...);
      },
      [&](auto... list) {
        TAPER_LIBRARY_CALL(cudnn, cudnnFindConvolutionBackwardFilterAlgorithmEx, h, p.x.get(),
                           x.data, p.y.get(), gy.data, p.conv.get(), p.w.get(), gw.data, list...);
      });
  size_t nbytes = 0;
  TAPER_LIBRARY_CALL(cudnn, cudnnGetConvolutionBackwardFilterWorkspaceSize, h, p.x.get(), p.y.get(),
                     p.conv.get(), p.w.get(), algorithm, &nbytes);
  const Scratch<char> room(static_cast<int64_t>(nbytes));
  const Factor one(1, gw.dtype), zero(0, gw.dtype);
  TAPER_LIBRARY_CALL(cudnn, cudnnConvolutionBackwardFilter, h, one.get(), p.x.get(), x.data,
                     p.y.get(), gy.data, p.conv.get(), algorithm, room.get(), nbytes, zero.get(),
                     p.w.get(), gw.data);
}

}  // namespace taper::cuda
