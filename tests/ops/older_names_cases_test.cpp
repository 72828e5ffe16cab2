// Functions by their older names, whose arguments or results are not those of the newer ones.
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matrix_norms.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/spatial/conv.h>

#include "ops/linalg/matrix_case.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------- convolutions
// Time first: x (T, N, C), weight (k, C, K), bias (K). Numbers: the padding.
TAPER_OP_CASES(convolution_with_time_first, {
  OpCase c;
  c.name = "conv_tbc";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5, 2, 3}, {3, 3, 2}, {2}}, t, {}, {0}),
                             sample_of({{4, 1, 2}, {2, 2, 3}, {3}}, t, {}, {1}),
                             sample_of({{1, 2, 1}, {3, 1, 1}, {1}}, t, {}, {2}),
                             sample_of({{33, 3, 17}, {5, 17, 9}, {9}}, t, {}, {2})};
  };
  c.call = [](const Args& a) { return conv_tbc(a.t[0], a.t[1], a.t[2], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    Array y({x.size(0) + 2 * a.i[0] - w.size(0) + 1, x.size(1), w.size(2)});
    for_each_index(y.sizes, [&](const Sizes& at) {
      y.at(at) = a.t[2].at({at[2]});
      for (int64_t k = 0; k < w.size(0); ++k) {
        const int64_t time = at[0] + k - a.i[0];
        if (time < 0 || time >= x.size(0)) continue;
        for (int64_t d = 0; d < x.size(2); ++d)
          y.at(at) += x.at({time, at[1], d}) * w.at({k, d, at[2]});
      }
    });
    return y;
  };
  c.tolerance = 16;
  const Tensor bias = numbers({2});
  c.errors = {
      error<Error>("Input must have 3 dims: time, batch, in_channel; got [5, 3]",
                   [=] {
                     conv_tbc(numbers({5, 3}), numbers({3, 3, 2}), bias);
                   }),
      error<Error>("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels", [=] {
        conv_tbc(numbers({5, 2, 3}), numbers({3, 2}), bias);
      })};
  return std::vector<OpCase>{c};
});

