// Losses and activations of nn that no op computes alone, in the harness.
#include <algorithm>
#include <cmath>

#include <taper/nn/functional/activation.h>
#include <taper/nn/functional/loss.h>
#include <taper/nn/functional/normalization.h>
#include <taper/nn/functional/pooling.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>

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

// Functions of nn over windows that no op computes alone, in the harness: power means, and the
// normalisation by neighbouring channels.

// ---------------------------------------------------------------------- power means
/// How many windows there are; with `up` the last may reach beyond the end.
int64_t windows_of(int64_t n, int64_t kernel, int64_t stride, bool up) {
  int64_t count = (n - kernel + (up ? stride - 1 : 0)) / stride + 1;
  if (up && (count - 1) * stride >= n) --count;
  return count;
}

/// Numbers: ceil_mode, then kernels and strides of the last dimensions; d: p. A window that reaches
/// beyond the end counts as if all of it were like the rest (LibTorch takes the mean times the
/// size).
Array naive_lp_pool(const Array& x, const Sizes& i, double p) {
  const size_t spatial = (i.size() - 1) / 2, lead = x.sizes.size() - spatial;
  const auto kernel = [&](size_t d) { return i[1 + d]; };
  const auto stride = [&](size_t d) { return i[1 + spatial + d]; };
  Sizes sizes = x.sizes, window;
  double whole = 1;
  for (size_t d = 0; d < spatial; ++d) {
    sizes[lead + d] = windows_of(x.sizes[lead + d], kernel(d), stride(d), i[0] != 0);
    window.push_back(kernel(d));
    whole *= static_cast<double>(kernel(d));
  }
  Array y(sizes);
  for_each_index(sizes, [&](const Sizes& to) {
    double sum = 0, count = 0;
    for_each_index(window, [&](const Sizes& within) {
      Sizes from = to;
      for (size_t d = 0; d < spatial; ++d) {
        from[lead + d] = to[lead + d] * stride(d) + within[d];
        if (from[lead + d] >= x.sizes[lead + d]) return;
      }
      sum += std::pow(x.at(from), p);
      ++count;
    });
    y.at(to) = std::pow(sum / count * whole, 1 / p);
  });
  return y;
}

struct Pool {
  Sizes sizes, numbers;
  double p;
  double low;  ///< of the values: whole even powers take negative ones too
};
OpCase lp_pool_case(const char* name, std::vector<Pool> pools,
                    std::function<Tensor(const Args&)> call) {
  OpCase c;
  c.name = name;
  c.samples = [pools = std::move(pools)](ScalarType t) {
    std::vector<Args> list;
    for (const Pool& p : pools)
      list.push_back(sample_of({p.sizes}, t, {p.low, 2}, p.numbers, {p.p}));
    return list;
  };
  c.call = std::move(call);
  c.reference = [](const ArrayArgs& a) { return naive_lp_pool(a.t[0], a.i, a.d[0]); };
  c.tolerance = 8;
  return c;
}

TAPER_OP_CASES(power_means, {
  OpCase line = lp_pool_case(
      "lp_pool1d",
      {{{2, 3, 7}, {0, 3, 2}, 2, -2},
       {{3, 8}, {1, 3, 3}, 3, 0.2},
       {{1, 2, 5}, {0, 2, 1}, 1.5, 0.2},
       {{2, 2, 70}, {1, 4, 3}, 2, -2}},
      [](const Args& a) {
        return F::lp_pool1d(
            a.t[0], F::LPPool1dFuncOptions(a.d[0], a.i[1]).stride(a.i[2]).ceil_mode(a.i[0] != 0));
      });
  line.errors = {error<Error>("avg_pool1d: Expected 2D or 3D", [] {
    F::lp_pool1d(numbers({2, 3, 4, 5}), F::LPPool1dFuncOptions(2, 2).stride(2));
  })};
  OpCase plane =
      lp_pool_case("lp_pool2d",
                   {{{2, 3, 4, 5}, {0, 2, 3, 2, 1}, 2, -2},
                    {{1, 5, 5}, {1, 2, 2, 2, 2}, 3, 0.2},
                    {{1, 2, 3, 3}, {0, 3, 3, 1, 1}, 4, -2}},
                   [](const Args& a) {
                     return F::lp_pool2d(a.t[0], F::LPPool2dFuncOptions(a.d[0], {a.i[1], a.i[2]})
                                                     .stride({a.i[3], a.i[4]})
                                                     .ceil_mode(a.i[0] != 0));
                   });
  plane.errors = {error<Error>("avg_pool2d: Expected 3D or 4D", [] {
    F::lp_pool2d(numbers({3, 4}), F::LPPool2dFuncOptions(2, 2).stride(2));
  })};
  return std::vector<OpCase>{line, plane};
});

