// A fake of cuBLAS and cuBLASLt: handles, and products from their definition (factors and
// solutions: solver.cpp); and the handles of cuSPARSE, of which no more is called.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusparse.h>

#include <cmath>
#include <cstring>

#include <taper/framework/core/dtype.h>

#include "cuda_fake/state.h"

using namespace fake_cuda;

namespace {

constexpr const char* kHandle = "handle of cuBLAS";

/// What a program has set in a handle.
struct Settings {
  cudaStream_t stream = nullptr;
  void* room = nullptr;  // null: the library's own
  size_t room_nbytes = 0;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};
Settings& settings(const void* handle) {
  static std::map<const void*, Settings> all;
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return all[handle];
}

cublasStatus_t status(const LibraryCall& call, cublasStatus_t wrong = CUBLAS_STATUS_INVALID_VALUE) {
  return call.status(wrong, CUBLAS_STATUS_EXECUTION_FAILED);
}

// ---------------------------------------------------------------------- matrices
size_t size_of(cudaDataType type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }
double number_at(const void* p, cudaDataType type, int64_t i) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<const double*>(p)[i];
    case CUDA_R_32F:
      return static_cast<const float*>(p)[i];
    case CUDA_R_16F:
      return static_cast<const taper::Half*>(p)[i];
    default:
      return static_cast<const taper::BFloat16*>(p)[i];
  }
}
void put(double v, void* p, cudaDataType type, int64_t i) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(p)[i] = v;
      break;
    case CUDA_R_32F:
      static_cast<float*>(p)[i] = static_cast<float>(v);
      break;
    case CUDA_R_16F:
      static_cast<taper::Half*>(p)[i] = taper::Half(static_cast<float>(v));
      break;
    default:
      static_cast<taper::BFloat16*>(p)[i] = taper::BFloat16(static_cast<float>(v));
  }
}

/// Matrices by columns, `step` elements apart.
struct Matrices {
  const void* data;
  cudaDataType type;
  int64_t rows, cols, leading, step, count;

  int64_t numel() const { return rows * cols * count; }
  int64_t place(int64_t i, int64_t j, int64_t s) const { return s * step + j * leading + i; }
  size_t nbytes() const {
    return numel() == 0
               ? 0
               : static_cast<size_t>(place(rows - 1, cols - 1, count - 1) + 1) * size_of(type);
  }
  double at(int64_t i, int64_t j, int64_t s) const { return number_at(data, type, place(i, j, s)); }
  /// visit(address) of each element.
  template <class Visit>
  void each(const Visit& visit) const {
    const auto* const p = static_cast<const char*>(data);
    for (int64_t s = 0; s < count; ++s)
      for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i)
          visit(p + place(i, j, s) * static_cast<int64_t>(size_of(type)));
  }
};

void check(LibraryCall& call, const char* name, const Matrices& a) {
  const std::string of = std::string(" of ") + name;
  call.demand(a.rows >= 0 && a.cols >= 0 && a.count >= 0, "negative sizes" + of);
  call.demand(a.leading >= std::max<int64_t>(1, a.rows),
              "a leading dimension" + of + " below its rows");
  call.demand(a.step >= 0, "a negative stride" + of);
  if (call) call.memory(name, a.data, a.nbytes(), size_of(a.type));
}
// Each element of the result is written once, and read by nobody else.
void check_result(LibraryCall& call, const Matrices& c, std::initializer_list<Matrices> inputs) {
  if (!call) return;
  std::set<const char*> written;
  c.each([&](const char* p) { written.insert(p); });
  call.demand(static_cast<int64_t>(written.size()) == c.numel(), "results that overlap each other");
  for (const Matrices& a : inputs)
    if (call)
      a.each([&](const char* p) { call.demand(!written.count(p), "a result over what is read"); });
}

/// What a product of such numbers may be computed in.
bool fits(cudaDataType type, cublasComputeType_t compute) {
  if (type == CUDA_R_64F) return compute == CUBLAS_COMPUTE_64F;
  if (type == CUDA_R_32F)
    return compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (type == CUDA_R_16F && compute == CUBLAS_COMPUTE_16F) return true;
  return compute == CUBLAS_COMPUTE_32F && (type == CUDA_R_16F || type == CUDA_R_16BF);
}
/// The type that alpha and beta have.
cudaDataType_t scale_type(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_64F) return CUDA_R_64F;
  return compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : CUDA_R_32F;
}
double rounded(double v, cudaDataType_t type) {
  double kept = 0;
  put(v, &kept, type, 0);
  return number_at(&kept, type, 0);
}
/// A factor as tensor cores take it.
double factor(double v, cublasComputeType_t compute) {
  if (compute != CUBLAS_COMPUTE_32F_FAST_TF32) return v;
  auto x = static_cast<float>(v);
  uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x1000u) & ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}

