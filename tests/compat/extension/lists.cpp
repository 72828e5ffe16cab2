// Ops of lists: _foreach_... and fused steps of optimizers, as the ops of one tensor give it.
#include <torch/torch.h>

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "expect.h"

namespace {

using at::Scalar;
using at::Tensor;
using Tensors = std::vector<Tensor>;

Tensor numbers(at::IntArrayRef sizes, double first, torch::TensorOptions options) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  const Tensor x = torch::arange(n, torch::kDouble).mul(0.37).add(first).sin().mul(0.9);
  return x.reshape(sizes).to(options.device()).to(options.dtype().toScalarType());
}

/// Of several sizes, one with gaps.
Tensors list(double first, torch::TensorOptions options) {
  Tensors all{numbers({3, 4}, first, options),  numbers({}, first + 1, options),
              numbers({5}, first + 2, options), numbers({4, 2}, first + 3, options).t(),
              numbers({0, 2}, first, options),  numbers({20000}, first + 4, options)};
  return all;
}
Tensors copies(const Tensors& xs) {
  Tensors all;
  for (const Tensor& x : xs) all.push_back(x.detach().clone());
  return all;
}

bool alike(const Tensors& a, const Tensors& b, double tolerance = 0) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].sizes() != b[i].sizes() || a[i].scalar_type() != b[i].scalar_type() ||
        a[i].device() != b[i].device())
      return false;
    const double loose = tolerance + (a[i].scalar_type() == at::kHalf ? 2e-3 : 2e-6);
    if (!at::allclose(a[i].cpu().to(at::kDouble), b[i].cpu().to(at::kDouble), loose, loose, true))
      return false;
  }
  return true;
}

template <class F>
Tensors each(const Tensors& xs, const F& f) {
  Tensors all;
  for (size_t i = 0; i < xs.size(); ++i) all.push_back(f(xs[i], i));
  return all;
}

/// As many tensors that hold nothing yet, and what they are after a call.
template <class F>
Tensors filled(const Tensors& like, const F& call) {
  Tensors out = each(like, [](const Tensor& x, size_t) { return torch::empty({0}, x.options()); });
  call(out);
  return out;
}

