// Single operations on tensors of the sizes that networks have, by groups of kernels; of 16-bit
// floats with `kernels bf16` or `kernels f16` (and a part of the rows' names: those alone), which
// has rows of its own beside them.
#include <torch/torch.h>

#include "measure.h"

using torch::Tensor;
namespace F = torch::nn::functional;

namespace {

constexpr int64_t kMi = 1 << 20;

std::string wanted;  // a part of the names of the rows that are measured
template <class Body>
void row(const std::string& name, const Body& body) {
  if (name.find(wanted) != std::string::npos) measure(name, body);
}

/// `op` of x without a graph, and with gradients for x and the parameters.
template <class Op>
void both(const std::string& name, const Tensor& x, Op op,
          const std::vector<Tensor>& parameters = {}) {
  {
    const torch::NoGradGuard no_grad;
    row(name, [&] { op(x); });
  }
  const Tensor leaf = x.detach().clone().requires_grad_();
  const Tensor g = torch::randn_like(op(leaf).detach());
  row(name + " with gradients", [&] {
    op(leaf).backward(g);
    leaf.mutable_grad() = Tensor();
    for (const Tensor& p : parameters) p.mutable_grad() = Tensor();
  });
}

void pointwise() {
  const Tensor x = torch::randn({kMi}), y = torch::randn({kMi});
  Tensor out = torch::empty({kMi});
  const Tensor large = torch::randn({16 * kMi}), other = large.clone();
  const Tensor rows = torch::randn({4096, 1024});
  const Tensor line = torch::randn({1024}), half = torch::randn({2048, 1024}).slice(1, 0, 1024, 2);
  row("pointwise.add", [&] { x + y; });
  row("pointwise.add of 16 M", [&] { large + other; });
  row("pointwise.add_ of 16 M", [&] { large.add_(other, 1e-6); });
  row("pointwise.add to a given tensor", [&] { torch::add_out(out, x, y); });
  row("pointwise.mul by a number", [&] { x * 1.5; });
  row("pointwise.add of a row", [&] { rows + line; });
  row("pointwise.exp", [&] { x.exp(); });
  row("pointwise.exp of every second column", [&] { half.exp(); });
  row("pointwise.tanh", [&] { x.tanh(); });
  row("pointwise.sin", [&] { x.sin(); });
  row("pointwise.where", [&] { torch::where(x > 0, x, y); });
  row("pointwise.seven in a chain",
      [&] { x* torch::sigmoid(x * 1.702) + torch::tanh(y) * 0.5 - y; });
  both("pointwise.relu", x, [](const Tensor& a) { return a.relu(); });
  both("pointwise.sigmoid", x, [](const Tensor& a) { return a.sigmoid(); });
  both("pointwise.gelu", x, [](const Tensor& a) { return F::gelu(a); });
}

void reductions() {
  const Tensor x = torch::randn({256, 256, 256}), rows = torch::randn({1024, 1000});
  row("reductions.sum of 16 M", [&] { x.sum(); });
  row("reductions.sum over the first dimension", [&] { x.sum(0); });
  row("reductions.sum over the middle dimension", [&] { x.sum(1); });
  row("reductions.mean over two dimensions", [&] { x.mean({1, 2}); });
  row("reductions.max of rows", [&] { x.max(2); });
  row("reductions.amax", [&] { x.max(); });
  row("reductions.variance of rows", [&] { torch::var(x, 2, false); });
  row("reductions.argmax of rows", [&] { rows.argmax(1); });
  row("reductions.cumsum of rows", [&] { rows.cumsum(1); });
  row("reductions.logsumexp of rows", [&] { rows.logsumexp(1); });
}

void copies() {
  const Tensor square = torch::randn({1024, 1024}), large = torch::randn({4096, 4096});
  const Tensor images = torch::randn({8, 64, 112, 112}), heads = torch::randn({4, 256, 8, 64});
  const Tensor table = torch::randn({50000, 256}), added = torch::randn({8192, 256});
  const Tensor rows = torch::randn({1024, 1000});
  const Tensor at = torch::randint(50000, {8192}, torch::kLong);
  const Tensor columns = torch::randint(1000, {1024, 1000}, torch::kLong), mask = rows > 0;
  row("copies.clone of 16 M", [&] { large.clone(); });
  row("copies.transpose of 4 MiB", [&] { square.t().contiguous(); });
  row("copies.transpose of 64 MiB", [&] { large.t().contiguous(); });
  row("copies.channels last", [&] { images.permute({0, 2, 3, 1}).contiguous(); });
  row("copies.split heads", [&] { heads.transpose(1, 2).contiguous(); });
  row("copies.cat of rows", [&] { torch::cat({rows, rows}, 0); });
  row("copies.cat of columns", [&] { torch::cat({rows, rows}, 1); });
  row("copies.to double", [&] { square.to(torch::kDouble); });
  row("copies.to bf16", [&] { square.to(torch::kBFloat16); });
  row("copies.index_select", [&] { table.index_select(0, at); });
  row("copies.index", [&] { table.index({at}); });
  row("copies.gather", [&] { rows.gather(1, columns); });
  row("copies.masked_fill", [&] { rows.masked_fill(mask, 0.5); });
  row("copies.index_add_", [&] { table.index_add_(0, at, added); });
  both("copies.embedding", table, [&](const Tensor& w) { return torch::embedding(w, at); });
}

void order_and_chance() {
  const Tensor x = torch::randn({kMi}), rows = torch::randn({1024, 1000});
  row("order.sort of 1 M", [&] { x.sort(); });
  row("order.sort of rows", [&] { rows.sort(1); });
  row("order.topk of rows", [&] { rows.topk(5, 1); });
  row("order.median", [&] { x.median(); });
  row("random.rand", [&] { torch::rand({kMi}); });
  row("random.randn", [&] { torch::randn({kMi}); });
  row("random.randperm", [&] { torch::randperm(60000); });
  row("random.dropout", [&] { torch::dropout(x, 0.5, true); });
}

void softmax() {
  const Tensor rows = torch::randn({1024, 1000}), scores = torch::randn({32, 256, 256});
  const Tensor labels = torch::randint(1000, {1024}, torch::kLong);
  both("softmax.rows of 1000", rows, [](const Tensor& a) { return a.softmax(1); });
  both("softmax.rows of 256", scores, [](const Tensor& a) { return a.softmax(2); });
  both("softmax.over the first dimension", rows, [](const Tensor& a) { return a.softmax(0); });
  both("softmax.log_softmax", rows, [](const Tensor& a) { return a.log_softmax(1); });
  both("softmax.cross_entropy", rows, [&](const Tensor& a) { return F::cross_entropy(a, labels); });
}

void norms() {
  const Tensor images = torch::randn({32, 64, 56, 56}), rows = torch::randn({1024, 768});
  torch::nn::BatchNorm2d batch(64), evaluated(64);
  evaluated->eval();
  torch::nn::LayerNorm layer(torch::nn::LayerNormOptions({768}));
  torch::nn::GroupNorm group(torch::nn::GroupNormOptions(8, 64));
  const auto with = [](auto module) {
    return [module](const Tensor& x) mutable { return module->forward(x); };
  };
  both("norms.batch_norm", images, with(batch), batch->parameters());
  both("norms.batch_norm that evaluates", images, with(evaluated), evaluated->parameters());
  both("norms.layer_norm", rows, with(layer), layer->parameters());
  both("norms.group_norm", images, with(group), group->parameters());
}

void pooling() {
  const Tensor images = torch::randn({32, 64, 56, 56});
  both("pooling.maxima of 2 x 2", images, [](const Tensor& x) { return torch::max_pool2d(x, 2); });
  both("pooling.maxima of 3 x 3", images,
       [](const Tensor& x) { return torch::max_pool2d(x, 3, 2, 1); });
  both("pooling.means of 2 x 2", images, [](const Tensor& x) { return torch::avg_pool2d(x, 2); });
  both("pooling.global means", images, [](const Tensor& x) {
    return torch::adaptive_avg_pool2d(x, {1, 1});
  });
}

void products() {
  for (const int64_t n : {64, 256, 1024}) {
    const Tensor a = torch::randn({n, n}), b = torch::randn({n, n});
    row("products.mm of " + std::to_string(n), [&] { a.mm(b); });
  }
  const Tensor d = torch::randn({512, 512}, torch::kDouble), m = torch::randn({1024, 1024});
  const Tensor v = torch::randn({1024}), stack = torch::randn({64, 128, 64});
  row("products.mm of 512 in f64", [&] { d.mm(d); });
  row("products.mv of 1024", [&] { m.mv(v); });
  row("products.bmm", [&] { stack.bmm(stack.transpose(1, 2)); });
  const Tensor x = torch::randn({64, 784}), w = torch::randn({256, 784}).requires_grad_();
  both("products.linear of 64 x 784 x 256", x, [&](const Tensor& a) { return F::linear(a, w); },
       {w});
}

struct ConvShape {
  const char* name;
  int64_t batch, in, size, out, kernel, stride, groups;
};

void convolutions() {
  const ConvShape shapes[] = {
      {"3 to 64, 224 x 224, 7 x 7, stride 2", 8, 3, 224, 64, 7, 2, 1},
      {"64 to 64, 56 x 56, 3 x 3", 8, 64, 56, 64, 3, 1, 1},
      {"128 to 256, 28 x 28, 3 x 3, stride 2", 8, 128, 28, 256, 3, 2, 1},
      {"256 to 64, 56 x 56, 1 x 1", 8, 256, 56, 64, 1, 1, 1},
      {"512 to 512, 7 x 7, 3 x 3", 8, 512, 7, 512, 3, 1, 1},
      {"128 depthwise, 28 x 28, 3 x 3", 8, 128, 28, 128, 3, 1, 128},
      {"1 to 32, 28 x 28, 5 x 5", 128, 1, 28, 32, 5, 1, 1},
      {"32 to 64, 12 x 12, 5 x 5", 128, 32, 12, 64, 5, 1, 1},
  };
  for (const ConvShape& s : shapes) {
    torch::nn::Conv2d conv(torch::nn::Conv2dOptions(s.in, s.out, s.kernel)
                               .stride(s.stride)
                               .padding(s.kernel / 2)
                               .groups(s.groups));
    both(
        std::string("convolutions.") + s.name, torch::randn({s.batch, s.in, s.size, s.size}),
        [&](const Tensor& x) { return conv->forward(x); }, conv->parameters());
  }
}

void sequences() {
  const Tensor x = torch::randn({64, 32, 256}), y = torch::randn({256, 4, 512});
  torch::nn::LSTM lstm(256, 256);
  torch::nn::GRU gru(256, 256);
  both(
      "recurrent.LSTM", x, [&](const Tensor& a) { return std::get<0>(lstm->forward(a)); },
      lstm->parameters());
  both(
      "recurrent.GRU", x, [&](const Tensor& a) { return std::get<0>(gru->forward(a)); },
      gru->parameters());
  torch::nn::MultiheadAttention attention(512, 8);
  torch::nn::TransformerEncoderLayer layer(512, 8);
  both(
      "attention.MultiheadAttention", y,
      [&](const Tensor& a) { return std::get<0>(attention->forward(a, a, a, {}, false)); },
      attention->parameters());
  both(
      "attention.encoder layer", y, [&](const Tensor& a) { return layer->forward(a); },
      layer->parameters());
}

void optimizers() {
  const auto parameters = [] {
    std::vector<Tensor> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(torch::randn({512, 1024}).requires_grad_());
      all.back().mutable_grad() = torch::randn({512, 1024});
    }
    return all;
  };
  torch::optim::SGD sgd(parameters(), torch::optim::SGDOptions(1e-3).momentum(0.9));
  torch::optim::Adam adam(parameters(), torch::optim::AdamOptions(1e-3));
  row("optimizers.SGD with momentum", [&] { sgd.step(); });
  row("optimizers.Adam", [&] { adam.step(); });
}

