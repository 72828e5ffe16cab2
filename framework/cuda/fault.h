// Errors that a kernel finds in the values of its tensors. Not installed.
//
// A kernel on a GPU cannot throw. It writes a note to memory that it shares with the host, and
// skips the element. The runtime throws the error when it next waits for the device, as for any
// error of a kernel. On simulated devices the kernel throws.
#pragma once

#include <cstdint>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/cuda/team.h>

namespace torch::taper::cuda {

/// The kinds of errors. Each comment lists what FaultNote::numbers holds for the kind.
enum class FaultKind : int32_t {
  kNone,
  kIndex,        // value, size, dim, IndexWording, op
  kTarget,       // value, op
  kProbability,  // nothing
  kLdlPivots,    // nothing
  kBagOffset,    // bag, value, value before, number of indices
};
/// One error of a kernel, as numbers in memory that host and device share.
struct FaultNote {
  int32_t claimed;  // 1: a thread writes this note, or has written it
  int32_t kind;     // a FaultKind, written last
  int64_t numbers[5];
};

/// Convert a pointer to an op's name to a number of a note, and back. Only the host dereferences
/// the pointer.
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
/// Returns the FaultNote of the current launch's device. Each device has one, in pinned memory.
/// Host and device use the same address.
FaultNote* fault_note();
/// If a kernel has written the device's note, clears the note and throws its error. The runtime
/// calls this function after it has waited for the device.
void throw_fault(int device);
#endif

/// Reports errors from a kernel. The host constructs it as one of the kernel's arguments.
class Faults {
 public:
#ifdef __CUDACC__
  Faults() : note_(fault_note()) {}
#endif
  /// Reports an error with the numbers a to e of its kind. The note keeps only the first error.
  TAPER_DEVICE void raise(FaultKind kind, int64_t a = 0, int64_t b = 0, int64_t c = 0,
                          int64_t d = 0, int64_t e = 0) const {
#ifdef __CUDACC__
#ifdef __CUDA_ARCH__
    // This is atomic only among threads of the device, because not every bus has atomics between
    // devices and the host. The host writes the note only after it has waited for the device.
    if (atomicCAS(&note_->claimed, 0, 1) != 0) return;
    volatile int64_t* const numbers = note_->numbers;
    numbers[0] = a, numbers[1] = b, numbers[2] = c, numbers[3] = d, numbers[4] = e;
    __threadfence_system();
    *static_cast<volatile int32_t*>(&note_->kind) = static_cast<int32_t>(kind);
#endif
#else
    if (!block_runner) throw_words_of(kind, {a, b, c, d, e});
    try {  // the other threads continue, as on a GPU
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
