// Views in the harness: shapes, orders of dimensions, dimensions of size 1.
#include <taper/ops/elementwise/complex.h>

#include <algorithm>

#include <taper/ops/tensor/member_functions.h>
#include <taper/ops/tensor/view.h>

#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

Sizes from(const Sizes& i, size_t first) {
  return Sizes(i.begin() + std::ptrdiff_t(first), i.end());
}

// ---------------------------------------------------------------- shapes
TAPER_OP_CASES(shapes_of_views, {
  const auto shape = [](const Array& x, const Sizes& i) { return reshaped(x, i); };
  // Dimensions are only split: that every layout of the harness allows.
  OpCase view = view_case(
      "view",
      {{{6}, {2, 3}}, {{6, 4}, {2, 3, 4}}, {{2, 6}, {2, 1, 2, 3}}, {{}, {1}}, {{0, 4}, {0, 2, 2}}},
      [](const Tensor& x, const Sizes& i) {
        return Results{x.view(i), x.view_as(to_tensor(Array(i), kLong).view(i))};
      },
      [](const Array& x, const Sizes& i) {
        return Arrays{reshaped(x, i), reshaped(x, i)};
      });
  view.covers = {"view_as"};
  const char* const words = "shape '[4]' is invalid for input of size 6";
  view.errors = {error<Error>(words,
                              [] {
                                numbers({2, 3}).view({4});
                              }),
                 error<Error>("only one dimension can be inferred",
                              [] {
                                numbers({2, 3}).view({-1, -1});
                              }),
                 error<Error>("view size is not compatible with input tensor's size and stride",
                              [] {
                                numbers({2, 3}).t().view({6});
                              }),
                 error<Error>("undefined", [] { taper::view(Tensor(), {1}); })};
  // A copy where the memory does not allow a view.
  OpCase reshape = moving_case(
      "reshape", {{{6}, {2, 3}}, {{2, 3, 4}, {4, 6}}, {{4, 3}, {12}}, {{1}, {}}, {{0, 3}, {3, 0}}},
      [](const Tensor& x, const Sizes& i) {
        return Results{taper::reshape(x, i), x.reshape_as(to_tensor(Array(i), kLong))};
      },
      [](const Array& x, const Sizes& i) {
        return Arrays{reshaped(x, i), reshaped(x, i)};
      });
  reshape.is_view = true;
  reshape.covers = {"reshape_as"};
  reshape.errors = {error<Error>(words, [] { taper::reshape(numbers({2, 3}), {4}); })};
  OpCase inferred = view_case(
      "reshape_inferred", {{{6, 2}, {2, -1, 3}}, {{3}, {-1}}},
      [](const Tensor& x, const Sizes& i) { return taper::reshape(x, i); },
      [](const Array& x, Sizes i) {
        int64_t known = 1;
        for (int64_t s : i) known *= s < 0 ? 1 : s;
        for (int64_t& s : i) s = s < 0 ? x.numel() / known : s;
        return reshaped(x, i);
      });
  // Of memory that is row-major and its own.
  OpCase unsafe = moving_case(
      "_unsafe_view", {{{6, 2}, {3, 4}}, {{2}, {2, 1}}},
      [](const Tensor& x, const Sizes& i) {
        return _unsafe_view(x.clone(MemoryFormat::Contiguous), i);
      },
      shape);
  return std::vector<OpCase>{view, reshape, inferred, unsafe};
});

