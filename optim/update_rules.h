// The update rules of the optimizers, for host and device. Not installed.
//
// A rule gets an array with the values of one element, in the order of the kernel's operands:
// parameter, gradient, states. The values have the dtype of the computation. The rule changes them
// in-place.
#pragma once

#include <cmath>

#include <taper/optim/update_kernels.h>

namespace torch::taper::optim {

/// Returns whether this step is skipped. Kernels on a GPU read found_inf and the clock once for
/// many elements (now()), because a load for each element would be slow. Kernels on the host check
/// before they run.
TAPER_HD inline bool is_skipped(const float* found_inf) { return found_inf && *found_inf != 0; }
/// Returns `skipped` on a GPU. On the host, the condition would prevent vectorization.
TAPER_HD inline bool is_skipped_here([[maybe_unused]] bool skipped) {
#ifdef __CUDA_ARCH__
  return skipped;
#else
  return false;
#endif
}

template <class M, bool kMomentum>
struct SgdRule {
  static constexpr int kOperands = kMomentum ? 3 : 2;
  M lr, momentum, gradient_scale, weight_decay;
  bool nesterov, skipped = false;
  const float* found_inf;
  explicit SgdRule(const SgdNumbers& n)
      : lr(static_cast<M>(n.lr)),
        momentum(static_cast<M>(n.momentum)),
        gradient_scale(static_cast<M>(n.gradient_scale)),
        weight_decay(static_cast<M>(n.weight_decay)),
        nesterov(n.nesterov),
        found_inf(n.found_inf) {}
  TAPER_HD SgdRule now() const {
    SgdRule here = *this;
    here.skipped = is_skipped(found_inf);
    return here;
  }
  template <class Lists>
  TAPER_HD SgdRule of_entry(const Lists&, int) const {
    return now();
  }
  TAPER_HD void operator()(M* v) const {
    if (is_skipped_here(skipped)) return;
    M d = v[1];
    if (weight_decay != 0) d += weight_decay * v[0];
    if constexpr (kMomentum) {
      v[2] = momentum * v[2] + gradient_scale * d;
      d = nesterov ? d + momentum * v[2] : v[2];
    }
    v[0] -= lr * d;
  }
};

TAPER_HD inline void advance(double* clock, double lr, double beta1, double beta2,
                             const float* found_inf) {
  if (is_skipped(found_inf)) return;
  clock[0] += 1;
  clock[1] = lr / (1 - std::pow(beta1, clock[0]));
  clock[2] = 1 / std::sqrt(1 - std::pow(beta2, clock[0]));
}
/// For kernels on the host: returns n, with step_size and inverse_root_bias2 from the clock if
/// there is one.
inline AdamNumbers read_clock(AdamNumbers n) {
  if (!n.clock) return n;
  n.step_size = n.clock[1];
  n.inverse_root_bias2 = n.clock[2];
  n.clock = nullptr;
  return n;
}

template <class M, bool kAmsgrad>
struct AdamRule {
  static constexpr int kOperands = kAmsgrad ? 5 : 4;
  M beta1, rest1, beta2, rest2, step_size, inverse_root_bias2, eps, weight_decay, shrink;
  bool skipped = false;
  const double* clock;
  const float* found_inf;
  explicit AdamRule(const AdamNumbers& n)
      : beta1(static_cast<M>(n.beta1)),
        rest1(static_cast<M>(1 - n.beta1)),
        beta2(static_cast<M>(n.beta2)),
        rest2(static_cast<M>(1 - n.beta2)),
        step_size(static_cast<M>(n.step_size)),
        inverse_root_bias2(static_cast<M>(n.inverse_root_bias2)),
        eps(static_cast<M>(n.eps)),
        weight_decay(static_cast<M>(n.weight_decay)),
        shrink(static_cast<M>(n.shrink)),
        clock(n.clock),
        found_inf(n.found_inf) {}
  TAPER_HD AdamRule now() const {
    AdamRule here = *this;
    here.skipped = is_skipped(found_inf);
    if (clock) {
      here.step_size = static_cast<M>(clock[1]);
      here.inverse_root_bias2 = static_cast<M>(clock[2]);
    }
    return here;
  }
  template <class Lists>
  TAPER_HD AdamRule of_entry(const Lists&, int) const {
    return now();
  }
  TAPER_HD void operator()(M* v) const {
    if (is_skipped_here(skipped)) return;
    M g = v[1], p = v[0] * shrink;
    if (weight_decay != 0) g += weight_decay * p;
    v[2] = beta1 * v[2] + rest1 * g;
    v[3] = beta2 * v[3] + rest2 * g * g;
    M second = v[3];
    if constexpr (kAmsgrad) {
      v[4] = v[4] > second ? v[4] : second;
      second = v[4];
    }
    v[0] = p - step_size * v[2] / (std::sqrt(second) * inverse_root_bias2 + eps);
  }
};

/// Applies a rule in a fused step. Does nothing if `skipped`. If `scaled`, first divides the
/// gradient by `scale`. If `maximize`, the rule gets the negative gradient.
template <class M>
struct FusedGradient {
  bool maximize, scaled, skipped;
  M scale;
  template <class Rule>
  TAPER_HD void apply(const Rule& rule, M* v) const {
    if (skipped) return;
    if (scaled) v[1] /= scale;
    if (maximize) v[1] = -v[1];
    rule(v);
    if (maximize) v[1] = -v[1];
  }
  TAPER_HD static FusedGradient read(bool maximize, const float* grad_scale,
                                     const float* found_inf) {
    return {maximize, grad_scale != nullptr, is_skipped(found_inf),
            static_cast<M>(grad_scale ? *grad_scale : 1)};
  }
};

template <class M, bool kAmsgrad>
struct FusedAdamRule {
  static constexpr int kOperands = kAmsgrad ? 5 : 4;
  FusedAdamNumbers n;
  AdamRule<M, kAmsgrad> rule;
  FusedGradient<M> gradient;
  explicit FusedAdamRule(const FusedAdamNumbers& numbers)
      : n(numbers),
        rule(AdamNumbers{n.beta1, n.beta2, 0, 1, n.eps, n.decoupled ? 0 : n.weight_decay, 1}),
        gradient{} {}
  TAPER_HD FusedAdamRule of_entry(const TensorLists& lists, int entry) const {
    FusedAdamRule here = *this;
    const double step = *lists.number<const float*>(entry);
    const double lr = n.lr_tensor ? *n.lr_tensor : n.lr;
    here.rule.step_size = static_cast<M>(lr / (1 - std::pow(n.beta1, step)));
    here.rule.inverse_root_bias2 = static_cast<M>(1 / std::sqrt(1 - std::pow(n.beta2, step)));
    if (n.decoupled) here.rule.shrink = static_cast<M>(1 - lr * n.weight_decay);
    here.gradient = FusedGradient<M>::read(n.maximize, n.grad_scale, n.found_inf);
    return here;
  }
  TAPER_HD void operator()(M* v) const { gradient.apply(rule, v); }
};

template <class M, bool kMomentum>
struct FusedSgdRule {
  static constexpr int kOperands = kMomentum ? 3 : 2;
  FusedSgdNumbers n;
  SgdRule<M, kMomentum> rule;
  FusedGradient<M> gradient;
  explicit FusedSgdRule(const FusedSgdNumbers& numbers)
      : n(numbers), rule(numbers.plain), gradient{} {
    rule.found_inf = nullptr;
    if (n.first) rule.gradient_scale = 1;
  }
  TAPER_HD FusedSgdRule of_entry(const TensorLists&, int) const {
    FusedSgdRule here = *this;
    if (n.lr_tensor) here.rule.lr = static_cast<M>(*n.lr_tensor);
    here.gradient = FusedGradient<M>::read(n.maximize, n.grad_scale, n.plain.found_inf);
    return here;
  }
  TAPER_HD void operator()(M* v) const {
    if constexpr (kMomentum)
      if (n.first && !gradient.skipped) v[2] = 0;  // the buffer may be uninitialized
    gradient.apply(rule, v);
  }
};

template <class M>
struct AdagradRule {
  static constexpr int kOperands = 3;
  M lr, eps, weight_decay;
  explicit AdagradRule(const AdagradNumbers& n)
      : lr(static_cast<M>(n.lr)),
        eps(static_cast<M>(n.eps)),
        weight_decay(static_cast<M>(n.weight_decay)) {}
  TAPER_HD void operator()(M* v) const {
    M g = v[1];
    if (weight_decay != 0) g += weight_decay * v[0];
    v[2] += g * g;
    v[0] -= lr * g / (std::sqrt(v[2]) + eps);
  }
};

template <class M, int kKind>
struct RmspropRule {
  static constexpr int kOperands = rmsprop_operands(kKind);
  static constexpr bool kCentered = kKind & kRmspropCentered;
  static constexpr bool kMomentum = kKind & kRmspropMomentum;
  M lr, alpha, rest, eps, momentum, weight_decay;
  explicit RmspropRule(const RmspropNumbers& n)
      : lr(static_cast<M>(n.lr)),
        alpha(static_cast<M>(n.alpha)),
        rest(static_cast<M>(1 - n.alpha)),
        eps(static_cast<M>(n.eps)),
        momentum(static_cast<M>(n.momentum)),
        weight_decay(static_cast<M>(n.weight_decay)) {}
  TAPER_HD void operator()(M* v) const {
    constexpr int kBuffer = kCentered ? 4 : 3;
    M g = v[1];
    if (weight_decay != 0) g += weight_decay * v[0];
    v[2] = alpha * v[2] + rest * g * g;
    M square = v[2];
    if constexpr (kCentered) {
      v[3] = alpha * v[3] + rest * g;
      square -= v[3] * v[3];
    }
    M d = g / (std::sqrt(square) + eps);
    if constexpr (kMomentum) d = v[kBuffer] = momentum * v[kBuffer] + d;
    v[0] -= lr * d;
  }
};

// Aliases whose only template parameter is the dtype of the computation.
template <class M>
using FusedAdamPlain = FusedAdamRule<M, false>;
template <class M>
using FusedAdamAmsgrad = FusedAdamRule<M, true>;
template <class M>
using FusedSgdPlain = FusedSgdRule<M, false>;
template <class M>
using FusedSgdMomentum = FusedSgdRule<M, true>;

}  // namespace torch::taper::optim
