#include <taper/framework/cuda/gpu/recording.h>

#include <atomic>
#include <utility>

#include <taper/framework/cuda/gpu/chain_kernels.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/framework/fusion/fused_kernels.h>

namespace torch::taper::cuda {

GpuRecording::~GpuRecording() {
  // At the end of the process the driver may be gone, and no one is left to get an error.
  if (!graph_ && !replayed_) return;
  const TryOnDevice on(device_);
  if (graph_) (void)cudaGraphExecDestroy(graph_);
  if (replayed_) (void)cudaEventDestroy(replayed_);
  for (const Keys& keys : keys_)
    detail::gpu_runtime()->release(device_, keys.places, kKeys * sizeof(uint64_t));
}

void GpuRecording::take(cudaGraph_t graph) {
  struct Destroy {
    cudaGraph_t graph;
    ~Destroy() { (void)cudaGraphDestroy(graph); }
  } const at_the_end{graph};
  // The pool has no records of a capture that was dropped.
  const std::shared_ptr<detail::GraphPool> pool = std::exchange(pool_, nullptr);
  auto blocks = pool ? pool->device_log().take() : std::nullopt;
  if (blocks) launches_.fuse(graph, std::move(*blocks), device_);
  TAPER_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
}

// Writes new keys after the last replay, which may run on another stream and still read its keys.
void GpuRecording::write_keys(cudaStream_t stream) {
  if (replayed_)
    TAPER_CUDA_CHECK(cudaStreamWaitEvent(stream, replayed_, 0));
  else
    TAPER_CUDA_CHECK(cudaEventCreateWithFlags(&replayed_, cudaEventDisableTiming));
  for (const Keys& keys : keys_) {
    uint64_t drawn[kKeys];
    for (size_t i = 0; i < keys.generators.size(); ++i) drawn[i] = draw_key(keys.generators[i]);
    // The memory is pageable, so the bytes are read before the call returns.
    TAPER_CUDA_CHECK(cudaMemcpyAsync(keys.places, drawn, keys.generators.size() * sizeof *drawn,
                                     cudaMemcpyHostToDevice, stream));
  }
}

void GpuRecording::replay(detail::StreamImpl* stream) {
  const OnDevice on(device_);
  if (!keys_.empty()) write_keys(handle_of(stream));
  TAPER_CUDA_CHECK(cudaGraphLaunch(graph_, handle_of(stream)));
  if (!keys_.empty()) TAPER_CUDA_CHECK(cudaEventRecord(replayed_, handle_of(stream)));
}

// Does not allocate from the graph's pool, because earlier kernels may write to memory that is free
// there.
uint64_t* GpuRecording::new_places() const {
  void* const p = detail::gpu_runtime()->allocate(device_, kKeys * sizeof(uint64_t));
  if (!p) throw OutOfMemoryError("CUDA out of memory: no room for the keys of random numbers");
  return static_cast<uint64_t*>(p);
}

const uint64_t* GpuRecording::key_of(CPUGeneratorImpl* generator) {
  const uint64_t*& place = place_of_draw_[{generator, generator->next_recorded_draw()}];
  if (place) return place;
  if (keys_.empty() || keys_.back().generators.size() == kKeys) keys_.push_back({new_places(), {}});
  keys_.back().generators.push_back(generator);
  return place = keys_.back().places + keys_.back().generators.size() - 1;
}

const uint64_t* key_for_replays(CPUGeneratorImpl* generator) {
  GpuRecording* const recording = kernel_recording();
  return recording ? recording->key_of(generator) : nullptr;
}

// ---------------------------------------------------------------------- chains
namespace {

// A launch's arguments take at most 4 KiB.
constexpr fusion::Limits kLimits{0, 30, 0, false};
std::atomic<uint64_t> fused_so_far{0};
std::atomic<bool> fuses{true};

// Queries without the data of edges. Kernels and copies of captures have no such data. If they had,
// CUDA would refuse this query.
#if CUDART_VERSION >= 13000
cudaError_t dependencies_of(cudaGraphNode_t node, cudaGraphNode_t* all, size_t* n) {
  return cudaGraphNodeGetDependencies(node, all, nullptr, n);
}
cudaError_t dependents_of(cudaGraphNode_t node, cudaGraphNode_t* all, size_t* n) {
  return cudaGraphNodeGetDependentNodes(node, all, nullptr, n);
}
cudaError_t add_dependency(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
  return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
}
#else
cudaError_t dependencies_of(cudaGraphNode_t node, cudaGraphNode_t* all, size_t* n) {
  return cudaGraphNodeGetDependencies(node, all, n);
}
cudaError_t dependents_of(cudaGraphNode_t node, cudaGraphNode_t* all, size_t* n) {
  return cudaGraphNodeGetDependentNodes(node, all, n);
}
cudaError_t add_dependency(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
  return cudaGraphAddDependencies(graph, &from, &to, 1);
}
#endif

/// Clears an error that only affects fusion. Returns whether there was none.
bool is_told(cudaError_t status) {
  if (status != cudaSuccess) (void)cudaGetLastError();
  return status == cudaSuccess;
}

using Nodes = std::vector<cudaGraphNode_t>;
bool nodes_beside(cudaError_t (*of)(cudaGraphNode_t, cudaGraphNode_t*, size_t*),
                  cudaGraphNode_t node, Nodes& all) {
  size_t n = 0;
  if (!is_told(of(node, nullptr, &n))) return false;
  all.resize(n);
  return n == 0 || is_told(of(node, all.data(), &n));
}

/// Returns whether these nodes form a line without nodes between them. Stores the dependencies of
/// the first node.
bool is_line(const Nodes& nodes, Nodes& before) {
  Nodes beside;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (!nodes_beside(dependencies_of, nodes[i], beside) || beside != Nodes{nodes[i - 1]})
      return false;
    if (!nodes_beside(dependents_of, nodes[i - 1], beside) || beside != Nodes{nodes[i]})
      return false;
  }
  return nodes_beside(dependencies_of, nodes[0], before);
}

}  // namespace

