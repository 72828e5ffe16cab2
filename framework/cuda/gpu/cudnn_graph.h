// Graphs of operations by cuDNN's backend interface: their parts, and the engines that compute
// them. Not installed.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/cuda/gpu/cudnn.h>

namespace torch::taper::cuda {

/// Maps a type to cuDNN's attribute type.
template <class T>
struct AttributeType;
template <cudnnBackendAttributeType_t type>
using IsAttributeType = std::integral_constant<cudnnBackendAttributeType_t, type>;
template <>
struct AttributeType<cudnnHandle_t> : IsAttributeType<CUDNN_TYPE_HANDLE> {};
template <>
struct AttributeType<int64_t> : IsAttributeType<CUDNN_TYPE_INT64> {};
template <>
struct AttributeType<bool> : IsAttributeType<CUDNN_TYPE_BOOLEAN> {};
template <>
struct AttributeType<float> : IsAttributeType<CUDNN_TYPE_FLOAT> {};
template <>
struct AttributeType<double> : IsAttributeType<CUDNN_TYPE_DOUBLE> {};
template <>
struct AttributeType<void*> : IsAttributeType<CUDNN_TYPE_VOID_PTR> {};
template <>
struct AttributeType<cudnnDataType_t> : IsAttributeType<CUDNN_TYPE_DATA_TYPE> {};
template <>
struct AttributeType<cudnnConvolutionMode_t> : IsAttributeType<CUDNN_TYPE_CONVOLUTION_MODE> {};
template <>
struct AttributeType<cudnnPointwiseMode_t> : IsAttributeType<CUDNN_TYPE_POINTWISE_MODE> {};
template <>
struct AttributeType<cudnnReduceTensorOp_t> : IsAttributeType<CUDNN_TYPE_REDUCTION_OPERATOR_TYPE> {
};
template <>
struct AttributeType<cudnnBackendHeurMode_t> : IsAttributeType<CUDNN_TYPE_HEUR_MODE> {};

/// Owns a descriptor of the backend interface. If cuDNN does not support the descriptor, the object
/// skips later calls. Other errors throw Error.
class GraphPart {
 public:
  explicit GraphPart(cudnnBackendDescriptorType_t type) {
    TAPER_LIBRARY_CALL(cudnn, cudnnBackendCreateDescriptor, type, &d_);
  }
  GraphPart(GraphPart&& o) noexcept
      : d_(std::exchange(o.d_, nullptr)), is_supported_(o.is_supported_) {}
  GraphPart& operator=(GraphPart&& o) noexcept {
    std::swap(d_, o.d_);
    std::swap(is_supported_, o.is_supported_);
    return *this;
  }
  ~GraphPart() {
    if (d_) (void)TAPER_LIBRARY_FUNCTION(cudnn, cudnnBackendDestroyDescriptor)(d_);
  }

  template <class T>
  GraphPart& set(cudnnBackendAttributeName_t name, const T& value) {
    return set(name, AttributeType<T>::value, 1, &value);
  }
  template <class T>
  GraphPart& set(cudnnBackendAttributeName_t name, const std::vector<T>& values) {
    return set(name, AttributeType<T>::value, static_cast<int64_t>(values.size()), values.data());
  }
  /// Sets an attribute to a finished part.
  GraphPart& set(cudnnBackendAttributeName_t name, const GraphPart& part) {
    return needs(part).set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.d_);
  }
  /// Marks this part as unsupported if `part` is.
  GraphPart& needs(const GraphPart& part) {
    is_supported_ = is_supported_ && part.is_supported_;
    return *this;
  }
  /// Sets alpha or beta of an operation on this dtype.
  GraphPart& set_factor(cudnnBackendAttributeName_t name, double value, ScalarType dtype) {
    return dtype == ScalarType::Double ? set(name, value) : set(name, static_cast<float>(value));
  }
  GraphPart& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                 const void* values);
  /// Lets cuDNN check and complete the descriptor. After this call, no attribute can be set.
  GraphPart& finish();

  /// Reads at most `count` values of attribute `name` of a finished part. Returns how many values
  /// the attribute has.
  int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
              void* values) const;

  bool is_supported() const { return is_supported_; }
  cudnnBackendDescriptor_t get() const { return d_; }

 private:
  cudnnBackendDescriptor_t d_ = nullptr;
  bool is_supported_ = true;
};

