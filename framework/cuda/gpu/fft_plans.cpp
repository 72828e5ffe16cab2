#include <taper/framework/cuda/gpu/fft_plans.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include <taper/framework/core/check.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/gpu/of_thread.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

#define TAPER_CUFFT(name, ...) check(TAPER_LIBRARY_FUNCTION(cufft, name)(__VA_ARGS__), #name)

namespace torch::taper::cuda {
namespace {

// cuFFT has no function for these texts.
const char* text_of(cufftResult status) {
  switch (status) {
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_TYPE:
      return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    case CUFFT_NOT_SUPPORTED:
      return "CUFFT_NOT_SUPPORTED";
    default:
      return "an error";
  }
}

void check(cufftResult status, const char* call) {
  TAPER_CHECK(status == CUFFT_SUCCESS, "cuFFT error: ", text_of(status), " (",
              static_cast<int>(status), ", ", call, ")");
}

/// Is a plan without a workspace of its own. Each run brings one, so that streams do not share it.
class Plan {
 public:
  Plan(cufftType type, const FftBoxes& boxes) {
    const RelaxedCapture relaxed;
    TAPER_CUFFT(cufftCreate, &handle_);
    try {
      TAPER_CUFFT(cufftSetAutoAllocation, handle_, 0);
      make(type, boxes);
    } catch (...) {
      end();
      throw;
    }
  }
  ~Plan() { end(); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  cufftHandle handle() const { return handle_; }
  size_t work_nbytes() const { return work_nbytes_; }
  /// Returns whether a graph uses the plan. Each replay reads its data on the device.
  bool is_captured() const { return is_captured_; }
  void note_stream(cudaStream_t stream) {
    if (is_capturing(stream)) is_captured_ = true;
  }

 private:
  void make(cufftType type, const FftBoxes& boxes) {
    long long n[3];
    std::copy(boxes.n.begin(), boxes.n.end(), n);
    // cuFFT ignores strides and distances without the sizes of the memory.
    long long* const memory = boxes.interleaved ? n : nullptr;
    TAPER_CUFFT(cufftMakePlanMany64, handle_, static_cast<int>(boxes.n.size()), n, memory,
                boxes.count, 1, memory, boxes.count, 1, type, boxes.count, &work_nbytes_);
  }
  void end() {
    const RelaxedCapture relaxed;  // frees memory
    (void)TAPER_LIBRARY_FUNCTION(cufft, cufftDestroy)(handle_);
  }

  cufftHandle handle_ = 0;
  size_t work_nbytes_ = 0;
  bool is_captured_ = false;
};

// Returns this thread's plan. Setting a plan's stream and workspace and running it takes three
// calls. Plans live as long as the process, as handles do. A thread that meets very many shapes
// drops its plans, except those that graphs use.
Plan& plan_for(cufftType type, const FftBoxes& boxes) {
  constexpr size_t kMostPlans = 256;
  using Key = std::tuple<cufftType, std::array<int64_t, 3>, int64_t, bool>;
  auto& plans = of_thread<std::map<DeviceIndex, std::map<Key, Plan>>>()[kernel_device()];
  std::array<int64_t, 3> sizes{};
  std::copy(boxes.n.begin(), boxes.n.end(), sizes.begin());
  const Key key{type, sizes, boxes.count, boxes.interleaved};
  const auto it = plans.find(key);
  if (it != plans.end()) return it->second;
  if (plans.size() >= kMostPlans)
    std::erase_if(plans, [](const auto& entry) { return !entry.second.is_captured(); });
  return plans.try_emplace(key, type, boxes).first->second;
}

void execute(cufftType type, cufftHandle plan, void* x, void* y, int direction) {
  switch (type) {
    case CUFFT_C2C:
      return TAPER_CUFFT(cufftExecC2C, plan, static_cast<cufftComplex*>(x),
                         static_cast<cufftComplex*>(y), direction);
    case CUFFT_Z2Z:
      return TAPER_CUFFT(cufftExecZ2Z, plan, static_cast<cufftDoubleComplex*>(x),
                         static_cast<cufftDoubleComplex*>(y), direction);
    case CUFFT_R2C:
      return TAPER_CUFFT(cufftExecR2C, plan, static_cast<cufftReal*>(x),
                         static_cast<cufftComplex*>(y));
    case CUFFT_D2Z:
      return TAPER_CUFFT(cufftExecD2Z, plan, static_cast<cufftDoubleReal*>(x),
                         static_cast<cufftDoubleComplex*>(y));
    case CUFFT_C2R:
      return TAPER_CUFFT(cufftExecC2R, plan, static_cast<cufftComplex*>(x),
                         static_cast<cufftReal*>(y));
    case CUFFT_Z2D:
      break;
  }
  return TAPER_CUFFT(cufftExecZ2D, plan, static_cast<cufftDoubleComplex*>(x),
                     static_cast<cufftDoubleReal*>(y));
}

bool in_double(cufftType type) {
  return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

/// Provides real numbers with the alignment of complex ones, which cuFFT requires.
class Aligned {
 public:
  Aligned(void* p, size_t nbytes, size_t align, bool reads)
      : data_(p), nbytes_(nbytes), stream_(kernel_stream()) {
    if (reinterpret_cast<uintptr_t>(p) % align == 0) return;
    copy_.emplace(static_cast<int64_t>(nbytes));
    if (reads) copy(copy_->get(), p);
  }
  void* get() const { return copy_ ? copy_->get() : data_; }
  /// Copies results back to their place.
  void write_back() const {
    if (copy_) copy(data_, copy_->get());
  }

 private:
  void copy(void* to, const void* from) const {
    TAPER_CUDA_CHECK(cudaMemcpyAsync(to, from, nbytes_, cudaMemcpyDeviceToDevice, stream_));
  }
  void* const data_;
  const size_t nbytes_;
  const cudaStream_t stream_;
  std::optional<Scratch<char>> copy_;
};

}  // namespace

void run_fft(cufftType type, const FftBoxes& boxes, void* x, void* y, bool inverse) {
  Plan& plan = plan_for(type, boxes);
  plan.note_stream(kernel_stream());
  const size_t size = in_double(type) ? 8 : 4;
  size_t reals = static_cast<size_t>(boxes.count) * size;
  for (const int64_t n : boxes.n) reals *= static_cast<size_t>(n);
  const bool from_real = type == CUFFT_R2C || type == CUFFT_D2Z;
  const bool to_real = type == CUFFT_C2R || type == CUFFT_Z2D;
  const Aligned from(x, reals, from_real ? 2 * size : 1, true);
  const Aligned to(y, reals, to_real ? 2 * size : 1, false);
  const Scratch<char> work(static_cast<int64_t>(std::max<size_t>(1, plan.work_nbytes())));
  TAPER_CUFFT(cufftSetStream, plan.handle(), kernel_stream());
  TAPER_CUFFT(cufftSetWorkArea, plan.handle(), work.get());
  execute(type, plan.handle(), from.get(), to.get(), inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  to.write_back();
}

}  // namespace torch::taper::cuda
