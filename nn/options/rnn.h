// Options of recurrent modules.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Holds the options shared by RNN, LSTM and GRU.
struct RNNOptionsBase {
  using rnn_options_base_mode_t =
      Choice<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
  RNNOptionsBase(rnn_options_base_mode_t mode, int64_t input_size, int64_t hidden_size)
      : mode_(mode), input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(rnn_options_base_mode_t, mode);  ///< kind of network
  TAPER_ARG(int64_t, input_size);            ///< number of features
  TAPER_ARG(int64_t, hidden_size);           ///< number of hidden features
  TAPER_ARG(int64_t, num_layers) = 1;        ///< number of layers
  TAPER_ARG(bool, bias) = true;              ///< whether biases are added
  TAPER_ARG(bool, batch_first) = false;      ///< whether the input is (N, T, D), not (T, N, D)
  TAPER_ARG(double, dropout) = 0.0;          ///< dropout probability between layers
  TAPER_ARG(bool, bidirectional) = false;    ///< whether a second network runs backwards
  /// Number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of number of number of number of
  /// number of number of number of number of number of number of features of the projected state, 0
  /// for no projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection, 0 for no
  /// projection, 0 for no projection, 0 for no projection, 0 for no projection.
  TAPER_ARG(int64_t, proj_size) = 0;
};

/// Holds the options shared by the cells. num_chunks is the number of gates.
struct RNNCellOptionsBase {
  RNNCellOptionsBase(int64_t input_size, int64_t hidden_size, bool bias, int64_t num_chunks)
      : input_size_(input_size), hidden_size_(hidden_size), bias_(bias), num_chunks_(num_chunks) {}
  TAPER_ARG(int64_t, input_size);   ///< number of features
  TAPER_ARG(int64_t, hidden_size);  ///< number of hidden features
  TAPER_ARG(bool, bias);            ///< whether biases are added
  TAPER_ARG(int64_t, num_chunks);   ///< number of gates
};

/// Holds the options shared by RNN, LSTM and GRU layers.
template <class Self>
struct RecurrentOptions {
  RecurrentOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);        ///< number of features
  TAPER_ARG_OF(Self, int64_t, hidden_size);       ///< number of hidden features
  TAPER_ARG_OF(Self, int64_t, num_layers) = 1;    ///< number of layers
  TAPER_ARG_OF(Self, bool, bias) = true;          ///< whether biases are added
  TAPER_ARG_OF(Self, bool, batch_first) = false;  ///< whether the input is (N, T, D), not (T, N, D)
  TAPER_ARG_OF(Self, double, dropout) = 0.0;      ///< dropout probability between layers
  TAPER_ARG_OF(Self, bool, bidirectional) = false;  ///< whether a second network runs backwards
};

/// Holds the options shared by RNN, LSTM and GRU cells.
template <class Self>
struct RecurrentCellOptions {
  RecurrentCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);   ///< number of features
  TAPER_ARG_OF(Self, int64_t, hidden_size);  ///< number of hidden features
  TAPER_ARG_OF(Self, bool, bias) = true;     ///< whether biases are added
};

}  // namespace detail

/// Configures RNN. `dropout` applies to the output of each layer except the last. With batch_first,
/// the input is (N, T, D) instead of (T, N, D).
struct RNNOptions : detail::RecurrentOptions<RNNOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;  ///< kTanh or kReLU
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;  ///< the nonlinearity
};

/// Configures LSTM. If proj_size is above 0, the hidden state is projected to this size.
struct LSTMOptions : detail::RecurrentOptions<LSTMOptions> {
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(int64_t, proj_size) = 0;  ///< features of the projected state
};

/// Configures GRU. A GRU has three gates, so its weights and biases have 3 * hidden_size rows.
struct GRUOptions : detail::RecurrentOptions<GRUOptions> {
  using RecurrentOptions::RecurrentOptions;
};

/// Configures RNNCell: h = tanh(W_ih x + b_ih + W_hh h + b_hh), or with ReLU instead of tanh.
struct RNNCellOptions : detail::RecurrentCellOptions<RNNCellOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;  ///< kTanh or kReLU
  using RecurrentCellOptions::RecurrentCellOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;  ///< the nonlinearity
};

/// Configures LSTMCell. An LSTM has four gates, so its weights and biases have 4 * hidden_size
/// rows.
struct LSTMCellOptions : detail::RecurrentCellOptions<LSTMCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

/// Configures GRUCell. A GRU has three gates, so its weights and biases have 3 * hidden_size rows.
struct GRUCellOptions : detail::RecurrentCellOptions<GRUCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
