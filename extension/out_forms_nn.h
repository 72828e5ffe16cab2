// `out` forms of layers whose own headers have none: see out_forms.h.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/index/index.h>
#include <taper/ops/nn/nn.h>
#include <taper/ops/sequence/sequence.h>
#include <taper/ops/shared/shared.h>
#include <taper/ops/spatial/spatial.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// adaptive_avg_pool2d into `out`.
inline Tensor& adaptive_avg_pool2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
  const detail::OutScope scope("adaptive_avg_pool2d", {out}, {self});
  return store_out("adaptive_avg_pool2d", out, adaptive_avg_pool2d(self, output_size), {self});
}
/// adaptive_avg_pool3d into `out`.
inline Tensor& adaptive_avg_pool3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size) {
  const detail::OutScope scope("adaptive_avg_pool3d", {out}, {self});
  return store_out("adaptive_avg_pool3d", out, adaptive_avg_pool3d(self, output_size), {self});
}
/// adaptive_max_pool2d into the first arguments.
inline std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_out(Tensor& out, Tensor& indices,
                                                            const Tensor& self,
                                                            IntArrayRef output_size) {
  const detail::OutScope scope("adaptive_max_pool2d", {out, indices}, {self});
  return detail::store_results("adaptive_max_pool2d", std::tie(out, indices),
                               adaptive_max_pool2d(self, output_size), {self});
}
/// adaptive_max_pool3d into the first arguments.
inline std::tuple<Tensor&, Tensor&> adaptive_max_pool3d_out(Tensor& out, Tensor& indices,
                                                            const Tensor& self,
                                                            IntArrayRef output_size) {
  const detail::OutScope scope("adaptive_max_pool3d", {out, indices}, {self});
  return detail::store_results("adaptive_max_pool3d", std::tie(out, indices),
                               adaptive_max_pool3d(self, output_size), {self});
}
/// affine_grid_generator into `out`.
inline Tensor& affine_grid_generator_out(Tensor& out, const Tensor& theta, IntArrayRef size,
                                         bool align_corners) {
  const detail::OutScope scope("affine_grid_generator", {out}, {theta});
  return store_out("affine_grid_generator", out, affine_grid_generator(theta, size, align_corners),
                   {theta});
}
/// avg_pool2d into `out`.
inline Tensor& avg_pool2d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size,
                              IntArrayRef stride = {}, IntArrayRef padding = 0,
                              bool ceil_mode = false, bool count_include_pad = true,
                              optional<int64_t> divisor_override = nullopt) {
  const detail::OutScope scope("avg_pool2d", {out}, {self});
  return store_out("avg_pool2d", out,
                   avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                              divisor_override),
                   {self});
}
/// avg_pool3d into `out`.
inline Tensor& avg_pool3d_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size,
                              IntArrayRef stride = {}, IntArrayRef padding = 0,
                              bool ceil_mode = false, bool count_include_pad = true,
                              optional<int64_t> divisor_override = nullopt) {
  const detail::OutScope scope("avg_pool3d", {out}, {self});
  return store_out("avg_pool3d", out,
                   avg_pool3d(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                              divisor_override),
                   {self});
}
/// binary_cross_entropy into `out`.
inline Tensor& binary_cross_entropy_out(Tensor& out, const Tensor& self, const Tensor& target,
                                        const optional<Tensor>& weight = {},
                                        int64_t reduction = Reduction::Mean) {
  const detail::OutScope scope("binary_cross_entropy", {out}, {self, target});
  return store_out("binary_cross_entropy", out,
                   binary_cross_entropy(self, target, weight, reduction), {self, target});
}
/// binary_cross_entropy_with_logits into `out`.
inline Tensor& binary_cross_entropy_with_logits_out(Tensor& out, const Tensor& self,
                                                    const Tensor& target,
                                                    const optional<Tensor>& weight = {},
                                                    const optional<Tensor>& pos_weight = {},
                                                    int64_t reduction = Reduction::Mean) {
  const detail::OutScope scope("binary_cross_entropy_with_logits", {out}, {self, target});
  return store_out("binary_cross_entropy_with_logits", out,
                   binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction),
                   {self, target});
}
/// celu into `out`.
inline Tensor& celu_out(Tensor& out, const Tensor& self, const Scalar& alpha = 1.0) {
  const detail::OutScope scope("celu", {out}, {self});
  return store_out("celu", out, celu(self, alpha), {self});
}
/// channel_shuffle into `out`.
inline Tensor& channel_shuffle_out(Tensor& out, const Tensor& self, int64_t groups) {
  const detail::OutScope scope("channel_shuffle", {out}, {self});
  return store_out("channel_shuffle", out, channel_shuffle(self, groups), {self});
}
/// col2im into `out`.
inline Tensor& col2im_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                          IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding,
                          IntArrayRef stride) {
  const detail::OutScope scope("col2im", {out}, {self});
  return store_out("col2im", out, col2im(self, output_size, kernel_size, dilation, padding, stride),
                   {self});
}
/// constant_pad_nd into `out`.
inline Tensor& constant_pad_nd_out(Tensor& out, const Tensor& self, IntArrayRef pad,
                                   const Scalar& value = 0) {
  const detail::OutScope scope("constant_pad_nd", {out}, {self});
  return store_out("constant_pad_nd", out, constant_pad_nd(self, pad, value), {self});
}
/// conv_tbc into `out`.
inline Tensor& conv_tbc_out(Tensor& out, const Tensor& self, const Tensor& weight,
                            const Tensor& bias, int64_t pad = 0) {
  const detail::OutScope scope("conv_tbc", {out}, {self, weight, bias});
  return store_out("conv_tbc", out, conv_tbc(self, weight, bias, pad), {self, weight, bias});
}
/// fill into `out`.
inline Tensor& fill_out(Tensor& out, const Tensor& self, const Scalar& value) {
  const detail::OutScope scope("fill", {out}, {self});
  return store_out("fill", out, fill(self, value), {self});
}
/// fill into `out`.
inline Tensor& fill_out(Tensor& out, const Tensor& self, const Tensor& value) {
  const detail::OutScope scope("fill", {out}, {self, value});
  return store_out("fill", out, fill(self, value), {self, value});
}
/// fractional_max_pool2d into the first arguments.
inline std::tuple<Tensor&, Tensor&> fractional_max_pool2d_out(Tensor& output, Tensor& indices,
                                                              const Tensor& self,
                                                              IntArrayRef kernel_size,
                                                              IntArrayRef output_size,
                                                              const Tensor& random_samples) {
  const detail::OutScope scope("fractional_max_pool2d", {output, indices}, {self, random_samples});
  return detail::store_results(
      "fractional_max_pool2d", std::tie(output, indices),
      fractional_max_pool2d(self, kernel_size, output_size, random_samples),
      {self, random_samples});
}
/// fractional_max_pool3d into the first arguments.
inline std::tuple<Tensor&, Tensor&> fractional_max_pool3d_out(Tensor& output, Tensor& indices,
                                                              const Tensor& self,
                                                              IntArrayRef kernel_size,
                                                              IntArrayRef output_size,
                                                              const Tensor& random_samples) {
  const detail::OutScope scope("fractional_max_pool3d", {output, indices}, {self, random_samples});
  return detail::store_results(
      "fractional_max_pool3d", std::tie(output, indices),
      fractional_max_pool3d(self, kernel_size, output_size, random_samples),
      {self, random_samples});
}
/// grid_sampler_2d into `out`.
inline Tensor& grid_sampler_2d_out(Tensor& out, const Tensor& input, const Tensor& grid,
                                   int64_t interpolation_mode, int64_t padding_mode,
                                   bool align_corners) {
  const detail::OutScope scope("grid_sampler_2d", {out}, {input, grid});
  return store_out("grid_sampler_2d", out,
                   grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners),
                   {input, grid});
}
/// grid_sampler_3d into `out`.
inline Tensor& grid_sampler_3d_out(Tensor& out, const Tensor& input, const Tensor& grid,
                                   int64_t interpolation_mode, int64_t padding_mode,
                                   bool align_corners) {
  const detail::OutScope scope("grid_sampler_3d", {out}, {input, grid});
  return store_out("grid_sampler_3d", out,
                   grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners),
                   {input, grid});
}
/// im2col into `out`.
inline Tensor& im2col_out(Tensor& out, const Tensor& self, IntArrayRef kernel_size,
                          IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  const detail::OutScope scope("im2col", {out}, {self});
  return store_out("im2col", out, im2col(self, kernel_size, dilation, padding, stride), {self});
}
/// max_pool2d_with_indices into the first arguments.
inline std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_out(
    Tensor& out, Tensor& indices, const Tensor& self, IntArrayRef kernel_size,
    IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1,
    bool ceil_mode = false) {
  const detail::OutScope scope("max_pool2d_with_indices", {out, indices}, {self});
  return detail::store_results(
      "max_pool2d_with_indices", std::tie(out, indices),
      max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode), {self});
}
/// max_pool3d_with_indices into the first arguments.
inline std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_out(
    Tensor& out, Tensor& indices, const Tensor& self, IntArrayRef kernel_size,
    IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1,
    bool ceil_mode = false) {
  const detail::OutScope scope("max_pool3d_with_indices", {out, indices}, {self});
  return detail::store_results(
      "max_pool3d_with_indices", std::tie(out, indices),
      max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode), {self});
}
/// max_unpool2d into `out`.
inline Tensor& max_unpool2d_out(Tensor& out, const Tensor& self, const Tensor& indices,
                                IntArrayRef output_size) {
  const detail::OutScope scope("max_unpool2d", {out}, {self, indices});
  return store_out("max_unpool2d", out, max_unpool2d(self, indices, output_size), {self, indices});
}
/// max_unpool3d into `out`.
inline Tensor& max_unpool3d_out(Tensor& out, const Tensor& self, const Tensor& indices,
                                IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding) {
  const detail::OutScope scope("max_unpool3d", {out}, {self, indices});
  return store_out("max_unpool3d", out, max_unpool3d(self, indices, output_size, stride, padding),
                   {self, indices});
}
/// multi_margin_loss into `out`.
inline Tensor& multi_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                                     const Scalar& p = 1, const Scalar& margin = 1,
                                     const optional<Tensor>& weight = {},
                                     int64_t reduction = Reduction::Mean) {
  const detail::OutScope scope("multi_margin_loss", {out}, {self, target});
  return store_out("multi_margin_loss", out,
                   multi_margin_loss(self, target, p, margin, weight, reduction), {self, target});
}
/// multilabel_margin_loss into `out`.
inline Tensor& multilabel_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                                          int64_t reduction = Reduction::Mean) {
  const detail::OutScope scope("multilabel_margin_loss", {out}, {self, target});
  return store_out("multilabel_margin_loss", out, multilabel_margin_loss(self, target, reduction),
                   {self, target});
}
/// nll_loss2d into `out`.
inline Tensor& nll_loss2d_out(Tensor& out, const Tensor& self, const Tensor& target,
                              const optional<Tensor>& weight = {},
                              int64_t reduction = Reduction::Mean, int64_t ignore_index = -100) {
  const detail::OutScope scope("nll_loss2d", {out}, {self, target});
  return store_out("nll_loss2d", out, nll_loss2d(self, target, weight, reduction, ignore_index),
                   {self, target});
}
/// nll_loss into `out`.
inline Tensor& nll_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                            const optional<Tensor>& weight = {},
                            int64_t reduction = Reduction::Mean, int64_t ignore_index = -100) {
  const detail::OutScope scope("nll_loss", {out}, {self, target});
  return store_out("nll_loss", out, nll_loss(self, target, weight, reduction, ignore_index),
                   {self, target});
}
/// pixel_shuffle into `out`.
inline Tensor& pixel_shuffle_out(Tensor& out, const Tensor& self, int64_t upscale_factor) {
  const detail::OutScope scope("pixel_shuffle", {out}, {self});
  return store_out("pixel_shuffle", out, pixel_shuffle(self, upscale_factor), {self});
}
/// pixel_unshuffle into `out`.
inline Tensor& pixel_unshuffle_out(Tensor& out, const Tensor& self, int64_t downscale_factor) {
  const detail::OutScope scope("pixel_unshuffle", {out}, {self});
  return store_out("pixel_unshuffle", out, pixel_unshuffle(self, downscale_factor), {self});
}
/// put into `out`.
inline Tensor& put_out(Tensor& out, const Tensor& self, const Tensor& index, const Tensor& source,
                       bool accumulate = false) {
  const detail::OutScope scope("put", {out}, {self, index, source});
  return store_out("put", out, put(self, index, source, accumulate), {self, index, source});
}
/// reflection_pad1d into `out`.
inline Tensor& reflection_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("reflection_pad1d", {out}, {self});
  return store_out("reflection_pad1d", out, reflection_pad1d(self, padding), {self});
}
/// reflection_pad2d into `out`.
inline Tensor& reflection_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("reflection_pad2d", {out}, {self});
  return store_out("reflection_pad2d", out, reflection_pad2d(self, padding), {self});
}
/// reflection_pad3d into `out`.
inline Tensor& reflection_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("reflection_pad3d", {out}, {self});
  return store_out("reflection_pad3d", out, reflection_pad3d(self, padding), {self});
}
/// replication_pad1d into `out`.
inline Tensor& replication_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("replication_pad1d", {out}, {self});
  return store_out("replication_pad1d", out, replication_pad1d(self, padding), {self});
}
/// replication_pad2d into `out`.
inline Tensor& replication_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("replication_pad2d", {out}, {self});
  return store_out("replication_pad2d", out, replication_pad2d(self, padding), {self});
}
/// replication_pad3d into `out`.
inline Tensor& replication_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding) {
  const detail::OutScope scope("replication_pad3d", {out}, {self});
  return store_out("replication_pad3d", out, replication_pad3d(self, padding), {self});
}
/// rrelu_with_noise into `out`.
inline Tensor& rrelu_with_noise_out(Tensor& out, const Tensor& self, Tensor& noise,
                                    const Scalar& lower = 0.125,
                                    const Scalar& upper = 0.3333333333333333, bool training = false,
                                    optional<Generator> generator = nullopt) {
  const detail::OutScope scope("rrelu_with_noise", {out}, {self});
  return store_out("rrelu_with_noise", out,
                   rrelu_with_noise(self, noise, lower, upper, training, generator), {self});
}
/// soft_margin_loss into `out`.
inline Tensor& soft_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                                    int64_t reduction = Reduction::Mean) {
  const detail::OutScope scope("soft_margin_loss", {out}, {self, target});
  return store_out("soft_margin_loss", out, soft_margin_loss(self, target, reduction),
                   {self, target});
}
/// upsample_bicubic2d into `out`.
inline Tensor& upsample_bicubic2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                      bool align_corners, optional<double> scales_h = nullopt,
                                      optional<double> scales_w = nullopt) {
  const detail::OutScope scope("upsample_bicubic2d", {out}, {self});
  return store_out("upsample_bicubic2d", out,
                   upsample_bicubic2d(self, output_size, align_corners, scales_h, scales_w),
                   {self});
}
/// upsample_bilinear2d into `out`.
inline Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                       bool align_corners, optional<double> scales_h = nullopt,
                                       optional<double> scales_w = nullopt) {
  const detail::OutScope scope("upsample_bilinear2d", {out}, {self});
  return store_out("upsample_bilinear2d", out,
                   upsample_bilinear2d(self, output_size, align_corners, scales_h, scales_w),
                   {self});
}
/// upsample_bilinear2d into `out`.
inline Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& input,
                                       OptionalIntArrayRef output_size, bool align_corners,
                                       optional<ArrayRef<double>> scale_factors) {
  const detail::OutScope scope("upsample_bilinear2d", {out}, {input});
  return store_out("upsample_bilinear2d", out,
                   upsample_bilinear2d(input, output_size, align_corners, scale_factors), {input});
}
/// upsample_linear1d into `out`.
inline Tensor& upsample_linear1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                     bool align_corners, optional<double> scales = nullopt) {
  const detail::OutScope scope("upsample_linear1d", {out}, {self});
  return store_out("upsample_linear1d", out,
                   upsample_linear1d(self, output_size, align_corners, scales), {self});
}
/// upsample_nearest1d into `out`.
inline Tensor& upsample_nearest1d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                      optional<double> scales = nullopt) {
  const detail::OutScope scope("upsample_nearest1d", {out}, {self});
  return store_out("upsample_nearest1d", out, upsample_nearest1d(self, output_size, scales),
                   {self});
}
/// upsample_nearest2d into `out`.
inline Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                      optional<double> scales_h = nullopt,
                                      optional<double> scales_w = nullopt) {
  const detail::OutScope scope("upsample_nearest2d", {out}, {self});
  return store_out("upsample_nearest2d", out,
                   upsample_nearest2d(self, output_size, scales_h, scales_w), {self});
}
/// upsample_nearest2d into `out`.
inline Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& input,
                                      OptionalIntArrayRef output_size,
                                      optional<ArrayRef<double>> scale_factors) {
  const detail::OutScope scope("upsample_nearest2d", {out}, {input});
  return store_out("upsample_nearest2d", out, upsample_nearest2d(input, output_size, scale_factors),
                   {input});
}
/// upsample_nearest3d into `out`.
inline Tensor& upsample_nearest3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                      optional<double> scales_d = nullopt,
                                      optional<double> scales_h = nullopt,
                                      optional<double> scales_w = nullopt) {
  const detail::OutScope scope("upsample_nearest3d", {out}, {self});
  return store_out("upsample_nearest3d", out,
                   upsample_nearest3d(self, output_size, scales_d, scales_h, scales_w), {self});
}
/// upsample_trilinear3d into `out`.
inline Tensor& upsample_trilinear3d_out(Tensor& out, const Tensor& self, IntArrayRef output_size,
                                        bool align_corners, optional<double> scales_d = nullopt,
                                        optional<double> scales_h = nullopt,
                                        optional<double> scales_w = nullopt) {
  const detail::OutScope scope("upsample_trilinear3d", {out}, {self});
  return store_out(
      "upsample_trilinear3d", out,
      upsample_trilinear3d(self, output_size, align_corners, scales_d, scales_h, scales_w), {self});
}

}  // namespace torch::taper

#pragma GCC visibility pop
