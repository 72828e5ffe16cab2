#include <taper/framework/cuda/gpu/gemm_lt.h>

#include <cublasLt.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

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

void run_gemm(const ColumnMajorGemm& g) {
  const bool in_double = g.dtype == ScalarType::Double;
  const float alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
  const void* const pa = in_double ? static_cast<const void*>(&g.alpha) : &alpha;
  const void* const pb = in_double ? static_cast<const void*>(&g.beta) : &beta;
  const cudaDataType_t type = blas_type(g.dtype);
  const cublasHandle_t h = cublas_handle();
  // Working memory of the stream's own: with that of the library, results depend on what runs on
  // other streams.
  const Scratch<char> room(kCublasRoom);
  TAPER_LIBRARY_CALL(cublas, cublasSetWorkspace_v2, h, room.get(), kCublasRoom);
  TAPER_LIBRARY_CALL(cublas, cublasSetMathMode, h,
                     globalContext().allowFP16ReductionCuBLAS()
                         ? CUBLAS_DEFAULT_MATH
                         : CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  TAPER_LIBRARY_CALL(cublas, cublasGemmStridedBatchedEx_64, h,
                     g.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                     g.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, g.m, g.n, g.k, pa, g.a, type, g.lda,
                     g.batch_a, g.b, type, g.ldb, g.batch_b, pb, g.c, type, g.ldc, g.batch_c,
                     g.batch, compute_type(g.dtype), CUBLAS_GEMM_DEFAULT);
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

/// A description of cuBLASLt's, of this scope's.
#define TAPER_LT_DESCRIPTION(Name, Type, destroy)           \
  struct End##Name {                                        \
    void operator()(std::remove_pointer_t<Type>* d) const { \
      (void)TAPER_LIBRARY_FUNCTION(cublas, destroy)(d);     \
    }                                                       \
  };                                                        \
  using Name = std::unique_ptr<std::remove_pointer_t<Type>, End##Name>;
TAPER_LT_DESCRIPTION(LtProduct, cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy)
TAPER_LT_DESCRIPTION(LtLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy)
TAPER_LT_DESCRIPTION(LtWish, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy)
#undef TAPER_LT_DESCRIPTION

/// A product as cuBLASLt has it described, and the algorithm that its heuristics have chosen. Kept
/// until the process ends.
struct LtPlan {
  LtProduct product;
  LtLayout a, b, c;
  cublasLtMatmulAlgo_t algorithm{};
  size_t nbytes = 0;
  bool found = false;
};

template <class T>
void set(const LtProduct& d, cublasLtMatmulDescAttributes_t what, const T& value) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulDescSetAttribute, d.get(), what, &value, sizeof(T));
}
template <class T>
void set(const LtWish& p, cublasLtMatmulPreferenceAttributes_t what, const T& value) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulPreferenceSetAttribute, p.get(), what, &value,
                     sizeof(T));
}

LtLayout layout(cudaDataType_t type, int64_t rows, int64_t cols, int64_t leading) {
  cublasLtMatrixLayout_t made = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatrixLayoutCreate, &made, type, static_cast<uint64_t>(rows),
                     static_cast<uint64_t>(cols), leading);
  return LtLayout(made);
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
  cublasLtMatmulDesc_t made = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulDescCreate, &made, k.compute, CUDA_R_32F);
  p.product.reset(made);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSA, k.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSB, k.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(k.activation));
  const cudaDataType_t type = blas_type(k.dtype);
  p.a = k.transpose_a ? layout(type, k.k, k.m, k.lda) : layout(type, k.m, k.k, k.lda);
  p.b = k.transpose_b ? layout(type, k.n, k.k, k.ldb) : layout(type, k.k, k.n, k.ldb);
  p.c = layout(type, k.m, k.n, k.ldc);
}

LtWish wish_of(const LtKey& k) {
  cublasLtMatmulPreference_t made = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulPreferenceCreate, &made);
  LtWish wish(made);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kCublasRoom);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, k.align_a);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, k.align_b);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, k.align_c);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, k.align_c);
  if (!k.fp16_reduction)
    set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  return wish;
}

void choose(LtPlan& p, const LtKey& k, cublasLtHandle_t lt) {
  const LtWish wish = wish_of(k);
  cublasLtMatmulHeuristicResult_t best{};
  int count = 0;
  const cublasStatus_t status = TAPER_LIBRARY_FUNCTION(cublas, cublasLtMatmulAlgoGetHeuristic)(
      lt, p.product.get(), p.a.get(), p.b.get(), p.c.get(), p.c.get(), wish.get(), 1, &best,
      &count);
  p.found = status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  p.algorithm = best.algo;
  p.nbytes = best.workspaceSize;
}

/// The plan of a product with this bias, which is kept when all of it is there.
LtPlan& plan_for(const LtKey& key, const void* bias, cublasLtHandle_t lt) {
  auto& plans = of_thread<std::map<LtKey, LtPlan>>();
  const auto at = plans.find(key);
  if (at != plans.end()) {
    set(at->second.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    return at->second;
  }
  LtPlan p;
  describe(p, key);
  set(p.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  choose(p, key, lt);
  return plans.emplace(key, std::move(p)).first->second;
}

}  // namespace

bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f) {
  if (f == GemmActivation::kGelu) return false;
  // cuBLAS says that its handle is one of cuBLASLt's as well.
  const auto lt = reinterpret_cast<cublasLtHandle_t>(cublas_handle());
  const LtPlan& p = plan_for(key_of(g, bias, f), bias, lt);
  if (!p.found) return false;
  const float alpha = static_cast<float>(g.alpha), beta = 0;
  const Scratch<char> room(static_cast<int64_t>(std::max<size_t>(p.nbytes, 1)));
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmul, lt, p.product.get(), &alpha, g.a, p.a.get(), g.b,
                     p.b.get(), &beta, g.c, p.c.get(), g.c, p.c.get(), &p.algorithm, room.get(),
                     p.nbytes, kernel_stream());
  return true;
}

}  // namespace taper::cuda
