#include <taper/framework/cuda/gpu/recording.h>

#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/random_key.h>

namespace taper::cuda {

GpuRecording::~GpuRecording() {
  // The driver may be gone at the end of the process; there is nobody left to tell.
  if (graph_) (void)cudaGraphExecDestroy(graph_);
  if (replayed_) (void)cudaEventDestroy(replayed_);
  for (const Keys& keys : keys_)
    detail::gpu_runtime()->release(device_, keys.places, kKeys * sizeof(uint64_t));
}

void GpuRecording::take(cudaGraph_t graph) {
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  (void)cudaGraphDestroy(graph);
  check_status(status, "cudaGraphInstantiate", __FILE__, __LINE__);
}

// Behind the last replay, which may be on another stream and still read its own.
void GpuRecording::write_keys(cudaStream_t stream) {
  if (replayed_)
    TAPER_CUDA_CHECK(cudaStreamWaitEvent(stream, replayed_, 0));
  else
    TAPER_CUDA_CHECK(cudaEventCreateWithFlags(&replayed_, cudaEventDisableTiming));
  for (const Keys& keys : keys_) {
    uint64_t drawn[kKeys];
    for (size_t i = 0; i < keys.generators.size(); ++i) drawn[i] = draw_key(keys.generators[i]);
    // From pageable memory: the bytes are taken before the call returns.
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

// Not from the graph's pool: kernels that come before may write to what is free there.
uint64_t* GpuRecording::new_places() const {
  void* const p = detail::gpu_runtime()->allocate(device_, kKeys * sizeof(uint64_t));
  if (!p) throw OutOfMemoryError("CUDA out of memory: no room for the keys of random numbers");
  return static_cast<uint64_t*>(p);
}

const uint64_t* GpuRecording::key_of(CPUGeneratorImpl* generator) {
  if (keys_.empty() || keys_.back().generators.size() == kKeys) keys_.push_back({new_places(), {}});
  keys_.back().generators.push_back(generator);
  return keys_.back().places + keys_.back().generators.size() - 1;
}

const uint64_t* key_for_replays(CPUGeneratorImpl* generator) {
  GpuRecording* const recording = kernel_recording();
  return recording ? recording->key_of(generator) : nullptr;
}

}  // namespace taper::cuda
