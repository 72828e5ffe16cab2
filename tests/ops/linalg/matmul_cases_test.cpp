// Products of matrices, vectors and batches in the harness, and their sums with another tensor.
#include <taper/ops/linalg/matmul.h>

#include <algorithm>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "ops/linalg/naive_products.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kNumbers = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte};
const Range kSmall = {-2, 2};

// Shapes around the sizes where the implementation changes: tiles of 6 rows and 64 columns, panels,
// libraries.
std::vector<Args> samples_of_mm(ScalarType dtype) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1, 1, 1},   {2, 3, 4},   {0, 3, 2},   {2, 0, 3},  {3, 2, 0},   {8, 8, 8},
      {7, 33, 17}, {13, 5, 65}, {4, 16, 32}, {6, 2, 64}, {31, 40, 1}, {1, 70, 31},
      {37, 2, 2},  {40, 3, 3},  {21, 4, 4},  {50, 8, 8}, {33, 2, 4},  {20, 3, 8}};
  std::vector<Args> list;
  for (const auto& s : shapes)
    list.push_back(sample_of({{s[0], s[1]}, {s[1], s[2]}}, dtype, kSmall));
  if (dtype != kFloat && dtype != kDouble) return list;
  list.push_back(sample_of({{130, 40}, {40, 150}}, dtype, kSmall));
  list.push_back(sample_of({{20, 600}, {600, 70}}, dtype, kSmall));
  list.push_back(sample_of({{100, 300}, {300, 130}}, dtype, kSmall));
  return list;
}

TAPER_OP_CASES(mm_case, {
  OpCase c;
  c.name = "mm";
  c.dtypes = kNumbers;
  c.samples = samples_of_mm;
  c.call = [](const Args& a) { return mm(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return mm_out(out, a.t[0], a.t[1]); };
  c.tolerance = 40;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                           [] {
                             mm(numbers({2, 3}), numbers({4, 5}));
                           }),
              error<Error>("self must be a matrix",
                           [] {
                             mm(numbers({3}), numbers({3, 5}));
                           }),
              error<Error>("mat2 must be a matrix",
                           [] {
                             mm(numbers({3, 3}), numbers({3}));
                           }),
              error<Error>("expected scalar type Float but found Double",
                           [] {
                             mm(numbers({2, 3}), numbers({3, 2}, kDouble));
                           }),
              error<NotImplementedError>("not implemented for 'Bool'", [] {
                mm(numbers({2, 3}, kBool), numbers({3, 2}, kBool));
              })};
  return std::vector{c};
});

