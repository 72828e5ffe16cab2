// Context: the process's switches for numerics and libraries, and the features of the build. It is
// LibTorch's at::globalContext().
//
// Every switch belongs to the process, may be set from any thread, and takes effect with the next
// op that is called. Switches for CUDA change nothing on the CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The precision of products of float32 matrices on CUDA devices. HIGHEST: all 24 bits are used.
/// HIGH: factors are rounded to TF32 (11 bits), sums are float32. MEDIUM: like HIGH.
enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

/// Whether cuBLAS may split long sums of 16-bit products into partial sums. The first option allows
/// partial sums that are rounded to 16 bits. The second allows float32 partial sums. The third
/// allows none.
enum class CuBLASReductionOption : uint8_t {
  AllowReducedPrecisionWithSplitK = 0,
  DisallowReducedPrecisionAllowSplitK = 1,
  DisallowReducedPrecisionDisallowSplitK = 2,
};

/// Switches and features of the build, under LibTorch's names. globalContext() returns the object
/// that ops read.
class Context {
 public:
  // ------------------------------------------------------------------ features
  /// Returns whether there is a CUDA device: a GPU or a simulated one.
  static bool hasCUDA();
  /// Returns whether the library was built with kernels for GPUs, which use cuDNN and cuSOLVER.
  static bool hasCUDART();
  /// Returns hasCUDART().
  static bool hasCuDNN();
  static bool hasOpenMP() { return true; }           ///< loops run on several threads
  static bool hasMKLDNN() { return true; }           ///< Taper uses oneDNN
  static bool hasMKL() { return false; }             ///< Taper does not use MKL
  static bool hasLAPACK() { return true; }           ///< OpenBLAS contains LAPACK
  static bool hasMAGMA() { return false; }           ///< Taper does not use MAGMA
  static bool hasCuSOLVER() { return hasCUDART(); }  ///< hasCUDART()
  /// Return false: Taper has no devices of these kinds.
  ///@{
  static bool hasHIP() { return false; }
  static bool hasXLA() { return false; }
  static bool hasMPS() { return false; }
  ///@}

  // ------------------------------------------------------------------ products of matrices
  /// Get and set the precision of float32 products: see Float32MatmulPrecision. HIGHEST by default.
  ///@{
  Float32MatmulPrecision float32MatmulPrecision() const { return matmul_precision_; }
  void setFloat32MatmulPrecision(Float32MatmulPrecision p) { matmul_precision_ = p; }
  ///@}
  /// Sets the precision by name: "highest", "high" or "medium". For another name it warns and
  /// changes nothing.
  void setFloat32MatmulPrecision(const std::string& name);
  /// Get and set whether products of float32 matrices may use TF32, which means a precision other
  /// than "highest". False by default. true sets the precision to "high", false to "highest".
  ///@{
  bool allowTF32CuBLAS() const {
    return float32MatmulPrecision() != Float32MatmulPrecision::HIGHEST;
  }
  void setAllowTF32CuBLAS(bool allow) {
    matmul_precision_ = allow ? Float32MatmulPrecision::HIGH : Float32MatmulPrecision::HIGHEST;
  }
  ///@}
  /// Get and set how sums of float16 products may be split. By default, partial sums may be rounded
  /// to float16. The setter throws Error for `allow_reduced_precision` without `allow_splitk`.
  ///@{
  CuBLASReductionOption allowFP16ReductionCuBLAS() const { return fp16_reduction_; }
  void setAllowFP16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk = true);
  ///@}
  /// Get and set how sums of bfloat16 products may be split.
  ///@{
  CuBLASReductionOption allowBF16ReductionCuBLAS() const { return bf16_reduction_; }
  void setAllowBF16ReductionCuBLAS(bool allow_reduced_precision, bool allow_splitk = true);
  ///@}
  /// Get and set whether products of float16 are summed in float16. By default they are summed in
  /// float32.
  ///@{
  bool allowFP16AccumulationCuBLAS() const { return fp16_accumulation_; }
  void setAllowFP16AccumulationCuBLAS(bool allow) { fp16_accumulation_ = allow; }
  ///@}

  // ------------------------------------------------------------------ cuDNN
  /// Get and set whether cuDNN computes the ops that it supports: convolutions, batch norms, ...
  /// True by default.
  ///@{
  bool userEnabledCuDNN() const { return cudnn_; }
  void setUserEnabledCuDNN(bool enabled) { cudnn_ = enabled; }
  ///@}
  /// Get and set whether convolutions and recurrent layers of float32 may use TF32. True by
  /// default.
  ///@{
  bool allowTF32CuDNN() const { return cudnn_tf32_; }
  void setAllowTF32CuDNN(bool allow) { cudnn_tf32_ = allow; }
  ///@}
  /// Get and set whether the first convolution of each shape measures cuDNN's algorithms and keeps
  /// the fastest. By default cuDNN's heuristic chooses the algorithm.
  ///@{
  bool benchmarkCuDNN() const { return cudnn_benchmark_; }
  void setBenchmarkCuDNN(bool benchmark) { cudnn_benchmark_ = benchmark; }
  ///@}
  /// Get and set whether cuDNN must use algorithms whose results always have equal bits. cuDNN has
  /// no such algorithm for recurrent layers. setDeterministicAlgorithms also selects these
  /// algorithms.
  ///@{
  bool deterministicCuDNN() const { return cudnn_deterministic_; }
  void setDeterministicCuDNN(bool deterministic) { cudnn_deterministic_ = deterministic; }
  ///@}

  // ------------------------------------------------------------------ reproducible bits
  /// Return whether setDeterministicAlgorithms has asked for deterministic algorithms, and whether
  /// it asked only for warnings. Both are false by default.
  ///@{
  bool deterministicAlgorithms() const { return deterministic_ != kAny; }
  bool deterministicAlgorithmsWarnOnly() const { return deterministic_ == kWarn; }
  ///@}
  /// Sets whether ops must be deterministic. If `deterministic` is true, Taper's ops choose
  /// deterministic algorithms. An op without such an algorithm throws Error, or only warns with
  /// `warn_only`. A program's nondeterministic ops call alertNotDeterministic.
  void setDeterministicAlgorithms(bool deterministic, bool warn_only) {
    deterministic_ = !deterministic ? kAny : warn_only ? kWarn : kThrow;
  }
  /// Throws Error "<caller> does not have a deterministic implementation, ...", or warns, if
  /// deterministic algorithms were asked for.
  static void alertNotDeterministic(const std::string& caller);

  /// Sets whether the calling thread's arithmetic flushes denormal numbers to zero. Returns false
  /// if the processor cannot do this.
  static bool setFlushDenormal(bool on);

 private:
  enum Deterministic { kAny, kThrow, kWarn };
  std::atomic<Float32MatmulPrecision> matmul_precision_{Float32MatmulPrecision::HIGHEST};
  std::atomic<Deterministic> deterministic_{kAny};
  std::atomic<CuBLASReductionOption> fp16_reduction_{}, bf16_reduction_{};
  std::atomic<bool> fp16_accumulation_{false}, cudnn_{true}, cudnn_tf32_{true};
  std::atomic<bool> cudnn_benchmark_{false}, cudnn_deterministic_{false};
};

