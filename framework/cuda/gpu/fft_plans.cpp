#include <taper/framework/cuda/gpu/fft_plans.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <taper/framework/check.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/gpu/of_thread.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

#define TAPER_CUFFT(name, ...) check(TAPER_LIBRARY_FUNCTION(cufft, name)(__VA_ARGS__), #name)

namespace taper::cuda {
namespace {

// The library has no words of its own.
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

/// A plan without working memory of its own: each run brings some, so that streams do not share it.
struct Plan {
  cufftHandle handle = 0;
  size_t work_nbytes = 0;
};

Plan make_plan(cufftType type, int64_t n, int64_t rows) {
  const RelaxedCapture relaxed;
  Plan plan;
  TAPER_CUFFT(cufftCreate, &plan.handle);
  TAPER_CUFFT(cufftSetAutoAllocation, plan.handle, 0);
  long long length = n;
  TAPER_CUFFT(cufftMakePlanMany64, plan.handle, 1, &length, nullptr, 1, n, nullptr, 1, n, type,
              rows, &plan.work_nbytes);
  return plan;
}

// Of this thread: setting a plan's stream and memory and running it are three calls. Plans live as
// long as the process, as handles do; a thread that meets very many shapes starts over.
const Plan& plan_for(cufftType type, int64_t n, int64_t rows) {
  constexpr size_t kMostPlans = 256;
  using Key = std::tuple<DeviceIndex, cufftType, int64_t, int64_t>;
  auto* const plans = &of_thread<std::map<Key, Plan>>();
  const Key key{kernel_device(), type, n, rows};
  const auto it = plans->find(key);
  if (it != plans->end()) return it->second;
  if (plans->size() >= kMostPlans) {
    for (const auto& entry : *plans) TAPER_CUFFT(cufftDestroy, entry.second.handle);
    plans->clear();
  }
  return plans->emplace(key, make_plan(type, n, rows)).first->second;
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
    default:
      return TAPER_CUFFT(cufftExecZ2D, plan, static_cast<cufftDoubleComplex*>(x),
                         static_cast<cufftDoubleReal*>(y));
  }
}

}  // namespace

void run_fft(cufftType type, int64_t n, int64_t rows, void* x, void* y, bool inverse) {
  const Plan plan = plan_for(type, n, rows);
  const Scratch<char> work(static_cast<int64_t>(std::max<size_t>(1, plan.work_nbytes)));
  TAPER_CUFFT(cufftSetStream, plan.handle, kernel_stream());
  TAPER_CUFFT(cufftSetWorkArea, plan.handle, work.get());
  execute(type, plan.handle, x, y, inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
}

}  // namespace taper::cuda
