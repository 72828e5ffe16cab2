// A fake of cuDNN's convolutions: descriptions are kept and compared with each other, and the sums
// are computed from the definition, in the order of their indices.
#include "cuda_fake/dnn.h"

#include <cstring>
#include <numeric>

#include "cuda_fake/state.h"

using namespace fake_cuda;

struct cudnnTensorStruct {
  cudnnDataType_t type{};
  std::vector<int> sizes, strides;
};
struct cudnnFilterStruct {
  cudnnDataType_t type{};
  std::vector<int> sizes;
};
struct cudnnConvolutionStruct {
  std::vector<int> padding, stride, dilation;
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

Dnn& fake_cuda::dnn() {
  static Dnn fake;
  return fake;
}

namespace {

cudnnStatus_t counted(const char* function) {
  return entry(function, [] { return cudaSuccess; }) == cudaSuccess ? CUDNN_STATUS_SUCCESS
                                                                    : CUDNN_STATUS_EXECUTION_FAILED;
}
cudnnStatus_t bad(const std::string& what) {
  violation("cuDNN: " + what, cudaErrorInvalidValue);
  return CUDNN_STATUS_BAD_PARAM;
}

/// A convolution in two dimensions of tensors whose descriptions fit each other.
struct Conv {
  const cudnnTensorStruct &x, &y;
  const cudnnFilterStruct& w;
  const cudnnConvolutionStruct& c;