/// Returns the process's switches.
Context& globalContext();
/// Call Context's functions of the same names.
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
/// Call setDeterministicAlgorithms, deterministicAlgorithms and deterministicAlgorithmsWarnOnly of
/// the process's Context.
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
/// Sets the precision of float32 products. Throws Error for a name other than "highest", "high" and
/// "medium".
void set_float32_matmul_precision(const std::string& precision);
/// Returns "highest", "high" or "medium".
std::string get_float32_matmul_precision();
/// Calls Context::setFlushDenormal.
inline bool set_flush_denormal(bool mode) { return Context::setFlushDenormal(mode); }

// Functions for the attributes of torch.backends.
namespace backends {
namespace cuda::matmul {
/// Returns whether products of f32 may use TF32.
inline bool allow_tf32() { return globalContext().allowTF32CuBLAS(); }
/// Sets whether products of f32 may use TF32.
inline void set_allow_tf32(bool value) { globalContext().setAllowTF32CuBLAS(value); }
/// Returns whether products of f16 may add partial sums in f16.
inline bool allow_fp16_reduced_precision_reduction() {
  return globalContext().allowFP16ReductionCuBLAS() ==
         CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
}
/// Sets whether products of f16 may add partial sums in f16.
inline void set_allow_fp16_reduced_precision_reduction(bool value, bool allow_splitk = true) {
  globalContext().setAllowFP16ReductionCuBLAS(value, allow_splitk);
}
/// Returns whether products of bf16 may add partial sums in bf16.
inline bool allow_bf16_reduced_precision_reduction() {
  return globalContext().allowBF16ReductionCuBLAS() ==
         CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
}
/// Sets whether products of bf16 may add partial sums in bf16.
inline void set_allow_bf16_reduced_precision_reduction(bool value, bool allow_splitk = true) {
  globalContext().setAllowBF16ReductionCuBLAS(value, allow_splitk);
}
/// Returns whether products of f16 may accumulate in f16.
inline bool allow_fp16_accumulation() { return globalContext().allowFP16AccumulationCuBLAS(); }
/// Sets whether products of f16 may accumulate in f16.
inline void set_allow_fp16_accumulation(bool value) {
  globalContext().setAllowFP16AccumulationCuBLAS(value);
}
}  // namespace cuda::matmul
namespace cudnn {
/// Returns whether the library has cuDNN.
inline bool is_available() { return Context::hasCuDNN(); }
/// Returns whether cuDNN is used.
inline bool enabled() { return globalContext().userEnabledCuDNN(); }
/// Sets whether cuDNN is used.
inline void set_enabled(bool value) { globalContext().setUserEnabledCuDNN(value); }
/// Returns whether convolutions of f32 may use TF32.
inline bool allow_tf32() { return globalContext().allowTF32CuDNN(); }
/// Sets whether convolutions of f32 may use TF32.
inline void set_allow_tf32(bool value) { globalContext().setAllowTF32CuDNN(value); }
/// Returns whether cuDNN measures its algorithms and takes the fastest.
inline bool benchmark() { return globalContext().benchmarkCuDNN(); }
/// Sets whether cuDNN measures its algorithms and takes the fastest.
inline void set_benchmark(bool value) { globalContext().setBenchmarkCuDNN(value); }
/// Returns whether only deterministic algorithms are used.
inline bool deterministic() { return globalContext().deterministicCuDNN(); }
/// Sets whether only deterministic algorithms are used.
inline void set_deterministic(bool value) { globalContext().setDeterministicCuDNN(value); }
}  // namespace cudnn
}  // namespace backends

}  // namespace torch::taper

#pragma GCC visibility pop
