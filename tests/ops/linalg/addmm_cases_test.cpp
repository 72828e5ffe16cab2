// beta * self + alpha * product in the harness: of matrices, vectors, batches and outer products.
#include <taper/ops/linalg/matmul.h>

#include "ops/linalg/products.h"

namespace taper::testing {
namespace {

TAPER_OP_CASES(addmm_cases, {
  const auto blended = [](const char* name, std::vector<std::vector<std::vector<int64_t>>> shapes,
                          std::function<Tensor(const Args&)> call,
                          std::function<Array(const Array&, const Array&)> product) {
    OpCase c;
    c.name = name;
    c.dtypes = {kFloat, kDouble, kLong};
    c.samples = [shapes](ScalarType t) {
      std::vector<Args> list;
      for (const auto& s : shapes)
        for (double beta : {1.0, 0.0, 2.0})
          list.push_back(sample_of(s, t, Range{-2, 2}, {}, {beta, 3.0 - beta}));
      return list;
    };
    c.call = [call](const Args& a) { return call(a); };
    c.reference = [product](const ArrayArgs& a) {
      return blend(a.t[0], product(a.t[1], a.t[2]), a.d[0], a.d[1]);
    };
    return c;
  };
  const auto number = [](const Args& a, size_t i) {
    return a.t[0].is_floating_point() ? Scalar(a.d[i]) : Scalar(static_cast<int64_t>(a.d[i]));
  };
  OpCase mm_case = blended(
      "addmm",
      {{{2, 4}, {2, 3}, {3, 4}},
       {{4}, {2, 3}, {3, 4}},
       {{2, 1}, {2, 3}, {3, 4}},
       {{}, {2, 3}, {3, 4}},
       {{2, 4}, {2, 0}, {0, 4}},
       {{0, 4}, {0, 3}, {3, 4}}},
      [number](const Args& a) { return addmm(a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1)); },
      multiply);
  mm_case.errors = {
      error<Error>("The expanded size of the tensor (3) must match the existing size (2) at "
                   "non-singleton dimension 1.  Target sizes: [2, 3].  Tensor sizes: [2]",
                   [] {
                     addmm(numbers({2}), numbers({2, 3}), numbers({3, 3}));
                   }),
      error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)",
                   [] {
                     addmm(numbers({3}), numbers({2, 3}), numbers({4, 3}));
                   }),
      error<Error>("self and mat2 must have the same dtype", [] {
        addmm(numbers({3}, kDouble), numbers({2, 3}), numbers({3, 3}));
      })};
  OpCase mv_case = blended(
      "addmv", {{{2}, {2, 3}, {3}}, {{1}, {2, 3}, {3}}, {{}, {2, 3}, {3}}},
      [number](const Args& a) { return addmv(a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1)); },
      [](const Array& a, const Array& b) { return multiply_any(a, b); });
  mv_case.errors = {error<Error>("size mismatch, got 2, 2x3,4", [] {
    addmv(numbers({2}), numbers({2, 3}), numbers({4}));
  })};
  OpCase bmm_case = blended(
      "baddbmm", {{{2, 2, 4}, {2, 2, 3}, {2, 3, 4}}, {{4}, {2, 2, 3}, {2, 3, 4}}},
      [number](const Args& a) {
        return baddbmm(a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
      },
      multiply_batch);
  bmm_case.errors = {error<Error>("batch2 must be a 3D tensor", [] {
    baddbmm(numbers({2}), numbers({2, 2, 3}), numbers({3, 4}));
  })};
  OpCase sum_case = blended(
      "addbmm", {{{2, 4}, {3, 2, 3}, {3, 3, 4}}, {{4}, {2, 2, 3}, {2, 3, 4}}},
      [number](const Args& a) {
        return addbmm(a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
      },
      [](const Array& a, const Array& b) {
        const Array each = multiply_batch(a, b);
        Array y({each.size(1), each.size(2)});
        for_each_index(each.sizes, [&](const std::vector<int64_t>& at) {
          y.at({at[1], at[2]}) += each.at(at);
        });
        return y;
      });
  mm_case.out = [number](Tensor& out, const Args& a) {
    return addmm_out(out, a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  mv_case.out = [number](Tensor& out, const Args& a) {
    return addmv_out(out, a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  bmm_case.out = [number](Tensor& out, const Args& a) {
    return baddbmm_out(out, a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  sum_case.out = [number](Tensor& out, const Args& a) {
    return addbmm_out(out, a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  mm_case.inplace = [number](const Args& a) {
    return a.t[0].addmm_(a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  mv_case.inplace = [number](const Args& a) {
    return a.t[0].addmv_(a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  bmm_case.inplace = [number](const Args& a) {
    return a.t[0].baddbmm_(a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  sum_case.inplace = [number](const Args& a) {
    return a.t[0].addbmm_(a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  OpCase outer_case = blended(
      "addr", {{{2, 3}, {2}, {3}}, {{3}, {2}, {3}}, {{}, {4}, {1}}, {{0, 3}, {0}, {3}}},
      [number](const Args& a) { return addr(a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1)); },
      [](Array a, Array b) {
        a.sizes.push_back(1);
        b.sizes.insert(b.sizes.begin(), 1);
        return multiply(a, b);
      });
  outer_case.inplace = [number](const Args& a) {
    return a.t[0].addr_(a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  outer_case.out = [number](Tensor& out, const Args& a) {
    return addr_out(out, a.t[0], a.t[1], a.t[2], number(a, 0), number(a, 1));
  };
  outer_case.errors = {error<Error>("addr: Expected 1-D argument vec1, but got 2-D", [] {
    addr(numbers({2, 3}), numbers({2, 1}), numbers({3}));
  })};
  return std::vector{mm_case, mv_case, bmm_case, sum_case, outer_case};
});

}  // namespace
}  // namespace taper::testing
