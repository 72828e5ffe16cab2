#include <taper/optim/fused.h>

#include <cmath>
#include <functional>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/optim/updates.h>

namespace torch::taper {
namespace {

using namespace optim;

/// Holds a number that all parameters share, on its device and copied to others.
class DeviceNumber {
 public:
  DeviceNumber(const char* op, const char* name, const Tensor& number) {
    if (!number.defined()) return;
    TAPER_CHECK(number.numel() == 1 && number.is_floating_point(), op, ": expected ", name,
                " of one floating element, got ", number.numel(), " of ", number.scalar_type());
    all_.push_back(number.scalar_type() == kFloat ? number.detach() : number.detach().to(kFloat));
  }
  bool defined() const { return !all_.empty(); }
  double item() const { return all_[0].item<double>(); }
  /// Returns its address on `device`, or null if undefined.
  const float* on(Device device) { return defined() ? at(device).data_ptr<float>() : nullptr; }
  void add_read(Device device, std::vector<In>& reads) {
    if (defined()) reads.emplace_back(at(device));
  }

 private:
  const Tensor& at(Device device) {
    for (const Tensor& t : all_)
      if (t.device() == device) return t;
    all_.push_back(all_[0].to(device, kFloat, /*non_blocking=*/true));
    return all_.back();
  }
  std::vector<Tensor> all_;
};

/// Holds the arguments and checks of the fused steps.
struct FusedStep {
  const char* op;
  TensorList self, grads;
  bool maximize;
  DeviceNumber lr, grad_scale, found_inf;

  FusedStep(const char* name, TensorList parameters, TensorList gradients, bool up,
            const Tensor& rate, const optional<Tensor>& scale, const optional<Tensor>& inf)
      : op(name),
        self(parameters),
        grads(gradients),
        maximize(up),
        lr(name, "lr", rate),
        grad_scale(name, "grad_scale", scale.value_or(Tensor())),
        found_inf(name, "found_inf", inf.value_or(Tensor())) {
    for (const Tensor& p : self) {
      check_defined(op, p, "self");
      if (!p.is_floating_point()) taper::detail::unsupported_dtype(op, p.scalar_type());
      autograd::check_no_internal_overlap(op, p);
    }
    check_list(grads, "grads");
  }
  void check_list(TensorList list, const char* name) const {
    check_length(list, name);
    for (size_t i = 0; i < self.size(); ++i) {
      check_defined(op, list[i], name);
      const Tensor &p = self[i], &t = list[i];
      TAPER_CHECK(
          t.device() == p.device() && t.scalar_type() == p.scalar_type() && t.sizes() == p.sizes(),
          op, ": expected ", name, "[", i, "] of ", p.sizes(), ", ", p.scalar_type(), " on ",
          p.device(), " as the parameter, got ", t.sizes(), ", ", t.scalar_type(), " on ",
          t.device());
      autograd::check_no_internal_overlap(op, t);
    }
  }
  void check_length(TensorList list, const char* name) const {
    TAPER_CHECK(list.size() == self.size(), op, ": expected ", self.size(), " tensors in ", name,
                ", as many as parameters, got ", list.size());
  }
  /// Returns whether the host skips the steps of its parameters, which it computes itself.
  bool host_skips() const {
    for (const Tensor& p : self)
      if (p.is_cpu()) return found_inf.defined() && found_inf.item() != 0;
    return false;
  }
  double rate_or(double number) const { return lr.defined() ? lr.item() : number; }
  /// Returns the gradient on the host, divided in-place, in the direction of the step.
  Tensor gradient(const Tensor& g) const {
    if (grad_scale.defined()) g.div_(grad_scale.item());
    return maximize ? g.neg() : g;
  }
  std::vector<In> reads_on(Device device) {
    std::vector<In> reads;
    for (DeviceNumber* number : {&lr, &grad_scale, &found_inf}) number->add_read(device, reads);
    return reads;
  }
  /// Returns the operands that are only read. Without a scale, gradients are.
  unsigned reads_of_lists() const { return grad_scale.defined() ? 0 : 2; }
  void mark(const std::vector<const Tensor*>& operands) const {
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k]->defined() && (k != 1 || grad_scale.defined()))
        autograd::mark_changed(*operands[k]);
  }
};

