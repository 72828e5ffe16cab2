// Tests whether two tensors are equal or close.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns true if both have one shape and equal elements. NaN equals nothing. Synchronizes with
/// the device.
bool equal(const Tensor& self, const Tensor& other);
/// Tests each element: |self - other| <= atol + rtol * |other|. Returns bools. Equal infinities are
/// close. NaN is close to nothing, or to NaN if equal_nan is true.
/// Errors: "Float did not match Long" for different dtypes, and for negative tolerances.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
               bool equal_nan = false);
/// Returns true if isclose is true for all elements. Synchronizes with the device.
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
              bool equal_nan = false);

}  // namespace torch::taper

#pragma GCC visibility pop
