// The pointwise losses and their slopes (derivatives by x), for host and device. x is the input, t
// its target and p the parameter of the loss.
#pragma once

#include <cmath>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_math.h>
#include <taper/ops/nn/loss_pointwise_kernels.h>

namespace torch::taper::functor {

struct SquaredLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return (x - t) * (x - t);
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L) {
    return 2 * (x - t);
  }
};

struct SmoothL1Loss {
  template <class L>
  TAPER_HD static L value(L x, L t, L p) {
    const L a = std::fabs(x - t);
    return a < p ? L(0.5) * a * a / p : a - L(0.5) * p;
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L p) {
    const L d = x - t;
    return d < -p ? L(-1) : d > p ? L(1) : d / (p > 0 ? p : L(1));
  }
};

struct HuberLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L p) {
    const L a = std::fabs(x - t);
    return a <= p ? L(0.5) * a * a : p * (a - L(0.5) * p);
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L p) {
    const L d = x - t;
    return d < -p ? -p : d > p ? p : d;
  }
};

struct BceLoss {
  template <class L>
  TAPER_HD static L at_least(L v) {
    return v < L(-100) ? L(-100) : v;
  }
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return (t - 1) * at_least(std::log1p(-x)) - t * at_least(std::log(x));
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L) {
    const L spread = (1 - x) * x;
    return (x - t) / (spread < L(1e-12) ? L(1e-12) : spread);
  }
};

struct BceLogitsLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return (x < 0 ? L(0) : x) - x * t + std::log1p(std::exp(-std::fabs(x)));
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L) {
    return 1 / (1 + std::exp(-x)) - t;
  }
};

struct KlDivLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return (t == 0 ? L(0) : t * std::log(t)) - t * x;
  }
  template <class L>
  TAPER_HD static L slope(L, L t, L) {
    return -t;
  }
};

struct KlDivOfLogsLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return std::exp(t) * (t - x);
  }
  template <class L>
  TAPER_HD static L slope(L, L t, L) {
    return -std::exp(t);
  }
};

struct SoftMarginLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    const L z = t * x;
    return (z < 0 ? -z : L(0)) + std::log1p(std::exp(-std::fabs(z)));
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L) {
    return -t / (1 + std::exp(t * x));
  }
};

struct PoissonLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L) {
    return std::exp(x) - t * x;
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L) {
    return std::exp(x) - t;
  }
};

struct PoissonOfRatesLoss {
  template <class L>
  TAPER_HD static L value(L x, L t, L p) {
    return x - t * std::log(x + p);
  }
  template <class L>
  TAPER_HD static L slope(L x, L t, L p) {
    return 1 - t / (x + p);
  }
};

// Calls f with the functor of the loss `kind`.
template <class F>
void with_loss(LossKind kind, const F& f) {
  switch (kind) {
    case LossKind::kSquared:
      return f(SquaredLoss());
    case LossKind::kSmoothL1:
      return f(SmoothL1Loss());
    case LossKind::kHuber:
      return f(HuberLoss());
    case LossKind::kBce:
      return f(BceLoss());
    case LossKind::kBceLogits:
      return f(BceLogitsLoss());
    case LossKind::kKlDiv:
      return f(KlDivLoss());
    case LossKind::kKlDivOfLogs:
      return f(KlDivOfLogsLoss());
    case LossKind::kSoftMargin:
      return f(SoftMarginLoss());
    case LossKind::kPoisson:
      return f(PoissonLoss());
    case LossKind::kPoissonOfRates:
      return f(PoissonOfRatesLoss());
  }
}

}  // namespace torch::taper::functor