bool fuses_pointwise() { return fuses; }
void set_fuses_pointwise(bool on) { fuses = on; }
uint64_t fused_kernels() { return fused_so_far; }

CapturedLaunches::CapturedLaunches()
    : thread_(std::this_thread::get_id()), usable_(fuses_pointwise()) {}

bool CapturedLaunches::look(cudaStream_t stream, Look& found) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  size_t n = 0;
#if CUDART_VERSION >= 13000
  const cudaError_t told =
      cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &n);
#else
  const cudaError_t told = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, &last, &n);
#endif
  usable_ = usable_ && is_told(told) && status == cudaStreamCaptureStatusActive && graph &&
            is_told(cudaGraphGetNodes(graph, nullptr, &found.nodes));
  found.last = usable_ && n == 1 ? *last : nullptr;
  return usable_;
}

// Notes nodes that the program has queued itself. They may read everything made so far.
void CapturedLaunches::note_others(size_t nodes) {
  if (nodes == nodes_) return;
  others_.push_back(launches_.size());
  launches_.emplace_back();
  nodes_ = nodes;
}

void CapturedLaunches::begin(cudaStream_t stream) {
  usable_ = usable_ && std::this_thread::get_id() == thread_;
  if (!usable_ || depth_++ > 0) return;
  told_ = 0;
  next_ = {};
  Look before;
  if (look(stream, before)) note_others(before.nodes);
}

size_t CapturedLaunches::end(cudaStream_t stream) {
  if (!usable_ || --depth_ > 0) return launches_.size();
  Look behind;
  if (!look(stream, behind) || behind.nodes == nodes_) return launches_.size();
  const bool is_one = told_ == 1 && behind.nodes == nodes_ + 1 && behind.last;
  nodes_ = behind.nodes;
  if (!is_one) next_.call.reset();
  next_.stream = stream;
  next_.node = behind.last;
  launches_.push_back(std::move(next_));
  return launches_.size();
}

