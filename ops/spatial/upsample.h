// Resampling the spatial dimensions of (N, C, spatial...) to another size.
//
// Floating dtypes (the nearest ones take u8 too); f16 and bf16 compute in float. An output pixel's
// place in the input is found from the sizes, or from the given factors `scales` (output / input;
// one for each spatial dimension, nullopt: from the sizes). With align_corners the centres of the
// corner pixels coincide, otherwise the corners of the images. Pixels beyond an edge are the
// edge's. Throws Error for another number of dimensions, and for empty images.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Takes the pixel at floor(place); the `exact` ones the pixel whose centre is nearest.
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
/// The same two with a filter as wide as the step where the image shrinks (Keys' a is -0.5): all
/// input pixels count.
Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               optional<double> scales_h = nullopt,
                               optional<double> scales_w = nullopt);
Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              optional<double> scales_h = nullopt,
                              optional<double> scales_w = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
