#include <taper/testing/module_gradcheck.h>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/testing/memory.h>

namespace torch::taper::testing {

using taper::detail::concat;

namespace {

/// Keeps a module's parameters, gradients and buffers, and restores them at the end.
class KeptModule {
 public:
  explicit KeptModule(const nn::Module& module) {
    for (const Tensor& t : module.parameters()) keep(t);
    for (const Tensor& t : module.buffers()) keep(t);
  }
  ~KeptModule() {
    const NoGradGuard no_grad;
    for (const Kept& k : kept_) {
      k.tensor.set_data(k.data);
      k.tensor.mutable_grad() = k.grad;
    }
  }
  KeptModule(const KeptModule&) = delete;
  KeptModule& operator=(const KeptModule&) = delete;

 private:
  struct Kept {
    Tensor tensor, data, grad;
  };
  /// Continues the tensor with a copy, so that the kept memory is not written.
  void keep(const Tensor& t) {
    const NoGradGuard no_grad;
    kept_.push_back({t, t.detach(), t.grad()});
    t.mutable_grad() = Tensor();
    t.set_data(t.detach().clone());
  }
  std::vector<Kept> kept_;
};

std::vector<Tensor> in_double(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> list;
  for (const Tensor& x : inputs) {
    const bool converts = x.defined() && isFloatingOrComplexType(x.scalar_type()) &&
                          toRealValueType(x.scalar_type()) != kDouble;
    if (!converts) {
      list.push_back(x);
      continue;
    }
    const NoGradGuard no_grad;
    list.push_back(x.detach().to(x.is_complex() ? kComplexDouble : kDouble));
    list.back().set_requires_grad(x.requires_grad());
  }
  return list;
}

/// Keeps the values of buffers, so that each call starts from equal running statistics.
class Buffers {
 public:
  explicit Buffers(const nn::Module& module) {
    const NoGradGuard no_grad;
    for (const Tensor& t : module.buffers()) values_.emplace_back(t, t.detach().clone());
  }
  void restore() const {
    const NoGradGuard no_grad;
    for (const auto& [t, value] : values_) t.data().copy_(value);
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> values_;
};

/// Holds the arguments of a backward step: the inputs, then the parameters.
struct Arguments {
  std::vector<Tensor> list;
  std::vector<std::string> names;
};

Arguments arguments_of(nn::Module& module, const std::vector<Tensor>& inputs,
                       const autograd::GradcheckOptions& options) {
  Arguments a{in_double(inputs), options.input_names()};
  for (size_t i = a.names.size(); i < inputs.size(); ++i) a.names.push_back(concat("input ", i));
  for (const auto& item : module.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    a.list.push_back(item.value());
    a.names.push_back("parameter '" + item.key() + "'");
  }
  return a;
}

/// Notes parameters that change no output. They are forgotten, or frozen by mistake.
void note_unused(autograd::GradcheckReport& report, const TensorFunction& fn, const Arguments& a,
                 size_t num_inputs) {
  const AutoGradMode on(true);
  const std::vector<Tensor> outputs = fn(a.list);
  std::vector<Tensor> recorded,
      with(a.list.begin() + static_cast<std::ptrdiff_t>(num_inputs), a.list.end());
  for (const Tensor& y : outputs)
    if (y.defined() && isFloatingOrComplexType(y.scalar_type()) && y.requires_grad())
      recorded.push_back(y);
  if (recorded.empty() || with.empty()) return;
  std::vector<Tensor> cotangents;
  for (const Tensor& y : recorded)
    cotangents.push_back(impl::write_like(impl::constant_parts(y, 1), y));
  const auto g = autograd::grad(recorded, with, cotangents, nullopt, false, true);
  for (size_t k = 0; k < g.size(); ++k)
    if (!g[k].defined())
      report.notes.push_back(a.names[num_inputs + k] + " has no gradient: no output depends on it");
}

}  // namespace

autograd::GradcheckReport module_gradcheck(nn::Module& module, const TensorFunction& forward,
                                           const std::vector<Tensor>& inputs,
                                           const autograd::GradcheckOptions& options) {
  const KeptModule kept(module);
  module.to(kDouble);
  const Buffers buffers(module);
  const Arguments a = arguments_of(module, inputs, options);
  // The module holds the parameters itself. They are arguments only so that they are varied.
  const TensorFunction fn = [&](const std::vector<Tensor>& all) {
    buffers.restore();
    return forward({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(inputs.size())});
  };
  autograd::GradcheckOptions named = options;
  named.input_names(a.names);
  autograd::GradcheckReport report = autograd::gradcheck_report(fn, a.list, named);
  if (report.passed()) note_unused(report, fn, a, inputs.size());
  return report;
}

}  // namespace torch::taper::testing