struct Product {
  bool ta, tb;
  cublasComputeType_t compute;
  double alpha, beta;
  Matrices a, b, c, d;  // d = alpha op(a) op(b) + beta c
  fake_cuda::Parts parts;

  /// The terms from `first` on.
  double part(int64_t i, int64_t j, int64_t s, int64_t first, int64_t end) const {
    double y = 0;
    for (int64_t p = first; p < end; ++p) {
      y += factor(ta ? a.at(p, i, s) : a.at(i, p, s), compute) *
           factor(tb ? b.at(j, p, s) : b.at(p, j, s), compute);
      if (compute == CUBLAS_COMPUTE_16F) y = rounded(y, CUDA_R_16F);
    }
    return y;
  }
  /// As inexact as the settings allow.
  double sum(int64_t i, int64_t j, int64_t s) const {
    const int64_t k = ta ? a.rows : a.cols;
    const auto kept = [&](double y) {
      return parts == fake_cuda::Parts::kRounded ? rounded(y, d.type) : y;
    };
    const double y = parts == fake_cuda::Parts::kOne
                         ? part(i, j, s, 0, k)
                         : kept(part(i, j, s, 0, k / 2)) + kept(part(i, j, s, k / 2, k));
    return alpha * y + (beta != 0 ? beta * c.at(i, j, s) : 0);
  }
  /// finish(sum, row) of each element.
  template <class Finish>
  void run(const Finish& finish) const {
    for (int64_t s = 0; s < d.count; ++s)
      for (int64_t j = 0; j < d.cols; ++j)
        for (int64_t i = 0; i < d.rows; ++i)
          put(finish(sum(i, j, s), i), const_cast<void*>(d.data), d.type, d.place(i, j, s));
  }
};
double number_of(const void* p, cublasComputeType_t compute) {
  return number_at(p, scale_type(compute), 0);
}
fake_cuda::Parts& last_parts() {
  static fake_cuda::Parts parts{};
  return parts;
}
void check(LibraryCall& call, const Product& p) {
  last_parts() = p.parts;
  check(call, "A", p.a);
  check(call, "B", p.b);
  check(call, "C", p.c);
  check(call, "D", p.d);
  check_result(call, p.d, {p.a, p.b});
}

// ---------------------------------------------------------------------- cuBLASLt
// The library's own types have no members of their own.
struct LtProduct : cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t ta = CUBLAS_OP_N, tb = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};
struct LtLayout : cublasLtMatrixLayoutOpaque_t {
  cudaDataType_t type;
  int64_t rows, cols, leading;
  int32_t count = 1;
  int64_t step = 0;
  bool operator==(const LtLayout& o) const {
    return type == o.type && rows == o.rows && cols == o.cols && leading == o.leading &&
           count == o.count && step == o.step;
  }
};
struct LtWish : cublasLtMatmulPreferenceOpaque_t {
  size_t room = 0;
  uint32_t aligns[4] = {256, 256, 256, 256};  // of A, B, C and D
  uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_MASK;
};
constexpr const char *kProduct = "product of cuBLASLt", *kLayout = "layout of cuBLASLt",
                     *kWish = "preference of cuBLASLt";

/// What an algorithm is for; its number is in the program's structure.
struct Choice {
  LtProduct product;
  LtLayout a, b, c, d;
  uint32_t aligns[4], align_bias;
  size_t room;
  fake_cuda::Parts parts;
};
std::vector<Choice>& choices() {
  static std::vector<Choice> all;
  return all;
}
constexpr size_t kRoom = 3000;
constexpr uint64_t kIsChoice = 0xa19;

/// What a program lets happen to long sums.
fake_cuda::Parts parts_of(const LtWish& w, cudaDataType_t type) {
  if (w.reduction == CUBLASLT_REDUCTION_SCHEME_NONE) return fake_cuda::Parts::kOne;
  const bool rounds = size_of(type) == 2 && w.reduction & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
  return rounds ? fake_cuda::Parts::kRounded : fake_cuda::Parts::kExact;
}

/// A power of two of which the address is a multiple.
uint32_t alignment_of(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | 256;
  return static_cast<uint32_t>(address & (~address + 1));
}