#define UNARY(name)                                                                     \
  {                                                                                     \
    const Tensors want = each(xs, [](const Tensor& x, size_t) { return at::name(x); }); \
    EXPECT(alike(at::_foreach_##name(xs), want));                                       \
    const auto call_out = [&](Tensors& out) { at::_foreach_##name##_out(out, xs); };    \
    const auto call_outf = [&](Tensors& out) { at::_foreach_##name##_outf(xs, out); };  \
    EXPECT(alike(filled(xs, call_out), want) && alike(filled(xs, call_outf), want));    \
    const Tensors changed = copies(xs);                                                 \
    at::_foreach_##name##_(changed);                                                    \
    EXPECT(alike(changed, want));                                                       \
  }

void functions_of_one(torch::TensorOptions options) {
  Tensors xs = list(0.3, options);
  UNARY(abs);
  UNARY(ceil);
  UNARY(floor);
  UNARY(frac);
  UNARY(neg);
  UNARY(round);
  UNARY(sign);
  UNARY(trunc);
  UNARY(acos);
  UNARY(asin);
  UNARY(atan);
  UNARY(cos);
  UNARY(cosh);
  UNARY(erf);
  UNARY(erfc);
  UNARY(exp);
  UNARY(expm1);
  UNARY(reciprocal);
  UNARY(sigmoid);
  UNARY(sin);
  UNARY(sinh);
  UNARY(tan);
  UNARY(tanh);
  xs = at::_foreach_add(at::_foreach_abs(xs), 0.2);
  UNARY(lgamma);
  UNARY(log);
  UNARY(log10);
  UNARY(log1p);
  UNARY(log2);
  UNARY(rsqrt);
  UNARY(sqrt);
  EXPECT(alike(at::_foreach_clone(xs), xs));
  EXPECT(alike(at::_foreach_zero(xs), each(xs, [](const Tensor& x, size_t) { return x * 0; })));
  EXPECT(alike(filled(xs, [&](Tensors& out) { at::_foreach_zero_out(out, xs); }),
               at::_foreach_zero(xs)));
  const Tensors zeros = copies(xs);
  at::_foreach_zero_(zeros);
  EXPECT(alike(zeros, at::_foreach_zero(xs)));
  xs.erase(xs.begin() + 4);  // the empty one
  EXPECT(alike(at::_foreach_max(xs), each(xs, [](const Tensor& x, size_t) { return x.max(); })));
}

/// The out-of-place form of a call, the one with `out`, and the in-place one.
#define FORMS(name, want, ...)                                                                    \
  {                                                                                               \
    const Tensors expected = want;                                                                \
    EXPECT(alike(at::_foreach_##name(xs, __VA_ARGS__), expected));                                \
    EXPECT(                                                                                       \
        alike(filled(xs, [&](Tensors& out) { at::_foreach_##name##_out(out, xs, __VA_ARGS__); }), \
              expected));                                                                         \
    const Tensors changed = copies(xs);                                                           \
    at::_foreach_##name##_(changed, __VA_ARGS__);                                                 \
    EXPECT(alike(changed, expected));                                                             \
  }
#define EACH(expression) \
  each(xs, [&]([[maybe_unused]] const Tensor& x, [[maybe_unused]] size_t i) { return expression; })

void functions_of_two(torch::TensorOptions options) {
  const Tensors xs = list(0.3, options), ys = at::_foreach_add(list(1.7, options), 1.5);
  std::vector<Scalar> ss;
  for (size_t i = 0; i < xs.size(); ++i) ss.emplace_back(0.5 + static_cast<double>(i));
  const Tensor number = torch::full({}, 1.25, options);
  FORMS(add, EACH(x + 2.5), 2.5);
  FORMS(add, EACH(x.add(ys[i], 0.5)), ys, 0.5);
  FORMS(add, EACH(x + ys[i]), ys);
  FORMS(add, EACH(x + ss[i]), at::ArrayRef<Scalar>(ss));
  FORMS(add, EACH(x.add(number, 2)), number, 2);
  FORMS(sub, EACH(x - 2), 2);
  FORMS(sub, EACH(x.sub(ys[i], 3)), ys, 3);
  FORMS(sub, EACH(x - ss[i]), at::ArrayRef<Scalar>(ss));
  FORMS(mul, EACH(x * 1.5), 1.5);
  FORMS(mul, EACH(x * ys[i]), ys);
  FORMS(mul, EACH(x * ss[i]), at::ArrayRef<Scalar>(ss));
  FORMS(mul, EACH(x * number), number);
  FORMS(div, EACH(x / 1.5), 1.5);
  FORMS(div, EACH(x / ys[i]), ys);
  FORMS(div, EACH(x / ss[i]), at::ArrayRef<Scalar>(ss));
  FORMS(div, EACH(x / number), number);
  FORMS(maximum, EACH(x.clamp_min(0.1)), 0.1);
  FORMS(maximum, EACH(at::maximum(x, ys[i])), ys);
  FORMS(clamp_min, EACH(x.clamp_min(ss[i])), at::ArrayRef<Scalar>(ss));
  FORMS(minimum, EACH(x.clamp_max(0.1)), 0.1);
  FORMS(clamp_max, EACH(at::minimum(x, ys[i])), ys);
  FORMS(clamp_max, EACH(x.clamp_max(ss[i])), at::ArrayRef<Scalar>(ss));
  FORMS(pow, EACH(x.pow(2)), 2);
  FORMS(pow, EACH(x.pow(ys[i].round())), at::_foreach_round(ys));
  EXPECT(alike(at::_foreach_pow(2, xs), EACH(at::pow(2, x))));
  FORMS(lerp, EACH(x.lerp(ys[i], 0.25)), ys, 0.25);
  FORMS(lerp, EACH(x.lerp(ys[i], xs[i])), ys, xs);
  FORMS(addcmul, EACH(x.addcmul(ys[i], xs[i], 0.5)), ys, xs, 0.5);
  FORMS(addcmul, EACH(x.addcmul(ys[i], xs[i], ss[i])), ys, xs, at::ArrayRef<Scalar>(ss));
  FORMS(addcdiv, EACH(x.addcdiv(xs[i], ys[i])), xs, ys);
  const Tensor packed = torch::arange(static_cast<int64_t>(xs.size()), torch::kDouble);
  FORMS(addcdiv, EACH(x.addcdiv(xs[i], ys[i], static_cast<double>(i))), xs, ys, packed);
  const Tensors target = copies(xs);
  at::_foreach_copy_(target, ys);
  EXPECT(alike(target, ys));
  const Tensors wide = at::_foreach_zero(list(0, options.dtype(at::kDouble)));
  at::_foreach_copy_(wide, ys);
  EXPECT(wide[0].scalar_type() == at::kDouble && wide[0].sum().item<double>() != 0);
}

void norms(torch::TensorOptions options) {
  Tensors xs = list(0.3, options);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double order : {2., 1., 3., 0.})
    EXPECT(alike(at::_foreach_norm(xs, order),
                 EACH(at::linalg_vector_norm(x.to(at::kDouble), order).to(x.scalar_type())), 1e-5));
  EXPECT(at::_foreach_norm(xs, 2, at::kDouble)[0].scalar_type() == at::kDouble);
  EXPECT(alike(at::_foreach_powsum(xs, 2),
               EACH(x.to(at::kDouble).abs().pow(2).sum().to(x.scalar_type())), 1e-4));
  xs.erase(xs.begin() + 4);
  xs[2][1] = -7;
  EXPECT(alike(at::_foreach_norm(xs, infinity), EACH(x.abs().max())));
}

void dtypes_and_gradients(torch::TensorOptions options) {
  // Integers become floats, and numbers promote, as in the op of one tensor.
  const Tensors xs{torch::tensor({1, 2, 3}, options.dtype(at::kInt)),
                   torch::tensor({4.5}, options)};
  EXPECT(alike(at::_foreach_sqrt(xs), EACH(x.sqrt())));
  EXPECT(alike(at::_foreach_mul(xs, 1.5), EACH(x * 1.5)));
  EXPECT(thrown<c10::Error>([&] { at::_foreach_sqrt_(copies(xs)); }).find("can't be cast") !=
         std::string::npos);
  EXPECT(alike(at::_foreach_mm({torch::ones({2, 3}, options)}, {torch::ones({3, 2}, options)}),
               {torch::full({2, 2}, 3., options)}));
  const auto leaves = [&] {
    Tensors all{numbers({3, 4}, 0.4, options), numbers({5}, 0.1, options)};
    for (Tensor& x : all) x.requires_grad_();
    return all;
  };
  const Tensors a = leaves(), b = leaves(), c = leaves(), d = leaves();
  Tensors y = at::_foreach_mul(at::_foreach_exp(a), b);
  (y[0].sum() + y[1].sum()).backward();
  for (size_t i = 0; i < c.size(); ++i) (c[i].exp() * d[i]).sum().backward();
  for (size_t i = 0; i < c.size(); ++i)
    EXPECT(alike({a[i].grad(), b[i].grad()}, {c[i].grad(), d[i].grad()}));
  // In place on what is no leaf.
  const Tensors e = leaves(), f = at::_foreach_mul(e, 3);
  at::_foreach_add_(f, e);
  (f[0].sum() + f[1].sum()).backward();
  EXPECT(alike({e[0].grad()}, {torch::full({3, 4}, 4., options)}));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_add_(e, 1); }),
             "leaf Variable that requires grad"));
  const Tensors g = leaves();
  at::_foreach_norm(g)[1].backward();
  EXPECT(alike({g[1].grad()}, {(g[1] / g[1].norm()).detach()}));
}

void errors() {
  const Tensors xs{torch::ones({2}), torch::ones({3})}, none;
  const std::vector<Scalar> one{1.};
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_add(none, 1); }),
             "Tensor list must have at least one tensor."));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_add(xs, Tensors{xs[0]}); }),
             "Tensor lists must have the same number of tensors, got 2 and 1"));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_add(xs, at::ArrayRef<Scalar>(one)); }),
             "Tensor list must have same number of elements as scalar list"));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_mul(xs, torch::ones({2})); }),
             "scalar tensor expected to be 0 dim but it has 1 dimensions"));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_addcmul(xs, xs, xs, torch::ones({3})); }),
             "Expected length of scalars to match input of length 2 but got 3 instead."));
