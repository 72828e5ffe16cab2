// Resampling the spatial dimensions of (N, C, spatial...) to another size.
//
// They take floating dtypes, and the nearest ones u8 too. f16 and bf16 compute in float. The
// position of an output pixel in the input follows from the sizes. `scales` (output / input, one
// per spatial dimension) overrides them. With align_corners the centres of the corner pixels
// coincide, otherwise the corners of the images. Pixels beyond an edge have the edge's value.
// Throws Error for another number of dimensions, and for empty images.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Takes the pixel at floor(position). The `exact` forms take the pixel with the nearest centre.
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
/// Blends with antialiasing, bilinear or bicubic. If the image shrinks, the filter is as wide as
/// the step, so that all input pixels count. (Keys' a is -0.5.)
Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               optional<double> scales_h = nullopt,
                               optional<double> scales_w = nullopt);
Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              optional<double> scales_h = nullopt,
                              optional<double> scales_w = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