template <class Made, class Handle>
void make_description(LibraryCall& call, Handle* handle, const char* kind, const Made& made) {
  if (!call) return;
  *handle = new Made(made);
  call.make_object(*handle, kind);
}
template <class Made, class Handle>
cublasStatus_t end_description(const char* function, Handle handle, const char* kind) {
  LibraryCall call(function);
  if (call.end_object(handle, kind)) delete static_cast<Made*>(handle);
  return status(call);
}
template <class T>
void take(LibraryCall& call, T& to, const void* value, size_t nbytes) {
  call.demand(value && nbytes == sizeof(T), "an attribute of another size");
  if (call) std::memcpy(&to, value, nbytes);
}

void check_layouts(LibraryCall& call, const LtProduct& p, const LtLayout& a, const LtLayout& b,
                   const LtLayout& c, const LtLayout& d) {
  const bool ta = p.ta != CUBLAS_OP_N, tb = p.tb != CUBLAS_OP_N;
  call.demand(a.type == b.type && a.type == c.type && a.type == d.type, "other types of matrices");
  call.demand(fits(a.type, p.compute) && p.scale == scale_type(p.compute),
              "a compute type that does not go with the matrices");
  call.demand((ta ? a.rows : a.cols) == (tb ? b.cols : b.rows) && c.rows == d.rows &&
                  c.cols == d.cols && d.rows == (ta ? a.cols : a.rows) &&
                  d.cols == (tb ? b.rows : b.cols) && a.count == b.count && a.count == c.count &&
                  a.count == d.count,
              "layouts that do not fit each other");
}
bool has_bias(const LtProduct& p) { return p.epilogue & CUBLASLT_EPILOGUE_BIAS; }
double finish(double x, cublasLtEpilogue_t f) {
  if (f & CUBLASLT_EPILOGUE_RELU) return std::max(x, 0.0);
  if (f & CUBLASLT_EPILOGUE_GELU)
    return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  return x;
}

/// The algorithm is one that was chosen for just this.
void check_choice(LibraryCall& call, const LtProduct& p, const Choice& c,
                  std::initializer_list<const LtLayout*> layouts,
                  std::initializer_list<const void*> data) {
  const LtLayout* const chosen[] = {&c.a, &c.b, &c.c, &c.d};
  for (size_t i = 0; i < 4; ++i) {
    call.demand(*layouts.begin()[i] == *chosen[i], "an algorithm for other layouts");
    call.demand(alignment_of(data.begin()[i]) >= c.aligns[i],
                "a matrix of less alignment than the algorithm was chosen for");
  }
  call.demand(p.ta == c.product.ta && p.tb == c.product.tb && p.compute == c.product.compute &&
                  p.epilogue == c.product.epilogue,
              "an algorithm for another product");
  call.demand(!has_bias(p) || alignment_of(p.bias) >= c.align_bias,
              "a bias of less alignment than the algorithm was chosen for");
}

}  // namespace

fake_cuda::Parts fake_cuda::parts_of_last_product() { return last_parts(); }

void fake_cuda::check_cublas_handle(LibraryCall& call, const void* handle) {
  call.object(handle, kHandle);
  if (!call) return;
  const Settings& s = settings(handle);
  call.stream(s.stream);
  if (!s.room) return;
  call.memory("the workspace", s.room, s.room_nbytes, 256);
  call.run([room = s.room, nbytes = s.room_nbytes] { spoil(room, nbytes); });
}

extern "C" {

// ---------------------------------------------------------------------- handles
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  LibraryCall call("cublasCreate");
  make_handle(call, handle, kHandle);
  return call.status(CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_NOT_INITIALIZED);
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  LibraryCall call("cublasDestroy");
  if (call.end_object(handle, kHandle)) delete reinterpret_cast<char*>(handle);
  return status(call, CUBLAS_STATUS_NOT_INITIALIZED);
}
// Its own working memory is in use again.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  LibraryCall call("cublasSetStream");
  call.object(handle, kHandle);
  call.stream(stream);
  if (call) settings(handle).stream = stream, settings(handle).room = nullptr;
  return call.status(CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_INTERNAL_ERROR);
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* room, size_t nbytes) {
  LibraryCall call("cublasSetWorkspace");
  call.object(handle, kHandle);
  call.memory("the workspace", room, nbytes, 256);
  if (call) settings(handle).room = room, settings(handle).room_nbytes = nbytes;
  return status(call);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t math) {
  LibraryCall call("cublasSetMathMode");
  call.object(handle, kHandle);
  constexpr int kKnown = CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_PEDANTIC_MATH |
                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  call.demand((math & ~kKnown) == 0, "a mode that is none");
  if (call) settings(handle).math = math;
  return status(call);
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the GPU program failed to execute";
    default:
      return "an internal operation failed";
  }
}
cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  LibraryCall call("cusparseCreate");
  make_handle(call, handle, "handle of cuSPARSE");
  return call.status(CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_NOT_INITIALIZED);
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  LibraryCall call("cusparseSetStream");
  call.object(handle, "handle of cuSPARSE");
  call.stream(stream);
  return call.status(CUSPARSE_STATUS_INVALID_VALUE, CUSPARSE_STATUS_INTERNAL_ERROR);
}
const char* cusparseGetErrorString(cusparseStatus_t) { return "a status of cuSPARSE"; }

