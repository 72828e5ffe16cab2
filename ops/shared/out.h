// The `out` forms of ops: results into tensors that the caller gives.
//
// f_out(out, ...) computes what f(...) does, without history, and puts it into `out`: resized where
// it has another shape, converted where the result's dtype can be cast to its. All checks come
// before anything is written. Errors: Error for a tensor of the arguments that requires a gradient,
// and for `out` whose memory overlaps itself or in part that of an input.
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

/// Throws when `out` or an input requires a gradient.
void check_out_gradient(const char* op, const Tensor& out, Operands inputs);

/// A tensor that a result of some shape goes into.
struct OutPlan {
  const Tensor& out;  ///< the caller's
  const Dims sizes;   ///< of the result
  /// The result may be written while the inputs are read.
  bool apart;
  /// The last step before the result is written.
  void resize() const {
    if (out.impl().sizes != sizes) resize_other_sizes();
  }
  /// Warns unless `out` has no elements.
  void resize_other_sizes() const;
};
/// Throws when `out` is on another device than an input (but for 0-dim ones of the CPU), when its
/// memory overlaps itself or in part that of an input, and when `out` is an input itself but of
/// another shape.
OutPlan plan_out(const char* op, const Tensor& out, const Dims& sizes, Operands inputs);

/// Throws unless `out` is where the result is.
void check_out_device(const char* op, const Tensor& out, Device device);

/// Throws unless `out` has just this dtype: for ops that convert nothing.
void check_out_dtype(const char* op, const Tensor& out, ScalarType dtype);

/// The same where out's dtype was asked for: "Expected out tensor to have dtype double, but got
/// float instead".
void check_asked_dtype(const char* op, const Tensor& out, ScalarType dtype);

/// Throws unless a result of this dtype may be stored in `out` by the op.
void check_stored_dtype(const char* op, const Tensor& out, ScalarType result);

/// `y`, computed without history from the inputs, into `out`, with all checks and conversions.
Tensor& store_out(const char* op, Tensor& out, const Tensor& y, Operands inputs);

}  // namespace torch::taper

#pragma GCC visibility pop
