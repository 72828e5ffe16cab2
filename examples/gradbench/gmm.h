// The logarithm of the posterior probability of a mixture of Gaussians, with a Wishart prior.
#pragma once

#include <torch/func.h>

#include <cmath>

#include "protocol.h"

/// Points (N, D), and the prior's degrees of freedom and precision.
struct Mixture {
  Tensor x;
  int64_t m;
  double gamma;

  int64_t dims() const { return x.size(1); }
  /// Returns the logarithm of the multivariate gamma function at a.
  double log_gamma(double a) const {
    const auto d = static_cast<double>(dims());
    double sum = d * (d - 1) / 4 * std::log(M_PI);
    for (int64_t i = 0; i < dims(); ++i) sum += std::lgamma(a - static_cast<double>(i) / 2);
    return sum;
  }
  /// Returns the factors Q (K, D, D) of the precisions: exp(q) is the diagonal, l (K, D (D - 1) /
  /// 2) has the elements below it, by columns.
  Tensor factors(const Tensor& q, const Tensor& l) const {
    const int64_t d = dims();
    const Tensor below = torch::triu_indices(d, d, 1), on = torch::arange(d) * (d + 1);
    const Tensor at = torch::cat({on, below[1] * d + below[0]});
    return torch::zeros({q.size(0), d * d}, torch::kDouble)
        .index_copy(1, at, torch::cat({q.exp(), l}, 1))
        .view({-1, d, d});
  }
  Tensor log_prior(const Tensor& Q, const Tensor& q) const {
    const auto d = static_cast<double>(dims()), n = d + static_cast<double>(m) + 1;
    const double each = n * d * std::log(gamma / std::sqrt(2.)) - log_gamma(n / 2);
    return static_cast<double>(q.size(0)) * each - gamma * gamma / 2 * Q.square().sum() +
           static_cast<double>(m) * q.sum();
  }
  Tensor operator()(const Tensor& alpha, const Tensor& mu, const Tensor& q, const Tensor& l) const {
    const int64_t n = x.size(0), d = dims(), k = alpha.size(0);
    const Tensor Q = factors(q, l);
    const Tensor centers = Q.matmul(mu.unsqueeze(2)).view({k * d});
    const Tensor y = torch::linear(x, Q.view({k * d, d}), -centers).view({n, k, d});
    const Tensor terms = alpha + q.sum(1) - 0.5 * y.square().sum(2);
    const double each = static_cast<double>(d) / 2 * std::log(2 * M_PI);
    return terms.logsumexp(1).sum() - static_cast<double>(n) * (each + alpha.logsumexp(0)) +
           log_prior(Q, q);
  }
};

inline Module gmm() {
  const auto prepare = [](const Json& in, bool gradient) {
    const int64_t d = count(in, "d"), k = count(in, "k"), n = count(in, "n");
    const Tensor alpha = numbers(in, "alpha", {k}), mu = numbers(in, "mu", {k, d});
    const Tensor q = numbers(in, "q", {k, d}), l = numbers(in, "l", {k, d * (d - 1) / 2});
    const Mixture f{numbers(in, "x", {n, d}), count(in, "m", 0), number(in, "gamma")};
    if (!gradient) return evaluation(f, alpha, mu, q, l);
    Evaluation one;
    one.compute = [=] {
      const auto [a, b, c, e] = torch::func::grad<0, 1, 2, 3>(f)(alpha, mu, q, l);
      return Tensors{a, b, c, e};
    };
    one.write = [](const Tensors& g) {
      return Json{{"alpha", to_json(g[0])},
                  {"mu", to_json(g[1])},
                  {"q", to_json(g[2])},
                  {"l", to_json(g[3])}};
    };
    return one;
  };
  return {{"objective", [=](const Json& in) { return prepare(in, false); }},
          {"jacobian", [=](const Json& in) { return prepare(in, true); }}};
}
