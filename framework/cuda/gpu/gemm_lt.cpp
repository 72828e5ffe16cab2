#include <taper/framework/cuda/gpu/gemm_lt.h>

#include <cublasLt.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <taper/framework/core/check.h>
#include <taper/framework/core/context.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/of_thread.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

namespace torch::taper::cuda {

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
  const Context& c = globalContext();
  if (dtype == ScalarType::Double) return CUBLAS_COMPUTE_64F;
  if (dtype == ScalarType::Float && c.allowTF32CuBLAS()) return CUBLAS_COMPUTE_32F_FAST_TF32;
  if (dtype == ScalarType::Half && c.allowFP16AccumulationCuBLAS()) return CUBLAS_COMPUTE_16F;
  return CUBLAS_COMPUTE_32F;
}

namespace {

using Reduction = CuBLASReductionOption;
Reduction reduction_of(ScalarType dtype) {
  const Context& c = globalContext();
  if (dtype == ScalarType::Half) return c.allowFP16ReductionCuBLAS();
  if (dtype == ScalarType::BFloat16) return c.allowBF16ReductionCuBLAS();
  return Reduction::AllowReducedPrecisionWithSplitK;
}

/// Returns the type of alpha and beta.
cudaDataType_t scale_type(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_64F) return CUDA_R_64F;
  return compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : CUDA_R_32F;
}
/// Holds alpha or beta as cuBLAS reads it.
class Scale {
 public:
  Scale(double v, cublasComputeType_t compute) {
    const auto type = scale_type(compute);
    if (type == CUDA_R_64F)
      put(v);
    else if (type == CUDA_R_16F)
      put(Half(static_cast<float>(v)));
    else
      put(static_cast<float>(v));
  }
  const void* get() const { return bytes_; }

 private:
  template <class T>
  void put(T v) {
    std::memcpy(bytes_, &v, sizeof v);
  }
  alignas(8) char bytes_[8];
};

/// Computes the product with cuBLAS.
void run_plain(const ColumnMajorGemm& g) {
  const cublasComputeType_t compute = compute_type(g.dtype);
  const Scale alpha(g.alpha, compute), beta(g.beta, compute);
  const cudaDataType_t type = blas_type(g.dtype);
  // Uses a workspace of the stream. With the library's own workspace, results would depend on work
  // of other streams.
  const Scratch<char> room(kCublasRoom);
  const cublasHandle_t h =
      cublas_handle(room.get(), reduction_of(g.dtype) == Reduction::AllowReducedPrecisionWithSplitK
                                    ? CUBLAS_DEFAULT_MATH
                                    : CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  TAPER_LIBRARY_CALL(cublas, cublasGemmStridedBatchedEx_64, h,
                     g.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                     g.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, g.m, g.n, g.k, alpha.get(), g.a,
                     type, g.lda, g.batch_a, g.b, type, g.ldb, g.batch_b, beta.get(), g.c, type,
                     g.ldc, g.batch_c, g.batch, compute, CUBLAS_GEMM_DEFAULT);
}

/// Returns the alignment on which cuBLASLt may rely, a power of two.
uint32_t alignment_of(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | 256;
  return static_cast<uint32_t>(address & (~address + 1));
}

/// Holds all that the choice of an algorithm depends on.
struct LtKey {
  DeviceIndex device;
  ScalarType dtype;
  cublasComputeType_t compute;
  cublasLtEpilogue_t epilogue;
  Reduction reduction;
  bool transpose_a, transpose_b;
  int64_t m, n, k, lda, ldb, ldc, batch, batch_a, batch_b, batch_c;
  uint32_t align_a, align_b, align_c, align_bias;

  auto tie() const {
    return std::tie(device, dtype, compute, epilogue, reduction, transpose_a, transpose_b, m, n, k,
                    lda, ldb, ldc, batch, batch_a, batch_b, batch_c, align_a, align_b, align_c,
                    align_bias);
  }
  friend bool operator<(const LtKey& x, const LtKey& y) { return x.tie() < y.tie(); }
};

LtKey key_of(const ColumnMajorGemm& g, const void* bias, cublasLtEpilogue_t f) {
  return {kernel_device(),
          g.dtype,
          compute_type(g.dtype),
          f,
          reduction_of(g.dtype),
          g.transpose_a,
          g.transpose_b,
          g.m,
          g.n,
          g.k,
          g.lda,
          g.ldb,
          g.ldc,
          g.batch,
          g.batch_a,
          g.batch_b,
          g.batch_c,
          alignment_of(g.a),
          alignment_of(g.b),
          alignment_of(g.c),
          alignment_of(bias)};
}

/// Defines a descriptor of cuBLASLt that is destroyed at the end of its scope.
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

/// Holds the descriptors of a product, and the algorithm that the heuristics have chosen. It is
/// kept until the process ends.
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
void set(const LtLayout& d, cublasLtMatrixLayoutAttribute_t what, const T& value) {
  TAPER_LIBRARY_CALL(cublas, cublasLtMatrixLayoutSetAttribute, d.get(), what, &value, sizeof(T));
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
void set_batch(const LtLayout& l, int64_t batch, int64_t step) {
  set(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batch));
  set(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, step);
}

cublasLtEpilogue_t epilogue_of(GemmActivation f) {
  switch (f) {
    case GemmActivation::kRelu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case GemmActivation::kGeluTanh:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
    case GemmActivation::kNone:
    case GemmActivation::kGelu:
      break;
  }
  return CUBLASLT_EPILOGUE_BIAS;
}

void describe(LtPlan& p, const LtKey& k) {
  cublasLtMatmulDesc_t made = nullptr;
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmulDescCreate, &made, k.compute, scale_type(k.compute));
  p.product.reset(made);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSA, k.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_TRANSB, k.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(p.product, CUBLASLT_MATMUL_DESC_EPILOGUE, k.epilogue);
  const cudaDataType_t type = blas_type(k.dtype);
  p.a = k.transpose_a ? layout(type, k.k, k.m, k.lda) : layout(type, k.m, k.k, k.lda);
  p.b = k.transpose_b ? layout(type, k.n, k.k, k.ldb) : layout(type, k.k, k.n, k.ldb);
  p.c = layout(type, k.m, k.n, k.ldc);
  if (k.batch == 1) return;
  set_batch(p.a, k.batch, k.batch_a);
  set_batch(p.b, k.batch, k.batch_b);
  set_batch(p.c, k.batch, k.batch_c);
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
  if (k.reduction != Reduction::AllowReducedPrecisionWithSplitK)
    set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<uint32_t>(k.reduction == Reduction::DisallowReducedPrecisionAllowSplitK
                                  ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                  : CUBLASLT_REDUCTION_SCHEME_NONE));
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

