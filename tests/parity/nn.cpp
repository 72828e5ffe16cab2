// Modules, losses, initial values, saving and loading.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct NetImpl : nn::Module {
  NetImpl() {
    conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(1, 4, 3).padding(1)));
    norm = register_module("norm", nn::BatchNorm2d(4));
    fc = register_module("fc", nn::Linear(4 * 4 * 4, 3));
    scale = register_parameter("scale", torch::ones({1}));
    register_buffer("steps", torch::zeros({1}, torch::kLong));
  }
  Tensor forward(Tensor x) {
    x = torch::max_pool2d(torch::relu(norm->forward(conv->forward(x))), 2);
    return fc->forward(x.flatten(1)) * scale;
  }
  nn::Conv2d conv{nullptr};
  nn::BatchNorm2d norm{nullptr};
  nn::Linear fc{nullptr};
  Tensor scale;
};
TORCH_MODULE(Net);

static void module() {
  torch::manual_seed(1);
  Net net;
  for (const auto& p : net->named_parameters()) show("init." + p.key(), p.value());
  for (const auto& b : net->named_buffers()) show("buffer." + b.key(), b.value());
  print("print", net);
  const Tensor x = numbers({2, 1, 8, 8}, 5);
  const Tensor y = net->forward(x);
  show("forward", y);
  y.sum().backward();
  for (const auto& p : net->named_parameters()) show("grad." + p.key(), p.value().grad());
  show("running_mean", net->norm->running_mean);
  net->eval();
  show("eval", net->forward(x));
  std::stringstream stream;
  torch::save(net, stream);
  Net other;
  torch::load(other, stream);
  other->eval();
  show("loaded", other->forward(x));
  show("names", net->named_modules().size());
}

static void losses() {
  const Tensor x = numbers({4, 3}, 7), y = torch::tensor({0, 2, 1, 2});
  const Tensor t = numbers({4, 3}, 8), p = torch::sigmoid(numbers({4, 3}, 9));
  show("loss.cross_entropy", F::cross_entropy(x, y));
  show("loss.weighted",
       F::cross_entropy(x, y, F::CrossEntropyFuncOptions().weight(torch::tensor({1.f, 2.f, 3.f}))));
  show("loss.ignored", F::cross_entropy(x, y, F::CrossEntropyFuncOptions().ignore_index(2)));
  show("loss.smoothed",
       nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().label_smoothing(0.1))(x, y));
  show("loss.probabilities", F::cross_entropy(x, p));
  show("loss.nll", F::nll_loss(x.log_softmax(1), y));
  show("loss.mse", F::mse_loss(x, t));
  show("loss.mse_none", F::mse_loss(x, t, F::MSELossFuncOptions().reduction(torch::kNone)));
  show("loss.l1", F::l1_loss(x, t));
  show("loss.bce", F::binary_cross_entropy(p, (t > 0).to(torch::kFloat)));
  show("loss.bce_logits", F::binary_cross_entropy_with_logits(x, (t > 0).to(torch::kFloat)));
  show("loss.smooth_l1", F::smooth_l1_loss(x, t));
  error("loss.target_range", [&] { F::cross_entropy(x, torch::tensor({0, 3, 1, 2})); });
  error("loss.batch", [&] { F::nll_loss(x, torch::tensor({0, 1})); });
}

static void layers() {
  const Tensor x = numbers({2, 3, 6, 6}, 10);
  show("layer.avg_pool", F::avg_pool2d(x, F::AvgPool2dFuncOptions(2)));
  show("layer.adaptive", F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions({2, 3})));
  show("layer.layer_norm", F::layer_norm(x, F::LayerNormFuncOptions({6, 6})));
  show("layer.softmax", F::softmax(x[0][0], 1));
  show("layer.gelu", F::gelu(x[0][0]));
  show("layer.leaky", F::leaky_relu(x[0][0]));
  show("layer.elu", F::elu(x[0][0]));
  torch::manual_seed(2);
  show("layer.dropout", F::dropout(torch::ones({20}), F::DropoutFuncOptions().p(0.4)));
  show("layer.embedding", nn::Embedding(5, 3)(torch::tensor({1, 4, 1})));
  Tensor w = torch::empty({4, 3});
  nn::init::xavier_uniform_(w);
  show("init.xavier", w);
  nn::init::kaiming_normal_(w);
  show("init.kaiming", w);
  nn::init::orthogonal_(w);
  show("init.orthogonal", w.t().mm(w));
  Tensor g = numbers({5}, 11).requires_grad_();
  (g * g).sum().backward();
  show("clip.norm", nn::utils::clip_grad_norm_(std::vector<Tensor>{g}, 0.5));
  show("clip.grad", g.grad());
}

static void one_sample() {
  torch::manual_seed(4);
  show("sample.dropout2d", nn::Dropout2d()(torch::ones({6, 2, 2})));
  show("sample.dropout3d", nn::Dropout3d()(torch::ones({6, 1, 2, 2})));
  show("batch.dropout2d", nn::Dropout2d()(torch::ones({3, 2, 2, 2})));
  show("sample.rrelu", nn::RReLU()(numbers({20}, 13)));
  show("sample.after", torch::rand({2}));
  error("sample.layer_norm", [] {
    F::layer_norm(torch::ones({2, 3, 8}), F::LayerNormFuncOptions({3, 4}));
  });
  const Tensor y = nn::Linear(nn::LinearOptions(4, 2).bias(false))(numbers({2, 3, 4}, 14));
  show("sample.linear", y.grad_fn()->name());
}

static void serialization() {
  const Tensor t = numbers({2, 3}, 12);
  std::stringstream stream;
  torch::save(t, stream);
  Tensor back;
  torch::load(back, stream);
  show("save.tensor", back);
  std::stringstream list;
  torch::save(std::vector<Tensor>{t, torch::arange(3)}, list);
  std::vector<Tensor> tensors;
  torch::load(tensors, list);
  show("save.list", tensors);
  torch::serialize::OutputArchive out, inner;
  inner.write("w", t);
  out.write("inner", inner);
  out.write("n", torch::IValue(static_cast<int64_t>(3)));
  std::stringstream file;
  out.save_to(file);
  torch::serialize::InputArchive in, nested;
  in.load_from(file);
  for (const std::string& key : in.keys()) show("archive.key." + key, true);
  in.read("inner", nested);
  Tensor w;
  nested.read("w", w);
  show("archive.w", w);
  torch::IValue n;
  in.read("n", n);
  show("archive.n", n.toInt());
  error("archive.missing", [&] { nested.read("x", w); });
  error("archive.no_module", [&] { in.read("x", nested); });
  throws("archive.no_file", [&] { torch::load(w, "no-such-file.pt"); });
}

int main() {
  module();
  losses();
  layers();
  one_sample();
  serialization();
}
