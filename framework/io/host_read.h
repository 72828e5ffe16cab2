// Reads elements on the host to write them into a file. Not installed.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// Returns the elements of `t` on the CPU: a tensor over the memory of `t`, or a complete copy. The
/// race detector sees the host's read.
inline Tensor read_by_host(const char* name, const Tensor& t) {
  Tensor y = t.detach().cpu();
  if (watches_races())
    watch_kernel(name, Device(),
                 {{y.data_ptr(), elementSize(y.scalar_type()), y.sizes(), y.strides(), false}});
  return y;
}

}  // namespace torch::taper::detail
