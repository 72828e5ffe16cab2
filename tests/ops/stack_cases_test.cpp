// Stacks of tensors, dimensions that are added to small ones, and other moves of elements.
#include <taper/ops/sequence/pack_sequence.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/view_scatter.h>

#include "ops/taken.h"

namespace taper::testing {
namespace {

// ---------------------------------------------------------------- dimensions of small tensors
/// With at least `rank` dimensions: a vector is a row, and of three dimensions the middle one.
Array at_least(const Array& x, int64_t rank) {
  Sizes sizes = x.sizes;
  if (sizes.empty()) sizes = {1};
  if (rank > 1 && sizes.size() == 1) sizes = {1, sizes[0]};
  if (rank > 2 && sizes.size() == 2) sizes.push_back(1);
  return reshaped(x, sizes);
}

TAPER_OP_CASES(dimensions_at_least, {
  std::vector<OpCase> list;
  Tensor (*const ops[])(const Tensor&) = {&atleast_1d, &atleast_2d, &atleast_3d};
  for (int64_t rank = 1; rank <= 3; ++rank) {
    const auto op = ops[rank - 1];
    list.push_back(view_case(
        "atleast_" + std::to_string(rank) + "d",
        {{{}}, {{3}}, {{2, 3}}, {{2, 3, 2}}, {{2, 1, 3, 2}}, {{0}}},
        [op](const Tensor& x, const Sizes&) { return op(x); },
        [rank](const Array& x, const Sizes&) { return at_least(x, rank); }));
  }
  return list;
});

// ---------------------------------------------------------------- stacks
Array joined(const std::vector<Array>& xs, size_t dim) {
  Sizes sizes = xs[0].sizes;
  sizes[dim] = 0;
  for (const Array& x : xs) sizes[dim] += x.sizes[dim];
  Array y(sizes);
  int64_t start = 0;
  for (const Array& x : xs) {
    for_each_index(x.sizes, [&](Sizes index) {
      const auto p = x.position(index);
      index[dim] += start;
      if (x.im.empty())
        y.at(index) = x.v[static_cast<size_t>(p)];
      else
        y.set_z(y.position(index), x.z(p));
    });
    start += x.sizes[dim];
  }
  return y;
}

using Stack = Tensor (*)(TensorList);
OpCase stack_case(std::string name, std::vector<std::vector<Sizes>> samples, Stack op,
                  std::function<Array(const Array&)> prepared, size_t dim) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kLong, kBool, kComplexFloat};
  c.samples = [samples = std::move(samples)](ScalarType t) {
    std::vector<Args> list;
    for (const auto& sizes : samples) list.push_back(sample_of(sizes, t));
    return list;
  };
  c.call = [op](const Args& a) { return op(a.t); };
  c.reference = [prepared = std::move(prepared), dim](const ArrayArgs& a) {
    std::vector<Array> list;
    for (const Array& x : a.t) list.push_back(prepared(x));
    return joined(list, std::min(dim, list[0].sizes.size() - 1));
  };
  c.errors = {
      error<Error>((c.name == "row_stack" ? "vstack" : c.name) + " expects a non-empty TensorList",
                   [op] { op(std::vector<Tensor>{}); }),
      error<Error>("Sizes of tensors must match except in dimension", [op] {
        op({numbers({2, 3, 4}), numbers({3, 4, 5})});
      })};
  return c;
}
std::function<Array(const Array&)> of_rank(int64_t rank) {
  return [rank](const Array& x) { return at_least(x, rank); };
}

TAPER_OP_CASES(stacks, {
  const std::vector<std::vector<Sizes>> rows = {
      {{3}, {2, 3}, {1, 3}}, {{}, {}}, {{2, 2, 3}, {1, 2, 3}}, {{0, 3}, {3}}, {{4}}};
  // Vectors become columns; numbers too.
  const auto column = [](const Array& x) { return x.dim() <= 1 ? reshaped(x, {x.numel(), 1}) : x; };
  OpCase vertical = stack_case("vstack", rows, &vstack, of_rank(2), 0);
  return std::vector<OpCase>{
      stack_case("hstack",
                 {{{3}, {2}, {0}}, {{}, {2}}, {{2, 3}, {2, 1}}, {{2, 1, 3}, {2, 2, 3}}, {{4}}},
                 &hstack, of_rank(1), 1),
      vertical, stack_case("row_stack", rows, &row_stack, of_rank(2), 0),
      stack_case("dstack",
                 {{{3}, {3}}, {{}, {}}, {{2, 3}, {2, 3, 2}}, {{2, 1, 3, 2}, {2, 1, 1, 2}}}, &dstack,
                 of_rank(3), 2),
      stack_case("column_stack",
                 {{{3}, {3, 2}}, {{}, {}}, {{2, 3}, {2, 1}}, {{2, 1, 2}, {2, 3, 2}}}, &column_stack,
                 column, 1)};
});

