#include <taper/framework/cuda/gpu/handles.h>

#include <cufft.h>
#include <dlfcn.h>

#include <map>
#include <optional>

#include <taper/framework/core/check.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/of_thread.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/stream.h>

namespace torch::taper::cuda {
namespace {

/// A library's handle, and the stream to which it is set.
template <class Handle>
struct BoundHandle {
  Handle handle;
  std::optional<cudaStream_t> stream{};  // unknown at first, and after a call that failed
  bool is_programs = false;              // the program has it too, and may change it at any time
};

// Returns the calling thread's handle on the current device. There are as many handles for each
// device as threads that have used it at once.
template <class Handle, class Make>
BoundHandle<Handle>& handle_of_thread(const Make& make) {
  auto& handles = of_thread<std::map<DeviceIndex, BoundHandle<Handle>>>();
  const auto it = handles.find(kernel_device());
  if (it != handles.end()) return it->second;
  const RelaxedCapture relaxed;
  return handles.emplace(kernel_device(), BoundHandle<Handle>{make()}).first->second;
}

/// Sets the handle to the launch's stream by `set`, unless it is set already: that takes time.
template <class Handle, class Set>
Handle bound(BoundHandle<Handle>& h, bool for_program, const Set& set) {
  h.is_programs = h.is_programs || for_program;
  if (!h.is_programs && h.stream == kernel_stream()) return h.handle;
  h.stream.reset();
  set(h.handle, kernel_stream());
  h.stream = kernel_stream();
  return h.handle;
}

void* load(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  TAPER_CHECK(library, "expected ", file,
              ", which the CUDA kernels need, and could not load it: ", dlerror(),
              "; install it, or add its folder to LD_LIBRARY_PATH");
  return library;
}
void* find(void* library, const char* name) {
  void* f = dlsym(library, name);
  TAPER_CHECK(f, "expected the function ", name, ", and the library lacks it: ", dlerror());
  return f;
}

}  // namespace

void* cublas_function(const char* name) {
  static void* const library = load(TAPER_CUBLAS_FILE);
  return find(library, name);
}
// The versions are those of the headers.
#define TAPER_TEXT_OF(x) #x
#define TAPER_TEXT(x) TAPER_TEXT_OF(x)
void* cusolver_function(const char* name) {
  static void* const library = load("libcusolver.so." TAPER_TEXT(CUSOLVER_VER_MAJOR));
  return find(library, name);
}
void* cudnn_function(const char* name) {
  static void* const library = load(TAPER_CUDNN_FILE);
  return find(library, name);
}
bool has_cudnn() {
  static const bool there = dlopen(TAPER_CUDNN_FILE, RTLD_NOW | RTLD_LOCAL) != nullptr;
  return there;
}
void* cufft_function(const char* name) {
  static void* const library = load("libcufft.so." TAPER_TEXT(CUFFT_VER_MAJOR));
  return find(library, name);
}
void* cusparse_function(const char* name) {
  static void* const library = load("libcusparse.so." TAPER_TEXT(CUSPARSE_VER_MAJOR));
  return find(library, name);
}

namespace {

/// Settings of cuBLAS's handle, as far as they are known. A new stream resets the workspace.
struct BlasSettings {
  void* workspace = nullptr;
  std::optional<cublasMath_t> mode;
};
BlasSettings& settings_of(cublasHandle_t h) {
  return of_thread<std::map<cublasHandle_t, BlasSettings>>()[h];
}

BoundHandle<cublasHandle_t>& cublas_of_thread() {
  return handle_of_thread<cublasHandle_t>([] {
    cublasHandle_t made = nullptr;
    TAPER_LIBRARY_CALL(cublas, cublasCreate_v2, &made);
    return made;
  });
}

}  // namespace

cublasHandle_t cublas_handle(bool for_program) {
  return bound(cublas_of_thread(), for_program, [](cublasHandle_t h, cudaStream_t stream) {
    settings_of(h) = {};
    TAPER_LIBRARY_CALL(cublas, cublasSetStream_v2, h, stream);
  });
}
cublasHandle_t cublas_handle(void* workspace, cublasMath_t mode) {
  const cublasHandle_t h = cublas_handle();
  BlasSettings& now = settings_of(h);
  if (now.workspace != workspace) {
    now.workspace = nullptr;
    TAPER_LIBRARY_CALL(cublas, cublasSetWorkspace_v2, h, workspace, kCublasRoom);
    now.workspace = workspace;
  }
  if (now.mode != mode) {
    now.mode.reset();
    TAPER_LIBRARY_CALL(cublas, cublasSetMathMode, h, mode);
    now.mode = mode;
  }
  return h;
}
cusolverDnHandle_t cusolver_handle(bool for_program) {
  auto& h = handle_of_thread<cusolverDnHandle_t>([] {
    cusolverDnHandle_t made = nullptr;
    TAPER_LIBRARY_CALL(cusolver, cusolverDnCreate, &made);
    return made;
  });
  return bound(h, for_program, [](cusolverDnHandle_t handle, cudaStream_t stream) {
    TAPER_LIBRARY_CALL(cusolver, cusolverDnSetStream, handle, stream);
  });
}

cudnnHandle_t cudnn_handle() {
  auto& h = handle_of_thread<cudnnHandle_t>([] {
    cudnnHandle_t made = nullptr;
    TAPER_LIBRARY_CALL(cudnn, cudnnCreate, &made);
    return made;
  });
  return bound(h, /*for_program=*/false, [](cudnnHandle_t handle, cudaStream_t stream) {
    TAPER_LIBRARY_CALL(cudnn, cudnnSetStream, handle, stream);
  });
}

cusparseHandle_t cusparse_handle(bool for_program) {
  auto& h = handle_of_thread<cusparseHandle_t>([] {
    cusparseHandle_t made = nullptr;
    TAPER_LIBRARY_CALL(cusparse, cusparseCreate, &made);
    return made;
  });
  return bound(h, for_program, [](cusparseHandle_t handle, cudaStream_t stream) {
    TAPER_LIBRARY_CALL(cusparse, cusparseSetStream, handle, stream);
  });
}

void check_cublas(cublasStatus_t status, const char* call, const char* file, int line) {
  TAPER_CHECK(status == CUBLAS_STATUS_SUCCESS,
              "cuBLAS error: ", TAPER_LIBRARY_FUNCTION(cublas, cublasGetStatusString)(status), " (",
              call, ", ", file, ":", line, ")");
}
namespace {
// cuSOLVER has no function for these texts.
const char* text_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "an error";
  }
}
}  // namespace
void check_cusolver(cusolverStatus_t status, const char* call, const char* file, int line) {
  TAPER_CHECK(status == CUSOLVER_STATUS_SUCCESS, "cuSOLVER error: ", text_of(status), " (",
              static_cast<int>(status), ", ", call, ", ", file, ":", line, ")");
}
void check_cusparse(cusparseStatus_t status, const char* call, const char* file, int line) {
  TAPER_CHECK(status == CUSPARSE_STATUS_SUCCESS,
              "cuSPARSE error: ", TAPER_LIBRARY_FUNCTION(cusparse, cusparseGetErrorString)(status),
              " (", call, ", ", file, ":", line, ")");
}
void check_cudnn(cudnnStatus_t status, const char* call, const char* file, int line) {
  TAPER_CHECK(status == CUDNN_STATUS_SUCCESS,
              "cuDNN error: ", TAPER_LIBRARY_FUNCTION(cudnn, cudnnGetErrorString)(status), " (",
              call, ", ", file, ":", line, ")");
}

}  // namespace torch::taper::cuda
