// Context: the process's switches for numbers and libraries, and what the build has; LibTorch's
// at::globalContext().
//
// Every switch belongs to the process, may be set from any thread, and takes effect with the next
// op that is called. Those of CUDA change nothing on the CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// How exactly products of float32 matrices are computed on CUDA devices: to all 24 bits; with
/// factors rounded to TF32 (11 bits) and float32 sums; the last one as the second.
enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

/// How cuBLAS may put long sums of 16-bit products together: from parts that were rounded to 16
/// bits; from parts in float32; or each sum is of one part.
enum class CuBLASReductionOption : uint8_t {
  AllowReducedPrecisionWithSplitK = 0,
  DisallowReducedPrecisionAllowSplitK = 1,
  DisallowReducedPrecisionDisallowSplitK = 2,
};

/// The switches and what the build has, under LibTorch's names. globalContext() returns the one
/// that ops look at.
class Context {
 public:
  // ------------------------------------------------------------------ what there is
  /// Whether there is a CUDA device, a GPU or a simulated one.
  static bool hasCUDA();
  /// Whether the library was built with kernels for GPUs, which use cuDNN and cuSOLVER.
  static bool hasCUDART();
  /// The same as hasCUDART().
  static bool hasCuDNN();
  static bool hasOpenMP() { return true; }  ///< loops run on several threads, by whatever means
  static bool hasMKLDNN() { return true; }  ///< oneDNN
  static bool hasMKL() { return false; }    ///< never
  static bool hasLAPACK() { return true; }  ///< OpenBLAS's
  static bool hasMAGMA() { return false; }  ///< never
  static bool hasCuSOLVER() { return hasCUDART(); }  ///< for decompositions of matrices
  /// Never: there are no devices of these kinds.
  ///@{
  static bool hasHIP() { return false; }
  static bool hasXLA() { return false; }
  static bool hasMPS() { return false; }
  ///@}

  // ------------------------------------------------------------------ products of matrices
  /// See Float32MatmulPrecision; HIGHEST at the start.
  ///@{
  Float32MatmulPrecision float32MatmulPrecision() const { return matmul_precision_; }
  void setFloat32MatmulPrecision(Float32MatmulPrecision p) { matmul_precision_ = p; }
  ///@}
  /// "highest", "high" or "medium". Warns of another name, and changes nothing then.
  void setFloat32MatmulPrecision(const std::string& name);
  /// Whether products of float32 matrices may use TF32: the precision is not "highest". By default
  /// they may not. Set, the precision becomes "high", else "highest".
  ///@{
  bool allowTF32CuBLAS() const {
    return float32MatmulPrecision() != Float32MatmulPrecision::HIGHEST;
  }
  void setAllowTF32CuBLAS(bool allow) {
    matmul_precision_ = allow ? Float32MatmulPrecision::HIGH : Float32MatmulPrecision::HIGHEST;
  }
  ///@}
  /// How long sums of float16 products are put together. By default parts may be rounded. The
  /// setters throw Error where parts may be rounded and there may be none.
  ///@{
  CuBLASReductionOption allowFP16ReductionCuBLAS() const { return fp16_reduction_; }
  void setAllowFP16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk = true);
  ///@}
  /// The same of bfloat16.
  ///@{
  CuBLASReductionOption allowBF16ReductionCuBLAS() const { return bf16_reduction_; }
  void setAllowBF16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk = true);
  ///@}
  /// Whether products of float16 are summed in float16. By default they are summed in float32.
  ///@{
  bool allowFP16AccumulationCuBLAS() const { return fp16_accumulation_; }
  void setAllowFP16AccumulationCuBLAS(bool allow) { fp16_accumulation_ = allow; }
  ///@}

  // ------------------------------------------------------------------ cuDNN
  /// Whether cuDNN computes what it takes: convolutions, batch norms, ... (it does by default).
  ///@{
  bool userEnabledCuDNN() const { return cudnn_; }
  void setUserEnabledCuDNN(bool enabled) { cudnn_ = enabled; }
  ///@}
  /// Whether convolutions and recurrent layers of float32 may use TF32. By default they may.
  ///@{
  bool allowTF32CuDNN() const { return cudnn_tf32_; }
  void setAllowTF32CuDNN(bool allow) { cudnn_tf32_ = allow; }
  ///@}
  /// Whether cuDNN's algorithms are measured on the first convolution of each shape, and the
  /// fastest is kept, in place of the one that cuDNN expects to be fastest. By default they are
  /// not.
  ///@{
  bool benchmarkCuDNN() const { return cudnn_benchmark_; }
  void setBenchmarkCuDNN(bool benchmark) { cudnn_benchmark_ = benchmark; }
  ///@}
  /// Whether only algorithms are chosen that always give the same bits, none of cuDNN's for
  /// recurrent layers. setDeterministicAlgorithms has them chosen as well.
  ///@{
  bool deterministicCuDNN() const { return cudnn_deterministic_; }
  void setDeterministicCuDNN(bool deterministic) { cudnn_deterministic_ = deterministic; }
  ///@}

  // ------------------------------------------------------------------ the same bits in each run
  /// Whether setDeterministicAlgorithms has asked for them (at the start it has not), and whether
  /// it said to warn only.
  ///@{
  bool deterministicAlgorithms() const { return deterministic_ != kAny; }
  bool deterministicAlgorithmsWarnOnly() const { return deterministic_ == kWarn; }
  ///@}
  /// Whether an op that may give other bits in each run throws Error (warns, with `warn_only`).
  /// None of the library's does then; ops of one's own say so by alertNotDeterministic.
  void setDeterministicAlgorithms(bool deterministic, bool warn_only) {
    deterministic_ = !deterministic ? kAny : warn_only ? kWarn : kThrow;
  }
  /// Throws Error "<caller> does not have a deterministic implementation, ...", or warns, where
  /// deterministic algorithms were asked for.
  static void alertNotDeterministic(const std::string& caller);

  /// Lets the calling thread's arithmetic take numbers below the normal range for zero. Returns
  /// false where the processor cannot.
  static bool setFlushDenormal(bool on);

 private:
  enum Deterministic { kAny, kThrow, kWarn };
  std::atomic<Float32MatmulPrecision> matmul_precision_{Float32MatmulPrecision::HIGHEST};
  std::atomic<Deterministic> deterministic_{kAny};
  std::atomic<CuBLASReductionOption> fp16_reduction_{}, bf16_reduction_{};
  std::atomic<bool> fp16_accumulation_{false}, cudnn_{true}, cudnn_tf32_{true};
  std::atomic<bool> cudnn_benchmark_{false}, cudnn_deterministic_{false};
};

