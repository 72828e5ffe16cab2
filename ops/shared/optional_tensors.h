// Overloads of functions with weights, biases or masks. As in LibTorch, each of these arguments may
// be a tensor, an optional<Tensor> or nullopt. nullopt means an undefined tensor.
#pragma once

#include <string_view>
#include <type_traits>

#include <taper/ops/nn/attention.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/sequence/rnn.h>
#include <taper/ops/spatial/conv/conv.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace detail {

template <class T>
struct IsOptionalTensor : std::false_type {};
template <>
struct IsOptionalTensor<optional<Tensor>> : std::true_type {};
template <>
struct IsOptionalTensor<nullopt_t> : std::true_type {};
/// Enables an overload if at least one type is an optional, and each other type is an optional or a
/// tensor.
template <class... T>
using IfOptionalTensors =
    std::enable_if_t<(IsOptionalTensor<T>::value || ...) &&
                         ((IsOptionalTensor<T>::value || std::is_same<T, Tensor>::value) && ...),
                     int>;

inline Tensor tensor_in(const Tensor& t) { return t; }
inline Tensor tensor_in(const optional<Tensor>& t) { return t.value_or(Tensor()); }
inline Tensor tensor_in(nullopt_t) { return {}; }

}  // namespace detail

/// Calls the function of this name with an optional<Tensor>, or nullopt, for a tensor that may be
/// missing. nullopt means an undefined tensor. The function's comment gives shapes, dtypes and
/// errors.
template <class W, class B, class M, class V, detail::IfOptionalTensors<W, B, M, V> = 0>
Tensor batch_norm(const Tensor& input, const W& weight, const B& bias, const M& running_mean,
                  const V& running_var, bool training, double momentum, double eps,
                  bool cudnn_enabled = true) {
  using detail::tensor_in;
  return batch_norm(input, tensor_in(weight), tensor_in(bias), tensor_in(running_mean),
                    tensor_in(running_var), training, momentum, eps, cudnn_enabled);
}
template <class W, class B, class M, class V, detail::IfOptionalTensors<W, B, M, V> = 0>
Tensor instance_norm(const Tensor& input, const W& weight, const B& bias, const M& running_mean,
                     const V& running_var, bool training, double momentum, double eps,
                     bool cudnn_enabled = true) {
  using detail::tensor_in;
  return instance_norm(input, tensor_in(weight), tensor_in(bias), tensor_in(running_mean),
                       tensor_in(running_var), training, momentum, eps, cudnn_enabled);
}
template <class W, class B = Tensor, detail::IfOptionalTensors<W, B> = 0>
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const W& weight,
                  const B& bias = {}, double eps = 1e-05, bool cudnn_enable = true) {
  return layer_norm(input, normalized_shape, detail::tensor_in(weight), detail::tensor_in(bias),
                    eps, cudnn_enable);
}
template <class W, detail::IfOptionalTensors<W> = 0>
Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const W& weight,
                optional<double> eps = nullopt) {
  return rms_norm(input, normalized_shape, detail::tensor_in(weight), eps);
}
template <class W, class B = Tensor, detail::IfOptionalTensors<W, B> = 0>
Tensor group_norm(const Tensor& input, int64_t num_groups, const W& weight, const B& bias = {},
                  double eps = 1e-05, bool cudnn_enabled = true) {
  return group_norm(input, num_groups, detail::tensor_in(weight), detail::tensor_in(bias), eps,
                    cudnn_enabled);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor linear(const Tensor& input, const Tensor& weight, const B& bias) {
  return linear(input, weight, detail::tensor_in(bias));
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv1d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv1d(input, weight, detail::tensor_in(bias), stride, padding, dilation, groups);
}
template <class B, class S, detail::IfOptionalTensors<B> = 0, detail::IfText<S> = 0>
Tensor conv1d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv1d(input, weight, detail::tensor_in(bias), stride, std::string_view(padding), dilation,
                groups);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const B& bias,
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1) {
  return conv_transpose1d(input, weight, detail::tensor_in(bias), stride, padding, output_padding,
                          groups, dilation);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv2d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv2d(input, weight, detail::tensor_in(bias), stride, padding, dilation, groups);
}
template <class B, class S, detail::IfOptionalTensors<B> = 0, detail::IfText<S> = 0>
Tensor conv2d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv2d(input, weight, detail::tensor_in(bias), stride, std::string_view(padding), dilation,
                groups);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const B& bias,
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1) {
  return conv_transpose2d(input, weight, detail::tensor_in(bias), stride, padding, output_padding,
                          groups, dilation);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv3d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv3d(input, weight, detail::tensor_in(bias), stride, padding, dilation, groups);
}
template <class B, class S, detail::IfOptionalTensors<B> = 0, detail::IfText<S> = 0>
Tensor conv3d(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride,
              const S& padding, IntArrayRef dilation = 1, int64_t groups = 1) {
  return conv3d(input, weight, detail::tensor_in(bias), stride, std::string_view(padding), dilation,
                groups);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const B& bias,
                        IntArrayRef stride = 1, IntArrayRef padding = 0,
                        IntArrayRef output_padding = 0, int64_t groups = 1,
                        IntArrayRef dilation = 1) {
  return conv_transpose3d(input, weight, detail::tensor_in(bias), stride, padding, output_padding,
                          groups, dilation);
}
template <class B, detail::IfOptionalTensors<B> = 0>
Tensor convolution(const Tensor& input, const Tensor& weight, const B& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, bool transposed,
                   IntArrayRef output_padding, int64_t groups) {
  return convolution(input, weight, detail::tensor_in(bias), stride, padding, dilation, transposed,
                     output_padding, groups);
}
template <class M, detail::IfOptionalTensors<M> = 0>
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const M& attn_mask, double dropout_p = 0.0,
                                    bool is_causal = false, optional<double> scale = nullopt,
                                    bool enable_gqa = false) {
  return scaled_dot_product_attention(query, key, value, detail::tensor_in(attn_mask), dropout_p,
                                      is_causal, scale, enable_gqa);
}
template <class B, class C = Tensor, detail::IfOptionalTensors<B, C> = 0>
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const B& b_ih, const C& b_hh = {}) {
  return gru_cell(input, hx, w_ih, w_hh, detail::tensor_in(b_ih), detail::tensor_in(b_hh));
}
template <class B, class C = Tensor, detail::IfOptionalTensors<B, C> = 0>
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const B& b_ih, const C& b_hh = {}) {
  return rnn_tanh_cell(input, hx, w_ih, w_hh, detail::tensor_in(b_ih), detail::tensor_in(b_hh));
}
template <class B, class C = Tensor, detail::IfOptionalTensors<B, C> = 0>
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const B& b_ih, const C& b_hh = {}) {
  return rnn_relu_cell(input, hx, w_ih, w_hh, detail::tensor_in(b_ih), detail::tensor_in(b_hh));
}
template <class B, class C = Tensor, detail::IfOptionalTensors<B, C> = 0>
std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const B& b_ih, const C& b_hh = {}) {
  return lstm_cell(input, hx, w_ih, w_hh, detail::tensor_in(b_ih), detail::tensor_in(b_hh));
}

}  // namespace torch::taper

#pragma GCC visibility pop