void transforms() {
  const Tensor complex = torch::randn({64, 1024}, torch::kComplexFloat);
  const Tensor m = torch::randn({128, 128}, torch::kDouble);
  const Tensor definite = m.mm(m.t()) + 128 * torch::eye(128, torch::kDouble);
  row("transforms.fft of 64 x 1024", [&] { torch::fft::fft(complex); });
  row("transforms.solve of 128 x 128", [&] { torch::linalg_solve(definite, m); });
  row("transforms.cholesky of 128 x 128", [&] { torch::linalg_cholesky(definite); });
}

// ---------------------------------------------------------------- 16-bit floats
void narrow_activations(const Tensor& x) {
  both("gelu", x, [](const Tensor& a) { return F::gelu(a); });
  both("gelu by tanh", x,
       [](const Tensor& a) { return F::gelu(a, F::GELUFuncOptions().approximate("tanh")); });
  both("silu", x, [](const Tensor& a) { return torch::silu(a); });
  both("mish", x, [](const Tensor& a) { return torch::mish(a); });
  both("elu", x, [](const Tensor& a) { return torch::elu(a); });
  both("softplus", x, [](const Tensor& a) { return torch::softplus(a); });
  both("log_sigmoid", x, [](const Tensor& a) { return torch::log_sigmoid(a); });
  both("leaky_relu", x, [](const Tensor& a) { return torch::leaky_relu(a); });
  both("hardswish", x, [](const Tensor& a) { return torch::hardswish(a); });
  both("hardsigmoid", x, [](const Tensor& a) { return torch::hardsigmoid(a); });
  both("hardtanh", x, [](const Tensor& a) { return torch::hardtanh(a); });
  both("relu", x, [](const Tensor& a) { return a.relu(); });
  both("sigmoid", x, [](const Tensor& a) { return a.sigmoid(); });
  both("tanh", x, [](const Tensor& a) { return a.tanh(); });
  both("dropout", x, [](const Tensor& a) { return torch::dropout(a, 0.1, true); });
}

