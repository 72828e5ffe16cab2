#include <functional>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/meshgrid.h>
#include <taper/ops/tensor/repeat.h>
#include <taper/ops/tensor/triangle.h>

#include "test_util.h"

namespace taper::testing {
namespace {

using Sizes = std::vector<int64_t>;
const std::vector<ScalarType> kAllDtypes = {kFloat, kDouble, kHalf, kLong, kInt, kByte, kBool};

int64_t wrapped(int64_t d, int64_t rank) { return d < 0 ? d + rank : d; }

/// y[index] = x[f(index)] for every index of `sizes`; f returns false for a place that stays 0.
template <class Map>
Array rearranged(const Array& x, const Sizes& sizes, const Map& f) {
  Array y{sizes};
  for_each_index(sizes, [&](const Sizes& index) {
    Sizes from = index;
    if (f(from)) y.at(index) = x.at(from);
  });
  return y;
}

Array concatenated(const std::vector<Array>& xs, int64_t dim) {
  dim = wrapped(dim, xs[0].dim());
  Sizes sizes = xs[0].sizes;
  sizes[dim] = 0;
  for (const Array& x : xs) sizes[dim] += x.sizes[dim];
  Array y{sizes};
  int64_t start = 0;
  for (const Array& x : xs) {
    for_each_index(x.sizes, [&](const Sizes& index) {
      Sizes to = index;
      to[dim] += start;
      y.at(to) = x.at(index);
    });
    start += x.sizes[dim];
  }
  return y;
}

Array with_dim(Array x, int64_t dim) {
  x.sizes.insert(x.sizes.begin() + wrapped(dim, x.dim() + 1), 1);
  return x;
}

template <class T>
Sizes tail(const T& v) {
  return Sizes(v.begin(), v.end());
}

// ---------------------------------------------------------------- joining
OpCase cat_case() {
  OpCase c;
  c.name = "cat";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}, {1}, {33}}, t, {}, {0}),
        sample_of({{2, 3}, {2, 1}, {2, 4}}, t, {}, {1}),
        sample_of({{2, 3, 2}, {5, 3, 2}}, t, {}, {-3}),
        sample_of({{2, 0}, {2, 3}}, t, {}, {-1}),
        sample_of({{0, 3}, {0, 3}}, t, {}, {0}),
        sample_of({{1, 31, 33}, {1, 2, 33}, {1, 1, 33}}, t, {}, {1}),
        sample_of({{2}}, t, {}, {0}),
    };
  };
  c.call = [](const Args& a) { return cat(a.t, a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return cat_out(y, a.t, a.i[0]); };
  c.reference = [](const ArrayArgs& a) { return concatenated(a.t, a.i[0]); };
  c.covers = {"concat", "concatenate"};
  return c;
}

OpCase stack_case() {
  OpCase c;
  c.name = "stack";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{}, {}}, t, {}, {0}),          sample_of({{3}, {3}, {3}}, t, {}, {1}),
        sample_of({{2, 3}, {2, 3}}, t, {}, {-1}), sample_of({{2, 3}, {2, 3}}, t, {}, {1}),
        sample_of({{0}, {0}}, t, {}, {0}),        sample_of({{33, 31}, {33, 31}}, t, {}, {0}),
    };
  };
  c.call = [](const Args& a) { return stack(a.t, a.i[0]); };
  c.out = [](Tensor& y, const Args& a) { return stack_out(y, a.t, a.i[0]); };
  c.reference = [](const ArrayArgs& a) {
    std::vector<Array> list;
    for (const Array& x : a.t) list.push_back(with_dim(x, a.i[0]));
    return concatenated(list, wrapped(a.i[0], list[0].dim()));
  };
  return c;
}

// ---------------------------------------------------------------- repeating
OpCase repeat_case() {
  OpCase c;
  c.name = "repeat";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{3}}, t, {}, {2}),
        sample_of({{2, 3}}, t, {}, {2, 3}),
        sample_of({{2, 3}}, t, {}, {3, 1, 2}),
        sample_of({{}}, t, {}, {4}),
        sample_of({{2, 3}}, t, {}, {1, 1}),
        sample_of({{2, 3}}, t, {}, {0, 2}),
        sample_of({{}}, t, {}, {}),
    };
  };
  c.call = [](const Args& a) { return repeat(a.t[0], a.i); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const size_t missing = a.i.size() - x.sizes.size();
    Sizes sizes = a.i;
    for (size_t d = missing; d < sizes.size(); ++d) sizes[d] *= x.sizes[d - missing];
    Array y{sizes};
    for_each_index(sizes, [&](const Sizes& index) {
      Sizes from(index.begin() + missing, index.end());
      for (size_t d = 0; d < from.size(); ++d) from[d] %= x.sizes[d];
      y.at(index) = x.at(from);
    });
    return y;
  };
  c.covers = {"tile"};
  return c;
}

