// Recurrent modules: initial values, forward and backward, packed sequences, errors, training.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace nn = torch::nn;
namespace rnn = torch::nn::utils::rnn;

template <class M>
static void show_gradients(const std::string& key, const M& module) {
  for (const auto& p : module->named_parameters()) {
    show(key + ".grad." + p.key(), p.value().grad());
    p.value().mutable_grad() = Tensor();
  }
}

template <class M>
static void show_state(const std::string& key, const M& module) {
  print(key + ".print", module);
  for (const auto& p : module->named_parameters()) show(key + ".init." + p.key(), p.value());
  show(key + ".all_weights", module->all_weights().size());
}

static void lstm(const std::string& key, const nn::LSTMOptions& options, bool train = true) {
  torch::manual_seed(3);
  nn::LSTM net(options);
  net->train(train);
  show_state(key, net);
  Tensor x = numbers({4, 3, options.input_size()}, 5).requires_grad_();
  const auto [y, state] = net->forward(x);
  show(key + ".y", y);
  show(key + ".h", std::get<0>(state));
  show(key + ".c", std::get<1>(state));
  ((y * y).sum() + std::get<0>(state).sum() + (std::get<1>(state) * 3).sum()).backward();
  show_gradients(key, net);
  show(key + ".grad.x", x.grad());
  Tensor h = torch::full_like(std::get<0>(state), 0.25).requires_grad_();
  Tensor c = torch::full_like(std::get<1>(state), -0.5).requires_grad_();
  const auto again = net->forward(x, std::make_tuple(h, c));
  show(key + ".with_state", std::get<0>(again));
  std::get<0>(again).sum().backward();
  show(key + ".grad.h", h.grad());
  show(key + ".grad.c", c.grad());
}

template <class M, class Options>
static void plain(const std::string& key, const Options& options) {
  torch::manual_seed(4);
  M net(options);
  show_state(key, net);
  Tensor x = numbers({4, 3, options.input_size()}, 6).requires_grad_();
  const auto [y, h] = net->forward(x);
  show(key + ".y", y);
  show(key + ".h", h);
  ((y * y).sum() + h.sum()).backward();
  show_gradients(key, net);
  show(key + ".grad.x", x.grad());
  Tensor start = torch::full_like(h, 0.25).requires_grad_();
  const auto again = net->forward(x, start);
  show(key + ".with_state", std::get<0>(again));
  std::get<0>(again).sum().backward();
  show(key + ".grad.start", start.grad());
}

static void layers() {
  lstm("lstm", nn::LSTMOptions(5, 4));
  lstm("lstm.deep", nn::LSTMOptions(5, 4).num_layers(2).bidirectional(true));
  lstm("lstm.plain", nn::LSTMOptions(5, 4).bias(false).batch_first(true));
  lstm("lstm.projected", nn::LSTMOptions(5, 4).proj_size(2).num_layers(2).bidirectional(true));
  lstm("lstm.projected_plain", nn::LSTMOptions(5, 4).proj_size(3).bias(false));
  lstm("lstm.dropout", nn::LSTMOptions(5, 4).num_layers(3).dropout(0.5));
  lstm("lstm.eval", nn::LSTMOptions(5, 4).num_layers(2).dropout(0.5), false);
  plain<nn::GRU>("gru", nn::GRUOptions(5, 4));
  plain<nn::GRU>("gru.deep", nn::GRUOptions(5, 4).num_layers(2).bidirectional(true).dropout(0.3));
  plain<nn::GRU>("gru.plain", nn::GRUOptions(5, 4).bias(false).batch_first(true));
  plain<nn::RNN>("rnn", nn::RNNOptions(5, 4));
  plain<nn::RNN>("rnn.relu", nn::RNNOptions(5, 4).nonlinearity(torch::kReLU).num_layers(2));
  plain<nn::RNN>("rnn.deep", nn::RNNOptions(5, 4).num_layers(2).bidirectional(true).bias(false));
}