// ---------------------------------------------------------------------- products
cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, cudaDataType at, int64_t lda, long long sa, const void* b,
    cudaDataType bt, int64_t ldb, long long sb, const void* beta, void* c, cudaDataType ct,
    int64_t ldc, long long sc, int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  LibraryCall call("cublasGemmStridedBatchedEx");
  check_cublas_handle(call, h);
  call.demand(at == bt && at == ct, "other types of matrices");
  call.demand(fits(at, compute), "a compute type that does not go with the matrices");
  call.demand(alpha && beta, "no alpha or beta");
  if (!call) return status(call);
  const bool t = ta != CUBLAS_OP_N, u = tb != CUBLAS_OP_N;
  const Matrices result{c, ct, m, n, ldc, sc, count};
  const Product p{
      t,
      u,
      compute,
      number_of(alpha, compute),
      number_of(beta, compute),
      {a, at, t ? k : m, t ? m : k, lda, sa, count},
      {b, bt, u ? n : k, u ? k : n, ldb, sb, count},
      result,
      result,
      size_of(at) > 2 || settings(h).math & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
          ? fake_cuda::Parts::kExact
          : fake_cuda::Parts::kRounded};
  check(call, p);
  call.run([=] { p.run([](double x, int64_t) { return x; }); });
  return status(call);
}