// ---------------------------------------------------------------------- neighbouring channels
// Numbers: how many; d: alpha, beta, k.
TAPER_OP_CASES(neighbouring_channels, {
  OpCase c;
  c.name = "local_response_norm";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 5, 3}}, t, {}, {3}, {0.5, 0.75, 1}),
                             sample_of({{1, 4, 2, 3}}, t, {}, {2}, {1, 0.5, 2}),
                             sample_of({{2, 3, 2, 2, 1}}, t, {}, {5}, {1e-4, 0.75, 1}),
                             sample_of({{2, 33, 17}}, t, {}, {4}, {2, 1, 0.5})};
  };
  c.call = [](const Args& a) {
    return F::local_response_norm(
        a.t[0], F::LocalResponseNormFuncOptions(a.i[0]).alpha(a.d[0]).beta(a.d[1]).k(a.d[2]));
  };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Array y(x.sizes);
    for_each_index(x.sizes, [&](const Sizes& at) {
      double squares = 0;
      for (int64_t n = 0; n < a.i[0]; ++n) {
        Sizes near = at;
        near[1] = at[1] - a.i[0] / 2 + n;
        if (near[1] >= 0 && near[1] < x.sizes[1]) squares += x.at(near) * x.at(near);
      }
      const double mean = squares / static_cast<double>(a.i[0]);
      y.at(at) = x.at(at) / std::pow(a.d[2] + a.d[0] * mean, a.d[1]);
    });
    return y;
  };
  c.tolerance = 4;
  c.errors = {error<Error>("Expected 3D or higher dimensionality input (got 2 dimensions)", [] {
    F::local_response_norm(numbers({2, 3}), F::LocalResponseNormFuncOptions(2));
  })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------------- unit vectors
// Numbers: the dimension; d: p, eps. The second sample has a vector that is nearly nothing.
TAPER_OP_CASES(unit_vectors, {
  OpCase c;
  c.name = "normalize";
  c.samples = [](ScalarType t) {
    Args small = sample_of({{2, 3}}, t, {1, 2}, {1}, {2, 0.5});
    for (int64_t k = 0; k < 3; ++k) set_element(small.t[0], k, get_element(small.t[0], k) / 32);
    return std::vector<Args>{sample_of({{2, 3, 4}}, t, {}, {1}, {2, 1e-12}), small,
                             sample_of({{4, 3}}, t, {}, {-2}, {3, 1e-12}),
                             sample_of({{5, 33}}, t, {}, {1}, {1, 1e-12})};
  };
  const auto options = [](const Args& a) {
    return F::NormalizeFuncOptions().p(a.d[0]).dim(a.i[0]).eps(a.d[1]);
  };
  c.call = [=](const Args& a) { return F::normalize(a.t[0], options(a)); };
  c.out = [=](Tensor& out, const Args& a) { return F::normalize(a.t[0], options(a).out(out)); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const auto sums =
        sums_along(x, a.i[0], [&](int64_t i) { return std::pow(std::abs(x.v[i]), a.d[0]); });
    Array y(x.sizes);
    for (size_t i = 0; i < sums.size(); ++i)
      y.v[i] = x.v[i] / std::max(std::pow(sums[i], 1 / a.d[0]), a.d[1]);
    return y;
  };
  c.tolerance = 4;
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace torch::taper::testing
