// Errors that a kernel finds in the values of its tensors. Not installed.
//
// A kernel on a GPU cannot throw. It leaves a note in memory that the host reads as well, skips the
// element, and the runtime throws when it next waits for the device, as for any error of a kernel.
// On simulated devices the kernel throws itself.
#pragma once

#include <cstdint>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/cuda/team.h>

namespace torch::taper::cuda {

/// What was found, and its numbers.
enum class FaultKind : int32_t {
  kNone,
  kIndex,        // value, size, dim, IndexWording, op
  kTarget,       // value, op
  kProbability,  // nothing
  kLdlPivots,    // nothing
  kBagOffset,    // bag, value, value before, number of indices
};
struct FaultNote {
  int32_t claimed;  // 1: somebody writes, or has written
  int32_t kind;     // a FaultKind; what is written last
  int64_t numbers[5];
};

/// A pointer to an op's name, which only the host follows, as a number of a note.
TAPER_DEVICE inline int64_t number_of(const char* op) { return reinterpret_cast<int64_t>(op); }
inline const char* op_of(int64_t number) { return reinterpret_cast<const char*>(number); }

[[noreturn]] inline void throw_words_of(FaultKind kind, const int64_t (&n)[5]) {
  if (kind == FaultKind::kTarget) throw_target_out_of_range(op_of(n[1]), n[0]);
  if (kind == FaultKind::kProbability) throw_not_a_probability();
  if (kind == FaultKind::kLdlPivots) throw_not_ldl_pivots();
  if (kind == FaultKind::kBagOffset) throw_wrong_bag_offset(n[0], n[1], n[2], n[3]);
  throw_index_out_of_range(op_of(n[4]), n[0], n[1], n[2], static_cast<IndexWording>(n[3]));
}

#if TAPER_CUDA_KERNELS == 1
/// The note of the device of the launch that is being made: one for each, in pinned memory at one
/// address for both sides.
FaultNote* fault_note();
/// Throws what kernels of the device have noted, once. For the runtime, when it has waited.
void throw_fault(int device);
#endif

/// What a kernel reports to: made on the host, part of the kernel's arguments.
class Faults {
 public:
#ifdef __CUDACC__
  Faults() : note_(fault_note()) {}
#endif
  /// The first to come here is heard.
  TAPER_DEVICE void raise(FaultKind kind, int64_t a = 0, int64_t b = 0, int64_t c = 0,
                          int64_t d = 0, int64_t e = 0) const {
#ifdef __CUDACC__
#ifdef __CUDA_ARCH__
    // Among the device's own threads: the host writes only when it has waited for them, and atomics
    // between devices and the host are not to be had over every bus.
    if (atomicCAS(&note_->claimed, 0, 1) != 0) return;
    volatile int64_t* const numbers = note_->numbers;
    numbers[0] = a, numbers[1] = b, numbers[2] = c, numbers[3] = d, numbers[4] = e;
    __threadfence_system();
    *static_cast<volatile int32_t*>(&note_->kind) = static_cast<int32_t>(kind);
#endif
#else
    if (!block_runner) throw_words_of(kind, {a, b, c, d, e});
    try {  // the other threads go on, as on a GPU
      throw_words_of(kind, {a, b, c, d, e});
    } catch (...) {
      block_runner->report(std::current_exception());
    }
#endif
  }

#ifdef __CUDACC__
 private:
  FaultNote* note_;
#endif
};

}  // namespace torch::taper::cuda
