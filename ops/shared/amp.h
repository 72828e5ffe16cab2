// The two ops of a gradient scaler (optim/grad_scaler.h), under LibTorch's names.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Multiplies the tensors by `inv_scale` in place and sets `found_inf` to 1 if an element is
/// infinite or NaN. There is one launch per dtype, if possible, and no synchronization. The tensors
/// must be floating and on the device of found_inf and inv_scale. The tensors may have any sizes.
/// found_inf and inv_scale have one element of f32. Errors: Error for another dtype, number of
/// elements or device. NotImplementedError for tensors that are not floating. Errors leave
/// everything unchanged.
void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale);

/// Updates the scale `self`. If found_inf is not 0, the scale is multiplied by
/// scale_backoff_factor, and growth_tracker becomes 0. Otherwise growth_tracker is incremented.
/// When growth_tracker reaches growth_interval, it becomes 0, and the scale is multiplied by
/// scale_growth_factor, unless the result is infinite. Each tensor has one element: f32 for self
/// and found_inf, int32 for growth_tracker. Errors: Error for another dtype, number of elements or
/// device.
Tensor& _amp_update_scale_(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                           double scale_growth_factor, double scale_backoff_factor,
                           int64_t growth_interval);

}  // namespace torch::taper

#pragma GCC visibility pop
