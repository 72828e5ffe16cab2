#include "testing/campaign.h"

#include <cmath>
#include <limits>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/function.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {

using autograd::AutogradContext;
using autograd::variable_list;

// ---------------------------------------------------------------------- kinds
namespace {

Tensor flat(const Tensor& g) { return g.reshape({g.numel()}); }
Tensor with(const Tensor& g, int64_t i, double v) {
  Tensor c = g.detach().clone().contiguous();
  if (c.numel() > 0) set_element(c, i, v);
  return c;
}
Tensor& stale() {
  static Tensor t;
  return t;
}

Tensor zero(const Tensor& g, const Tensor&) { return g * 0; }
Tensor twice(const Tensor& g, const Tensor&) { return g * 2; }
Tensor sign(const Tensor& g, const Tensor&) { return -g; }
Tensor nan_lane(const Tensor& g, const Tensor&) {
  return with(g, g.numel() / 2, std::numeric_limits<double>::quiet_NaN());
}
Tensor infinite(const Tensor& g, const Tensor&) {
  return with(g, 0, std::numeric_limits<double>::infinity());
}
Tensor first_missed(const Tensor& g, const Tensor&) { return with(g, 0, 0); }
Tensor last_missed(const Tensor& g, const Tensor&) { return with(g, g.numel() - 1, 0); }
Tensor reversed(const Tensor& g, const Tensor&) { return flat(g).flip({0}).reshape(g.sizes()); }
Tensor rolled(const Tensor& g, const Tensor&) { return flat(g).roll({1}, {0}).reshape(g.sizes()); }
Tensor column_major(const Tensor& g, const Tensor&) {
  if (g.dim() < 2) return flat(g).flip({0}).reshape(g.sizes());
  return g.transpose(0, -1).reshape({g.numel()}).reshape(g.sizes());
}
Tensor slightly_off(const Tensor& g, const Tensor&) { return g * 1.05; }
Tensor no_cotangent(const Tensor& g, const Tensor&) { return g + 0.01; }
Tensor clipped(const Tensor& g, const Tensor&) { return g.clamp(-0.1, 0.1); }
Tensor rounded(const Tensor& g, const Tensor&) { return (g * 8).round() / 8; }
Tensor absolute(const Tensor& g, const Tensor&) { return g.abs(); }
Tensor averaged(const Tensor& g, const Tensor&) { return g.mean().expand(g.sizes()); }
Tensor times_input(const Tensor& g, const Tensor& x) { return g * x.detach(); }
// Hidden ones.
Tensor of_last_time(const Tensor& g, const Tensor&) {
  const Tensor before = stale();
  stale() = g.detach().clone();
  return before.defined() && before.sizes() == g.sizes() ? before : g;
}
Tensor noisy(const Tensor& g, const Tensor&) {
  static int calls = 0;
  return g * (1 + 1e-8 * (++calls % 1000));
}
Tensor replaced(const Tensor& g, const Tensor& x) {
  x.mutable_grad() = Tensor();
  return g;
}
Tensor changes_given(const Tensor& g, const Tensor&) {
  g.data().mul_(1.5);
  return g;
}
Tensor as_contiguous(const Tensor& g, const Tensor&) {
  Array a(g.sizes().vec());
  const auto* memory = static_cast<const double*>(g.data_ptr());
  const int64_t stored = static_cast<int64_t>(g.storage().nbytes() / 8) - g.storage_offset();
  for (int64_t i = 0; i < a.numel(); ++i) a.v[i] = i < stored ? memory[i] : 0;
  return to_tensor(a, kDouble);
}
Tensor buffer_again(const Tensor& g, const Tensor&) {
  static Tensor buffer;
  if (!buffer.defined() || buffer.sizes() != g.sizes()) buffer = g.detach().clone();
  buffer.data().copy_(g.detach());
  return buffer;
}
Tensor cut_off(const Tensor& g, const Tensor&) { return g.detach(); }

}  // namespace

const std::vector<PlantedKind>& planted_kinds() {
  static const std::vector<PlantedKind> kinds = {
      {"zero", zero},
      {"twice", twice},
      {"sign", sign},
      {"NaN in one lane", nan_lane},
      {"infinity in one lane", infinite},
      {"first element missed", first_missed},
      {"last element missed", last_missed},
      {"reversed", reversed},
      {"shifted by one", rolled},
      {"column-major", column_major},
      {"off by 5%", slightly_off},
      {"not multiplied by the cotangent", no_cotangent},
      {"clipped", clipped},
      {"rounded", rounded},
      {"absolute value", absolute},
      {"averaged", averaged},
      {"times the input", times_input},
      {"of the call before", of_last_time, false, true},
      {"not reproducible", noisy, false, true},
      {"overwrites in place of adding", replaced, false, true},
      {"changes the cotangent", changes_given, true, true},
      {"blind to strides", as_contiguous, true, true},
      {"one buffer for all calls", buffer_again, false, true},
      {"cannot be differentiated again", cut_off, false, true, true},
  };
  return kinds;
}

