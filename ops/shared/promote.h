// The operands of binary ops: numbers, dtypes, shapes, devices, and shapes of gradients.
#pragma once

#include <functional>
#include <initializer_list>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::detail {

/// A tensor or a number, for the duration of a call, without a copy.
struct BinaryOperand {
  const Tensor* tensor = nullptr;
  const Scalar* number = nullptr;
  BinaryOperand(const Tensor& t) : tensor(&t) {}
  BinaryOperand(const Scalar& s) : number(&s) {}
};

/// Returns the dtype that two operands promote to.
ScalarType promoted_dtype(const BinaryOperand& a, const BinaryOperand& b);

/// Returns the dtype that all tensors promote to. Promoting two tensors after the other would give
/// other results. A 0-dim tensor changes the dtype only if its category is higher than the category
/// of each tensor with dimensions.
ScalarType promoted_dtype(std::initializer_list<std::reference_wrapper<const Tensor>> operands);

/// Operands that are ready for a kernel. They have one dtype, are on one device and broadcast.
struct BinaryPlan {
  ScalarType dtype;
  Device device;
  Dims shape;
  /// The operands, usually converted to `dtype`. For a number, the tensor is undefined.
  Tensor a, b;
  /// The same operands, for the kernel.
  In in_a, in_b;
};
/// Prepares operands, which must be defined. Throws if devices differ or if shapes do not
/// broadcast. With `as_they_are`, tensors keep their dtypes.
BinaryPlan plan_binary(const char* op, const BinaryOperand& a, const BinaryOperand& b,
                       ScalarType dtype, bool as_they_are = false);

/// The shape, dtype and device of an input. The call operator converts a gradient to them.
struct InputForm {
  Dims sizes;
  ScalarType dtype;
  Device device;
  explicit InputForm(const Tensor& t)
      : sizes(t.impl().sizes), dtype(t.scalar_type()), device(t.device()) {}
  /// Returns g, summed to the input's shape and converted to its dtype and device. g has the
  /// broadcast shape.
  Tensor operator()(const Tensor& g) const {
    if (g.impl().sizes == sizes && g.scalar_type() == dtype && g.device() == device) return g;
    return convert(g);
  }

 private:
  Tensor convert(const Tensor& g) const;
};

/// Returns a gradient unchanged. It replaces InputForm if the gradient needs no conversion, and
/// takes no space in a node.
struct SameForm {
  explicit SameForm(const Tensor&) {}
  const Tensor& operator()(const Tensor& g) const { return g; }
};

/// Tests whether a gradient of `y` has the shape, dtype and device of `x`.
inline bool same_form(const Tensor& y, const Tensor& x) {
  return y.impl().sizes == x.impl().sizes && y.scalar_type() == x.scalar_type() &&
         y.device() == x.device();
}

}  // namespace torch::taper::detail
