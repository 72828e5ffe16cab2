#pragma once

#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/tensor.h>

namespace torch::taper::detail {

/// Returns an uninitialised CPU tensor in page-locked memory. Without CUDA devices, the memory is
/// not page-locked, and the function warns once.
Tensor make_pinned(const char* op, IntArrayRef sizes, ScalarType dtype);
/// Throws Error if `device` is not the CPU, because only CPU memory can be pinned.
void check_may_pin(const char* op, Device device);

/// Returns the number of elements of memory that a tensor of these sizes and strides needs. Throws
/// Error if there are not as many strides as sizes, or if the number overflows.
inline int64_t strided_numel(const char* op, IntArrayRef size, IntArrayRef stride,
                             ScalarType dtype) {
  TAPER_CHECK(size.size() == stride.size(), op, ": dimensionality of sizes (", size.size(),
              ") must match dimensionality of strides (", stride.size(), ")");
  return checked_extent(op, size, stride, 0, elementSize(dtype));
}

/// Lets the new tensor y require a gradient if `options` says so.
inline void ask_for_gradient(const Tensor& y, const TensorOptions& options) {
  if (__builtin_expect(options.requires_grad(), 0)) {
    TAPER_CHECK(
        isFloatingOrComplexType(y.scalar_type()),
        "requires_grad: Only Tensors of floating point and complex dtype can require gradients");
    y.set_requires_grad(true);
  }
}

/// Completes a factory that has filled its tensor by in-place ops. Resets the tensor's version, so
/// that the in-place ops do not count as changes.
inline Tensor finish(Tensor y, const TensorOptions& options) {
  y.impl().storage->version.store(0, std::memory_order_relaxed);
  ask_for_gradient(y, options);
  return y;
}

}  // namespace torch::taper::detail
