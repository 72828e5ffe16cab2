// Conditions for calling cuDNN, and sizes in its form. Not installed. It does not need cuDNN.
#pragma once

#include <algorithm>
#include <climits>
#include <vector>

#include <taper/framework/core/context.h>
#include <taper/framework/core/shape.h>

namespace torch::taper::cuda {

/// Returns whether only deterministic algorithms may be used.
inline bool cudnn_is_deterministic() {
  const Context& c = globalContext();
  return c.deterministicCuDNN() || c.deterministicAlgorithms();
}

/// Returns whether cuDNN can take a tensor of these sizes: it is enabled, and the tensor is not
/// empty and has no size or stride beyond an int.
inline bool cudnn_takes_sizes(const Dims& sizes) {
  int64_t stride = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] == 0 || sizes[d] > INT_MAX || stride > INT_MAX) return false;
    stride *= sizes[d];
  }
  return globalContext().userEnabledCuDNN();
}

/// Returns the elements of each sample of a batch (N, C, ...).
inline int64_t elements_of_sample(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t d = 1; d < sizes.size(); ++d) n *= sizes[d];
  return n;
}
/// Returns how many samples of a batch fit in one descriptor of cuDNN's older interface. A
/// descriptor holds fewer than 2^31 elements (cudnnSetTensorNdDescriptor). The sizes satisfy
/// cudnn_takes_sizes.
inline int64_t cudnn_samples(const Dims& sizes) {
  return std::min<int64_t>(sizes[0], INT_MAX / elements_of_sample(sizes));
}
/// Returns whether cuDNN's older interface can take a tensor of these sizes.
inline bool cudnn_describes(const Dims& sizes) {
  return cudnn_takes_sizes(sizes) && cudnn_samples(sizes) == sizes[0];
}

/// Returns (N, C, ...) with at least two spatial dimensions. Dimensions of size 1 are added in
/// front of the others.
inline std::vector<int> cudnn_sizes(const Dims& sizes) {
  std::vector<int> r{static_cast<int>(sizes[0]), static_cast<int>(sizes[1])};
  if (sizes.size() == 3) r.push_back(1);
  for (int64_t d = 2; d < sizes.size(); ++d) r.push_back(static_cast<int>(sizes[d]));
  return r;
}

/// Returns the strides of a contiguous tensor.
inline std::vector<int> cudnn_strides(const std::vector<int>& sizes) {
  std::vector<int> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

}  // namespace torch::taper::cuda
