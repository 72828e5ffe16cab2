// What the fake of cuDNN (dnn.cpp) has of its older interface: tensors, a bias by itself, batch
// norms and average pools, computed from their definition, in double. To be included once in a
// program. (Recurrent layers: dnn_rnn.h.)
#pragma once

#include <cudnn.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cuda_fake/dnn_graph.h"
#include "cuda_fake/state.h"

struct cudnnTensorStruct {
  cudnnDataType_t type{};
  std::vector<int> sizes{}, strides{};

  bool operator==(const cudnnTensorStruct&) const = default;
  int64_t numel() const {
    int64_t n = 1;
    for (int size : sizes) n *= size;
    return n;
  }
  size_t nbytes() const { return static_cast<size_t>(numel() * fake_cuda::graphs::bytes_of(type)); }
  /// Elements of a channel in one sample.
  int64_t pixels() const { return numel() / sizes[0] / sizes[1]; }
  bool has_no_gaps() const {
    int64_t stride = 1;
    for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d])
      if (sizes[d] != 1 && strides[d] != stride) return false;
    return true;
  }
};
struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode{};
  std::vector<int> window{}, padding{}, stride{};
};

namespace fake_cuda::layers {

using Numbers = std::vector<double>;
using graphs::bytes_of;
using graphs::with_type;
using Tensor = cudnnTensorStruct;

constexpr const char* kDnnHandle = "handle of cuDNN";
/// Of each handle.
inline std::map<cudnnHandle_t, cudaStream_t>& streams() {
  static std::map<cudnnHandle_t, cudaStream_t> all;
  return all;
}
inline cudnnStatus_t status(const LibraryCall& call) {
  return call.status(CUDNN_STATUS_BAD_PARAM, CUDNN_STATUS_INTERNAL_ERROR);
}

// ---------------------------------------------------------------------- numbers
inline Numbers numbers_of(cudnnDataType_t type, const void* from, int64_t n) {
  Numbers v(static_cast<size_t>(n));
  with_type(type, const_cast<void*>(from), [&](auto* p) {
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(p[i]);
  });
  return v;
}
inline void store(cudnnDataType_t type, void* to, const Numbers& v) {
  with_type(type, to, [&](auto* p) {
    for (size_t i = 0; i < v.size(); ++i) p[i] = static_cast<std::decay_t<decltype(*p)>>(v[i]);
  });
}
inline Numbers numbers_of(const Tensor& t, const void* p) {
  return numbers_of(t.type, p, t.numel());
}

/// Factors of a result and of what was there: in double for tensors in double, else in float.
struct Blend {
  double alpha, beta;
  Blend(LibraryCall& call, cudnnDataType_t type, const void* a, const void* b) : alpha(0), beta(0) {
    call.demand(a && b, "no factors");
    if (!call) return;
    const auto factor = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    alpha = numbers_of(factor, a, 1)[0], beta = numbers_of(factor, b, 1)[0];
  }
  /// What was there is not read where its factor is zero.
  void write(cudnnDataType_t type, void* to, Numbers v) const {
    const Numbers old =
        beta == 0 ? Numbers(v.size()) : numbers_of(type, to, static_cast<int64_t>(v.size()));
    for (size_t i = 0; i < v.size(); ++i) v[i] = alpha * v[i] + beta * old[i];
    layers::store(type, to, v);
  }
};

// ---------------------------------------------------------------------- descriptors
/// Makes a description, or ends one.
template <class T>
cudnnStatus_t create(const char* function, T** d) {
  LibraryCall call(function);
  if (!call) return status(call);
  *d = new T;
  call.make_object(*d, kDnnPart);
  return status(call);
}
template <class T>
cudnnStatus_t destroy(const char* function, T* d) {
  LibraryCall call(function);
  if (call.end_object(d, kDnnPart)) delete d;
  return status(call);
}
/// The handle of a call that computes, and its stream.
inline void check_handle(LibraryCall& call, cudnnHandle_t handle) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  call.object(handle, kDnnHandle);
  if (call) call.stream(streams()[handle]);
}
inline bool are_positive(const std::vector<int>& v) {
  return std::all_of(v.begin(), v.end(), [](int n) { return n > 0; });
}
/// What has been described; without gaps, which the fake does not compute with.
inline void check_described(LibraryCall& call, const Tensor* t) {
  call.object(t, kDnnPart);
  if (call) call.demand(!t->sizes.empty(), "a tensor that was not described");
  if (call) call.demand(t->has_no_gaps(), "a tensor with gaps");
}
inline void check_tensor(LibraryCall& call, const char* name, const Tensor* t, const void* p) {
  check_described(call, t);
  call.demand(p, std::string(name) + " is missing");
  if (call) call.memory(name, p, t->nbytes(), static_cast<size_t>(bytes_of(t->type)));
}