using Launcher = std::function<void(const Tensor&, const TensorLists&, bool)>;
using Gathered = GatheredLaunches<bool, Launcher>;

/// Holds row-major copies of operands with gaps, and copies the elements back at the end.
class Dense {
 public:
  const Tensor& of(const Tensor& t) {
    if (!t.defined() || t.is_contiguous()) return t;
    copies_.emplace_back(t, t.contiguous());
    return copies_.back().second;
  }
  void put_back() {
    for (const auto& [to, from] : copies_) to.copy_(from);
  }
  void reserve(size_t n) { copies_.reserve(n); }

 private:
  std::vector<std::pair<Tensor, Tensor>> copies_;
};

struct AdamLists {
  TensorList exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps;
};

void check_adam(const FusedStep& step, const AdamLists& states, bool amsgrad) {
  step.check_list(states.exp_avgs, "exp_avgs");
  step.check_list(states.exp_avg_sqs, "exp_avg_sqs");
  if (amsgrad) step.check_list(states.max_exp_avg_sqs, "max_exp_avg_sqs");
  step.check_length(states.state_steps, "state_steps");
  for (const Tensor& t : states.state_steps) {
    check_defined(step.op, t, "state_steps");
    TAPER_CHECK(t.numel() == 1 && t.scalar_type() == kFloat, step.op,
                ": expected state_steps of one f32 element, got ", t.numel(), " of ",
                t.scalar_type());
  }
}

void adam_on_host(const FusedStep& step, const Tensor& p, const Tensor& g, const Tensor& m,
                  const Tensor& v, const Tensor& largest, double t, const FusedAdamNumbers& fused) {
  const double lr = step.rate_or(fused.lr);
  const AdamNumbers n{fused.beta1,
                      fused.beta2,
                      lr / (1 - std::pow(fused.beta1, t)),
                      1 / std::sqrt(1 - std::pow(fused.beta2, t)),
                      fused.eps,
                      fused.decoupled ? 0 : fused.weight_decay,
                      fused.decoupled ? 1 - lr * fused.weight_decay : 1};
  TAPER_ON_DEVICE(p, adam_update, p, step.gradient(g), m, v, largest, n);
}

void adam(FusedStep& step, const AdamLists& states, const FusedAdamNumbers& numbers, bool amsgrad) {
  check_adam(step, states, amsgrad);
  const NoGradGuard values_only;
  const bool skipped = step.host_skips();
  const Launcher launch = [&](const Tensor& where, const TensorLists& lists, bool) {
    FusedAdamNumbers n = numbers;
    const Device device = where.device();
    n.lr_tensor = step.lr.on(device);
    n.grad_scale = step.grad_scale.on(device);
    n.found_inf = step.found_inf.on(device);
    std::vector<In> reads = step.reads_on(device);
    for (const Tensor& t : states.state_steps)
      if (t.device() == device) reads.emplace_back(t);
    TAPER_ON_DEVICE(where, fused_adam, lists, n, reads);
  };
  Gathered gathered(step.reads_of_lists(), launch, /*numbered=*/true);
  Dense dense;
  dense.reserve(5 * step.self.size());
  static const Tensor none;
  for (size_t i = 0; i < step.self.size(); ++i) {
    const Tensor &p = step.self[i], &g = step.grads[i], &m = states.exp_avgs[i],
                 &v = states.exp_avg_sqs[i], &largest = amsgrad ? states.max_exp_avg_sqs[i] : none;
    if (p.is_cpu() && skipped) continue;
    if (p.is_cpu())
      adam_on_host(step, p, g, m, v, largest, states.state_steps[i].item<double>(), numbers);
    else
      gathered.add(true,
                   {&dense.of(p), &dense.of(g), &dense.of(m), &dense.of(v), &dense.of(largest)},
                   reinterpret_cast<uintptr_t>(states.state_steps[i].data_ptr<float>()));
    step.mark({&p, &g, &m, &v, &largest});
  }
  gathered.launch();
  dense.put_back();
}

