#include <taper/framework/cuda/fault.h>

#include <atomic>
#include <mutex>

#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/stream.h>

namespace torch::taper::cuda {
namespace {

constexpr int kMostDevices = 64;
std::atomic<FaultNote*> notes[kMostDevices];

FaultNote* note_of(int device) {
  TAPER_CHECK(device >= 0 && device < kMostDevices, "expected a device below ", kMostDevices,
              ", got ", device);
  if (FaultNote* const note = notes[device].load(std::memory_order_acquire)) return note;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!notes[device].load(std::memory_order_relaxed)) {
    const RelaxedCapture relaxed;
    void* p = nullptr;  // never freed: kernels may run until the process ends
    TAPER_CUDA_CHECK(cudaHostAlloc(&p, sizeof(FaultNote), cudaHostAllocMapped));
    notes[device].store(new (p) FaultNote{}, std::memory_order_release);
  }
  return notes[device].load(std::memory_order_relaxed);
}

}  // namespace

FaultNote* fault_note() { return note_of(kernel_device()); }

void throw_fault(int device) {
  FaultNote* const note = notes[device].load(std::memory_order_acquire);
  if (!note) return;
  const auto kind = static_cast<FaultKind>(*static_cast<volatile int32_t*>(&note->kind));
  if (kind == FaultKind::kNone) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  const FaultNote found = *note;
  *note = FaultNote{};
  throw_words_of(kind, found.numbers);
}

}  // namespace torch::taper::cuda