// ---------------------------------------------------------------------- batch norm
/// x, and what has one value for each of its channels (of its activations in the other mode).
struct BatchNorm {
  Tensor x, vector;
  double eps;

  int64_t groups() const { return vector.numel(); }
  /// How many elements share a value.
  int64_t of_group() const { return x.numel() / groups(); }
  size_t group(size_t i) const {
    const int64_t of_sample = x.numel() / x.sizes[0];
    return static_cast<size_t>(static_cast<int64_t>(i) % of_sample / (of_sample / groups()));
  }
  /// Means over each group of what f says of elements.
  template <class F>
  Numbers means(const F& f) const {
    Numbers m(static_cast<size_t>(groups()));
    for (size_t i = 0; i < static_cast<size_t>(x.numel()); ++i)
      m[group(i)] += f(i) / static_cast<double>(of_group());
    return m;
  }
};
struct Statistics {
  Numbers mean, var;
};
inline Statistics statistics(const BatchNorm& b, const Numbers& x) {
  Statistics s;
  s.mean = b.means([&](size_t i) { return x[i]; });
  s.var = b.means([&](size_t i) { return std::pow(x[i] - s.mean[b.group(i)], 2); });
  return s;
}
inline Numbers inverse_deviation(const BatchNorm& b, const Numbers& var) {
  Numbers inv(var);
  for (double& v : inv) v = 1 / std::sqrt(v + b.eps);
  return inv;
}
inline Numbers normalised(const BatchNorm& b, const Numbers& x, const Statistics& s,
                          const Numbers& weight, const Numbers& bias) {
  const Numbers inv = inverse_deviation(b, s.var);
  Numbers y(x.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t k = b.group(i);
    y[i] = (x[i] - s.mean[k]) * inv[k] * weight[k] + bias[k];
  }
  return y;
}

/// The description that cuDNN derives for the vectors.
inline Tensor derived(const Tensor& x, cudnnBatchNormMode_t mode) {
  Tensor t = x;
  t.type = x.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  t.sizes[0] = 1;
  if (mode != CUDNN_BATCHNORM_PER_ACTIVATION) std::fill(t.sizes.begin() + 2, t.sizes.end(), 1);
  int stride = 1;
  for (size_t d = t.sizes.size(); d-- > 0; stride *= t.sizes[d]) t.strides[d] = stride;
  return t;
}
inline void check_mode(LibraryCall& call, const Tensor& x, cudnnBatchNormMode_t mode) {
  call.demand(mode == CUDNN_BATCHNORM_SPATIAL || mode == CUDNN_BATCHNORM_PER_ACTIVATION,
              "a mode that is none");
  call.demand(x.sizes.size() == 4 || x.sizes.size() == 5, "neither four nor five dimensions");
}
/// What all calls have: the handle, x, and how its vectors are described.
inline BatchNorm check_batch_norm(LibraryCall& call, cudnnHandle_t handle,
                                  cudnnBatchNormMode_t mode, const Tensor* x, const void* at,
                                  const Tensor* vector, double eps) {
  check_handle(call, handle);
  check_tensor(call, "x", x, at);
  check_described(call, vector);
  if (!call) return {};
  check_mode(call, *x, mode);
  if (call) call.demand(*vector == derived(*x, mode), "vectors that are not described for x");
  call.demand(eps >= CUDNN_BN_MIN_EPSILON, "an epsilon that is too small");
  return {*x, *vector, eps};
}
/// A tensor that is described as x is.
inline void check_like_x(LibraryCall& call, const BatchNorm& b, const char* name, const Tensor* t,
                         const void* p) {
  check_tensor(call, name, t, p);
  if (call) call.demand(*t == b.x, std::string(name) + " is not described as x is");
}
inline void check_vector(LibraryCall& call, const BatchNorm& b, const char* name, const void* p,
                         bool may_lack = false) {
  if (!p && may_lack) return;
  call.demand(p, std::string(name) + " is missing");
  if (call) call.memory(name, p, b.vector.nbytes(), static_cast<size_t>(bytes_of(b.vector.type)));
}
inline void check_pair(LibraryCall& call, const BatchNorm& b, const char* name, const void* first,
                       const void* second) {
  call.demand(!first == !second, std::string("one of a pair: ") + name);
  check_vector(call, b, name, first, true);
  check_vector(call, b, name, second, true);
}

