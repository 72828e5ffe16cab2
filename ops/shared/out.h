// The `out` forms of ops, which write results into tensors of the caller.
//
// f_out(out, ...) computes f(...) without history and writes it into `out`. `out` is resized if its
// shape differs. The result is converted to out's dtype if the cast is allowed. An error is thrown
// before any write. Errors: Error for an argument that requires a gradient, and for an `out` whose
// memory overlaps itself or partly overlaps an input.
//
//   check_out_gradient(name, out, {x});                // LibTorch's order of checks
//   const OutPlan to = plan_out(name, out, sizes, {x});
//   check_result_cast(name, dtype, out.scalar_type());
//   to.resize();
//   if (to.apart) run(out, x); else out.detach().copy_(result);
#pragma once

#include <taper/ops/shared/in_place.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Throws if `out` or an input requires a gradient.
void check_out_gradient(const char* op, const Tensor& out, Operands inputs);

/// Describes how a result is written to `out`.
struct OutPlan {
  const Tensor& out;  ///< the caller's tensor
  const Dims sizes;   ///< the result's sizes
  /// True if the kernel may write to `out` while it reads the inputs.
  bool apart;
  /// Resizes `out`, as the last step before the result is written.
  void resize() const {
    if (out.impl().sizes != sizes) resize_other_sizes();
  }
  /// Resizes `out` to `sizes`. Warns if `out` has elements.
  void resize_other_sizes() const;
};
/// Plans the write of a result with the given sizes. Throws if `out` is on another device than an
/// input. 0-dim CPU inputs may be on another device. Throws if out's memory overlaps itself or
/// partly overlaps an input. Throws if `out` is an input and has another shape than the result.
OutPlan plan_out(const char* op, const Tensor& out, const Dims& sizes, Operands inputs);

/// Throws unless `out` is on the result's device.
void check_out_device(const char* op, const Tensor& out, Device device);

/// Throws unless `out` has exactly this dtype, for ops that convert nothing.
void check_out_dtype(const char* op, const Tensor& out, ScalarType dtype);

/// Throws unless `out` has `dtype`, the dtype that the caller asked for: "Expected out tensor to
/// have dtype double, but got float instead".
void check_asked_dtype(const char* op, const Tensor& out, ScalarType dtype);

/// Throws unless a result of dtype `result` may be stored in `out`.
void check_stored_dtype(const char* op, const Tensor& out, ScalarType result);

/// Writes y into `out`, after all checks, with conversions. y was computed from `inputs` and has no
/// history.
Tensor& store_out(const char* op, Tensor& out, const Tensor& y, Operands inputs);

}  // namespace torch::taper

#pragma GCC visibility pop
