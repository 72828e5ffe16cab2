#include <taper/ops/nn/linear.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(linear_case, {
  OpCase c;
  c.name = "linear";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [](ScalarType t) {
    const std::vector<std::vector<std::vector<int64_t>>> shapes = {
        {{2, 3}, {4, 3}, {4}},       {{2, 3}, {4, 3}},
        {{3}, {4, 3}, {4}},          {{3}, {4, 3}},
        {{2, 2, 3}, {4, 3}, {4}},    {{0, 3}, {4, 3}, {4}},
        {{4, 16}, {32, 16}, {32}},   {{4, 32}, {10, 32}, {10}},
        {{65, 130}, {70, 130}, {70}}};
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t, {-2, 2}));
    return list;
  };
  c.call = [](const Args& a) { return linear(a.t[0], a.t[1], a.t.size() > 2 ? a.t[2] : Tensor()); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &w = a.t[1];
    Array y(x.sizes);
    y.sizes.back() = w.size(0);
    y = Array(y.sizes);
    for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> in = at;
      double& sum = y.at(at) = a.t.size() > 2 ? a.t[2].at({at.back()}) : 0;
      for (int64_t k = 0; k < w.size(1); ++k) {
        in.back() = k;
        sum += x.at(in) * w.at({at.back(), k});
      }
    });
    return y;
  };
  c.tolerance = 40;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                           [] {
                             linear(numbers({2, 3}), numbers({5, 4}));
                           }),
              error<Error>("mat1 and mat2 must have the same dtype, but got Double and Float: the "
                           "input is Double, the weight Float, the bias Float",
                           [] {
                             linear(numbers({2, 3}, kDouble), numbers({5, 3}), numbers({5}));
                           }),
              error<Error>("must match the existing size (4)", [] {
                linear(numbers({2, 3}), numbers({5, 3}), numbers({4}));
              })};
  return std::vector{c};
});

}  // namespace
}  // namespace torch::taper::testing