TAPER_OP_CASES(bmm_case, {
  OpCase c;
  c.name = "bmm";
  c.dtypes = {kFloat, kDouble, kBFloat16, kLong};
  c.samples = [](ScalarType t) {
    return std::vector{sample_of({{3, 2, 5}, {3, 5, 4}}, t, kSmall),
                       sample_of({{0, 2, 5}, {0, 5, 4}}, t, kSmall),
                       sample_of({{2, 7, 0}, {2, 0, 4}}, t, kSmall),
                       sample_of({{5, 17, 33}, {5, 33, 9}}, t, kSmall),
                       sample_of({{1, 1, 1}, {1, 1, 1}}, t, kSmall)};
  };
  c.call = [](const Args& a) { return bmm(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply_batch(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return bmm_out(out, a.t[0], a.t[1]); };
  c.tolerance = 40;
  c.errors = {
      error<Error>("batch1 must be a 3D tensor",
                   [] {
                     bmm(numbers({2, 3}), numbers({3, 5}));
                   }),
      error<Error>("batch2 must be a 3D tensor",
                   [] {
                     bmm(numbers({2, 2, 3}), numbers({3, 5}));
                   }),
      error<Error>("Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: "
                   "[2, 4].",
                   [] {
                     bmm(numbers({2, 2, 3}), numbers({2, 4, 5}));
                   })};
  return std::vector{c};
});

TAPER_OP_CASES(vector_cases, {
  OpCase m;
  m.name = "mv";
  m.tolerance = 40;
  m.dtypes = {kFloat, kDouble, kLong};
  m.samples = [](ScalarType t) {
    return std::vector{sample_of({{2, 3}, {3}}, t, kSmall), sample_of({{0, 3}, {3}}, t, kSmall),
                       sample_of({{2, 0}, {0}}, t, kSmall), sample_of({{33, 65}, {65}}, t, kSmall)};
  };
  m.call = [](const Args& a) { return mv(a.t[0], a.t[1]); };
  m.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  m.errors = {error<Error>("size mismatch, got 2, 2x3,4", [] {
    mv(numbers({2, 3}), numbers({4}));
  })};

  OpCase d;
  d.name = "dot";
  d.dtypes = {kFloat, kDouble, kLong, kHalf};
  d.samples = [](ScalarType t) {
    return std::vector{sample_of({{3}, {3}}, t, kSmall), sample_of({{0}, {0}}, t, kSmall),
                       sample_of({{33}, {33}}, t, kSmall)};
  };
  d.call = [](const Args& a) { return dot(a.t[0], a.t[1]); };
  d.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  d.covers = {"vdot"};
  d.errors = {
      error<Error>("1D tensors expected, but got 2D and 1D tensors",
                   [] {
                     dot(numbers({3, 1}), numbers({3}));
                   }),
      error<Error>("inconsistent tensor size, expected tensor [3] and src [4] to have the same "
                   "number of elements, but got 3 and 4 elements respectively",
                   [] { dot(numbers({3}), numbers({4})); }),
      error<Error>("dot : expected both vectors to have same dtype, but found Float and Double",
                   [] { dot(numbers({3}), numbers({3}, kDouble)); })};

  OpCase o;
  o.name = "outer";
  o.samples = [](ScalarType t) {
    return std::vector{sample_of({{3}, {4}}, t), sample_of({{0}, {4}}, t)};
  };
  o.call = [](const Args& a) { return outer(a.t[0], a.t[1]); };
  o.reference = [](const ArrayArgs& a) {
    Array x = a.t[0], y = a.t[1];
    x.sizes.push_back(1);
    y.sizes.insert(y.sizes.begin(), 1);
    return multiply(x, y);
  };
  o.covers = {"ger"};
  o.errors = {error<Error>("outer: Expected 1-D argument self, but got 2-D", [] {
    outer(numbers({2, 3}), numbers({2}));
  })};
  return std::vector{m, d, o};
});

TAPER_OP_CASES(matmul_case, {
  OpCase c;
  c.name = "matmul";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    const std::vector<std::vector<std::vector<int64_t>>> shapes = {{{3}, {3}},
                                                                   {{2, 3}, {3}},
                                                                   {{3}, {3, 4}},
                                                                   {{2, 3}, {3, 4}},
                                                                   {{5, 2, 3}, {3}},
                                                                   {{5, 2, 3}, {3, 4}},
                                                                   {{3}, {5, 3, 4}},
                                                                   {{2, 3}, {5, 3, 4}},
                                                                   {{5, 2, 3}, {5, 3, 4}},
                                                                   {{6, 1, 2, 3}, {5, 3, 4}},
                                                                   {{2, 1, 2, 3}, {1, 3, 3, 2}},
                                                                   {{2, 2, 2, 3}, {3, 4}},
                                                                   {{0, 2, 3}, {3, 4}},
                                                                   {{2, 3}, {2, 2, 3, 4}}};
    std::vector<Args> list;
    for (const auto& s : shapes) list.push_back(sample_of(s, t, kSmall));
    return list;
  };
  c.call = [](const Args& a) { return matmul(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) { return multiply_any(a.t[0], a.t[1]); };
  c.out = [](Tensor& out, const Args& a) { return matmul_out(out, a.t[0], a.t[1]); };
  c.errors = {
      error<Error>("both arguments to matmul need to be at least 1D, but they are 0D and 1D",
                   [] { matmul(numbers({}), numbers({3})); }),
      error<Error>("The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
                   "dimension 0",
                   [] {
                     matmul(numbers({2, 3, 4}), numbers({3, 4, 5}));
                   }),
      error<Error>("mat1 and mat2 shapes cannot be multiplied (6x4 and 5x3)", [] {
        matmul(numbers({2, 3, 4}), numbers({5, 3}));
      })};
  return std::vector{c};
});

TAPER_OP_CASES(addmm_activation_case, {
  OpCase c;
  c.name = "_addmm_activation";
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong};
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t beta : {1, 0, 2})
      for (const auto& s : std::vector<std::vector<std::vector<int64_t>>>{{{4}, {2, 3}, {3, 4}},
                                                                          {{}, {2, 3}, {3, 4}},
                                                                          {{4}, {0, 3}, {3, 4}},
                                                                          {{4}, {2, 0}, {0, 4}},
                                                                          {{33}, {7, 5}, {5, 33}}})
        list.push_back(sample_of(s, t, kSmall, {beta, 3 - beta}));
    return list;
  };
  c.call = [](const Args& a) { return _addmm_activation(a.t[0], a.t[1], a.t[2], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y = blend(a.t[0], multiply(a.t[1], a.t[2]), a.i[0], a.i[1]);
    for (double& v : y.v) v = std::max(v, 0.0);
    return y;
  };
  c.tolerance = 10;
  c.errors = {error<Error>("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x5)",
                           [] {
                             _addmm_activation(numbers({5}), numbers({3, 4}), numbers({5, 5}));
                           }),
              error<NotImplementedError>("not implemented for 'Long'", [] {
                _addmm_activation(numbers({5}, kLong), numbers({3, 4}, kLong),
                                  numbers({4, 5}, kLong), 1, 1, /*use_gelu=*/true);
              })};
  return std::vector{c};
});

