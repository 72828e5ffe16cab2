// What the fake of cuDNN (dnn.cpp) has of graphs: descriptors with what they were set to, and
// convolutions, which are computed from their definition, in double; other operations are in
// dnn_operations.h.
#pragma once

#include <cudnn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <taper/framework/core/dtype.h>

#include "cuda_fake/dnn.h"

namespace fake_cuda::graphs {

struct Part;
using PartOf = std::shared_ptr<const Part>;

/// What one attribute has been set to.
struct Values {
  cudnnBackendAttributeType_t type;
  int64_t count;
  std::vector<char> bytes;
  std::vector<PartOf> parts;  // where they are descriptors: as they were then
};

struct Part {
  cudnnBackendDescriptorType_t type;
  bool is_finished = false;
  std::map<int, Values> values{};
  std::shared_ptr<const Engine> engine{};  // of engines, their configurations and plans
  PartOf graph{};                          // of those

  bool has(int name) const { return values.contains(name); }
  template <class T>
  std::vector<T> all(int name) const {
    const auto it = values.find(name);
    if (it == values.end()) return {};
    const auto* const p = reinterpret_cast<const T*>(it->second.bytes.data());
    return std::vector<T>(p, p + it->second.count);
  }
  template <class T>
  T one(int name) const {
    const auto v = all<T>(name);
    return v.empty() ? T{} : v[0];
  }
  const Part& part(int name) const { return *values.at(name).parts.at(0); }
};
/// The graph of operations that was finished last.
PartOf& last_graph();

constexpr auto kTensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
constexpr auto kConv = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR;
constexpr auto kPointwise = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
constexpr auto kForward = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
constexpr auto kData = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
constexpr auto kFilter = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
constexpr auto kFormula = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
constexpr auto kMatmul = CUDNN_BACKEND_MATMUL_DESCRIPTOR;
constexpr auto kProduct = CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR;
constexpr auto kReduction = CUDNN_BACKEND_REDUCTION_DESCRIPTOR;
constexpr auto kReduce = CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR;
constexpr auto kView = CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR;
constexpr auto kGraph = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR;
constexpr auto kHeuristics = CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR;
constexpr auto kPlan = CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
constexpr auto kPack = CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;
constexpr auto kConfig = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR;
constexpr auto kEngine = CUDNN_BACKEND_ENGINE_DESCRIPTOR;
constexpr auto kParts = CUDNN_TYPE_BACKEND_DESCRIPTOR;

// ---------------------------------------------------------------------- numbers
template <class Visit>
void with_type(cudnnDataType_t type, void* p, const Visit& visit) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return visit(static_cast<double*>(p));
    case CUDNN_DATA_HALF:
      return visit(static_cast<taper::Half*>(p));
    case CUDNN_DATA_BFLOAT16:
      return visit(static_cast<taper::BFloat16*>(p));
    default:
      return visit(static_cast<float*>(p));
  }
}
inline int64_t bytes_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}

/// A tensor of a graph: three spatial dimensions, those that it lacks 1 long. A host's one is a
/// number there.
struct Grid {
  int64_t id, n, c, size[3] = {1, 1, 1}, stride[5] = {};
  cudnnDataType_t type;
  bool is_virtual, is_host;
  size_t rank;

  explicit Grid(const Part& t)
      : id(t.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
        type(t.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)),
        is_virtual(t.one<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL)),
        is_host(t.one<bool>(CUDNN_ATTR_TENSOR_IS_BY_VALUE)) {
    const auto sizes = t.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto strides = t.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    rank = sizes.size();
    n = sizes[0], c = sizes[1], stride[0] = strides[0], stride[1] = strides[1];
    for (size_t d = 2; d < rank; ++d) {
      size[3 - rank + d] = sizes[d];
      stride[5 - rank + d] = strides[d];
    }
  }
  int64_t numel() const { return n * c * size[0] * size[1] * size[2]; }
  /// Elements from the first to behind the last.
  int64_t reach() const {
    return 1 + (n - 1) * stride[0] + (c - 1) * stride[1] + (size[0] - 1) * stride[2] +
           (size[1] - 1) * stride[3] + (size[2] - 1) * stride[4];
  }
  int64_t at(int64_t i, int64_t k, const int64_t (&p)[3]) const {
    return i * stride[0] + k * stride[1] + p[0] * stride[2] + p[1] * stride[3] + p[2] * stride[4];
  }
};
/// f(position) for all positions in the sizes.
template <class F>
void positions(const int64_t (&size)[3], const F& f) {
  for (int64_t i = 0; i < size[0]; ++i)
    for (int64_t j = 0; j < size[1]; ++j)
      for (int64_t k = 0; k < size[2]; ++k) f({i, j, k});
}