TAPER_OP_CASES(flat_views, {
  OpCase flatten = view_case(
      "flatten", {{{2, 3, 4}, {0, -1}}, {{2, 3, 4}, {1, 2}}, {{2, 3, 4}, {-3, -2}}, {{}, {0, 0}}},
      [](const Tensor& x, const Sizes& i) { return taper::flatten(x, i[0], i[1]); },
      [](const Array& x, const Sizes& i) {
        if (x.dim() == 0) return reshaped(x, {1});
        Sizes sizes;
        for (int64_t d = 0; d < x.dim(); ++d)
          if (d > wrapped(i[0], x.dim()) && d <= wrapped(i[1], x.dim()))
            sizes.back() *= x.size(d);
          else
            sizes.push_back(x.size(d));
        return reshaped(x, sizes);
      });
  flatten.errors = {error<Error>("flatten() has invalid args: start_dim cannot come after end_dim",
                                 [] {
                                   taper::flatten(numbers({2, 3}), 1, 0);
                                 }),
                    error<IndexError>("Dimension out of range", [] {
                      taper::flatten(numbers({2, 3}), 0, 2);
                    })};
  OpCase ravel = view_case(
      "ravel", {{{2, 3}}, {{2, 3, 4}}, {{}}, {{0, 2}}},
      [](const Tensor& x, const Sizes&) { return taper::ravel(x); },
      [](const Array& x, const Sizes&) { return reshaped(x, {x.numel()}); });
  OpCase unflatten = view_case(
      "unflatten",
      {{{6}, {0, 2, 3}}, {{2, 6}, {-1, 3, 2}}, {{4, 3}, {0, 2, 2}}, {{2, 0}, {1, 0, 3}}},
      [](const Tensor& x, const Sizes& i) { return taper::unflatten(x, i[0], from(i, 1)); },
      [](const Array& x, const Sizes& i) {
        Sizes sizes = x.sizes;
        const auto at = sizes.begin() + wrapped(i[0], x.dim());
        sizes.insert(sizes.erase(at), i.begin() + 1, i.end());
        return reshaped(x, sizes);
      });
  unflatten.errors = {
      error<Error>("unflatten: Provided sizes [4] don't multiply up to the size of dim 1 (3)",
                   [] {
                     taper::unflatten(numbers({2, 3}), 1, {4});
                   }),
      error<Error>("unflatten: sizes must be non-empty", [] {
        taper::unflatten(numbers({2, 3}), 1, Sizes{});
      })};
  return std::vector<OpCase>{flatten, ravel, unflatten};
});

// ---------------------------------------------------------------- expanding
Array broadcast_to_shape(const Array& x, const Sizes& sizes) {
  const size_t added = sizes.size() - x.sizes.size();
  return taken(x, sizes, [&](const Sizes& index) {
    Sizes own(index.begin() + std::ptrdiff_t(added), index.end());
    for (size_t d = 0; d < own.size(); ++d) own[d] = x.sizes[d] == 1 ? 0 : own[d];
    return own;
  });
}

TAPER_OP_CASES(expanded_views, {
  OpCase expand = view_case(
      "expand", {{{1, 3}, {2, 3}}, {{3}, {2, 3}}, {{2, 1, 2}, {3, 2, 4, 2}}, {{}, {2}}, {{1}, {0}}},
      [](const Tensor& x, const Sizes& i) {
        return Results{x.expand(i), x.expand_as(to_tensor(Array(i), kLong)), broadcast_to(x, i)};
      },
      [](const Array& x, const Sizes& i) {
        const Array y = broadcast_to_shape(x, i);
        return Arrays{y, y, y};
      });
  expand.covers = {"expand_as", "broadcast_to"};
  expand.errors = {
      error<Error>("The expanded size of the tensor (4) must match the existing size (3) at "
                   "non-singleton dimension 1.  Target sizes: [2, 4].  Tensor sizes: [2, 3]",
                   [] {
                     numbers({2, 3}).expand({2, 4});
                   }),
      error<Error>("the number of sizes provided (1) must be greater or equal to the number of "
                   "dimensions in the tensor (2)",
                   [] {
                     numbers({2, 3}).expand({3});
                   }),
      error<Error>("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing "
                   "dimension 0",
                   [] {
                     numbers({3}).expand({-1, 3});
                   })};
  OpCase kept = view_case(
      "expand_kept_sizes", {{{2, 1}, {-1, 3}}, {{2, 3}, {4, -1, -1}}},
      [](const Tensor& x, const Sizes& i) { return x.expand(i); },
      [](const Array& x, Sizes i) {
        const size_t added = i.size() - x.sizes.size();
        for (size_t d = 0; d < i.size(); ++d) i[d] = i[d] < 0 ? x.sizes[d - added] : i[d];
        return broadcast_to_shape(x, i);
      });
  OpCase several;
  several.name = "broadcast_tensors";
  several.dtypes = {kFloat, kDouble, kLong, kBool, kComplexDouble};
  several.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 1}, {3}}, t), sample_of({{}, {2}, {3, 1}}, t),
                             sample_of({{0}, {1}}, t), sample_of({{2, 3}}, t)};
  };
  several.call = [](const Args& a) { return broadcast_tensors(a.t); };
  several.reference = [](const ArrayArgs& a) {
    Sizes sizes;
    for (const Array& x : a.t) sizes = broadcast(sizes, x.sizes);
    Arrays list;
    for (const Array& x : a.t) list.push_back(broadcast_to_shape(x, sizes));
    return list;
  };
  several.is_view = true;
  several.errors = {
      error<Error>("The size of tensor a (2) must match the size of tensor b (3)", [] {
        broadcast_tensors({numbers({2}), numbers({3})});
      })};
  return std::vector<OpCase>{expand, kept, several};
});