// ---------------------------------------------------------------- others
// Channel i * (C / groups) + j at j * groups + i.
TAPER_OP_CASES(shuffled_channels, {
  OpCase c = moving_case(
      "channel_shuffle",
      {{{1, 6, 2}, {2}}, {{2, 4, 1, 3}, {4}}, {{2, 6, 2, 1, 2}, {3}}, {{2, 3, 2, 2}, {1}}},
      [](const Tensor& x, const Sizes& i) { return channel_shuffle(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        const int64_t groups = i[0], each = x.sizes[1] / groups;
        return taken(x, x.sizes, [&](Sizes index) {
          index[1] = index[1] % groups * each + index[1] / groups;
          return index;
        });
      });
  c.errors = {error<Error>("Number of channels must be divisible by groups",
                           [] {
                             channel_shuffle(numbers({1, 5, 2, 2}), 2);
                           }),
              error<Error>("channel_shuffle expects input with > 2 dims",
                           [] {
                             channel_shuffle(numbers({2, 2}), 2);
                           }),
              error<Error>("Number of groups to divide channels in must be positive.", [] {
                channel_shuffle(numbers({1, 2, 2}), 0);
              })};
  c.is_view = true;  // with one group
  return std::vector<OpCase>{c};
});

TAPER_OP_CASES(flat_diagonals, {
  OpCase c = moving_case(
      "diagflat", {{{3}, {0}}, {{2, 2}, {1}}, {{}, {-2}}, {{0}, {0}}},
      [](const Tensor& x, const Sizes& i) { return diagflat(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        const int64_t down = std::max<int64_t>(-i[0], 0), right = std::max<int64_t>(i[0], 0);
        const int64_t n = x.numel() + down + right;
        Array y({n, n});
        for (int64_t k = 0; k < x.numel(); ++k) {
          const int64_t at = (k + down) * n + k + right;
          if (x.im.empty())
            y.v[static_cast<size_t>(at)] = x.v[static_cast<size_t>(k)];
          else
            y.set_z(at, x.z(k));
        }
        return y;
      });
  return std::vector<OpCase>{c};
});

TAPER_OP_CASES(flat_lists_of_tensors, {
  OpCase join;
  join.name = "flatten_dense_tensors";
  join.dtypes = {kFloat, kDouble, kLong};
  join.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {}, {0}, {4}}, t), sample_of({{3}}, t)};
  };
  join.call = [](const Args& a) { return flatten_dense_tensors(a.t); };
  join.reference = [](const ArrayArgs& a) {
    Array y({0});
    for (const Array& x : a.t) y.v.insert(y.v.end(), x.v.begin(), x.v.end());
    y.sizes = {static_cast<int64_t>(y.v.size())};
    return y;
  };
  join.is_view = true;  // of one tensor
  return std::vector<OpCase>{join};
});

// Numbers: whether the sequences come first; d: what fills the rest.
TAPER_OP_CASES(padded_sequences, {
  OpCase c;
  c.name = "pad_sequence";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3}, {1}, {4}}, t, {}, {1}, {0}),
                             sample_of({{2, 3}, {4, 3}}, t, {}, {0}, {2}),
                             sample_of({{1, 2, 2}, {0, 2, 2}, {3, 2, 2}}, t, {}, {1}, {-1}),
                             sample_of({{2, 2}, {2, 2}}, t, {}, {0}, {0})};
  };
  c.call = [](const Args& a) { return pad_sequence(a.t, a.i[0] != 0, a.d[0]); };
  c.reference = [](const ArrayArgs& a) {
    const int64_t count = static_cast<int64_t>(a.t.size());
    Sizes sizes = a.t[0].sizes;
    for (const Array& x : a.t) sizes[0] = std::max(sizes[0], x.sizes[0]);
    sizes.insert(sizes.begin() + (a.i[0] ? 0 : 1), count);
    Array y(sizes, a.d[0]);
    for (int64_t s = 0; s < count; ++s)
      for_each_index(a.t[static_cast<size_t>(s)].sizes, [&](const Sizes& index) {
        Sizes to = index;
        to.insert(to.begin() + (a.i[0] ? 0 : 1), s);
        y.at(to) = a.t[static_cast<size_t>(s)].at(index);
      });
    return y;
  };
  c.errors = {error<Error>("received an empty list of sequences", [] { pad_sequence({}); }),
              error<Error>("The size of tensor a ([2, 3]) must match the size of tensor b ([2, 2]) "
                           "behind the first dimension",
                           [] {
                             pad_sequence({numbers({2, 3}), numbers({2, 2})});
                           })};
  return std::vector<OpCase>{c};
});

// The first tensor is the flat one.
TAPER_OP_CASES(tensors_of_a_flat_list, {
  OpCase c;
  c.name = "unflatten_dense_tensors";
  c.dtypes = {kFloat, kDouble, kLong};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{7}, {2, 3}, {}}, t), sample_of({{4}, {4}}, t),
                             sample_of({{6}, {2, 1}, {0}, {2}}, t)};
  };
  c.call = [](const Args& a) {
    return unflatten_dense_tensors(a.t[0], TensorList(a.t.data() + 1, a.t.size() - 1));
  };
  c.reference = [](const ArrayArgs& a) {
    Arrays list;
    int64_t at = 0;
    for (size_t k = 1; k < a.t.size(); ++k) {
      list.push_back(reshaped(part_of(a.t[0], 0, at, a.t[k].numel()), a.t[k].sizes));
      at += a.t[k].numel();
    }
    return list;
  };
  c.inputs_without_gradient = {1, 2, 3};
  c.is_view = true;
  c.errors = {error<Error>("exceeds dimension size (3)", [] {
    unflatten_dense_tensors(numbers({3}), {numbers({2}), numbers({2})});
  })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace taper::testing
