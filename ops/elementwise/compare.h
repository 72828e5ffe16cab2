// Whether two tensors are equal or close, as a whole.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// True when both have the same shape and equal elements (NaN equals nothing). Waits for the
/// device.
bool equal(const Tensor& self, const Tensor& other);
/// Element by element, bool: |self - other| <= atol + rtol * |other|. Infinities are close to
/// themselves; NaN to nothing, or with equal_nan to NaN.
/// Errors: "Float did not match Long" for different dtypes; ValueError for negative tolerances.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
               bool equal_nan = false);
/// True when isclose holds everywhere. Waits for the device.
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
              bool equal_nan = false);

}  // namespace torch::taper

#pragma GCC visibility pop
