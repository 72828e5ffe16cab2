// A CUDA runtime over host memory, in place of the real one: what tests ask of it. The entry points
// themselves have CUDA's names (devices.cpp, memory.cpp, streams.cpp), and so have
// those of its libraries, which compute what they are asked for (blas.cpp, solver.cpp, fft.cpp,
// nccl.cpp, dnn.cpp); cupti.h has CUPTI's.
//
// It knows the rules that the real one has documented, and refuses what breaks them with CUDA's
// errors; what a program could overlook, because it ignores that error, is kept in violations().
// Kernels do not run: a launch is counted, or becomes a part of a graph. Calls that may create the
// context of the thread's current device do so.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake_cuda {

/// What the machine has; to be changed before the first use of a device.
struct Machine {
  int devices = 3;
  size_t memory = size_t{256} << 20;       ///< bytes of each device
  int unusable = -1;                       ///< a device that gives no context
  cudaError_t count_status = cudaSuccess;  ///< what cudaGetDeviceCount says
  int driver_version = CUDART_VERSION;     ///< 0: none is installed
  std::vector<float> times;  ///< milliseconds that events say, the last one first; then 1
  /// How many bytes from p on the program has given out of what it has taken from the device; 0
  /// where it has given back that memory. Without it blocks of cudaMalloc are all that is known.
  std::function<size_t(int device, const void* p)> given_out;
};
Machine& machine();

/// All kernels are of this architecture from now on, as in 75, whatever the devices are.
void set_kernel_architecture(int architecture);

/// How often a function was called.
uint64_t calls(const std::string& function);
/// The n-th call of the function from now on does nothing and returns `status`.
void fail(const std::string& function, int n, cudaError_t status);
/// From now on everything on this device returns `status`, as after a kernel's fault.
void break_device(int device, cudaError_t status);
/// From now on every call says that the process ends.
void unload();

/// Objects that were made and not destroyed.
struct Live {
  int64_t events, graphs, graph_execs, device_blocks, pinned_blocks, handles;
};
Live live();
/// Objects of the libraries that are alive: those whose kind has this text in it.
int64_t live_objects(const std::string& kind);
bool has_context(int device);
/// Whether the device has been let to the peer's memory.
bool has_peer_access(int device, int peer);
/// What was done against the rules.
std::vector<std::string> violations();
/// Takes it from that list: for tests that break one on purpose.
std::vector<std::string> take_violations();

/// Until the end of the scope work runs only when the host waits for it.
class Lazy {
 public:
  Lazy();
  ~Lazy();
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
};
/// Runs what was queued so far.
void run_all();

/// How a product's sums were put together: of two parts that were rounded to the result's 16 bits,
/// of two that were not, or at once.
enum class Parts { kRounded, kExact, kOne };
Parts parts_of_last_product();

}  // namespace fake_cuda
