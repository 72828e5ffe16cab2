// Resamples images (N, C, spatial...) to the spatial sizes output_size.
//
// The functions take floating dtypes. Functions with `nearest` in their names also take u8. f16 and
// bf16 are computed in float. The position of an output pixel in the input is computed from the
// ratio of the sizes. `scales` (output / input, one per spatial dimension) replaces this ratio,
// unless align_corners is true. (As in LibTorch, upsample_nearest2d ignores the scale of a
// dimension whose size stays or doubles.) With align_corners, the centres of the corner pixels of
// input and output coincide. Otherwise the corners of both images coincide. Pixels beyond an edge
// have the value of the edge pixel, except with antialiasing. The functions throw Error for a wrong
// number of dimensions and for empty images.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sets output pixel o to input pixel floor(o / scale). scale is the ratio output / input. The
/// `exact` forms take input pixel floor((o + 0.5) / scale), which has the nearest centre.
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
/// Blends the two nearest pixels along each dimension linearly.
Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                         optional<double> scales = nullopt);
Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                           optional<double> scales_h = nullopt,
                           optional<double> scales_w = nullopt);
Tensor upsample_trilinear3d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                            optional<double> scales_d = nullopt,
                            optional<double> scales_h = nullopt,
                            optional<double> scales_w = nullopt);
/// Blends the four nearest pixels along each dimension by Keys' cubic. The parameter a of the cubic
/// is -0.75.
Tensor upsample_bicubic2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                          optional<double> scales_h = nullopt, optional<double> scales_w = nullopt);
/// Blends bilinearly or bicubically, with antialiasing. If the image shrinks, the filter widens in
/// proportion, so that all input pixels are used. (For Keys' cubic, a is -0.5.)
Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               optional<double> scales_h = nullopt,
                               optional<double> scales_w = nullopt);
Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              optional<double> scales_h = nullopt,
                              optional<double> scales_w = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
