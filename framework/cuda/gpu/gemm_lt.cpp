#include <taper/framework/cuda/gpu/gemm_lt.h>

#include <cublasLt.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <taper/framework/context.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/of_thread.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

namespace taper::cuda {

cudaDataType_t blas_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return CUDA_R_64F;
    case ScalarType::Half:
      return CUDA_R_16F;
    case ScalarType::BFloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(ScalarType dtype) {
  if (dtype == ScalarType::Double) return CUBLAS_COMPUTE_64F;
  const bool tf32 = dtype == ScalarType::Float && globalContext().allowTF32CuBLAS();
  return tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

namespace {

/// Of the pointers that cuBLASLt may rely on: a power of two.
uint32_t alignment_of(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | 256;
  return static_cast<uint32_t>(address & (~address + 1));
}

/// What the choice of an algorithm depends on.
struct LtKey {
  DeviceIndex device;
  ScalarType dtype;
  cublasComputeType_t compute;
  GemmActivation activation;
  bool fp16_reduction, transpose_a, transpose_b;
  int64_t m, n, k, lda, ldb, ldc;
  uint32_t align_a, align_b, align_c, align_bias;

  auto tie() const {
    return std::tie(device, dtype, compute, activation, fp16_reduction, transpose_a, transpose_b, m,
                    n, k, lda, ldb, ldc, align_a, align_b, align_c, align_bias);
  }
  friend bool operator<(const LtKey& x, const LtKey& y) { return x.tie() < y.tie(); }
};

LtKey key_of(const ColumnMajorGemm& g, const void* bias, GemmActivation f) {
  return {kernel_device(),
          g.dtype,
          compute_type(g.dtype),
          f,
          globalContext().allowFP16ReductionCuBLAS(),
          g.transpose_a,
          g.transpose_b,
          g.m,
          g.n,
          g.k,
          g.lda,
          g.ldb,
          g.ldc,
          alignment_of(g.a),
          alignment_of(g.b),
          alignment_of(g.c),
          alignment_of(bias)};
}

/// A product as cuBLASLt has it described, and the algorithm that its heuristics have chosen. Kept
/// until the process ends.
struct LtPlan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  size_t nbytes = 0;
  bool found = false;
};

template <class T>
void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what, const T& value) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulDescSetAttribute, d, what, &value, sizeof(T));
}
template <class T>
void set(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t what, const T& value) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulPreferenceSetAttribute, p, what, &value, sizeof(T));
}

cublasLtMatrixLayout_t layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t leading) {
  cublasLtMatrixLayout_t made = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatrixLayoutCreate, &made, type, static_cast<uint64_t>(rows),
                     static_cast<uint64_t>(cols), leading);
  return made;
}

cublasLtEpilogue_t epilogue_of(GemmActivation f) {
  switch (f) {
    case GemmActivation::kRelu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case GemmActivation::kGeluTanh:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
    default:
      return CUBLASLT_EPILOGUE_BIAS;
  }
}

void describe(LtPlan& p, const LtKey& k) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulDescCreate, &p.product, k.compute, CUDA_R_32F);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSA, k.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSB, k.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(k.activation));
  const cudaDataType_t type = blas_type(k.dtype);
  p.a = k.transpose_a ? layout(type, k.k, k.m, k.lda) : layout(type, k.m, k.k, k.lda);
  p.b = k.transpose_b ? layout(type, k.n, k.k, k.ldb) : layout(type, k.k, k.n, k.ldb);
  p.c = layout(type, k.m, k.n, k.ldc);
}

void choose(LtPlan& p, const LtKey& k, cublasLtHandle_t lt) {
  cublasLtMatmulPreference_t wish = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulPreferenceCreate, &wish);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kCublasRoom);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, k.align_a);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, k.align_b);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, k.align_c);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, k.align_c);
  if (!k.fp16_reduction)
    set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  cublasLtMatmulHeuristicResult_t best{};
  int count = 0;
  const cublasStatus_t status = TAPER_LIBRARY_FUNCTION(cublas, cublasLtMatmulAlgoGetHeuristic)(
      lt, p.product, p.a, p.b, p.c, p.c, wish, 1, &best, &count);
  (void)TAPER_LIBRARY_FUNCTION(cublas, cublasLtMatmulPreferenceDestroy)(wish);
  p.found = status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  p.algorithm = best.algo;
  p.nbytes = best.workspaceSize;
}

}  // namespace

bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f) {
  if (f == GemmActivation::kGelu) return false;
  auto& plans = of_thread<std::map<LtKey, LtPlan>>();
  // cuBLAS says that its handle is one of cuBLASLt's as well.
  const auto lt = reinterpret_cast<cublasLtHandle_t>(cublas_handle());
  const LtKey key = key_of(g, bias, f);
  const auto [at, is_new] = plans.try_emplace(key);
  LtPlan& p = at->second;
  if (is_new) describe(p, key);
  set(p.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  if (is_new) choose(p, key, lt);
  if (!p.found) return false;
  const float alpha = static_cast<float>(g.alpha), beta = 0;
  const Scratch<char> room(static_cast<int64_t>(std::max<size_t>(p.nbytes, 1)));
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmul, lt, p.product, &alpha, g.a, p.a, g.b, p.b, &beta, g.c,
                     p.c, g.c, p.c, &p.algorithm, room.get(), p.nbytes, kernel_stream());
  return true;
}

}  // namespace taper::cuda
