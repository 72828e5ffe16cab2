// Functions with one result: a square, the logarithm of a sum of exponentials, a sum of squares.
#pragma once

#include <torch/func.h>

#include "protocol.h"

inline Tensor square(const Tensor& x) { return x * x; }

inline Module hello() {
  return {{"square", [](const Json& x) { return evaluation(square, to_tensor(x)); }},
          {"double",
           [](const Json& x) { return evaluation(torch::func::grad(square), to_tensor(x)); }}};
}

inline Tensor log_sum_exp(const Tensor& x) {
  const Tensor largest = x.max();
  return largest + (x - largest).exp().sum().log();
}

inline Module lse() {
  return {
      {"primal", [](const Json& in) { return evaluation(log_sum_exp, numbers(in, "x", {-1})); }},
      {"gradient", [](const Json& in) {
         return evaluation(torch::func::grad(log_sum_exp), numbers(in, "x", {-1}));
       }}};
}

/// Half of the squared distance between a polynomial with coefficients x and the sign function, at
/// n points from -1 to 1.
inline Tensor misfit(const Tensor& x, int64_t n) {
  const Tensor t = torch::arange(n, torch::kDouble) * 2 / static_cast<double>(n - 1) - 1;
  const Tensor factors = t.unsqueeze(1).expand({n, x.size(0) - 1});
  const Tensor powers = torch::cat({torch::ones({n, 1}, torch::kDouble), factors}, 1).cumprod(1);
  return 0.5 * (t.sign() - powers.mv(x)).square().sum();
}

inline Module llsq() {
  return {{"primal",
           [](const Json& in) {
             return evaluation(misfit, numbers(in, "x", {-1}), count(in, "n", 2));
           }},
          {"gradient", [](const Json& in) {
             return evaluation(torch::func::grad(misfit), numbers(in, "x", {-1}),
                               count(in, "n", 2));
           }}};
}
