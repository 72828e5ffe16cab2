// What the cases of losses share: how they are reduced, and rows of two-dimensional arrays.
#pragma once

#include <taper/ops/nn/loss.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "test_util.h"

namespace torch::taper::testing {

using Numbers = std::vector<double>;

/// The sum of `count` losses, or their mean.
inline double reduced(double total, size_t count, int64_t reduction) {
  return reduction == Reduction::Mean ? total / static_cast<double>(count) : total;
}
/// The losses, or their mean or sum, as a.i[0] says.
inline Array reduced(const ArrayArgs& a, const std::vector<int64_t>& sizes, const Numbers& losses) {
  Array each(sizes);
  each.v = losses;
  if (a.i[0] == Reduction::None) return each;
  double total = 0;
  for (double v : losses) total += v;
  return Array({}, reduced(total, losses.size(), a.i[0]));
}
/// `sizes` with each reduction; the last tensor becomes targets 1 and -1 where `signs`.
inline std::vector<Args> for_reductions(const std::vector<std::vector<std::vector<int64_t>>>& sizes,
                                        ScalarType t, bool signs) {
  std::vector<Args> list;
  for (const auto& s : sizes)
    for (int64_t reduction = 0; reduction < 3; ++reduction) {
      Args a = sample_of(s, t, {-2, 2}, {reduction});
      if (signs) a.t.back() = a.t.back().sign();
      list.push_back(a);
    }
  return list;
}

/// A case without gradients of its targets, the last tensor.
inline OpCase loss_case(std::string name, std::vector<std::vector<std::vector<int64_t>>> sizes,
                        std::function<Results(const Args&)> call,
                        std::function<Arrays(const ArrayArgs&)> reference, size_t targets) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [=](ScalarType t) { return for_reductions(sizes, t, targets > 0); };
  c.call = std::move(call);
  c.reference = std::move(reference);
  if (targets > 0) c.inputs_without_gradient = {targets};
  c.tolerance = 4;
  return c;
}

inline Numbers row(const Array& x, int64_t r) {
  const int64_t n = x.size(-1);
  return Numbers(x.v.begin() + r * n, x.v.begin() + (r + 1) * n);
}
inline double dot(const Numbers& x, const Numbers& y) {
  double s = 0;
  for (size_t i = 0; i < x.size(); ++i) s += x[i] * y[i];
  return s;
}
inline double cosine(const Numbers& x, const Numbers& y) {
  return dot(x, y) / std::sqrt(dot(x, x) * dot(y, y));
}
inline double distance(const Numbers& x, const Numbers& y, double p) {
  double s = 0;
  for (size_t i = 0; i < x.size(); ++i) s += std::pow(std::abs(x[i] - y[i] + 1e-6), p);
  return std::pow(s, 1 / p);
}

}  // namespace torch::taper::testing
