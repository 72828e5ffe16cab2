// A fake of cuDNN's graphs: descriptors are checked as they are put together, and convolutions with
// a bias are computed from their definition, in double.
#include "cuda_fake/dnn.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <taper/framework/dtype.h>

#include "cuda_fake/state.h"

using namespace fake_cuda;

struct cudnnTensorStruct {
  cudnnDataType_t type{};
  std::vector<int> sizes, strides;
};

Dnn& fake_cuda::dnn() {
  static Dnn fake;
  return fake;
}

namespace {

constexpr const char* kHandle = "handle of cuDNN";

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

struct Fake {
  std::map<const void*, std::shared_ptr<Part>> parts;
  std::map<cudnnHandle_t, cudaStream_t> streams;
};
Fake& fake() {
  static Fake all;
  return all;
}

/// What an attribute of a descriptor must be.
struct Rule {
  int name;
  cudnnBackendDescriptorType_t part;
  cudnnBackendAttributeType_t type;
  int64_t most = 1;
  bool is_needed = true;
};
constexpr auto kTensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
constexpr auto kConv = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR;
constexpr auto kPointwise = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
constexpr auto kForward = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
constexpr auto kData = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
constexpr auto kFilter = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
constexpr auto kAdd = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
constexpr auto kGraph = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR;
constexpr auto kHeuristics = CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR;
constexpr auto kPlan = CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
constexpr auto kPack = CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;
constexpr auto kConfig = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR;
constexpr auto kEngine = CUDNN_BACKEND_ENGINE_DESCRIPTOR;
constexpr auto kParts = CUDNN_TYPE_BACKEND_DESCRIPTOR;

constexpr Rule kRules[] = {
    {CUDNN_ATTR_TENSOR_UNIQUE_ID, kTensor, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_TENSOR_DATA_TYPE, kTensor, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_TENSOR_DIMENSIONS, kTensor, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    {CUDNN_ATTR_TENSOR_STRIDES, kTensor, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kTensor, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_TENSOR_IS_VIRTUAL, kTensor, CUDNN_TYPE_BOOLEAN, 1, false},
    {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, kConv, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_CONVOLUTION_CONV_MODE, kConv, CUDNN_TYPE_CONVOLUTION_MODE},
    {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, kConv, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_CONVOLUTION_DILATIONS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_POINTWISE_MODE, kPointwise, CUDNN_TYPE_POINTWISE_MODE},
    {CUDNN_ATTR_POINTWISE_MATH_PREC, kPointwise, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, kForward, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, kForward, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, kForward, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, kForward, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, kForward, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, kForward, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, kData, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, kData, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, kData, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, kData, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, kData, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, kData, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, kFilter, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, kFilter, CUDNN_TYPE_FLOAT},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, kFilter, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, kFilter, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, kFilter, kParts},
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, kFilter, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kAdd, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, kAdd, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, kAdd, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, kAdd, kParts},
    {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, kGraph, CUDNN_TYPE_HANDLE},
    {CUDNN_ATTR_OPERATIONGRAPH_OPS, kGraph, kParts, 16},
    {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, kHeuristics, kParts},
    {CUDNN_ATTR_ENGINEHEUR_MODE, kHeuristics, CUDNN_TYPE_HEUR_MODE},
    {CUDNN_ATTR_EXECUTION_PLAN_HANDLE, kPlan, CUDNN_TYPE_HANDLE},
    {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, kPlan, kParts},
    {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, kPack, CUDNN_TYPE_INT64, 16},
    {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, kPack, CUDNN_TYPE_VOID_PTR, 16},
    {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, kPack, CUDNN_TYPE_VOID_PTR},
};

size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_FLOAT:
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_POINTWISE_MODE:
    case CUDNN_TYPE_HEUR_MODE:
      return 4;
    default:
      return 8;
  }
}

cudnnStatus_t status(const LibraryCall& call) {
  return call.status(CUDNN_STATUS_BAD_PARAM, CUDNN_STATUS_INTERNAL_ERROR);
}
/// The descriptor behind a pointer; may be used where the call is well.
std::shared_ptr<Part> part_of(LibraryCall& call, const void* p) {
  call.object(p, kDnnPart);
  const auto it = fake().parts.find(p);
  if (!call || it == fake().parts.end()) return std::make_shared<Part>();
  return it->second;
}

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
int64_t bytes_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}

