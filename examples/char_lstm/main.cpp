// A recurrent network reads a text letter by letter, learns which letter comes next, and then
// writes a new text.
//
//   char_lstm TEXT [STEPS]
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kHidden = 256, kLength = 64, kBatch = 32, kBytes = 256;

class WriterImpl : public nn::Module {
 public:
  using State = std::tuple<Tensor, Tensor>;

  // Maps bytes (N, L) to logits of the next bytes (N, L, 256) and the new state.
  std::tuple<Tensor, State> forward(const Tensor& bytes, const torch::optional<State>& state = {}) {
    const auto [y, after] = lstm(embedding(bytes), state);
    return {output(y), after};
  }

 private:
  nn::Embedding embedding = register_module("embedding", nn::Embedding(kBytes, 64));
  nn::LSTM lstm = register_module("lstm", nn::LSTM(nn::LSTMOptions(64, kHidden).batch_first(true)));
  nn::Linear output = register_module("output", nn::Linear(kHidden, kBytes));
};
TORCH_MODULE(Writer);

// The bytes of a file, as numbers.
Tensor read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::invalid_argument(path + ": cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  std::string bytes = text.str();
  if (!in || static_cast<int64_t>(bytes.size()) < 2 * kLength)
    throw std::invalid_argument(path + ": expected a file of at least " +
                                std::to_string(2 * kLength) + " bytes");
  return torch::from_blob(bytes.data(), {static_cast<int64_t>(bytes.size())}, torch::kU8)
      .to(torch::kLong);
}

// Returns `length` bytes after `start`, drawn from the network's distribution of the next byte.
std::string write(Writer& net, const std::string& start, int64_t length) {
  const torch::NoGradGuard no_grad;
  net->eval();
  std::string text = start;
  Tensor next = torch::empty({1, static_cast<int64_t>(start.size())}, torch::kLong);
  for (size_t i = 0; i < start.size(); ++i)
    next[0][static_cast<int64_t>(i)] = static_cast<int64_t>(static_cast<unsigned char>(start[i]));
  torch::optional<WriterImpl::State> state;
  for (int64_t i = 0; i < length; ++i) {
    const auto [logits, after] = net->forward(next, state);
    state = after;
    next = torch::multinomial((logits[0][-1] / 0.6).softmax(-1), 1).unsqueeze(0);
    text += static_cast<char>(next.item<int64_t>());
  }
  return text;
}

int main(int argc, char** argv) try {
  if (argc < 2) throw std::invalid_argument("expected a text: char_lstm TEXT [STEPS]");
  const int steps = count_argument(argc, argv, 2, "STEPS", 600);
  expect_writable("char_lstm.svg");
  const Tensor text = read(argv[1]);

  torch::manual_seed(1);
  Writer net;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(3e-3));
  const Tensor places = torch::arange(kLength + 1, torch::kLong);
  Series curve{"loss of a letter", {}, {}};
  for (int step = 1; step <= steps; ++step) {
    const Tensor starts = torch::randint(text.size(0) - kLength, {kBatch, 1}, torch::kLong);
    const Tensor pieces = text.index({starts + places});  // (N, L + 1)
    optimizer.zero_grad();
    const Tensor logits = std::get<0>(net->forward(pieces.slice(1, 0, kLength)));
    const Tensor loss =
        nn::functional::cross_entropy(logits.flatten(0, 1), pieces.slice(1, 1).flatten());
    loss.backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    if (step % 20 == 0 || step == steps) curve.add(step, loss.item<double>());
    if (step % 100 == 0 || step == steps)
      std::printf("step %d/%d  loss %.3f\n", step, steps, loss.item<double>());
  }
  write_svg({curve}, "step", "char_lstm.svg");
  std::printf("\n%s\n", write(net, "The ", 400).c_str());
} catch (const std::exception& e) {
  std::fprintf(stderr, "char_lstm: %s\n", e.what());
  return 1;
}
