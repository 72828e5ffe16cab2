// Recurrent networks over whole sequences, and single steps of them.
//
// The input is (T, N, D), or (N, T, D) with batch_first: T times of N sequences, with D features.
// It may also be packed rows (R, D) with `batch_sizes` (CPU, int64, not increasing), the number of
// sequences at each time. States are (num_layers * directions, N, H). H is the number of units of a
// layer. `directions` is 2 if `bidirectional` is true, else 1.
//
// For each layer and direction, `params` holds w_ih (G x D) and w_hh (G x H). With has_biases, b_ih
// (G) and b_hh (G) follow. In w_ih, D is the number of features of the layer's input. G is 4 H for
// an LSTM (input, forget, cell, output), 3 H for a GRU (reset, update, new), else H. From the
// second layer, the input of a layer is the output of the layer before, with the directions
// concatenated. If `train` is true, dropout with probability `dropout` is applied to this input.
//
// Tensors have floating dtypes. The first result is the output of the last layer at every time, (T,
// N, directions * H) or (R, directions * H). With batch_first, it is (N, T, directions * H). The
// other results are the states of all layers after the last time.
//
// Errors: Error for a wrong number of states or parameters, and for sizes that do not fit.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Computes an LSTM. Takes the states {h, c} as `hx`, and returns the output, h and c. If a layer
/// has five parameters (three without biases), the last one is w_hr (P x H), which projects the
/// layer's output. Then h is (num_layers * directions, N, P), w_hh is (G x P), and P replaces H in
/// the sizes of the output.
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                        bool has_biases, int64_t num_layers, double dropout,
                                        bool train, bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        TensorList hx, TensorList params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional);

/// Takes one state h as `hx`. Returns the output and h after the last time. A step of rnn_tanh and
/// rnn_relu is
///
///     h = f(w_ih x + b_ih + w_hh h + b_hh),  f = tanh or relu,
///
/// A step of gru, with the rows of w_ih, w_hh, b_ih and b_hh for the gates r, z and n, is
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

/// Computes one step of one layer from the input (N, D) and the states (N, H). Returns the next
/// states.
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
