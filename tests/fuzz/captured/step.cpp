#include "fuzz/captured/step.h"

#include <array>
#include <cstring>
#include <functional>

namespace torch::taper::testing::captured {
namespace {

// ---------------------------------------------------------------- ops
using Values = std::array<Tensor, 3>;
using Numbers = std::array<int64_t, 2>;

struct Op {
  const char* name;
  size_t operands;
  Tensor (*call)(const Values& v, const Numbers& n);
};

int64_t dim_of(const Tensor& t, int64_t n) { return t.dim() == 0 ? 0 : n % t.dim(); }
int64_t at(const Tensor& t, int64_t dim, int64_t n) {
  return n % std::max<int64_t>(t.size(dim), 1);
}
Tensor bounded(const Tensor& t) { return t.clamp(-4, 4); }
Tensor matrix(const Tensor& t) {
  return t.dim() == 2 ? t : t.reshape({t.dim() ? t.size(0) : 1, -1});
}
/// Returns indices that fit, made of the values of a tensor.
Tensor indices(const Tensor& like, int64_t below) {
  return like.detach().mul(7).abs().to(kLong).remainder(below);
}

#define VALUE [](const Values& v, const Numbers& n) -> Tensor
#define USE (void)v, (void)n;

// clang-format off
const Op kOps[] = {
    // One operand.
    {"tanh", 1, VALUE { USE return v[0].tanh(); }},
    {"sigmoid", 1, VALUE { USE return v[0].sigmoid(); }},
    {"relu", 1, VALUE { USE return v[0].relu(); }},
    {"gelu", 1, VALUE { USE return gelu(v[0], n[0] % 2 ? "tanh" : "none"); }},
    {"silu", 1, VALUE { USE return silu(v[0]); }},
    {"softplus", 1, VALUE { USE return softplus(v[0]); }},
    {"exp", 1, VALUE { USE return bounded(v[0]).exp(); }},
    {"neg", 1, VALUE { USE return v[0].neg(); }},
    {"abs", 1, VALUE { USE return v[0].abs(); }},
    {"sqrt", 1, VALUE { USE return v[0].square().add(1).sqrt(); }},
    {"rsqrt", 1, VALUE { USE return v[0].square().add(1).rsqrt(); }},
    {"sin", 1, VALUE { USE return v[0].sin(); }},
    {"erf", 1, VALUE { USE return v[0].erf(); }},
    {"pow", 1, VALUE { USE return bounded(v[0]).pow(n[0] % 4); }},
    {"clamp", 1, VALUE { USE return v[0].clamp(-0.5, 0.5 + double(n[0] % 3)); }},
    {"scale", 1, VALUE { USE return v[0].mul(0.25 * double(n[0] % 8)); }},
    {"shift", 1, VALUE { USE return v[0].add(double(n[0] % 5) - 2); }},
    {"from number", 1, VALUE { USE return 1 - v[0]; }},
    {"leaky_relu", 1, VALUE { USE return leaky_relu(v[0], 0.1); }},
    {"dropout", 1, VALUE { USE return dropout(v[0], 0.3, true); }},
    {"double", 1, VALUE { USE return v[0].to(kDouble).mul(3).to(kFloat); }},
    {"bfloat16", 1, VALUE { USE return v[0].to(kBFloat16).mul(3).to(kFloat); }},
    {"half", 1, VALUE { USE return bounded(v[0]).to(kHalf).tanh().to(kFloat); }},
    {"detach", 1, VALUE { USE return v[0].detach(); }},
    // Rows, reductions.
    {"softmax", 1, VALUE { USE return v[0].softmax(dim_of(v[0], n[0])); }},
    {"log_softmax", 1, VALUE { USE return v[0].log_softmax(dim_of(v[0], n[0])); }},
    {"layer_norm", 1, VALUE { USE return layer_norm(v[0], {v[0].size(-1)}); }},
    {"rms_norm", 1, VALUE { USE return rms_norm(v[0], {v[0].size(-1)}); }},
    {"cumsum", 1, VALUE { USE return v[0].cumsum(dim_of(v[0], n[0])); }},
    {"sum", 1, VALUE { USE return v[0].sum(dim_of(v[0], n[0]), n[1] % 2 == 0); }},
    {"mean", 1, VALUE { USE return v[0].mean(dim_of(v[0], n[0]), n[1] % 2 == 0); }},
    {"amax", 1, VALUE { USE return v[0].amax(dim_of(v[0], n[0]), n[1] % 2 == 0); }},
    {"var", 1, VALUE { USE return v[0].var(dim_of(v[0], n[0]), false); }},
    {"logsumexp", 1, VALUE { USE return v[0].logsumexp(dim_of(v[0], n[0]), n[1] % 2 == 0); }},
    {"sort", 1, VALUE { USE return std::get<0>(v[0].sort(dim_of(v[0], n[0]))); }},
    {"norm", 1, VALUE { USE return v[0].norm(2, {dim_of(v[0], n[0])}, true); }},
    // Views and copies.
    {"t", 1, VALUE { USE return matrix(v[0]).t(); }},
    {"select", 1, VALUE { USE const int64_t d = dim_of(v[0], n[0]); return v[0].select(d, at(v[0], d, n[1])); }},
    {"slice", 1, VALUE { USE const int64_t d = dim_of(v[0], n[0]); return v[0].slice(d, at(v[0], d, n[1])); }},
    {"every other", 1, VALUE { USE const int64_t d = dim_of(v[0], n[0]); return v[0].slice(d, 0, v[0].size(d), 2); }},
    {"flat", 1, VALUE { USE return v[0].reshape({-1}); }},
    {"unsqueeze", 1, VALUE { USE return v[0].unsqueeze(n[0] % (v[0].dim() + 1)); }},
    {"expand", 1, VALUE { USE return v[0].unsqueeze(0).expand(Tensor(v[0].unsqueeze(0)).sizes().vec().size() == 1 ? std::vector<int64_t>{3} : std::vector<int64_t>{v[0].size(0), v[0].size(0)}); }},
    {"flip", 1, VALUE { USE return v[0].flip({dim_of(v[0], n[0])}); }},
    {"roll", 1, VALUE { USE return v[0].roll({1}, {dim_of(v[0], n[0])}); }},
    {"contiguous", 1, VALUE { USE return v[0].contiguous(); }},
    {"clone", 1, VALUE { USE return v[0].clone(); }},
    {"chunk", 1, VALUE { USE return v[0].chunk(2, dim_of(v[0], n[0])).back(); }},
    {"tril", 1, VALUE { USE return matrix(v[0]).tril(n[0] % 3 - 1); }},
    // Two operands.
    {"add", 2, VALUE { USE return v[0].add(v[1], 0.5 * double(n[0] % 4)); }},
    {"sub", 2, VALUE { USE return v[0].sub(v[1]); }},
    {"mul", 2, VALUE { USE return v[0].mul(v[1]); }},
    {"div", 2, VALUE { USE return v[0].div(v[1].square().add(1)); }},
    {"maximum", 2, VALUE { USE return maximum(v[0], v[1]); }},
    {"minimum", 2, VALUE { USE return minimum(v[0], v[1]); }},
    {"where", 2, VALUE { USE return where(v[0].gt(v[1]), v[0], v[1].mul(2)); }},
    {"mse_loss", 2, VALUE { USE return mse_loss(v[0], v[1]); }},
    {"matmul", 2, VALUE { USE return v[0].matmul(v[1]); }},
    {"matmul t", 2, VALUE { USE return matrix(v[0]).matmul(matrix(v[1]).t()); }},
    {"linear", 2, VALUE { USE return linear(v[0], matrix(v[1])); }},
    {"bmm", 2, VALUE { USE return matrix(v[0]).unsqueeze(0).bmm(matrix(v[1]).unsqueeze(0)); }},
    {"outer", 2, VALUE { USE return v[0].reshape({-1}).slice(0, 0, 9).outer(v[1].reshape({-1}).slice(0, 0, 9)); }},
    {"cat", 2, VALUE { USE return cat({v[0], v[1]}, dim_of(v[0], n[0])); }},
    {"stack", 2, VALUE { USE return stack({v[0], v[1]}, n[0] % (v[0].dim() + 1)); }},
    {"gather", 2, VALUE { USE const int64_t d = dim_of(v[0], n[0]); return v[0].gather(d, indices(v[1], v[0].size(d))); }},
    {"index_select", 2, VALUE { USE return v[0].index_select(0, indices(v[1].reshape({-1}), v[0].size(0))); }},
    {"index_add", 2, VALUE { USE return v[0].index_add(0, indices(v[1].reshape({-1}).slice(0, 0, v[0].size(0)), v[0].size(0)), v[0]); }},
    {"conv1d", 2, VALUE { USE return conv1d(matrix(v[0]).unsqueeze(1), matrix(v[1]).slice(1, 0, 3).unsqueeze(1), {}, 1, 1); }},
    // Three operands.
    {"lerp", 3, VALUE { USE return v[0].lerp(v[1], v[2]); }},
    {"addcmul", 3, VALUE { USE return v[0].addcmul(v[1], v[2], 0.5); }},
    {"addmm", 3, VALUE { USE return addmm(v[0], matrix(v[1]), matrix(v[2])); }},
    {"linear with bias", 3, VALUE { USE return linear(v[0], matrix(v[1]), v[2]); }},
    {"norm with weights", 3, VALUE { USE return layer_norm(v[0], {v[0].size(-1)}, v[1], v[2]); }},
    {"batch_norm", 3, VALUE { USE return batch_norm(matrix(v[0]), v[1], v[2], {}, {}, true, 0.1, 1e-5, false); }},
    {"attention", 3, VALUE { USE return scaled_dot_product_attention(matrix(v[0]).unsqueeze(0), matrix(v[1]).unsqueeze(0), matrix(v[2]).unsqueeze(0)); }},
    {"where of three", 3, VALUE { USE return where(v[0].gt(0), v[1], v[2]); }},
    // In place, on a copy or on a part of it.
    {"add_", 2, VALUE { USE Tensor y = v[0].clone(); y.add_(v[1]); return y; }},
    {"mul_ of its own", 1, VALUE { USE Tensor y = v[0].mul(2); y.mul_(y); return y; }},
    {"relu_", 1, VALUE { USE Tensor y = v[0].mul(2); y.relu_(); return y; }},
    {"part.mul_", 1, VALUE { USE Tensor y = v[0].clone(); const int64_t d = dim_of(y, n[0]); y.select(d, at(y, d, n[1])).mul_(3); return y; }},
    {"part.copy_", 2, VALUE { USE Tensor y = v[0].clone(); y.slice(0, 0, 1).copy_(v[1].slice(0, 0, 1)); return y; }},
    {"view, then base", 2, VALUE { USE Tensor y = v[0].clone(); const Tensor part = y.reshape({-1}); y.add_(v[1]); return part.mul(y.reshape({-1})); }},
    {"fill_ row", 1, VALUE { USE Tensor y = v[0].clone(); y.select(0, at(y, 0, n[0])).fill_(0.5); return y; }},
    {"zero_", 1, VALUE { USE Tensor y = v[0].clone(); y.zero_(); return y; }},
    {"masked_fill_", 2, VALUE { USE Tensor y = v[0].clone(); y.masked_fill_(v[1].gt(0), 0.25); return y; }},
    {"transposed add_", 2, VALUE { USE Tensor y = matrix(v[0]).clone(); y.t().add_(matrix(v[1])); return y; }},
    {"buffer add_", 2, VALUE { USE Tensor y = v[0]; if (y.requires_grad() || v[1].requires_grad() || y.grad_fn()) return y.add(v[1]); return y.mul(0.5).add_(v[1].detach()); }},
};
// clang-format on
#undef VALUE
#undef USE
constexpr size_t kOpCount = std::size(kOps);

// ---------------------------------------------------------------- values
/// Sizes that coincide often: as many rows as columns, vectors as long as there are rows.
std::vector<std::vector<int64_t>> make_sizes(Random& random) {
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65};
  const auto one = [&] { return kSizes[draw(random, std::size(kSizes))]; };
  const int64_t rows = one(), columns = draw(random, 2) ? rows : one();
  std::vector<std::vector<int64_t>> all{{rows, columns}};
  for (int i = 0; i < 5; ++i) {
    const std::vector<int64_t> choices[] = {{columns},      {rows, columns}, {columns, columns},
                                            {rows},         {1, columns},    {rows, 1},
                                            {columns, rows}};
    all.push_back(choices[draw(random, std::size(choices))]);
  }
  return all;
}

Tensor random_tensor(const std::vector<int64_t>& sizes, Random& random, Device device) {
  std::vector<float> v(1);
  for (const int64_t s : sizes) v.resize(v.size() * static_cast<size_t>(s));
  for (float& x : v) x = static_cast<float>(draw(random, 4001) - 2000) / 1000;
  return tensor(v).reshape(sizes).to(device);
}

void make_optimizer(State& s, int64_t kind) {
  std::vector<Tensor> p = s.parameters;
  if (kind == 1) s.optimizer = std::make_unique<optim::SGD>(p, optim::SGDOptions(0.05));
  if (kind == 2)
    s.optimizer = std::make_unique<optim::SGD>(p, optim::SGDOptions(0.05).momentum(0.9));
  if (kind == 3)
    s.optimizer = std::make_unique<optim::Adam>(p, optim::AdamOptions(0.01).capturable(true));
  if (kind == 4)
    s.optimizer = std::make_unique<optim::AdamW>(p, optim::AdamWOptions(0.01).capturable(true));
  if (kind == 5) s.optimizer = std::make_unique<optim::RMSprop>(p, optim::RMSpropOptions(0.01));
}

bool is_good(const Tensor& t) {
  return t.defined() && t.scalar_type() == kFloat && t.dim() >= 1 && t.dim() <= 3 &&
         t.numel() > 0 && t.numel() <= 20000;
}

}  // namespace

