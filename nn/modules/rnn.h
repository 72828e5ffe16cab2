// Recurrent layers (RNN, LSTM, GRU) and single cells of them.
//
// Layers take (T, N, input_size), or (N, T, input_size) with batch_first, and states (num_layers *
// directions, N, hidden_size), zeros where none are given. They return what the last layer gives
// for every time, (T, N, directions * hidden_size), and the states after the last time.
// forward_with_packed_input does so for sequences of different lengths (nn/utils/rnn.h); its states
// are in the caller's order. Errors: Error for an input or a state of other sizes.
//
// Parameters, for each layer k and direction (the second ends in _reverse): weight_ih_lk (G,
// input), weight_hh_lk (G, hidden_size), with `bias` also bias_ih_lk and bias_hh_lk (G), with a
// projection weight_hr_lk (proj_size, hidden_size); G is hidden_size times the number of gates. All
// start uniform in +-1/sqrt(hidden_size).
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

/// Parameters and checks of the layers.
template <class Derived>
class RNNImplBase : public Cloneable<Derived> {
 public:
  explicit RNNImplBase(const RNNOptionsBase& options_);

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Nothing to do here: no kernel asks for weights in one piece of memory. LibTorch's programs
  /// call it.
  void flatten_parameters() {}
  /// The parameters in the order of registration.
  std::vector<Tensor> all_weights() const { return flat_weights_; }

  RNNOptionsBase options_base;

 protected:
  /// Throws unless `input` is (T, N, input_size), or rows of input_size where it is packed.
  void check_input(const Tensor& input, bool packed) const;
  /// Throws unless `hx` is (num_layers * directions, batch, size).
  void check_hidden_size(const Tensor& hx, int64_t batch, int64_t size, const char* name) const;
  /// A state of zeros for such an input.
  Tensor zero_state(const Tensor& input, int64_t batch, int64_t size) const;
  int64_t batch_of(const Tensor& input) const;
  /// Size of what a layer gives in one direction.
  int64_t real_hidden_size() const;
  /// The forward of RNN and GRU, whose state is one tensor: `op` is their op for batches and for
  /// packed rows.
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

/// h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or with ReLU.
class RNNImpl : public detail::RNNImplBase<RNNImpl> {
 public:
  /// One layer in one direction, or all options. Throws Error for a hidden_size or num_layers below
  /// 1 and for a dropout outside of [0, 1]; warns of dropout with one layer.
  ///@{
  RNNImpl(int64_t input_size, int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
  explicit RNNImpl(const RNNOptions& options_);
  ///@}
  /// Outputs (T, N, directions * hidden_size) of the last layer, or (N, T, ...) with batch_first,
  /// and the states (num_layers * directions, N, hidden_size) after the last time. `hx` are the
  /// states to start with, of these sizes: zeros where it is undefined.
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {});
  /// The same for packed rows (R, input_size): gives rows (R, directions * hidden_size), packed
  /// alike, and the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {});

  RNNOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(RNN);

/// i, f, o = sigmoid(...), g = tanh(...) of W_ih x_t + b_ih + W_hh h_{t-1} + b_hh;
/// c_t = f c_{t-1} + i g, h_t = o tanh(c_t), which weight_hr projects where proj_size is above 0.
class LSTMImpl : public detail::RNNImplBase<LSTMImpl> {
 public:
  using State = std::tuple<Tensor, Tensor>;  ///< h and c
  /// One layer in one direction, or all options. Throws Error for a hidden_size or num_layers below
  /// 1, for a proj_size that is negative or not below hidden_size and for a dropout outside of [0,
  /// 1]; warns of dropout with one layer.
  ///@{
  LSTMImpl(int64_t input_size, int64_t hidden_size)
      : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
  explicit LSTMImpl(const LSTMOptions& options_);
  ///@}
  /// Outputs (T, N, directions * H) of the last layer, or (N, T, ...) with batch_first, and the
  /// states h (num_layers * directions, N, H) and c (num_layers * directions, N, hidden_size) after
  /// the last time; H is proj_size where that is above 0, else hidden_size. `hx_opt` holds states
  /// of these sizes to start with: zeros without it.
  std::tuple<Tensor, State> forward(const Tensor& input, optional<State> hx_opt = {});
  /// The same for packed rows (R, input_size): gives rows (R, directions * H), packed alike, and
  /// the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, optional<State> hx_opt = {});

  LSTMOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();

 private:
  State start(const Tensor& input, int64_t batch, const optional<State>& given,
              const Tensor& order) const;
};
TAPER_LIBRARY_MODULE(LSTM);

/// r, z = sigmoid(...) as above; n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn));
/// h_t = (1 - z) n + z h_{t-1}.
class GRUImpl : public detail::RNNImplBase<GRUImpl> {
 public:
  /// One layer in one direction, or all options. Throws Error for a hidden_size or num_layers below
  /// 1 and for a dropout outside of [0, 1]; warns of dropout with one layer.
  ///@{
  GRUImpl(int64_t input_size, int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
  explicit GRUImpl(const GRUOptions& options_);
  ///@}
  /// Outputs (T, N, directions * hidden_size) of the last layer, or (N, T, ...) with batch_first,
  /// and the states (num_layers * directions, N, hidden_size) after the last time. `hx` are the
  /// states to start with, of these sizes: zeros where it is undefined.
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {});
  /// The same for packed rows (R, input_size): gives rows (R, directions * hidden_size), packed
  /// alike, and the state after the last element of each sequence.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {});

  GRUOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(GRU);

namespace detail {

/// Parameters and checks of the cells: weight_ih (G, input_size), weight_hh (G, hidden_size),
/// bias_ih and bias_hh (G) or undefined.
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

/// One step: input (N, input_size), state (N, hidden_size); returns the next state.
class RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl> {
 public:
  /// With biases and tanh, or all options.
  ///@{
  RNNCellImpl(int64_t input_size, int64_t hidden_size)
      : RNNCellImpl(RNNCellOptions(input_size, hidden_size)) {}
  explicit RNNCellImpl(const RNNCellOptions& options_);
  ///@}
  /// The state (N, hidden_size) after `input` (N, input_size) and the state `hx`: zeros where it is
  /// undefined. Throws Error for other sizes.
  Tensor forward(const Tensor& input, Tensor hx = {});

  RNNCellOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
  /// "kTanh" or "kReLU", for pretty_print().
  std::string get_nonlinearity_str() const override;
};
TAPER_LIBRARY_MODULE(RNNCell);

/// The same with the states h and c.
class LSTMCellImpl : public detail::RNNCellImplBase<LSTMCellImpl> {
 public:
  /// With biases, or all options.
  ///@{
  LSTMCellImpl(int64_t input_size, int64_t hidden_size)
      : LSTMCellImpl(LSTMCellOptions(input_size, hidden_size)) {}
  explicit LSTMCellImpl(const LSTMCellOptions& options_);
  ///@}
  /// The states h and c after `input` (N, input_size), each (N, hidden_size), from those in
  /// `hx_opt`: zeros without it. Throws Error for other sizes.
  std::tuple<Tensor, Tensor> forward(const Tensor& input,
                                     optional<std::tuple<Tensor, Tensor>> hx_opt = {});

  LSTMCellOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(LSTMCell);

/// One step of GRU: input (N, input_size), state (N, hidden_size); returns the next state.
class GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl> {
 public:
  /// With biases, or all options.
  ///@{
  GRUCellImpl(int64_t input_size, int64_t hidden_size)
      : GRUCellImpl(GRUCellOptions(input_size, hidden_size)) {}
  explicit GRUCellImpl(const GRUCellOptions& options_);
  ///@}
  /// The state (N, hidden_size) after `input` (N, input_size) and the state `hx`: zeros where it is
  /// undefined. Throws Error for other sizes.
  Tensor forward(const Tensor& input, Tensor hx = {});

  GRUCellOptions options;  ///< as given; a change does not change the parameters

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(GRUCell);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
