// Values as Python's torch.save writes them: to bytes and back, and files of one library read by
// the other. And the steps of LBFGS.
#include <parity.h>

#include <fstream>
#include <iterator>

using namespace parity;
using torch::Tensor;

static void pickles() {
  const Tensor whole = torch::arange(12, torch::kFloat).view({3, 4});
  c10::Dict<std::string, Tensor> dict;
  dict.insert("whole", whole);
  dict.insert("column", whole.select(1, 2));
  dict.insert("half", torch::ones({2}, torch::kHalf));
  dict.insert("count", torch::full({}, 7, torch::kLong));
  const auto back = torch::pickle_load(torch::pickle_save(dict)).toGenericDict();
  show("pickle entries", back.size());
  for (const auto& entry : back) {
    const Tensor t = entry.value().toTensor();
    const std::string name = "pickle " + entry.key().toStringRef();
    show(name, t);
    show(name + " offset", t.storage_offset());
    show(name + " first stride", t.dim() ? t.stride(0) : int64_t{0});
  }
  back.at("whole").toTensor().zero_();
  show("pickle shared", back.at("column").toTensor());
  show("pickle number", torch::pickle_load(torch::pickle_save(0.25)).toDouble());
  show("pickle text", torch::pickle_load(torch::pickle_save("text")).toStringRef());
  show("pickle int", torch::pickle_load(torch::pickle_save(int64_t{1} << 40)).toInt());
  show("pickle none", torch::pickle_load(torch::pickle_save(torch::IValue())).isNone());
}

static void lbfgs(const std::string& name, const torch::optim::LBFGSOptions& options) {
  const auto f64 = torch::TensorOptions(torch::kDouble).requires_grad(true);
  Tensor a = torch::full({1}, -1.2, f64), b = torch::tensor({{1.0, 0.5}, {-0.3, 0.8}}, f64);
  torch::optim::LBFGS opt({a, b}, options);
  const auto closure = [&] {
    opt.zero_grad();
    const Tensor x = torch::cat({a, b.flatten()});
    const Tensor low = x.slice(0, 0, 4), high = x.slice(0, 1);
    const Tensor loss = (10 * (high - low.pow(2)).pow(2) + (1 - low).pow(2)).sum();
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 4; ++i) {
    show(name + " loss", opt.step(closure).item<double>());
    show(name + " a", a.detach());
    show(name + " b", b.detach());
  }
}

namespace nn = torch::nn;

static nn::Sequential network() {
  return nn::Sequential(nn::Conv1d(nn::Conv1dOptions(2, 3, 2).bias(false)), nn::BatchNorm1d(3),
                        nn::Flatten(), nn::Linear(9, 2));
}
static c10::Dict<std::string, Tensor> state_of(const nn::Sequential& net) {
  c10::Dict<std::string, Tensor> state;
  for (const auto& p : net->named_parameters()) state.insert(p.key(), p.value().detach());
  for (const auto& b : net->named_buffers()) state.insert(b.key(), b.value());
  return state;
}
static void write(const std::string& file, const torch::IValue& value) {
  const std::vector<char> bytes = torch::pickle_save(value);
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
static torch::IValue read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return torch::pickle_load({std::istreambuf_iterator<char>(in), {}});
}

// The first run trains and writes; the second goes on from what the other library wrote.
static void exchange(const char* peer) {
  torch::manual_seed(9);
  nn::Sequential net = network();
  if (peer) {
    torch::NoGradGuard no_grad;
    const auto state = read(std::string(peer) + "/network.pt").toGenericDict();
    show("exchange.size", state.size());
    for (const auto& entry : state_of(net)) entry.value().copy_(state.at(entry.key()).toTensor());
    const auto list = read(std::string(peer) + "/list.pt").toTensorList();
    for (size_t i = 0; i < list.size(); ++i) {
      const Tensor t = list[i];
      show("exchange.list" + std::to_string(i), t);
    }
  }
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(0.01));
  for (uint64_t i = 0; i < 3; ++i) {
    opt.zero_grad();
    net->forward(numbers({3, 2, 4}, peer ? 10 + i : i)).pow(2).mean().backward();
    opt.step();
  }
  for (const auto& entry : state_of(net))
    show(std::string(peer ? "exchange.continued." : "exchange.begun.") + entry.key(),
         entry.value());
  if (peer) return;
  write("network.pt", state_of(net));
  write("list.pt",
        std::vector<Tensor>{numbers({2, 3}, 1).t(), torch::arange(5), torch::ones({2}) > 0,
                            numbers({3}, 2, torch::kHalf), torch::empty({0, 2})});
}

int main() {
  const char* peer = std::getenv("PARITY_PEER");
  exchange(peer);
  if (peer) return 0;
  pickles();
  lbfgs("lbfgs", torch::optim::LBFGSOptions(0.1));
  lbfgs("lbfgs wolfe", torch::optim::LBFGSOptions(1).max_iter(5).line_search_fn("strong_wolfe"));
}
