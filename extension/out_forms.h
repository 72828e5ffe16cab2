// `out` forms that cannot be generated from an op's declaration: of methods of Tensor, and of
// functions that LibTorch declares with other types. Each function computes the result, checks it,
// and copies it to the caller's tensor. ops/shared/out.h describes the checks.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/index/index.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/shared/optional_tensors.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/tensor/split.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Computes argsort() and stores the result in `out`.
inline Tensor& argsort_out(Tensor& out, const Tensor& self, bool stable, int64_t dim = -1,
                           bool descending = false) {
  const detail::OutScope scope("argsort", {out}, {self});
  return store_out("argsort", out, argsort(self, stable, dim, descending), {self});
}
/// Computes Tensor::clone() and stores the result in `out`.
inline Tensor& clone_out(Tensor& out, const Tensor& self,
                         optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("clone", {out}, {self});
  return store_out("clone", out, memory_format ? self.clone(*memory_format) : self.clone(), {self});
}
/// Computes convolution() and stores the result in `out`.
inline Tensor& convolution_out(Tensor& out, const Tensor& input, const Tensor& weight,
                               const optional<Tensor>& bias, IntArrayRef stride,
                               IntArrayRef padding, IntArrayRef dilation, bool transposed,
                               IntArrayRef output_padding, int64_t groups) {
  const detail::OutScope scope("convolution", {out}, {input, weight});
  return store_out("convolution", out,
                   convolution(input, weight, bias, stride, padding, dilation, transposed,
                               output_padding, groups),
                   {input, weight});
}
/// Computes index() and stores the result in `out`.
inline Tensor& index_out(Tensor& out, const Tensor& self, const List<optional<Tensor>>& indices) {
  const detail::OutScope scope("index", {out}, {self});
  return store_out("index", out, index(self, indices), {self});
}
/// Computes index_put() and stores the result in `out`.
inline Tensor& index_put_out(Tensor& out, const Tensor& self, const List<optional<Tensor>>& indices,
                             const Tensor& values, bool accumulate = false) {
  const detail::OutScope scope("index_put", {out}, {self, values});
  return store_out("index_put", out, index_put(self, indices, values, accumulate), {self, values});
}
/// Computes linear() and stores the result in `out`.
inline Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight,
                          const optional<Tensor>& bias = {}) {
  const detail::OutScope scope("linear", {out}, {input, weight});
  return store_out("linear", out, linear(input, weight, bias.value_or(Tensor())), {input, weight});
}
/// Computes Tensor::new_empty() and stores the result in `out`.
inline Tensor& new_empty_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_empty", {out}, {self});
  return store_out("new_empty", out, self.new_empty(size), {self});
}
/// Computes Tensor::new_empty_strided() and stores the result in `out`.
inline Tensor& new_empty_strided_out(Tensor& out, const Tensor& self, IntArrayRef size,
                                     IntArrayRef stride) {
  const detail::OutScope scope("new_empty_strided", {out}, {self});
  return store_out("new_empty_strided", out, self.new_empty_strided(size, stride), {self});
}
/// Computes Tensor::new_full() and stores the result in `out`.
inline Tensor& new_full_out(Tensor& out, const Tensor& self, IntArrayRef size,
                            const Scalar& fill_value) {
  const detail::OutScope scope("new_full", {out}, {self});
  return store_out("new_full", out, self.new_full(size, fill_value), {self});
}
/// Computes Tensor::new_ones() and stores the result in `out`.
inline Tensor& new_ones_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_ones", {out}, {self});
  return store_out("new_ones", out, self.new_ones(size), {self});
}
/// Computes Tensor::new_zeros() and stores the result in `out`.
inline Tensor& new_zeros_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_zeros", {out}, {self});
  return store_out("new_zeros", out, self.new_zeros(size), {self});
}
/// Computes rrelu_with_noise() and stores the result in `out`.
inline Tensor& rrelu_with_noise_out(Tensor& out, const Tensor& self, Tensor& noise,
                                    const Scalar& lower = 0.125,
                                    const Scalar& upper = 0.3333333333333333, bool training = false,
                                    optional<Generator> generator = nullopt) {
  const detail::OutScope scope("rrelu_with_noise", {out}, {self});
  return store_out("rrelu_with_noise", out,
                   rrelu_with_noise(self, noise, lower, upper, training, generator), {self});
}
/// Computes unsafe_split() and stores the results in the tensors of `out`.
inline void unsafe_split_out(TensorList out, const Tensor& self, int64_t split_size,
                             int64_t dim = 0) {
  const detail::OutScope scope("unsafe_split", {}, {self});
  detail::store_list("unsafe_split", out, unsafe_split(self, split_size, dim), {self});
}
/// Computes unsafe_split_with_sizes() and stores the results in the tensors of `out`.
inline void unsafe_split_with_sizes_out(TensorList out, const Tensor& self, IntArrayRef split_sizes,
                                        int64_t dim = 0) {
  const detail::OutScope scope("unsafe_split_with_sizes", {}, {self});
  detail::store_list("unsafe_split_with_sizes", out,
                     unsafe_split_with_sizes(self, split_sizes, dim), {self});
}
/// Computes upsample_bilinear2d() and stores the result in `out`.
inline Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& input,
                                       OptionalIntArrayRef output_size, bool align_corners,
                                       optional<ArrayRef<double>> scale_factors) {
  const detail::OutScope scope("upsample_bilinear2d", {out}, {input});
  return store_out("upsample_bilinear2d", out,
                   upsample_bilinear2d(input, output_size, align_corners, scale_factors), {input});
}
/// Computes upsample_nearest2d() and stores the result in `out`.
inline Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& input,
                                      OptionalIntArrayRef output_size,
                                      optional<ArrayRef<double>> scale_factors) {
  const detail::OutScope scope("upsample_nearest2d", {out}, {input});
  return store_out("upsample_nearest2d", out, upsample_nearest2d(input, output_size, scale_factors),
                   {input});
}

}  // namespace torch::taper

#pragma GCC visibility pop
