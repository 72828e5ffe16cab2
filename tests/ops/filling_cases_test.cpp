// Copies with other values, comparisons within tolerances, places of elements that are not zero,
// sums to smaller shapes: what Tensor's methods do with whole tensors, in the harness.
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/search.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/pointwise.h"
#include "ops/taken.h"

namespace taper::testing {
namespace {

const std::vector<ScalarType> kDtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool};
std::vector<Args> any_shape(ScalarType t) { return samples_of_one(t, {-3, 3}); }

Array filled(const Array& x, double value) { return Array(x.sizes, value); }

// ---------------------------------------------------------------- other values
TAPER_OP_CASES(copies_with_other_values, {
  OpCase all;
  all.name = "fill";
  all.fills = true;
  all.dtypes = kDtypes;
  all.samples = &any_shape;
  all.call = [](const Args& a) { return fill(a.t[0], 1); };
  all.inplace = [](const Args& a) { return a.t[0].fill_(1); };
  all.reference = [](const ArrayArgs& a) { return filled(a.t[0], 1); };
  all.errors = {
      error<Error>("fill_ only supports 0-dimension value tensor but got tensor with 1 "
                   "dimensions.",
                   [] { fill(numbers({2}), numbers({2})); })};
  OpCase zeros = all;
  zeros.name = "zero";
  zeros.fills = true;
  zeros.call = [](const Args& a) { return zero(a.t[0]); };
  zeros.inplace = [](const Args& a) { return a.t[0].zero_(); };
  zeros.reference = [](const ArrayArgs& a) { return filled(a.t[0], 0); };
  zeros.errors = {};
  OpCase same = all;
  same.name = "clone";
  same.call = [](const Args& a) { return taper::clone(a.t[0]); };
  same.inplace = {};
  same.reference = [](const ArrayArgs& a) { return a.t[0]; };
  same.errors = {};
  OpCase by_tensor = all;
  by_tensor.name = "fill_tensor";
  by_tensor.fills = true;
  by_tensor.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const std::vector<int64_t>& sizes : {Sizes{}, {0}, {3}, {2, 3}, {1025}})
      list.push_back(sample_of({sizes, {}}, t));
    return list;
  };
  by_tensor.call = [](const Args& a) { return fill(a.t[0], a.t[1]); };
  by_tensor.inplace = [](const Args& a) { return a.t[0].fill_(a.t[1]); };
  by_tensor.reference = [](const ArrayArgs& a) { return filled(a.t[0], a.t[1].v[0]); };
  return std::vector<OpCase>{all, zeros, same, by_tensor};
});

TAPER_OP_CASES(copies, {
  OpCase c;
  c.name = "copy";
  c.dtypes = kDtypes;
  // The second tensor broadcasts to the first.
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {2, 3}}, t), sample_of({{2, 3}, {3}}, t),
                             sample_of({{4, 2}, {4, 1}}, t), sample_of({{}, {}}, t),
                             sample_of({{33}, {}}, t),       sample_of({{0, 2}, {1, 2}}, t)};
  };
  c.call = [](const Args& a) { return taper::copy(a.t[0], a.t[1]); };
  c.inplace = [](const Args& a) { return a.t[0].copy_(a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for_each_index(y.sizes, [&](const Sizes& index) { y.at(index) = a.t[1].broadcast_at(index); });
    return y;
  };
  c.errors = {error<Error>("The size of tensor a (2) must match the size of tensor b (3)",
                           [] { taper::copy(numbers({2}), numbers({3})); })};
  return std::vector<OpCase>{c};
});

// Numbers: whether the diagonal goes on below a square.
TAPER_OP_CASES(filled_diagonals, {
  OpCase c = moving_case(
      "fill_diagonal",
      {{{3, 3}, {0}},
       {{2, 4}, {0}},
       {{7, 2}, {0}},
       {{7, 2}, {1}},
       {{8, 2}, {1}},
       {{4, 3}, {1}},
       {{9, 3}, {1}},
       {{2, 2, 2}, {0}},
       {{0, 3}, {0}}},
      [](const Tensor& x, const Sizes& i) { return x.clone().fill_diagonal_(1, i[0] != 0); },
      [](Array y, const Sizes& i) {
        for_each_index(y.sizes, [&](const Sizes& index) {
          const bool on = i[0] ? index[0] % (y.size(1) + 1) == index[1]
                               : std::count(index.begin(), index.end(), index[0]) == y.dim();
          if (on && y.im.empty()) y.at(index) = 1;
          if (on && !y.im.empty()) y.set_z(y.position(index), 1);
        });
        return y;
      });
  c.errors = {error<Error>("dimensions must larger than 1", [] { numbers({3}).fill_diagonal_(1); }),
              error<Error>("all dimensions of input must be of equal length", [] {
                numbers({2, 2, 3}).fill_diagonal_(1);
              })};
  return std::vector<OpCase>{c};
});