OpCase repeat_interleave_case() {
  OpCase c;
  c.name = "repeat_interleave";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}}, t, {}, {2, 0}), sample_of({{2, 3}}, t, {}, {3, -1}),
                             sample_of({{2, 3}}, t, {}, {2, 0}),
                             sample_of({{2, 3}}, t, {}, {0, 0})};
  };
  c.call = [](const Args& a) { return repeat_interleave(a.t[0], a.i[0], a.i[1]); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    const int64_t d = wrapped(a.i[1], x.dim());
    Sizes sizes = x.sizes;
    sizes[d] *= a.i[0];
    return rearranged(x, sizes, [&](Sizes& i) {
      i[d] /= a.i[0];
      return true;
    });
  };
  return c;
}

// ---------------------------------------------------------------- rearranging
OpCase flip_case() {
  OpCase c;
  c.name = "flip";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}}, t, {}, {0}),           sample_of({{2, 3}}, t, {}, {0, 1}),
        sample_of({{2, 3, 4}}, t, {}, {-1, 0}), sample_of({{2, 3}}, t, {}, {}),
        sample_of({{0, 3}}, t, {}, {1}),        sample_of({{33, 31}}, t, {}, {1})};
  };
  c.call = [](const Args& a) { return flip(a.t[0], a.i); };
  c.reference = [](const ArrayArgs& a) {
    const Array& x = a.t[0];
    return rearranged(x, x.sizes, [&](Sizes& index) {
      for (int64_t d : a.i) {
        const int64_t w = wrapped(d, x.dim());
        index[w] = x.sizes[w] - 1 - index[w];
      }
      return true;
    });
  };
  c.covers = {"fliplr", "flipud"};
  return c;
}

// Numbers: how many shifts, the shifts, the dims.
OpCase roll_case() {
  OpCase c;
  c.name = "roll";
  c.dtypes = kAllDtypes;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{
        sample_of({{5}}, t, {}, {1, 2, 0}),           sample_of({{2, 3}}, t, {}, {1, -1, 1}),
        sample_of({{3, 4}}, t, {}, {2, 1, -6, 0, 1}), sample_of({{3, 4}}, t, {}, {1, 5}),
        sample_of({{0, 4}}, t, {}, {1, 5, 0}),        sample_of({{3, 4}}, t, {}, {2, 1, 1, 1, 1}),
    };
  };
  const auto shifts = [](const Sizes& i) { return Sizes(i.begin() + 1, i.begin() + 1 + i[0]); };
  const auto dims = [](const Sizes& i) { return Sizes(i.begin() + 1 + i[0], i.end()); };
  c.call = [=](const Args& a) { return roll(a.t[0], shifts(a.i), dims(a.i)); };
  c.reference = [=](const ArrayArgs& a) {
    const Sizes by = shifts(a.i), at = dims(a.i);
    Array x = a.t[0];
    const Sizes sizes = x.sizes;
    if (at.empty()) x.sizes = {x.numel()};
    for (size_t k = 0; k < by.size(); ++k) {
      const int64_t d = at.empty() ? 0 : at[k];
      x = rearranged(x, x.sizes, [&](Sizes& index) {
        const int64_t n = x.sizes[d];
        index[d] = ((index[d] - by[k]) % n + n) % n;
        return true;
      });
    }
    x.sizes = sizes;
    return x;
  };
  return c;
}

// ---------------------------------------------------------------- triangles and diagonals
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

// ---------------------------------------------------------------- padding
/// The element of a dimension of length n that place i (from -before on) shows; -1 for none.
int64_t padded_source(const std::string& mode, int64_t i, int64_t n, int64_t before,
                      int64_t after) {
  if (mode == "replicate") return std::min(std::max<int64_t>(i, 0), n - 1);
  if (mode == "circular") {  // what negative padding leaves goes round
    const int64_t first = std::max<int64_t>(-before, 0);
    const int64_t left = n - first - std::max<int64_t>(-after, 0);
    return first + (i - first + 5 * left) % left;
  }
  if (mode == "reflect") return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
  return i < 0 || i >= n ? -1 : i;
}

