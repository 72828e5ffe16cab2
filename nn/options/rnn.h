// Options of recurrent modules.
#pragma once

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/enum.h>

#pragma GCC visibility push(default)

namespace taper::nn {

namespace detail {

/// What RNN, LSTM and GRU have in common.
struct RNNOptionsBase {
  using rnn_options_base_mode_t =
      Choice<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
  RNNOptionsBase(rnn_options_base_mode_t mode, int64_t input_size, int64_t hidden_size)
      : mode_(mode), input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(rnn_options_base_mode_t, mode);
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(int64_t, num_layers) = 1;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(bool, batch_first) = false;
  TAPER_ARG(double, dropout) = 0.0;
  TAPER_ARG(bool, bidirectional) = false;
  TAPER_ARG(int64_t, proj_size) = 0;
};

/// What the cells have in common; num_chunks is the number of gates.
struct RNNCellOptionsBase {
  RNNCellOptionsBase(int64_t input_size, int64_t hidden_size, bool bias, int64_t num_chunks)
      : input_size_(input_size), hidden_size_(hidden_size), bias_(bias), num_chunks_(num_chunks) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(bool, bias);
  TAPER_ARG(int64_t, num_chunks);
};

/// What the options of layers have in common.
template <class Self>
struct RecurrentOptions {
  RecurrentOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);
  TAPER_ARG_OF(Self, int64_t, hidden_size);
  TAPER_ARG_OF(Self, int64_t, num_layers) = 1;
  TAPER_ARG_OF(Self, bool, bias) = true;
  TAPER_ARG_OF(Self, bool, batch_first) = false;
  TAPER_ARG_OF(Self, double, dropout) = 0.0;
  TAPER_ARG_OF(Self, bool, bidirectional) = false;
};

/// What the options of cells have in common.
template <class Self>
struct RecurrentCellOptions {
  RecurrentCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG_OF(Self, int64_t, input_size);
  TAPER_ARG_OF(Self, int64_t, hidden_size);
  TAPER_ARG_OF(Self, bool, bias) = true;
};

}  // namespace detail

/// `dropout` is applied to what each layer but the last gives; with batch_first the input is (N, T,
/// D) in place of (T, N, D).
struct RNNOptions : detail::RecurrentOptions<RNNOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

/// With a proj_size above 0 the hidden state is projected to that size.
struct LSTMOptions : detail::RecurrentOptions<LSTMOptions> {
  using RecurrentOptions::RecurrentOptions;
  TAPER_ARG(int64_t, proj_size) = 0;
};

struct GRUOptions : detail::RecurrentOptions<GRUOptions> {
  using RecurrentOptions::RecurrentOptions;
};

struct RNNCellOptions : detail::RecurrentCellOptions<RNNCellOptions> {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
  using RecurrentCellOptions::RecurrentCellOptions;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

struct LSTMCellOptions : detail::RecurrentCellOptions<LSTMCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

struct GRUCellOptions : detail::RecurrentCellOptions<GRUCellOptions> {
  using RecurrentCellOptions::RecurrentCellOptions;
};

}  // namespace taper::nn

#pragma GCC visibility pop