#ifdef TAPER_CHECK  // nothing changes before all is known to fit
  EXPECT(thrown<c10::Error>([&] {
           at::_foreach_add_(xs, Tensors{torch::ones({2}), torch::ones({4})});
         }) != "nothing was thrown");
  EXPECT(xs[0][0].item<float>() == 1);
#endif
}

void errors_of_out_forms() {
  const Tensors xs{torch::ones({2}), torch::ones({3})}, out{torch::zeros({2}), torch::zeros({3})};
  at::_foreach_add_outf(xs, xs, 2, out);
  EXPECT(alike(out, {torch::full({2}, 3.f), torch::full({3}, 3.f)}));
  at::_foreach_mul_outf(out, 2, out);  // an input as the result
  EXPECT(alike(out, {torch::full({2}, 6.f), torch::full({3}, 6.f)}));
#ifdef TAPER_CHECK  // PyTorch gives no gradient here, and looks at neither lengths nor all dtypes
  const Tensors leaves{torch::ones({2}, torch::requires_grad()), torch::ones({3})};
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_exp_out(out, leaves); }),
             "don't support automatic differentiation"));
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_exp_out(Tensors{out[0]}, xs); }),
             "_foreach_exp: expected 2 tensors for the results, got 1"));
  const Tensors whole{torch::zeros({7}), torch::zeros({3}, torch::kInt)};
  EXPECT(has(thrown<c10::Error>([&] { at::_foreach_exp_out(whole, xs); }), "can't be cast"));
  EXPECT(whole[0].numel() == 7);  // nothing changes before all is known to fit
