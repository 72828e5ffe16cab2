#include <taper/nn/modules/rnn.h>

#include <cmath>
#include <ostream>

#include <taper/framework/core/warning.h>
#include <taper/nn/init.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/sequence/rnn.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

using detail::RNNOptionsBase;
using detail::text_of;
using utils::rnn::PackedSequence;

// ---------------------------------------------------------------------- layers
namespace {

// Permutes the second dimension of a state.
Tensor permuted(const Tensor& state, const Tensor& order) {
  return order.defined() ? state.index_select(1, order) : state;
}

PackedSequence with_data(const PackedSequence& packed, const Tensor& data) {
  return PackedSequence(data, packed.batch_sizes(), packed.sorted_indices(),
                        packed.unsorted_indices());
}
int64_t batch_of(const PackedSequence& packed) { return packed.batch_sizes()[0].item<int64_t>(); }

using OneState = std::tuple<Tensor, Tensor>;

/// Holds the ops of layers with one state: for batches, and for packed rows.
struct OneStateOp {
  OneState (*dense)(const Tensor&, const Tensor&, TensorList, bool, int64_t, double, bool, bool,
                    bool);
  OneState (*packed)(const Tensor&, const Tensor&, const Tensor&, TensorList, bool, int64_t, double,
                     bool, bool);
};

}  // namespace

namespace detail {
namespace {

int64_t gates_of(const RNNOptionsBase& options) {
  if (holds_alternative<enumtype::kLSTM>(options.mode())) return 4;
  return holds_alternative<enumtype::kGRU>(options.mode()) ? 3 : 1;
}

void check_options(const RNNOptionsBase& options) {
  const int64_t gates = gates_of(options);
  const char* name = gates == 4 ? "LSTM" : gates == 3 ? "GRU" : "RNN";
  TAPER_CHECK(options.hidden_size() > 0, name, ": hidden_size must be greater than zero, got ",
              options.hidden_size());
  TAPER_CHECK(options.num_layers() > 0, name, ": num_layers must be greater than zero, got ",
              options.num_layers());
  TAPER_CHECK(options.dropout() >= 0 && options.dropout() <= 1, name,
              ": dropout should be a number in range [0, 1] representing the probability of an "
              "element being zeroed, got ",
              options.dropout());
  if (options.dropout() > 0 && options.num_layers() == 1)
    taper::detail::warn_user(taper::detail::concat(
        "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
        "expects num_layers greater than 1, but got dropout=",
        options.dropout(), " and num_layers=", options.num_layers()));
  TAPER_CHECK(options.proj_size() >= 0 && options.proj_size() < options.hidden_size(), name,
              ": proj_size has to be a positive integer, smaller than hidden_size or zero to "
              "disable projections, got proj_size ",
              options.proj_size(), " and hidden_size ", options.hidden_size());
  TAPER_CHECK(options.proj_size() == 0 || gates == 4, name,
              ": proj_size argument is only supported for LSTM, not RNN or GRU, got ",
              options.proj_size());
}

/// Describes the parameters of one layer in one direction.
struct NamedSizes {
  const char* name;
  std::vector<int64_t> sizes;
};
std::vector<NamedSizes> weights_of(const RNNOptionsBase& o, int64_t layer, int64_t hidden) {
  const int64_t gates = gates_of(o) * o.hidden_size(), directions = o.bidirectional() ? 2 : 1;
  const int64_t input = layer == 0 ? o.input_size() : hidden * directions;
  std::vector<NamedSizes> all{{"weight_ih_l", {gates, input}}, {"weight_hh_l", {gates, hidden}}};
  if (o.bias()) {
    all.push_back({"bias_ih_l", {gates}});
    all.push_back({"bias_hh_l", {gates}});
  }
  if (o.proj_size() > 0) all.push_back({"weight_hr_l", {o.proj_size(), o.hidden_size()}});
  return all;
}

// Returns "torch::nn::LSTM" for an LSTMImpl.
std::string holder_name(const Module& module) {
  const std::string& name = module.name();
  const size_t length = name.size() - 4;
  return name.size() > 4 && name.compare(length, 4, "Impl") == 0 ? name.substr(0, length) : name;
}

// Returns "LSTM" for an LSTMImpl.
std::string short_name(const Module& module) {
  const std::string name = holder_name(module);
  const size_t end = name.rfind("::");
  return end == std::string::npos ? name : name.substr(end + 2);
}

template <class Derived>
void reset_uniformly(Derived& module, int64_t hidden_size) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  for (const Tensor& p : module.parameters()) init::uniform_(p, -bound, bound);
}

}  // namespace