// ---------------------------------------------------------------- order of dimensions
/// Dimension d of the result is order[d] of x.
Array permuted(const Array& x, const Sizes& order) {
  Sizes sizes;
  for (int64_t d : order) sizes.push_back(x.size(d));
  return taken(x, sizes, [&](const Sizes& index) {
    Sizes own(index.size());
    for (size_t d = 0; d < order.size(); ++d)
      own[static_cast<size_t>(wrapped(order[d], x.dim()))] = index[d];
    return own;
  });
}
/// 0, 1, 2, ... with the places a and b exchanged.
Sizes exchanged(int64_t rank, int64_t a, int64_t b) {
  Sizes order(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) order[static_cast<size_t>(d)] = d;
  if (rank > 0)
    std::swap(order[static_cast<size_t>(wrapped(a, rank))],
              order[static_cast<size_t>(wrapped(b, rank))]);
  return order;
}

TAPER_OP_CASES(orders_of_dimensions, {
  OpCase transpose = view_case(
      "transpose",
      {{{2, 3}, {0, 1}},
       {{2, 3, 4}, {-1, 0}},
       {{2, 3, 4}, {1, 1}},
       {{0, 2}, {0, 1}},
       {{}, {0, -1}}},
      [](const Tensor& x, const Sizes& i) {
        return Results{taper::transpose(x, i[0], i[1]), swapaxes(x, i[0], i[1]),
                       x.swapdims(i[0], i[1])};
      },
      [](const Array& x, const Sizes& i) {
        const Array y = permuted(x, exchanged(x.dim(), i[0], i[1]));
        return Arrays{y, y, y};
      });
  transpose.covers = {"swapaxes", "swapdims"};
  transpose.errors = {error<IndexError>("Dimension out of range", [] {
    taper::transpose(numbers({2, 3}), 0, 2);
  })};
  const auto turned = [](const Array& x, const Sizes&) {
    Sizes order = exchanged(x.dim(), 0, 0);
    std::reverse(order.begin(), order.end());
    return Arrays{permuted(x, order), permuted(x, order)};
  };
  OpCase t = view_case(
      "t", {{{2, 3}}, {{4}}, {{}}, {{0, 2}}},
      [](const Tensor& x, const Sizes&) {
        return Results{taper::t(x), x.numpy_T()};
      },
      turned);
  t.covers = {"numpy_T"};
  t.errors = {error<Error>("t() expects a tensor with <= 2 dimensions, but self is 3D", [] {
    taper::t(numbers({2, 3, 4}));
  })};
  OpCase matrices = view_case(
      "mT", {{{2, 3}}, {{2, 3, 4}}, {{0, 2}}}, [](const Tensor& x, const Sizes&) { return x.mT(); },
      [](const Array& x, const Sizes&) { return permuted(x, exchanged(x.dim(), -2, -1)); });
  matrices.errors = {error<Error>(
      "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
      [] { numbers({2}).mT(); })};
  OpCase permute = view_case(
      "permute", {{{2, 3}, {1, 0}}, {{2, 3, 4}, {2, 0, 1}}, {{2, 3, 4}, {-3, -1, 1}}, {{}, {}}},
      [](const Tensor& x, const Sizes& i) { return taper::permute(x, i); }, permuted);
  permute.errors = {error<Error>("permute(): duplicate dims are not allowed.",
                                 [] {
                                   taper::permute(numbers({2, 3}), {0, 0});
                                 }),
                    error<Error>("input.dim() = 2 is not equal to len(dims) = 1",
                                 [] {
                                   taper::permute(numbers({2, 3}), {0});
                                 }),
                    error<IndexError>("Dimension out of range", [] {
                      taper::permute(numbers({2, 3}), {0, 2});
                    })};
  return std::vector<OpCase>{transpose, t, matrices, permute};
});