OpCase pad_case(const std::string& mode) {
  OpCase c;
  c.name = "pad_" + mode;
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [mode](ScalarType t) {
    std::vector<Args> list = {
        sample_of({{2, 3}}, t, {}, {1, 2}),
        sample_of({{2, 3, 5}}, t, {}, {0, 3}),
        sample_of({{2, 3, 4}}, t, {}, {2, 0, 1, 1}),
        sample_of({{1, 2, 3, 4}}, t, {}, {3, 2, 1, 2}),
        sample_of({{1, 1, 2, 3, 2}}, t, {}, {1, 1, 2, 0, 1, 1}),
    };
    if (mode == "circular") {
      list.push_back(sample_of({{2, 1, 3, 5}}, t, {}, {5, 4, 3, 0}));
      list.push_back(sample_of({{1, 2, 5}}, t, {}, {2, -1}));
    }
    if (mode != "constant") return list;
    list.push_back(sample_of({{5}}, t, {}, {1, 2}));
    list.push_back(sample_of({{5, 4}}, t, {}, {-1, 2, 1, -2}));
    list.push_back(sample_of({{0, 4}}, t, {}, {1, 1, 1, 2}));
    list.push_back(sample_of({{3}}, t, {}, {-2, -1}));
    return list;
  };
  c.call = [mode](const Args& a) { return pad(a.t[0], a.i, mode); };
  c.reference = [mode](const ArrayArgs& a) {
    const Array& x = a.t[0];
    Sizes sizes = x.sizes;
    const auto padding = [&](int64_t d, size_t side) {
      const size_t k = 2 * static_cast<size_t>(x.dim() - 1 - d) + side;
      return k < a.i.size() ? a.i[k] : 0;
    };
    for (size_t k = 0; k < a.i.size(); ++k) sizes[sizes.size() - 1 - k / 2] += a.i[k];
    return rearranged(x, sizes, [&](Sizes& index) {
      for (int64_t d = 0; d < x.dim(); ++d) {
        const int64_t before = padding(d, 0);
        index[d] = padded_source(mode, index[d] - before, x.sizes[d], before, padding(d, 1));
        if (index[d] < 0) return false;
      }
      return true;
    });
  };
  c.covers = {"constant_pad_nd", "reflection_pad1d", "replication_pad1d"};
  return c;
}

TAPER_OP_CASES(shape, {
  return std::vector<OpCase>{cat_case(),
                             stack_case(),
                             repeat_case(),
                             repeat_interleave_case(),
                             flip_case(),
                             roll_case(),
                             triangle_case(false),
                             triangle_case(true),
                             diag_case(),
                             trace_case(),
                             pad_case("constant"),
                             pad_case("reflect"),
                             pad_case("replicate"),
                             pad_case("circular")};
});

// ---------------------------------------------------------------- beyond the cases
TEST(Cat, DtypesPromoteAndGradientsComeBack) {
  const Tensor a = ones({2}, TensorOptions(kFloat).requires_grad(true)), b = arange(3);
  const Tensor y = cat({a, b, ones({1}, TensorOptions(kDouble).requires_grad(true))});
  EXPECT_EQ(y.scalar_type(), kDouble);
  y.backward(arange(6.0, kDouble));
  EXPECT_EQ(a.grad().scalar_type(), kFloat);
  expect_values(a.grad(), {2}, {0, 1});
  expect_values(cat({zeros({2}, kBool), ones({1}, kLong)}), {3}, {0, 0, 1});
}

TEST(Cat, SkipsEmptyVectors) {
  const Tensor x = ones({2, 3}, requires_grad()), none = zeros({0}, requires_grad());
  const Tensor y = cat({none, x, none}, 1);
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 3}));
  y.backward(ones({2, 3}));
  EXPECT_EQ(none.grad().sizes(), IntArrayRef({0}));
  EXPECT_EQ(cat({none, none}).sizes(), IntArrayRef({0}));
}

TEST(Cat, Errors) {
  expect_error("torch.cat(): expected a non-empty list of Tensors", [] { cat({}); });
  expect_error(
      "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
      "tensor "
      "number 1 in the list.",
      [] {
        cat({zeros({2, 3}), zeros({2, 4})});
      });
  expect_error("Tensors must have same number of dimensions: got 2 and 1", [] {
    cat({zeros({2, 3}), zeros({2})});
  });
  expect_error("zero-dimensional tensor (at position 0) cannot be concatenated", [] {
    cat({tensor(1.), tensor(2.)});
  });
  expect_error<IndexError>("Dimension out of range (expected to be in range of [-1, 0], but got 3)",
                           [] {
                             cat({zeros({2}), zeros({2})}, 3);
                           });
  expect_error("undefined", [] { cat({zeros({2}), Tensor()}); });
  expect_error("stack expects a non-empty TensorList", [] { stack({}); });
  expect_error(
      "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1", [] {
        stack({zeros({2}), zeros({3})});
      });
  expect_error<IndexError>("expected to be in range of [-2, 1], but got 5", [] {
    stack({zeros({2}), zeros({2})}, 5);
  });
}

