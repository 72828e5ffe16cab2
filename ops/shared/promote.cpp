#include <taper/ops/shared/promote.h>

#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/complex.h>

namespace torch::taper::detail {
namespace {

ScalarType number_dtype(const Scalar& s) {
  if (s.isComplex()) return toComplexType(default_dtype());
  return s.isFloatingPoint() ? default_dtype() : s.isBoolean() ? kBool : kLong;
}

// bool < integral < floating < complex.
int category(ScalarType t) {
  return isComplexType(t) ? 3 : t == kBool ? 0 : isFloatingType(t) ? 2 : 1;
}

// Returns 2 for a tensor with dimensions, 1 for a 0-dim tensor, and 0 for a number. A lower rank
// changes the dtype of a higher one only by a higher category.
int priority(const BinaryOperand& o) {
  if (!o.tensor || o.tensor->impl().wrapped_number) return 0;
  return o.tensor->dim() > 0 ? 2 : 1;
}

ScalarType own_dtype(const BinaryOperand& o) {
  return o.tensor ? o.tensor->scalar_type() : number_dtype(*o.number);
}

void check_devices(const char* op, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device()) return;
  const bool mixes = (a.is_cpu() && a.dim() == 0) || (b.is_cpu() && b.dim() == 0);
  if (!mixes) check_same_device(op, a, b);
}

// Returns the tensor in the dtype on the device. A 0-dim CPU tensor beside CUDA ones moves.
Tensor ready(const Tensor& t, ScalarType dtype, Device device) {
  return t.scalar_type() == dtype && t.device() == device ? t : t.to(device, dtype);
}

// Returns the dtype of operands of dtype `strong` beside others of a lower rank.
ScalarType beside(ScalarType strong, ScalarType weak) {
  if (category(weak) <= category(strong)) return strong;
  // A complex number makes floats complex and keeps their precision.
  if (isFloatingType(strong)) return strong == kDouble ? kComplexDouble : kComplexFloat;
  // A number brings the default dtype of its category, a 0-dim tensor its dtype.
  return promoteTypes(strong, weak);
}

}  // namespace

ScalarType promoted_dtype(const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType ta = own_dtype(a), tb = own_dtype(b);
  const int pa = priority(a), pb = priority(b);
  if (pa == pb) return promoteTypes(ta, tb);
  return pa > pb ? beside(ta, tb) : beside(tb, ta);
}

ScalarType promoted_dtype(std::initializer_list<std::reference_wrapper<const Tensor>> operands) {
  ScalarType of_rank[3] = {ScalarType::Undefined, ScalarType::Undefined, ScalarType::Undefined};
  for (const Tensor& x : operands) {
    ScalarType& t = of_rank[priority(x)];
    t = t == ScalarType::Undefined ? x.scalar_type() : promoteTypes(t, x.scalar_type());
  }
  ScalarType result = ScalarType::Undefined;
  for (int rank : {2, 1, 0}) {
    if (of_rank[rank] == ScalarType::Undefined) continue;
    result = result == ScalarType::Undefined ? of_rank[rank] : beside(result, of_rank[rank]);
  }
  return result;
}

BinaryPlan plan_binary(const char* op, const BinaryOperand& a, const BinaryOperand& b,
                       ScalarType dtype, bool as_they_are) {
  BinaryPlan p;
  p.dtype = dtype;
  if (a.tensor && b.tensor) {
    check_devices(op, *a.tensor, *b.tensor);
    p.device = a.tensor->is_cpu() ? b.tensor->device() : a.tensor->device();
    p.shape = a.tensor->sizes() == b.tensor->sizes()
                  ? a.tensor->impl().sizes
                  : broadcast_shapes(op, a.tensor->sizes(), b.tensor->sizes());
  } else {
    const Tensor& t = a.tensor ? *a.tensor : *b.tensor;
    p.device = t.device();
    p.shape = t.impl().sizes;
  }
  const auto made_ready = [&](const Tensor& t) {
    return ready(t, as_they_are ? t.scalar_type() : dtype, p.device);
  };
  if (a.tensor) p.a = made_ready(*a.tensor);
  if (b.tensor) p.b = made_ready(*b.tensor);
  p.in_a = a.tensor ? In(p.a) : In::number(*a.number, dtype);
  p.in_b = b.tensor ? In(p.b) : In::number(*b.number, dtype);
  return p;
}

Tensor InputForm::convert(const Tensor& g) const {
  const Tensor r = g.impl().sizes == sizes ? g : g.sum_to_size(sizes);
  if (r.is_complex() && !isComplexType(dtype)) return real(r).to(device, dtype, false, true);
  return r.scalar_type() == dtype && r.device() == device ? r : r.to(device, dtype);
}

}  // namespace torch::taper::detail
