#include <taper/framework/cuda/gpu/cudnn.h>

#include <taper/framework/core/warning.h>
#include <taper/framework/cuda/cudnn_shape.h>

namespace torch::taper::cuda {

cudnnDataType_t cudnn_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double:
      return CUDNN_DATA_DOUBLE;
    case ScalarType::Half:
      return CUDNN_DATA_HALF;
    case ScalarType::BFloat16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

cudnnDataType_t cudnn_compute_type(ScalarType dtype) {
  return dtype == ScalarType::Double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

cudnnMathType_t cudnn_math(ScalarType dtype, bool tf32) {
  if (isReducedFloatingType(dtype)) return CUDNN_TENSOR_OP_MATH;
  return dtype == ScalarType::Float && !tf32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
}

void describe(const TensorDescription& d, ScalarType dtype, const std::vector<int>& sizes) {
  const std::vector<int> strides = cudnn_strides(sizes);
  TAPER_LIBRARY_CALL(cudnn, cudnnSetTensorNdDescriptor, d.get(), cudnn_type(dtype),
                     static_cast<int>(sizes.size()), sizes.data(), strides.data());
}

bool cudnn_supports(cudnnStatus_t status, const char* call, const char* file, int line) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED)  // of an engine's code
    return false;
  // Entry points of older versions return this for an unknown dtype or shape.
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_BAD_PARAM) {
    detail::warn_once([call] {
      return std::string(call) +
             ": cuDNN refused the parameters (CUDNN_STATUS_BAD_PARAM), which "
             "is taken for a dtype or shape that it does not support";
    });
    return false;
  }
  check_cudnn(status, call, file, line);
  return true;
}

}  // namespace torch::taper::cuda
