// Gradients against difference quotients, to second order: the kit of testing/ for each sample.
#include <algorithm>

#include <taper/framework/autograd/record.h>
#include <taper/testing/gradcheck.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {
std::vector<Tensor> cotangents_for(const Results& results, Random& random) {
  std::vector<Tensor> list;
  for (const Tensor& r : results) {
    Array a(r.sizes().vec());
    if (r.is_complex()) a.im.resize(a.v.size());
    for (std::vector<double>* part : {&a.v, &a.im})
      for (double& v : *part) v = random.uniform(0.5, 2) * (random.bits() % 2 ? 1 : -1);
    list.push_back(to_tensor(a, r.is_complex() ? kComplexDouble : kDouble));
  }
  return list;
}

Results differentiable_of(const Results& results) {
  Results kept;
  for (const Tensor& r : results)
    if (r.defined() && isFloatingOrComplexType(r.scalar_type()) && r.requires_grad())
      kept.push_back(r);
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

/// A function of tensors of float64 or complex128 whose gradients are compared.
using Function = std::function<Results(const std::vector<Tensor>&)>;

std::vector<Tensor> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : inputs)
    leaves.push_back(to_tensor(to_array(x.detach()), x.is_complex() ? kComplexDouble : kDouble)
                         .requires_grad_());
  return leaves;
}

/// Entry by entry for few elements, else by projections.
autograd::GradcheckOptions options_for(const std::vector<Tensor>& inputs, double factor) {
  int64_t most = 0;
  for (const Tensor& x : inputs) most = std::max(most, x.numel());
  autograd::GradcheckOptions o;
  return o.eps(1e-5)
      .rtol(2e-5 * factor)
      .atol(1e-6 * factor)
      .fast_mode(most > 40)
      .allow_constant(true);
}

TensorFunction list_of(const Function& f) {
  return [f](const std::vector<Tensor>& x) { return std::vector<Tensor>(f(x)); };
}

void add(const autograd::GradcheckReport& report, const char* what, Log& log) {
  for (const autograd::GradcheckFailure& failure : report.failures)
    log.add(what, ": ", failure.message);
}

/// First derivatives of `f` at `inputs`, and all else that the kit checks.
void check_first(const Function& f, const std::vector<Tensor>& inputs, const char* what,
                 double factor, Log& log) {
  const std::vector<Tensor> leaves = leaves_of(inputs);
  if (differentiable_of(f(leaves)).empty()) return log.add(what, ": no result requires a gradient");
  add(autograd::gradcheck_report(list_of(f), leaves, options_for(leaves, factor)), what, log);
}

/// The derivatives' own derivatives.
void check_second(const OpCase& c, const Function& f, const std::vector<Tensor>& inputs, Log& log) {
  const std::vector<Tensor> leaves = leaves_of(inputs);
  const auto options = options_for(leaves, 10 * c.tolerance);
  add(autograd::gradgradcheck_report(list_of(f), leaves, {}, options), "second derivative", log);
}

/// A copy of x that is the second output of its op. What is changed in place has a new history, in
/// which it is the first: a derivative that saves its own result must not take the former number.
Tensor second_output(const Tensor& x) {
  const Tensor first = x.detach().clone(), second = x.detach().clone();
  if (needs_grad(x))
    record("CopyTwiceBackward", {first, second}, {x}, [](Grads& g) { return std::move(g[1]); });
  return second;
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
    own.t[0] = second_output(a.t[0]);
    return Results(c.inplace(own));
  });
  check_first(changed, inputs, "gradient of the in-place form", c.tolerance, log);
  if (c.twice_differentiable && numel_of(args) <= 40) check_second(c, changed, inputs, log);
}

std::vector<Args> small_samples(const OpCase& c) {
  std::vector<Args> kept;
  for (const Args& a : gradient_samples(c))
    if (is_small(a)) kept.push_back(a);
  return kept;
}

}  // namespace

Failures check_gradient(const OpCase& c) {
  Failures failures;
  if (!c.differentiable) return failures;
  Log log(failures);
  const std::vector<Args> samples = small_samples(c);
  if (samples.empty()) log.add("expected a sample of at most 300 values for the gradient");
  for (const Args& args : samples) {
    log.sample(args);
    log.guarded([&] { check_gradient_of(c, args, log); });
  }
  return failures;
}

}  // namespace torch::taper::testing
