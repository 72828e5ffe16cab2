// Resampling the spatial dimensions of (N, C, spatial...) to another size.
//
// The functions take floating dtypes. The nearest functions take u8, too. f16 and bf16 are computed
// in float. The position of an output pixel in the input is computed from the ratio of the sizes.
// `scales` (output / input, one per spatial dimension) replaces this ratio. With align_corners, the
// centres of the corner pixels coincide. Otherwise the corners of the images coincide. Pixels
// beyond an edge have the edge's value. The functions throw Error for another number of dimensions
// and for empty images.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the pixel at floor(position). The `exact` forms take the pixel with the nearest centre.
Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size,
                          optional<double> scales = nullopt);
Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size,
                          optional<double> scales_h = nullopt, optional<double> scales_w = nullopt);
Tensor upsample_nearest3d(const Tensor& self, IntArrayRef output_size,
                          optional<double> scales_d = nullopt, optional<double> scales_h = nullopt,
                          optional<double> scales_w = nullopt);
Tensor _upsample_nearest_exact1d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales = nullopt);
Tensor _upsample_nearest_exact2d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales_h = nullopt,
                                 optional<double> scales_w = nullopt);
Tensor _upsample_nearest_exact3d(const Tensor& self, IntArrayRef output_size,
                                 optional<double> scales_d = nullopt,
                                 optional<double> scales_h = nullopt,
                                 optional<double> scales_w = nullopt);
/// Blends the two neighbours along each dimension.
Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                         optional<double> scales = nullopt);
Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                           optional<double> scales_h = nullopt,
                           optional<double> scales_w = nullopt);
Tensor upsample_trilinear3d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                            optional<double> scales_d = nullopt,
                            optional<double> scales_h = nullopt,
                            optional<double> scales_w = nullopt);
/// Blends four neighbours along each dimension by Keys' cubic with a = -0.75.
Tensor upsample_bicubic2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                          optional<double> scales_h = nullopt, optional<double> scales_w = nullopt);
/// Blends bilinearly or bicubically, with antialiasing. If the image shrinks, the filter widens in
/// proportion, so that all input pixels are used. (Keys' a is -0.5.)
Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               optional<double> scales_h = nullopt,
                               optional<double> scales_w = nullopt);
Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              optional<double> scales_h = nullopt,
                              optional<double> scales_w = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
