// Recurrent layers (RNN, LSTM, GRU) and their single cells.
//
// T is the number of steps, and N is the batch size. Layers take an input (T, N, input_size), or
// (N, T, input_size) with batch_first, and initial states (num_layers * directions, N,
// hidden_size), by default zeros. Layers return the outputs of the last layer for every step, (T,
// N, directions * hidden_size), and the states after the last step. forward_with_packed_input takes
// sequences of different lengths (nn/utils/rnn.h). The states of forward_with_packed_input are in
// the original order of the sequences. All functions throw Error for an input or a state with other
// sizes.
//
// Each layer k has these parameters for each direction: weight_ih_lk (G, input) and weight_hh_lk
// (G, hidden_size). With `bias`, it also has bias_ih_lk and bias_hh_lk (G). With a projection, it
// also has weight_hr_lk (proj_size, hidden_size). G is hidden_size times the number of gates. Names
// of the second direction end in _reverse. All parameters start uniform in [-b, b] with b = 1 /
// sqrt(hidden_size).
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/rnn.h>
#include <taper/nn/utils/rnn.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Holds the parameters and checks of the layers.
template <class Derived>
class RNNImplBase : public Cloneable<Derived> {
 public:
  explicit RNNImplBase(const RNNOptionsBase& options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Does nothing, because no kernel needs contiguous weights. This function exists because
  /// programs written for LibTorch call it.
  void flatten_parameters() {}
  /// Returns the parameters in the order of registration.
  std::vector<Tensor> all_weights() const { return flat_weights_; }

  RNNOptionsBase options_base;

 protected:
  /// Throws Error unless `input` is (T, N, input_size), or (rows, input_size) if packed.
  void check_input(const Tensor& input, bool packed) const;
  /// Throws Error unless `hx` is (num_layers * directions, batch, size).
  void check_hidden_size(const Tensor& hx, int64_t batch, int64_t size, const char* name) const;
  /// Returns a state of zeros for the batch size, with the dtype and device of `input`.
  Tensor zero_state(const Tensor& input, int64_t batch, int64_t size) const;
  int64_t batch_of(const Tensor& input) const;
  /// Returns the output size of a layer in one direction.
  int64_t real_hidden_size() const;
  /// Runs RNN or GRU, whose state is one tensor. `op` calls the op of RNN or GRU, for batches or
  /// for packed rows.
  template <class Op, class Options>
  std::tuple<Tensor, Tensor> run(const Op& op, const Options& o, const Tensor& input,
                                 Tensor hx) const;
  template <class Op, class Options>
  std::tuple<utils::rnn::PackedSequence, Tensor> run(const Op& op, const Options& o,
                                                     const utils::rnn::PackedSequence& packed,
                                                     Tensor hx) const;

  std::vector<Tensor> flat_weights_;
};

}  // namespace detail

/// Applies an Elman RNN to sequences: h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or with
/// ReLU instead of tanh.
class RNNImpl : public detail::RNNImplBase<RNNImpl> {
 public:
  /// Makes one layer in one direction, or takes all options. Throws Error for a hidden_size or
  /// num_layers below 1 and for a dropout outside [0, 1]. Warns if dropout is above 0 but there is
  /// only one layer.
  ///@{
  RNNImpl(int64_t input_size, int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
  explicit RNNImpl(const RNNOptions& options_);
  ///@}
  /// Runs the network over sequences. Returns the outputs of the last layer and the states after
  /// the last step. Outputs are (T, N, directions * hidden_size), or (N, T, ...) with batch_first.
  /// States are (num_layers * directions, N, hidden_size). `hx` holds the initial states. An
  /// undefined `hx` means zeros.
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {});
  /// Runs the network on R packed rows (R, input_size). Returns packed rows (R, directions *
  /// hidden_size), and the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {});

  RNNOptions options;  ///< the options of the constructor. Changes do not affect the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(RNN);

/// Applies an LSTM to sequences:
///
///     i, f, o = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), g with tanh instead of sigmoid
///     c_t = f c_{t-1} + i g
///     h_t = o tanh(c_t)
///
/// With a proj_size above 0, weight_hr projects h_t.
///
///     LSTM lstm(LSTMOptions(32, 64).num_layers(2));
///     auto [y, state] = lstm(x);  // (T, N, 32) to (T, N, 64)
class LSTMImpl : public detail::RNNImplBase<LSTMImpl> {
 public:
  using State = std::tuple<Tensor, Tensor>;  ///< the states h and c
  /// Makes one layer in one direction, or takes all options. Throws Error for a hidden_size or
  /// num_layers below 1, for a proj_size that is negative or not below hidden_size, and for a
  /// dropout outside [0, 1]. Warns if dropout is above 0 but there is only one layer.
  ///@{
  LSTMImpl(int64_t input_size, int64_t hidden_size)
      : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
  explicit LSTMImpl(const LSTMOptions& options_);
  ///@}
  /// Runs the network over sequences. Returns the outputs of the last layer and the states h and c
  /// after the last step. Outputs are (T, N, directions * H), or (N, T, ...) with batch_first. h is
  /// (num_layers * directions, N, H), and c is (num_layers * directions, N, hidden_size). H is
  /// proj_size if proj_size is above 0, and otherwise hidden_size. `hx_opt` holds the initial
  /// states, by default zeros.
  std::tuple<Tensor, State> forward(const Tensor& input, optional<State> hx_opt = {});
  /// Runs the network on R packed rows (R, input_size). Returns packed rows (R, directions * H),
  /// and the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, optional<State> hx_opt = {});

