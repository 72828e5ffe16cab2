// Options of recurrent modules.
#pragma once

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// What RNN, LSTM and GRU have in common.
struct RNNOptionsBase {
  using rnn_options_base_mode_t =
      Choice<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
  RNNOptionsBase(rnn_options_base_mode_t mode, int64_t input_size, int64_t hidden_size)
      : mode_(mode), input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(rnn_options_base_mode_t, mode);  ///< which kind
  TAPER_ARG(int64_t, input_size);            ///< size of an element
  TAPER_ARG(int64_t, hidden_size);           ///< size of a state
  TAPER_ARG(int64_t, num_layers) = 1;        ///< layers
  TAPER_ARG(bool, bias) = true;              ///< whether biases are added
  TAPER_ARG(bool, batch_first) = false;      ///< whether N comes before L
  TAPER_ARG(double, dropout) = 0.0;          ///< between layers: probability
  TAPER_ARG(bool, bidirectional) = false;    ///< whether a second one runs backwards
  TAPER_ARG(int64_t, proj_size) = 0;         ///< size of a projected state
};

/// What the cells have in common; num_chunks is the number of gates.
struct RNNCellOptionsBase {
  RNNCellOptionsBase(int64_t input_size, int64_t hidden_size, bool bias, int64_t num_chunks)
      : input_size_(input_size), hidden_size_(hidden_size), bias_(bias), num_chunks_(num_chunks) {}
  TAPER_ARG(int64_t, input_size);   ///< size of an element
  TAPER_ARG(int64_t, hidden_size);  ///< size of a state
  TAPER_ARG(bool, bias);            ///< whether biases are added
  TAPER_ARG(int64_t, num_chunks);   ///< gates
};

/// What the options of layers have in common.
template <class Self>
struct RecurrentOptions {
  RecurrentOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);          ///< size of an element
  TAPER_ARG_OF(Self, int64_t, hidden_size);         ///< size of a state
  TAPER_ARG_OF(Self, int64_t, num_layers) = 1;      ///< layers
  TAPER_ARG_OF(Self, bool, bias) = true;            ///< whether biases are added
  TAPER_ARG_OF(Self, bool, batch_first) = false;    ///< whether N comes before L
  TAPER_ARG_OF(Self, double, dropout) = 0.0;        ///< between layers: probability
  TAPER_ARG_OF(Self, bool, bidirectional) = false;  ///< whether a second one runs backwards
};

/// What the options of cells have in common.
template <class Self>
struct RecurrentCellOptions {
  RecurrentCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);   ///< size of an element
  TAPER_ARG_OF(Self, int64_t, hidden_size);  ///< size of a state
  TAPER_ARG_OF(Self, bool, bias) = true;     ///< whether biases are added
};

}  // namespace detail

/// `dropout` is applied to what each layer but the last gives; with batch_first the input is (N, T,
/// D) in place of (T, N, D).
struct RNNOptions : detail::RecurrentOptions<RNNOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;  ///< kTanh or kReLU
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;  ///< tanh or relu
};

/// With a proj_size above 0 the hidden state is projected to that size.
struct LSTMOptions : detail::RecurrentOptions<LSTMOptions> {
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(int64_t, proj_size) = 0;  ///< size of a projected state
};

/// Three gates: parameters have 3 * hidden_size rows.
struct GRUOptions : detail::RecurrentOptions<GRUOptions> {
  using RecurrentOptions::RecurrentOptions;
};

/// h = tanh(W_ih x + b_ih + W_hh h + b_hh), or with ReLU.
struct RNNCellOptions : detail::RecurrentCellOptions<RNNCellOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;  ///< kTanh or kReLU
  using RecurrentCellOptions::RecurrentCellOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;  ///< tanh or relu
};

/// Four gates: parameters have 4 * hidden_size rows.
struct LSTMCellOptions : detail::RecurrentCellOptions<LSTMCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

/// Three gates: parameters have 3 * hidden_size rows.
struct GRUCellOptions : detail::RecurrentCellOptions<GRUCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
