// Gradients against difference quotients, to second order.
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/grad_mode.h>

#include "harness/check_shared.h"

namespace taper::testing {
std::vector<Tensor> cotangents_for(const Results& results, Random& random) {
  std::vector<Tensor> list;
  for (const Tensor& r : results) {
    Array a(r.sizes().vec());
    for (double& v : a.v) v = random.uniform(0.5, 2) * (random.bits() % 2 ? 1 : -1);
    list.push_back(to_tensor(a, kDouble));
  }
  return list;
}

Results differentiable_of(const Results& results) {
  Results kept;
  for (const Tensor& r : results)
    if (r.defined() && r.is_floating_point() && r.requires_grad()) kept.push_back(r);
  return kept;
}

Array grad_of(const Tensor& leaf) {
  return leaf.grad().defined() ? read(leaf.grad()) : Array(leaf.sizes().vec());
}

void run_backward(const Results& results, const std::vector<Tensor>& cotangents, bool retain) {
  for (size_t k = 0; k < results.size(); ++k)
    results[k].backward(cotangents[k], retain || k + 1 < results.size());
}

namespace {

constexpr double kStep = 1e-5;
constexpr Tolerance kGradientTolerance{2e-5, 1e-6};

/// A function of tensors of float64 whose gradients are compared.
using Function = std::function<Results(const std::vector<Tensor>&)>;

/// sum(results * cotangents), computed here.
double loss_of(const Results& results, const std::vector<Tensor>& cotangents) {
  double sum = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    const Array r = read(results[k]), g = read(cotangents[k]);
    for (int64_t i = 0; i < r.numel(); ++i) sum += r.v[i] * g.v[i];
  }
  return sum;
}

std::vector<Tensor> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : inputs)
    leaves.push_back(to_tensor(to_array(x.detach()), kDouble).requires_grad_());
  return leaves;
}

/// Elements to vary one by one: all of few, else some, with the first and the last among them.
std::vector<int64_t> elements_to_vary(int64_t numel, Random& random) {
  std::vector<int64_t> list;
  if (numel <= 40) {
    for (int64_t i = 0; i < numel; ++i) list.push_back(i);
    return list;
  }
  list = {0, numel - 1};
  for (int i = 0; i < 20; ++i) list.push_back(random.integer(0, numel));
  return list;
}

double difference_quotient(const std::function<double()>& loss, const Tensor& x, int64_t element) {
  const double before = get_element(x, element);
  set_element(x, element, before + kStep);
  const double above = loss();
  set_element(x, element, before - kStep);
  const double below = loss();
  set_element(x, element, before);
  return (above - below) / (2 * kStep);
}

bool close(double got, double want, Tolerance tol) {
  return std::abs(got - want) <= tol.atol + tol.rtol * std::abs(want);
}

/// First derivatives of `f` at `inputs` against difference quotients, and accumulation.
void check_first(const Function& f, const std::vector<Tensor>& inputs, const char* what,
                 double factor, Log& log) {
  Random random(7);
  const std::vector<Tensor> leaves = leaves_of(inputs);
  const Results results = differentiable_of(f(leaves));
  if (results.empty()) return log.add(what, ": no result requires a gradient");
  const std::vector<Tensor> cotangents = cotangents_for(results, random);
  run_backward(results, cotangents, true);
  const auto loss = [&] {
    NoGradGuard no_grad;
    const Results all = f(leaves);
    Results kept;
    for (const Tensor& r : all)
      if (r.defined() && r.is_floating_point()) kept.push_back(r);
    return loss_of(kept, cotangents);
  };
  std::vector<Array> first;
  for (size_t j = 0; j < leaves.size(); ++j) {
    first.push_back(grad_of(leaves[j]));
    if (first[j].sizes != leaves[j].sizes().vec())
      return log.add(what, " ", j, ": expected a gradient of sizes ", leaves[j].sizes(), ", got ",
                     IntArrayRef(first[j].sizes));
    const Tolerance tol = scaled(kGradientTolerance, factor);
    for (int64_t i : elements_to_vary(leaves[j].numel(), random)) {
      const double want = difference_quotient(loss, leaves[j], i);
      if (!close(first[j].v[i], want, tol))
        log.add(what, " of input ", j, " element ", i, ": expected ", want, ", got ",
                first[j].v[i]);
    }
  }
  run_backward(results, cotangents, false);
  for (size_t j = 0; j < leaves.size(); ++j) {
    Array twice = first[j];
    for (double& v : twice.v) v *= 2;
    log.compare("a second backward must double the gradient", grad_of(leaves[j]), twice,
                {1e-12, 0});
  }
}

