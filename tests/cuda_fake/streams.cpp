// The fake runtime's streams and events.
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
    c->nodes.push_back(std::move(work.run));
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
    e->clock = s->capture->streams[s];
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
    const EventState* const e = event_of(event);
    const cudaError_t status = check_may_wait(e, "cudaEventQuery");
    if (status != cudaSuccess) return status;
    return e->reached >= e->recorded ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return entry("cudaEventSynchronize", [&] {
    const EventState* const e = event_of(event);
    const cudaError_t status = check_may_wait(e, "cudaEventSynchronize");
    if (status == cudaSuccess && e->reached < e->recorded) run(e->stream);
    return status;
  });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return entry("cudaEventElapsedTime", [&] {
    const EventState *const a = event_of(start), *const b = event_of(end);
    if (!a || !b || !a->timing || !b->timing || a->device != b->device)
      return violation("cudaEventElapsedTime", cudaErrorInvalidResourceHandle);
    std::vector<float>& times = state().machine.times;
    *ms = times.empty() ? 1 : times.back();
    if (!times.empty()) times.pop_back();
    return a->reached < a->recorded || b->reached < b->recorded ? cudaErrorNotReady : cudaSuccess;
  });
}

}  // extern "C"