State Step::state() const {
  Random random(seed);
  const auto sizes = make_sizes(random);
  State s;
  for (size_t i = 0; i < 2; ++i) s.inputs.push_back(random_tensor(sizes[i], random, device));
  // Inputs may share memory.
  if (draw(random, 4) == 0) s.inputs[1] = s.inputs[0].t();
  if (draw(random, 6) == 0) s.inputs[1] = s.inputs[0].slice(0, 0, 1);
  for (size_t i = 2; i < 5; ++i)
    s.parameters.push_back(random_tensor(sizes[i], random, device).requires_grad_());
  s.buffers.push_back(random_tensor(sizes[5], random, device));
  make_optimizer(s, optimizer);
  return s;
}

std::vector<Tensor> Step::values(const State& s) const {
  std::vector<Tensor> v = s.inputs;
  v.insert(v.end(), s.parameters.begin(), s.parameters.end());
  v.insert(v.end(), s.buffers.begin(), s.buffers.end());
  for (const Instruction& i : instructions)
    v.push_back(kOps[i.op].call({v[i.in[0]], v[i.in[1]], v[i.in[2]]}, {i.n[0], i.n[1]}));
  return v;
}

std::vector<Tensor> Step::run(State& s) const {
  if (zero_grad > 0)
    for (const Tensor& p : s.parameters) {
      if (zero_grad == 1)
        p.mutable_grad() = Tensor();
      else if (p.grad().defined())
        p.grad().zero_();
    }
  const std::vector<Tensor> v = values(s);
  Tensor loss = v.back().mean();
  for (size_t k = v.size() - 1; k-- > v.size() - 3;) loss = loss.add(v[k].mean());
  if (backward && loss.requires_grad()) {
    loss.backward();
    if (s.optimizer) s.optimizer->step();
  }
  return {v.back().detach(), v[v.size() - 2].detach(), loss.detach()};
}