struct GraphLayout {
  std::vector<int64_t> sizes, strides;
};
/// Location of a tensor of a graph: in the device's memory, virtual (passed from one operation to
/// the next), or a number on the host, which is read when the graph runs.
enum class GraphPlace { kDevice, kVirtual, kHost };

/// Returns the description of the graph's tensor number `id`.
GraphPart graph_tensor(int64_t id, cudnnDataType_t type, const GraphLayout& layout,
                       int64_t alignment, GraphPlace place = GraphPlace::kDevice);
/// Returns the description of the graph's tensor number `id`, a contiguous tensor.
GraphPart graph_tensor(int64_t id, cudnnDataType_t type, const std::vector<int>& sizes,
                       int64_t alignment, GraphPlace place = GraphPlace::kDevice);
/// Returns the alignment of an address in bytes: a power of two, at most 16.
int64_t graph_alignment(const void* p);

/// The computation of a pointwise operation: its mode, the type that it computes in, and the
/// dimension if the mode is GEN_INDEX.
struct GraphFormula {
  cudnnPointwiseMode_t mode;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int64_t axis = -1;
};
/// Returns the operation y = f(x...) of one to three tensors x. The operation is not finished, so
/// that the caller can set factors.
GraphPart graph_operation(const GraphFormula& f, const std::vector<const GraphPart*>& x,
                          const GraphPart& y);

/// Selects the engines that may compute a graph, and the order of trying them.
struct EngineRules {
  bool only_deterministic = false;  ///< equal bits in each run
  bool only_full_f32 = false;       ///< no factors rounded to TF32
  bool measures = false;            ///< orders engines by measured times, else as cuDNN expects
  bool has_fallback = true;         ///< adds engines that cuDNN expects to be slow
  auto operator<=>(const EngineRules&) const = default;
  /// Returns the rules for `dtype` that follow from Context's current switches.
  static EngineRules current(ScalarType dtype);
};

/// Addresses of the tensors of a graph that are not virtual: tensor ids[i] is at data[i]. Memory of
/// tensors on the host must stay valid until run() returns.
struct GraphMemory {
  std::vector<int64_t> ids;
  std::vector<void*> data;
  void add(int64_t id, const void* p) {
    ids.push_back(id);
    data.push_back(const_cast<void*>(p));
  }
};

/// A graph, and plans for it. A plan is an engine that is ready to run, with its workspace. Plans
/// are made when they are needed. If cuDNN does not support a plan, the next plan replaces it. For
/// use by one thread.
class EnginePlans {
 public:
  /// Bytes of workspace above which an engine is tried last.
  static constexpr int64_t kMostBytes = int64_t{1} << 30;

  /// Takes finished operations. If one is not supported, there is no engine.
  EnginePlans(cudnnHandle_t handle, const std::vector<GraphPart>& operations, EngineRules rules);
  /// Computes the graph on the stream of the launch. If no engine is left, returns false and does
  /// nothing.
  bool run(const GraphMemory& memory);

 private:
  struct Plan {
    GraphPart part;
    int64_t nbytes = 0;  // of workspace
    float ms = 0;        // if measured
  };
  std::vector<GraphPart> configs_of(cudnnBackendHeurMode_t mode) const;
  bool allows(const GraphPart& config) const;
  const GraphPart* next_config();
  std::optional<Plan> plan_of(const GraphPart& config) const;
  std::optional<Plan> next_plan();
  bool execute(const Plan& plan, const GraphMemory& memory) const;
  float time_of(const Plan& plan, const GraphMemory& memory) const;
  void measure(const GraphMemory& memory);

  const cudnnHandle_t handle_;
  const EngineRules rules_;
  GraphPart graph_;
  std::vector<cudnnBackendHeurMode_t> modes_;  // not queried yet. The last one is next
  std::vector<GraphPart> configs_;             // without a plan yet. The last one is next
  std::vector<Plan> large_;                    // used when all others have failed
  std::vector<Plan> plans_;                    // measured plans, or one plan. The last one is used
  bool is_measured_ = false;
};

}  // namespace torch::taper::cuda
