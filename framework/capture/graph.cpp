#include <taper/framework/capture/graph.h>

#include <exception>
#include <vector>

#include <taper/framework/autograd/saved_for_replays.h>
#include <taper/framework/capture/capture.h>
#include <taper/framework/capture/step_state.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/debug/timeline.h>
#include <taper/framework/memory/caching_allocator.h>
#include <taper/framework/runtime/launch_blocking.h>

namespace torch::taper {

using detail::Capture;
using detail::GraphPool;
using detail::StreamImpl;

struct Graph::Made {
  Device device;
  std::shared_ptr<GraphPool> pool;
  std::shared_ptr<Recording> recording;
  std::vector<detail::WatchedLaunch> watched;
  std::vector<std::shared_ptr<const void>> kept;
  GraphMemory memory;
  size_t recomputed = 0;
};

namespace {

StreamImpl* stream_to_capture(Device device) {
  if (device.is_cpu()) return nullptr;
  StreamImpl* stream = detail::current_stream_of(detail::existing_index(device.index()));
  TAPER_CHECK(stream->id != 0,
              "CUDA graphs must be captured on a non-default stream. (However, after capture, it's "
              "ok to replay them on the default stream.)");
  TAPER_CHECK(!stream->capture,
              "CUDA error: operation not permitted when stream is capturing: the stream is "
              "captured already");
  return stream;
}

void warn_of_nothing() {
  detail::warn_user(
      "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on "
      "wrong device or stream.");
}

}  // namespace

Graph::Graph(Device device) : device_(device) {}
Graph::~Graph() = default;

namespace {

void check_may_begin(bool is_empty) {
  TAPER_CHECK(
      is_empty,
      "This CUDAGraph instance already owns a captured graph. To capture a new graph, create "
      "a new instance.");
  TAPER_CHECK(!detail::thread_capture(),
              "capture_begin: the calling thread captures a graph already; end that capture first");
}

}  // namespace

void Graph::capture_begin(MempoolId_t pool) {
  check_may_begin(!made_ && !capture_);
  capture_ = std::make_unique<Capture>(stream_to_capture(device_), GraphPool::find(pool));
}

void Graph::capture_end() {
  TAPER_CHECK(capture_, "Called CUDAGraph::capture_end without a preceding capture_begin.");
  const detail::Owned<Capture> capture = std::move(capture_);
  capture->end();
  auto made = std::make_unique<Made>();
  made->device = capture->origin() ? Device(kCUDA, capture->origin()->device) : Device();
  made->pool = capture->pool();
  made->recording = capture->recording();
  made->watched = capture->take_watched();
  made->kept = capture->take_kept();
  made->memory = capture->memory();
  if (made->watched.empty()) warn_of_nothing();
  made_ = std::move(made);
}

void Graph::replay() {
  TAPER_CHECK(made_, "Called CUDAGraph::replay without a preceding successful capture.");
  StreamImpl* stream =
      made_->device.is_cpu() ? nullptr : detail::current_stream_of(made_->device.index());
  TAPER_CHECK(!detail::thread_capture() && !(stream && stream->capture),
              "CUDA error: operation not permitted when stream is capturing: a graph is no part of "
              "another graph");
  const detail::RunScope recorded(detail::RunEvent::kScope, "Graph.replay");
  if (detail::watches_races())
    for (const detail::WatchedLaunch& l : made_->watched)
      races::detector().launch(stream, l.name, l.accesses);
  {
    const detail::TimelineSpan span(stream, "graph");
    made_->recording->replay(stream);
  }
  if (stream) detail::finish_launch(detail::require_cuda(), stream);
}

void Graph::reset() {
  abandon();
  made_.reset();
}
void Graph::abandon() noexcept { capture_.reset(); }

MempoolId_t Graph::pool() const {
  TAPER_CHECK(made_, "Called CUDAGraph::pool() without a preceding successful capture.");
  return made_->pool->id();
}

// ---------------------------------------------------------------------- a step that is called
namespace {

// Memory outside of the capture's pool lives as long as the graph.
bool is_given(const void* p) {
  Capture* const capture = detail::host_capture();
  return capture && !capture->pool()->holds_host(p);
}

}  // namespace

void Graph::capture(const std::function<void()>& step, const GraphOptions& options) {
  const int64_t budget = options.memory_budget();
  TAPER_CHECK_VALUE(
      budget >= 0 && (budget == 0 || device_.is_cpu()),
      "Graph::capture: expected a memory_budget of 0 or more bytes, of the CPU alone, "
      "got ",
      budget, " for ", device_);
  check_may_begin(!made_ && !capture_);
  if (budget == 0) {
    const GraphGuard guard(*this);
    return step();
  }
  const auto record = [&](const std::shared_ptr<detail::SavedForReplays>& saved) {
    reset();
    const detail::SavedForReplays::Scope saves(saved);
    {
      const GraphGuard guard(*this);
      step();
      TAPER_CHECK(capture_, "Graph::capture: expected a step that leaves the graph alone");
      saved->end_capture();
      saved->end();
    }
    return made_->memory.planned;
  };
  try {
    made_->recomputed = detail::capture_within(static_cast<size_t>(budget), is_given, record);
  } catch (...) {
    reset();
    throw;
  }
}

size_t Graph::recomputed() const {
  TAPER_CHECK(made_,
              "Graph::recomputed: expected a graph with a capture; call it behind capture()");
  return made_->recomputed;
}

// ---------------------------------------------------------------------- what it takes
GraphMemory Graph::memory() const {
  TAPER_CHECK(made_, "Graph::memory: expected a graph with a capture; call it behind capture_end");
  if (made_->device.is_cuda())
    throw NotImplementedError(
        "Graph::memory: expected a graph of the CPU, got one of a CUDA device; "
        "cuda::memory_stats has the figures of a device's allocator");
  return made_->memory;
}

// ---------------------------------------------------------------------- a scope
namespace {

/// Returns the stream for a capture of a device without a given stream. Graphs that share a pool
/// share its blocks by stream.
cuda::Stream side_stream(DeviceIndex device) {
  thread_local std::vector<StreamImpl*> streams(kMaxDevices);
  StreamImpl*& s = streams[static_cast<size_t>(device)];
  if (!s) s = cuda::Stream(Device(kCUDA, device)).impl();
  return cuda::Stream(s);
}

}  // namespace

GraphGuard::GraphGuard(Graph& graph, MempoolId_t pool, std::optional<cuda::Stream> stream)
    : graph_(graph), exceptions_(std::uncaught_exceptions()) {
  if (graph.device().is_cuda()) {
    const DeviceIndex device = detail::existing_index(graph.device().index());
    TAPER_CHECK(!stream || stream->device_index() == device, "GraphGuard: expected a stream of ",
                Device(kCUDA, device), ", got one of ", stream->device());
    const cuda::Stream side = stream ? *stream : side_stream(device);
    before_ = cuda::current_stream(device);
    if (!side.impl()->capture && !before_->impl()->capture) side.wait_stream(*before_);
    side_.emplace(side);
    // A capture cannot use what the steps before have left in the cache.
    if (!detail::thread_capture() && !side.impl()->capture)
      detail::caching_allocator(device).empty_cache();
  }
  if (!detail::StepState::current())
    state_ = std::make_unique<detail::StepState>(/*called_again=*/false);
  graph.capture_begin(pool);
}

GraphGuard::~GraphGuard() noexcept(false) {
  const bool failed = std::uncaught_exceptions() > exceptions_;
  if (failed) {
    graph_.abandon();
    if (state_) state_->put_back();
  } else {
    graph_.capture_end();
  }
  if (!side_ || failed) return;
  const cuda::Stream side = cuda::current_stream(before_->device_index());
  side_.reset();
  before_->wait_stream(side);
}

// ---------------------------------------------------------------------- CUDA
bool cuda::is_current_stream_capturing() {
  return is_available() &&
         detail::current_stream_of(detail::existing_index(-1))->capture.load() != nullptr;
}

}  // namespace torch::taper