TAPER_OP_CASES(tensors_like_another, {
  struct Like {
    const char* name;
    double value;
    std::function<Tensor(const Tensor&)> of, of_size;
  };
  const Like likes[] = {{"zeros_like", 0, [](const Tensor& x) { return zeros_like(x); },
                         [](const Tensor& x) { return x.new_zeros(x.sizes()); }},
                        {"ones_like", 1, [](const Tensor& x) { return ones_like(x); },
                         [](const Tensor& x) { return x.new_ones(x.sizes()); }},
                        {"full_like", 1, [](const Tensor& x) { return full_like(x, 1); },
                         [](const Tensor& x) { return x.new_full(x.sizes(), 1); }}};
  std::vector<OpCase> list;
  for (const Like& like : likes) {
    OpCase c;
    c.name = like.name;
    c.dtypes = kDtypes;
    c.samples = &any_shape;
    c.call = [like](const Args& a) { return Results{like.of(a.t[0]), like.of_size(a.t[0])}; };
    c.reference = [like](const ArrayArgs& a) {
      return Arrays{filled(a.t[0], like.value), filled(a.t[0], like.value)};
    };
    c.differentiable = false;
    list.push_back(c);
  }
  return list;
});

// ---------------------------------------------------------------- comparisons
TAPER_OP_CASES(close_elements, {
  OpCase c;
  c.name = "isclose";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kInt};
  c.differentiable = false;
  c.result_dtype = &bool_result;
  // The second tensor is near the first in some places; numbers: whether NaNs are equal.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const auto& [one, other] : shapes_of_two()) {
      Args a = sample_of({one, other}, t, {-3, 3}, {static_cast<int64_t>(list.size() % 2)});
      for (int64_t k = 0; k < std::min(a.t[0].numel(), a.t[1].numel()); k += 2)
        set_element(a.t[1], k, get_element(a.t[0], k) * (k % 4 ? 1 : 1.03125));
      if (isFloatingType(t) && a.t[0].numel() > 3 && a.t[1].numel() > 3)
        for (const Tensor& x : a.t) {
          set_element(x, 1, std::numeric_limits<double>::quiet_NaN());
          set_element(x, 3, INFINITY);
        }
      list.push_back(a);
    }
    return list;
  };
  c.call = [](const Args& a) { return isclose(a.t[0], a.t[1], 0.05, 0.01, a.i[0] != 0); };
  c.reference = [](const ArrayArgs& a) {
    Array y(broadcast(a.t[0].sizes, a.t[1].sizes));
    for_each_index(y.sizes, [&](const Sizes& index) {
      const double v = a.t[0].broadcast_at(index), w = a.t[1].broadcast_at(index);
      const bool nans = a.i[0] && std::isnan(v) && std::isnan(w);
      const bool near = std::isfinite(w) && std::abs(v - w) <= 0.01 + 0.05 * std::abs(w);
      y.at(index) = v == w || nans || near;
    });
    return y;
  };
  const Tensor x = numbers({2});
  c.errors = {error<Error>("Float did not match Long", [=] { isclose(x, numbers({2}, kLong)); }),
              error<Error>("rtol must be greater than or equal to zero, but got -1",
                           [=] { isclose(x, x, -1); }),
              error<Error>("atol must be greater than or equal to zero, but got -1",
                           [=] { isclose(x, x, 0, -1); }),
              error<Error>("The size of tensor a (2) must match the size of tensor b (3)",
                           [=] { isclose(x, numbers({3})); })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- places
TAPER_OP_CASES(places_of_elements, {
  OpCase c;
  c.name = "nonzero";
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool, kComplexFloat};
  c.differentiable = false;
  c.result_dtype = [](ScalarType) { return kLong; };
  // A third of the elements are zeros.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const Sizes& sizes : {Sizes{}, {0}, {5}, {2, 3}, {0, 3}, {3, 2, 4}, {1025}, {33, 31}}) {
      Args a = sample_of({sizes}, t);
      for (int64_t k = 0; k < a.t[0].numel(); k += 3)
        for (int part = 0; part <= int(isComplexType(t)); ++part) set_element(a.t[0], k, 0, part);
      list.push_back(a);
    }
    return list;
  };
  c.call = [](const Args& a) { return Results{nonzero(a.t[0]), argwhere(a.t[0])}; };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Array y({0, x.dim()});
    for_each_index(x.sizes, [&](const Sizes& index) {
      if (x.z(x.position(index)) == 0.0) return;
      ++y.sizes[0];
      y.v.insert(y.v.end(), index.begin(), index.end());
    });
    return Arrays{y, y};
  };
  c.covers = {"argwhere"};
  return std::vector<OpCase>{c};
});