struct Convolution {
  Grid x, w, y;
  int64_t dilation[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, before[3] = {}, behind[3] = {};

  Convolution(const Part& x, const Part& w, const Part& y, const Part& steps) : x(x), w(w), y(y) {
    const auto spread = [&](int name, int64_t(&to)[3]) {
      const auto v = steps.all<int64_t>(name);
      std::copy(v.begin(), v.end(), to + 3 - v.size());
    };
    spread(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation);
    spread(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride);
    spread(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, before);
    spread(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, behind);
  }
  bool fits() const {
    if (x.rank != w.rank || x.rank != y.rank || x.n != y.n || y.c != w.n || x.c % w.c != 0)
      return false;
    for (int d = 0; d < 3; ++d) {
      const int64_t reach = dilation[d] * (w.size[d] - 1) + 1;
      if (y.size[d] != (x.size[d] + before[d] + behind[d] - reach) / stride[d] + 1) return false;
    }
    return w.n % (x.c / w.c) == 0;
  }
  /// visit(place in x, in w, in y) for every product.
  template <class Visit>
  void each(const Visit& visit) const {
    const int64_t of_group = w.n / (x.c / w.c);
    for (int64_t n = 0; n < y.n; ++n)
      for (int64_t f = 0; f < w.n; ++f)
        for (int64_t e = 0; e < w.c; ++e)
          positions(y.size, [&](const int64_t(&o)[3]) {
            positions(w.size, [&](const int64_t(&k)[3]) {
              int64_t i[3];
              for (int d = 0; d < 3; ++d) {
                i[d] = o[d] * stride[d] - before[d] + k[d] * dilation[d];
                if (i[d] < 0 || i[d] >= x.size[d]) return;
              }
              visit(x.at(n, f / of_group * w.c + e, i), w.at(f, e, k), y.at(n, f, o));
            });
          });
  }
};

/// Memory of each tensor, by its number; virtual ones and the host's are kept here.
struct Memory {
  std::map<int64_t, void*> of;
  std::map<int64_t, std::vector<double>> kept;

  std::vector<double> read(const Grid& g) const {
    if (g.is_virtual || g.is_host) return kept.at(g.id);
    std::vector<double> v(g.reach());
    with_type(g.type, of.at(g.id), [&](auto* p) {
      for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(static_cast<float>(p[i]));
      if constexpr (std::is_same_v<decltype(p), double*>) std::copy(p, p + v.size(), v.begin());
    });
    return v;
  }
  void write(const Grid& g, const std::vector<double>& v) {
    if (g.is_virtual) {
      kept[g.id] = v;
      return;
    }
    with_type(g.type, of.at(g.id), [&](auto* p) {
      for (size_t i = 0; i < v.size(); ++i) p[i] = static_cast<std::decay_t<decltype(*p)>>(v[i]);
    });
  }
};

// ---------------------------------------------------------------------- operations
/// Names of a convolution's attributes.
struct Names {
  int x, w, y, steps, alpha, beta;
};
inline Names names_of(cudnnBackendDescriptorType_t type) {
  if (type == kForward)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  if (type == kData)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
}
inline bool is_convolution(const Part& p) {
  return p.type == kForward || p.type == kData || p.type == kFilter;
}
inline double factor_of(const Part& p, int name) {
  return p.values.at(name).type == CUDNN_TYPE_DOUBLE ? p.one<double>(name) : p.one<float>(name);
}
/// The tensors that an operation reads, and the one that it writes last.
inline std::vector<PartOf> tensors_of(const Part& p) {
  std::vector<PartOf> all;
  const auto add = [&](const std::vector<int>& names) {
    for (int name : names)
      if (p.has(name)) all.push_back(p.values.at(name).parts.at(0));
  };
  const Names n = names_of(p.type);
  if (p.type == kFormula)
    add({CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
         CUDNN_ATTR_OPERATION_POINTWISE_TDESC, CUDNN_ATTR_OPERATION_POINTWISE_YDESC});
  else if (p.type == kProduct)
    add({CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
         CUDNN_ATTR_OPERATION_MATMUL_CDESC});
  else if (p.type == kReduce)
    add({CUDNN_ATTR_OPERATION_REDUCTION_XDESC, CUDNN_ATTR_OPERATION_REDUCTION_YDESC});
  else if (p.type == kView)
    add({CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_ATTR_OPERATION_RESHAPE_YDESC});
  else if (p.type == kForward)
    add({n.x, n.w, n.y});
  else if (p.type == kData)
    add({n.y, n.w, n.x});
  else
    add({n.x, n.y, n.w});
  return all;
}

inline void compute_convolution(const Part& p, Memory& memory) {
  const Names n = names_of(p.type);
  const Convolution conv(p.part(n.x), p.part(n.w), p.part(n.y), p.part(n.steps));
  const Grid& to = p.type == kForward ? conv.y : p.type == kData ? conv.x : conv.w;
  std::vector<double> sums(to.reach());
  const auto a = memory.read(p.type == kData ? conv.y : conv.x);
  const auto b = memory.read(p.type == kFilter ? conv.y : conv.w);
  conv.each([&](int64_t x, int64_t w, int64_t y) {
    if (p.type == kForward) sums[y] += a[x] * b[w];
    if (p.type == kData) sums[x] += a[y] * b[w];
    if (p.type == kFilter) sums[w] += a[x] * b[y];
  });
  const double alpha = factor_of(p, n.alpha), beta = factor_of(p, n.beta);
  const auto old = beta == 0 ? std::vector<double>(sums.size()) : memory.read(to);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = alpha * sums[i] + beta * old[i];
  memory.write(to, sums);
}
}  // namespace fake_cuda::graphs