TEST(Cat, ByRank) {
  const Tensor a = arange(2), m = arange(4).view({2, 2});
  expect_values(hstack({a, a}), {4}, {0, 1, 0, 1});
  expect_values(hstack({m, m}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(vstack({a, m}), {3, 2}, {0, 1, 0, 1, 2, 3});
  expect_values(dstack({a, a}), {1, 2, 2}, {0, 0, 1, 1});
  expect_values(hstack({tensor(1), tensor(2)}), {2}, {1, 2});
  EXPECT_EQ(atleast_3d(a).sizes(), IntArrayRef({1, 2, 1}));
}

TEST(Repeat, Errors) {
  expect_error("Number of dimensions of repeat dims can not be smaller", [] {
    zeros({2, 3}).repeat({2});
  });
  expect_error("negative dimension", [] { zeros({2}).repeat({-1}); });
  expect_values(arange(2).tile({2}), {4}, {0, 1, 0, 1});
  expect_values(arange(2).view({2, 1}).tile({2}), {2, 2}, {0, 0, 1, 1});
}

TEST(RepeatInterleave, Forms) {
  expect_values(repeat_interleave(tensor({2, 0, 1})), {3}, {0, 0, 2});
  const Tensor m = arange(4).view({2, 2});
  expect_values(m.repeat_interleave(2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_values(m.repeat_interleave(tensor({1, 2}), 0), {3, 2}, {0, 1, 2, 3, 2, 3});
  expect_values(m.repeat_interleave(tensor(2), 1), {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_error("repeats must have the same size as input along dim", [] {
    zeros({3}).repeat_interleave(tensor({1, 2}));
  });
  expect_error("repeats can not be negative", [] { zeros({3}).repeat_interleave(-1); });
  expect_error("repeats can not be negative", [] {
    zeros({3}).repeat_interleave(tensor({1, -2, 1}));
  });
  expect_error("\"repeat_interleave_cpu\" not implemented for 'Float'", [] {
    zeros({3}).repeat_interleave(tensor({1., 2., 1.}));
  });
}

TEST(Meshgrid, IndexingModes) {
  const auto ij = meshgrid({arange(2), arange(3)});
  expect_values(ij[0], {2, 3}, {0, 0, 0, 1, 1, 1});
  expect_values(ij[1], {2, 3}, {0, 1, 2, 0, 1, 2});
  const auto xy = meshgrid({arange(2), arange(3)}, "xy");
  expect_values(xy[0], {3, 2}, {0, 1, 0, 1, 0, 1});
  expect_values(xy[1], {3, 2}, {0, 0, 1, 1, 2, 2});
  expect_error("Expected 0D or 1D tensor", [] { meshgrid({zeros({2, 2})}); });
  expect_error("indexing must be one of", [] { meshgrid({zeros({2})}, "yx"); });
  expect_error("non-empty", [] { meshgrid({}); });
}

TEST(Rearrange, Rot90) {
  const Tensor m = arange(6).view({2, 3});
  expect_values(rot90(m), {3, 2}, {2, 5, 1, 4, 0, 3});
  expect_values(rot90(m, 2), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(rot90(m, -1), {3, 2}, {3, 0, 4, 1, 5, 2});
  expect_values(rot90(m, 4), {2, 3}, {0, 1, 2, 3, 4, 5});
}

TEST(Rearrange, Errors) {
  const Tensor x = zeros({2, 3});
  expect_error("dim 0 appears multiple times in the list of dims", [&] { x.flip({0, 0}); });
  expect_error<IndexError>("Dimension out of range", [&] { x.flip({2}); });
  expect_error("shifts and dimensions must align. shifts: 1, dims:2", [&] { x.roll(1, {0, 1}); });
  expect_error("`shifts` required", [&] { x.roll(IntArrayRef()); });
  expect_error("must have at least 2 dimensions", [] { zeros({2}).tril(); });
  expect_error("matrix or a vector expected", [] { zeros({2, 2, 2}).diag(); });
  expect_error("trace: expected a matrix, but got tensor with dim 3", [] {
    zeros({2, 2, 2}).trace();
  });
}

TEST(Pad, OfAnEmptyBatch) {
  const Tensor x = zeros({0, 2, 3}).requires_grad_();
  for (const char* mode : {"circular", "reflect", "replicate"}) {
    const Tensor y = pad(x, {1, 1}, mode);
    EXPECT_EQ(y.sizes(), IntArrayRef({0, 2, 5}));
    y.sum().backward();
  }
  EXPECT_EQ(pad(zeros({2, 0, 3, 4}), {1, 1, 1, 1}, "circular").sizes(), IntArrayRef({2, 0, 5, 6}));
  EXPECT_EQ(x.grad().sizes(), x.sizes());
}

TEST(Pad, ErrorsAndValue) {
  expect_values(pad(arange(2), {1, 1}, "constant", 7.0), {4}, {7, 0, 1, 7});
  expect_error("Padding length too large", [] { pad(zeros({3}), {1, 1, 1, 1}); });
  expect_error("Padding length must be divisible by 2", [] { pad(zeros({3}), {1}); });
  expect_error("resulted in a negative output size", [] { pad(zeros({3}), {-2, -2}); });
  expect_error("length must be non-negative", [] { pad(zeros({3}), {-4, 2}); });
  expect_error("Padding size should be less than the corresponding input dimension", [] {
    pad(zeros({1, 3}), {3, 3}, "reflect");
  });
  expect_error<NotImplementedError>("Only 2D, 3D, 4D, 5D padding", [] {
    pad(zeros({3}), {1, 1}, "reflect");
  });
  expect_error<NotImplementedError>("Unrecognised padding mode", [] {
    pad(zeros({1, 3}), {1, 1}, "x");
  });
}

TEST(OneHot, ClassesAndErrors) {
  expect_values(one_hot(tensor({0, 2})), {2, 3}, {1, 0, 0, 0, 0, 1});
  expect_values(one_hot(tensor({{1}, {0}}), 2), {2, 1, 2}, {0, 1, 1, 0});
  expect_values(one_hot(tensor(1), 3), {3}, {0, 1, 0});
  EXPECT_EQ(one_hot(zeros({0}, kLong), 3).sizes(), IntArrayRef({0, 3}));
  expect_error("Class values must be smaller than num_classes.", [] {
    one_hot(tensor({1, 5}), 3);
  });
  expect_error("Class values must be non-negative.", [] { one_hot(tensor({-1, 5})); });
  expect_error("one_hot is only applicable to index tensor.", [] { one_hot(tensor({1.})); });
  expect_error("Can not infer total number of classes from empty tensor.",
               [] { one_hot(zeros({0}, kLong)); });
}

TEST(Shape, NamesOfNodes) {
  const Tensor x = ones({2, 2}, requires_grad());
  const std::vector<std::pair<std::string, Tensor>> results = {
      {"CatBackward0", cat({x, x})},
      {"StackBackward0", stack({x, x})},
      {"RepeatBackward0", x.repeat({2, 2})},
      {"IndexSelectBackward0", x.repeat_interleave(2, 0)},
      {"FlipBackward0", x.flip({0})},
      {"RollBackward0", x.roll(1)},
      {"TrilBackward0", x.tril()},
      {"TriuBackward0", x.triu()},
      {"DiagBackward0", x.diag()},
      {"TraceBackward0", x.trace()},
      {"ConstantPadNdBackward0", pad(x, {1, 1})},
      {"ReflectionPad1DBackward0", pad(x, {1, 1}, "reflect")},
      {"ReplicationPad1DBackward0", pad(x, {1, 1}, "replicate")},
  };
  for (const auto& [name, y] : results) EXPECT_EQ(y.grad_fn()->name(), name);
}

TEST(Cat, RowsOfOneElement) {
  for (const ScalarType dtype : {kFloat, kLong, kByte}) {
    const Tensor a = counting({5, 1}, dtype), b = counting({5, 1}, dtype, 10);
    EXPECT_EQ(values_of(cat({a, b, a}, 1)),
              (std::vector<double>{0, 10, 0, 1, 11, 1, 2, 12, 2, 3, 13, 3, 4, 14, 4}));
    EXPECT_EQ(values_of(stack({a.view({5}), b.view({5})}, 1)), values_of(cat({a, b}, 1)));
  }
}

TEST(Rearrange, FlipAndRollOfRows) {
  const Tensor x = counting({3, 4});
  EXPECT_EQ(values_of(x.flip({0})), (std::vector<double>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(values_of(x.flip({1})), (std::vector<double>{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
  EXPECT_EQ(values_of(x.t().flip({0})), values_of(x.flip({1}).t().contiguous()));
  EXPECT_EQ(values_of(x.roll({1}, {1})),
            (std::vector<double>{3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10}));
  const Tensor same = x.roll({4}, {1});
  EXPECT_TRUE(same.equal(x));
  EXPECT_NE(same.data_ptr(), x.data_ptr());
}

}  // namespace
}  // namespace taper::testing