/// A running statistic, moved to the new value.
inline void move_running(const BatchNorm& b, void* p, const Numbers& to, double factor,
                         double times = 1) {
  if (!p) return;
  Numbers v = numbers_of(b.vector, p);
  for (size_t k = 0; k < v.size(); ++k) v[k] = (1 - factor) * v[k] + factor * times * to[k];
  store(b.vector.type, p, v);
}
/// Statistics that were kept are those of x, with the same epsilon.
inline void check_kept(const Numbers& kept, const Numbers& wanted) {
  for (size_t k = 0; k < kept.size(); ++k)
    if (!(std::abs(kept[k] - wanted[k]) <= 1e-3 * (1 + std::abs(wanted[k])))) {
      violation("cudnnBatchNormalizationBackward: statistics that are not those of x",
                cudaErrorInvalidValue);
      return;
    }
}

// ---------------------------------------------------------------------- pools
/// The windows between x and y; three spatial dimensions, those that they lack in front.
struct Windows {
  int in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, window[3] = {1, 1, 1}, padding[3] = {}, stride[3];
  int64_t planes;
  bool counts_padding;

  Windows(const cudnnPoolingStruct& pool, const Tensor& x, const Tensor& y)
      : planes(int64_t{x.sizes[0]} * x.sizes[1]),
        counts_padding(pool.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) {
    std::fill(stride, stride + 3, 1);
    const size_t n = pool.window.size();
    for (size_t d = 0; d < n; ++d) {
      const size_t k = 3 - n + d;
      in[k] = x.sizes[2 + d], out[k] = y.sizes[2 + d], window[k] = pool.window[d];
      padding[k] = pool.padding[d], stride[k] = pool.stride[d];
    }
  }
  bool fit() const {
    for (int d = 0; d < 3; ++d)
      if (out[d] != (in[d] + 2 * padding[d] - window[d]) / stride[d] + 1) return false;
    return true;
  }
  /// f(place in x, place in y, its share) for every element of every window.
  template <class F>
  void each(const F& f) const {
    const int64_t o[3] = {out[0], out[1], out[2]};
    for (int64_t plane = 0; plane < planes; ++plane)
      graphs::positions(o, [&](const int64_t(&at)[3]) {
        int64_t first[3], size[3], all = 1, inside = 1;
        for (int d = 0; d < 3; ++d) {
          const int64_t begin = at[d] * stride[d] - padding[d];
          first[d] = std::max<int64_t>(begin, 0);
          size[d] = std::max<int64_t>(std::min<int64_t>(begin + window[d], in[d]) - first[d], 0);
          all *= window[d], inside *= size[d];
        }
        const int64_t y = ((plane * out[0] + at[0]) * out[1] + at[1]) * out[2] + at[2];
        graphs::positions(size, [&](const int64_t(&k)[3]) {
          const int64_t x = ((plane * in[0] + first[0] + k[0]) * in[1] + first[1] + k[1]) * in[2] +
                            first[2] + k[2];
          f(static_cast<size_t>(x), static_cast<size_t>(y),
            1.0 / static_cast<double>(counts_padding ? all : inside));
        });
      });
  }
};
/// The descriptions of a pool's two sides.
inline void check_pool(LibraryCall& call, cudnnHandle_t handle, const cudnnPoolingStruct* pool,
                       const Tensor* x, const Tensor* y) {
  check_handle(call, handle);
  call.object(pool, kDnnPart);
  check_described(call, x);
  check_described(call, y);
  if (!call) return;
  call.demand(!pool->window.empty(), "a pool that was not described");
  call.demand(x->sizes.size() == pool->window.size() + 2 && y->sizes.size() == x->sizes.size(),
              "tensors of other dimensions than the windows");
  call.demand(x->type == y->type, "tensors of different types");
  call.demand(x->sizes[0] == y->sizes[0] && x->sizes[1] == y->sizes[1],
              "x and y of other samples or channels");
  if (call) call.demand(Windows(*pool, *x, *y).fit(), "an output of another size than its windows");
}

}  // namespace fake_cuda::layers

