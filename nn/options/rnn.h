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

}  // namespace detail

/// `dropout` is applied to what each layer but the last gives; with batch_first the input is (N, T,
/// D) in place of (T, N, D).
struct RNNOptions {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
  RNNOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(int64_t, num_layers) = 1;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(bool, batch_first) = false;
  TAPER_ARG(double, dropout) = 0.0;
  TAPER_ARG(bool, bidirectional) = false;
};

/// With a proj_size above 0 the hidden state is projected to that size.
struct LSTMOptions {
  LSTMOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(int64_t, num_layers) = 1;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(bool, batch_first) = false;
  TAPER_ARG(double, dropout) = 0.0;
  TAPER_ARG(bool, bidirectional) = false;
  TAPER_ARG(int64_t, proj_size) = 0;
};

struct GRUOptions {
  GRUOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(int64_t, num_layers) = 1;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(bool, batch_first) = false;
  TAPER_ARG(double, dropout) = 0.0;
  TAPER_ARG(bool, bidirectional) = false;
};

struct RNNCellOptions {
  using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
  RNNCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(nonlinearity_t, nonlinearity) = kTanh;
};

struct LSTMCellOptions {
  LSTMCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(bool, bias) = true;
};

struct GRUCellOptions {
  GRUCellOptions(int64_t input_size, int64_t hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  TAPER_ARG(int64_t, input_size);
  TAPER_ARG(int64_t, hidden_size);
  TAPER_ARG(bool, bias) = true;
};

}  // namespace taper::nn

#pragma GCC visibility pop
