// Gradients: accumulation, arguments of backward and grad, hooks, in-place rules, errors.
#include <parity.h>

using namespace parity;
using torch::Tensor;

static void accumulation() {
  Tensor x = numbers({3}).requires_grad_();
  Tensor y = (x * x).sum();
  y.backward({}, true);
  show("accumulate.first", x.grad());
  y.backward();
  show("accumulate.second", x.grad());
  throws("accumulate.freed", [&] { y.backward(); });
  x.mutable_grad() = Tensor();
  show("accumulate.reset", x.grad());
  Tensor z = x.exp();
  error("accumulate.nonscalar", [&] { z.backward(); });
  z.backward(numbers({3}, 2));
  show("accumulate.weighted", x.grad());
  error("accumulate.no_history", [&] { torch::ones({1}).backward(); });
}

static void higher_orders() {
  Tensor x = numbers({4}, 3).requires_grad_();
  Tensor y = (x.pow(4) + x.sin()).sum();
  for (int order = 1; order <= 3; ++order) {
    Tensor g = torch::autograd::grad({y}, {x}, {}, true, true)[0];
    show("order." + std::to_string(order), g);
    show("order.name." + std::to_string(order), g.grad_fn()->name());
    y = g.sum();
  }
}

static void grad_arguments() {
  Tensor a = numbers({2}, 4).requires_grad_(), b = numbers({2}, 5).requires_grad_();
  Tensor unused = torch::ones({2}).requires_grad_();
  Tensor y = a * b;
  show("grad.both", torch::autograd::grad({y}, {a, b}, {torch::ones({2})}, true));
  throws("grad.unused", [&] { torch::autograd::grad({y}, {unused}, {torch::ones({2})}, true); });
  show("grad.allow_unused",
       torch::autograd::grad({y}, {a, unused}, {torch::ones({2})}, true, false, true));
  throws("grad.shape", [&] { torch::autograd::grad({y}, {a}, {torch::ones({3})}, true); });
  show("grad.leaves_grad_alone", a.grad());
  torch::autograd::backward({y.sum(), (a * 2).sum()}, {});
  show("grad.two_roots", a.grad());
  Tensor c = numbers({2}, 6).requires_grad_();
  Tensor z = (c * a).sum();
  z.backward({}, true, false, std::vector<Tensor>{c});
  show("grad.inputs.c", c.grad());
  show("grad.inputs.a", a.grad());
}

static void hooks() {
  Tensor x = torch::ones({2}).requires_grad_();
  Tensor y = x * 3;
  auto handle = y.register_hook([](Tensor g) { return g * 10; });
  int calls = 0;
  x.register_hook([&](Tensor) { ++calls; });
  y.retain_grad();
  y.sum().backward({}, true);
  show("hook.leaf", x.grad());
  show("hook.retained", y.grad());
  y.remove_hook(handle);
  y.sum().backward();
  show("hook.removed", x.grad());
  show("hook.calls", calls);
}

static void modes() {
  Tensor x = torch::ones({2}).requires_grad_();
  {
    torch::NoGradGuard no_grad;
    show("mode.no_grad", x * 2);
    torch::AutoGradMode enable(true);
    show("mode.enabled", x * 2);
  }
  show("mode.detach", (x * 2).detach());
  {
    c10::InferenceMode guard;
    show("mode.inference", (x * 2).is_inference());
  }
  Tensor made;
  {
    c10::InferenceMode guard;
    made = torch::ones({2});
  }
  error("mode.inference_saved", [&] { (x * made).sum().backward(); });
  error("mode.inference_inplace", [&] { made.add_(1); });
}

static void inplace() {
  Tensor x = numbers({3}, 7).requires_grad_();
  error("inplace.leaf", [&] { x.add_(1); });
  Tensor y = x * x;
  Tensor z = y * y;
  y.mul_(x.detach());
  error("inplace.changed", [&] { z.sum().backward(); });
  Tensor w = x.exp();
  w.add_(1);
  error("inplace.output", [&] { w.sum().backward(); });
  Tensor base = x * 1;
  Tensor part = base.narrow(0, 1, 2);
  part.mul_(5);
  base.sum().backward();
  show("inplace.view", x.grad());
  show("inplace.view.name", part.grad_fn()->name());
  show("inplace.base.name", base.grad_fn()->name());
  error("inplace.view_of_leaf", [&] { x[0].mul_(2); });
  error("inplace.expanded", [&] { torch::ones({1}).expand({3}).add_(1); });
  auto parts = (x * 1).unbind();
  error("inplace.multi_output", [&] { parts[0].mul_(2); });
  Tensor v;
  {
    torch::NoGradGuard no_grad;
    v = base.view({3});
  }
  error("inplace.no_grad_view", [&] { v.mul_(2); });
}

