// Losses and activations of nn that no op computes alone, in the harness.
#include <taper/nn/functional/activation.h>
#include <taper/nn/functional/loss.h>
#include <taper/nn/functional/pooling.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>

#include <algorithm>
#include <cmath>

#include "sums_along.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

namespace F = nn::functional;
using Sizes = std::vector<int64_t>;

// The number 0 is how to reduce: not at all, to the mean, to the sum.
template <class Options>
Options reduced_by(Options options, int64_t reduction) {
  if (reduction == 0) return options.reduction(taper::kNone);
  return reduction == 1 ? options.reduction(taper::kMean) : options.reduction(taper::kSum);
}
Array reduced(const Array& losses, int64_t reduction) {
  if (reduction == 0) return losses;
  double sum = 0;
  for (double v : losses.v) sum += v;
  return Array({}, reduction == 1 ? sum / static_cast<double>(losses.v.size()) : sum);
}

// ---------------------------------------------------------------- losses
// Tensors: scores, targets in (0, 1), weights of the classes.
TAPER_OP_CASES(losses_of_labels, {
  OpCase c;
  c.name = "multilabel_soft_margin_loss";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(9);
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      for (const Sizes& sizes : {Sizes{2, 3}, {1, 5}, {17, 33}})
        list.push_back(
            {{random_tensor(sizes, t, {}, random), random_tensor(sizes, t, {0, 1}, random),
              random_tensor({sizes[1]}, t, {0.2, 2}, random)},
             {reduction}});
    return list;
  };
  c.call = [](const Args& a) {
    F::MultilabelSoftMarginLossFuncOptions options;
    options.weight(a.t[2]);
    return F::multilabel_soft_margin_loss(a.t[0], a.t[1], reduced_by(options, a.i[0]));
  };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &y = a.t[1];
    Array losses({x.size(0)});
    for_each_index(x.sizes, [&](const Sizes& at) {
      const double p = 1 / (1 + std::exp(-x.at(at)));
      const double entropy = -y.at(at) * std::log(p) - (1 - y.at(at)) * std::log(1 - p);
      losses.at({at[0]}) += a.t[2].at({at[1]}) * entropy / static_cast<double>(x.size(1));
    });
    return reduced(losses, a.i[0]);
  };
  c.tolerance = 8;
  return std::vector<OpCase>{c};
});

// Numbers: the reduction, whether the smaller distance counts, whether it is the sum of magnitudes.
TAPER_OP_CASES(losses_of_triplets, {
  OpCase c;
  c.name = "triplet_margin_with_distance_loss";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      for (int64_t swap = 0; swap < 2; ++swap)
        for (int64_t sums = 0; sums < 2; ++sums)
          list.push_back(sample_of({{4, 3}, {4, 3}, {4, 3}}, t, {}, {reduction, swap, sums}));
    return list;
  };
  c.call = [](const Args& a) {
    F::TripletMarginWithDistanceLossFuncOptions options;
    options.margin(0.75).swap(a.i[1] != 0);
    if (a.i[2])
      options.distance_function(
          [](const Tensor& x, const Tensor& y) { return (x - y).abs().sum(-1); });
    return F::triplet_margin_with_distance_loss(a.t[0], a.t[1], a.t[2],
                                                reduced_by(options, a.i[0]));
  };
  c.reference = [](const ArrayArgs& a) {
    const auto distance = [&](const Array& x, const Array& y, int64_t row) {
      double sum = 0;
      for (int64_t k = 0; k < x.size(1); ++k) {
        const double d = x.at({row, k}) - y.at({row, k});
        sum += a.i[2] ? std::abs(d) : (d + 1e-6) * (d + 1e-6);
      }
      return a.i[2] ? sum : std::sqrt(sum);
    };
    Array losses({a.t[0].size(0)});
    for (int64_t row = 0; row < a.t[0].size(0); ++row) {
      double far = distance(a.t[0], a.t[2], row);
      if (a.i[1]) far = std::min(far, distance(a.t[1], a.t[2], row));
      losses.at({row}) = std::max(distance(a.t[0], a.t[1], row) - far + 0.75, 0.0);
    }
    return reduced(losses, a.i[0]);
  };
  c.tolerance = 8;
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- activations and pools
TAPER_OP_CASES(softmax_of_negatives, {
  OpCase c;
  c.name = "softmin";
  c.dtypes = {kFloat, kDouble, kHalf};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t, {}, {1}), sample_of({{3, 2, 4}}, t, {}, {-3}),
                             sample_of({{5, 33}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return F::softmin(a.t[0], F::SoftminFuncOptions(a.i[0])); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const auto sums = sums_along(x, a.i[0], [&](int64_t i) { return std::exp(-x.v[i]); });
    Array y(x.sizes);
    for (size_t i = 0; i < sums.size(); ++i) y.v[i] = std::exp(-x.v[i]) / sums[i];
    return y;
  };
  c.errors = {error<IndexError>("Dimension out of range",
                                [] { F::softmin(numbers({2}), F::SoftminFuncOptions(1)); })};
  return std::vector<OpCase>{c};
});

// Windows of 2, one behind the other; the places are those that a pooling may have given.
TAPER_OP_CASES(maxima_put_back, {
  OpCase c;
  c.name = "max_unpool1d";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        {{numbers({1, 2, 3}, t), tensor_of({1, 2, 3}, {0, 3, 4, 1, 2, 5}, kLong)}},
        {{numbers({2, 2}, t), tensor_of({2, 2}, {1, 3, 0, 2}, kLong)}}};
  };
  c.call = [](const Args& a) {
    return F::max_unpool1d(a.t[0], a.t[1], F::MaxUnpool1dFuncOptions(2));
  };
  c.reference = [](const ArrayArgs& a) {
    Sizes sizes = a.t[0].sizes;
    sizes.back() *= 2;
    Array y(sizes);
    for_each_index(a.t[0].sizes, [&](const Sizes& index) {
      Sizes to = index;
      to.back() = static_cast<int64_t>(a.t[1].at(index));
      y.at(to) = a.t[0].at(index);
    });
    return y;
  };
  c.errors = {error<Error>("index 4 is out of bounds", [] {
    F::max_unpool1d(numbers({1, 1, 2}), tensor_of({1, 1, 2}, {0, 4}, kLong),
                    F::MaxUnpool1dFuncOptions(2));
  })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace torch::taper::testing
