// The fake runtime's captures and graphs.
#include "cuda_fake/state.h"

namespace fake_cuda {

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
  state().graphs.insert(*graph = new CUgraph_st{std::move(c->nodes)});
  return cudaSuccess;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

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
    s->capture = new Capture{mode, s, std::this_thread::get_id(), true, {}, {}};
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

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return entry("cudaGraphInstantiate", [&] {
    if (!state().graphs.count(graph)) return violation("no graph", cudaErrorInvalidValue);
    auto last = std::make_shared<EventState>();
    state().execs.insert(*exec = new CUgraphExec_st{graph->nodes, std::move(last)});
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