static void leaves() {
  Tensor x = torch::ones({2}).requires_grad_();
  Tensor y = x * 2;
  show("leaf.x", x.is_leaf());
  show("leaf.y", y.is_leaf());
  error("leaf.integer", [] { torch::ones({2}, torch::kLong).requires_grad_(); });
  y.detach_();
  show("leaf.detached", y.is_leaf());
  const auto version = x._version();
  {
    torch::NoGradGuard no_grad;
    x.add_(1);
  }
  show("leaf.version", static_cast<int64_t>(x._version() - version));
}

// What an in-place op may change, and what the leaves behind it get.
static void overwriting() {
  const auto viewed_leaf = [] { return numbers({2, 3}, 10).view({3, 2}).requires_grad_(); };
  error("write.viewed_leaf", [&] { viewed_leaf().mul_(2); });
  error("write.view_of_viewed_leaf", [&] { viewed_leaf().view({6}).mul_(2); });
  error("write.select_of_leaf",
        [&] { viewed_leaf().clone().detach().requires_grad_()[0].mul_(2); });
  Tensor x = numbers({2, 3}, 11).requires_grad_();
  Tensor y = x.logsumexp(1);
  show("write.not_a_view", y.is_view());
  y.add_(1);
  show("write.logsumexp", y);
  const auto leaf_grad = [](const char* key, const std::function<void(Tensor&)>& write) {
    Tensor leaf = numbers({2, 3}, 12).requires_grad_();
    Tensor t = leaf * 2;
    write(t);
    t.sum().backward();
    show(key, leaf.grad());
  };
  leaf_grad("write.copy", [](Tensor& t) { t.copy_(torch::ones({3}).requires_grad_()); });
  leaf_grad("write.fill", [](Tensor& t) { t.fill_(1); });
  leaf_grad("write.fill_tensor", [](Tensor& t) { t.fill_(torch::ones({}).requires_grad_()); });
  leaf_grad("write.zero", [](Tensor& t) { t.zero_(); });
}

// A grad lies in memory as its leaf does.
static void grad_layout() {
  Tensor x = numbers({2, 3}, 13).requires_grad_();
  x.t().contiguous().sum().backward();
  show("layout.of_transpose", x.grad().strides().vec()[0]);
  Tensor w = numbers({3, 2}, 14).requires_grad_();
  x.detach().mm(w.t().t()).sum().backward();
  show("layout.weight", w.grad().is_contiguous());
  Tensor v = numbers({3, 2}, 15).t().requires_grad_();
  (v * 2).sum().backward();
  show("layout.transposed_leaf", v.grad().strides().vec()[0]);
  Tensor e = torch::ones({1}).expand({3}).requires_grad_();
  (e * 2).sum().backward();
  show("layout.expanded_leaf", e.grad().strides().vec()[0]);
}

static void names() {
  Tensor x = numbers({2, 2}, 8).requires_grad_();
  const std::pair<const char*, Tensor> results[] = {
      {"add", x + x},
      {"sub", x - x},
      {"mul", x * x},
      {"div", x / x},
      {"neg", -x},
      {"exp", x.exp()},
      {"sum", x.sum()},
      {"sum_dim", x.sum(0)},
      {"mean", x.mean()},
      {"mm", x.mm(x)},
      {"t", x.t()},
      {"view", x.view({4})},
      {"transpose", x.transpose(0, 1)},
      {"select", x[0]},
      {"relu", x.relu()},
      {"sigmoid", x.sigmoid()},
      {"tanh", x.tanh()},
      {"pow", x.pow(2)},
      {"clone", x.clone()},
      {"cat", torch::cat({x, x})},
      {"stack", torch::stack({x, x})},
      {"max", x.max()},
      {"softmax", x.softmax(1)},
      {"log_softmax", x.log_softmax(1)},
      {"expand", x[0].expand({3, 2})},
      {"permute", x.permute({1, 0})},
      {"unsqueeze", x.unsqueeze(0)},
      {"squeeze", x.squeeze()},
      {"slice", x.slice(0, 0, 1)},
      {"where", torch::where(x > 0, x, x)},
      {"abs", x.abs()},
      {"sqrt", x.sqrt()},
      {"log", x.log()},
      {"clamp", x.clamp(-1, 1)},
      {"to", x.to(torch::kDouble)},
      {"matmul", x.matmul(x[0])},
      {"var", x.var()},
      {"norm", x.norm()},
      {"add_number", x + 2},
      {"number_add", 2 + x},
      {"sub_number", x - 2},
      {"number_sub", 2 - x},
      {"mul_number", x * 2},
      {"div_number", x / 2},
      {"number_div", 2 / x},
      {"rsub", torch::rsub(x, 2)},
      {"pow_tensor", x.pow(x)},
      {"number_pow", torch::pow(2, x)},
      {"clamp_one_side", x.clamp(1)},
      {"clamp_min", x.clamp_min(1)},
      {"cdist", torch::cdist(x, x)},
      {"celu", torch::celu(x)},
      {"rrelu", torch::rrelu(x, 0.1, 0.3, true)},
      {"rrelu_eval", torch::rrelu(x, 0.1, 0.3, false)},
      {"nan_to_num", x.nan_to_num()},
  };
  for (const auto& [name, t] : results) show(std::string("name.") + name, t.grad_fn()->name());
}