/// A tensor of a graph: three spatial dimensions, those that it lacks 1 long.
struct Grid {
  int64_t id, n, c, size[3] = {1, 1, 1}, stride[5] = {};
  cudnnDataType_t type;
  bool is_virtual;
  size_t rank;

  explicit Grid(const Part& t)
      : id(t.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
        type(t.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)),
        is_virtual(t.one<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL)) {
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

/// Memory of each tensor, by its number; virtual ones have none and are kept here.
struct Memory {
  std::map<int64_t, void*> of;
  std::map<int64_t, std::vector<double>> kept;

  std::vector<double> read(const Grid& g) const {
    if (g.is_virtual) return kept.at(g.id);
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
Names names_of(cudnnBackendDescriptorType_t type) {
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
bool is_convolution(const Part& p) {
  return p.type == kForward || p.type == kData || p.type == kFilter;
}
double factor_of(const Part& p, int name) {
  return p.values.at(name).type == CUDNN_TYPE_DOUBLE ? p.one<double>(name) : p.one<float>(name);
}
/// The tensors that an operation reads, and the one that it writes last.
std::vector<PartOf> tensors_of(const Part& p) {
  const auto part = [&](int name) { return p.values.at(name).parts.at(0); };
  if (p.type == kAdd)
    return {part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC), part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC),
            part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC)};
  const Names n = names_of(p.type);
  if (p.type == kForward) return {part(n.x), part(n.w), part(n.y)};
  if (p.type == kData) return {part(n.y), part(n.w), part(n.x)};
  return {part(n.x), part(n.y), part(n.w)};
}

void compute_convolution(const Part& p, Memory& memory) {
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
void compute_add(const Part& p, Memory& memory) {
  const auto parts = tensors_of(p);
  const Grid x(*parts[0]), b(*parts[1]), y(*parts[2]);
  const auto from = memory.read(x), bias = memory.read(b);
  std::vector<double> to(y.reach());
  for (int64_t n = 0; n < y.n; ++n)
    for (int64_t c = 0; c < y.c; ++c)
      positions(y.size, [&](const int64_t(&at)[3]) {
        to[y.at(n, c, at)] = from[x.at(n, c, at)] + bias[b.at(0, c, {0, 0, 0})];
      });
  memory.write(y, to);
}

// ---------------------------------------------------------------------- ends of descriptors
void check_tensor(LibraryCall& call, const Part& t) {
  const auto sizes = t.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = t.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  const auto alignment = t.one<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  const auto positive = [](auto& v) {
    return std::all_of(v.begin(), v.end(), [](int64_t n) { return n > 0; });
  };
  call.demand(sizes.size() >= 4 && sizes.size() == strides.size(), "sizes without strides");
  call.demand(positive(sizes) && positive(strides), "sizes or strides that are not positive");
  call.demand(alignment > 0 && (alignment & (alignment - 1)) == 0 &&
                  alignment >= bytes_of(t.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)),
              "an alignment that is none of its elements");
}
void check_steps(LibraryCall& call, const Part& p) {
  const auto n = static_cast<size_t>(p.one<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  for (int name : {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                   CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS})
    call.demand(p.all<int64_t>(name).size() == n, "steps that are not one for each dimension");
  call.demand(
      p.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CROSS_CORRELATION,
      "a convolution that is no cross-correlation");
}
void check_convolution(LibraryCall& call, const Part& p) {
  const Names n = names_of(p.type);
  call.demand(p.part(n.steps).type == kConv, "steps that are no convolution's");
  for (const PartOf& t : tensors_of(p)) call.demand(t->type == kTensor, "what is no tensor");
  if (!call) return;
  const Convolution conv(p.part(n.x), p.part(n.w), p.part(n.y), p.part(n.steps));
  call.demand(conv.fits(), "descriptors that do not fit each other");
  const auto compute = p.part(n.steps).one<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  call.demand(compute == (conv.x.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
              "sums in a type that is not the one wanted");
  const auto factor = compute == CUDNN_DATA_DOUBLE ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
  call.demand(p.values.at(n.alpha).type == factor && p.values.at(n.beta).type == factor,
              "factors that are not of the type of the sums");
  call.demand(conv.x.type == conv.w.type && (conv.y.is_virtual || conv.y.type == conv.x.type),
              "tensors of different types");
}
void check_add(LibraryCall& call, const Part& p) {
  const Part& how = p.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  call.demand(how.type == kPointwise, "a pointwise operation that is not described");
  if (!call) return;
  call.demand(how.one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_ADD,
              "a pointwise operation other than a sum");
  const auto parts = tensors_of(p);
  const Grid x(*parts[0]), b(*parts[1]), y(*parts[2]);
  call.demand(x.rank == y.rank && b.rank == y.rank && x.numel() == y.numel(),
              "terms that do not fit each other");
  call.demand(b.n == 1 && b.c == y.c && b.numel() == y.c, "a bias that is not one a channel");
}
/// Virtual tensors are written before they are read; a number is always the same tensor's.
void check_graph(LibraryCall& call, const Part& p) {
  std::map<int64_t, bool> virtual_of;
  std::set<int64_t> written;
  for (const PartOf& operation : p.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts) {
    call.demand(is_convolution(*operation) || operation->type == kAdd, "what is no operation");
    if (!call) return;
    const auto parts = tensors_of(*operation);
    for (size_t i = 0; i < parts.size(); ++i) {
      const Grid g(*parts[i]);
      const auto [it, is_new] = virtual_of.emplace(g.id, g.is_virtual);
      call.demand(is_new || (g.is_virtual && it->second), "one number for two tensors");
      if (i + 1 == parts.size()) written.insert(g.id);
      call.demand(!g.is_virtual || written.contains(g.id), "a virtual tensor without a source");
    }
  }
}
void check_pack(LibraryCall& call, const Part& p) {
  const auto ids = p.all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  call.demand(ids.size() == p.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size(),
              "pointers that are not one for each number");
  call.demand(std::set<int64_t>(ids.begin(), ids.end()).size() == ids.size(),
              "a number that is there twice");
}
void check_part(LibraryCall& call, const Part& p) {
  if (p.type == kTensor) check_tensor(call, p);
  if (p.type == kConv) check_steps(call, p);
  if (is_convolution(p)) check_convolution(call, p);
  if (p.type == kAdd) check_add(call, p);
  if (p.type == kGraph) check_graph(call, p);
  if (p.type == kPack) check_pack(call, p);
  if (p.type == kHeuristics)
    call.demand(p.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).type == kGraph, "what is no graph");
}

/// What cuDNN says to what is correct.
cudnnStatus_t finish(Part& p) {
  if (p.type == kGraph) return dnn().graph;
  if (p.type != kPlan) return CUDNN_STATUS_SUCCESS;
  const Part& config = p.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  p.engine = config.engine;
  p.graph = config.graph;
  const bool is_fused = p.graph->values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).count > 1;
  return is_fused && !p.engine->fuses ? CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN
                                      : p.engine->finalize;
}

// ---------------------------------------------------------------------- reading
int64_t give_configs(LibraryCall& call, const Part& heuristics, int64_t most, void* to) {
  const bool is_fallback = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE) ==
                           CUDNN_HEUR_MODE_FALLBACK;
  const std::vector<Engine>& engines = is_fallback ? dnn().fallback : dnn().engines;
  const auto count = static_cast<int64_t>(engines.size());
  for (int64_t i = 0; i < std::min(most, count); ++i) {
    const auto config = part_of(call, static_cast<void**>(to)[i]);
    call.demand(config->type == kConfig, "a result that is no configuration");
    if (!call) break;
    config->engine = std::make_shared<Engine>(engines[i]);
    config->graph = heuristics.values.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).parts[0];
    config->is_finished = true;
  }
  return most == 0 ? count : std::min(most, count);
}
int64_t give_engine(LibraryCall& call, const Part& config, void* to) {
  const auto engine = part_of(call, *static_cast<void**>(to));
  call.demand(engine->type == kEngine, "a result that is no engine");
  engine->engine = config.engine;
  engine->is_finished = true;
  return 1;
}
int64_t give_notes(const Part& engine, int64_t most, void* to) {
  const auto& notes = engine.engine->notes;
  std::copy_n(notes.begin(), std::min<int64_t>(most, static_cast<int64_t>(notes.size())),
              static_cast<cudnnBackendNumericalNote_t*>(to));
  return static_cast<int64_t>(notes.size());
}

