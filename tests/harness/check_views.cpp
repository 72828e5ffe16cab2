// Layouts of inputs and cotangents, what a call leaves alone, and where history exists.
#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/grad_mode.h>

#include "harness/check_shared.h"

namespace taper::testing {
namespace {

constexpr std::pair<const char*, Layout> kLayouts[] = {{"transposed input", transposed},
                                                       {"offset input", offset_and_spread},
                                                       {"expanded input", expanded}};

void check_layout(const OpCase& c, const Args& args, const Arrays& want, const char* name,
                  Layout layout, Log& log) {
  Args other = args;
  for (Tensor& t : other.t) t = layout(t);
  std::vector<std::vector<unsigned char>> before;
  std::vector<int64_t> versions;
  for (const Tensor& t : other.t) {
    before.push_back(bytes_of(t));
    versions.push_back(t._version());
  }
  compare_results(c, c.call(other), want, name, log);
  for (size_t j = 0; j < other.t.size(); ++j)
    if (bytes_of(other.t[j]) != before[j] || other.t[j]._version() != versions[j])
      log.add(name, ": the call changed input ", j);
}

void expect_refusal(const Tensor& r, Log& log) {
  if (!isFloatingOrComplexType(r.scalar_type())) return;
  if (!r.requires_grad()) return log.add("expected a result whose backward throws, got no history");
  try {
    r.backward(detail::make_tensor(r.sizes(), r.scalar_type(), r.device()).zero_());
    log.add("expected backward to throw");
  } catch (const Error&) {
  }
}

void check_history(const OpCase& c, const Args& args, Log& log) {
  Args leaves = copy(args);
  for (size_t j = 0; j < leaves.t.size(); ++j)
    if (wants_gradient(c, leaves, j)) leaves.t[j].set_requires_grad(true);
  for (const Tensor& r : c.call(leaves)) {
    if (c.refuses_gradient) expect_refusal(r, log);
    if (!c.differentiable && !c.refuses_gradient && r.requires_grad())
      log.add("expected a result without history");
    const auto is_r = [&](const Tensor& t) { return t.is_same(r); };
    const bool is_input = std::any_of(leaves.t.begin(), leaves.t.end(), is_r);
    if (r.requires_grad() && !r.grad_fn() && !is_input) log.add("expected a grad_fn");
  }
  if (c.differentiable && differentiable_of(c.call(leaves)).empty())
    log.add("expected a result with history");
  NoGradGuard no_grad;
  // A view made under no_grad still says that its base requires a gradient.
  for (const Tensor& r : c.call(leaves))
    if (!c.is_view && (r.requires_grad() || r.grad_fn()))
      log.add("expected no history under no_grad");
}

/// The gradient must not depend on how the inputs and the cotangents lie in memory.
void check_gradient_layouts(const OpCase& c, const Args& args, Log& log) {
  const auto gradients = [&](Layout of_inputs, Layout of_cotangents) {
    Random random(3);
    Args leaves = copy(args);
    std::vector<Tensor> wanted;
    for (size_t j = 0; j < leaves.t.size(); ++j) {
      if (of_inputs) leaves.t[j] = of_inputs(leaves.t[j]).detach();
      if (wants_gradient(c, leaves, j)) wanted.push_back(leaves.t[j].requires_grad_());
    }
    const Results results = differentiable_of(c.call(leaves));
    std::vector<Tensor> cotangents = cotangents_for(results, random);
    for (Tensor& g : cotangents) {
      // Equal values along a dimension, so that it can be expanded.
      if (g.dim() > 0)
        g = to_tensor(Array(g.sizes().vec(), random.uniform(0.5, 2)), g.scalar_type());
      if (of_cotangents) g = of_cotangents(g);
    }
    run_backward(results, cotangents, false);
    std::vector<Array> list;
    for (const Tensor& x : wanted) list.push_back(grad_of(x));
    return list;
  };
  const std::vector<Array> want = gradients(nullptr, nullptr);
  for (const auto& [name, layout] : kLayouts)
    for (int side = 0; side < 2; ++side) {
      const std::vector<Array> got =
          side == 0 ? gradients(layout, nullptr) : gradients(nullptr, layout);
      for (size_t j = 0; j < want.size(); ++j)
        log.compare(side == 0 ? name : "strided cotangent", got[j], want[j], {1e-10, 1e-12});
    }
}

}  // namespace

Failures check_views_and_state(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (ScalarType dtype : c.dtypes)
    for (const Args& args : c.samples(dtype)) {
      log.sample(args);
      log.guarded([&] {
        const Arrays want = c.reference(read(args));
        for (const auto& [name, layout] : kLayouts) check_layout(c, args, want, name, layout, log);
      });
    }
  for (const Args& args : c.samples(widest_dtype(c))) {
    if (!is_small(args)) continue;
    log.sample(args);
    log.guarded([&] { check_history(c, args, log); });
    if (c.differentiable) log.guarded([&] { check_gradient_layouts(c, args, log); });
  }
  return failures;
}

}  // namespace taper::testing