/// The gradients of `f` as a function of its inputs and the cotangents (appended).
Function gradient_function(const Function& f, size_t num_inputs) {
  return [f, num_inputs](const std::vector<Tensor>& all) {
    const bool record = GradMode::is_enabled();
    AutoGradMode enable(true);
    std::vector<Tensor> x(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(num_inputs));
    for (Tensor& t : x)
      if (!t.requires_grad()) t = t.detach().requires_grad_();
    const Results results = differentiable_of(f(x));
    const std::vector<Tensor> cotangents(all.begin() + static_cast<std::ptrdiff_t>(num_inputs),
                                         all.end());
    return Results(autograd::grad(results, x, cotangents, true, record, true));
  };
}

void check_second(const OpCase& c, const Function& f, const std::vector<Tensor>& inputs, Log& log) {
  Random random(11);
  const Results results = differentiable_of(f(leaves_of(inputs)));
  std::vector<Tensor> all = inputs;
  for (const Tensor& g : cotangents_for(results, random)) all.push_back(g);
  const Function g = gradient_function(f, inputs.size());
  // A derivative that is linear and does not depend on the inputs still depends on the cotangents.
  check_first(
      [&](const std::vector<Tensor>& x) {
        Results out;
        for (const Tensor& t : g(x))
          if (t.defined()) out.push_back(t);
        return out;
      },
      all, "second derivative", 10 * c.tolerance, log);
}

void check_gradient_of(const OpCase& c, const Args& args, Log& log) {
  std::vector<size_t> which;
  std::vector<Tensor> inputs;
  for (size_t j = 0; j < args.t.size(); ++j)
    if (wants_gradient(c, args, j)) {
      which.push_back(j);
      inputs.push_back(args.t[j]);
    }
  const auto form = [&](const std::function<Results(const Args&)>& call) {
    return [&, call](const std::vector<Tensor>& x) {
      Args own = args;
      for (size_t k = 0; k < which.size(); ++k) own.t[which[k]] = x[k];
      return call(own);
    };
  };
  const Function f = form(c.call);
  check_first(f, inputs, "gradient", c.tolerance, log);
  if (c.twice_differentiable) check_second(c, f, inputs, log);
  if (!c.inplace || !fits_in_place(c.call(args)[0], args)) return;
  const Function changed = form([&](const Args& a) {
    Args own = a;
    own.t[0] = a.t[0].clone();
    return Results(c.inplace(own));
  });
  check_first(changed, inputs, "gradient of the in-place form", c.tolerance, log);
  if (c.twice_differentiable && numel_of(args) <= 40) check_second(c, changed, inputs, log);
}

std::vector<Args> gradient_samples(const OpCase& c) {
  std::vector<Args> kept;
  for (const Args& a : c.gradient_samples ? c.gradient_samples() : c.samples(kDouble))
    if (is_small(a)) kept.push_back(a);
  return kept;
}

}  // namespace

Failures check_gradient(const OpCase& c) {
  Failures failures;
  if (!c.differentiable) return failures;
  Log log(failures);
  const std::vector<Args> samples = gradient_samples(c);
  if (samples.empty()) log.add("expected a sample of at most 300 values for the gradient");
  for (const Args& args : samples) {
    log.sample(args);
    log.guarded([&] { check_gradient_of(c, args, log); });
  }
  return failures;
}

}  // namespace taper::testing
