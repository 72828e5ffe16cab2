#include <taper/ops/elementwise/binary_compute.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/elementwise/complex_kernels.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out.h>

namespace torch::taper::detail {
namespace {

// Two tensors of one dtype, shape and layout, the most common case, need no plan.
TAPER_INLINE bool alike(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return false;
  const TensorImpl &x = *a.impl_ptr(), &y = *b.impl_ptr();
  return x.dtype == y.dtype && !isComplexType(x.dtype) && x.contiguous && y.contiguous &&
         x.device == y.device && x.sizes == y.sizes;
}

ScalarType operand_dtype(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = promoted_dtype(a, b);
  return op.floats && !isFloatingOrComplexType(t) ? default_dtype() : t;
}

ScalarType result_dtype(const BinaryOp& op, ScalarType operands) {
  return op.tests ? kBool : operands;
}

// Returns a new tensor in the layout of the first dense operand of the full shape.
[[gnu::always_inline]] inline Tensor make_result(const BinaryPlan& p, ScalarType dtype) {
  for (const Tensor* t : {&p.a, &p.b}) {
    if (t->defined() && t->impl().sizes == p.shape && !t->impl().contiguous)
      return make_like(*t, dtype);
    if (t->defined() && t->impl().sizes == p.shape) break;
  }
  return make_tensor(p.shape, dtype, p.device);
}

bool is_undefined(const BinaryOperand& o) { return o.tensor && !o.tensor->defined(); }

void check_operands(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  TAPER_CHECK(!is_undefined(a) && !is_undefined(b), op.name,
              ": expected a defined tensor as argument, got an undefined one");
}

// Throws unless the result may be written into y.
void check_storable(const BinaryOp& op, const Tensor& y, const BinaryOperand& b,
                    ScalarType result) {
  if (op.exact_with_number && !b.tensor)
    check_out_dtype(op.name, y, result);
  else if (!op.tests)
    check_result_cast(op.name, result, y.scalar_type());
}

// For logical ops, a complex number only counts as zero or nonzero.
Tensor truth_of(const BinaryPlan& p, const In& x) {
  Tensor y = make_tensor(x.sizes, kBool, p.device);
  run_complex_binary("ne", y, x, In::number(0, p.dtype));
  return y;
}

void launch_complex(const BinaryOp& op, const Tensor& y, const BinaryPlan& p, const Scalar* alpha) {
  const std::string_view name = op.name;
  if (name.substr(0, 8) == "logical_") return op.run(y, truth_of(p, p.in_a), truth_of(p, p.in_b));
  TAPER_CHECK(name != "maximum" && name != "minimum", op.name,
              " not implemented for complex tensors.");
  const bool rounds = op.check && !op.floats && name == "div";
  if (!alpha) return run_complex_binary(rounds ? "div_rounding_mode" : op.name, y, p.in_a, p.in_b);
  const Tensor scaled = p.b.defined() ? make_like(p.b) : make_tensor({}, p.dtype, p.device);
  run_complex_binary("mul", scaled, p.in_b, In::number(*alpha, p.dtype));
  run_complex_binary("add", y, p.in_a, scaled);
}

void launch(const BinaryOp& op, const Tensor& y, const BinaryPlan& p, const Scalar* alpha) {
  if (__builtin_expect(isComplexType(p.dtype), 0))
    launch_complex(op, y, p, alpha);
  else if (alpha)
    op.run_scaled(y, p.in_a, p.in_b, *alpha);
  else
    op.run(y, p.in_a, p.in_b);
}

// Returns the dtype in which a kernel takes a number as second operand.
ScalarType number_dtype(const BinaryOp& op, ScalarType operands) {
  return op.keeps_number && isReducedFloatingType(operands) ? kFloat : operands;
}

// Tests whether the kernel reads operands of two dtypes without a cast.
bool reads_as_they_are(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b,
                       ScalarType dtype, const Scalar* alpha) {
  if (!op.reads_narrow || dtype != kFloat || alpha || !a.tensor || !b.tensor) return false;
  const auto is = [](const Tensor& t, bool narrow) {
    return t.is_cuda() && t.dim() > 0 &&
           (narrow ? isReducedFloatingType(t.scalar_type()) : t.scalar_type() == kFloat);
  };
  const Tensor &x = *a.tensor, &y = *b.tensor;
  return runs_cuda_kernels() && ((is(x, false) && is(y, true)) || (is(x, true) && is(y, false)));
}

BinaryPlan plan(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b,
                ScalarType dtype, const Scalar* alpha) {
  if (reads_as_they_are(op, a, b, dtype, alpha)) return plan_binary(op.name, a, b, dtype, true);
  BinaryPlan p = plan_binary(op.name, a, b, dtype);
  const ScalarType number = number_dtype(op, dtype);
  if (number == dtype) return p;
  if (b.number)
    p.in_b = In::number(*b.number, number);
  else if (b.tensor->dim() == 0 && b.tensor->scalar_type() != dtype && p.device.is_cpu())
    p.in_b = In(p.b = b.tensor->to(number));
  return p;
}

// Tests whether the kernel takes two tensors without a plan.
TAPER_INLINE bool simple(const BinaryOp& op, const Tensor& a, const Tensor* b) {
  return b && alike(a, *b) && (!op.floats || isFloatingType(a.impl().dtype));
}

// Tests whether the kernel takes a dense tensor of floats and a real number without a plan. The
// result then has the tensor's dtype.
bool simple_with_number(const Tensor& a, const BinaryOperand& b) {
  if (b.tensor || !a.defined() || b.number->isComplex()) return false;
  const TensorImpl& x = a.impl();
  return isFloatingType(x.dtype) && x.contiguous && !x.wrapped_number;
}

// Computes into `y`. If y has another dtype or partly overlaps an operand, a fresh tensor of dtype
// `result` takes the values first.
void compute_into(const BinaryOp& op, const Tensor& y, const BinaryPlan& p, ScalarType result,
                  bool apart, const Scalar* alpha) {
  if (result == y.scalar_type() && p.device == y.device() && apart) return launch(op, y, p, alpha);
  const Tensor fresh = make_tensor(p.shape, result, p.device);
  launch(op, fresh, p, alpha);
  // The caller counts the change.
  y.data().copy_(fresh);
}

// Computes the op for all operands. `alpha` may be null. It is inlined, because calls would cost a
// small op several percent.
[[gnu::always_inline]] inline Tensor compute(const BinaryOp& op, const BinaryOperand& a,
                                             const BinaryOperand& b, const Scalar* alpha) {
  check_operands(op, a, b);
  const BinaryPlan p = plan(op, a, b, operand_dtype(op, a, b), alpha);
  if (op.check) op.check(op, a, b);
  Tensor y = make_result(p, result_dtype(op, p.dtype));
  if (y.numel() > 0) launch(op, y, p, alpha);
  return y;
}

bool check_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b) {
  return b.tensor ? autograd::check_inplace(op.name, x, {*b.tensor})
                  : autograd::check_inplace(op.name, x);
}

[[gnu::always_inline]] inline bool compute_inplace(const BinaryOp& op, const Tensor& x,
                                                   const BinaryOperand& b, const Scalar* alpha) {
  check_operands(op, x, b);
  const bool recording = check_inplace(op, x, b);
  const bool meet = b.tensor && check_overlap(op.name, x, *b.tensor);
  const ScalarType dtype = operand_dtype(op, x, b);
  const ScalarType result = result_dtype(op, dtype);
  const BinaryPlan p = plan(op, x, b, dtype, alpha);
  check_result_shape(op.name, x, p.shape);
  check_storable(op, x, b, result);
  if (op.check) op.check(op, x, b);
  if (x.numel() > 0) compute_into(op, x, p, result, !meet, alpha);
  return recording;
}

Tensor& compute_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a, const BinaryOperand& b,
                    const Scalar* alpha) {
  check_operands(op, a, b);
  const Tensor none;
  const Tensor &x = a.tensor ? *a.tensor : none, &y = b.tensor ? *b.tensor : none;
  if (!op.tests) check_out_gradient(op.name, out, {x, y});
  const BinaryPlan p = plan(op, a, b, operand_dtype(op, a, b), alpha);
  const ScalarType result = result_dtype(op, p.dtype);
  if (!out.defined()) out = make_tensor(p.shape, result, p.device);
  const OutPlan to = plan_out(op.name, out, p.shape, {x, y});
  check_storable(op, out, b, result);
  if (op.check) op.check(op, a, b);
  to.resize();
  if (out.numel() > 0) compute_into(op, out, p, result, to.apart, alpha);
  autograd::mark_changed(out);
  return out;
}

}  // namespace

