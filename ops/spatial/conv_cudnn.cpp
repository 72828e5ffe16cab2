#include <taper/ops/spatial/conv_cudnn.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include <taper/framework/context.h>
#include <taper/framework/cuda/gpu/cudnn.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>
#include <taper/framework/warning.h>

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

/// An algorithm, the arithmetic it was listed with, and the memory it works in.
struct Candidate {
  int algorithm;
  cudnnMathType_t math;
  size_t nbytes;
  bool has_room_known = false;  // what was listed is an estimate
};
/// What cuDNN lists for one direction of a convolution, best first: the first one is used, until it
/// turns out not to be supported.
struct Candidates {
  bool are_listed = false;
  std::vector<Candidate> left;
};

/// What one convolution is, and the algorithms that there are for it.
struct ConvPlan {
  TensorDescription x, y, b;
  FilterDescription w;
  ConvDescription conv;
  const ConvModes modes;
  Candidates forward, input_gradient, weight_gradient;

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

  std::optional<cudnnMathType_t> described_math_;

 public:
  /// The arithmetic that an algorithm was listed with; but f32 without TF32 stays f32.
  void set_math(cudnnMathType_t math) {
    if (modes.math == CUDNN_FMA_MATH) math = modes.math;
    if (described_math_ == math) return;
    TAPER_LIBRARY_CALL(cudnn, cudnnSetConvolutionMathType, conv.get(), math);
    described_math_ = math;
  }
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

// Algorithms that work in more memory than this come after all others.
constexpr size_t kMostBytes = size_t{1} << 30;

/// What can be had and, where that was asked for, always gives the same bits.
template <class Found>
std::vector<Candidate> candidates_of(const Found* found, int count, bool deterministic) {
  std::vector<Candidate> r;
  for (int i = 0; i < count; ++i)
    if (found[i].status == CUDNN_STATUS_SUCCESS &&
        (!deterministic || found[i].determinism == CUDNN_DETERMINISTIC))
      r.push_back({static_cast<int>(found[i].algo), found[i].mathType, found[i].memory});
  const auto large =
      std::stable_partition(r.begin(), r.end(), [](auto& c) { return c.nbytes <= kMostBytes; });
  std::stable_sort(large, r.end(), [](auto& a, auto& b) { return a.nbytes < b.nbytes; });
  return r;
}

/// Asks for the algorithms, in the order in which cuDNN expects them to be fast; or in that of
/// their times.
template <class Direction>
std::vector<Candidate> list_candidates(ConvPlan& plan, const Direction& direction) {
  constexpr int kMost = 10;
  typename Direction::Found found[kMost];
  int count = 0;
  plan.set_math(plan.modes.math);
  if (!direction.list(plan, kMost, &count, found)) return {};
  auto listed = candidates_of(found, count, plan.modes.deterministic);
  if (listed.empty() || !plan.modes.benchmark || is_capturing(kernel_stream())) return listed;
  size_t nbytes = 1;
  for (const Candidate& c : listed)
    if (c.nbytes <= kMostBytes) nbytes = std::max(nbytes, c.nbytes);
  const Scratch<char> memory(static_cast<int64_t>(nbytes));
  if (!direction.measure(plan, kMost, &count, found, memory.get(), nbytes)) return listed;
  return candidates_of(found, count, plan.modes.deterministic);
}

/// Whether this algorithm has computed it. The memory that it needs is asked for once.
template <class Direction>
bool run_with(Candidate& c, ConvPlan& plan, const Direction& direction) {
  plan.set_math(c.math);
  if (!c.has_room_known && !direction.ask_room(plan, c.algorithm, &c.nbytes)) return false;
  c.has_room_known = true;
  const Scratch<char> room(static_cast<int64_t>(c.nbytes));
  return direction.run(plan, c.algorithm, room.get(), c.nbytes);
}

void warn_of_own_kernels() {
  detail::warn_once([] {
    return "convolution: cuDNN has no algorithm for a shape and dtype that it was given; own "
           "kernels, which are slower, compute it";
  });
}

/// False where cuDNN has no algorithm for it, with nothing done.
template <class Direction>
bool run(ConvPlan& plan, Candidates& candidates, const Direction& direction) {
  if (!candidates.are_listed) candidates.left = list_candidates(plan, direction);
  candidates.are_listed = true;
  while (!candidates.left.empty()) {
    if (run_with(candidates.left.front(), plan, direction)) return true;
    candidates.left.erase(candidates.left.begin());
  }
  warn_of_own_kernels();
  return false;
}

struct Forward {
  using Found = cudnnConvolutionFwdAlgoPerf_t;
  cudnnHandle_t h;
  const void *x, *w;
  void* y;
  ScalarType dtype;

