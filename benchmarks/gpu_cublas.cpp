#include "gpu_cublas.h"

#include <taper/taper.h>

#include <stdexcept>
#include <string>

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <dlfcn.h>

namespace gpu_bench {
namespace {

// The library is not linked: it is hundreds of megabytes, and lies where Taper finds it too.
template <class F>
F function(const char* name) {
  static void* const library =
      dlopen(("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)).c_str(), RTLD_NOW);
  void* f = library ? dlsym(library, name) : nullptr;
  if (!f) throw std::runtime_error(std::string("cuBLAS: no ") + name);
  return reinterpret_cast<F>(f);
}

// The header has an overload of the same name beside it.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS: status " + std::to_string(status));
}

cublasHandle_t handle() {
  static const cublasHandle_t made = [] {
    cublasHandle_t h = nullptr;
    check(function<decltype(&cublasCreate_v2)>("cublasCreate_v2")(&h));
    return h;
  }();
  return made;
}

}  // namespace

bool has_cublas() { return taper::cuda::is_available() && !taper::cuda::is_simulated(); }

void cublas_square(void* out, const void* a, const void* b, int64_t n, bool bf16, bool tf32) {
  static const auto gemm = function<GemmEx>("cublasGemmEx");
  const float one = 1, zero = 0;
  const int side = static_cast<int>(n);
  const cudaDataType type = bf16 ? CUDA_R_16BF : CUDA_R_32F;
  check(gemm(handle(), CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, b, type, side, a, type,
             side, &zero, out, type, side, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
             CUBLAS_GEMM_DEFAULT));
}

}  // namespace gpu_bench
#else
namespace gpu_bench {
bool has_cublas() { return false; }
void cublas_square(void*, const void*, const void*, int64_t, bool, bool) {}
}  // namespace gpu_bench
#endif