// Numbers: the sources, then as many destinations.
TAPER_OP_CASES(moved_dimensions, {
  const auto half = [](const Sizes& i, bool second) {
    const auto middle = i.begin() + std::ptrdiff_t(i.size() / 2);
    return second ? Sizes(middle, i.end()) : Sizes(i.begin(), middle);
  };
  OpCase c = view_case(
      "movedim",
      {{{2, 3, 4}, {0, 2}},
       {{2, 3, 4}, {-1, 0}},
       {{2, 3, 4}, {0, 1, 1, 2}},
       {{2, 3, 1, 4}, {-1, 0, 1, 2}}},
      [half](const Tensor& x, const Sizes& i) {
        const Sizes a = half(i, false), b = half(i, true);
        if (a.size() == 1) return Results{taper::movedim(x, a[0], b[0]), moveaxis(x, a[0], b[0])};
        return Results{taper::movedim(x, a, b), moveaxis(x, a, b)};
      },
      [half](const Array& x, const Sizes& i) {
        Sizes a = half(i, false), b = half(i, true);
        for (Sizes* s : {&a, &b})
          for (int64_t& d : *s) d = wrapped(d, x.dim());
        Sizes order;
        int64_t next = 0;
        for (int64_t d = 0; d < x.dim(); ++d) {
          const auto to = std::find(b.begin(), b.end(), d);
          if (to != b.end()) {
            order.push_back(a[static_cast<size_t>(to - b.begin())]);
            continue;
          }
          while (std::find(a.begin(), a.end(), next) != a.end()) ++next;
          order.push_back(next++);
        }
        return Arrays{permuted(x, order), permuted(x, order)};
      });
  c.covers = {"moveaxis"};
  c.errors = {error<Error>("movedim: Invalid source or destination dims",
                           [] {
                             taper::movedim(numbers({2, 3}), {0, 1}, {0});
                           }),
              error<IndexError>("Dimension out of range",
                                [] {
                                  taper::movedim(numbers({2, 3}), 0, 2);
                                }),
              error<Error>("appears multiple times in the list of dims", [] {
                taper::movedim(numbers({2, 3}), {0, 0}, {0, 1});
              })};
  return std::vector<OpCase>{c};
});