// ---------------------------------------------------------------------- cuDNN's names
extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) {
  return fake_cuda::layers::create("cudnnCreateTensorDescriptor", d);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  return fake_cuda::layers::destroy("cudnnDestroyTensorDescriptor", d);
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int n,
                                         const int* sizes, const int* strides) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnSetTensorNdDescriptor");
  call.object(d, fake_cuda::kDnnPart);
  call.demand(n >= 3 && n <= CUDNN_DIM_MAX, "dimensions that no tensor has");
  if (!call) return status(call);
  const Tensor t{type, {sizes, sizes + n}, {strides, strides + n}};
  call.demand(are_positive(t.sizes) && are_positive(t.strides), "a size or stride below one");
  if (call && t.numel() > INT_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  if (call) *d = t;
  return status(call);
}
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t bd,
                             const void* b, const void* beta, cudnnTensorDescriptor_t yd, void* y) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnAddTensor");
  check_handle(call, handle);
  check_tensor(call, "y", yd, y);
  check_tensor(call, "b", bd, b);
  if (!call) return status(call);
  call.demand(bd->type == yd->type && bd->sizes[1] == yd->sizes[1] && bd->numel() == bd->sizes[1],
              "a bias that is not one for each channel");
  const Blend blend(call, yd->type, alpha, beta);
  call.run([=, t = *yd] {
    const Numbers of = numbers_of(t.type, b, t.sizes[1]);
    Numbers terms(static_cast<size_t>(t.numel()));
    for (size_t i = 0; i < terms.size(); ++i)
      terms[i] = of[i / static_cast<size_t>(t.pixels()) % of.size()];
    blend.write(t.type, y, terms);
  });
  return status(call);
}

// ---------------------------------------------------------------------- batch norm
cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t to, cudnnTensorDescriptor_t x,
                                            cudnnBatchNormMode_t mode) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnDeriveBNTensorDescriptor");
  check_described(call, x);
  call.object(to, fake_cuda::kDnnPart);
  if (call) check_mode(call, *x, mode);
  if (call) *to = derived(*x, mode);
  return status(call);
}
cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t xd, const void* x, cudnnTensorDescriptor_t yd, void* y,
    cudnnTensorDescriptor_t vd, const void* weight, const void* bias, double factor,
    void* running_mean, void* running_var, double eps, void* mean, void* inverse) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnBatchNormalizationForwardTraining");
  const BatchNorm b = check_batch_norm(call, handle, mode, xd, x, vd, eps);
  check_like_x(call, b, "y", yd, y);
  check_vector(call, b, "the weight", weight);
  check_vector(call, b, "the bias", bias);
  check_pair(call, b, "running statistics", running_mean, running_var);
  check_pair(call, b, "kept statistics", mean, inverse);
  if (call) call.demand(b.of_group() > 1, "a variance of one value");
  const Blend blend(call, b.x.type, alpha, beta);
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  call.run([=] {
    const Numbers from = numbers_of(b.x, x);
    const Statistics s = statistics(b, from);
    const auto n = static_cast<double>(b.of_group());
    move_running(b, running_mean, s.mean, factor);
    move_running(b, running_var, s.var, factor, n / (n - 1));
    if (mean) store(b.vector.type, mean, s.mean);
    if (inverse) store(b.vector.type, inverse, inverse_deviation(b, s.var));
    blend.write(b.x.type, y,
                normalised(b, from, s, numbers_of(b.vector, weight), numbers_of(b.vector, bias)));
  });
  return status(call);
}
cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t xd, const void* x, cudnnTensorDescriptor_t yd, void* y,
    cudnnTensorDescriptor_t vd, const void* weight, const void* bias, const void* mean,
    const void* var, double eps) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnBatchNormalizationForwardInference");
  const BatchNorm b = check_batch_norm(call, handle, mode, xd, x, vd, eps);
  check_like_x(call, b, "y", yd, y);
  check_vector(call, b, "the weight", weight);
  check_vector(call, b, "the bias", bias);
  check_vector(call, b, "the mean", mean);
  check_vector(call, b, "the variance", var);
  const Blend blend(call, b.x.type, alpha, beta);
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  call.run([=] {
    blend.write(
        b.x.type, y,
        normalised(b, numbers_of(b.x, x), {numbers_of(b.vector, mean), numbers_of(b.vector, var)},
                   numbers_of(b.vector, weight), numbers_of(b.vector, bias)));
  });
  return status(call);
}
cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    const void* alpha_of_vectors, const void* beta_of_vectors, cudnnTensorDescriptor_t xd,
    const void* x, cudnnTensorDescriptor_t gyd, const void* gy, cudnnTensorDescriptor_t gxd,
    void* gx, cudnnTensorDescriptor_t vd, const void* weight, void* gw, void* gb, double eps,
    const void* mean, const void* inverse) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnBatchNormalizationBackward");
  const BatchNorm b = check_batch_norm(call, handle, mode, xd, x, vd, eps);
  check_like_x(call, b, "gy", gyd, gy);
  check_like_x(call, b, "gx", gxd, gx);
  check_vector(call, b, "the weight", weight);
  check_vector(call, b, "the weight's gradient", gw);
  check_vector(call, b, "the bias's gradient", gb);
  check_pair(call, b, "kept statistics", mean, inverse);
  const Blend blend(call, b.x.type, alpha, beta);
  const Blend of_vectors(call, b.x.type, alpha_of_vectors, beta_of_vectors);
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  call.run([=] {
    const Numbers from = numbers_of(b.x, x), g = numbers_of(b.x, gy),
                  w = numbers_of(b.vector, weight);
    const Statistics s = statistics(b, from);
    const Numbers inv = inverse_deviation(b, s.var);
    if (mean) check_kept(numbers_of(b.vector, mean), s.mean);
    if (inverse) check_kept(numbers_of(b.vector, inverse), inv);
    const auto unit = [&](size_t i) { return (from[i] - s.mean[b.group(i)]) * inv[b.group(i)]; };
    Numbers sums = b.means([&](size_t i) { return g[i]; });
    Numbers dots = b.means([&](size_t i) { return g[i] * unit(i); });
    Numbers to(from.size());
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t k = b.group(i);
      to[i] = w[k] * inv[k] * (g[i] - sums[k] - unit(i) * dots[k]);
    }
    blend.write(b.x.type, gx, to);
    for (double& v : sums) v *= static_cast<double>(b.of_group());
    for (double& v : dots) v *= static_cast<double>(b.of_group());
    of_vectors.write(b.vector.type, gb, sums);
    of_vectors.write(b.vector.type, gw, dots);
  });
  return status(call);
}