template <class Derived>
RNNImplBase<Derived>::RNNImplBase(const RNNOptionsBase& options_) : options_base(options_) {
  reset();
}

template <class Derived>
void RNNImplBase<Derived>::reset() {
  check_options(options_base);
  flat_weights_.clear();
  for (int64_t layer = 0; layer < options_base.num_layers(); ++layer)
    for (const char* suffix : {"", "_reverse"}) {
      if (*suffix && !options_base.bidirectional()) continue;
      for (const NamedSizes& w : weights_of(options_base, layer, real_hidden_size()))
        flat_weights_.push_back(this->register_parameter(w.name + std::to_string(layer) + suffix,
                                                         taper::empty(w.sizes)));
    }
  reset_parameters();
}

template <class Derived>
void RNNImplBase<Derived>::reset_parameters() {
  reset_uniformly(*this, options_base.hidden_size());
}

template <class Derived>
void RNNImplBase<Derived>::pretty_print(std::ostream& stream) const {
  const RNNOptionsBase& o = options_base;
  stream << holder_name(*this) << "(input_size=" << o.input_size()
         << ", hidden_size=" << o.hidden_size() << ", num_layers=" << o.num_layers()
         << ", bias=" << text_of(o.bias()) << ", batch_first=" << text_of(o.batch_first())
         << ", dropout=" << o.dropout() << ", bidirectional=" << text_of(o.bidirectional());
  if (o.proj_size() > 0) stream << ", proj_size=" << o.proj_size();
  stream << ")";
}

template <class Derived>
int64_t RNNImplBase<Derived>::real_hidden_size() const {
  return options_base.proj_size() > 0 ? options_base.proj_size() : options_base.hidden_size();
}

template <class Derived>
int64_t RNNImplBase<Derived>::batch_of(const Tensor& input) const {
  return input.size(options_base.batch_first() ? 0 : 1);
}

template <class Derived>
void RNNImplBase<Derived>::check_input(const Tensor& input, bool packed) const {
  const int64_t expected = packed ? 2 : 3;
  TAPER_CHECK(input.dim() == expected, short_name(*this), ": input must have ", expected,
              " dimensions, got ", input.dim(), ": an input of sizes ", input.sizes());
  TAPER_CHECK(input.size(-1) == options_base.input_size(), short_name(*this),
              ": input.size(-1) must be equal to input_size. Expected ", options_base.input_size(),
              ", got ", input.size(-1), ": an input of sizes ", input.sizes());
}

template <class Derived>
void RNNImplBase<Derived>::check_hidden_size(const Tensor& hx, int64_t batch, int64_t size,
                                             const char* name) const {
  const int64_t count = options_base.num_layers() * (options_base.bidirectional() ? 2 : 1);
  TAPER_CHECK(hx.sizes() == IntArrayRef({count, batch, size}), short_name(*this), ": Expected ",
              name, " size ", count, " ", batch, " ", size, ", got ", hx.sizes());
}

template <class Derived>
Tensor RNNImplBase<Derived>::zero_state(const Tensor& input, int64_t batch, int64_t size) const {
  const int64_t count = options_base.num_layers() * (options_base.bidirectional() ? 2 : 1);
  return zeros({count, batch, size}, input.options().requires_grad(false));
}