// ---------------------------------------------------------------- dimensions of size 1
TAPER_OP_CASES(ones_in_shapes, {
  OpCase all = view_case(
      "squeeze", {{{1, 3, 1}}, {{2, 3}}, {{1, 1}}, {{}}, {{1, 0}}},
      [](const Tensor& x, const Sizes&) { return taper::squeeze(x); },
      [](const Array& x, const Sizes&) {
        Sizes sizes;
        for (int64_t s : x.sizes)
          if (s != 1) sizes.push_back(s);
        return reshaped(x, sizes);
      });
  OpCase one = view_case(
      "squeeze_dim", {{{1, 3, 1}, {0}}, {{1, 3, 1}, {-1}}, {{2, 3}, {1}}, {{}, {0}}},
      [](const Tensor& x, const Sizes& i) { return taper::squeeze(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        Sizes sizes = x.sizes;
        const int64_t d = wrapped(i[0], x.dim());
        if (x.dim() > 0 && sizes[static_cast<size_t>(d)] == 1) sizes.erase(sizes.begin() + d);
        return reshaped(x, sizes);
      });
  one.errors = {error<IndexError>("Dimension out of range", [] {
    taper::squeeze(numbers({2, 1}), 2);
  })};
  OpCase more = view_case(
      "unsqueeze", {{{2, 3}, {0}}, {{2, 3}, {-1}}, {{2, 3}, {1}}, {{}, {0}}, {{0}, {-2}}},
      [](const Tensor& x, const Sizes& i) { return taper::unsqueeze(x, i[0]); },
      [](const Array& x, const Sizes& i) {
        Sizes sizes = x.sizes;
        sizes.insert(sizes.begin() + wrapped(i[0], x.dim() + 1), 1);
        return reshaped(x, sizes);
      });
  more.errors = {error<IndexError>(
      "Dimension out of range (expected to be in range of [-3, 2], but got 3)", [] {
        taper::unsqueeze(numbers({2, 1}), 3);
      })};
  OpCase same = view_case(
      "alias", {{{2, 3}}, {{}}, {{0}}},
      [](const Tensor& x, const Sizes&) { return taper::alias(x); },
      [](const Array& x, const Sizes&) { return x; });
  return std::vector<OpCase>{all, one, more, same};
});

/// i = the dimensions
OpCase squeeze_case() {
  OpCase c;
  c.name = "squeeze_dims";
  c.dtypes = {kFloat, kLong, kComplexFloat, kDouble};
  c.is_view = true;
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{1, 3, 1}}, t, {}, {0, 2}),
                             sample_of({{1, 3, 1}}, t, {}, {-1, 1}),
                             sample_of({{2, 1, 1, 2}}, t, {}, {2}), sample_of({{1, 1}}, t, {}, {})};
  };
  c.call = [](const Args& a) { return a.t[0].squeeze(IntArrayRef(a.i)); };
  c.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    y.sizes.clear();
    for (int64_t d = 0; d < a.t[0].dim(); ++d) {
      bool asked = false;
      for (int64_t i : a.i) asked |= (i < 0 ? i + a.t[0].dim() : i) == d;
      if (!asked || a.t[0].size(d) != 1) y.sizes.push_back(a.t[0].size(d));
    }
    return y;
  };
  c.errors = {error<IndexError>("Dimension out of range",
                                [] {
                                  numbers({1, 2}).squeeze({0, 3});
                                }),
              error<Error>("dim 0 appears multiple times", [] {
                numbers({1, 2}).squeeze({0, -2});
              })};
  return c;
}

TAPER_OP_CASES(ones_of_several_dimensions, { return std::vector<OpCase>{squeeze_case()}; });

TEST(ViewAsDtype, ReinterpretsTheBytes) {
  const Tensor x = values({1, -2});
  expect_values(x.view(kInt), {2}, {0x3f800000, -0x40000000});
  expect_values(x.view(kShort), {4}, {0, 0x3f80, 0, -0x4000});
  expect_values(tensor_of({}, {1}).view(kInt), {}, {0x3f800000});
  x.view(kInt)[0] = 0;
  expect_values(x, {2}, {0, -2});
  EXPECT_TRUE(x.view(kInt).view(kFloat).equal(x));
}

TEST(ViewAsDtype, ScalesSizesStridesAndOffset) {
  const Tensor x = counting({3, 4}, kInt);
  const Tensor right = x.narrow(1, 2, 2), wide = right.view(kLong);
  EXPECT_EQ(wide.sizes(), IntArrayRef({3, 1}));
  EXPECT_EQ(wide.strides(), IntArrayRef({2, 1}));
  EXPECT_EQ(wide.storage_offset(), 1);
  expect_values(wide, {3, 1}, {2 + 3 * 0x1p32, 6 + 7 * 0x1p32, 10 + 11 * 0x1p32});
  EXPECT_TRUE(wide.view(kInt).equal(right));
}

TEST(ViewAsDtype, RefusesWhatDoesNotDivide) {
  const Tensor x = counting({3, 4});
  const auto refuses = [](const Tensor& t, ScalarType to, const char* text) {
    expect_error(text, [&] { t.view(to); });
  };
  refuses(x.narrow(1, 1, 2), kDouble,
          "self.storage_offset() must be divisible by 2 to view Float as Double (different element "
          "sizes), but got 1");
  refuses(x.t(), kDouble, "self.size(-1) must be divisible by 2 to view Float as Double");
  refuses(x.t(), kShort,
          "self.stride(-1) must be 1 to view Float as Short (different element "
          "sizes), but got 4");
  refuses(counting({3, 3}).narrow(1, 0, 2), kDouble, "self.stride(0) must be divisible by 2");
  refuses(tensor_of({}, {1}), kDouble, "self.dim() cannot be 0 to view Float as Double");
  EXPECT_FALSE(values({1}).requires_grad_().mul(2).view(kInt).requires_grad());
}

}  // namespace
}  // namespace torch::taper::testing