static void inplace_names() {
  const Tensor m = numbers({2, 2}, 8).requires_grad_();
  const std::pair<const char*, Tensor> results[] = {
      {"add_", (m * 1).add_(2)},
      {"leaky_relu_",
       [&] {
         Tensor x = m * 1;
         return torch::leaky_relu_(x);
       }()},
      {"leaky_relu_.strided",
       [&] {
         Tensor x = m.t() * 1;
         return torch::leaky_relu_(x);
       }()},
      {"elu_",
       [&] {
         Tensor x = m * 1;
         return torch::elu_(x);
       }()},
      {"celu_",
       [&] {
         Tensor x = m * 1;
         return torch::celu_(x);
       }()},
      {"threshold_",
       [&] {
         Tensor x = m * 1;
         return torch::threshold_(x, 0.1, 0.2);
       }()},
      {"rrelu_",
       [&] {
         Tensor x = m * 1;
         return torch::rrelu_(x, 0.1, 0.3, true);
       }()},
      {"addmm_", (m * 1).addmm_(m, m)},
      {"logical", (m * 1).eq_(1)},
  };
  for (const auto& [name, t] : results)
    show(std::string("name.in_place.") + name, t.grad_fn()->name());
  error("addmm_.shape", [&] { torch::ones({1, 2}).addmm_(m, m); });
  error("addmm_.leaf", [&] { m.addmm_(m, m); });
}

// A factory fills what nobody has seen: that is no change.
static void versions() {
  const Tensor x = torch::ones({2});
  const std::pair<const char*, Tensor> made[] = {
      {"ones", x},
      {"zeros", torch::zeros({2})},
      {"full", torch::full({2}, 3)},
      {"eye", torch::eye(3)},
      {"arange", torch::arange(3)},
      {"linspace", torch::linspace(0, 1, 3)},
      {"rand", torch::rand({2})},
      {"randn", torch::randn({2})},
      {"randint", torch::randint(3, {2})},
      {"randperm", torch::randperm(3)},
      {"normal", torch::normal(0, 1, {2})},
      {"ones_like", torch::ones_like(x)},
      {"full_like", torch::full_like(x, 2)},
      {"rand_like", torch::rand_like(x)},
      {"new_ones", x.new_ones({2})},
      {"new_full", x.new_full({2}, 3)},
      {"scalar_tensor", torch::scalar_tensor(1)},
  };
  for (const auto& [name, t] : made)
    show(std::string("version.") + name, static_cast<int64_t>(t._version()));
}

// Products with zeros, differentiated twice.
static void zeros_in_products() {
  const std::vector<std::vector<double>> rows = {{1, 2, 3}, {0, 2, 3}, {0, 0, 3}};
  for (size_t k = 0; k < rows.size(); ++k) {
    const std::string key = "prod." + std::to_string(k);
    Tensor x = torch::tensor(rows[k]).reshape({1, 3}).requires_grad_();
    Tensor g = torch::autograd::grad({x.prod(1).sum()}, {x}, {}, true, true)[0];
    show(key, g);
    show(key + ".twice",
         torch::autograd::grad({(g * torch::tensor({1., 10., 100.})).sum()}, {x})[0]);
  }
}

struct Cube : torch::autograd::Function<Cube> {
  static Tensor forward(torch::autograd::AutogradContext* ctx, Tensor x, double factor) {
    ctx->save_for_backward({x});
    ctx->saved_data["factor"] = factor;
    return x * x * x * factor;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list g) {
    Tensor x = ctx->get_saved_variables()[0];
    return {g[0] * 3 * x * x * ctx->saved_data["factor"].toDouble(), Tensor()};
  }
};

static void custom() {
  Tensor x = numbers({3}, 9).requires_grad_();
  Tensor y = Cube::apply(x, 2.0);
  show("custom.y", y);
  show("custom.name", y.grad_fn()->name().find("Cube") != std::string::npos);
  Tensor g = torch::autograd::grad({y.sum()}, {x}, {}, true, true)[0];
  show("custom.g", g);
  g.sum().backward();
  show("custom.gg", x.grad());
}

int main() {
  accumulation();
  higher_orders();
  grad_arguments();
  hooks();
  modes();
  inplace();
  leaves();
  overwriting();
  grad_layout();
  names();
  inplace_names();
  versions();
  zeros_in_products();
  custom();
}