// Numbers: the stride, the padding.
TAPER_OP_CASES(convolution_of_images, {
  OpCase c;
  c.name = "thnn_conv2d";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 2, 4, 5}, {3, 2, 3, 2}, {3}}, t, {}, {1, 0}),
                             sample_of({{1, 1, 3, 3}, {2, 1, 2, 2}, {2}}, t, {}, {2, 1})};
  };
  c.call = [](const Args& a) {
    const Sizes kernel{a.t[1].size(2), a.t[1].size(3)};
    return thnn_conv2d(a.t[0], a.t[1], kernel, a.t[2], a.i[0], a.i[1]);
  };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    const auto places = [&](int64_t d) {
      return (x.size(d) + 2 * a.i[1] - w.size(d)) / a.i[0] + 1;
    };
    Array y({x.size(0), w.size(0), places(2), places(3)});
    for_each_index(y.sizes, [&](const Sizes& at) {
      y.at(at) = a.t[2].at({at[1]});
      for_each_index({w.size(1), w.size(2), w.size(3)}, [&](const Sizes& k) {
        const int64_t row = at[2] * a.i[0] + k[1] - a.i[1];
        const int64_t column = at[3] * a.i[0] + k[2] - a.i[1];
        if (row >= 0 && row < x.size(2) && column >= 0 && column < x.size(3))
          y.at(at) += x.at({at[0], k[0], row, column}) * w.at({at[1], k[0], k[1], k[2]});
      });
    });
    return y;
  };
  c.tolerance = 16;
  c.errors = {
      error<Error>("thnn_conv2d: expected a weight of 4 dimensions with a kernel of [3, 3]", [] {
        thnn_conv2d(numbers({1, 2, 4, 4}), numbers({3, 2, 2, 2}), {3, 3});
      })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- losses
// Numbers: how to reduce, the class that does not count.
TAPER_OP_CASES(losses_of_images, {
  OpCase c;
  c.name = "nll_loss2d";
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(4);
    for (int64_t reduction = 0; reduction < 3; ++reduction)
      for (int64_t ignored : {-100, 1})
        list.push_back(
            {{random_tensor({2, 3, 2, 4}, t, {}, random), random_index({2, 2, 4}, 0, 3, random),
              random_tensor({3}, t, {0.2, 2}, random)},
             {reduction, ignored}});
    return list;
  };
  c.call = [](const Args& a) { return nll_loss2d(a.t[0], a.t[1], a.t[2], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[1].sizes);
    double sum = 0, weights = 0;
    for_each_index(y.sizes, [&](const Sizes& at) {
      const auto target = static_cast<int64_t>(a.t[1].at(at));
      if (target == a.i[1]) return;
      const double weight = a.t[2].at({target});
      y.at(at) = -weight * a.t[0].at({at[0], target, at[1], at[2]});
      sum += y.at(at);
      weights += weight;
    });
    if (a.i[0] == Reduction::None) return y;
    return Array({}, a.i[0] == Reduction::Mean ? sum / weights : sum);
  };
  c.inputs_without_gradient = {2};
  c.tolerance = 4;
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- matrices
Matrix symmetric(const Matrix& x) {
  Matrix y = transposed(x);
  for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += x.v[i];
  return y;
}
Matrix cube(const Matrix& x) { return times(times(x, transposed(x)), x); }

// What the factors must give, whatever their signs.
TAPER_OP_CASES(factors_by_older_names, {
  OpCase symeig = matrix_case(
      "symeig", {{{3, 3}}, {{2, 4, 4}}},
      [](const Args& a) {
        const auto [l, v] = taper::symeig(a.t[0] + a.t[0].mT(), true, false);
        return matmul(v * l.pow(2).unsqueeze(-2), v.mT());
      },
      [](const ArrayArgs& a) {
        return for_matrices(a,
                            [](const auto& x) { return times(symmetric(x[0]), symmetric(x[0])); });
      });
  OpCase svd = matrix_case(
      "svd", {{{3, 3}}, {{2, 4, 2}}, {{2, 3}}},
      [](const Args& a) {
        const auto [u, s, v] = taper::svd(a.t[0]);
        return matmul(u * s.pow(3).unsqueeze(-2), v.mT());
      },
      [](const ArrayArgs& a) { return for_matrices(a, [](const auto& x) { return cube(x[0]); }); });
  OpCase qr = matrix_case(
      "qr", {{{3, 3}}, {{2, 4, 2}}},
      [](const Args& a) {
        const auto [q, r] = taper::qr(a.t[0]);
        return Results{matmul(q, r), matmul(r.mT(), r), r.tril(-1)};
      },
      [](const ArrayArgs& a) {
        return Arrays{a.t[0],
                      for_matrices(a, [](const auto& x) { return times(transposed(x[0]), x[0]); }),
                      for_matrices(a, [](const auto& x) { return Matrix(x[0].n, x[0].n); })};
      });
  for (OpCase* c : {&symeig, &svd, &qr}) c->tolerance = 100;
  return std::vector<OpCase>{symeig, svd, qr};
});

// ---------------------------------------------------------------- norms
/// The roots of the sums of squares over some dimensions, which are kept with size 1.
Array root_of_squares(const Array& x, const Sizes& dims, double p = 2) {
  Sizes sizes = x.sizes;
  for (int64_t d : dims) sizes[static_cast<size_t>(d)] = 1;
  Array y(sizes);
  for_each_index(x.sizes, [&](const Sizes& index) {
    Sizes to = index;
    for (int64_t d : dims) to[static_cast<size_t>(d)] = 0;
    y.at(to) += std::pow(std::abs(x.at(index)), p);
  });
  for (double& v : y.v) v = std::pow(v, 1 / p);
  return y;
}

TAPER_OP_CASES(norms_by_older_names, {
  OpCase frobenius;
  frobenius.name = "frobenius_norm";
  frobenius.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}}, t, {}, {0, 1}), sample_of({{2, 3, 4}}, t, {}, {1}),
                             sample_of({{2, 3, 4}}, t, {}, {0, 2}),
                             sample_of({{5, 33}}, t, {}, {1})};
  };
  frobenius.call = [](const Args& a) { return frobenius_norm(a.t[0], a.i, true); };
  frobenius.reference = [](const ArrayArgs& a) { return root_of_squares(a.t[0], a.i); };
  frobenius.tolerance = 4;
  // Numbers: the order, the dimension that stays.
  OpCase except = frobenius;
  except.name = "norm_except_dim";
  except.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{2, 3}}, t, {}, {2, 0}), sample_of({{2, 3, 4}}, t, {}, {2, 1}),
        sample_of({{2, 3, 4}}, t, {}, {3, 2}), sample_of({{4}}, t, {}, {2, 0})};
  };
  except.call = [](const Args& a) {
    const Tensor y = norm_except_dim(a.t[0], a.i[0], a.i[1]);
    return a.t[0].dim() == 1 ? y.reshape({-1}) : y;
  };
  except.reference = [](const ArrayArgs& a) {
    Sizes others;
    for (int64_t d = 0; d < a.t[0].dim(); ++d)
      if (d != a.i[1]) others.push_back(d);
    return root_of_squares(a.t[0], others, static_cast<double>(a.i[0]));
  };
  // Of A A^T, where it is the trace.
  OpCase nuclear = matrix_case(
      "nuclear_norm", {{{3, 3}}, {{2, 4}}},
      [](const Args& a) { return nuclear_norm(matmul(a.t[0], a.t[0].mT())); },
      [](const ArrayArgs& a) {
        double sum = 0;
        for (double v : a.t[0].v) sum += v * v;
        return Array({}, sum);
      });
  nuclear.errors = {
      error<Error>(
          "Expected a tensor with 2 dimensions, but got a tensor with 1 dimension instead.",
          [] { nuclear_norm(numbers({2})); }),
      error<Error>("nuclear norm requires a 'dim' argument of size 2",
                   [] {
                     nuclear_norm(numbers({2, 2}), IntArrayRef{0});
                   }),
      error<Error>("nuclear_norm: expected two different dimensions, got 0 twice", [] {
        nuclear_norm(numbers({2, 2}), {0, -2});
      })};
  return std::vector<OpCase>{frobenius, except, nuclear};
});

}  // namespace
}  // namespace taper::testing