// ---------------------------------------------------------------------- running
/// The tensors in memory: checks that the pack has each of them once, and what it points to.
Memory memory_of(LibraryCall& call, const Part& graph, const Part& pack) {
  Memory memory;
  const auto ids = pack.all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto data = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  for (size_t i = 0; i < ids.size(); ++i) memory.of[ids[i]] = data[i];
  std::set<int64_t> wanted;
  for (const PartOf& operation : graph.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts)
    for (const PartOf& t : tensors_of(*operation)) {
      const Grid g(*t);
      if (g.is_virtual) continue;
      wanted.insert(g.id);
      call.demand(memory.of.contains(g.id), "a tensor without memory");
      if (call)
        call.memory("tensor " + std::to_string(g.id), memory.of[g.id],
                    static_cast<size_t>(g.reach() * bytes_of(g.type)),
                    static_cast<size_t>(t->one<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)));
    }
  call.demand(wanted.size() == ids.size(), "memory of a tensor that is not in the graph");
  return memory;
}
void compute(const Part& graph, Memory memory) {
  for (const PartOf& operation : graph.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts)
    operation->type == kAdd ? compute_add(*operation, memory)
                            : compute_convolution(*operation, memory);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  LibraryCall call("cudnnCreate");
  make_handle(call, handle, kHandle);
  return call.status(CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_NOT_INITIALIZED);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnSetStream");
  call.object(handle, kHandle);
  call.stream(stream);
  if (call) fake().streams[handle] = stream;
  return status(call);
}
const char* cudnnGetErrorString(cudnnStatus_t) { return "a status of cuDNN"; }

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* to) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendCreateDescriptor");
  if (!call) return status(call);
  auto part = std::make_shared<Part>();
  part->type = type;
  *to = part.get();
  fake().parts[*to] = part;
  call.make_object(*to, kDnnPart);
  return status(call);
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendDestroyDescriptor");
  if (call.end_object(d, kDnnPart)) fake().parts.erase(d);
  return status(call);
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* values) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendSetAttribute");
  const auto part = part_of(call, d);
  const Rule* const rule = std::find_if(std::begin(kRules), std::end(kRules),
                                        [&](const Rule& r) { return r.name == name; });
  call.demand(rule != std::end(kRules) && rule->part == part->type,
              "an attribute that this descriptor does not have");
  call.demand(!part->is_finished, "an attribute of a descriptor that is finished");
  if (!call) return status(call);
  const bool is_factor = rule->type == CUDNN_TYPE_FLOAT && type == CUDNN_TYPE_DOUBLE;
  call.demand(type == rule->type || is_factor, "an attribute of another type");
  call.demand(count > 0 && count <= rule->most, "a wrong number of values");
  if (!call) return status(call);
  const auto* const p = static_cast<const char*>(values);
  Values v{type, count, {p, p + static_cast<size_t>(count) * size_of(type)}, {}};
  for (int64_t i = 0; type == kParts && i < count && call; ++i) {
    const auto other = part_of(call, static_cast<void* const*>(values)[i]);
    call.demand(other->is_finished, "a descriptor that is not finished");
    v.parts.push_back(other);
  }
  if (type == CUDNN_TYPE_HANDLE) call.object(*static_cast<void* const*>(values), kHandle);
  if (call) part->values[name] = std::move(v);
  return status(call);
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t d) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendFinalize");
  const auto part = part_of(call, d);
  call.demand(!part->is_finished, "a second end");
  for (const Rule& r : kRules)
    call.demand(r.part != part->type || !r.is_needed || part->has(r.name),
                "attribute " + std::to_string(r.name) + " is missing");
  if (call) check_part(call, *part);
  if (part->type == kPlan) call.allocates();  // code is loaded
  if (!call) return status(call);
  const cudnnStatus_t said = finish(*part);
  part->is_finished = said == CUDNN_STATUS_SUCCESS;
  return said;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const d,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t most,
                                       int64_t* count, void* to) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendGetAttribute");
  const auto part = part_of(call, d);
  call.demand(part->is_finished, "an attribute of a descriptor that is not finished");
  if (!call) return status(call);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS && part->type == kHeuristics && type == kParts) {
    *count = give_configs(call, *part, most, to);
  } else if (name == CUDNN_ATTR_ENGINECFG_ENGINE && part->type == kConfig && type == kParts) {
    *count = give_engine(call, *part, to);
  } else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE && part->type == kEngine &&
             type == CUDNN_TYPE_NUMERICAL_NOTE) {
    *count = give_notes(*part, most, to);
  } else if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE && part->type == kPlan &&
             type == CUDNN_TYPE_INT64) {
    *static_cast<int64_t*>(to) = part->engine->room;
    *count = 1;
  } else {
    call.demand(false, "an attribute that this descriptor does not have");
  }
  return status(call);
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan_at,
                                  cudnnBackendDescriptor_t pack_at) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendExecute");
  call.object(handle, kHandle);
  const auto plan = part_of(call, plan_at), pack = part_of(call, pack_at);
  call.demand(plan->type == kPlan && plan->is_finished, "a plan that is not finished");
  call.demand(pack->type == kPack && pack->is_finished, "a pack that is not finished");
  if (!call) return status(call);
  call.demand(plan->one<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) == handle,
              "a plan of another handle");
  call.stream(fake().streams[handle]);
  void* const room = pack->one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  const auto nbytes = static_cast<size_t>(plan->engine->room);
  Memory memory = memory_of(call, *plan->graph, *pack);
  if (call && plan->engine->run != CUDNN_STATUS_SUCCESS) return plan->engine->run;
  call.memory("working memory", room, nbytes, 16);
  if (call) {
    dnn().ran.push_back(plan->engine->number);
    dnn().operations.push_back(
        static_cast<size_t>(plan->graph->values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).count));
  }
  call.run([graph = plan->graph, memory, room, nbytes] {
    if (nbytes) spoil(room, nbytes);
    compute(*graph, memory);
  });
  return status(call);
}

