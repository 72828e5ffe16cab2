#include <taper/ops/sequence/rnn.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/context.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/sequence/rnn_library.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

/// A network of layers, as given by the arguments.
struct Network {
  RnnMode mode;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional;
};

void check_devices(const Tensor& input, const char* what, TensorList tensors) {
  for (const Tensor& t : tensors)
    TAPER_CHECK(!t.defined() || t.device() == input.device(), "rnn: Input and ", what,
                " tensors are not at the same device, found input tensor at ", input.device(),
                " and ", what, " tensor at ", t.device());
}

// Runs all layers over packed rows.
RnnOutput run_packed(const Network& net, const std::vector<int64_t>& sizes, const Tensor& rows,
                     const Tensor& h, const Tensor& c, TensorList params) {
  TAPER_CHECK(net.num_layers > 0, "rnn: num_layers must be greater than zero, got ",
              net.num_layers);
  check_devices(rows, "hidden", {h, c});
  check_devices(rows, "parameter", params);
  const RnnStack stack{net.mode,
                       net.has_biases,
                       net.num_layers,
                       net.bidirectional,
                       globalContext().allowTF32CuDNN(),
                       net.train ? net.dropout : 0,
                       sizes,
                       rows.size(1),
                       c.defined() ? c.size(2) : h.size(2),
                       h.size(2)};
  const size_t count = static_cast<size_t>(net.num_layers * stack.directions());
  TAPER_CHECK(params.size() % stack.params_each() == 0,
              "rnn: got an incorrect number of RNN parameters");
  TAPER_CHECK(h.size(0) == static_cast<int64_t>(count),
              "rnn: Expected more hidden states in stacked_rnn");
  TAPER_CHECK(params.size() == count * stack.params_each(),
              "rnn: Expected more weights in stacked_rnn");
  TAPER_CHECK(!sizes.empty(), "rnn: Expected sequence length to be larger than 0 in RNN");
  if (rows.is_cuda() && cuda::cudnn_is_available() && cudnn_takes_rnn(stack, rows, h, c, params))
    return rnn_by_library(cuda::cudnn_rnn_library(), stack, rows, h, c, params);
  return rnn_layers(stack, rows, h, c, params);
}

std::vector<int64_t> sizes_of(const Tensor& batch_sizes, const Tensor& data, const Tensor& h) {
  detail::check_not_capturing("a packed sequence", batch_sizes.device());
  const Tensor list = batch_sizes.to(kCPU, kLong).contiguous();
  const int64_t* p = list.data_ptr<int64_t>();
  std::vector<int64_t> sizes(p, p + list.numel());
  int64_t rows = 0, limit = h.size(1);
  for (int64_t n : sizes) {
    TAPER_CHECK(n > 0 && n <= limit, "rnn: expected batch_sizes that do not grow, from ", h.size(1),
                " on, got ", n, " after ", limit);
    rows += limit = n;
  }
  TAPER_CHECK(sizes.empty() || sizes[0] == h.size(1), "rnn: expected states of ", sizes[0],
              " sequences, got ", h.sizes());
  TAPER_CHECK(rows == data.size(0), "rnn: expected ", rows, " rows, got ", data.sizes());
  return sizes;
}

void check_states(const Tensor& h, const Tensor& c) {
  TAPER_CHECK(h.dim() == 3, "rnn: expected states of 3 dimensions, got ", h.sizes());
  TAPER_CHECK(!c.defined() || (c.dim() == 3 && c.size(0) == h.size(0) && c.size(1) == h.size(1)),
              "rnn: expected a cell state beside ", h.sizes(), ", got ", c.sizes());
}

RnnOutput run(const Network& net, const Tensor& data, const Tensor& batch_sizes, const Tensor& h,
              const Tensor& c, TensorList params) {
  check_states(h, c);
  return run_packed(net, sizes_of(batch_sizes, data, h), data, h, c, params);
}

RnnOutput run(const Network& net, const Tensor& input, bool batch_first, const Tensor& h,
              const Tensor& c, TensorList params) {
  check_states(h, c);
  TAPER_CHECK(input.dim() == 3, "rnn: expected an input of 3 dimensions, got ", input.sizes());
  const Tensor x = batch_first ? input.transpose(0, 1) : input;
  const int64_t T = x.size(0), N = x.size(1);
  TAPER_CHECK(h.size(1) == N, "rnn: expected states of ", N, " sequences, got ", h.sizes());
  const std::vector<int64_t> sizes(static_cast<size_t>(T), N);
  RnnOutput out = run_packed(net, sizes, x.reshape({T * N, x.size(2)}), h, c, params);
  out.y = _unsafe_view(out.y, {T, N, out.y.size(1)});  // no view: programs call y.detach_()
  if (batch_first) out.y = out.y.transpose(0, 1);
  return out;
}