  bool fits() const {
    if (x.sizes.size() != 4 || y.sizes.size() != 4 || w.sizes.size() != 4) return false;
    if (x.type != y.type || x.type != w.type || x.sizes[0] != y.sizes[0]) return false;
    if (x.sizes[1] != w.sizes[1] * c.groups || y.sizes[1] != w.sizes[0]) return false;
    for (int d = 0; d < 2; ++d) {
      const int reach = c.dilation[d] * (w.sizes[2 + d] - 1) + 1;
      if (y.sizes[2 + d] != (x.sizes[2 + d] + 2 * c.padding[d] - reach) / c.stride[d] + 1)
        return false;
    }
    return true;
  }
  /// visit(place in x, place in w, place in y) for every product.
  template <class Visit>
  void each(const Visit& visit) const {
    const int per_group = w.sizes[0] / c.groups;
    for (int n = 0; n < y.sizes[0]; ++n)
      for (int f = 0; f < w.sizes[0]; ++f)
        for (int k = 0; k < w.sizes[1] * w.sizes[2] * w.sizes[3]; ++k)
          for (int i = 0; i < y.sizes[2]; ++i)
            for (int j = 0; j < y.sizes[3]; ++j) {
              const int v = k % w.sizes[3], u = k / w.sizes[3] % w.sizes[2],
                        e = k / (w.sizes[3] * w.sizes[2]);
              const int row = i * c.stride[0] - c.padding[0] + u * c.dilation[0],
                        column = j * c.stride[1] - c.padding[1] + v * c.dilation[1];
              if (row < 0 || row >= x.sizes[2] || column < 0 || column >= x.sizes[3]) continue;
              visit(at(x, n, f / per_group * w.sizes[1] + e, row, column),
                    static_cast<size_t>(f) * w.sizes[1] * w.sizes[2] * w.sizes[3] + k,
                    at(y, n, f, i, j));
            }
  }
  static size_t at(const cudnnTensorStruct& t, int n, int c, int i, int j) {
    const auto& s = t.strides;
    return static_cast<size_t>(n) * s[0] + static_cast<size_t>(c) * s[1] +
           static_cast<size_t>(i) * s[2] + static_cast<size_t>(j) * s[3];
  }
};

const ConvAlgorithm* algorithm(int number) {
  for (const ConvAlgorithm& a : dnn().algorithms)
    if (a.number == number) return &a;
  return nullptr;
}

template <class Found>
cudnnStatus_t list_algorithms(const char* function, int most, int* count, Found* found) {
  *count = 0;
  for (const ConvAlgorithm& a : dnn().algorithms) {
    if (*count == most) break;
    Found& to = found[(*count)++];
    to.algo = static_cast<decltype(to.algo)>(a.number);
    to.status = a.listed;
    to.memory = a.room_listed;
    to.mathType = CUDNN_DEFAULT_MATH;
    to.determinism = a.deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
  }
  const cudnnStatus_t status = counted(function);
  return status == CUDNN_STATUS_SUCCESS ? dnn().list : status;
}

cudnnStatus_t ask_room(const char* function, int number, size_t* nbytes) {
  const ConvAlgorithm* const a = algorithm(number);
  if (!a) return bad("an algorithm that was not listed");
  *nbytes = a->room;
  const cudnnStatus_t status = counted(function);
  return status == CUDNN_STATUS_SUCCESS ? a->asked : status;
}

/// to = alpha * sums + beta * to, where sums[place] gathers a[..] * b[..] as `each` says.
template <class Each>
cudnnStatus_t compute(const char* function, const Conv& conv, int number, void* room, size_t nbytes,
                      const void* alpha, const void* beta, void* to, size_t numel,
                      const Each& each) {
  if (!conv.fits()) return bad(std::string(function) + ": descriptions that do not fit each other");
  if (conv.x.type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
  const ConvAlgorithm* const a = algorithm(number);
  if (!a) return bad("an algorithm that was not listed");
  if (nbytes < a->room) return bad("less working memory than the algorithm asks for");
  if (a->run != CUDNN_STATUS_SUCCESS) return a->run;
  if (a->room) std::memset(room, 0xff, a->room);
  std::vector<float> sums(numel);
  each(sums);
  float* const y = static_cast<float*>(to);
  const float by = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
  for (size_t i = 0; i < numel; ++i) y[i] = by * sums[i] + (keep != 0 ? keep * y[i] : 0);
  dnn().ran.push_back(number);
  return counted(function);
}
size_t count_of(const std::vector<int>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t{1}, std::multiplies<>());
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  LibraryCall call("cudnnCreate");
  make_handle(call, handle, "handle of cuDNN");
  return call.status(CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_NOT_INITIALIZED);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  LibraryCall call("cudnnSetStream");
  call.object(handle, "handle of cuDNN");
  call.stream(stream);
  return call.status(CUDNN_STATUS_BAD_PARAM, CUDNN_STATUS_INTERNAL_ERROR);
}
const char* cudnnGetErrorString(cudnnStatus_t) { return "a status of cuDNN"; }

// ---------------------------------------------------------------------- descriptions
#define FAKE_DESCRIPTION(Name, Struct)                      \
  cudnnStatus_t cudnnCreate##Name##Descriptor(Struct** d) { \
    *d = new Struct;                                        \
    return counted("cudnnCreate" #Name "Descriptor");       \
  }                                                         \
  cudnnStatus_t cudnnDestroy##Name##Descriptor(Struct* d) { \
    delete d;                                               \
    return CUDNN_STATUS_SUCCESS;                            \
  }
FAKE_DESCRIPTION(Tensor, cudnnTensorStruct)
FAKE_DESCRIPTION(Filter, cudnnFilterStruct)
FAKE_DESCRIPTION(Convolution, cudnnConvolutionStruct)

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int n,
                                         const int* sizes, const int* strides) {
  *d = {type, {sizes, sizes + n}, {strides, strides + n}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int n, const int* sizes) {
  if (format != CUDNN_TENSOR_NCHW) return bad("a filter that is not NCHW");
  *d = {type, {sizes, sizes + n}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t d, int n,
                                              const int* padding, const int* stride,
                                              const int* dilation, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t) {
  if (mode != CUDNN_CROSS_CORRELATION) return bad("a convolution that is no cross-correlation");
  *d = {{padding, padding + n}, {stride, stride + n}, {dilation, dilation + n}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groups) {
  d->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) {
  d->math = math;
  return counted("cudnnSetConvolutionMathType");
}

// ---------------------------------------------------------------------- forward
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                     cudnnFilterDescriptor_t,
                                                     cudnnConvolutionDescriptor_t,
                                                     cudnnTensorDescriptor_t, int most, int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* found) {
  return list_algorithms("cudnnGetConvolutionForwardAlgorithm", most, count, found);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t, cudnnTensorDescriptor_t, const void*, cudnnFilterDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, void*, int most, int* count,
    cudnnConvolutionFwdAlgoPerf_t* found, void*, size_t) {
  return list_algorithms("cudnnFindConvolutionForwardAlgorithm", most, count, found);
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionFwdAlgo_t algo, size_t* nbytes) {
  return ask_room("cudnnGetConvolutionForwardWorkspaceSize", algo, nbytes);
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void* alpha, cudnnTensorDescriptor_t xd,
                                      const void* x, cudnnFilterDescriptor_t wd, const void* w,
                                      cudnnConvolutionDescriptor_t c,
                                      cudnnConvolutionFwdAlgo_t algo, void* room, size_t nbytes,
                                      const void* beta, cudnnTensorDescriptor_t yd, void* y) {
  const auto *const a = static_cast<const float*>(x), *const b = static_cast<const float*>(w);
  const Conv conv{*xd, *yd, *wd, *c};
  return compute("cudnnConvolutionForward", conv, algo, room, nbytes, alpha, beta, y,
                 count_of(yd->sizes), [&](auto& sums) {
                   conv.each([&](size_t i, size_t k, size_t o) { sums[o] += a[i] * b[k]; });
                 });
}
cudnnStatus_t cudnnAddTensor(cudnnHandle_t, const void*, cudnnTensorDescriptor_t bd, const void* b,
                             const void*, cudnnTensorDescriptor_t yd, void* y) {
  if (bd->sizes[1] != yd->sizes[1] || count_of(bd->sizes) != static_cast<size_t>(yd->sizes[1]))
    return bad("a bias that is not one for each channel");
  const size_t pixels = static_cast<size_t>(yd->sizes[2]) * yd->sizes[3];
  for (size_t i = 0; i < count_of(yd->sizes); ++i)
    static_cast<float*>(y)[i] += static_cast<const float*>(b)[i / pixels % yd->sizes[1]];
  return counted("cudnnAddTensor");
}

// ---------------------------------------------------------------------- gradient of the input
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, int most, int* count, cudnnConvolutionBwdDataAlgoPerf_t* found) {
  return list_algorithms("cudnnGetConvolutionBackwardDataAlgorithm", most, count, found);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, cudnnFilterDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, void*, int most, int* count,
    cudnnConvolutionBwdDataAlgoPerf_t* found, void*, size_t) {
  return list_algorithms("cudnnFindConvolutionBackwardDataAlgorithm", most, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionBwdDataAlgo_t algo, size_t* nbytes) {
  return ask_room("cudnnGetConvolutionBackwardDataWorkspaceSize", algo, nbytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void* alpha,
                                           cudnnFilterDescriptor_t wd, const void* w,
                                           cudnnTensorDescriptor_t yd, const void* gy,
                                           cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algo, void* room,
                                           size_t nbytes, const void* beta,
                                           cudnnTensorDescriptor_t xd, void* gx) {
  const auto *const a = static_cast<const float*>(gy), *const b = static_cast<const float*>(w);
  const Conv conv{*xd, *yd, *wd, *c};
  return compute("cudnnConvolutionBackwardData", conv, algo, room, nbytes, alpha, beta, gx,
                 count_of(xd->sizes), [&](auto& sums) {
                   conv.each([&](size_t i, size_t k, size_t o) { sums[i] += a[o] * b[k]; });
                 });
}

// ---------------------------------------------------------------------- gradient of the weights
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, int most, int* count, cudnnConvolutionBwdFilterAlgoPerf_t* found) {
  return list_algorithms("cudnnGetConvolutionBackwardFilterAlgorithm", most, count, found);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, cudnnTensorDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t, cudnnFilterDescriptor_t, void*, int most, int* count,
    cudnnConvolutionBwdFilterAlgoPerf_t* found, void*, size_t) {
  return list_algorithms("cudnnFindConvolutionBackwardFilterAlgorithm", most, count, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, cudnnConvolutionBwdFilterAlgo_t algo, size_t* nbytes) {
  return ask_room("cudnnGetConvolutionBackwardFilterWorkspaceSize", algo, nbytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void* alpha,
                                             cudnnTensorDescriptor_t xd, const void* x,
                                             cudnnTensorDescriptor_t yd, const void* gy,
                                             cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void* room,
                                             size_t nbytes, const void* beta,
                                             cudnnFilterDescriptor_t wd, void* gw) {
  const auto *const a = static_cast<const float*>(x), *const b = static_cast<const float*>(gy);
  const Conv conv{*xd, *yd, *wd, *c};
  return compute("cudnnConvolutionBackwardFilter", conv, algo, room, nbytes, alpha, beta, gw,
                 count_of(wd->sizes), [&](auto& sums) {
                   conv.each([&](size_t i, size_t k, size_t o) { sums[k] += a[i] * b[o]; });
                 });
}

}  // extern "C"