// ---------------------------------------------------------------------- planting
namespace {

/// The identity, whose gradient is changed on its way.
struct Plant : autograd::Function<Plant> {
  static Tensor forward(AutogradContext* ctx, Tensor x, int64_t kind) {
    ctx->saved_data["kind"] = kind;
    ctx->save_for_backward({x});
    return x.detach().clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const auto kind = static_cast<size_t>(ctx->saved_data["kind"].toInt());
    return {planted_kinds()[kind].change(g[0], ctx->get_saved_variables()[0]), Tensor()};
  }
};

int64_t number_of(const PlantedKind& kind) { return &kind - planted_kinds().data(); }

}  // namespace

TensorFunction planted(const Subject& s, const PlantedKind& kind) {
  const int64_t number = number_of(kind);
  return [call = s.call, number](const variable_list& inputs) {
    variable_list own = inputs;
    if (!planted_kinds()[number].at_output) {
      own[0] = Plant::apply(own[0], number);
      return call(own);
    }
    variable_list outputs = call(own);
    for (Tensor& y : outputs) {
      if (!y.requires_grad()) continue;
      y = Plant::apply(y, number);
      break;
    }
    return outputs;
  };
}

bool shows(const Subject& s, const PlantedKind& kind, const std::vector<Tensor>& leaves,
           double factor) {
  const autograd::GradcheckOptions o;
  for (const Tensor& y : s.call(leaves)) {
    if (!y.defined() || !y.is_floating_point() || !y.requires_grad()) continue;
    if (kind.change == as_contiguous && y.numel() < 2) continue;  // one element has no strides
    for (int64_t r = 0; r < y.numel(); ++r) {
      Array e(y.sizes().vec());
      e.v[r] = 1;
      const Tensor g =
          autograd::grad({y}, {leaves[0]}, {to_tensor(e, kDouble)}, true, false, true)[0];
      if (!g.defined()) continue;
      const NoGradGuard no_grad;
      const Array right = read(g);
      const Array wrong = kind.hidden ? right : read(kind.change(g, leaves[0]));
      for (int64_t i = 0; i < right.numel(); ++i) {
        const double tolerance = o.atol() + o.rtol() * std::abs(right.v[i]);
        if (kind.hidden ? std::abs(right.v[i]) > 1e-2
                        : !(std::abs(wrong.v[i] - right.v[i]) <= factor * tolerance))
          return true;
      }
    }
  }
  return false;
}

// ---------------------------------------------------------------------- subjects
namespace {

/// The smallest sample that has something to vary. The faults are planted in real gradients; those
/// of complex ones have tests of their own in gradcheck_test.cpp.
const Args* smallest(const std::vector<Args>& samples, const OpCase& c) {
  const Args* best = nullptr;
  for (const Args& a : samples) {
    if (a.t.empty() || !wants_gradient(c, a, 0) || a.t[0].numel() < 3) continue;
    if (std::any_of(a.t.begin(), a.t.end(), [](const Tensor& t) { return t.is_complex(); }))
      continue;
    if (!best || numel_of(a) < numel_of(*best)) best = &a;
  }
  return best && numel_of(*best) <= 120 ? best : nullptr;
}

Subject subject_of(const OpCase& c, const Args& args) {
  std::vector<size_t> which;
  Subject s{c.name, TensorFunction([](const Tensor& x) { return x; }), {}, c.twice_differentiable};
  for (size_t j = 0; j < args.t.size(); ++j)
    if (wants_gradient(c, args, j)) {
      which.push_back(j);
      s.inputs.push_back(args.t[j]);
    }
  s.call = [call = c.call, args, which](const variable_list& x) {
    Args own = args;
    for (size_t k = 0; k < which.size(); ++k) own.t[which[k]] = x[k];
    return variable_list(call(own));
  };
  return s;
}

}  // namespace

std::vector<Subject> subjects() {
  std::vector<Subject> list;
  for (const OpCase& c : all_cases()) {
    if (!c.differentiable || c.refuses_gradient) continue;
    const auto samples = gradient_samples(c);
    if (const Args* args = smallest(samples, c)) list.push_back(subject_of(c, *args));
  }
  return list;
}

std::vector<Tensor> leaves_of(const Subject& s, uint64_t seed, double jitter) {
  Random random(seed);
  std::vector<Tensor> list;
  for (const Tensor& x : s.inputs) {
    Array a = read(x);
    for (double& v : a.v) v += random.uniform(-jitter, jitter);
    list.push_back(to_tensor(a, kDouble).requires_grad_());
  }
  return list;
}

}  // namespace torch::taper::testing