// ---------------------------------------------------------------------- pools
cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* d) {
  return fake_cuda::layers::create("cudnnCreatePoolingDescriptor", d);
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t d) {
  return fake_cuda::layers::destroy("cudnnDestroyPoolingDescriptor", d);
}
cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t d, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t, int n, const int* window,
                                          const int* padding, const int* stride) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnSetPoolingNdDescriptor");
  call.object(d, fake_cuda::kDnnPart);
  call.demand(mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ||
                  mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
              "a pool that takes no means");
  call.demand(n == 2 || n == 3, "neither two nor three spatial dimensions");
  if (!call) return status(call);
  const cudnnPoolingStruct pool{
      mode, {window, window + n}, {padding, padding + n}, {stride, stride + n}};
  call.demand(are_positive(pool.window) && are_positive(pool.stride),
              "a window or stride below one");
  for (size_t i = 0; i < pool.window.size(); ++i)
    call.demand(pool.padding[i] >= 0 && pool.padding[i] < pool.window[i],
                "a padding that fills a window");
  if (call) *d = pool;
  return status(call);
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, cudnnPoolingDescriptor_t pool,
                                  const void* alpha, cudnnTensorDescriptor_t xd, const void* x,
                                  const void* beta, cudnnTensorDescriptor_t yd, void* y) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnPoolingForward");
  check_pool(call, handle, pool, xd, yd);
  check_tensor(call, "x", xd, x);
  check_tensor(call, "y", yd, y);
  if (!call) return status(call);
  const Blend blend(call, xd->type, alpha, beta);
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  call.run([=, w = Windows(*pool, *xd, *yd), xt = *xd, yt = *yd] {
    const Numbers from = numbers_of(xt, x);
    Numbers to(static_cast<size_t>(yt.numel()));
    w.each([&](size_t i, size_t o, double share) { to[o] += share * from[i]; });
    blend.write(yt.type, y, to);
  });
  return status(call);
}
// Means say nothing of x and y, which are memory all the same.
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, cudnnPoolingDescriptor_t pool,
                                   const void* alpha, cudnnTensorDescriptor_t yd, const void* y,
                                   cudnnTensorDescriptor_t gyd, const void* gy,
                                   cudnnTensorDescriptor_t xd, const void* x, const void* beta,
                                   cudnnTensorDescriptor_t gxd, void* gx) {
  using namespace fake_cuda::layers;
  fake_cuda::LibraryCall call("cudnnPoolingBackward");
  check_pool(call, handle, pool, xd, yd);
  check_tensor(call, "x", xd, x);
  check_tensor(call, "y", yd, y);
  check_tensor(call, "gy", gyd, gy);
  check_tensor(call, "gx", gxd, gx);
  if (!call) return status(call);
  call.demand(*gyd == *yd && *gxd == *xd, "gradients that are not described as their tensors");
  const Blend blend(call, xd->type, alpha, beta);
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  call.run([=, w = Windows(*pool, *xd, *yd), xt = *xd, yt = *yd] {
    const Numbers from = numbers_of(yt, gy);
    Numbers to(static_cast<size_t>(xt.numel()));
    w.each([&](size_t i, size_t o, double share) { to[i] += share * from[o]; });
    blend.write(xt.type, gx, to);
  });
  return status(call);
}

}  // extern "C"