std::string Step::text() const {
  std::string all = taper::detail::concat("seed ", seed, ", optimizer ", optimizer, ", zero_grad ",
                                          zero_grad, ", backward ", backward, "\n");
  const State s = state();
  const std::vector<Tensor> v = values(s);
  const size_t given = v.size() - instructions.size();
  for (size_t i = 0; i < v.size(); ++i) {
    all += taper::detail::concat("  ", i, ": ");
    if (i < given) {
      all += "given";
    } else {
      const Instruction& at = instructions[i - given];
      all += kOps[at.op].name;
      for (size_t k = 0; k < kOps[at.op].operands; ++k) all += taper::detail::concat(" ", at.in[k]);
      all += taper::detail::concat(" (", at.n[0], ", ", at.n[1], ")");
    }
    all += taper::detail::concat(" ", v[i].sizes(), v[i].requires_grad() ? ", recorded\n" : "\n");
  }
  return all;
}

Step make_step(uint64_t seed, Device device) {
  Step step{seed, device, {}, 0, 0, false};
  Random random(seed ^ 0x9e3779b97f4a7c15u);
  step.optimizer = draw(random, 6);
  step.zero_grad = draw(random, 3);
  step.backward = draw(random, 5) != 0;
  const size_t wanted = 2 + static_cast<size_t>(draw(random, 10));
  const State s = step.state();
  std::vector<Tensor> v = step.values(s);
  for (int tries = 0; step.instructions.size() < wanted && tries < 300; ++tries) {
    Instruction i{
        static_cast<size_t>(draw(random, kOpCount)), {}, {draw(random, 64), draw(random, 64)}};
    // Newer values are taken more often.
    for (size_t& in : i.in)
      in = v.size() - 1 - static_cast<size_t>(draw(random, draw(random, 2) ? 3 : v.size()));
    try {
      const Tensor y = kOps[i.op].call({v[i.in[0]], v[i.in[1]], v[i.in[2]]}, {i.n[0], i.n[1]});
      if (!is_good(y)) continue;
      v.push_back(y);
      step.instructions.push_back(i);
    } catch (const std::exception&) {
      // Operands that do not fit.
    }
  }
  return step;
}