  LSTMOptions options;  ///< the options of the constructor. Changes do not affect the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();

 private:
  State start(const Tensor& input, int64_t batch, const optional<State>& given,
              const Tensor& order) const;
};
TAPER_LIBRARY_MODULE(LSTM);

/// Applies a GRU to sequences:
///
///     r, z = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
///     n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn))
///     h_t = (1 - z) n + z h_{t-1}
class GRUImpl : public detail::RNNImplBase<GRUImpl> {
 public:
  /// Makes one layer in one direction, or takes all options. Throws Error for a hidden_size or
  /// num_layers below 1 and for a dropout outside [0, 1]. Warns if dropout is above 0 but there is
  /// only one layer.
  ///@{
  GRUImpl(int64_t input_size, int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
  explicit GRUImpl(const GRUOptions& options_);
  ///@}
  /// Runs the network over sequences. Returns the outputs of the last layer and the states after
  /// the last step. Outputs are (T, N, directions * hidden_size), or (N, T, ...) with batch_first.
  /// States are (num_layers * directions, N, hidden_size). `hx` holds the initial states. An
  /// undefined `hx` means zeros.
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {});
  /// Runs the network on R packed rows (R, input_size). Returns packed rows (R, directions *
  /// hidden_size), and the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {});

  GRUOptions options;  ///< the options of the constructor. Changes do not affect the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(GRU);

namespace detail {

/// Holds the parameters and checks of the cells: weight_ih (G, input_size), weight_hh (G,
/// hidden_size), bias_ih (G) and bias_hh (G). G is hidden_size times the number of gates. Without
/// `bias`, the biases are undefined.
template <class Derived>
class RNNCellImplBase : public Cloneable<Derived> {
 public:
  explicit RNNCellImplBase(const RNNCellOptionsBase& options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  RNNCellOptionsBase options_base;
  Tensor weight_ih;
  Tensor weight_hh;
  Tensor bias_ih;
  Tensor bias_hh;

 protected:
  void check_forward_input(const Tensor& input) const;
  void check_forward_hidden(const Tensor& input, const Tensor& hx, const char* label) const;
  Tensor zero_state(const Tensor& input) const;
  virtual std::string get_nonlinearity_str() const;
};

}  // namespace detail

/// Computes one step of an RNN: input (N, input_size) and state (N, hidden_size) give the next
/// state.
class RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl> {
 public:
  /// Makes a cell with biases and tanh, or takes all options.
  ///@{
  RNNCellImpl(int64_t input_size, int64_t hidden_size)
      : RNNCellImpl(RNNCellOptions(input_size, hidden_size)) {}
  explicit RNNCellImpl(const RNNCellOptions& options_);
  ///@}
  /// Computes the next state (N, hidden_size) from `input` (N, input_size) and the state `hx`. An
  /// undefined `hx` means zeros. Throws Error for other sizes.
  Tensor forward(const Tensor& input, Tensor hx = {});

  RNNCellOptions options;  ///< the options of the constructor. Changes do not affect the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
  /// Returns "kTanh" or "kReLU", for pretty_print().
  std::string get_nonlinearity_str() const override;
};
TAPER_LIBRARY_MODULE(RNNCell);

/// Computes one step of an LSTM: input (N, input_size) and the states h and c (N, hidden_size) give
/// the next states.
class LSTMCellImpl : public detail::RNNCellImplBase<LSTMCellImpl> {
 public:
  /// Makes a cell with biases, or takes all options.
  ///@{
  LSTMCellImpl(int64_t input_size, int64_t hidden_size)
      : LSTMCellImpl(LSTMCellOptions(input_size, hidden_size)) {}
  explicit LSTMCellImpl(const LSTMCellOptions& options_);
  ///@}
  /// Computes the next states h and c, each (N, hidden_size), from `input` (N, input_size) and the
  /// states in `hx_opt`. Without `hx_opt`, the states are zeros. Throws Error for other sizes.
  std::tuple<Tensor, Tensor> forward(const Tensor& input,
                                     optional<std::tuple<Tensor, Tensor>> hx_opt = {});

  /// The options of the constructor. Changes do not affect the parameters.
  LSTMCellOptions options;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(LSTMCell);

/// Computes one step of a GRU: input (N, input_size) and state (N, hidden_size) give the next
/// state.
class GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl> {
 public:
  /// Makes a cell with biases, or takes all options.
  ///@{
  GRUCellImpl(int64_t input_size, int64_t hidden_size)
      : GRUCellImpl(GRUCellOptions(input_size, hidden_size)) {}
  explicit GRUCellImpl(const GRUCellOptions& options_);
  ///@}
  /// Computes the next state (N, hidden_size) from `input` (N, input_size) and the state `hx`. An
  /// undefined `hx` means zeros. Throws Error for other sizes.
  Tensor forward(const Tensor& input, Tensor hx = {});

  GRUCellOptions options;  ///< the options of the constructor. Changes do not affect the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(GRUCell);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
