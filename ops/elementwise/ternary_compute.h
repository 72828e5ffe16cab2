// Computes the forms of pointwise ops of several tensors with one kernel. run(y) launches the
// kernel. The operands must have one dtype and device. Their shapes must broadcast, and their
// strides may differ. For other operands, callers use ops of one and two tensors. Not installed.
#pragma once

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/promote.h>

namespace torch::taper::detail {

/// Tests whether all tensors have one real dtype and one device.
inline bool alike(Operands all) {
  const Tensor& x = *all.begin();
  for (const Tensor& t : all)
    if (!t.defined() || t.is_complex() || t.scalar_type() != x.scalar_type() ||
        t.device() != x.device())
      return false;
  return true;
}
inline bool alike_floats(Operands all) {
  return alike(all) && all.begin()->get().is_floating_point();
}

inline Dims common_shape(const char* op, Operands all) {
  Dims shape = all.begin()->get().impl().sizes;
  for (const Tensor& t : all)
    if (t.impl().sizes != shape) shape = broadcast_shapes(op, shape, t.sizes());
  return shape;
}

/// Returns the result in a new tensor. It gets the layout of the first operand that has the
/// result's shape.
template <class Run>
Tensor computed(const char* op, Operands all, const Run& run) {
  const Dims shape = common_shape(op, all);
  const Tensor& x = *all.begin();
  const Tensor* like = nullptr;
  for (const Tensor& t : all)
    if (!like && t.impl().sizes == shape) like = &t;
  Tensor y =
      like ? detail::make_like(*like) : detail::make_tensor(shape, x.scalar_type(), x.device());
  if (y.numel() > 0) run(y);
  return y;
}

/// Writes the result into the first operand. Returns false, without writing, if history or a copy
/// is needed.
template <class Run>
bool computed_in_place(const char* op, Operands all, const Run& run) {
  if (!alike(all) || any_needs_grad(all)) return false;
  const Tensor& x = *all.begin();
  bool meet = false;
  for (const Tensor& t : all) meet |= check_overlap(op, x, t);
  autograd::check_inplace(op, x);
  check_result_shape(op, x, common_shape(op, all));
  if (meet) return false;
  if (x.numel() > 0) run(x);
  autograd::mark_changed(x);
  return true;
}

/// Writes the result into `out`. Returns false, without writing, if a conversion or a copy is
/// needed.
template <class Run>
bool computed_out(const char* op, const Tensor& out, Operands all, const Run& run) {
  if (!alike(all) || !alike({*all.begin(), out})) return false;
  check_out_gradient(op, out, all);
  const OutPlan to = plan_out(op, out, common_shape(op, all), all);
  if (!to.apart) return false;
  to.resize();
  if (out.numel() > 0) run(out);
  autograd::mark_changed(out);
  return true;
}

}  // namespace torch::taper::detail