  template <class... List>
  bool list(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionForwardAlgorithm_v7, h, p.x.get(), p.w.get(),
                                p.conv.get(), p.y.get(), to...);
  }
  template <class... List>
  bool measure(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnFindConvolutionForwardAlgorithmEx, h, p.x.get(), x, p.w.get(),
                                w, p.conv.get(), p.y.get(), y, to...);
  }
  bool ask_room(ConvPlan& p, int algorithm, size_t* nbytes) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionForwardWorkspaceSize, h, p.x.get(), p.w.get(),
                                p.conv.get(), p.y.get(), cudnnConvolutionFwdAlgo_t(algorithm),
                                nbytes);
  }
  bool run(ConvPlan& p, int algorithm, void* room, size_t nbytes) const {
    const Factor one(1, dtype), zero(0, dtype);
    return TAPER_CUDNN_SUPPORTS(cudnnConvolutionForward, h, one.get(), p.x.get(), x, p.w.get(), w,
                                p.conv.get(), cudnnConvolutionFwdAlgo_t(algorithm), room, nbytes,
                                zero.get(), p.y.get(), y);
  }
};

struct InputGradient {
  using Found = cudnnConvolutionBwdDataAlgoPerf_t;
  cudnnHandle_t h;
  const void *w, *gy;
  void* gx;
  ScalarType dtype;

  template <class... List>
  bool list(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionBackwardDataAlgorithm_v7, h, p.w.get(),
                                p.y.get(), p.conv.get(), p.x.get(), to...);
  }
  template <class... List>
  bool measure(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnFindConvolutionBackwardDataAlgorithmEx, h, p.w.get(), w,
                                p.y.get(), gy, p.conv.get(), p.x.get(), gx, to...);
  }
  bool ask_room(ConvPlan& p, int algorithm, size_t* nbytes) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionBackwardDataWorkspaceSize, h, p.w.get(),
                                p.y.get(), p.conv.get(), p.x.get(),
                                cudnnConvolutionBwdDataAlgo_t(algorithm), nbytes);
  }
  bool run(ConvPlan& p, int algorithm, void* room, size_t nbytes) const {
    const Factor one(1, dtype), zero(0, dtype);
    return TAPER_CUDNN_SUPPORTS(cudnnConvolutionBackwardData, h, one.get(), p.w.get(), w, p.y.get(),
                                gy, p.conv.get(), cudnnConvolutionBwdDataAlgo_t(algorithm), room,
                                nbytes, zero.get(), p.x.get(), gx);
  }
};

struct WeightGradient {
  using Found = cudnnConvolutionBwdFilterAlgoPerf_t;
  cudnnHandle_t h;
  const void *x, *gy;
  void* gw;
  ScalarType dtype;

  template <class... List>
  bool list(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionBackwardFilterAlgorithm_v7, h, p.x.get(),
                                p.y.get(), p.conv.get(), p.w.get(), to...);
  }
  template <class... List>
  bool measure(ConvPlan& p, List... to) const {
    return TAPER_CUDNN_SUPPORTS(cudnnFindConvolutionBackwardFilterAlgorithmEx, h, p.x.get(), x,
                                p.y.get(), gy, p.conv.get(), p.w.get(), gw, to...);
  }
  bool ask_room(ConvPlan& p, int algorithm, size_t* nbytes) const {
    return TAPER_CUDNN_SUPPORTS(cudnnGetConvolutionBackwardFilterWorkspaceSize, h, p.x.get(),
                                p.y.get(), p.conv.get(), p.w.get(),
                                cudnnConvolutionBwdFilterAlgo_t(algorithm), nbytes);
  }
  bool run(ConvPlan& p, int algorithm, void* room, size_t nbytes) const {
    const Factor one(1, dtype), zero(0, dtype);
    return TAPER_CUDNN_SUPPORTS(
        cudnnConvolutionBackwardFilter, h, one.get(), p.x.get(), x, p.y.get(), gy, p.conv.get(),
        cudnnConvolutionBwdFilterAlgo_t(algorithm), room, nbytes, zero.get(), p.w.get(), gw);
  }
};

}  // namespace

bool cudnn_forward(const Out& y, const In& x, const In& w, const In& b, const ConvSteps& steps) {
  ConvPlan& p = plan_for(x.sizes, w.sizes, y.sizes, y.dtype, steps);
  const cudnnHandle_t h = cudnn_handle();
  if (!run(p, p.forward, Forward{h, x.data, w.data, y.data, y.dtype})) return false;
  const Factor one(1, y.dtype);
  if (b.defined())
    TAPER_LIBRARY_CALL(cudnn, cudnnAddTensor, h, one.get(), p.b.get(), b.data, one.get(), p.y.get(),
                       y.data);
  return true;
}

bool cudnn_input_gradient(const Out& gx, const In& gy, const In& w, const ConvSteps& steps) {
  ConvPlan& p = plan_for(gx.sizes, w.sizes, gy.sizes, gx.dtype, steps);
  return run(p, p.input_gradient,
             InputGradient{cudnn_handle(), w.data, gy.data, gx.data, gx.dtype});
}

bool cudnn_weight_gradient(const Out& gw, const In& x, const In& gy, const ConvSteps& steps) {
  ConvPlan& p = plan_for(x.sizes, gw.sizes, gy.sizes, gw.dtype, steps);
  return run(p, p.weight_gradient,
             WeightGradient{cudnn_handle(), x.data, gy.data, gw.data, gw.dtype});
}

}  // namespace taper::cuda