#endif
}

// ---------------------------------------------------------------- fused steps
struct Model {
  Tensors p, g, m, v, largest, steps;
};
Model model(torch::TensorOptions options) {
  Model all;
  for (const double first : {0.2, 0.9}) {
    all.p.push_back(numbers({3, 4}, first, options));
    all.g.push_back(numbers({3, 4}, first + 2, options));
    all.m.push_back(numbers({3, 4}, first + 3, options).mul(0.1));
    all.v.push_back(numbers({3, 4}, first + 4, options).abs().mul(0.1));
    all.largest.push_back(all.v.back() * 1.5);
    all.steps.push_back(torch::full({}, 3 + first * 10, options.dtype(at::kFloat)).round());
  }
  return all;
}
constexpr double kLr = 0.1, kBeta1 = 0.8, kBeta2 = 0.95, kDecay = 0.02, kEps = 1e-6;

/// Adam's step in double by its formula.
void reference_adam(Model& now, bool decoupled, bool amsgrad, bool maximize, double scale) {
  for (size_t i = 0; i < now.p.size(); ++i) {
    const auto wide = [](const Tensor& t) { return t.to(at::kDouble); };
    const double t = now.steps[i].item<double>();
    Tensor g = wide(now.g[i]) / scale, p = wide(now.p[i]);
    if (scale != 1) now.g[i].copy_(g);
    if (maximize) g = -g;
    if (decoupled)
      p = p * (1 - kLr * kDecay);
    else
      g = g + kDecay * p;
    const Tensor m = kBeta1 * wide(now.m[i]) + (1 - kBeta1) * g;
    const Tensor v = kBeta2 * wide(now.v[i]) + (1 - kBeta2) * g * g;
    Tensor second = v;
    if (amsgrad) {
      second = at::maximum(wide(now.largest[i]), v);
      now.largest[i].copy_(second);
    }
    const double c1 = 1 - std::pow(kBeta1, t), c2 = 1 - std::pow(kBeta2, t);
    now.p[i].copy_(p - kLr / c1 * m / (second.sqrt() / std::sqrt(c2) + kEps));
    now.m[i].copy_(m);
    now.v[i].copy_(v);
  }
}
bool alike(const Model& a, const Model& b) {
  return alike(a.p, b.p, 1e-5) && alike(a.g, b.g, 1e-5) && alike(a.m, b.m, 1e-5) &&
         alike(a.v, b.v, 1e-5) && alike(a.largest, b.largest, 1e-5) && alike(a.steps, b.steps);
}

using AdamStep = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                          at::TensorList, at::TensorList, double, double, double, double, double,
                          bool, bool, const std::optional<Tensor>&, const std::optional<Tensor>&);

void fused_adam(torch::TensorOptions options) {
  const torch::TensorOptions number = options.dtype(at::kFloat);
  for (const bool decoupled : {false, true})
    for (const bool amsgrad : {false, true})
      for (const int kind : {0, 1, 2, 3}) {
        const bool maximize = kind == 1;
        Model got = model(options), want = model(options);
        const AdamStep step = decoupled ? static_cast<AdamStep>(&at::_fused_adamw_)
                                        : static_cast<AdamStep>(&at::_fused_adam_);
        std::optional<Tensor> scale, inf;
        if (kind >= 2) scale = torch::full({1}, 4., number);
        if (kind >= 2) inf = torch::full({1}, kind == 3 ? 1. : 0., number);
        step(got.p, got.g, got.m, got.v, amsgrad ? got.largest : Tensors{}, got.steps, kLr, kBeta1,
             kBeta2, kDecay, kEps, amsgrad, maximize, scale, inf);
        if (kind != 3) reference_adam(want, decoupled, amsgrad, maximize, kind == 2 ? 4 : 1);
        EXPECT(alike(got, want));
      }
  Model got = model(options), want = model(options);
  at::_fused_adam_(got.p, got.g, got.m, got.v, {}, got.steps, torch::full({}, kLr, number), kBeta1,
                   kBeta2, kDecay, kEps, false, false);
  reference_adam(want, false, false, false, 1);
  EXPECT(alike(got, want));
}