// Numbers: whether those that are not there are meant.
TAPER_OP_CASES(members, {
  OpCase c;
  c.name = "isin";
  c.dtypes = {kFloat, kDouble, kLong, kInt, kByte};
  c.differentiable = false;
  c.result_dtype = &bool_result;
  // Whole numbers, few and many of them.
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    Random random(3);
    for (const auto& [elements, tests] : std::vector<std::pair<Sizes, Sizes>>{{{5}, {3}},
                                                                              {{2, 3}, {2, 2}},
                                                                              {{}, {4}},
                                                                              {{4}, {}},
                                                                              {{0}, {3}},
                                                                              {{3}, {0}},
                                                                              {{40, 3}, {100}},
                                                                              {{1025}, {33}}})
      for (int64_t invert = 0; invert < 2; ++invert)
        list.push_back({{random_index(elements, 0, 90, random).to(t),
                         random_index(tests, 0, 90, random).to(t)},
                        {invert}});
    return list;
  };
  c.call = [](const Args& a) { return isin(a.t[0], a.t[1], false, a.i[0] != 0); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for (size_t k = 0; k < y.v.size(); ++k) {
      const auto& tests = a.t[1].v;
      const bool found = std::find(tests.begin(), tests.end(), a.t[0].v[k]) != tests.end();
      y.v[k] = found != (a.i[0] != 0);
    }
    return y;
  };
  return std::vector<OpCase>{c};
});

// Numbers: how many classes.
TAPER_OP_CASES(classes, {
  OpCase c;
  c.name = "one_hot";
  c.dtypes = {kLong};
  c.differentiable = false;
  c.samples = [](ScalarType) {
    Random random(3);
    std::vector<Args> list;
    for (const Sizes& sizes : {Sizes{}, {4}, {2, 3}, {1025}, {0}})
      list.push_back({{random_index(sizes, 0, 5, random)}, {5}});
    return list;
  };
  c.call = [](const Args& a) { return one_hot(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    Sizes sizes = a.t[0].sizes;
    sizes.push_back(a.i[0]);
    Array y(sizes);
    for (size_t k = 0; k < a.t[0].v.size(); ++k)
      y.v[k * static_cast<size_t>(a.i[0]) + static_cast<size_t>(a.t[0].v[k])] = 1;
    return y;
  };
  const auto of = [](std::vector<double> v) { return values(std::move(v), kLong); };
  c.errors = {
      error<Error>("one_hot is only applicable to index tensor.", [] { one_hot(numbers({2})); }),
      error<Error>("Class values must be non-negative.",
                   [of] {
                     one_hot(of({-1, 2}));
                   }),
      error<Error>("Class values must be smaller than num_classes.", [of] { one_hot(of({3}), 3); }),
      error<Error>("Can not infer total number of classes from empty tensor.",
                   [of] { one_hot(of({})); })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- sums
// Numbers: the smaller shape.
TAPER_OP_CASES(sums_to_shapes, {
  OpCase c = moving_case(
      "sum_to_size",
      {{{2, 3}, {2, 1}},
       {{2, 3}, {3}},
       {{2, 3}, {}},
       {{4, 2, 3}, {1, 3}},
       {{2, 3}, {2, 3}},
       {{0, 3}, {1, 3}},
       {{5, 33}, {33}}},
      [](const Tensor& x, const Sizes& i) { return x.sum_to_size(i); },
      [](const Array& x, const Sizes& i) {
        Array y(i);
        const size_t added = x.sizes.size() - i.size();
        for_each_index(x.sizes, [&](const Sizes& index) {
          Sizes to(index.begin() + std::ptrdiff_t(added), index.end());
          for (size_t d = 0; d < to.size(); ++d) to[d] = i[d] == 1 ? 0 : to[d];
          y.at(to) += x.at(index);
        });
        return y;
      });
  c.dtypes = {kFloat, kDouble, kLong};
  c.is_view = true;  // of the tensor's own size
  c.tolerance = 4;
  c.errors = {error<Error>("size {[4]} is not expandable to size {[2, 3]}.", [] {
    numbers({2, 3}).sum_to_size({4});
  })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- derivatives from outputs
TAPER_OP_CASES(derivatives_from_outputs, {
  struct Derivative {
    const char* name;
    Tensor (*op)(const Tensor&, const Tensor&);
    double (*f)(double, double);
  };
  const Derivative derivatives[] = {
      {"relu_backward", &relu_backward, [](double g, double y) { return y > 0 ? g : 0; }},
      {"tanh_backward", &tanh_backward, [](double g, double y) { return g * (1 - y * y); }},
      {"sigmoid_backward", &sigmoid_backward, [](double g, double y) { return g * y * (1 - y); }}};
  std::vector<OpCase> list;
  for (const Derivative& d : derivatives) {
    OpCase c;
    c.name = d.name;
    c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
    c.samples = [](ScalarType t) {
      std::vector<Args> samples;
      for (const Sizes& sizes : shapes_of_one(t)) samples.push_back(sample_of({sizes, sizes}, t));
      return samples;
    };
    c.call = [d](const Args& a) { return d.op(a.t[0], a.t[1]); };
    c.reference = [d](const ArrayArgs& a) { return map(a.t[0], a.t[1], d.f); };
    c.tolerance = 4;
    list.push_back(c);
  }
  return list;
});

}  // namespace
}  // namespace taper::testing
