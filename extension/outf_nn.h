// The `out` forms of functions of networks,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/out_forms_nn.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& adaptive_avg_pool2d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  return adaptive_avg_pool2d_out(out, self, output_size);
}
inline Tensor& adaptive_avg_pool3d_outf(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  return adaptive_avg_pool3d_out(out, self, output_size);
}
inline std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_outf(const Tensor& self,
                                                             IntArrayRef output_size, Tensor& out,
                                                             Tensor& indices) {
  return adaptive_max_pool2d_out(out, indices, self, output_size);
}
inline std::tuple<Tensor&, Tensor&> adaptive_max_pool3d_outf(const Tensor& self,
                                                             IntArrayRef output_size, Tensor& out,
                                                             Tensor& indices) {
  return adaptive_max_pool3d_out(out, indices, self, output_size);
}
inline Tensor& affine_grid_generator_outf(const Tensor& theta, IntArrayRef size, bool align_corners,
                                          Tensor& out) {
  return affine_grid_generator_out(out, theta, size, align_corners);
}
inline Tensor& avg_pool2d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                               IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                               optional<int64_t> divisor_override, Tensor& out) {
  return avg_pool2d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                        divisor_override);
}
inline Tensor& avg_pool3d_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                               IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                               optional<int64_t> divisor_override, Tensor& out) {
  return avg_pool3d_out(out, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                        divisor_override);
}
inline Tensor& binary_cross_entropy_outf(const Tensor& self, const Tensor& target,
                                         const optional<Tensor>& weight, int64_t reduction,
                                         Tensor& out) {
  return binary_cross_entropy_out(out, self, target, weight, reduction);
}
inline Tensor& binary_cross_entropy_with_logits_outf(const Tensor& self, const Tensor& target,
                                                     const optional<Tensor>& weight,
                                                     const optional<Tensor>& pos_weight,
                                                     int64_t reduction, Tensor& out) {
  return binary_cross_entropy_with_logits_out(out, self, target, weight, pos_weight, reduction);
}
inline Tensor& celu_outf(const Tensor& self, const Scalar& alpha, Tensor& out) {
  return celu_out(out, self, alpha);
}
inline Tensor& channel_shuffle_outf(const Tensor& self, int64_t groups, Tensor& out) {
  return channel_shuffle_out(out, self, groups);
}
inline Tensor& col2im_outf(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
                           IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride,
                           Tensor& out) {
  return col2im_out(out, self, output_size, kernel_size, dilation, padding, stride);
}
inline Tensor& constant_pad_nd_outf(const Tensor& self, IntArrayRef pad, const Scalar& value,
                                    Tensor& out) {
  return constant_pad_nd_out(out, self, pad, value);
}
inline Tensor& conv_tbc_outf(const Tensor& self, const Tensor& weight, const Tensor& bias,
                             int64_t pad, Tensor& out) {
  return conv_tbc_out(out, self, weight, bias, pad);
}
inline Tensor& fill_outf(const Tensor& self, const Scalar& value, Tensor& out) {
  return fill_out(out, self, value);
}
inline Tensor& fill_outf(const Tensor& self, const Tensor& value, Tensor& out) {
  return fill_out(out, self, value);
}
inline std::tuple<Tensor&, Tensor&> fractional_max_pool2d_outf(const Tensor& self,
                                                               IntArrayRef kernel_size,
                                                               IntArrayRef output_size,
                                                               const Tensor& random_samples,
                                                               Tensor& output, Tensor& indices) {
  return fractional_max_pool2d_out(output, indices, self, kernel_size, output_size, random_samples);
}
inline std::tuple<Tensor&, Tensor&> fractional_max_pool3d_outf(const Tensor& self,
                                                               IntArrayRef kernel_size,
                                                               IntArrayRef output_size,
                                                               const Tensor& random_samples,
                                                               Tensor& output, Tensor& indices) {
  return fractional_max_pool3d_out(output, indices, self, kernel_size, output_size, random_samples);
}
inline Tensor& grid_sampler_2d_outf(const Tensor& input, const Tensor& grid,
                                    int64_t interpolation_mode, int64_t padding_mode,
                                    bool align_corners, Tensor& out) {
  return grid_sampler_2d_out(out, input, grid, interpolation_mode, padding_mode, align_corners);
}
inline Tensor& grid_sampler_3d_outf(const Tensor& input, const Tensor& grid,
                                    int64_t interpolation_mode, int64_t padding_mode,
                                    bool align_corners, Tensor& out) {
  return grid_sampler_3d_out(out, input, grid, interpolation_mode, padding_mode, align_corners);
}
inline Tensor& im2col_outf(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
                           IntArrayRef padding, IntArrayRef stride, Tensor& out) {
  return im2col_out(out, self, kernel_size, dilation, padding, stride);
}
inline std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_outf(const Tensor& self,
                                                                 IntArrayRef kernel_size,
                                                                 IntArrayRef stride,
                                                                 IntArrayRef padding,
                                                                 IntArrayRef dilation,
                                                                 bool ceil_mode, Tensor& out,
                                                                 Tensor& indices) {
  return max_pool2d_with_indices_out(out, indices, self, kernel_size, stride, padding, dilation,
                                     ceil_mode);
}
inline std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_outf(const Tensor& self,
                                                                 IntArrayRef kernel_size,
                                                                 IntArrayRef stride,
                                                                 IntArrayRef padding,
                                                                 IntArrayRef dilation,
                                                                 bool ceil_mode, Tensor& out,
                                                                 Tensor& indices) {
  return max_pool3d_with_indices_out(out, indices, self, kernel_size, stride, padding, dilation,
                                     ceil_mode);
}
inline Tensor& max_unpool2d_outf(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                                 Tensor& out) {
  return max_unpool2d_out(out, self, indices, output_size);
}
inline Tensor& max_unpool3d_outf(const Tensor& self, const Tensor& indices, IntArrayRef output_size,
                                 IntArrayRef stride, IntArrayRef padding, Tensor& out) {
  return max_unpool3d_out(out, self, indices, output_size, stride, padding);
}
inline Tensor& multi_margin_loss_outf(const Tensor& self, const Tensor& target, const Scalar& p,
                                      const Scalar& margin, const optional<Tensor>& weight,
                                      int64_t reduction, Tensor& out) {
  return multi_margin_loss_out(out, self, target, p, margin, weight, reduction);
}
inline Tensor& multilabel_margin_loss_outf(const Tensor& self, const Tensor& target,
                                           int64_t reduction, Tensor& out) {
  return multilabel_margin_loss_out(out, self, target, reduction);
}
inline Tensor& nll_loss2d_outf(const Tensor& self, const Tensor& target,
                               const optional<Tensor>& weight, int64_t reduction,
                               int64_t ignore_index, Tensor& out) {
  return nll_loss2d_out(out, self, target, weight, reduction, ignore_index);
}
inline Tensor& nll_loss_outf(const Tensor& self, const Tensor& target,
                             const optional<Tensor>& weight, int64_t reduction,
                             int64_t ignore_index, Tensor& out) {
  return nll_loss_out(out, self, target, weight, reduction, ignore_index);
}
inline Tensor& pixel_shuffle_outf(const Tensor& self, int64_t upscale_factor, Tensor& out) {
  return pixel_shuffle_out(out, self, upscale_factor);
}
inline Tensor& pixel_unshuffle_outf(const Tensor& self, int64_t downscale_factor, Tensor& out) {
  return pixel_unshuffle_out(out, self, downscale_factor);
}
inline Tensor& put_outf(const Tensor& self, const Tensor& index, const Tensor& source,
                        bool accumulate, Tensor& out) {
  return put_out(out, self, index, source, accumulate);
}
inline Tensor& reflection_pad1d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return reflection_pad1d_out(out, self, padding);
}
inline Tensor& reflection_pad2d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return reflection_pad2d_out(out, self, padding);
}
inline Tensor& reflection_pad3d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return reflection_pad3d_out(out, self, padding);
}
inline Tensor& replication_pad1d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return replication_pad1d_out(out, self, padding);
}
inline Tensor& replication_pad2d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return replication_pad2d_out(out, self, padding);
}
inline Tensor& replication_pad3d_outf(const Tensor& self, IntArrayRef padding, Tensor& out) {
  return replication_pad3d_out(out, self, padding);
}
inline Tensor& soft_margin_loss_outf(const Tensor& self, const Tensor& target, int64_t reduction,
                                     Tensor& out) {
  return soft_margin_loss_out(out, self, target, reduction);
}
inline Tensor& upsample_bicubic2d_outf(const Tensor& self, IntArrayRef output_size,
                                       bool align_corners, optional<double> scales_h,
                                       optional<double> scales_w, Tensor& out) {
  return upsample_bicubic2d_out(out, self, output_size, align_corners, scales_h, scales_w);
}
inline Tensor& upsample_bilinear2d_outf(const Tensor& self, IntArrayRef output_size,
                                        bool align_corners, optional<double> scales_h,
                                        optional<double> scales_w, Tensor& out) {
  return upsample_bilinear2d_out(out, self, output_size, align_corners, scales_h, scales_w);
}
inline Tensor& upsample_bilinear2d_outf(const Tensor& input, OptionalIntArrayRef output_size,
                                        bool align_corners,
                                        optional<ArrayRef<double>> scale_factors, Tensor& out) {
  return upsample_bilinear2d_out(out, input, output_size, align_corners, scale_factors);
}
inline Tensor& upsample_linear1d_outf(const Tensor& self, IntArrayRef output_size,
                                      bool align_corners, optional<double> scales, Tensor& out) {
  return upsample_linear1d_out(out, self, output_size, align_corners, scales);
}
inline Tensor& upsample_nearest1d_outf(const Tensor& self, IntArrayRef output_size,
                                       optional<double> scales, Tensor& out) {
  return upsample_nearest1d_out(out, self, output_size, scales);
}
inline Tensor& upsample_nearest2d_outf(const Tensor& self, IntArrayRef output_size,
                                       optional<double> scales_h, optional<double> scales_w,
                                       Tensor& out) {
  return upsample_nearest2d_out(out, self, output_size, scales_h, scales_w);
}
inline Tensor& upsample_nearest2d_outf(const Tensor& input, OptionalIntArrayRef output_size,
                                       optional<ArrayRef<double>> scale_factors, Tensor& out) {
  return upsample_nearest2d_out(out, input, output_size, scale_factors);
}
inline Tensor& upsample_nearest3d_outf(const Tensor& self, IntArrayRef output_size,
                                       optional<double> scales_d, optional<double> scales_h,
                                       optional<double> scales_w, Tensor& out) {
  return upsample_nearest3d_out(out, self, output_size, scales_d, scales_h, scales_w);
}
inline Tensor& upsample_trilinear3d_outf(const Tensor& self, IntArrayRef output_size,
                                         bool align_corners, optional<double> scales_d,
                                         optional<double> scales_h, optional<double> scales_w,
                                         Tensor& out) {
  return upsample_trilinear3d_out(out, self, output_size, align_corners, scales_d, scales_h,
                                  scales_w);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
