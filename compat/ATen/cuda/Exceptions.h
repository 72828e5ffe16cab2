// Macros that check calls of CUDA's libraries: AT_CUDA_CHECK, TORCH_CUDABLAS_CHECK, ...
#pragma once

#include <c10/cuda/CUDAException.h>

#define TORCH_PRIVATE_LIBRARY_CHECK(call, success)                                              \
  do {                                                                                          \
    const auto torch_status = (call);                                                           \
    TORCH_CHECK(torch_status == success, "CUDA error: status ", static_cast<int>(torch_status), \
                " when calling `" #call "`");                                                   \
  } while (false)
#define TORCH_CUDABLAS_CHECK(call) TORCH_PRIVATE_LIBRARY_CHECK(call, CUBLAS_STATUS_SUCCESS)
#define TORCH_CUSOLVER_CHECK(call) TORCH_PRIVATE_LIBRARY_CHECK(call, CUSOLVER_STATUS_SUCCESS)
#define TORCH_CUDASPARSE_CHECK(call) TORCH_PRIVATE_LIBRARY_CHECK(call, CUSPARSE_STATUS_SUCCESS)