void change(State& s, uint64_t seed) {
  const NoGradGuard values_only;
  Random random(seed);
  for (Tensor& t : s.inputs) t.copy_(random_tensor(t.sizes().vec(), random, t.device()));
  if (draw(random, 2)) s.parameters[0].mul_(0.75);
  if (draw(random, 2)) s.buffers[0].add_(0.125);
}

std::vector<Tensor> all_of(const State& s) {
  std::vector<Tensor> all = s.parameters;
  for (const Tensor& p : s.parameters) all.push_back(p.grad());
  all.insert(all.end(), s.buffers.begin(), s.buffers.end());
  return all;
}

std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  using taper::detail::concat;
  if (got.size() != want.size()) return concat(got.size(), " tensors for ", want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].defined() != want[i].defined()) return concat("tensor ", i, " is undefined in one");
    if (!got[i].defined()) continue;
    if (got[i].sizes() != want[i].sizes() || got[i].scalar_type() != want[i].scalar_type())
      return concat("tensor ", i, " has sizes ", got[i].sizes(), " for ", want[i].sizes());
    const Tensor a = got[i].detach().to(kCPU).to(kFloat).contiguous();
    const Tensor b = want[i].detach().to(kCPU).to(kFloat).contiguous();
    const float *x = a.const_data_ptr<float>(), *y = b.const_data_ptr<float>();
    for (int64_t k = 0; k < a.numel(); ++k)
      if (std::memcmp(x + k, y + k, sizeof *x) != 0 && !(x[k] != x[k] && y[k] != y[k]))
        return concat("tensor ", i, " ", a.sizes(), " at element ", k, ": ", x[k], " for ", y[k]);
  }
  return "";
}

}  // namespace torch::taper::testing::captured