template <class Derived>
template <class Op, class Options>
std::tuple<Tensor, Tensor> RNNImplBase<Derived>::run(const Op& op, const Options& o,
                                                     const Tensor& input, Tensor hx) const {
  check_input(input, false);
  const int64_t batch = batch_of(input), size = o.hidden_size();
  if (!hx.defined()) hx = zero_state(input, batch, size);
  check_hidden_size(hx, batch, size, "hidden");
  return op.dense(input, hx, flat_weights_, o.bias(), o.num_layers(), o.dropout(),
                  this->is_training(), o.bidirectional(), o.batch_first());
}

template <class Derived>
template <class Op, class Options>
std::tuple<PackedSequence, Tensor> RNNImplBase<Derived>::run(const Op& op, const Options& o,
                                                             const PackedSequence& packed,
                                                             Tensor hx) const {
  const Tensor& data = packed.data();
  check_input(data, true);
  const int64_t batch = nn::batch_of(packed), size = o.hidden_size();
  hx = hx.defined() ? permuted(hx, packed.sorted_indices()) : zero_state(data, batch, size);
  check_hidden_size(hx, batch, size, "hidden");
  const auto [y, h] =
      op.packed(data, packed.batch_sizes(), hx, flat_weights_, o.bias(), o.num_layers(),
                o.dropout(), this->is_training(), o.bidirectional());
  return {with_data(packed, y), permuted(h, packed.unsorted_indices())};
}

template class RNNImplBase<RNNImpl>;
template class RNNImplBase<LSTMImpl>;
template class RNNImplBase<GRUImpl>;

}  // namespace detail

// ---------------------------------------------------------------------- RNN, GRU
TAPER_DEFINE_LIBRARY_MODULE(RNN);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(RNN, {1, AnyValue(Tensor())})

RNNImpl::RNNImpl(const RNNOptions& options_)
    : RNNImplBase([&] {
        using Mode = RNNOptionsBase::rnn_options_base_mode_t;
        const bool tanh = holds_alternative<enumtype::kTanh>(options_.nonlinearity());
        RNNOptionsBase o(tanh ? Mode(kRNN_TANH) : Mode(kRNN_RELU), options_.input_size(),
                         options_.hidden_size());
        return o.num_layers(options_.num_layers())
            .bias(options_.bias())
            .batch_first(options_.batch_first())
            .dropout(options_.dropout())
            .bidirectional(options_.bidirectional());
      }()),
      options(options_) {}

namespace {

OneStateOp op_of(const RNNOptions& options) {
  if (holds_alternative<enumtype::kTanh>(options.nonlinearity())) return {rnn_tanh, rnn_tanh};
  return {rnn_relu, rnn_relu};
}

}  // namespace

std::tuple<Tensor, Tensor> RNNImpl::forward(const Tensor& input, Tensor hx) {
  return run(op_of(options), options, input, std::move(hx));
}
std::tuple<PackedSequence, Tensor> RNNImpl::forward_with_packed_input(const PackedSequence& packed,
                                                                      Tensor hx) {
  return run(op_of(options), options, packed, std::move(hx));
}

TAPER_DEFINE_LIBRARY_MODULE(GRU);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(GRU, {1, AnyValue(Tensor())})

GRUImpl::GRUImpl(const GRUOptions& options_)
    : RNNImplBase(RNNOptionsBase(kGRU, options_.input_size(), options_.hidden_size())
                      .num_layers(options_.num_layers())
                      .bias(options_.bias())
                      .batch_first(options_.batch_first())
                      .dropout(options_.dropout())
                      .bidirectional(options_.bidirectional())),
      options(options_) {}

std::tuple<Tensor, Tensor> GRUImpl::forward(const Tensor& input, Tensor hx) {
  return run(OneStateOp{gru, gru}, options, input, std::move(hx));
}
std::tuple<PackedSequence, Tensor> GRUImpl::forward_with_packed_input(const PackedSequence& packed,
                                                                      Tensor hx) {
  return run(OneStateOp{gru, gru}, options, packed, std::move(hx));
}

// ---------------------------------------------------------------------- LSTM
TAPER_DEFINE_LIBRARY_MODULE(LSTM);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(LSTM, {1, AnyValue(optional<std::tuple<Tensor, Tensor>>())})