namespace {

// Dtypes for storage only are compared in a computing dtype: u16 and u32 in i64, 8-bit floats in
// f32. For u64, flipping the highest bit gives the order of i64.
Tensor comparable(const Tensor& t) {
  if (t.scalar_type() != kUInt64) return t.to(isFloat8Type(t.scalar_type()) ? kFloat : kLong);
  return t.view(kLong).bitwise_xor(Scalar(INT64_MIN));
}
Tensor compare_stored(const BinaryOp& op, const Tensor& a, const BinaryOperand& b) {
  if (b.tensor) {
    const Tensor y = comparable(*b.tensor);
    return compute_binary(op, comparable(a), y);
  }
  if (a.scalar_type() != kUInt64) return compute_binary(op, comparable(a), *b.number);
  if (!b.number->isIntegral(true) || b.number->to<double>() < 0)
    return compute_binary(op, a.to(kDouble), *b.number);
  const auto flipped = static_cast<int64_t>(b.number->to<uint64_t>()) ^ INT64_MIN;
  return compute_binary(op, comparable(a), Scalar(flipped));
}

bool compares_stored(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  return op.tests && a.tensor && a.tensor->defined() && isStoredType(a.tensor->impl().dtype) &&
         (!b.tensor || b.tensor->defined()) && isStoredType(operand_dtype(op, a, b));
}

}  // namespace