// ---------------------------------------------------------------------- a bias by itself
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) {
  LibraryCall call("cudnnCreateTensorDescriptor");
  if (!call) return status(call);
  *d = new cudnnTensorStruct;
  call.make_object(*d, kDnnPart);
  return status(call);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  LibraryCall call("cudnnDestroyTensorDescriptor");
  if (call.end_object(d, kDnnPart)) delete d;
  return status(call);
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int n,
                                         const int* sizes, const int* strides) {
  *d = {type, {sizes, sizes + n}, {strides, strides + n}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t bd,
                             const void* b, const void*, cudnnTensorDescriptor_t yd, void* y) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnAddTensor");
  call.object(handle, kHandle);
  const auto count = [](const std::vector<int>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  const int64_t numel = count(yd->sizes), channels = yd->sizes[1];
  const int64_t pixels = numel / channels / yd->sizes[0];
  call.demand(bd->type == yd->type && bd->sizes[1] == channels && count(bd->sizes) == channels,
              "a bias that is not one for each channel");
  call.memory("y", y, static_cast<size_t>(numel * bytes_of(yd->type)), bytes_of(yd->type));
  call.memory("b", b, static_cast<size_t>(channels * bytes_of(yd->type)), bytes_of(yd->type));
  call.stream(fake().streams[handle]);
  call.run([=, type = yd->type] {
    with_type(type, y, [&](auto* p) {
      const auto* const from = static_cast<decltype(p)>(const_cast<void*>(b));
      for (int64_t i = 0; i < numel; ++i)
        p[i] = static_cast<std::decay_t<decltype(*p)>>(p[i] + from[i / pixels % channels]);
    });
  });
  return status(call);
}

}  // extern "C"
