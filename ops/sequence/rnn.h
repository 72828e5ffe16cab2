// Recurrent networks over whole sequences, and single steps of them.
//
// The input is (T, N, D), or (N, T, D) with batch_first. It may also be packed rows (R, D) with
// `batch_sizes` (CPU, int64, not increasing), the number of sequences at each time. States are
// (layers * directions, N, H).
//
// `params` holds for each layer and direction: w_ih (G x D) and w_hh (G x H). With has_biases, b_ih
// (G) and b_hh (G) follow. G is 4 H for an LSTM (input, forget, cell, output), 3 H for a GRU
// (reset, update, new), else H. A layer's input is the output of the layer below, with all
// directions concatenated. If `train` is true, `dropout` is applied to it.
//
// Tensors have floating dtypes. The first result is the last layer's output at every time, (T, N,
// directions * H) or (R, directions * H). The other results are the states after the last time.
//
// Errors: Error for a wrong number of states or parameters, and for sizes that do not fit.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Takes {h, c} as `hx`. If a layer has five parameters (three without biases), the last is w_hr (P
/// x H), which projects the layer's output. h is then (..., N, P), and the rows of the result have
/// P columns.
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                        bool has_biases, int64_t num_layers, double dropout,
                                        bool train, bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        TensorList hx, TensorList params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional);

/// Takes one state h (layers * directions, N, H), and returns the output and the last h. A step of
/// rnn_tanh and rnn_relu is
///
///     h = f(w_ih x + b_ih + w_hh h + b_hh),  f = tanh or relu,
///
/// and a step of gru, with the weights of its gates r, z and n, is
///
///     r = sigmoid(w_ir x + b_ir + w_hr h + b_hr),  z = sigmoid(w_iz x + b_iz + w_hz h + b_hz)
///     n = tanh(w_in x + b_in + r * (w_hn h + b_hn)),  h = (1 - z) * n + z * h
std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, TensorList params,
                               bool has_biases, int64_t num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               TensorList params, bool has_biases, int64_t num_layers,
                               double dropout, bool train, bool bidirectional);
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, TensorList params,
                                    bool has_biases, int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    TensorList params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional);
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, TensorList params,
                                    bool has_biases, int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    TensorList params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional);

/// Computes one step from the input (N, D) and states (N, H). Returns the next states.
std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih = {},
                                     const Tensor& b_hh = {});
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih = {}, const Tensor& b_hh = {});
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {});
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {});

}  // namespace torch::taper

#pragma GCC visibility pop