LSTMImpl::LSTMImpl(const LSTMOptions& options_)
    : RNNImplBase(RNNOptionsBase(kLSTM, options_.input_size(), options_.hidden_size())
                      .num_layers(options_.num_layers())
                      .bias(options_.bias())
                      .batch_first(options_.batch_first())
                      .dropout(options_.dropout())
                      .bidirectional(options_.bidirectional())
                      .proj_size(options_.proj_size())),
      options(options_) {}

LSTMImpl::State LSTMImpl::start(const Tensor& input, int64_t batch, const optional<State>& given,
                                const Tensor& order) const {
  const int64_t size = options.hidden_size(), real = real_hidden_size();
  if (!given) return {zero_state(input, batch, real), zero_state(input, batch, size)};
  const State state{permuted(std::get<0>(*given), order), permuted(std::get<1>(*given), order)};
  check_hidden_size(std::get<0>(state), batch, real, "hidden[0]");
  check_hidden_size(std::get<1>(state), batch, size, "hidden[1]");
  return state;
}

std::tuple<Tensor, LSTMImpl::State> LSTMImpl::forward(const Tensor& input, optional<State> hx_opt) {
  check_input(input, false);
  const auto [h, c] = start(input, batch_of(input), hx_opt, {});
  const auto [y, last_h, last_c] =
      lstm(input, {h, c}, flat_weights_, options.bias(), options.num_layers(), options.dropout(),
           is_training(), options.bidirectional(), options.batch_first());
  return {y, {last_h, last_c}};
}

std::tuple<PackedSequence, LSTMImpl::State> LSTMImpl::forward_with_packed_input(
    const PackedSequence& packed, optional<State> hx_opt) {
  check_input(packed.data(), true);
  const auto [h, c] = start(packed.data(), nn::batch_of(packed), hx_opt, packed.sorted_indices());
  const auto [y, last_h, last_c] =
      lstm(packed.data(), packed.batch_sizes(), {h, c}, flat_weights_, options.bias(),
           options.num_layers(), options.dropout(), is_training(), options.bidirectional());
  const Tensor& order = packed.unsorted_indices();
  return {with_data(packed, y), {permuted(last_h, order), permuted(last_c, order)}};
}

// ---------------------------------------------------------------------- cells
namespace detail {

template <class Derived>
RNNCellImplBase<Derived>::RNNCellImplBase(const RNNCellOptionsBase& options_)
    : options_base(options_) {
  reset();
}

template <class Derived>
void RNNCellImplBase<Derived>::reset() {
  const int64_t gates = options_base.num_chunks() * options_base.hidden_size();
  weight_ih = this->register_parameter("weight_ih", empty({gates, options_base.input_size()}));
  weight_hh = this->register_parameter("weight_hh", empty({gates, options_base.hidden_size()}));
  bias_ih = register_optional(*this, "bias_ih", {gates}, options_base.bias());
  bias_hh = register_optional(*this, "bias_hh", {gates}, options_base.bias());
  reset_parameters();
}

template <class Derived>
void RNNCellImplBase<Derived>::reset_parameters() {
  reset_uniformly(*this, options_base.hidden_size());
}

template <class Derived>
void RNNCellImplBase<Derived>::pretty_print(std::ostream& stream) const {
  stream << holder_name(*this) << "(" << options_base.input_size() << ", "
         << options_base.hidden_size();
  if (!options_base.bias()) stream << ", bias=false";
  const std::string nonlinearity = get_nonlinearity_str();
  if (!nonlinearity.empty() && nonlinearity != "kTanh") stream << ", nonlinearity=" << nonlinearity;
  stream << ")";
}

template <class Derived>
void RNNCellImplBase<Derived>::check_forward_input(const Tensor& input) const {
  TAPER_CHECK(input.dim() == 2, short_name(*this), ": input must have 2 dimensions, got ",
              input.dim());
  TAPER_CHECK(input.size(1) == options_base.input_size(), short_name(*this),
              ": input has inconsistent input_size: got ", input.size(1), " expected ",
              options_base.input_size());
}

template <class Derived>
void RNNCellImplBase<Derived>::check_forward_hidden(const Tensor& input, const Tensor& hx,
                                                    const char* label) const {
  TAPER_CHECK(hx.dim() == 2, short_name(*this), ": ", label, " must have 2 dimensions, got ",
              hx.dim());
  TAPER_CHECK(input.size(0) == hx.size(0), short_name(*this), ": Input batch size ", input.size(0),
              " doesn't match ", label, " batch size ", hx.size(0));
  TAPER_CHECK(hx.size(1) == options_base.hidden_size(), short_name(*this), ": ", label,
              " has inconsistent hidden_size: got ", hx.size(1), ", expected ",
              options_base.hidden_size());
}

template <class Derived>
Tensor RNNCellImplBase<Derived>::zero_state(const Tensor& input) const {
  return zeros({input.size(0), options_base.hidden_size()}, input.options().requires_grad(false));
}

template <class Derived>
std::string RNNCellImplBase<Derived>::get_nonlinearity_str() const {
  return "";
}

template class RNNCellImplBase<RNNCellImpl>;
template class RNNCellImplBase<LSTMCellImpl>;
template class RNNCellImplBase<GRUCellImpl>;

}  // namespace detail