// Computes one step of a layer.
RnnOutput step(RnnMode mode, const Tensor& input, const Tensor& h, const Tensor& c,
               const RnnWeights& w) {
  TAPER_CHECK(input.dim() == 2 && h.dim() == 2 && input.size(0) == h.size(0),
              "rnn: expected an input and a state with one row for each sequence, got ",
              input.sizes(), " and ", h.sizes());
  return rnn_layer({mode, false, {input.size(0)}}, input, h, c, w);
}

void check_pair(TensorList hx, const char* op) {
  TAPER_CHECK(hx.size() == 2, op, " expects two hidden states");
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                        bool has_biases, int64_t num_layers, double dropout,
                                        bool train, bool bidirectional, bool batch_first) {
  if (auto done = at_door<"lstm">(input, hx, params, has_biases, num_layers, dropout, train,
                                  bidirectional, batch_first))
    return done;
  check_pair(hx, "lstm");
  const Network net{RnnMode::kLstm, has_biases, num_layers, dropout, train, bidirectional};
  const RnnOutput out = run(net, input, batch_first, hx[0], hx[1], params);
  return {out.y, out.h, out.c};
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        TensorList hx, TensorList params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional) {
  if (auto done = at_door<"lstm">(data, batch_sizes, hx, params, has_biases, num_layers, dropout,
                                  train, bidirectional))
    return done;
  check_pair(hx, "lstm");
  const Network net{RnnMode::kLstm, has_biases, num_layers, dropout, train, bidirectional};
  const RnnOutput out = run(net, data, batch_sizes, hx[0], hx[1], params);
  return {out.y, out.h, out.c};
}

#define TAPER_DEFINE_RNN(name, mode)                                                               \
  std::tuple<Tensor, Tensor> name(const Tensor& input, const Tensor& hx, TensorList params,        \
                                  bool has_biases, int64_t num_layers, double dropout, bool train, \
                                  bool bidirectional, bool batch_first) {                          \
    if (auto done = at_door<#name>(input, hx, params, has_biases, num_layers, dropout, train,      \
                                   bidirectional, batch_first))                                    \
      return done;                                                                                 \
    const Network net{mode, has_biases, num_layers, dropout, train, bidirectional};                \
    const RnnOutput out = run(net, input, batch_first, hx, {}, params);                            \
    return {out.y, out.h};                                                                         \
  }                                                                                                \
  std::tuple<Tensor, Tensor> name(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, \
                                  TensorList params, bool has_biases, int64_t num_layers,          \
                                  double dropout, bool train, bool bidirectional) {                \
    if (auto done = at_door<#name>(data, batch_sizes, hx, params, has_biases, num_layers, dropout, \
                                   train, bidirectional))                                          \
      return done;                                                                                 \
    const Network net{mode, has_biases, num_layers, dropout, train, bidirectional};                \
    const RnnOutput out = run(net, data, batch_sizes, hx, {}, params);                             \
    return {out.y, out.h};                                                                         \
  }                                                                                                \
  Tensor name##_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,                    \
                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {                 \
    if (auto done = at_door<#name "_cell">(input, hx, w_ih, w_hh, b_ih, b_hh)) return done;        \
    return step(mode, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).h;                              \
  }
TAPER_DEFINE_RNN(gru, RnnMode::kGru)
TAPER_DEFINE_RNN(rnn_tanh, RnnMode::kTanh)
TAPER_DEFINE_RNN(rnn_relu, RnnMode::kRelu)
#undef TAPER_DEFINE_RNN

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
  if (auto done = at_door<"lstm_cell">(input, hx, w_ih, w_hh, b_ih, b_hh)) return done;
  check_pair(hx, "lstm_cell");
  const RnnOutput out = step(RnnMode::kLstm, input, hx[0], hx[1], {w_ih, w_hh, b_ih, b_hh, {}});
  return {out.h, out.c};
}

}  // namespace torch::taper