void narrow_pointwise(const Tensor& x) {
  const Tensor y = torch::randn_like(x), positive = x.abs(), mask = x > 0;
  row("abs", [&] { x.abs(); });
  row("neg", [&] { x.neg(); });
  row("sqrt of abs", [&] { x.abs().sqrt(); });
  row("rsqrt", [&] { positive.rsqrt(); });
  row("exp", [&] { x.exp(); });
  row("log", [&] { positive.log(); });
  row("add", [&] { x + y; });
  row("mul by a number", [&] { x * 0.9; });
  both("where", x, [&](const Tensor& a) { return torch::where(mask, a, y); });
  both("clamp", x, [](const Tensor& a) { return a.clamp(-1, 1); });
  both("masked_fill", x, [&](const Tensor& a) { return a.masked_fill(mask, 0.5); });
  row("maximum", [&] { torch::maximum(x, y); });
  row("greater than 0", [&] { x > 0; });
}

void narrow_moves(const Tensor& x) {
  const Tensor rows = x.view({1024, 1024}), floats = x.to(torch::kFloat);
  const Tensor heads = x.view({4, 256, 8, 128}), at = torch::randint(1024, {2048}, torch::kLong);
  row("clone", [&] { x.clone(); });
  row("transpose", [&] { rows.t().contiguous(); });
  row("split heads", [&] { heads.transpose(1, 2).contiguous(); });
  row("to float", [&] { x.to(torch::kFloat); });
  row("from float", [&] { floats.to(x.scalar_type()); });
  both("cat of rows", rows, [](const Tensor& a) { return torch::cat({a, a}, 0); });
  both("cat of columns", rows, [](const Tensor& a) { return torch::cat({a, a}, 1); });
  both("embedding", rows, [&](const Tensor& w) { return torch::embedding(w, at); });
  row("index_select", [&] { rows.index_select(0, at); });
}