void CapturedLaunches::tell(const PointwiseKind& kind, const void* f, const Out& y,
                            const In* const* x) {
  if (!usable_ || ++told_ > 1) return;
  const char* const bytes = static_cast<const char*>(f);
  next_.call = PointwiseCall{&kind, {bytes, bytes + kind.nbytes}, y, {}};
  for (int k = 0; k < kind.inputs; ++k) next_.call->x[k] = *x[k];
}

fusion::Member CapturedLaunches::member(size_t launch) const {
  const Launch& l = launches_[launch];
  fusion::Member m;
  if (!l.call || spelled_functor(*l.call->kind->functor).empty()) return m;
  if (spelled_element(*l.call->kind->result).empty()) return m;
  for (int k = 0; k < l.call->kind->inputs; ++k)
    if (spelled_element(*l.call->kind->operands[k]).empty()) return m;
  m.pointwise = true;
  m.queue = l.stream;
  m.inputs = l.call->kind->inputs;
  m.operands.push_back(fusion::operand_of(l.call->y));
  for (int k = 0; k < m.inputs; ++k) m.operands.push_back(fusion::operand_of(l.call->x[k]));
  return m;
}

void CapturedLaunches::fuse(cudaGraph_t graph, std::vector<detail::BlockLifetime> blocks,
                            DeviceIndex device) {
  size_t nodes = 0;
  if (!usable_ || !is_told(cudaGraphGetNodes(graph, nullptr, &nodes))) return;
  note_others(nodes);
  // Such a node may have read memory that died when the node was added.
  for (const size_t place : others_)
    for (detail::BlockLifetime& b : blocks) b.died += b.died == place;
  for (const fusion::Group& group : fusion::find_groups(
           launches_.size(), [this](size_t i) { return member(i); }, blocks, kLimits))
    fuse_group(graph, group, device);
}

void CapturedLaunches::fuse_group(cudaGraph_t graph, const fusion::Group& group,
                                  DeviceIndex device) {
  std::vector<const PointwiseCall*> calls;
  Nodes nodes, before;
  for (size_t i = group.begin; i < group.end; ++i) {
    calls.push_back(&*launches_[i].call);
    nodes.push_back(launches_[i].node);
  }
  if (!is_line(nodes, before)) return;
  std::optional<ChainSource> source = ChainWriter(calls, group).write();
  cudaKernel_t const kernel = source ? chain_kernel(source->text, device) : nullptr;
  if (!kernel) return;
  constexpr int64_t kThreads = 256, kMostBlocks = 1 << 16;
  const int64_t all = (source->items + kThreads - 1) / kThreads;
  void* arguments[] = {source->argument.data()};
  cudaKernelNodeParams p{};
  p.func = kernel;
  p.gridDim = dim3(static_cast<unsigned>(std::min(all, kMostBlocks)));
  p.blockDim = dim3(kThreads);
  p.kernelParams = arguments;
  // The last node becomes the chain's, and takes the dependencies of the first.
  if (!is_told(cudaGraphKernelNodeSetParams(nodes.back(), &p))) return;
  for (cudaGraphNode_t node : before) TAPER_CUDA_CHECK(add_dependency(graph, node, nodes.back()));
  for (size_t i = 0; i + 1 < nodes.size(); ++i) TAPER_CUDA_CHECK(cudaGraphDestroyNode(nodes[i]));
  fused_so_far.fetch_add(1, std::memory_order_relaxed);
}

void tell_pointwise(const PointwiseKind& kind, const void* f, const Out& y, const In* const* x) {
  if (GpuRecording* const recording = kernel_recording()) recording->launches().tell(kind, f, y, x);
}

}  // namespace torch::taper::cuda
