// More cases of what rearranges and joins: turns, grids, products of sets, elements by position.
#include <cmath>

#include <taper/nn/functional/linear.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/spatial/grid_sample.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/meshgrid.h>

#include "test_util.h"

namespace taper::testing {
namespace {

using Sizes = std::vector<int64_t>;
const std::vector<ScalarType> kSome = {kFloat, kDouble, kHalf, kLong, kBool};

OpCase moving_case(std::string name, std::function<std::vector<Args>(ScalarType)> samples,
                   std::function<Results(const Args&)> call,
                   std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = kSome;
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  return c;
}

// ---------------------------------------------------------------------- turns and grids
TAPER_OP_CASES(turns, {
  OpCase c = moving_case(
      "rot90",
      [](ScalarType t) {
        std::vector<Args> list;
        for (int64_t k = -1; k < 4; ++k) list.push_back(sample_of({{3, 4}}, t, {}, {k, 0, 1}));
        list.push_back(sample_of({{2, 3, 4}}, t, {}, {1, 2, 0}));
        return list;
      },
      [](const Args& a) {
        return rot90(a.t[0], a.i[0], {a.i[1], a.i[2]});
      },
      [](const ArrayArgs& a) {
        // A quarter: y[.., i, .., j, ..] = x[.., j, .., last - i, ..] of the two dimensions.
        Array x = a.t[0];
        const auto p = size_t(a.i[1]), q = size_t(a.i[2]);
        for (int64_t turn = 0; turn < ((a.i[0] % 4) + 4) % 4; ++turn) {
          Sizes sizes = x.sizes;
          std::swap(sizes[p], sizes[q]);
          Array y(sizes);
          for_each_index(sizes, [&](const Sizes& to) {
            Sizes from = to;
            from[p] = to[q];
            from[q] = sizes[p] - 1 - to[p];
            y.at(to) = x.at(from);
          });
          x = y;
        }
        return x;
      });
  c.errors = {error<Error>("dim 0 appears multiple times in the list of dims", [] {
    rot90(numbers({2, 2}), 1, {0, 0});
  })};
  return std::vector<OpCase>{c};
});

/// Vectors, of which every combination of elements is taken, the last ones changing first.
std::vector<Args> sets(ScalarType t) {
  return {sample_of({{3}, {2}}, t), sample_of({{2}, {3}, {2}}, t)};
}
Sizes lengths(const ArrayArgs& a) {
  Sizes n;
  for (const Array& x : a.t) n.push_back(x.numel());
  return n;
}

TAPER_OP_CASES(grids, {
  OpCase grid = moving_case(
      "meshgrid", &sets, [](const Args& a) { return Results(meshgrid(a.t)); },
      [](const ArrayArgs& a) {
        Arrays list;
        for (size_t k = 0; k < a.t.size(); ++k) {
          list.emplace_back(lengths(a));
          for_each_index(lengths(a), [&](const Sizes& index) {
            list.back().at(index) = a.t[k].v[size_t(index[k])];
          });
        }
        return list;
      });
  grid.is_view = true;
  grid.errors = {
      error<Error>("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: zz",
                   [] { meshgrid(std::vector<Tensor>{numbers({2})}, "zz"); })};
  OpCase product = moving_case(
      "cartesian_prod", &sets, [](const Args& a) { return cartesian_prod(a.t); },
      [](const ArrayArgs& a) {
        const Sizes n = lengths(a);
        Array y({numel_of(n), int64_t(n.size())});
        size_t at = 0;
        for_each_index(n, [&](const Sizes& index) {
          for (size_t k = 0; k < index.size(); ++k) y.v[at++] = a.t[k].v[size_t(index[k])];
        });
        return y;
      });
  product.errors = {error<Error>("Expect a 1D vector, but got shape [2, 2]", [] {
    cartesian_prod(std::vector<Tensor>{numbers({2, 2})});
  })};
  OpCase pairs = moving_case(
      "combinations",
      [](ScalarType t) {
        return std::vector<Args>{sample_of({{4}}, t), sample_of({{2}}, t), sample_of({{7}}, t)};
      },
      [](const Args& a) { return combinations(a.t[0]); },
      [](const ArrayArgs& a) {
        const Array& x = a.t[0];
        Array y({x.numel() * (x.numel() - 1) / 2, 2});
        size_t at = 0;
        for (size_t i = 0; i < x.v.size(); ++i)
          for (size_t j = i + 1; j < x.v.size(); ++j) {
            y.v[at++] = x.v[i];
            y.v[at++] = x.v[j];
          }
        return y;
      });
  return std::vector<OpCase>{grid, product, pairs};
});

// ---------------------------------------------------------------------- by position
TAPER_OP_CASES(positions, {
  OpCase along = moving_case(
      "take_along_dim",
      [](ScalarType t) {
        Args a = sample_of({{3, 4}}, t), b = sample_of({{2, 5}}, t);
        a.t.push_back(tensor_of({3, 2}, {3, 0, 1, 1, 0, 2}, kLong));
        b.t.push_back(tensor_of({1, 3}, {4, 4, 0}, kLong));  // for both rows
        return std::vector<Args>{a, b};
      },
      [](const Args& a) { return take_along_dim(a.t[0], a.t[1], 1); },
      [](const ArrayArgs& a) {
        Array y({a.t[0].sizes[0], a.t[1].sizes[1]});
        for_each_index(y.sizes, [&](const Sizes& index) {
          y.at(index) = a.t[0].at({index[0], int64_t(a.t[1].broadcast_at(index))});
        });
        return y;
      });
  along.errors = {
      error<Error>("torch.take_along_dim(): dtype of indices should be Long but got Float", [] {
        take_along_dim(numbers({2, 2}), numbers({2, 2}), 0);
      })};
  OpCase put_values = moving_case(
      "put",
      [](ScalarType t) {
        Args a = sample_of({{3, 4}, {3}}, t);
        a.t.push_back(values({11, 0, 5}, kLong));
        return std::vector<Args>{a};
      },
      [](const Args& a) { return put(a.t[0], a.t[2], a.t[1]); },
      [](const ArrayArgs& a) {
        Array y = a.t[0];
        for (size_t i = 0; i < 3; ++i) y.v[size_t(a.t[2].v[i])] = a.t[1].v[i];
        return y;
      });
  put_values.inplace = [](const Args& a) { return a.t[0].put_(a.t[2], a.t[1]); };
  put_values.errors = {
      error<Error>("put_(): self and source expected to have the same dtype, but got self.dtype = "
                   "Float and source.dtype = Double",
                   [] { put(numbers({2}), values({0}, kLong), values({1}, kDouble)); }),
      error<IndexError>(
          "put_(): Expected source and index to have the same number of elements, but "
          "got source.numel() = 2, index.numel() = 1",
          [] {
            put(numbers({2}), values({0}, kLong), values({1, 2}));
          })};
  return std::vector<OpCase>{along, put_values};
});

// ---------------------------------------------------------------------- affine and bilinear maps
TAPER_OP_CASES(maps, {
  std::vector<OpCase> list;
  for (const bool corners : {false, true}) {
    OpCase c;
    c.name = corners ? "affine_grid_corners" : "affine_grid";
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{2, 2, 3}}, t, {}, {2, 1, 3, 4}),
                               sample_of({{1, 3, 4}}, t, {}, {1, 2, 2, 3, 4})};
    };
    c.call = [=](const Args& a) { return affine_grid_generator(a.t[0], a.i, corners); };
    c.reference = [=](const ArrayArgs& a) {
      const auto dims = int64_t(a.i.size()) - 2;
      Sizes places(a.i.begin() + 2, a.i.end()), sizes = places;
      sizes.insert(sizes.begin(), a.i[0]);
      sizes.push_back(dims);
      Array y(sizes);
      for_each_index(sizes, [&](const Sizes& index) {
        double sum = a.t[0].at({index[0], index.back(), dims});
        for (int64_t d = 0; d < dims; ++d) {  // x is the last of the places
          const double n = double(places[size_t(dims - 1 - d)]);
          const double i = double(index[size_t(dims - d)]);
          const double place = corners ? 2 * i / (n - 1) - 1 : (2 * i + 1) / n - 1;
          sum += a.t[0].at({index[0], index.back(), d}) * place;
        }
        y.at(index) = sum;
      });
      return y;
    };
    c.tolerance = 4;
    list.push_back(c);
  }
  OpCase bilinear_map;
  bilinear_map.name = "bilinear";
  bilinear_map.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 2}, {3, 4}, {5, 2, 4}, {5}}, t),
                             sample_of({{2, 1, 3}, {2, 1, 2}, {1, 3, 2}, {1}}, t)};
  };
  bilinear_map.call = [](const Args& a) { return bilinear(a.t[0], a.t[1], a.t[2], a.t[3]); };
  bilinear_map.reference = [](const ArrayArgs& a) {
    Sizes sizes = a.t[0].sizes;
    sizes.back() = a.t[3].numel();
    Array y(sizes);
    for_each_index(sizes, [&](const Sizes& index) {
      const int64_t k = index.back();
      Sizes p = index, q = index;
      double sum = a.t[3].v[size_t(k)];
      for (p.back() = 0; p.back() < a.t[0].size(-1); ++p.back())
        for (q.back() = 0; q.back() < a.t[1].size(-1); ++q.back())
          sum += a.t[0].at(p) * a.t[2].at({k, p.back(), q.back()}) * a.t[1].at(q);
      y.at(index) = sum;
    });
    return y;
  };
  bilinear_map.tolerance = 8;
  list.push_back(bilinear_map);
  return list;
});

}  // namespace
}  // namespace taper::testing
