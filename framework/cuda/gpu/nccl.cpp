// Runs collectives with NCCL, which is loaded on its first use.
#include <taper/framework/runtime/collectives.h>

#if __has_include(<nccl.h>)
#include <dlfcn.h>
#include <nccl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/stream.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {
namespace {

void* nccl_library() {
  static void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  return library;
}
void* nccl_function(const char* name) {
  void* const f = dlsym(nccl_library(), name);
  TAPER_CHECK(f, "expected the function ", name, ", and libnccl.so.2 lacks it");
  return f;
}
#define TAPER_NCCL_FUNCTION(name) (reinterpret_cast<decltype(&::name)>(nccl_function(#name)))

void check_nccl(ncclResult_t result, const char* call) {
  TAPER_CHECK(result == ncclSuccess,
              "NCCL error: ", TAPER_NCCL_FUNCTION(ncclGetErrorString)(result), " (", call, ")");
}
#define TAPER_NCCL(name, ...) check_nccl(TAPER_NCCL_FUNCTION(name)(__VA_ARGS__), #name)

std::optional<ncclDataType_t> nccl_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return ncclFloat64;
    case ScalarType::Float:
      return ncclFloat32;
    case ScalarType::Half:
      return ncclFloat16;
    case ScalarType::BFloat16:
      return ncclBfloat16;
    case ScalarType::Long:
      return ncclInt64;
    case ScalarType::Int:
      return ncclInt32;
    default:
      return std::nullopt;
  }
}

/// Groups the calls in its scope into one collective. One collective is made at a time, so that all
/// devices see them in one order. Otherwise they would wait for each other forever.
class Group {
 public:
  Group() : lock_(cuda::launches_of_several_devices()) {
    TAPER_CUDA_CHECK(cudaGetDevice(&device_));
    TAPER_NCCL(ncclGroupStart);
  }
  ~Group() {
    if (!ended_) (void)TAPER_NCCL_FUNCTION(ncclGroupEnd)();
    cuda::restore_device(device_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    ended_ = true;
    TAPER_NCCL(ncclGroupEnd);
  }

 private:
  std::lock_guard<std::mutex> lock_;
  int device_ = 0;
  bool ended_ = false;
};

/// Returns a communicator for each part's device. They are made once for each set of devices.
const std::vector<ncclComm_t>& communicators(const std::vector<CollectivePart>& parts) {
  static auto& all = *new std::map<std::vector<int>, std::vector<ncclComm_t>>;
  std::vector<int> devices;
  for (const CollectivePart& p : parts) devices.push_back(p.stream->device);
  const std::lock_guard<std::mutex> lock(cuda::launches_of_several_devices());
  std::vector<ncclComm_t>& made = all[devices];
  if (made.empty()) {
    std::vector<ncclComm_t> fresh(devices.size());
    TAPER_NCCL(ncclCommInitAll, fresh.data(), static_cast<int>(devices.size()), devices.data());
    made = std::move(fresh);
  }
  return made;
}

/// Returns whether work of the stream is captured. It queries on the stream's device, because
/// another device may be unused yet.
bool is_captured(StreamImpl* stream) {
  bool captured = false;
  cuda_runtime()->launch(stream, "nccl",
                         [&] { captured = cuda::is_capturing(cuda::kernel_stream()); });
  return captured;
}

/// Returns whether NCCL may run. The race detector and captures see copies, but not the work of
/// NCCL.
bool is_usable(const std::vector<CollectivePart>& parts) {
  if (!on_gpu() || watches_races() || !nccl_library()) return false;
  return std::none_of(parts.begin(), parts.end(),
                      [](const CollectivePart& p) { return is_captured(p.stream); });
}

}  // namespace

bool broadcast_parts(const std::vector<CollectivePart>& parts, size_t nbytes) {
  if (!is_usable(parts)) return false;
  const std::vector<ncclComm_t>& comms = communicators(parts);
  Group group;
  for (size_t i = 0; i < parts.size(); ++i)
    TAPER_NCCL(ncclBroadcast, parts[i].data, parts[i].data, nbytes, ncclUint8, 0, comms[i],
               cuda::handle_of(parts[i].stream));
  group.end();
  return true;
}

bool reduce_parts(const std::vector<CollectivePart>& parts, void* result, int64_t count,
                  ScalarType dtype) {
  const auto type = nccl_type(dtype);
  if (!type || !is_usable(parts)) return false;
  const std::vector<ncclComm_t>& comms = communicators(parts);
  Group group;
  for (size_t i = 0; i < parts.size(); ++i)
    TAPER_NCCL(ncclReduce, parts[i].data, i == 0 ? result : nullptr, static_cast<size_t>(count),
               *type, ncclSum, 0, comms[i], cuda::handle_of(parts[i].stream));
  group.end();
  return true;
}

}  // namespace torch::taper::detail
#else

namespace torch::taper::detail {

bool broadcast_parts(const std::vector<CollectivePart>&, size_t) { return false; }
bool reduce_parts(const std::vector<CollectivePart>&, void*, int64_t, ScalarType) { return false; }

}  // namespace torch::taper::detail
#endif