// ---------------------------------------------------------------------- cuBLASLt
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  LibraryCall call("cublasLtMatmulDescCreate");
  make_description(call, d, kProduct, LtProduct{{}, compute, scale});
  return status(call);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
  return end_description<LtProduct>("cublasLtMatmulDescDestroy", d, kProduct);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                              cublasLtMatmulDescAttributes_t what,
                                              const void* value, size_t nbytes) {
  LibraryCall call("cublasLtMatmulDescSetAttribute");
  call.object(d, kProduct);
  if (!call) return status(call);
  auto* const p = static_cast<LtProduct*>(d);
  if (what == CUBLASLT_MATMUL_DESC_TRANSA)
    take(call, p->ta, value, nbytes);
  else if (what == CUBLASLT_MATMUL_DESC_TRANSB)
    take(call, p->tb, value, nbytes);
  else if (what == CUBLASLT_MATMUL_DESC_EPILOGUE)
    take(call, p->epilogue, value, nbytes);
  else if (what == CUBLASLT_MATMUL_DESC_BIAS_POINTER)
    take(call, p->bias, value, nbytes);
  else
    call.demand(false, "an attribute that the fake library does not have");
  return status(call);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* d, cudaDataType_t type,
                                          uint64_t rows, uint64_t cols, int64_t leading) {
  LibraryCall call("cublasLtMatrixLayoutCreate");
  call.demand(leading >= static_cast<int64_t>(rows), "a leading dimension below the rows");
  make_description(
      call, d, kLayout,
      LtLayout{{}, type, static_cast<int64_t>(rows), static_cast<int64_t>(cols), leading});
  return status(call);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t d) {
  return end_description<LtLayout>("cublasLtMatrixLayoutDestroy", d, kLayout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t d,
                                                cublasLtMatrixLayoutAttribute_t what,
                                                const void* value, size_t nbytes) {
  LibraryCall call("cublasLtMatrixLayoutSetAttribute");
  call.object(d, kLayout);
  if (!call) return status(call);
  auto* const l = static_cast<LtLayout*>(d);
  if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    take(call, l->count, value, nbytes);
  else if (what == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    take(call, l->step, value, nbytes);
  else
    call.demand(false, "an attribute that the fake library does not have");
  return status(call);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* d) {
  LibraryCall call("cublasLtMatmulPreferenceCreate");
  make_description(call, d, kWish, LtWish{});
  return status(call);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t d) {
  return end_description<LtWish>("cublasLtMatmulPreferenceDestroy", d, kWish);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t d,
                                                    cublasLtMatmulPreferenceAttributes_t what,
                                                    const void* value, size_t nbytes) {
  LibraryCall call("cublasLtMatmulPreferenceSetAttribute");
  call.object(d, kWish);
  if (!call) return status(call);
  auto* const p = static_cast<LtWish*>(d);
  const int matrix = what - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
  if (what == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    take(call, p->room, value, nbytes);
  else if (what == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
    take(call, p->reduction, value, nbytes);
  else if (matrix >= 0 && matrix < 4)
    take(call, p->aligns[matrix], value, nbytes);
  else
    call.demand(false, "an attribute that the fake library does not have");
  return status(call);
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t d,
                                              cublasLtMatrixLayout_t ad, cublasLtMatrixLayout_t bd,
                                              cublasLtMatrixLayout_t cd, cublasLtMatrixLayout_t dd,
                                              cublasLtMatmulPreference_t wish, int most,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  LibraryCall call("cublasLtMatmulAlgoGetHeuristic");
  *count = 0;
  call.object(h, kHandle);
  call.object(d, kProduct);
  for (const cublasLtMatrixLayout_t layout : {ad, bd, cd, dd}) call.object(layout, kLayout);
  call.object(wish, kWish);
  call.demand(most > 0, "no algorithm wanted");
  if (!call) return call.status(CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_NOT_SUPPORTED);
  const auto& p = *static_cast<LtProduct*>(d);
  const auto &a = *static_cast<LtLayout*>(ad), &b = *static_cast<LtLayout*>(bd),
             &c = *static_cast<LtLayout*>(cd), &to = *static_cast<LtLayout*>(dd);
  const auto& w = *static_cast<LtWish*>(wish);
  check_layouts(call, p, a, b, c, to);
  if (!call) return status(call);
  if (w.room < kRoom) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  found->algo = {{kIsChoice, choices().size()}};
  found->state = CUBLAS_STATUS_SUCCESS;
  found->workspaceSize = kRoom;
  choices().push_back({p, a, b, c, to, {}, alignment_of(p.bias), kRoom, parts_of(w, to.type)});
  std::copy_n(w.aligns, 4, choices().back().aligns);
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t d, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t ad, const void* b,
                              cublasLtMatrixLayout_t bd, const void* beta, const void* c,
                              cublasLtMatrixLayout_t cd, void* to, cublasLtMatrixLayout_t dd,
                              const cublasLtMatmulAlgo_t* algo, void* room, size_t nbytes,
                              cudaStream_t stream) {
  LibraryCall call("cublasLtMatmul");
  call.object(h, kHandle);
  call.object(d, kProduct);
  for (const cublasLtMatrixLayout_t layout : {ad, bd, cd, dd}) call.object(layout, kLayout);
  call.stream(stream);
  call.demand(algo && algo->data[0] == kIsChoice && algo->data[1] < choices().size(),
              "an algorithm that nobody has chosen");
  if (!call) return status(call);
  const auto p = *static_cast<LtProduct*>(d);
  const auto matrices = [](const void* data, cublasLtMatrixLayout_t layout) {
    const auto& l = *static_cast<LtLayout*>(layout);
    return Matrices{data, l.type, l.rows, l.cols, l.leading, l.step, l.count};
  };
  const Choice& choice = choices()[algo->data[1]];
  check_choice(call, p, choice,
               {static_cast<LtLayout*>(ad), static_cast<LtLayout*>(bd), static_cast<LtLayout*>(cd),
                static_cast<LtLayout*>(dd)},
               {a, b, c, to});
  call.demand(nbytes >= choice.room, "less working memory than the algorithm asks for");
  call.memory("the workspace", room, nbytes, 16);
  const Product product{
      p.ta != CUBLAS_OP_N,        p.tb != CUBLAS_OP_N, p.compute,       number_of(alpha, p.compute),
      number_of(beta, p.compute), matrices(a, ad),     matrices(b, bd), matrices(c, cd),
      matrices(to, dd),           choice.parts};
  check(call, product);
  if (call && has_bias(p))
    call.memory("the bias", p.bias, product.d.rows * size_of(product.d.type),
                size_of(product.d.type));
  call.run([=] {
    spoil(room, nbytes);
    product.run([&](double x, int64_t row) {
      return finish(has_bias(p) ? x + number_at(p.bias, product.d.type, row) : x, p.epilogue);
    });
  });
  return status(call);
}

}  // extern "C"