void fused_sgd(torch::TensorOptions options) {
  const torch::TensorOptions number = options.dtype(at::kFloat);
  for (const bool first : {false, true})
    for (const bool nesterov : {false, true})
      for (const double scale : {1., 8.}) {
        Model got = model(options), want = model(options);
        if (first) got.m[1].fill_(std::nan(""));  // what a buffer holds before does not count
        std::optional<Tensor> scales;
        if (scale != 1) scales = torch::full({}, scale, number);
        at::_fused_sgd_(got.p, got.g, got.m, kDecay, 0.9, kLr, nesterov ? 0 : 0.3, nesterov, true,
                        first, scales);
        for (size_t i = 0; i < want.p.size(); ++i) {
          if (scale != 1) want.g[i].div_(scale);
          const Tensor g = -want.g[i] + kDecay * want.p[i];
          want.m[i].copy_(first ? g : 0.9 * want.m[i] + (nesterov ? 1 : 0.7) * g);
          want.p[i].sub_(kLr * (nesterov ? g + 0.9 * want.m[i] : want.m[i]));
        }
        EXPECT(alike(got, want));
      }
  Model got = model(options), want = model(options);
  at::_fused_sgd_(got.p, got.g, {}, 0, 0, torch::full({}, kLr, number), 0, false, false, false);
  for (size_t i = 0; i < want.p.size(); ++i) want.p[i].sub_(kLr * want.g[i]);
  EXPECT(alike(got, want));
}

// ---------------------------------------------------------------- how many launches
int launches = 0;
std::unique_ptr<at::ObserverContext> count(const at::RecordFunction&) {
  ++launches;
  return nullptr;
}
template <class F>
int launches_of(const F& f) {
  launches = 0;
  const at::CallbackHandle handle =
      at::addGlobalCallback(at::RecordFunctionCallback(&count).scopes({at::RecordScope::FUNCTION}));
  f();
  at::removeCallback(handle);
  return launches;
}

void few_launches() {
  const torch::TensorOptions options(torch::kCUDA);
  Tensors xs, ys;
  for (int i = 0; i < 40; ++i) {
    xs.push_back(torch::ones({i + 1}, options));
    ys.push_back(torch::ones({i + 1}, options));
  }
  std::vector<Scalar> ss(xs.size(), 2.);
  EXPECT(launches_of([&] { at::_foreach_add_(xs, ys, 2); }) == 1);
  EXPECT(launches_of([&] { at::_foreach_mul_(xs, at::ArrayRef<Scalar>(ss)); }) == 1);
  EXPECT(launches_of([&] { at::_foreach_addcdiv_(xs, ys, ys, 1); }) == 1);
  EXPECT(launches_of([&] { ys = at::_foreach_sqrt(xs); }) == 1);
  EXPECT(launches_of([&] { at::_foreach_sqrt_out(ys, xs); }) == 2);  // the op, and a copy of all
  EXPECT(launches_of([&] { at::_foreach_norm(xs); }) < 10);
  EXPECT(launches_of([&] { at::_fused_sgd_(xs, ys, {}, 0, 0, 0.1, 0, false, false, false); }) == 1);
}

}  // namespace

int main() {
  std::vector<torch::TensorOptions> all{torch::kFloat, torch::kDouble};
  if (torch::cuda::is_available()) {
    const torch::TensorOptions cuda(torch::Device(torch::kCUDA, 0));
    all.insert(all.end(), {cuda, cuda.dtype(torch::kDouble), cuda.dtype(torch::kHalf)});
    few_launches();
  }
  for (const torch::TensorOptions& options : all) {
    functions_of_one(options);
    functions_of_two(options);
    if (options.dtype() != torch::kHalf) norms(options), dtypes_and_gradients(options);
    if (options.dtype() != torch::kHalf) fused_adam(options), fused_sgd(options);
  }
  errors();
  errors_of_out_forms();
  return 0;
}
