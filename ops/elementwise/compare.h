// Tests whether two tensors are equal or close.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns true if self and other have equal shapes and equal elements. NaN is not equal to NaN.
/// Synchronizes with the device.
bool equal(const Tensor& self, const Tensor& other);
/// Tests each element: |self - other| <= atol + rtol * |other|. Returns bools. Equal infinities are
/// close. NaN is close to no number. NaN is close to NaN only if equal_nan is true. Errors: "Float
/// did not match Long" for different dtypes. Negative tolerances throw, too.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
               bool equal_nan = false);
/// Returns true if isclose is true for all elements. Synchronizes with the device.
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
              bool equal_nan = false);

}  // namespace torch::taper

#pragma GCC visibility pop
