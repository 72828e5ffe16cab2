// The fake runtime's streams and events, captures and graphs.
#include <algorithm>

#include "cuda_fake/state.h"

namespace fake_cuda {

CUstream_st* stream_of(cudaStream_t handle) {
  State& s = state();
  if (handle) return s.streams.count(handle) ? handle : nullptr;
  CUstream_st*& legacy = s.devices[here().device].legacy;
  if (!legacy) s.streams.insert(legacy = new CUstream_st{here().device, true, {}});
  return legacy;
}

void enqueue(CUstream_st* stream, Work work) {
  if (Capture* const c = stream->capture) {
    ++c->streams[stream][stream];
    std::vector<CUgraphNode_st*>& last = c->last[stream];
    c->graph->nodes.emplace_back(new CUgraphNode_st{std::move(work.run), work.is_kernel, last});
    last = {c->graph->nodes.back().get()};
    return;
  }
  stream->work.push_back(std::move(work));
  if (!state().is_lazy) run(stream);
}

void run(CUstream_st* stream) {
  while (!stream->work.empty()) {
    const Work w = std::move(stream->work.front());
    stream->work.pop_front();
    if (w.awaits && w.awaits->reached < w.turn) run(w.behind);
    if (w.run) w.run();
    if (w.records) w.records->reached = w.turn;
  }
}
void run_device(int device) {
  for (CUstream_st* s : state().streams)
    if (s->device == device) run(s);
}
void run_all() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  for (CUstream_st* s : state().streams) run(s);
}

namespace {

EventState* event_of(cudaEvent_t handle) {
  return state().events.count(handle) ? handle->state.get() : nullptr;
}

/// What only a capture has cannot be waited for.
cudaError_t check_may_wait(const EventState* e, const char* function) {
  if (!e) return violation(std::string(function) + " of no event", cudaErrorInvalidResourceHandle);
  if (const cudaError_t status = use(e->device); status != cudaSuccess) return status;
  if (e->capture) return violation(function, cudaErrorCapturedEvent);
  return check_safe(function);
}
cudaError_t check_may_wait(CUstream_st* s, const char* function) {
  if (!s) return violation(std::string(function) + " of no stream", cudaErrorInvalidResourceHandle);
  if (s->capture) {
    s->capture->is_valid = false;
    return violation(function, cudaErrorStreamCaptureUnsupported);
  }
  return use(s->device);
}

cudaError_t record(EventState* e, const std::shared_ptr<EventState>& shared, CUstream_st* s) {
  if (e->device != s->device)
    return violation("an event recorded on another device", cudaErrorInvalidResourceHandle);
  if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
  e->stream = s;
  e->capture = s->capture;
  if (s->capture)
    e->clock = s->capture->streams[s], e->nodes = s->capture->last[s];
  else
    enqueue(s, {nullptr, shared, nullptr, ++e->recorded, nullptr});
  return cudaSuccess;
}

cudaError_t wait(CUstream_st* s, const std::shared_ptr<EventState>& e) {
  if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
  if (!e->capture && s->capture) {
    s->capture->is_valid = false;
    return violation("a captured stream waits for other work", cudaErrorStreamCaptureIsolation);
  }
  if (!e->capture) return enqueue(s, {nullptr, nullptr, e, e->recorded, e->stream}), cudaSuccess;
  Capture* const c = e->stream->capture;
  if (c != e->capture) return violation("an event of another capture", cudaErrorCapturedEvent);
  if (s->is_legacy)
    return violation("a capture of a legacy stream", cudaErrorStreamCaptureImplicit);
  s->capture = c;
  for (const auto& [other, n] : e->clock) {
    int& known = c->streams[s][other];
    known = std::max(known, n);
  }
  std::vector<CUgraphNode_st*>& last = c->last[s];
  for (CUgraphNode_st* node : e->nodes)
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  return cudaSuccess;
}

}  // namespace
// ---------------------------------------------------------------------- captures
// As cudaThreadExchangeStreamCaptureMode is documented.
cudaError_t check_safe(const char* function) {
  const cudaStreamCaptureMode mode = here().mode;
  cudaError_t status = cudaSuccess;
  for (Capture* c : state().captures) {
    const bool mine = c->thread == std::this_thread::get_id();
    if (mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed) continue;
    if (!mine && (mode != cudaStreamCaptureModeGlobal || c->mode != cudaStreamCaptureModeGlobal))
      continue;
    c->is_valid = false;
    status = violation(std::string(function) + " in a capture", cudaErrorStreamCaptureUnsupported);
  }
  return status;
}

