#include <taper/ops/binary_compute.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/iterate.h>
#include <taper/ops/out.h>

namespace taper::detail {
namespace {

// The commonest case needs no plan: two tensors alike.
bool alike(const BinaryOperand& a, const BinaryOperand& b) {
  if (!a.tensor || !b.tensor || !a.tensor->defined() || !b.tensor->defined()) return false;
  const TensorImpl &x = *a.tensor->impl_ptr(), &y = *b.tensor->impl_ptr();
  return x.dtype == y.dtype && x.contiguous && y.contiguous && x.device == y.device &&
         x.sizes == y.sizes;
}

ScalarType operand_dtype(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = promoted_dtype(a, b);
  return op.floats && !isFloatingType(t) ? default_dtype() : t;
}

ScalarType result_dtype(const BinaryOp& op, ScalarType operands) {
  return op.tests ? kBool : operands;
}

// A new tensor laid out in memory like the first operand of the full shape that is dense.
Tensor make_result(const BinaryPlan& p, ScalarType dtype) {
  for (const Tensor* t : {&p.a, &p.b}) {
    if (t->defined() && t->impl().sizes == p.shape && !t->impl().contiguous)
      return make_like(*t, dtype);
    if (t->defined() && t->impl().sizes == p.shape) break;
  }
  return make_tensor(p.shape, dtype, p.device);
}

void check_defined_operand(const BinaryOp& op, const BinaryOperand& o) {
  TAPER_CHECK(!o.tensor || o.tensor->defined(), op.name,
              ": expected a defined tensor as argument, got an undefined one");
}

}  // namespace

Tensor compute_binary(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  if (alike(a, b) && (!op.floats || isFloatingType(a.tensor->scalar_type()))) {
    const ScalarType t = a.tensor->scalar_type();
    Tensor y = make_tensor(a.tensor->impl().sizes, result_dtype(op, t), a.tensor->device());
    if (y.numel() > 0) op.run_alike(y, *a.tensor, *b.tensor);
    return y;
  }
  check_defined_operand(op, a);
  check_defined_operand(op, b);
  const BinaryPlan p = plan_binary(op.name, a, b, operand_dtype(op, a, b));
  Tensor y = make_result(p, result_dtype(op, p.dtype));
  if (y.numel() > 0) op.run(y, p.in_a, p.in_b);
  return y;
}

void compute_binary_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b) {
  check_defined_operand(op, x);
  check_defined_operand(op, b);
  autograd::check_inplace(op.name, x);
  if (alike(x, b) && !op.tests && (!op.floats || isFloatingType(x.scalar_type())) &&
      !overlaps_partly(x, *b.tensor)) {
    if (x.numel() > 0) op.run_alike(x, x, *b.tensor);
    return;
  }
  const ScalarType dtype = operand_dtype(op, x, b);
  const ScalarType result = result_dtype(op, dtype);
  TAPER_CHECK(op.tests || canCast(result, x.scalar_type()), "result type ", toString(result),
              " can't be cast to the desired output type ", toString(x.scalar_type()));
  BinaryPlan p = plan_binary(op.name, x, b, dtype);
  TAPER_CHECK(p.shape == x.impl().sizes, "output with shape ", x.sizes(),
              " doesn't match the broadcast shape ", p.shape);
  if (x.numel() == 0) return;
  if (result == x.scalar_type() && p.device == x.device()) {
    if (b.tensor && overlaps_partly(x, p.b)) p.in_b = p.b = p.b.detach().clone();
    op.run(x, p.in_a, p.in_b);
    return;
  }
  const Tensor y = make_tensor(p.shape, result, p.device);
  op.run(y, p.in_a, p.in_b);
  const NoGradGuard values_only;
  x.detach().copy_(y);
}

void compute_binary_out(const BinaryOp& op, Tensor& out, const Tensor& a, const Tensor& b) {
  check_defined_operand(op, a);
  check_defined_operand(op, b);
  const BinaryPlan p = plan_binary(op.name, a, b, operand_dtype(op, a, b));
  const ScalarType result = result_dtype(op, p.dtype);
  prepare_out(op.name, out, p.shape, result, {a, b});
  if (out.numel() == 0) return;
  const bool in_the_way = overlaps_partly(out, p.a) || overlaps_partly(out, p.b);
  if (out.scalar_type() == result && !in_the_way) {
    op.run(out, p.in_a, p.in_b);
  } else {
    const Tensor y = make_tensor(p.shape, result, p.device);
    op.run(y, p.in_a, p.in_b);
    out.detach().copy_(y);
  }
  autograd::mark_changed(out);
}

}  // namespace taper::detail