static void cells() {
  torch::manual_seed(5);
  nn::RNNCell cell(5, 4);
  nn::RNNCell relu(nn::RNNCellOptions(5, 4).nonlinearity(torch::kReLU).bias(false));
  nn::LSTMCell lstm(nn::LSTMCellOptions(5, 4));
  nn::LSTMCell unbiased(nn::LSTMCellOptions(5, 4).bias(false));
  nn::GRUCell gru(5, 4);
  const Tensor x = numbers({3, 5}, 7), h = numbers({3, 4}, 8), c = numbers({3, 4}, 9);
  for (const auto& p : gru->named_parameters()) show("cell.init." + p.key(), p.value());
  print("cell.print", cell);
  print("cell.print.relu", relu);
  print("cell.print.lstm", lstm);
  print("cell.print.unbiased", unbiased);
  print("cell.print.gru", gru);
  show("cell.rnn", cell->forward(x));
  show("cell.rnn.h", cell->forward(x, h));
  show("cell.relu", relu->forward(x, h));
  const auto [lh, lc] = lstm->forward(x, std::make_tuple(h, c));
  show("cell.lstm.h", lh);
  show("cell.lstm.c", lc);
  show("cell.lstm.unbiased", std::get<1>(unbiased->forward(x)));
  const Tensor g = gru->forward(x, h);
  show("cell.gru", g);
  (lh.sum() + (lc * lc).sum() + (g * g).sum()).backward();
  show_gradients("cell.lstm", lstm);
  show_gradients("cell.gru", gru);
  error("cell.error.input", [&] { gru->forward(numbers({3, 4})); });
  error("cell.error.batch", [&] { gru->forward(x, numbers({2, 4})); });
  error("cell.error.hidden", [&] { gru->forward(x, numbers({3, 5})); });
  error("cell.error.lstm_hidden", [&] { lstm->forward(x, std::make_tuple(h, numbers({3, 5}))); });
  error("cell.error.rnn_hidden", [&] { cell->forward(x, numbers({3, 5})); });
}

static void show_packed(const std::string& key, const rnn::PackedSequence& p) {
  show(key + ".data", p.data());
  show(key + ".batch_sizes", p.batch_sizes());
  show(key + ".sorted", p.sorted_indices());
  show(key + ".unsorted", p.unsorted_indices());
}

static void packing() {
  const Tensor x = numbers({4, 3, 2}, 10);
  const Tensor sorted = torch::tensor({4, 2, 1}), mixed = torch::tensor({2, 4, 1});
  const auto a = rnn::pack_padded_sequence(x, sorted);
  const auto b = rnn::pack_padded_sequence(x, mixed, false, false);
  const auto c = rnn::pack_padded_sequence(x.transpose(0, 1), mixed, true, false);
  show_packed("pack.sorted", a);
  show_packed("pack.mixed", b);
  show_packed("pack.batch_first", c);
  const auto [back, lengths] = rnn::pad_packed_sequence(b);
  show("pad", back);
  show("pad.lengths", lengths);
  show("pad.batch_first", std::get<0>(rnn::pad_packed_sequence(b, true, -1.5, 6)));
  const std::vector<Tensor> list{numbers({2, 2}, 1), numbers({4, 2}, 2), numbers({1, 2}, 3)};
  show("pad_sequence", rnn::pad_sequence(list));
  show("pad_sequence.batch_first", rnn::pad_sequence(list, true, 7.0));
  show_packed("pack_sequence", rnn::pack_sequence(list, false));
  show("invert", rnn::invert_permutation(torch::tensor({2, 0, 1})));
  show("invert.none", rnn::invert_permutation(Tensor()));
  error("pack.error.order", [&] { rnn::pack_padded_sequence(x, mixed); });
  error("pack.error.zero", [&] { rnn::pack_padded_sequence(x, torch::tensor({2, 1, 0})); });
  error("pack.error.count", [&] { rnn::pack_padded_sequence(x, torch::tensor({2, 1})); });
  error("pack.error.empty", [&] { rnn::pack_padded_sequence(numbers({0, 0, 2}), mixed); });
  error("pad.error.total", [&] { rnn::pad_packed_sequence(a, false, 0.0, 3); });
  error("pad_sequence.error.none", [&] { rnn::pad_sequence(std::vector<Tensor>{}); });
  Tensor leaf = x.clone().requires_grad_();
  const auto p = rnn::pack_padded_sequence(leaf, mixed, false, false);
  (std::get<0>(rnn::pad_packed_sequence(p)) * numbers({4, 3, 2}, 11)).sum().backward();
  show("pack.grad", leaf.grad());
}

