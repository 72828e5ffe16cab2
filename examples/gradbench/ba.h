// Bundle adjustment: cameras see points. The Jacobian of all errors is sparse. Each observation has
// a dense block, so that vmap computes all blocks at once.
#pragma once

#include <torch/func.h>

#include "protocol.h"

namespace bundle {

constexpr int64_t kCamera = 11, kPoint = 3, kBlock = kCamera + kPoint + 1;

/// Returns the cross product of vectors of 3 elements.
inline Tensor cross_product(const Tensor& a, const Tensor& b) {
  return a.roll(-1) * b.roll(1) - a.roll(1) * b.roll(-1);
}

/// Turns a point by the angle |r| around the axis r.
inline Tensor rotate(const Tensor& r, const Tensor& x) {
  const Tensor square = r.square().sum(), none = square == 0;
  const Tensor angle = torch::where(none, torch::ones_like(square), square).sqrt();
  const Tensor axis = r / angle, c = angle.cos();
  const Tensor turned =
      x * c + cross_product(axis, x) * angle.sin() + axis * (axis * x).sum() * (1 - c);
  return torch::where(none, x + cross_product(r, x), turned);
}

/// The weighted error of one observation. A camera is its rotation, its center, the focal length,
/// the principal point and two coefficients of distortion.
inline Tensor error(const Tensor& camera, const Tensor& x, const Tensor& w, const Tensor& seen) {
  const auto part = camera.split_with_sizes({3, 3, 1, 2, 2});
  const Tensor at = rotate(part[0], x - part[1]);
  const Tensor p = at.slice(0, 0, 2) / at[2], r2 = p.square().sum();
  const Tensor distortion = 1 + part[4][0] * r2 + part[4][1] * r2.square();
  return w * (p * distortion * part[2] + part[3] - seen);
}
inline Tensor error_of_weight(const Tensor& w) { return 1 - w.square(); }

/// n cameras, m points and p observations of one kind.
struct Problem {
  int64_t n, m, p;
  Tensor cameras, points, w, seen, camera, point;

  explicit Problem(const Json& in) : n(count(in, "n")), m(count(in, "m")), p(count(in, "p")) {
    cameras = numbers(in, "cam", {kCamera}).repeat({n, 1});
    points = numbers(in, "x", {kPoint}).repeat({m, 1});
    w = torch::full({p}, number(in, "w"), torch::kDouble);
    seen = numbers(in, "feat", {2}).repeat({p, 1});
    camera = torch::arange(p) % n;
    point = torch::arange(p) % m;
  }
  Tensors errors() const {
    const Tensor e = torch::func::vmap(error)(cameras.index_select(0, camera),
                                              points.index_select(0, point), w, seen);
    return {e, error_of_weight(w)};
  }
  /// Returns the nonzero elements of the Jacobian by rows.
  Tensor values() const {
    using namespace torch::func;
    const auto [c, x, of_w] = vmap(jacrev<0, 1, 2>(error))(cameras.index_select(0, camera),
                                                           points.index_select(0, point), w, seen);
    const Tensor blocks = torch::cat({c, x, of_w.unsqueeze(2)}, 2);
    return torch::cat({blocks.flatten(), vmap(grad(error_of_weight))(w)});
  }
  /// Returns the column of each of them.
  Tensor columns() const {
    const Tensor first = kCamera * n + kPoint * m + torch::arange(p);
    const Tensor c = kCamera * camera.unsqueeze(1) + torch::arange(kCamera);
    const Tensor x = kCamera * n + kPoint * point.unsqueeze(1) + torch::arange(kPoint);
    const Tensor row = torch::cat({c, x, first.unsqueeze(1)}, 1);
    return torch::cat({row.unsqueeze(1).expand({p, 2, kBlock}).flatten(), first});
  }
  /// Returns the index of each row's first element, and the number of elements.
  Tensor starts() const {
    const Tensor of_errors = kBlock * torch::arange(2 * p);
    return torch::cat({of_errors, 2 * p * kBlock + torch::arange(p + 1)});
  }
  Tensors jacobian() const { return {starts(), columns(), values()}; }
};

inline Json errors_to_json(const Tensors& y) {
  const int64_t p = y[1].size(0);
  return {{"reproj_error", {{"elements", to_json(y[0][0])}, {"repeated", p}}},
          {"w_err", {{"element", to_json(y[1][0])}, {"repeated", p}}}};
}
/// The first 30 elements and the last one.
inline Json some_of(const Tensor& t) {
  return to_json(torch::cat({t.slice(0, 0, 2 * kBlock), t.slice(0, -1)}));
}

}  // namespace bundle

inline Module ba() {
  using bundle::Problem;
  const auto objective = [](const Json& in) {
    return Evaluation{[p = Problem(in)] { return p.errors(); }, bundle::errors_to_json};
  };
  const auto jacobian = [](const Json& in) {
    const auto write = [](const Tensors& y) {
      return Json{{"rows", bundle::some_of(y[0])},
                  {"cols", bundle::some_of(y[1])},
                  {"vals", bundle::some_of(y[2])}};
    };
    return Evaluation{[p = Problem(in)] { return p.jacobian(); }, write};
  };
  return {{"objective", objective}, {"jacobian", jacobian}};
}
