// Every op in a captured step: replays on new inputs against eager runs on them.
#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/ops/tensor/factory.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {
namespace {

/// An op as a step: forward, the gradients of what can have some, and the in-place form.
class Step {
 public:
  Step(const OpCase& c, const Args& args, Device device, bool gradients)
      : c_(c), args_(args), gradients_(gradients) {
    for (size_t j = 0; j < args_.t.size(); ++j) {
      args_.t[j] = copy(args).t[j].to(device);
      if (gradients && wants_gradient(c, args, j)) args_.t[j].requires_grad_();
    }
  }

  /// Writes new values into the inputs.
  void set(const Args& args) {
    const NoGradGuard no_grad;
    for (size_t j = 0; j < args_.t.size(); ++j) args_.t[j].copy_(args.t[j]);
  }

  /// What one step gives. The cotangents are those of the first call.
  std::vector<Tensor> run() {
    const Results results = c_.call(args_);
    std::vector<Tensor> all;
    for (const Tensor& r : results) all.push_back(r.detach());
    if (gradients_) add_gradients(results, all);
    if (c_.inplace && !gradients_ && fits_in_place(results[0], args_)) {
      Args own = args_;
      own.t[0] = args_.t[0].clone();
      all.push_back(c_.inplace(own));
    }
    return all;
  }

 private:
  void add_gradients(const Results& results, std::vector<Tensor>& all) {
    const Results kept = differentiable_of(results);
    std::vector<Tensor> inputs;
    for (const Tensor& t : args_.t)
      if (t.requires_grad()) inputs.push_back(t);
    if (kept.empty() || inputs.empty()) return;
    if (cotangents_.empty()) {
      Random random(5);
      cotangents_ = cotangents_for(kept, random);
      for (Tensor& g : cotangents_) g = g.to(args_.t[0].device());
    }
    for (const Tensor& g : autograd::grad(kept, inputs, cotangents_, nullopt, false, true))
      if (g.defined()) all.push_back(g);
  }

  const OpCase& c_;
  Args args_;
  bool gradients_;
  std::vector<Tensor> cotangents_;
};

/// Chains of pointwise kernels are looked for however small they are.
struct AnyChains {
  const int64_t before = cpu::least_chain_bytes.exchange(1);
  ~AnyChains() { cpu::least_chain_bytes = before; }
};

std::vector<Array> read_all(const std::vector<Tensor>& tensors) {
  std::vector<Array> all;
  for (const Tensor& t : tensors) all.push_back(read(t));
  return all;
}

/// The same values the other way round: other inputs that an op takes as well.
Args reversed(const Args& args) {
  Args r = args;
  for (Tensor& t : r.t) {
    Array a = to_array(t);
    std::reverse(a.v.begin(), a.v.end());
    std::reverse(a.im.begin(), a.im.end());
    t = to_tensor(a, t.scalar_type());
  }
  return r;
}

void compare(const std::vector<Tensor>& got, const std::vector<Array>& want, Tolerance tolerance,
             const char* what, Log& log) {
  if (got.size() != want.size())
    return log.add(what, ": expected ", want.size(), " results, got ", got.size());
  for (size_t k = 0; k < got.size(); ++k) log.compare(what, read(got[k]), want[k], tolerance);
}

void check_step(const OpCase& c, const Args& args, Device device, bool gradients, Log& log) {
  Step step(c, args, device, gradients);
  const std::vector<Array> first = read_all(step.run());
  const Args others = reversed(args);
  std::vector<Array> second;
  try {
    step.set(others);
    second = read_all(step.run());
  } catch (const std::exception&) {
    second.clear();  // these values are none that the op takes
  }
  step.set(args);
  const Tensor never_empty = zeros({1}, TensorOptions(device));
  Graph graph(device);
  std::vector<Tensor> results;
  {
    const AnyChains also_small;
    const GraphGuard guard(graph);
    never_empty.zero_();
    results = step.run();
  }
  // A derivative that looks at values takes the way that suits all of them where it is captured.
  Tolerance tolerance = gradients ? Tolerance{1e-13, 1e-14} : Tolerance{0, 0};
  // Some of cuDNN's algorithms add in an order that differs from run to run.
  if (device.is_cuda() && !cuda::is_simulated() && c.name.rfind("conv", 0) == 0)
    tolerance = tolerance_of(args.t[0].scalar_type());
  graph.replay();
  compare(results, first, tolerance, "replay", log);
  if (second.empty()) return;
  step.set(others);
  graph.replay();
  compare(results, second, tolerance, "replay on new inputs", log);
}

/// Whether the capture was refused because the host needs values.
bool is_refusal(const std::exception& e) {
  return std::string(e.what()).find("operation not permitted when") != std::string::npos;
}

}  // namespace

Failures check_capture(const OpCase& c, Device device, std::string* refused) {
  Failures failures;
  Log log(failures);
  const WithoutTf32 full_precision;
  const auto check = [&](const Args& args, bool gradients) {
    if (!is_small(args)) return;
    log.sample(args, " on " + device.str());
    try {
      check_step(c, args, device, gradients, log);
    } catch (const std::exception& e) {
      if (!is_refusal(e)) return log.add("threw: ", e.what());
      *refused = e.what();
    }
  };
  // All shapes in one dtype, and two in each other: kernels of a dtype are launched alike.
  for (ScalarType dtype : c.dtypes) {
    const std::vector<Args> samples = c.samples(dtype);
    const size_t n = dtype == c.dtypes[0] ? samples.size() : std::min<size_t>(2, samples.size());
    for (size_t i = 0; i < n; ++i) check(samples[i], false);
  }
  if (!c.differentiable || c.refuses_gradient) return failures;
  for (const Args& args : gradient_samples(c)) check(args, true);
  return failures;
}

}  // namespace torch::taper::testing