static void packed_layers() {
  const Tensor x = numbers({4, 3, 5}, 12), lengths = torch::tensor({2, 4, 3});
  torch::manual_seed(6);
  nn::LSTM lstm(nn::LSTMOptions(5, 4).num_layers(2).bidirectional(true));
  nn::GRU gru(nn::GRUOptions(5, 4).bidirectional(true));
  nn::RNN plain(nn::RNNOptions(5, 4));
  nn::LSTM projected(nn::LSTMOptions(5, 4).proj_size(3).bidirectional(true));
  const auto packed = rnn::pack_padded_sequence(x, lengths, false, false);
  {
    const auto [y, state] = lstm->forward_with_packed_input(packed);
    show("packed.lstm", y.data());
    show("packed.lstm.h", std::get<0>(state));
    show("packed.lstm.c", std::get<1>(state));
    show("packed.lstm.padded", std::get<0>(rnn::pad_packed_sequence(y)));
    ((y.data() * y.data()).sum() + std::get<1>(state).sum()).backward();
    show_gradients("packed.lstm", lstm);
    const auto start = std::make_tuple(numbers({4, 3, 4}, 13), numbers({4, 3, 4}, 14));
    const auto again = lstm->forward_with_packed_input(packed, start);
    show("packed.lstm.started", std::get<0>(again).data());
  }
  {
    const auto [y, h] = gru->forward_with_packed_input(packed);
    show("packed.gru", y.data());
    show("packed.gru.h", h);
    ((y.data() * y.data()).sum() + h.sum()).backward();
    show_gradients("packed.gru", gru);
  }
  {
    const auto [y, h] = plain->forward_with_packed_input(packed, numbers({1, 3, 4}, 15));
    show("packed.rnn", y.data());
    show("packed.rnn.h", h);
    (y.data().sum() + h.sum()).backward();
    show_gradients("packed.rnn", plain);
  }
  const auto [y, state] = projected->forward_with_packed_input(packed);
  show("packed.projected", y.data());
  show("packed.projected.h", std::get<0>(state));
  show("packed.projected.c", std::get<1>(state));
}

static void functions() {
  const Tensor x = numbers({4, 3, 5}, 16), h = numbers({1, 3, 4}, 17), c = numbers({1, 3, 4}, 18);
  const auto weights = [](int64_t gates) {
    return std::vector<Tensor>{numbers({4 * gates, 5}, 19), numbers({4 * gates, 4}, 20),
                               numbers({4 * gates}, 21), numbers({4 * gates}, 22)};
  };
  const auto four = weights(4), three = weights(3), one = weights(1);
  show("function.lstm", std::get<2>(torch::lstm(x, {h, c}, four, true, 1, 0, false, false, false)));
  show("function.gru", std::get<0>(torch::gru(x, h, three, true, 1, 0, false, false, false)));
  show("function.tanh", std::get<1>(torch::rnn_tanh(x, h, one, true, 1, 0, false, false, false)));
  show("function.relu", std::get<1>(torch::rnn_relu(x, h, one, true, 1, 0, false, false, false)));
  const Tensor sizes = torch::tensor({3, 2, 1}), data = numbers({6, 5}, 23);
  show("function.packed", std::get<0>(torch::gru(data, sizes, h, three, true, 1, 0, false, false)));
  show("function.lstm_cell", std::get<1>(torch::lstm_cell(x[0], {h[0], c[0]}, four[0], four[1])));
  show("function.gru_cell", torch::gru_cell(x[0], h[0], three[0], three[1], three[2], three[3]));
  show("function.tanh_cell", torch::rnn_tanh_cell(x[0], h[0], one[0], one[1]));
  show("function.relu_cell", torch::rnn_relu_cell(x[0], h[0], one[0], one[1], one[2], one[3]));
  error("function.error.states",
        [&] { torch::lstm(x, {h}, four, true, 1, 0, false, false, false); });
  error("function.error.count",
        [&] { torch::gru(x, h, {three[0]}, true, 1, 0, false, false, false); });
  error("function.error.layers", [&] { torch::gru(x, h, three, true, 2, 0, false, false, false); });
  throws("function.error.dtype",
         [&] { torch::gru(x.to(torch::kDouble), h, three, true, 1, 0, false, false, false); });
  throws("function.error.sizes", [&] {
    torch::gru(numbers({4, 3, 6}), h, three, true, 1, 0, false, false, false);
  });
}

static void errors() {
  nn::LSTM lstm(nn::LSTMOptions(5, 4));
  nn::GRU gru(nn::GRUOptions(5, 4));
  const Tensor x = numbers({2, 3, 5}), h = numbers({1, 3, 4});
  error("error.rank", [&] { gru->forward(numbers({3, 5})); });
  error("error.size", [&] { gru->forward(numbers({2, 3, 4})); });
  error("error.hidden", [&] { gru->forward(x, numbers({1, 2, 4})); });
  error("error.hidden0", [&] { lstm->forward(x, std::make_tuple(numbers({1, 2, 4}), h)); });
  error("error.hidden1", [&] { lstm->forward(x, std::make_tuple(h, numbers({1, 3, 5}))); });
  error("error.dropout", [] { nn::GRU(nn::GRUOptions(5, 4).dropout(1.5)); });
  error("error.projection", [] { nn::LSTM(nn::LSTMOptions(5, 4).proj_size(4)); });
  error("error.negative", [] { nn::LSTM(nn::LSTMOptions(5, 4).proj_size(-1)); });
  throws("error.no_time", [&] { gru->forward(numbers({0, 3, 5})); });
  show("error.no_batch", std::get<0>(gru->forward(numbers({2, 0, 5}))).numel());
}