/// The process's switches.
Context& globalContext();
/// As Context's functions of the same names.
///@{
inline bool hasCUDA() { return Context::hasCUDA(); }
inline bool hasHIP() { return Context::hasHIP(); }
inline bool hasMAGMA() { return Context::hasMAGMA(); }
inline bool hasXLA() { return Context::hasXLA(); }
inline bool hasMPS() { return Context::hasMPS(); }
inline bool hasOpenMP() { return Context::hasOpenMP(); }
inline bool hasMKL() { return Context::hasMKL(); }
inline bool hasLAPACK() { return Context::hasLAPACK(); }
inline bool hasMKLDNN() { return Context::hasMKLDNN(); }
///@}

// ---------------------------------------------------------------------- Python's names
/// Context's setDeterministicAlgorithms, deterministicAlgorithms and
/// deterministicAlgorithmsWarnOnly for the process.
///@{
inline void use_deterministic_algorithms(bool mode, bool warn_only = false) {
  globalContext().setDeterministicAlgorithms(mode, warn_only);
}
inline bool are_deterministic_algorithms_enabled() {
  return globalContext().deterministicAlgorithms();
}
inline bool is_deterministic_algorithms_warn_only_enabled() {
  return globalContext().deterministicAlgorithmsWarnOnly();
}
///@}
/// Throws Error for a name other than "highest", "high" and "medium".
void set_float32_matmul_precision(const std::string& precision);
/// "highest", "high" or "medium".
std::string get_float32_matmul_precision();
/// The same as Context::setFlushDenormal.
inline bool set_flush_denormal(bool mode) { return Context::setFlushDenormal(mode); }

// Attributes of torch.backends: name() reads, set_name(value) writes.
namespace backends {
namespace cuda::matmul {
inline bool allow_tf32() { return globalContext().allowTF32CuBLAS(); }
inline void set_allow_tf32(bool value) { globalContext().setAllowTF32CuBLAS(value); }
inline bool allow_fp16_reduced_precision_reduction() {
  return globalContext().allowFP16ReductionCuBLAS() ==
         CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
}
inline void set_allow_fp16_reduced_precision_reduction(bool value, bool allow_splitk = true) {
  globalContext().setAllowFP16ReductionCuBLAS(value, allow_splitk);
}
inline bool allow_bf16_reduced_precision_reduction() {
  return globalContext().allowBF16ReductionCuBLAS() ==
         CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
}
inline void set_allow_bf16_reduced_precision_reduction(bool value, bool allow_splitk = true) {
  globalContext().setAllowBF16ReductionCuBLAS(value, allow_splitk);
}
inline bool allow_fp16_accumulation() { return globalContext().allowFP16AccumulationCuBLAS(); }
inline void set_allow_fp16_accumulation(bool value) {
  globalContext().setAllowFP16AccumulationCuBLAS(value);
}
}  // namespace cuda::matmul
namespace cudnn {
inline bool is_available() { return Context::hasCuDNN(); }
inline bool enabled() { return globalContext().userEnabledCuDNN(); }
inline void set_enabled(bool value) { globalContext().setUserEnabledCuDNN(value); }
inline bool allow_tf32() { return globalContext().allowTF32CuDNN(); }
inline void set_allow_tf32(bool value) { globalContext().setAllowTF32CuDNN(value); }
inline bool benchmark() { return globalContext().benchmarkCuDNN(); }
inline void set_benchmark(bool value) { globalContext().setBenchmarkCuDNN(value); }
inline bool deterministic() { return globalContext().deterministicCuDNN(); }
inline void set_deterministic(bool value) { globalContext().setDeterministicCuDNN(value); }
}  // namespace cudnn
}  // namespace backends

}  // namespace torch::taper

#pragma GCC visibility pop
