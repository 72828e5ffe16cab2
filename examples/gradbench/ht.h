// Hand tracking: the distances between measured points and a model of a hand. Its vertices follow
// the bones, which bend by 26 parameters.
#pragma once

#include <torch/func.h>

#include "protocol.h"

namespace hand {

constexpr int64_t kFingers = 5, kLastBone = 4 * kFingers;

/// Bones at one distance from the root, and where their parents are among the bones before them.
struct Level {
  Tensor bones, parents;
};

/// Returns the levels for the parent of each bone, which is -1 for a root. Throws
/// std::invalid_argument if a bone is before its parent.
inline std::vector<Level> levels_of(const Tensor& parents) {
  const int64_t* parent = parents.data_ptr<int64_t>();
  std::vector<int64_t> depth, place(parents.size(0));
  for (int64_t i = 0; i < parents.size(0); ++i) {
    if (parent[i] >= i) throw std::invalid_argument("parents: expected each bone after its parent");
    depth.push_back(parent[i] < 0 ? 0 : depth[parent[i]] + 1);
  }
  std::vector<Level> all;
  for (int64_t before = 0; before < parents.size(0);) {
    std::vector<int64_t> bones, places;
    for (int64_t i = 0; i < parents.size(0); ++i)
      if (depth[i] == static_cast<int64_t>(all.size())) {
        places.push_back(parent[i] < 0 ? 0 : place[parent[i]]);
        place[i] = before + static_cast<int64_t>(bones.size());
        bones.push_back(i);
      }
    before += static_cast<int64_t>(bones.size());
    all.push_back({torch::tensor(bones, torch::kLong), torch::tensor(places, torch::kLong)});
  }
  return all;
}

/// Returns the rotation by the angle |r| around the axis r.
inline Tensor rotation(const Tensor& r) {
  const Tensor square = r.square().sum(), one = torch::eye(3, torch::kDouble);
  if (square.item<double>() < 1e-8) return one;
  const Tensor angle = square.sqrt(), a = r / angle, c = angle.cos();
  const Tensor zero = torch::zeros_like(c);
  const Tensor cross = torch::stack({zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero});
  return c * one + angle.sin() * cross.view({3, 3}) + (1 - c) * torch::outer(a, a);
}

/// A model of a hand, and points that are measured.
struct Tracking {
  Tensor base, inverse, skin, points, triangles, nearest, us;
  std::vector<Level> levels;
  bool mirrored;

  explicit Tracking(const Json& in) {
    const Json& data = in.at("data");
    const Json& model = data.at("model");
    const int64_t bones = count(model, "bone_count", kLastBone + 1);
    levels = levels_of(indices(model, "parents", {bones}, bones, -1));
    base = numbers(model, "base_relatives", {bones, 4, 4});
    inverse = numbers(model, "inverse_base_absolutes", {bones, 4, 4});
    const Tensor vertices = numbers(model, "base_positions", {-1, 4});
    const Tensor weights = numbers(model, "weights", {vertices.size(0), bones});
    skin = (weights.unsqueeze(2) * vertices.unsqueeze(1)).flatten(1);
    mirrored = model.at("is_mirrored").get<bool>();
    points = numbers(data, "points", {-1, 3});
    triangles = indices(model, "triangles", {-1, 3}, vertices.size(0));
    const bool on_triangles = !in.at("us").empty();
    if (on_triangles) us = numbers(in, "us", {points.size(0), 2});
    nearest = indices(data, "correspondences", {points.size(0)},
                      on_triangles ? triangles.size(0) : vertices.size(0));
  }

  /// Returns the rotations (bones, 3, 3). The first bone of a finger is fixed, the second bends and
  /// spreads, the others bend.
  Tensor rotations(const Tensor& theta) const {
    const auto finger = theta.slice(0, 6).view({kFingers, 4}).unbind(1);
    const Tensor fixed = torch::zeros_like(finger[0]);
    const auto angles = [&](const Tensor& second, const Tensor& third, const Tensor& fourth) {
      const Tensor all = torch::stack({fixed, second, third, fourth}, 1).flatten();
      return torch::constant_pad_nd(all, {1, base.size(0) - 1 - kLastBone});
    };
    const Tensor bend = angles(finger[0], finger[2], finger[3]);
    const Tensor spread = angles(finger[1], fixed, fixed), zero = torch::zeros_like(bend);
    const Tensor c = bend.cos(), s = bend.sin(), C = spread.cos(), S = spread.sin();
    return torch::stack({C, -S * c, S * s, S, C * c, -C * s, zero, s, c}, 1).view({-1, 3, 3});
  }
  /// Returns the places of the bones (bones, 4, 4), level by level.
  Tensor places(const Tensor& theta) const {
    const auto part = base.split_with_sizes({3, 1}, 2);
    const Tensor relative = torch::cat({part[0].matmul(rotations(theta)), part[1]}, 2);
    Tensor all = relative.index_select(0, levels[0].bones), order = levels[0].bones;
    for (size_t i = 1; i < levels.size(); ++i) {
      const Tensor parents = all.index_select(0, levels[i].parents);
      all = torch::cat({all, parents.matmul(relative.index_select(0, levels[i].bones))});
      order = torch::cat({order, levels[i].bones});
    }
    return all.index_select(0, order.argsort());
  }
  Tensor vertices(const Tensor& theta) const {
    Tensor moves = places(theta).matmul(inverse).slice(1, 0, 3);
    if (mirrored) moves = torch::tensor({-1., 1., 1.}, torch::kDouble).view({3, 1}) * moves;
    moves = rotation(theta.slice(0, 0, 3)).matmul(moves);
    return skin.matmul(moves.transpose(1, 2).reshape({-1, 3})) + theta.slice(0, 3, 6);
  }
  /// Returns the differences (points, 3). `us` are the places in triangles, and undefined for
  /// points at vertices.
  Tensor errors(const Tensor& theta, const Tensor& at) const {
    const Tensor all = vertices(theta);
    if (!at.defined()) return points - all.index_select(0, nearest);
    const Tensor corner = triangles.index_select(0, nearest).flatten();
    const Tensor corners = all.index_select(0, corner).view({-1, 3, 3});
    const Tensor share = torch::cat({at, 1 - at.sum(1, true)}, 1);
    return points - (share.unsqueeze(2) * corners).sum(1);
  }
  /// Returns the Jacobian (3 points, 2 + 26). The error of a point depends on its own place alone,
  /// so that one shift of all places gives the first two columns.
  Tensor jacobian(const Tensor& theta) const {
    if (!us.defined())
      return torch::func::jacfwd([&](const Tensor& p) { return errors(p, us); })(theta).flatten(0,
                                                                                                1);
    const auto shifted = [&](const Tensor& p) {
      return errors(p.slice(0, 2), us + p.slice(0, 0, 2));
    };
    return torch::func::jacfwd(shifted)(torch::constant_pad_nd(theta, {2, 0})).flatten(0, 1);
  }
};

}  // namespace hand

inline Module ht() {
  const auto prepare = [](const Json& in, bool gradient) {
    const hand::Tracking f(in);
    const Tensor theta = numbers(in, "theta", {6 + 4 * hand::kFingers});
    if (gradient) return evaluation([f](const Tensor& at) { return f.jacobian(at); }, theta);
    return evaluation([f](const Tensor& at) { return f.errors(at, f.us).flatten(); }, theta);
  };
  return {{"objective", [=](const Json& in) { return prepare(in, false); }},
          {"jacobian", [=](const Json& in) { return prepare(in, true); }}};
}