static void modules() {
  torch::manual_seed(7);
  nn::GRU gru(nn::GRUOptions(3, 2).num_layers(2));
  const Tensor x = numbers({4, 2, 3}, 24);
  const auto copy = std::dynamic_pointer_cast<nn::GRUImpl>(gru->clone());
  show("module.clone", std::get<0>(copy->forward(x)));
  torch::NoGradGuard guard;
  for (Tensor& p : gru->parameters()) p.mul_(2);
  show("module.changed", std::get<0>(gru->forward(x)));
  show("module.clone_stays", std::get<0>(copy->forward(x)));
  std::stringstream stream;
  torch::save(gru, stream);
  nn::GRU other(nn::GRUOptions(3, 2).num_layers(2));
  torch::load(other, stream);
  show("module.loaded", std::get<0>(other->forward(x)));
  gru->to(torch::kDouble);
  show("module.double", std::get<0>(gru->forward(x.to(torch::kDouble))));
  gru->flatten_parameters();
  nn::AnyModule any(nn::LSTM(3, 2));
  using State = std::tuple<Tensor, std::tuple<Tensor, Tensor>>;
  show("module.any", std::get<0>(any.forward<State>(x)).sizes().size());
  gru->reset_parameters();
  show("module.reset", gru->parameters()[0]);
}

/// A character model as tutorials write it: embedding, LSTM, linear.
struct CharModelImpl : nn::Module {
  CharModelImpl(int64_t symbols, int64_t width) {
    table = register_module("table", nn::Embedding(symbols, width));
    lstm = register_module(
        "lstm",
        nn::LSTM(nn::LSTMOptions(width, width).num_layers(2).dropout(0.1).batch_first(true)));
    head = register_module("head", nn::Linear(width, symbols));
  }
  Tensor forward(const Tensor& x) { return head(std::get<0>(lstm(table(x)))); }
  nn::Embedding table{nullptr};
  nn::LSTM lstm{nullptr};
  nn::Linear head{nullptr};
};
TORCH_MODULE(CharModel);

static void training() {
  const std::string text = "the quick brown fox jumps over the lazy dog and the slow red hen ";
  std::vector<int64_t> codes;
  for (char c : text) codes.push_back(c == ' ' ? 0 : c - 'a' + 1);
  const Tensor all = torch::tensor(codes);
  torch::manual_seed(8);
  CharModel model(27, 16);
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-2));
  for (int step = 0; step < 30; ++step) {
    std::vector<Tensor> rows;
    for (int64_t b = 0; b < 4; ++b)
      rows.push_back(all.slice(0, 7 * b + step % 5, 7 * b + step % 5 + 21));
    const Tensor batch = torch::stack(rows);
    const Tensor logits = model->forward(batch.slice(1, 0, 20));
    const Tensor loss = nn::functional::cross_entropy(logits.reshape({-1, 27}),
                                                      batch.slice(1, 1, 21).reshape({-1}));
    adam.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    adam.step();
    if (step % 3 == 0) show("train.lstm." + std::to_string(step), loss.item<double>());
  }
}

/// Sums a sequence with a GRU, by stochastic gradient descent.
static void training_gru() {
  torch::manual_seed(9);
  nn::GRU gru(nn::GRUOptions(1, 8).bidirectional(true));
  nn::Linear head(16, 1);
  std::vector<Tensor> parameters = gru->parameters();
  for (const Tensor& p : head->parameters()) parameters.push_back(p);
  torch::optim::SGD sgd(parameters, torch::optim::SGDOptions(0.02).momentum(0.9));
  for (int step = 0; step < 20; ++step) {
    const Tensor x = numbers({6, 8, 1}, 30 + step);
    const auto packed =
        rnn::pack_padded_sequence(x, torch::tensor({6, 2, 3, 6, 1, 5, 4, 3}), false, false);
    const Tensor h = std::get<1>(gru->forward_with_packed_input(packed));
    const Tensor y = head->forward(torch::cat({h[0], h[1]}, 1));
    const Tensor wanted = std::get<0>(rnn::pad_packed_sequence(packed)).sum(0);
    const Tensor loss = torch::mse_loss(y, wanted);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    if (step % 3 == 0) show("train.gru." + std::to_string(step), loss);
  }
}

int main() {
  layers();
  cells();
  packing();
  packed_layers();
  functions();
  errors();
  modules();
  training();
  training_gru();
}