Tensor compute_binary(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  if (__builtin_expect(compares_stored(op, a, b), 0)) return compare_stored(op, *a.tensor, b);
  const bool two = a.tensor && simple(op, *a.tensor, b.tensor);
  if (!two && !(a.tensor && simple_with_number(*a.tensor, b))) return compute(op, a, b, nullptr);
  if (op.check) op.check(op, a, b);
  const TensorImpl& x = a.tensor->impl();
  Tensor y = make_alike(x, result_dtype(op, x.dtype));  // both forms take row-major tensors
  if (x.numel == 0) return y;
  if (two)
    op.run_alike(y, *a.tensor, *b.tensor);
  else
    op.run(y, *a.tensor, In::number(*b.number, number_dtype(op, x.dtype)));
  return y;
}

bool compute_binary_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b) {
  const bool two = simple(op, x, b.tensor) && !x.is_alias_of(*b.tensor);
  if (op.tests || !(two || simple_with_number(x, b))) return compute_inplace(op, x, b, nullptr);
  const bool recording = check_inplace(op, x, b);
  if (op.check) op.check(op, x, b);
  if (x.numel() == 0) return recording;
  if (two)
    op.run_alike(x, x, *b.tensor);
  else
    op.run(x, x, In::number(*b.number, number_dtype(op, x.scalar_type())));
  return recording;
}

Tensor& compute_binary_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b) {
  return compute_out(op, out, a, b, nullptr);
}

namespace {

// Tests whether the kernel takes two tensors of floats without a plan.
TAPER_INLINE bool simple_floats(const BinaryOp& op, const BinaryOperand& a,
                                const BinaryOperand& b) {
  return a.tensor && simple(op, *a.tensor, b.tensor) && isFloatingType(a.tensor->impl().dtype);
}

}  // namespace

Tensor compute_scaled(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b,
                      const Scalar& alpha) {
  if (!simple_floats(op, a, b)) return compute(op, a, b, &alpha);
  if (op.check) op.check(op, a, b);
  Tensor y = make_alike(a.tensor->impl(), a.tensor->impl().dtype);
  if (y.numel() > 0) op.run_scaled(y, *a.tensor, *b.tensor, alpha);
  return y;
}
bool compute_scaled_inplace(const BinaryOp& op, const Tensor& x, const BinaryOperand& b,
                            const Scalar& alpha) {
  if (!simple_floats(op, x, b) || x.is_alias_of(*b.tensor))
    return compute_inplace(op, x, b, &alpha);
  const bool recording = check_inplace(op, x, b);
  if (op.check) op.check(op, x, b);
  if (x.numel() > 0) op.run_scaled(x, x, *b.tensor, alpha);
  return recording;
}
Tensor& compute_scaled_out(const BinaryOp& op, Tensor& out, const BinaryOperand& a,
                           const BinaryOperand& b, const Scalar& alpha) {
  return compute_out(op, out, a, b, &alpha);
}

}  // namespace torch::taper::detail
