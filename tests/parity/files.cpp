// Values as Python's torch.save writes them: to bytes and back. And the steps of LBFGS.
#include <parity.h>

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

int main() {
  pickles();
  lbfgs("lbfgs", torch::optim::LBFGSOptions(0.1));
  lbfgs("lbfgs wolfe", torch::optim::LBFGSOptions(1).max_iter(5).line_search_fn("strong_wolfe"));
}
