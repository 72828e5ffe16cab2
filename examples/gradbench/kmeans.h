// Clusters: the sum of squared distances between points and their nearest centers, and Newton's
// direction. The Hessian is diagonal, so that its product with ones is its diagonal.
#pragma once

#include <torch/func.h>

#include <tuple>

#include "protocol.h"

inline Tensor cluster_cost(const Tensor& centers, const Tensor& points) {
  const Tensor lengths = points.square().sum(1) + centers.square().sum(1, true);
  return std::get<0>((lengths - 2 * centers.matmul(points.t())).min(0)).sum();
}

inline Tensor newton_direction(const Tensor& centers, const Tensor& points) {
  const auto slope = [&](const Tensor& c) { return torch::func::grad(cluster_cost)(c, points); };
  const auto [g, h] = torch::func::jvp(slope, centers, torch::ones_like(centers));
  return g / h;
}

inline Module kmeans() {
  const auto prepare = [](const Json& in, Tensor (*f)(const Tensor&, const Tensor&)) {
    const Tensor points = numbers(in, "points", {-1, -1});
    return evaluation(f, numbers(in, "centroids", {-1, points.size(1)}), points);
  };
  return {{"cost", [=](const Json& in) { return prepare(in, cluster_cost); }},
          {"dir", [=](const Json& in) { return prepare(in, newton_direction); }}};
}
