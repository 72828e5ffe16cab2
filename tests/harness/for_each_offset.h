// Walks through a tensor's elements without dividing, and without memory for each of them: much of
// the suite's time is spent here.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing {

/// Calls visit(offset, position) for all elements of a tensor in row-major order; offsets count
/// elements from the tensor's first one.
template <class Visit>
void for_each_offset(const Tensor& t, const Visit& visit) {
  const std::vector<int64_t> sizes = t.sizes().vec(), strides = t.strides().vec();
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t numel = 1, offset = 0;
  for (int64_t size : sizes) numel *= size;
  for (int64_t position = 0; position < numel; ++position) {
    visit(offset, position);
    for (size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

}  // namespace torch::taper::testing
