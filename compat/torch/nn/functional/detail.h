// torch::nn::functional::detail: functional forms that take each option as a separate argument, in
// LibTorch's order.
#pragma once

#include <taper/nn/nn.h>
#include <torch/names.h>

namespace torch::taper::nn::functional::detail {

inline Tensor elu(Tensor input, double alpha, bool inplace) {
  return functional::elu(input, ELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor selu(Tensor input, bool inplace) {
  return functional::selu(input, SELUFuncOptions().inplace(inplace));
}
inline Tensor hardshrink(const Tensor& input, double lambda) {
  return functional::hardshrink(input, HardshrinkFuncOptions().lambda(lambda));
}
inline Tensor hardtanh(Tensor input, double min_val, double max_val, bool inplace) {
  return functional::hardtanh(
      input, HardtanhFuncOptions().min_val(min_val).max_val(max_val).inplace(inplace));
}
inline Tensor leaky_relu(Tensor input, double negative_slope, bool inplace) {
  return functional::leaky_relu(
      input, LeakyReLUFuncOptions().negative_slope(negative_slope).inplace(inplace));
}
inline Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, int dim) {
  return functional::gumbel_softmax(logits,
                                    GumbelSoftmaxFuncOptions().tau(tau).hard(hard).dim(dim));
}
inline Tensor softmax(const Tensor& input, int64_t dim, optional<ScalarType> dtype) {
  return functional::softmax(input, SoftmaxFuncOptions(dim).dtype(dtype));
}
inline Tensor softmin(const Tensor& input, int64_t dim, optional<ScalarType> dtype) {
  return functional::softmin(input, SoftminFuncOptions(dim).dtype(dtype));
}
inline Tensor log_softmax(const Tensor& input, int64_t dim, optional<ScalarType> dtype) {
  return functional::log_softmax(input, LogSoftmaxFuncOptions(dim).dtype(dtype));
}
inline Tensor glu(const Tensor& input, int64_t dim) {
  return functional::glu(input, GLUFuncOptions().dim(dim));
}
inline Tensor gelu(const Tensor& input, const std::string& approximate) {
  return functional::gelu(input, GELUFuncOptions().approximate(approximate));
}
inline Tensor relu(Tensor input, bool inplace) {
  return functional::relu(input, ReLUFuncOptions().inplace(inplace));
}
inline Tensor relu6(Tensor input, bool inplace) {
  return functional::relu6(input, ReLU6FuncOptions().inplace(inplace));
}
inline Tensor rrelu(Tensor input, double lower, double upper, bool training, bool inplace) {
  return functional::rrelu(
      input, RReLUFuncOptions().lower(lower).upper(upper).training(training).inplace(inplace));
}
inline Tensor celu(Tensor input, double alpha, bool inplace) {
  return functional::celu(input, CELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor softplus(const Tensor& input, double beta, double threshold) {
  return functional::softplus(input, SoftplusFuncOptions().beta(beta).threshold(threshold));
}
inline Tensor softshrink(const Tensor& input, double lambda) {
  return functional::softshrink(input, SoftshrinkFuncOptions().lambda(lambda));
}
inline Tensor threshold(Tensor input, double threshold, double value, bool inplace) {
  return functional::threshold(input, ThresholdFuncOptions(threshold, value).inplace(inplace));
}
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         Tensor weight, Tensor bias, bool training, double momentum, double eps) {
  return functional::batch_norm(
      input, running_mean, running_var,
      BatchNormFuncOptions().weight(weight).bias(bias).training(training).momentum(momentum).eps(
          eps));
}
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<1> stride, const Conv1dFuncOptions::padding_t& padding,
                     ExpandingArray<1> dilation, int64_t groups) {
  return functional::conv1d(
      input, weight,
      Conv1dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<2> stride, const Conv2dFuncOptions::padding_t& padding,
                     ExpandingArray<2> dilation, int64_t groups) {
  return functional::conv2d(
      input, weight,
      Conv2dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<3> stride, const Conv3dFuncOptions::padding_t& padding,
                     ExpandingArray<3> dilation, int64_t groups) {
  return functional::conv3d(
      input, weight,
      Conv3dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
inline Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                               IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                               int64_t groups, IntArrayRef dilation) {
  return functional::conv_transpose1d(input, weight,
                                      ConvTranspose1dFuncOptions()
                                          .bias(bias)
                                          .stride(stride)
                                          .padding(padding)
                                          .output_padding(output_padding)
                                          .groups(groups)
                                          .dilation(dilation));
}
inline Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                               IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                               int64_t groups, IntArrayRef dilation) {
  return functional::conv_transpose2d(input, weight,
                                      ConvTranspose2dFuncOptions()
                                          .bias(bias)
                                          .stride(stride)
                                          .padding(padding)
                                          .output_padding(output_padding)
                                          .groups(groups)
                                          .dilation(dilation));
}
inline Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                               IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                               int64_t groups, IntArrayRef dilation) {
  return functional::conv_transpose3d(input, weight,
                                      ConvTranspose3dFuncOptions()
                                          .bias(bias)
                                          .stride(stride)
                                          .padding(padding)
                                          .output_padding(output_padding)
                                          .groups(groups)
                                          .dilation(dilation));
}
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  return functional::cosine_similarity(x1, x2, CosineSimilarityFuncOptions().dim(dim).eps(eps));
}
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps,
                                bool keepdim) {
  return functional::pairwise_distance(
      x1, x2, PairwiseDistanceFuncOptions().p(p).eps(eps).keepdim(keepdim));
}
inline Tensor dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout(input, DropoutFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor dropout2d(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout2d(input,
                               Dropout2dFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor dropout3d(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout3d(input,
                               Dropout3dFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor alpha_dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::alpha_dropout(
      input, AlphaDropoutFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor feature_alpha_dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::feature_alpha_dropout(
      input, FeatureAlphaDropoutFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor embedding(const Tensor& input, const Tensor& weight, optional<int64_t> padding_idx,
                        optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                        bool sparse) {
  return functional::embedding(input, weight,
                               EmbeddingFuncOptions()
                                   .padding_idx(padding_idx)
                                   .max_norm(max_norm)
                                   .norm_type(norm_type)
                                   .scale_grad_by_freq(scale_grad_by_freq)
                                   .sparse(sparse));
}
inline Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets,
                            optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                            EmbeddingBagMode mode, bool sparse, const Tensor& per_sample_weights,
                            bool include_last_offset, optional<int64_t> padding_idx) {
  return functional::embedding_bag(input, weight,
                                   EmbeddingBagFuncOptions()
                                       .offsets(offsets)
                                       .max_norm(max_norm)
                                       .norm_type(norm_type)
                                       .scale_grad_by_freq(scale_grad_by_freq)
                                       .mode(mode)
                                       .sparse(sparse)
                                       .per_sample_weights(per_sample_weights)
                                       .include_last_offset(include_last_offset)
                                       .padding_idx(padding_idx));
}
inline Tensor fold(const Tensor& input, ExpandingArray<2> output_size,
                   ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                   ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::fold(
      input,
      FoldFuncOptions(output_size, kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor unfold(const Tensor& input, ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                     ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::unfold(
      input, UnfoldFuncOptions(kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor instance_norm(const Tensor& input, const Tensor& running_mean,
                            const Tensor& running_var, const Tensor& weight, const Tensor& bias,
                            bool use_input_stats, double momentum, double eps) {
  return functional::instance_norm(input, InstanceNormFuncOptions()
                                              .running_mean(running_mean)
                                              .running_var(running_var)
                                              .weight(weight)
                                              .bias(bias)
                                              .use_input_stats(use_input_stats)
                                              .momentum(momentum)
                                              .eps(eps));
}
inline Tensor l1_loss(const Tensor& input, const Tensor& target,
                      L1LossFuncOptions::reduction_t reduction) {
  return functional::l1_loss(input, target, L1LossFuncOptions().reduction(reduction));
}
inline Tensor kl_div(const Tensor& input, const Tensor& target,
                     KLDivFuncOptions::reduction_t reduction, bool log_target = false) {
  return functional::kl_div(input, target,
                            KLDivFuncOptions().reduction(reduction).log_target(log_target));
}
inline Tensor mse_loss(const Tensor& input, const Tensor& target,
                       MSELossFuncOptions::reduction_t reduction) {
  return functional::mse_loss(input, target, MSELossFuncOptions().reduction(reduction));
}
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   BinaryCrossEntropyFuncOptions::reduction_t reduction) {
  return functional::binary_cross_entropy(
      input, target, BinaryCrossEntropyFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin,
                                   HingeEmbeddingLossFuncOptions::reduction_t reduction) {
  return functional::hinge_embedding_loss(
      input, target, HingeEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p, double margin,
                                const Tensor& weight,
                                MultiMarginLossFuncOptions::reduction_t reduction) {
  return functional::multi_margin_loss(
      input, target,
      MultiMarginLossFuncOptions().p(p).margin(margin).weight(weight).reduction(reduction));
}
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin,
                                    CosineEmbeddingLossFuncOptions::reduction_t reduction) {
  return functional::cosine_embedding_loss(
      input1, input2, target, CosineEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             SmoothL1LossFuncOptions::reduction_t reduction,
                             optional<double> beta_opt = nullopt) {
  return functional::smooth_l1_loss(
      input, target, SmoothL1LossFuncOptions().reduction(reduction).beta(beta_opt.value_or(1.)));
}
inline Tensor huber_loss(const Tensor& input, const Tensor& target,
                         HuberLossFuncOptions::reduction_t reduction, double delta = 1.) {
  return functional::huber_loss(input, target,
                                HuberLossFuncOptions().reduction(reduction).delta(delta));
}
inline Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                                     MultilabelMarginLossFuncOptions::reduction_t reduction) {
  return functional::multilabel_margin_loss(input, target,
                                            MultilabelMarginLossFuncOptions().reduction(reduction));
}
inline Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                               SoftMarginLossFuncOptions::reduction_t reduction) {
  return functional::soft_margin_loss(input, target,
                                      SoftMarginLossFuncOptions().reduction(reduction));
}
inline Tensor multilabel_soft_margin_loss(
    const Tensor& input, const Tensor& target, const Tensor& weight,
    MultilabelSoftMarginLossFuncOptions::reduction_t reduction) {
  return functional::multilabel_soft_margin_loss(
      input, target, MultilabelSoftMarginLossFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin, double p, double eps,
                                  bool swap, TripletMarginLossFuncOptions::reduction_t reduction) {
  return functional::triplet_margin_loss(
      anchor, positive, negative,
      TripletMarginLossFuncOptions().margin(margin).p(p).eps(eps).swap(swap).reduction(reduction));
}
inline Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    optional<TripletMarginWithDistanceLossFuncOptions::distance_function_t> distance_function,
    double margin, bool swap, TripletMarginWithDistanceLossFuncOptions::reduction_t reduction) {
  return functional::triplet_margin_with_distance_loss(anchor, positive, negative,
                                                       TripletMarginWithDistanceLossFuncOptions()
                                                           .distance_function(distance_function)
                                                           .margin(margin)
                                                           .swap(swap)
                                                           .reduction(reduction));
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank,
                       CTCLossFuncOptions::reduction_t reduction, bool zero_infinity) {
  return functional::ctc_loss(
      log_probs, targets, input_lengths, target_lengths,
      CTCLossFuncOptions().blank(blank).reduction(reduction).zero_infinity(zero_infinity));
}
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                               double eps, PoissonNLLLossFuncOptions::reduction_t reduction) {
  return functional::poisson_nll_loss(
      input, target,
      PoissonNLLLossFuncOptions().log_input(log_input).full(full).eps(eps).reduction(reduction));
}
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin,
                                  MarginRankingLossFuncOptions::reduction_t reduction) {
  return functional::margin_ranking_loss(
      input1, input2, target, MarginRankingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                       int64_t ignore_index, const NLLLossFuncOptions::reduction_t& reduction) {
  return functional::nll_loss(
      input, target,
      NLLLossFuncOptions().weight(weight).ignore_index(ignore_index).reduction(reduction));
}
inline Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            int64_t ignore_index, CrossEntropyFuncOptions::reduction_t reduction,
                            double label_smoothing) {
  return functional::cross_entropy(input, target,
                                   CrossEntropyFuncOptions()
                                       .weight(weight)
                                       .ignore_index(ignore_index)
                                       .reduction(reduction)
                                       .label_smoothing(label_smoothing));
}
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const Tensor& weight,
    BinaryCrossEntropyWithLogitsFuncOptions::reduction_t reduction, const Tensor& pos_weight) {
  return functional::binary_cross_entropy_with_logits(
      input, target,
      BinaryCrossEntropyWithLogitsFuncOptions().weight(weight).reduction(reduction).pos_weight(
          pos_weight));
}
inline Tensor normalize(const Tensor& input, double p, int64_t dim, double eps,
                        optional<Tensor> out) {
  return functional::normalize(input,
                               NormalizeFuncOptions().p(p).dim(dim).eps(eps).out(std::move(out)));
}
inline Tensor layer_norm(const Tensor& input, const std::vector<int64_t>& normalized_shape,
                         const Tensor& weight, const Tensor& bias, double eps) {
  return functional::layer_norm(
      input, LayerNormFuncOptions(normalized_shape).weight(weight).bias(bias).eps(eps));
}
inline Tensor local_response_norm(const Tensor& input, int64_t size, double alpha, double beta,
                                  double k) {
  return functional::local_response_norm(
      input, LocalResponseNormFuncOptions(size).alpha(alpha).beta(beta).k(k));
}
inline Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight,
                         const Tensor& bias, double eps) {
  return functional::group_norm(
      input, GroupNormFuncOptions(num_groups).weight(weight).bias(bias).eps(eps));
}
inline Tensor pad(const Tensor& input, IntArrayRef pad, PadFuncOptions::mode_t mode, double value) {
  return functional::pad(input, PadFuncOptions(pad).mode(mode).value(value));
}
inline Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor) {
  return functional::pixel_shuffle(input, PixelShuffleFuncOptions(upscale_factor));
}
inline Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor) {
  return functional::pixel_unshuffle(input, PixelUnshuffleFuncOptions(downscale_factor));
}
inline Tensor avg_pool1d(const Tensor& input, ExpandingArray<1> kernel_size,
                         ExpandingArray<1> stride, ExpandingArray<1> padding, bool ceil_mode,
                         bool count_include_pad) {
  return functional::avg_pool1d(input, AvgPool1dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .ceil_mode(ceil_mode)
                                           .count_include_pad(count_include_pad));
}
inline Tensor avg_pool2d(const Tensor& input, ExpandingArray<2> kernel_size,
                         ExpandingArray<2> stride, ExpandingArray<2> padding, bool ceil_mode,
                         bool count_include_pad, optional<int64_t> divisor_override) {
  return functional::avg_pool2d(input, AvgPool2dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .ceil_mode(ceil_mode)
                                           .count_include_pad(count_include_pad)
                                           .divisor_override(divisor_override));
}
inline Tensor avg_pool3d(const Tensor& input, ExpandingArray<3> kernel_size,
                         ExpandingArray<3> stride, ExpandingArray<3> padding, bool ceil_mode,
                         bool count_include_pad, optional<int64_t> divisor_override) {
  return functional::avg_pool3d(input, AvgPool3dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .ceil_mode(ceil_mode)
                                           .count_include_pad(count_include_pad)
                                           .divisor_override(divisor_override));
}
inline Tensor max_pool1d(const Tensor& input, ExpandingArray<1> kernel_size,
                         ExpandingArray<1> stride, ExpandingArray<1> padding,
                         ExpandingArray<1> dilation, bool ceil_mode) {
  return functional::max_pool1d(input, MaxPool1dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .dilation(dilation)
                                           .ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, ExpandingArray<1> kernel_size, ExpandingArray<1> stride,
    ExpandingArray<1> padding, ExpandingArray<1> dilation, bool ceil_mode) {
  return functional::max_pool1d_with_indices(input, MaxPool1dFuncOptions(kernel_size)
                                                        .stride(stride)
                                                        .padding(padding)
                                                        .dilation(dilation)
                                                        .ceil_mode(ceil_mode));
}
inline Tensor max_pool2d(const Tensor& input, ExpandingArray<2> kernel_size,
                         ExpandingArray<2> stride, ExpandingArray<2> padding,
                         ExpandingArray<2> dilation, bool ceil_mode) {
  return functional::max_pool2d(input, MaxPool2dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .dilation(dilation)
                                           .ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, ExpandingArray<2> kernel_size, ExpandingArray<2> stride,
    ExpandingArray<2> padding, ExpandingArray<2> dilation, bool ceil_mode) {
  return functional::max_pool2d_with_indices(input, MaxPool2dFuncOptions(kernel_size)
                                                        .stride(stride)
                                                        .padding(padding)
                                                        .dilation(dilation)
                                                        .ceil_mode(ceil_mode));
}
inline Tensor max_pool3d(const Tensor& input, ExpandingArray<3> kernel_size,
                         ExpandingArray<3> stride, ExpandingArray<3> padding,
                         ExpandingArray<3> dilation, bool ceil_mode) {
  return functional::max_pool3d(input, MaxPool3dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .dilation(dilation)
                                           .ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, ExpandingArray<3> kernel_size, ExpandingArray<3> stride,
    ExpandingArray<3> padding, ExpandingArray<3> dilation, bool ceil_mode) {
  return functional::max_pool3d_with_indices(input, MaxPool3dFuncOptions(kernel_size)
                                                        .stride(stride)
                                                        .padding(padding)
                                                        .dilation(dilation)
                                                        .ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(const Tensor& input,
                                                                   ExpandingArray<1> output_size) {
  return functional::adaptive_max_pool1d_with_indices(input,
                                                      AdaptiveMaxPool1dFuncOptions(output_size));
}
inline Tensor adaptive_max_pool1d(const Tensor& input, ExpandingArray<1> output_size) {
  return functional::adaptive_max_pool1d(input, AdaptiveMaxPool1dFuncOptions(output_size));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_max_pool2d_with_indices(input,
                                                      AdaptiveMaxPool2dFuncOptions(output_size));
}
inline Tensor adaptive_max_pool2d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_max_pool2d(input, AdaptiveMaxPool2dFuncOptions(output_size));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_max_pool3d_with_indices(input,
                                                      AdaptiveMaxPool3dFuncOptions(output_size));
}
inline Tensor adaptive_max_pool3d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_max_pool3d(input, AdaptiveMaxPool3dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool1d(const Tensor& input, ExpandingArray<1> output_size) {
  return functional::adaptive_avg_pool1d(input, AdaptiveAvgPool1dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool2d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_avg_pool2d(input, AdaptiveAvgPool2dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool3d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_avg_pool3d(input, AdaptiveAvgPool3dFuncOptions(output_size));
}
inline Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<1> kernel_size, ExpandingArray<1> stride,
                           ExpandingArray<1> padding,
                           const optional<std::vector<int64_t>>& output_size) {
  return functional::max_unpool1d(
      input, indices,
      MaxUnpool1dFuncOptions(kernel_size).stride(stride).padding(padding).output_size(output_size));
}
inline Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<2> kernel_size, ExpandingArray<2> stride,
                           ExpandingArray<2> padding,
                           const optional<std::vector<int64_t>>& output_size) {
  return functional::max_unpool2d(
      input, indices,
      MaxUnpool2dFuncOptions(kernel_size).stride(stride).padding(padding).output_size(output_size));
}
inline Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<3> kernel_size, ExpandingArray<3> stride,
                           ExpandingArray<3> padding,
                           const optional<std::vector<int64_t>>& output_size) {
  return functional::max_unpool3d(
      input, indices,
      MaxUnpool3dFuncOptions(kernel_size).stride(stride).padding(padding).output_size(output_size));
}
inline std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const ExpandingArray<2>& kernel_size,
    const optional<ExpandingArray<2>>& output_size,
    const optional<ExpandingArray<2, double>>& output_ratio, const Tensor& _random_samples) {
  return functional::fractional_max_pool2d_with_indices(input,
                                                        FractionalMaxPool2dFuncOptions(kernel_size)
                                                            .output_size(output_size)
                                                            .output_ratio(output_ratio)
                                                            ._random_samples(_random_samples));
}
inline Tensor fractional_max_pool2d(const Tensor& input, ExpandingArray<2> kernel_size,
                                    optional<ExpandingArray<2>> output_size,
                                    optional<ExpandingArray<2, double>> output_ratio,
                                    const Tensor& _random_samples) {
  return functional::fractional_max_pool2d(input, FractionalMaxPool2dFuncOptions(kernel_size)
                                                      .output_size(output_size)
                                                      .output_ratio(output_ratio)
                                                      ._random_samples(_random_samples));
}
inline std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const ExpandingArray<3>& kernel_size,
    const optional<ExpandingArray<3>>& output_size,
    const optional<ExpandingArray<3, double>>& output_ratio, const Tensor& _random_samples) {
  return functional::fractional_max_pool3d_with_indices(input,
                                                        FractionalMaxPool3dFuncOptions(kernel_size)
                                                            .output_size(output_size)
                                                            .output_ratio(output_ratio)
                                                            ._random_samples(_random_samples));
}
inline Tensor fractional_max_pool3d(const Tensor& input, ExpandingArray<3> kernel_size,
                                    optional<ExpandingArray<3>> output_size,
                                    optional<ExpandingArray<3, double>> output_ratio,
                                    const Tensor& _random_samples) {
  return functional::fractional_max_pool3d(input, FractionalMaxPool3dFuncOptions(kernel_size)
                                                      .output_size(output_size)
                                                      .output_ratio(output_ratio)
                                                      ._random_samples(_random_samples));
}
inline Tensor lp_pool1d(const Tensor& input, double norm_type, ExpandingArray<1> kernel_size,
                        ExpandingArray<1> stride, bool ceil_mode) {
  return functional::lp_pool1d(
      input, LPPool1dFuncOptions(norm_type, kernel_size).stride(stride).ceil_mode(ceil_mode));
}
inline Tensor lp_pool2d(const Tensor& input, double norm_type, ExpandingArray<2> kernel_size,
                        ExpandingArray<2> stride, bool ceil_mode) {
  return functional::lp_pool2d(
      input, LPPool2dFuncOptions(norm_type, kernel_size).stride(stride).ceil_mode(ceil_mode));
}
inline Tensor lp_pool3d(const Tensor& input, double norm_type, ExpandingArray<3> kernel_size,
                        ExpandingArray<3> stride, bool ceil_mode) {
  return functional::lp_pool3d(
      input, LPPool3dFuncOptions(norm_type, kernel_size).stride(stride).ceil_mode(ceil_mode));
}
inline Tensor interpolate(const Tensor& input, const optional<std::vector<int64_t>>& size,
                          const optional<std::vector<double>>& scale_factor,
                          InterpolateFuncOptions::mode_t mode, optional<bool> align_corners,
                          optional<bool> recompute_scale_factor, bool antialias) {
  return functional::interpolate(input, InterpolateFuncOptions()
                                            .size(size)
                                            .scale_factor(scale_factor)
                                            .mode(mode)
                                            .align_corners(align_corners)
                                            .recompute_scale_factor(recompute_scale_factor)
                                            .antialias(antialias));
}
inline Tensor grid_sample(const Tensor& input, const Tensor& grid,
                          GridSampleFuncOptions::mode_t mode,
                          GridSampleFuncOptions::padding_mode_t padding_mode,
                          optional<bool> align_corners) {
  return functional::grid_sample(
      input, grid,
      GridSampleFuncOptions().mode(mode).padding_mode(padding_mode).align_corners(align_corners));
}

}  // namespace torch::taper::nn::functional::detail