TAPER_DEFINE_LIBRARY_MODULE(RNNCell);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(RNNCell, {1, AnyValue(Tensor())})

RNNCellImpl::RNNCellImpl(const RNNCellOptions& options_)
    : RNNCellImplBase(detail::RNNCellOptionsBase(options_.input_size(), options_.hidden_size(),
                                                 options_.bias(), 1)),
      options(options_) {}

Tensor RNNCellImpl::forward(const Tensor& input, Tensor hx) {
  check_forward_input(input);
  if (!hx.defined()) hx = zero_state(input);
  check_forward_hidden(input, hx, "hidden");
  if (holds_alternative<enumtype::kTanh>(options.nonlinearity()))
    return rnn_tanh_cell(input, hx, weight_ih, weight_hh, bias_ih, bias_hh);
  return rnn_relu_cell(input, hx, weight_ih, weight_hh, bias_ih, bias_hh);
}

std::string RNNCellImpl::get_nonlinearity_str() const {
  return enumtype::get_enum_name(options.nonlinearity());
}

TAPER_DEFINE_LIBRARY_MODULE(LSTMCell);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(LSTMCell, {1, AnyValue(optional<std::tuple<Tensor, Tensor>>())})

LSTMCellImpl::LSTMCellImpl(const LSTMCellOptions& options_)
    : RNNCellImplBase(detail::RNNCellOptionsBase(options_.input_size(), options_.hidden_size(),
                                                 options_.bias(), 4)),
      options(options_) {}

std::tuple<Tensor, Tensor> LSTMCellImpl::forward(const Tensor& input,
                                                 optional<std::tuple<Tensor, Tensor>> hx_opt) {
  check_forward_input(input);
  if (!hx_opt) hx_opt = std::make_tuple(zero_state(input), zero_state(input));
  const auto& [h, c] = *hx_opt;
  check_forward_hidden(input, h, "hidden[0]");
  check_forward_hidden(input, c, "hidden[1]");
  return lstm_cell(input, {h, c}, weight_ih, weight_hh, bias_ih, bias_hh);
}

TAPER_DEFINE_LIBRARY_MODULE(GRUCell);
TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(GRUCell, {1, AnyValue(Tensor())})

GRUCellImpl::GRUCellImpl(const GRUCellOptions& options_)
    : RNNCellImplBase(detail::RNNCellOptionsBase(options_.input_size(), options_.hidden_size(),
                                                 options_.bias(), 3)),
      options(options_) {}

Tensor GRUCellImpl::forward(const Tensor& input, Tensor hx) {
  check_forward_input(input);
  if (!hx.defined()) hx = zero_state(input);
  check_forward_hidden(input, hx, "hidden");
  return gru_cell(input, hx, weight_ih, weight_hh, bias_ih, bias_hh);
}

}  // namespace torch::taper::nn
