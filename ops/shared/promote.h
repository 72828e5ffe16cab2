// What all binary ops do with their operands: numbers, dtypes, shapes, devices, gradients' shapes.
#pragma once

#include <functional>
#include <initializer_list>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::detail {

/// A tensor or a number, for the length of a call: copies of them would cost a small op.
struct BinaryOperand {
  const Tensor* tensor = nullptr;
  const Scalar* number = nullptr;
  BinaryOperand(const Tensor& t) : tensor(&t) {}
  BinaryOperand(const Scalar& s) : number(&s) {}
};

/// The dtype that two operands promote to.
ScalarType promoted_dtype(const BinaryOperand& a, const BinaryOperand& b);

/// The same for any number of tensors, which is not that of pairs in turn: a 0-dim tensor counts
/// only where its category is higher than that of all others.
ScalarType promoted_dtype(std::initializer_list<std::reference_wrapper<const Tensor>> operands);

/// Operands made ready for a kernel: of one dtype, broadcastable, on one device.
struct BinaryPlan {
  ScalarType dtype;
  Device device;
  Dims shape;
  /// The operands, as a rule in `dtype`; undefined for a number.
  Tensor a, b;
  /// What the kernel gets.
  In in_a, in_b;
};
/// The operands are defined. Throws for different devices and shapes that do not broadcast. With
/// `as_they_are` tensors keep their dtypes.
BinaryPlan plan_binary(const char* op, const BinaryOperand& a, const BinaryOperand& b,
                       ScalarType dtype, bool as_they_are = false);

/// Shape, dtype and device of an input, to bring a gradient into its form.
struct InputForm {
  Dims sizes;
  ScalarType dtype;
  Device device;
  explicit InputForm(const Tensor& t)
      : sizes(t.impl().sizes), dtype(t.scalar_type()), device(t.device()) {}
  /// `g`, of the shape that the input was broadcast to, summed and converted to the input's form.
  Tensor operator()(const Tensor& g) const {
    if (g.impl().sizes == sizes && g.scalar_type() == dtype && g.device() == device) return g;
    return convert(g);
  }

 private:
  Tensor convert(const Tensor& g) const;
};

/// In place of an InputForm when the gradient has the input's form already: takes no room in a
/// node.
struct SameForm {
  explicit SameForm(const Tensor&) {}
  const Tensor& operator()(const Tensor& g) const { return g; }
};

/// True when a gradient of `y` has the form of `x`.
inline bool same_form(const Tensor& y, const Tensor& x) {
  return y.impl().sizes == x.impl().sizes && y.scalar_type() == x.scalar_type() &&
         y.device() == x.device();
}

}  // namespace torch::taper::detail