namespace {

/// Whether the origin has waited for all other streams.
bool is_joined(Capture& c) {
  Clock& known = c.streams[c.origin];
  for (const auto& [stream, clock] : c.streams) {
    const auto own = clock.find(stream);
    if (own != clock.end() && known[stream] < own->second) return false;
  }
  return true;
}

cudaError_t end(Capture* c, cudaGraph_t* graph) {
  const bool joined = is_joined(*c);
  for (CUstream_st* s : state().streams)
    if (s->capture == c) s->capture = nullptr;
  state().captures.erase(c);
  const std::unique_ptr<Capture> ended(c);
  if (!c->is_valid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  state().graphs.insert(*graph = c->graph.release());
  return cudaSuccess;
}

/// The graph of a node that is there, or null.
CUgraph_st* graph_of(const CUgraphNode_st* node) {
  for (CUgraph_st* g : state().graphs)
    for (const auto& n : g->nodes)
      if (n.get() == node) return g;
  return nullptr;
}
/// Gives as many as there is room for, or tells how many there are.
template <class Nodes>
cudaError_t give(const Nodes& all, cudaGraphNode_t* to, size_t* n) {
  if (to) std::copy_n(all.begin(), std::min(*n, all.size()), to);
  *n = all.size();
  return cudaSuccess;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

// ---------------------------------------------------------------------- streams
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return entry("cudaStreamCreateWithPriority", [&] {
    if (const cudaError_t status = use(here().device); status != cudaSuccess) return status;
    state().streams.insert(*stream = new CUstream_st{here().device, false, {}});
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return entry("cudaStreamQuery", [&] {
    CUstream_st* const s = stream_of(stream);
    const cudaError_t status = check_may_wait(s, "cudaStreamQuery");
    return status != cudaSuccess ? status : s->work.empty() ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return entry("cudaStreamSynchronize", [&] {
    CUstream_st* const s = stream_of(stream);
    const cudaError_t status = check_may_wait(s, "cudaStreamSynchronize");
    if (status == cudaSuccess) run(s);
    return status;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return entry("cudaStreamWaitEvent", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || !event_of(event))
      return violation("cudaStreamWaitEvent of what is gone", cudaErrorInvalidResourceHandle);
    return wait(s, event->state);
  });
}

// ---------------------------------------------------------------------- events
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return entry("cudaEventCreateWithFlags", [&] {
    if (const cudaError_t status = use(here().device); status != cudaSuccess) return status;
    auto made = std::make_shared<EventState>();
    made->device = here().device;
    made->timing = !(flags & cudaEventDisableTiming);
    state().events.insert(*event = new CUevent_st{std::move(made)});
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return entry("cudaEventDestroy", [&] {
    (void)use(here().device);
    if (state().events.erase(event) == 0)
      return violation("cudaEventDestroy of no event", cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return entry("cudaEventRecord", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || !event_of(event))
      return violation("cudaEventRecord of what is gone", cudaErrorInvalidResourceHandle);
    return record(event_of(event), event->state, s);
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return entry("cudaEventQuery", [&] {
    (void)use(here().device);
    const EventState* const e = event_of(event);
    const cudaError_t status = check_may_wait(e, "cudaEventQuery");
    if (status != cudaSuccess) return status;
    return e->reached >= e->recorded ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return entry("cudaEventSynchronize", [&] {
    (void)use(here().device);
    const EventState* const e = event_of(event);
    const cudaError_t status = check_may_wait(e, "cudaEventSynchronize");
    if (status == cudaSuccess && e->reached < e->recorded) run(e->stream);
    return status;
  });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return entry("cudaEventElapsedTime", [&] {
    (void)use(here().device);
    const EventState *const a = event_of(start), *const b = event_of(end);
    if (!a || !b || !a->timing || !b->timing || a->device != b->device)
      return violation("cudaEventElapsedTime", cudaErrorInvalidResourceHandle);
    std::vector<float>& times = state().machine.times;
    *ms = times.empty() ? 1 : times.back();
    if (!times.empty()) times.pop_back();
    return a->reached < a->recorded || b->reached < b->recorded ? cudaErrorNotReady : cudaSuccess;
  });
}

// ---------------------------------------------------------------------- captures, graphs
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return entry("cudaThreadExchangeStreamCaptureMode", [&] {
    std::swap(*mode, here().mode);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return entry("cudaStreamBeginCapture", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || s->is_legacy || s->capture)
      return violation("a capture of this stream", cudaErrorStreamCaptureUnsupported);
    s->capture = new Capture{mode, s, std::this_thread::get_id(), true, {}, {}, {}};
    s->capture->graph = std::make_unique<CUgraph_st>();
    state().captures.insert(s->capture);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return entry("cudaStreamEndCapture", [&] {
    *graph = nullptr;
    CUstream_st* const s = stream_of(stream);
    if (!s || !s->capture || s->capture->origin != s)
      return violation("the end of no capture", cudaErrorIllegalState);
    return end(s->capture, graph);
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return entry("cudaStreamIsCapturing", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s) return violation("cudaStreamIsCapturing of no stream", cudaErrorInvalidResourceHandle);
    if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
    *status = !s->capture            ? cudaStreamCaptureStatusNone
              : s->capture->is_valid ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long*, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData**, size_t* n) {
  return entry("cudaStreamGetCaptureInfo", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s) return violation("cudaStreamGetCaptureInfo of no stream", cudaErrorInvalidValue);
    *status = !s->capture            ? cudaStreamCaptureStatusNone
              : s->capture->is_valid ? cudaStreamCaptureStatusActive
                                     : cudaStreamCaptureStatusInvalidated;
    if (!s->capture) return cudaSuccess;
    const std::vector<CUgraphNode_st*>& last = s->capture->last[s];
    *graph = s->capture->graph.get(), *dependencies = last.data(), *n = last.size();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
  return entry("cudaGraphGetNodes", [&] {
    const auto makes = [&](const Capture* c) { return c->graph.get() == graph; };
    const std::set<Capture*>& captures = state().captures;
    if (!state().graphs.count(graph) && std::none_of(captures.begin(), captures.end(), makes))
      return violation("the nodes of no graph", cudaErrorInvalidValue);
    std::vector<CUgraphNode_st*> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return give(all, nodes, n);
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* to,
                                         cudaGraphEdgeData*, size_t* n) {
  return entry("cudaGraphNodeGetDependencies", [&] {
    if (!graph_of(node)) return violation("no node", cudaErrorInvalidValue);
    return give(node->before, to, n);
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* to,
                                           cudaGraphEdgeData*, size_t* n) {
  return entry("cudaGraphNodeGetDependentNodes", [&] {
    const CUgraph_st* const graph = graph_of(node);
    if (!graph) return violation("no node", cudaErrorInvalidValue);
    std::vector<CUgraphNode_st*> behind;
    for (const auto& other : graph->nodes)
      if (std::count(other->before.begin(), other->before.end(), node))
        behind.push_back(other.get());
    return give(behind, to, n);
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t n) {
  return entry("cudaGraphAddDependencies", [&] {
    for (size_t i = 0; i < n; ++i) {
      std::vector<CUgraphNode_st*>& before = to[i]->before;
      if (graph_of(from[i]) != graph || graph_of(to[i]) != graph ||
          std::count(before.begin(), before.end(), from[i]))
        return violation("an edge of other graphs, or one that is there", cudaErrorInvalidValue);
      before.push_back(from[i]);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return entry("cudaGraphDestroyNode", [&] {
    CUgraph_st* const graph = graph_of(node);
    if (!graph) return violation("the end of no node", cudaErrorInvalidValue);
    for (const auto& other : graph->nodes)
      other->before.erase(std::remove(other->before.begin(), other->before.end(), node),
                          other->before.end());
    const auto is_it = [&](const auto& n) { return n.get() == node; };
    graph->nodes.erase(std::find_if(graph->nodes.begin(), graph->nodes.end(), is_it));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return entry("cudaGraphInstantiate", [&] {
    if (!state().graphs.count(graph)) return violation("no graph", cudaErrorInvalidValue);
    std::vector<std::function<void()>> nodes;
    std::set<const CUgraphNode_st*> come;
    for (const auto& node : graph->nodes) {
      for (const CUgraphNode_st* before : node->before)
        if (!come.count(before))
          return violation("a node before what it depends on", cudaErrorInvalidValue);
      come.insert(node.get());
      nodes.push_back(node->run);
    }
    auto last = std::make_shared<EventState>();
    state().execs.insert(*exec = new CUgraphExec_st{std::move(nodes), std::move(last)});
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return entry("cudaGraphDestroy", [&] {
    if (state().graphs.erase(graph) == 0) return violation("no graph", cudaErrorInvalidValue);
    delete graph;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return entry("cudaGraphExecDestroy", [&] {
    (void)use(here().device);
    if (state().execs.erase(exec) == 0) return violation("no graph", cudaErrorInvalidValue);
    delete exec;
    return cudaSuccess;
  });
}
// Behind the stream's work, and behind earlier launches of the same graph on any stream.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return entry("cudaGraphLaunch", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || !state().execs.count(exec)) return violation("no graph", cudaErrorInvalidValue);
    if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
    if (CUstream_st* const before = exec->last->stream)
      enqueue(s, {nullptr, nullptr, exec->last, exec->last->recorded, before});
    exec->last->stream = s;
    const auto all = [nodes = exec->nodes] {
      for (const auto& node : nodes) node();
    };
    enqueue(s, {all, exec->last, nullptr, ++exec->last->recorded, nullptr});
    return cudaSuccess;
  });
}

}  // extern "C"