TAPER_OP_CASES(chain_case, {
  OpCase c;
  c.name = "chain_matmul";
  c.samples = [](ScalarType t) {
    return std::vector{sample_of({{2, 3}, {3, 4}, {4, 2}}, t, kSmall),
                       sample_of({{2, 3}}, t, kSmall),
                       sample_of({{5, 2}, {2, 6}, {6, 1}, {1, 3}}, t, kSmall)};
  };
  c.call = [](const Args& a) { return chain_matmul(a.t).clone(); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (size_t i = 1; i < a.t.size(); ++i) y = multiply(y, a.t[i]);
    return y;
  };
  c.errors = {error<Error>("Expected one or more matrices", [] { chain_matmul(TensorList()); })};
  return std::vector{c};
});

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
      error<Error>(
          "self and mat2 must have the same dtype, but got Double and Float, and a mat1 of "
          "Float",
          [] {
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

OpCase inner_case() {
  OpCase c;
  c.name = "inner";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{5}, {5}}, t), sample_of({{3, 33}, {33}}, t),
                             sample_of({{2, 3, 4}, {5, 4}}, t), sample_of({{}, {2, 3}}, t),
                             sample_of({{3, 0}, {2, 0}}, t)};
  };
  c.call = [](const Args& a) { return inner(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array &x = a.t[0], &y = a.t[1];
    if (x.dim() == 0 || y.dim() == 0) {
      Array r = x.dim() == 0 ? y : x;
      for (double& v : r.v) v *= x.dim() == 0 ? x.v[0] : y.v[0];
      return r;
    }
    std::vector<int64_t> sizes(x.sizes.begin(), x.sizes.end() - 1);
    sizes.insert(sizes.end(), y.sizes.begin(), y.sizes.end() - 1);
    Array r{sizes};
    const int64_t k = x.size(-1), columns = k > 0 ? y.numel() / k : 1;
    for (int64_t i = 0; k > 0 && i < r.numel(); ++i)
      for (int64_t j = 0; j < k; ++j) r.v[i] += x.v[i / columns * k + j] * y.v[i % columns * k + j];
    return r;
  };
  c.errors = {
      error<Error>("inner() the last dimension must match on both input tensors but got "
                   "shapes [2, 2] and [3]",
                   [] {
                     inner(zeros({2, 2}), zeros({3}));
                   })};
  return c;
}

TAPER_OP_CASES(inner_products, { return std::vector<OpCase>{inner_case()}; });

}  // namespace
}  // namespace torch::taper::testing
