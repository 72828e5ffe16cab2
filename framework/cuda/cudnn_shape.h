// Conditions for calling cuDNN, and sizes as cuDNN takes them. This header does not include
// cuDNN's. Not installed.
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

/// Returns whether cuDNN is enabled and can take a contiguous tensor of these sizes. The tensor
/// must not be empty, and its sizes and strides must fit in an int.
inline bool cudnn_takes_sizes(const Dims& sizes) {
  int64_t stride = 1;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] == 0 || sizes[d] > INT_MAX || stride > INT_MAX) return false;
    stride *= sizes[d];
  }
  return globalContext().userEnabledCuDNN();
}

/// Returns the number of elements of one sample of a batch of sizes (N, C, ...).
inline int64_t elements_of_sample(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t d = 1; d < sizes.size(); ++d) n *= sizes[d];
  return n;
}
/// Returns how many samples of a batch fit in one descriptor of cuDNN's older interface. A
/// descriptor holds fewer than 2^31 elements (cudnnSetTensorNdDescriptor). cudnn_takes_sizes(sizes)
/// must be true.
inline int64_t cudnn_samples(const Dims& sizes) {
  return std::min<int64_t>(sizes[0], INT_MAX / elements_of_sample(sizes));
}
/// Returns whether one descriptor of cuDNN's older interface can hold a tensor of these sizes.
inline bool cudnn_describes(const Dims& sizes) {
  return cudnn_takes_sizes(sizes) && cudnn_samples(sizes) == sizes[0];
}

/// Returns `sizes` (N, C, ...) as ints. If there is one spatial dimension L, returns (N, C, 1, L).
inline std::vector<int> cudnn_sizes(const Dims& sizes) {
  std::vector<int> r{static_cast<int>(sizes[0]), static_cast<int>(sizes[1])};
  if (sizes.size() == 3) r.push_back(1);
  for (int64_t d = 2; d < sizes.size(); ++d) r.push_back(static_cast<int>(sizes[d]));
  return r;
}

/// Returns the strides, in elements, of a contiguous tensor of these sizes.
inline std::vector<int> cudnn_strides(const std::vector<int>& sizes) {
  std::vector<int> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

}  // namespace torch::taper::cuda
