#include <taper/extension/cuda_interop.h>

#include <map>

#include <taper/extension/device_guard.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/simulated.h>

namespace torch::taper::cuda {
namespace {

std::string text_of_error(const char* words, const char* call, const char* file, int line) {
  std::string text = detail::concat("CUDA error: ", words, " (", call, ", ", file, ":", line, ")");
  if (is_available() && is_simulated())
    text +=
        ": the devices are simulated ones, and a program's own CUDA kernel needs a GPU; give a "
        "version for the host by taper::cuda::launch_host";
  return text;
}

}  // namespace

void throw_cuda_error(const char* words, const char* call, const char* file, int line) {
  throw Error(text_of_error(words, call, file, line));
}
void warn_of_cuda_error(const char* words, const char* call, const char* file, int line) {
  detail::warn_user(text_of_error(words, call, file, line));
}

Stream external_stream(void* handle, DeviceIndex device) {
  if (!handle) return default_stream(device);
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<DeviceIndex, void*>, detail::StreamImpl*>;
  const DeviceIndex index = detail::existing_index(device);
  const std::lock_guard<std::mutex> lock(mutex);
  detail::StreamImpl*& stream = known[{index, handle}];
  if (!stream) stream = detail::require_cuda().wrap_stream(index, handle);
  return Stream(stream);
}

DeviceStats device_stats(DeviceIndex device) {
  const MemoryStats s = memory_stats(device);
  DeviceStats all;
  const auto bytes = [](size_t now, size_t peak) {
    return Stat{static_cast<int64_t>(now), static_cast<int64_t>(peak), 0, 0};
  };
  all.allocated_bytes[0] = all.active_bytes[0] = all.requested_bytes[0] =
      bytes(s.allocated, s.max_allocated);
  all.reserved_bytes[0] = bytes(s.reserved, s.max_reserved);
  all.allocation[0].allocated = static_cast<int64_t>(s.num_allocations);
  all.segment[0].allocated = static_cast<int64_t>(s.num_segments);
  all.num_alloc_retries = static_cast<int64_t>(s.num_retries);
  all.num_ooms = static_cast<int64_t>(s.num_out_of_memory);
  return all;
}

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t) {
  const RandomKeyOfLaunch key = random_key_for_launch(generator_);
  PhiloxCudaState state;
  state.captured_ = key.place != nullptr;
  if (state.captured_)
    state.seed_.ptr = key.place;
  else
    state.seed_.val = key.key;
  return state;
}
std::pair<uint64_t, uint64_t> CUDAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
  const PhiloxCudaState state = philox_cuda_state(increment);
  TAPER_CHECK(!state.captured_,
              "philox_engine_inputs: expected a stream that is not captured; use "
              "philox_cuda_state");
  return {state.seed_.val, 0};
}

CUDAGeneratorImpl* cuda_generator(const optional<Generator>& generator, DeviceIndex device) {
  const Generator g = generator && generator->defined() ? *generator : default_generator(device);
  TAPER_CHECK(g.device().is_cuda(), "Expected a 'cuda' device type for generator but found '",
              g.device().type(), "'");
  static std::mutex mutex;
  static auto& known =
      *new std::map<GeneratorImpl*, std::unique_ptr<CUDAGeneratorImpl>>;  // owns generators
  const std::lock_guard<std::mutex> lock(mutex);
  auto& impl = known[g.unsafeGetGeneratorImpl()];
  if (!impl) impl = std::make_unique<CUDAGeneratorImpl>(g);
  return impl.get();
}

}  // namespace torch::taper::cuda