void sgd(FusedStep& step, TensorList buffers, const FusedSgdNumbers& numbers) {
  const bool has_buffers = numbers.plain.momentum != 0;
  if (has_buffers) step.check_list(buffers, "momentum_buffer_list");
  const NoGradGuard values_only;
  const bool skipped = step.host_skips();
  const Launcher launch = [&](const Tensor& where, const TensorLists& lists, bool) {
    FusedSgdNumbers n = numbers;
    const Device device = where.device();
    n.lr_tensor = step.lr.on(device);
    n.grad_scale = step.grad_scale.on(device);
    n.plain.found_inf = step.found_inf.on(device);
    TAPER_ON_DEVICE(where, fused_sgd, lists, n, step.reads_on(device));
  };
  Gathered gathered(step.reads_of_lists(), launch);
  Dense dense;
  dense.reserve(3 * step.self.size());
  static const Tensor none;
  for (size_t i = 0; i < step.self.size(); ++i) {
    const Tensor &p = step.self[i], &g = step.grads[i], &buffer = has_buffers ? buffers[i] : none;
    if (p.is_cpu() && skipped) continue;
    if (p.is_cpu()) {
      SgdNumbers n = numbers.plain;
      n.lr = step.rate_or(n.lr);
      if (numbers.first) n.gradient_scale = 1;
      if (has_buffers && numbers.first) buffer.zero_();
      TAPER_ON_DEVICE(p, sgd_update, p, step.gradient(g), buffer, n);
    } else {
      gathered.add(true, {&dense.of(p), &dense.of(g), &dense.of(buffer)});
    }
    step.mark({&p, &g, &buffer});
  }
  gathered.launch();
  dense.put_back();
}

FusedAdamNumbers adam_numbers(double lr, double beta1, double beta2, double weight_decay,
                              double eps, bool decoupled, bool maximize) {
  return {lr, beta1, beta2, weight_decay, eps, decoupled, maximize};
}

FusedSgdNumbers sgd_numbers(double lr, double momentum, double dampening, double weight_decay,
                            bool nesterov, bool maximize, bool first) {
  return {{lr, momentum, 1 - dampening, weight_decay, nesterov}, maximize, first};
}

}  // namespace

// The four functions of Adam, with the learning rate as a number and in a tensor.
#define TAPER_FUSED_ADAM(name, decoupled, Rate, rate_number, rate_tensor)                   \
  void name(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs, \
            TensorList max_exp_avg_sqs, TensorList state_steps, Rate lr, double beta1,      \
            double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,     \
            const optional<Tensor>& grad_scale, const optional<Tensor>& found_inf) {        \
    FusedStep step(#name, self, grads, maximize, rate_tensor, grad_scale, found_inf);       \
    adam(step, {exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps},                       \
         adam_numbers(rate_number, beta1, beta2, weight_decay, eps, decoupled, maximize),   \
         amsgrad);                                                                          \
  }
TAPER_FUSED_ADAM(_fused_adam_, false, double, lr, Tensor())
TAPER_FUSED_ADAM(_fused_adam_, false, const Tensor&, 0, lr)
TAPER_FUSED_ADAM(_fused_adamw_, true, double, lr, Tensor())
TAPER_FUSED_ADAM(_fused_adamw_, true, const Tensor&, 0, lr)

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step, const optional<Tensor>& grad_scale,
                 const optional<Tensor>& found_inf) {
  FusedStep step("_fused_sgd_", self, grads, maximize, Tensor(), grad_scale, found_inf);
  sgd(step, momentum_buffer_list,
      sgd_numbers(lr, momentum, dampening, weight_decay, nesterov, maximize, is_first_step));
}

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffer_list,
                 double weight_decay, double momentum, const Tensor& lr, double dampening,
                 bool nesterov, bool maximize, bool is_first_step,
                 const optional<Tensor>& grad_scale, const optional<Tensor>& found_inf) {
  check_defined("_fused_sgd_", lr, "lr");
  FusedStep step("_fused_sgd_", self, grads, maximize, lr, grad_scale, found_inf);
  sgd(step, momentum_buffer_list,
      sgd_numbers(0, momentum, dampening, weight_decay, nesterov, maximize, is_first_step));
}

}  // namespace torch::taper