void narrow_layers() {
  const Tensor rows = torch::randn({4096, 256});
  torch::nn::BatchNorm1d batch(256), evaluated(256);
  evaluated->eval();
  both(
      "batch_norm without pixels", rows, [&](const Tensor& x) { return batch->forward(x); },
      batch->parameters());
  both(
      "batch_norm without pixels that evaluates", rows,
      [&](const Tensor& x) { return evaluated->forward(x); }, evaluated->parameters());
  for (const int64_t n : {64, 128}) {
    const Tensor q = torch::randn({64, n, 64}), weights = torch::randn({64, n, n});
    const std::string size = std::to_string(n);
    row("bmm of scores, 64 x " + size + " x 64", [&] { q.bmm(q.transpose(1, 2)); });
    row("bmm of values, 64 x " + size + " x 64", [&] { weights.bmm(q); });
  }
  const Tensor more = torch::randn({1024, 768});
  const Tensor w = torch::randn({3072, 768}).requires_grad_();
  both("linear of 1024 x 768 x 3072", more, [&](const Tensor& a) { return F::linear(a, w); }, {w});
}

void floats() {
  pointwise();
  reductions();
  copies();
  order_and_chance();
  softmax();
  norms();
  pooling();
  products();
  convolutions();
  sequences();
  optimizers();
}

void narrow(torch::ScalarType t) {
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(t));
  const Tensor x = torch::randn({kMi});
  narrow_activations(x);
  narrow_pointwise(x);
  narrow_moves(x);
  narrow_layers();
  floats();
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(1);
  torch::manual_seed(0);
  if (argc > 2) wanted = argv[2];
  if (argc > 1) {
    narrow(std::string(argv[1]) == "bf16" ? torch::kBFloat16 : torch::kHalf);
    return 0;
  }
  floats();
  transforms();
}
