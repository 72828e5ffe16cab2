// Cases of the losses of pairs, of margins and of sequences, from their definitions.
#include <taper/ops/linalg/distance.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_margin.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/sequence/loss_ctc.h>

#include <algorithm>
#include <cmath>

#include "test_util.h"

namespace taper::testing {
namespace {

using Numbers = std::vector<double>;

// ---------------------------------------------------------------------- reductions
/// The losses, or their mean or sum, as a.i[0] says.
Array reduced(const ArrayArgs& a, const std::vector<int64_t>& sizes, const Numbers& losses) {
  Array each(sizes);
  each.v = losses;
  if (a.i[0] == Reduction::None) return each;
  double total = 0;
  for (double v : losses) total += v;
  return Array({}, a.i[0] == Reduction::Mean ? total / static_cast<double>(losses.size()) : total);
}
/// `sizes` with each reduction; the last tensor becomes targets 1 and -1 where `signs`.
std::vector<Args> for_reductions(const std::vector<std::vector<std::vector<int64_t>>>& sizes,
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
OpCase loss_case(std::string name, std::vector<std::vector<std::vector<int64_t>>> sizes,
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

// ---------------------------------------------------------------------- rows
Numbers row(const Array& x, int64_t r) {
  const int64_t n = x.size(-1);
  return Numbers(x.v.begin() + r * n, x.v.begin() + (r + 1) * n);
}
double dot(const Numbers& x, const Numbers& y) {
  double s = 0;
  for (size_t i = 0; i < x.size(); ++i) s += x[i] * y[i];
  return s;
}
double cosine(const Numbers& x, const Numbers& y) {
  return dot(x, y) / std::sqrt(dot(x, x) * dot(y, y));
}
double distance(const Numbers& x, const Numbers& y, double p) {
  double s = 0;
  for (size_t i = 0; i < x.size(); ++i) s += std::pow(std::abs(x[i] - y[i] + 1e-6), p);
  return std::pow(s, 1 / p);
}

TAPER_OP_CASES(pairs, {
  OpCase similarity = loss_case(
      "cosine_similarity", {{{3, 5}, {3, 5}}, {{1, 4}, {1, 4}}},
      [](const Args& a) { return cosine_similarity(a.t[0], a.t[1], 1); },
      [](const ArrayArgs& a) {
        Array y({a.t[0].size(0)});
        for (int64_t r = 0; r < y.numel(); ++r) y.v[r] = cosine(row(a.t[0], r), row(a.t[1], r));
        return y;
      },
      0);
  similarity.errors = {error<IndexError>("Dimension out of range", [] {
    cosine_similarity(numbers({2, 3}), numbers({2, 3}), 2);
  })};
  const auto distances = [](double p) {
    return [p](const ArrayArgs& a) {
      Array y({a.t[0].size(0)});
      for (int64_t r = 0; r < y.numel(); ++r) y.v[r] = distance(row(a.t[0], r), row(a.t[1], r), p);
      return y;
    };
  };
  std::vector<OpCase> list = {similarity};
  for (const int p : {1, 2, 3})
    list.push_back(loss_case(
        "pairwise_distance_" + std::to_string(p), {{{3, 5}, {3, 5}}, {{1, 4}, {1, 4}}},
        [p](const Args& a) { return pairwise_distance(a.t[0], a.t[1], p); }, distances(p), 0));
  return list;
});

TAPER_OP_CASES(margins_of_pairs, {
  OpCase cosines = loss_case(
      "cosine_embedding_loss", {{{3, 5}, {3, 5}, {3}}},
      [](const Args& a) { return cosine_embedding_loss(a.t[0], a.t[1], a.t[2], 0.1, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (int64_t r = 0; r < a.t[0].size(0); ++r) {
          const double c = cosine(row(a.t[0], r), row(a.t[1], r));
          losses.push_back(a.t[2].v[r] > 0 ? 1 - c : std::max(0.0, c - 0.1));
        }
        return reduced(a, {a.t[0].size(0)}, losses);
      },
      2);
  OpCase ranking = loss_case(
      "margin_ranking_loss", {{{7}, {7}, {7}}, {{2, 3}, {2, 3}, {2, 3}}},
      [](const Args& a) { return margin_ranking_loss(a.t[0], a.t[1], a.t[2], 0.4, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (size_t i = 0; i < a.t[0].v.size(); ++i)
          losses.push_back(std::max(0.0, -a.t[2].v[i] * (a.t[0].v[i] - a.t[1].v[i]) + 0.4));
        return reduced(a, a.t[0].sizes, losses);
      },
      2);
  OpCase hinge = loss_case(
      "hinge_embedding_loss", {{{7}, {7}}, {{2, 3}, {2, 3}}},
      [](const Args& a) { return hinge_embedding_loss(a.t[0], a.t[1], 0.7, a.i[0]); },
      [](const ArrayArgs& a) {
        Numbers losses;
        for (size_t i = 0; i < a.t[0].v.size(); ++i) {
          const double x = a.t[0].v[i];
          losses.push_back(a.t[1].v[i] > 0 ? x : std::max(0.0, 0.7 - x));
        }
        return reduced(a, a.t[0].sizes, losses);
      },
      1);
  std::vector<OpCase> list = {cosines, ranking, hinge};
  for (const bool swap : {false, true})
    list.push_back(loss_case(
        swap ? "triplet_margin_loss_swap" : "triplet_margin_loss", {{{3, 5}, {3, 5}, {3, 5}}},
        [swap](const Args& a) {
          return triplet_margin_loss(a.t[0], a.t[1], a.t[2], 0.9, 2, 1e-6, swap, a.i[0]);
        },
        [swap](const ArrayArgs& a) {
          Numbers losses;
          for (int64_t r = 0; r < a.t[0].size(0); ++r) {
            const Numbers x = row(a.t[0], r), p = row(a.t[1], r), n = row(a.t[2], r);
            double far = distance(x, n, 2);
            if (swap) far = std::min(far, distance(p, n, 2));
            losses.push_back(std::max(0.0, distance(x, p, 2) - far + 0.9));
          }
          return reduced(a, {a.t[0].size(0)}, losses);
        },
        0));
  return list;
});

// ---------------------------------------------------------------------- classes
/// Scores and classes [N]; or, `several`, lists of classes that end with -1.
std::vector<Args> class_samples(ScalarType t, bool several) {
  std::vector<Args> list;
  for (int64_t reduction = 0; reduction < 3; ++reduction) {
    Args a = sample_of({{3, 4}}, t, {-2, 2}, {reduction});
    a.t.push_back(several ? tensor_of({3, 4}, {2, 0, -1, 3, -1, 0, 1, 2, 0, 1, 2, 3}, kLong)
                          : values({3, 0, 2}, kLong));
    list.push_back(a);
  }
  return list;
}
OpCase class_case(std::string name, bool several, std::function<Results(const Args&)> call,
                  std::function<double(const Numbers& x, const Numbers& classes)> loss) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [several](ScalarType t) { return class_samples(t, several); };
  c.call = std::move(call);
  c.reference = [loss, several](const ArrayArgs& a) {
    Numbers losses;
    for (int64_t r = 0; r < 3; ++r)
      losses.push_back(loss(row(a.t[0], r), several ? row(a.t[1], r) : Numbers{a.t[1].v[r]}));
    return reduced(a, {3}, losses);
  };
  return c;
}
double over_the_margin(const Numbers& x, size_t right, size_t other, int p) {
  return std::pow(std::max(0.0, 0.8 - x[right] + x[other]), p) / static_cast<double>(x.size());
}

TAPER_OP_CASES(margins_of_classes, {
  std::vector<OpCase> list;
  for (const int p : {1, 2})
    list.push_back(class_case(
        "multi_margin_loss_" + std::to_string(p), false,
        [p](const Args& a) { return multi_margin_loss(a.t[0], a.t[1], p, 0.8, {}, a.i[0]); },
        [p](const Numbers& x, const Numbers& classes) {
          const auto right = static_cast<size_t>(classes[0]);
          double sum = 0;
          for (size_t c = 0; c < x.size(); ++c)
            if (c != right) sum += over_the_margin(x, right, c, p);
          return sum;
        }));
  list.push_back(class_case(
      "multilabel_margin_loss", true,
      [](const Args& a) { return multilabel_margin_loss(a.t[0], a.t[1], a.i[0]); },
      [](const Numbers& x, const Numbers& classes) {
        const Numbers right(classes.begin(), std::find(classes.begin(), classes.end(), -1));
        double sum = 0;
        for (double r : right)
          for (size_t c = 0; c < x.size(); ++c)
            if (std::find(right.begin(), right.end(), static_cast<double>(c)) == right.end())
              sum += std::max(0.0, 1 - x[static_cast<size_t>(r)] + x[c]);
        return sum / static_cast<double>(x.size());
      }));
  return list;
});

// ---------------------------------------------------------------------- counts
TAPER_OP_CASES(counts, {
  std::vector<OpCase> list;
  for (const bool log_input : {true, false}) {
    OpCase c;
    c.name = log_input ? "poisson_nll_loss" : "poisson_nll_loss_of_rates";
    c.samples = [](ScalarType t) {
      std::vector<Args> samples;
      for (int64_t reduction = 0; reduction < 3; ++reduction)
        samples.push_back(sample_of({{2, 3}, {2, 3}}, t, {0.2, 3}, {reduction}));
      return samples;
    };
    c.call = [=](const Args& a) {
      return poisson_nll_loss(a.t[0], a.t[1], log_input, true, 1e-8, a.i[0]);
    };
    c.reference = [=](const ArrayArgs& a) {
      Numbers losses;
      for (size_t i = 0; i < a.t[0].v.size(); ++i) {
        const double x = a.t[0].v[i], t = a.t[1].v[i];
        const double stirling = t > 1 ? t * std::log(t) - t + 0.5 * std::log(2 * M_PI * t) : 0;
        losses.push_back((log_input ? std::exp(x) - t * x : x - t * std::log(x + 1e-8)) + stirling);
      }
      return reduced(a, a.t[0].sizes, losses);
    };
    c.inputs_without_gradient = {1};
    list.push_back(c);
  }
  return list;
});

// ---------------------------------------------------------------------- sequences
/// -log of the sum over all paths of T labels that, without repetitions and blanks (0), are
/// `target`.
double all_paths(const Array& x, int64_t n, int64_t length, const Numbers& target) {
  const int64_t batch = x.size(1), classes = x.size(2);
  double total = 0;
  std::vector<int64_t> sizes(static_cast<size_t>(length), classes);
  for_each_index(sizes, [&](const std::vector<int64_t>& path) {
    Numbers said;
    double log_probability = 0;
    for (int64_t t = 0; t < length; ++t) {
      const auto label = path[static_cast<size_t>(t)];
      log_probability += x.v[(t * batch + n) * classes + label];
      if (label != 0 && (t == 0 || path[static_cast<size_t>(t - 1)] != label))
        said.push_back(static_cast<double>(label));
    }
    if (said == target) total += std::exp(log_probability);
  });
  return -std::log(total);
}

TAPER_OP_CASES(sequences, {
  OpCase c;
  c.name = "ctc_loss";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      list.push_back(sample_of({{5, 2, 3}}, t, {-2, 0}, {reduction}));
    return list;
  };
  c.call = [](const Args& a) {
    const Tensor targets = tensor_of({2, 2}, {1, 2, 2, 2}, kLong).to(a.t[0].device());
    return ctc_loss(a.t[0], targets, {5, 4}, {2, 2}, 0, a.i[0]);
  };
  c.reference = [](const ArrayArgs& a) {
    Numbers losses = {all_paths(a.t[0], 0, 5, {1, 2}), all_paths(a.t[0], 1, 4, {2, 2})};
    if (a.i[0] == Reduction::Mean)
      for (double& v : losses) v /= 2;  // by the targets' lengths
    return reduced(a, {2}, losses);
  };
  c.errors = {error<Error>("ctc_loss: expected labels from 0 to 2", [] {
    ctc_loss(numbers({5, 1, 3}), tensor_of({1, 1}, {3}, kLong), {5}, {1});
  })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace taper::testing
