// A fake of cuDNN's graphs (dnn_graph.h): descriptors are checked as they are put together, and
// engines that a test lists run them. Its older interface is in headers: layers (dnn_layers.h) and
// recurrent ones (dnn_rnn.h).
#include "cuda_fake/dnn.h"

#include <set>

#include "cuda_fake/dnn_graph.h"
#include "cuda_fake/dnn_layers.h"
#include "cuda_fake/dnn_operations.h"
#include "cuda_fake/dnn_rnn.h"
#include "cuda_fake/state.h"

using namespace fake_cuda;
using namespace fake_cuda::graphs;
using fake_cuda::layers::kDnnHandle;
using fake_cuda::layers::status;

Dnn& fake_cuda::dnn() {
  static Dnn fake;
  return fake;
}
PartOf& fake_cuda::graphs::last_graph() {
  static PartOf graph;
  return graph;
}

namespace {

std::map<const void*, std::shared_ptr<Part>>& all_parts() {
  static std::map<const void*, std::shared_ptr<Part>> all;
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
constexpr Rule kRules[] = {
    {CUDNN_ATTR_TENSOR_UNIQUE_ID, kTensor, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_TENSOR_DATA_TYPE, kTensor, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_TENSOR_DIMENSIONS, kTensor, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    {CUDNN_ATTR_TENSOR_STRIDES, kTensor, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kTensor, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_TENSOR_IS_VIRTUAL, kTensor, CUDNN_TYPE_BOOLEAN, 1, false},
    {CUDNN_ATTR_TENSOR_IS_BY_VALUE, kTensor, CUDNN_TYPE_BOOLEAN, 1, false},
    {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, kConv, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_CONVOLUTION_CONV_MODE, kConv, CUDNN_TYPE_CONVOLUTION_MODE},
    {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, kConv, CUDNN_TYPE_INT64},
    {CUDNN_ATTR_CONVOLUTION_DILATIONS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, kConv, CUDNN_TYPE_INT64, 3},
    {CUDNN_ATTR_POINTWISE_MODE, kPointwise, CUDNN_TYPE_POINTWISE_MODE},
    {CUDNN_ATTR_POINTWISE_MATH_PREC, kPointwise, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_POINTWISE_AXIS, kPointwise, CUDNN_TYPE_INT64, 1, false},
    {CUDNN_ATTR_MATMUL_COMP_TYPE, kMatmul, CUDNN_TYPE_DATA_TYPE},
    {CUDNN_ATTR_REDUCTION_OPERATOR, kReduction, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE},
    {CUDNN_ATTR_REDUCTION_COMP_TYPE, kReduction, CUDNN_TYPE_DATA_TYPE},
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
    {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kFormula, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, kFormula, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, kFormula, kParts, 1, false},
    {CUDNN_ATTR_OPERATION_POINTWISE_TDESC, kFormula, kParts, 1, false},
    {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, kFormula, kParts},
    {CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, kFormula, CUDNN_TYPE_FLOAT, 1, false},
    {CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, kFormula, CUDNN_TYPE_FLOAT, 1, false},
    {CUDNN_ATTR_OPERATION_MATMUL_DESC, kProduct, kParts},
    {CUDNN_ATTR_OPERATION_MATMUL_ADESC, kProduct, kParts},
    {CUDNN_ATTR_OPERATION_MATMUL_BDESC, kProduct, kParts},
    {CUDNN_ATTR_OPERATION_MATMUL_CDESC, kProduct, kParts},
    {CUDNN_ATTR_OPERATION_REDUCTION_DESC, kReduce, kParts},
    {CUDNN_ATTR_OPERATION_REDUCTION_XDESC, kReduce, kParts},
    {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, kReduce, kParts},
    {CUDNN_ATTR_OPERATION_RESHAPE_XDESC, kView, kParts},
    {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, kView, kParts},
    {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, kGraph, CUDNN_TYPE_HANDLE},
    {CUDNN_ATTR_OPERATIONGRAPH_OPS, kGraph, kParts, 32},
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
    case CUDNN_TYPE_REDUCTION_OPERATOR_TYPE:
      return 4;
    default:
      return 8;
  }
}

/// The descriptor behind a pointer; may be used where the call is well.
std::shared_ptr<Part> part_of(LibraryCall& call, const void* p) {
  call.object(p, kDnnPart);
  const auto it = all_parts().find(p);
  if (!call || it == all_parts().end()) return std::make_shared<Part>();
  return it->second;
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
  if (Grid(t).is_host) call.demand(Grid(t).numel() == 1, "several numbers of the host");
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
/// Virtual tensors are written before they are read; a number is always the same tensor's.
void check_graph(LibraryCall& call, const Part& p) {
  std::map<int64_t, PartOf> tensor_of;
  std::set<int64_t> written;
  for (const PartOf& operation : p.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts) {
    call.demand(is_operation(*operation), "what is no operation");
    if (!call) return;
    const auto parts = tensors_of(*operation);
    for (size_t i = 0; i < parts.size(); ++i) {
      const Grid g(*parts[i]);
      const PartOf& known = tensor_of.emplace(g.id, parts[i]).first->second;
      call.demand(is_same(*known, *parts[i]), "one number for two tensors");
      if (i + 1 == parts.size())
        call.demand(written.insert(g.id).second, "a tensor that is written twice");
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
  if (is_operation(p)) check_operation(call, p);
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
      if (call && g.is_host)
        memory.kept[g.id] = {double{*static_cast<const float*>(memory.of[g.id])}};
      else if (call)
        call.memory("tensor " + std::to_string(g.id), memory.of[g.id],
                    static_cast<size_t>(g.reach() * bytes_of(g.type)),
                    static_cast<size_t>(t->one<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)));
    }
  call.demand(wanted.size() == ids.size(), "memory of a tensor that is not in the graph");
  return memory;
}
}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  LibraryCall call("cudnnCreate");
  make_handle(call, handle, kDnnHandle);
  return call.status(CUDNN_STATUS_NOT_INITIALIZED, CUDNN_STATUS_NOT_INITIALIZED);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnSetStream");
  call.object(handle, kDnnHandle);
  call.stream(stream);
  if (call) layers::streams()[handle] = stream;
  return status(call);
}
size_t cudnnGetVersion() { return dnn().version; }
const char* cudnnGetErrorString(cudnnStatus_t) { return "a status of cuDNN"; }

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* to) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendCreateDescriptor");
  if (!call) return status(call);
  auto part = std::make_shared<Part>();
  part->type = type;
  *to = part.get();
  all_parts()[*to] = part;
  call.make_object(*to, kDnnPart);
  return status(call);
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  LibraryCall call("cudnnBackendDestroyDescriptor");
  if (call.end_object(d, kDnnPart)) all_parts().erase(d);
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
  if (type == CUDNN_TYPE_HANDLE) call.object(*static_cast<void* const*>(values), kDnnHandle);
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
  if (part->type == kGraph) last_graph() = part;
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
  call.object(handle, kDnnHandle);
  const auto plan = part_of(call, plan_at), pack = part_of(call, pack_at);
  call.demand(plan->type == kPlan && plan->is_finished, "a plan that is not finished");
  call.demand(pack->type == kPack && pack->is_finished, "a pack that is not finished");
  if (!call) return status(call);
  call.demand(plan->one<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) == handle,
              "a plan of another handle");
  call.stream(layers::streams()[handle]);
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

}  // extern "C"
