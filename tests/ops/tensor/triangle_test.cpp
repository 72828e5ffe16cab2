// Triangles and diagonals of matrices.
#include <taper/ops/tensor/triangle.h>

#include <algorithm>
#include <vector>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};
OpCase triangle_case(bool upper) {
  OpCase c;
  c.name = upper ? "triu" : "tril";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t k : {-4, -1, 0, 1, 2, 9})
      for (const Sizes& s : {Sizes{3, 3}, {2, 4}, {5, 2}, {2, 3, 3}, {0, 3}, {3, 0}})
        list.push_back(sample_of({s}, t, {}, {k}));
    return list;
  };
  c.call = [upper](const Args& a) { return upper ? triu(a.t[0], a.i[0]) : tril(a.t[0], a.i[0]); };
  c.inplace = [upper](const Args& a) {
    return upper ? a.t[0].triu_(a.i[0]) : a.t[0].tril_(a.i[0]);
  };
  c.reference = [upper](const ArrayArgs& a) {
    const int64_t rank = a.t[0].dim();
    return rearranged(a.t[0], a.t[0].sizes, [&](Sizes& index) {
      const int64_t right = index[rank - 1] - index[rank - 2];
      return upper ? right >= a.i[0] : right <= a.i[0];
    });
  };
  return c;
}

OpCase diag_case() {
  OpCase c;
  c.name = "diag";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (int64_t k : {-1, 0, 2})
      for (const Sizes& s : {Sizes{3}, {1}, {3, 3}, {2, 4}, {4, 2}})
        list.push_back(sample_of({s}, t, {}, {k}));
    return list;
  };
  c.call = [](const Args& a) { return diag(a.t[0], a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t k = a.i[0], down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
    if (x.dim() == 1) {
      const int64_t n = x.numel() + down + right;
      Array y{{n, n}};
      for (int64_t i = 0; i < x.numel(); ++i) y.at({i + down, i + right}) = x.v[i];
      return y;
    }
    std::vector<double> v;
    for (int64_t i = 0; i + down < x.sizes[0] && i + right < x.sizes[1]; ++i)
      v.push_back(x.at({i + down, i + right}));
    Array y{{static_cast<int64_t>(v.size())}};
    y.v = v;
    return y;
  };
  return c;
}

OpCase trace_case() {
  OpCase c;
  c.name = "trace";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 3}}, t), sample_of({{2, 4}}, t),
                             sample_of({{0, 4}}, t)};
  };
  c.call = [](const Args& a) { return trace(a.t[0]); };
  c.reference = [](const ArrayArgs& a) {
    Array y{{}};
    for (int64_t i = 0; i < std::min(a.t[0].sizes[0], a.t[0].sizes[1]); ++i)
      y.v[0] += a.t[0].at({i, i});
    return y;
  };
  return c;
}

TAPER_OP_CASES(triangles, {
  return std::vector<OpCase>{triangle_case(false), triangle_case(true), diag_case(), trace_case()};
});

}  // namespace
}  // namespace torch::taper::testing