/// Returns the plan of a product with this bias (or null). A complete plan is kept.
LtPlan& plan_for(const LtKey& key, const void* bias, cublasLtHandle_t lt) {
  auto& plans = of_thread<std::map<LtKey, LtPlan>>();
  const auto at = plans.find(key);
  if (at != plans.end()) {
    if (bias) set(at->second.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    return at->second;
  }
  LtPlan p;
  describe(p, key);
  if (bias) set(p.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  choose(p, key, lt);
  return plans.emplace(key, std::move(p)).first->second;
}

/// Computes the product with cuBLASLt. Returns false if cuBLASLt has no algorithm for it.
bool run_lt(const ColumnMajorGemm& g, const void* bias, cublasLtEpilogue_t f) {
  // cuBLAS documents that its handle is also a handle of cuBLASLt.
  const auto lt = reinterpret_cast<cublasLtHandle_t>(cublas_handle());
  const LtKey key = key_of(g, bias, f);
  const LtPlan& p = plan_for(key, bias, lt);
  if (!p.found) return false;
  const Scale alpha(g.alpha, key.compute), beta(g.beta, key.compute);
  const Scratch<char> room(static_cast<int64_t>(std::max<size_t>(p.nbytes, 1)));
  TAPER_LIBRARY_CALL(cublas, cublasLtMatmul, lt, p.product.get(), alpha.get(), g.a, p.a.get(), g.b,
                     p.b.get(), beta.get(), g.c, p.c.get(), g.c, p.c.get(), &p.algorithm,
                     room.get(), p.nbytes, kernel_stream());
  return true;
}

}  // namespace

// cuBLAS has no mode that forbids split sums, but cuBLASLt has.
void run_gemm(const ColumnMajorGemm& g) {
  if (g.k == 0 || reduction_of(g.dtype) != Reduction::DisallowReducedPrecisionDisallowSplitK)
    return run_plain(g);
  TAPER_CHECK(run_lt(g, nullptr, CUBLASLT_EPILOGUE_DEFAULT),
              "cublasLtMatmul: expected an algorithm that splits no sum (allow_splitk=False), and "
              "cuBLASLt has none for this product; allow it");
}

bool run_gemm_with_bias(const ColumnMajorGemm& g, const void* bias, GemmActivation f) {
  return f != GemmActivation::kGelu && run_lt(g, bias, epilogue_of(f));
}

}  // namespace torch::taper::cuda
