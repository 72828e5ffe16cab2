// Kernels of devices at sizes where they take other ways: many positions for few places, rows in
// pieces, more tensors than a launch takes. The CPU's results are the measure.
#include <cmath>
#include <functional>
#include <limits>

#include <taper/framework/cuda/offsets.h>
#include <taper/framework/cuda/rows.h>
#include <taper/ops/nn/attention_heads.h>
#include <taper/taper.h>

#include <gmock/gmock.h>

#include "on_device.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// Teams of more than a warp have a block's slots and barrier for themselves.
TEST(CudaKernels, TeamsAreAThreadAWarpOrABlock) {
  const auto nothing = [](const cuda::Team&, int64_t) {};
  for (int n : {0, 8, 48, 300, 2048})
    EXPECT_NE(message_of([&] { cuda::for_each_row(1, n, nothing); }).find("for_each_row: expected"),
              std::string::npos)
        << n;
  using Held = cuda::HeldRows<float, 4>;
  for (int64_t width : {1, 30, 600, 2000, 5000, 1 << 20}) {
    EXPECT_NO_THROW(cuda::for_each_row(1, cuda::team_for(width), nothing)) << width;
    EXPECT_NO_THROW(cuda::for_each_row(1, cuda::held_team_for<Held>(width), nothing)) << width;
  }
}

/// f(x) and the gradients of its inner product with numbers.
std::vector<Tensor> with_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                                   std::vector<Tensor> x, Device d) {
  for (Tensor& t : x) t = t.to(d).requires_grad_();
  const Tensor y = f(x);
  std::vector<Tensor> results = {y.detach()};
  for (const Tensor& g : autograd::grad({y}, x, {spread_numbers(y.sizes(), y.scalar_type()).to(d)}))
    results.push_back(g);
  return results;
}
double tolerance_of(ScalarType dtype) {
  return dtype == kDouble ? 1e-10 : dtype == kFloat ? 2e-4 : dtype == kHalf ? 4e-3 : 3e-2;
}

// Rows that a thread, a warp or a block holds, whole or in part, of packs or of single elements.
TEST(CudaKernels, RowsThatAreReadOnce) {
  for (ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16})
    for (int64_t width : {1, 3, 40, 600, 1001, 20000, 20001}) {
      SCOPED_TRACE(toString(dtype) + std::string(", width ") + std::to_string(width));
      const Tensor x = spread_numbers({5, width}, dtype);
      const Tensor w = spread_numbers({width}, dtype).add(1), b = spread_numbers({width}, dtype);
      for (int64_t dim : {0, 1}) {
        expect_same_on_device(
            [&](Device d) {
              return with_gradients([&](const auto& in) { return softmax(in[0] * 3, dim); }, {x},
                                    d);
            },
            tolerance_of(dtype));
        expect_same_on_device(
            [&](Device d) {
              return with_gradients([&](const auto& in) { return log_softmax(in[0], dim); }, {x},
                                    d);
            },
            10 * tolerance_of(dtype));
      }
      expect_same_on_device(
          [&](Device d) {
            return with_gradients(
                [&](const auto& in) { return layer_norm(in[0], {width}, in[1], in[2]); }, {x, w, b},
                d);
          },
          10 * tolerance_of(dtype));
    }
}

// Channels in one piece and in several, along the pixels of samples or along the batch.
TEST(CudaKernels, ReductionsOverChannels) {
  const std::vector<std::vector<int64_t>> shapes = {{2, 6, 5, 5},     {3, 6, 8, 8},     {4000, 6},
                                                    {2, 6, 150, 150}, {2, 6, 200, 201}, {1, 6, 3}};
  for (ScalarType dtype : {kDouble, kFloat, kHalf, kBFloat16})
    for (const auto& shape : shapes) {
      SCOPED_TRACE(toString(dtype) + std::string(" ") + std::to_string(shape[0]) + ", ..., " +
                   std::to_string(shape.back()));
      const Tensor x = spread_numbers(shape, dtype);
      const Tensor w = spread_numbers({6}, dtype).add(4), b = spread_numbers({6}, dtype);
      const double tolerance = 10 * tolerance_of(dtype);
      const auto check = [&](const std::function<Tensor(const std::vector<Tensor>&)>& f) {
        expect_same_on_device([&](Device d) { return with_gradients(f, {x, w, b}, d); }, tolerance);
      };
      check([](const auto& in) { return group_norm(in[0], 2, in[1], in[2]); });
      check([](const auto& in) {
        return batch_norm(in[0], in[1], in[2], Tensor(), Tensor(), true, 0.1, 1e-5, false);
      });
      check([](const auto& in) {
        const Tensor mean = spread_numbers({6}, kFloat).to(in[0].device());
        return batch_norm(in[0], in[1], in[2], mean, mean.abs().add(1), false, 0.1, 1e-5, false);
      });
    }
}

// All rows at once, by keys of every size; equal elements keep their order.
TEST(CudaKernels, RowsAreSortedEachForItself) {
  for (ScalarType dtype : {kByte, kHalf, kFloat, kDouble, kLong})
    for (int64_t rows : {2, 700})
      expect_same_on_device([&](Device d) {
        const Tensor x = places(rows * 60, 100).view({rows, 60}).to(dtype).to(d);
        const auto [up, from] = sort(x, /*stable=*/true, -1);
        const auto [down, at] = sort(x, /*stable=*/true, -1, /*descending=*/true);
        return std::vector<Tensor>{up, from, down, at};
      });
}

TEST(CudaKernels, ManyPositionsThatMeetKeepTheirOrder) {
  for (ScalarType dtype : {kDouble, kLong, kInt}) {
    const auto x = [dtype](Device d) { return counting({7}, dtype).to(d); };
    const auto src = [dtype](Device d) { return counting({1000}, dtype).to(d); };
    expect_same_on_device(
        [&](Device d) {
          const Tensor at = places(1000, 7).to(d);
          return std::vector<Tensor>{x(d).scatter_add(0, at, src(d)), x(d).scatter(0, at, src(d)),
                                     x(d).scatter(0, at, src(d).remainder(2).add(1), "multiply"),
                                     x(d).scatter(0, at, 3)};
        },
        1e-12);
  }
}

TEST(CudaKernels, LinesOfAScatterKeepTheirOrder) {
  expect_same_on_device(
      [](Device d) {
        const Tensor x = spread_numbers({30, 5}, kDouble).to(d),
                     src = spread_numbers({20, 6}, kDouble).to(d);
        const Tensor rows = places(20 * 4, 30).view({20, 4}).to(d);
        const Tensor cols = places(20 * 6, 5).view({20, 6}).to(d);
        return std::vector<Tensor>{x.scatter_add(0, rows, src), x.scatter(1, cols, src),
                                   x.scatter(0, rows, src.t().contiguous().t())};
      },
      1e-12);
}

TEST(CudaKernels, RowsThatMeetAreAddedOrTheLastOneStays) {
  for (int64_t width : {1, 3, 40})
    expect_same_on_device(
        [width](Device d) {
          const Tensor x = spread_numbers({2, 9, width}, kDouble).to(d), at = places(500, 9).to(d);
          const Tensor rows = spread_numbers({2, 500, width}, kDouble).to(d);
          return std::vector<Tensor>{x.index_add(1, at, rows), x.index_copy(1, at, rows),
                                     x.index_fill(1, at.slice(0, 0, 3), 2), x.index_select(1, at)};
        },
        1e-12);
}

TEST(CudaKernels, RowsAreTakenInUnitsOfEverySize) {
  for (ScalarType dtype : {kByte, kHalf, kFloat, kDouble})
    for (int64_t width : {1, 2, 3, 4, 6, 16})
      expect_same_on_device([=](Device d) {
        const Tensor x = counting({11, width}, dtype).to(d), at = places(50, 10).to(d);
        return std::vector<Tensor>{
            x.index_select(0, at),
            x.flatten().slice(0, 1, 1 + 10 * width).view({10, width}).index_select(0, at)};
      });
}

TEST(CudaKernels, EmbeddingGradientsOfManyAndOfOne) {
  for (bool by_frequency : {false, true})
    expect_same_on_device(
        [=](Device d) {
          const Tensor gy = spread_numbers({800, 5}, kDouble).to(d), at = places(800, 13).to(d);
          return std::vector<Tensor>{embedding_dense_backward(gy, at, 20, 3, by_frequency),
                                     embedding_dense_backward(gy, at, 13, -1, by_frequency)};
        },
        1e-12);
}

TEST(CudaKernels, LongRowsAreScannedInPieces) {
  for (ScalarType dtype : {kDouble, kFloat, kLong})
    expect_same_on_device(
        [dtype](Device d) {
          const Tensor x = spread_numbers({20011}, dtype).to(d),
                       y = spread_numbers({2, 9001, 3}, dtype).to(d);
          return std::vector<Tensor>{x.cumsum(0),
                                     y.cumsum(1),
                                     std::get<0>(x.cummax(0)),
                                     std::get<1>(x.cummax(0)),
                                     std::get<0>(y.cummin(1)),
                                     std::get<1>(y.cummin(1)),
                                     y.mul(0).add(1).cumprod(1)};
        },
        dtype == kFloat ? 1e-4 : 1e-10);
}

TEST(CudaKernels, RunningExtremesKeepTheLastNan) {
  const double nan = std::nan("");
  expect_same_on_device([=](Device d) {
    const Tensor x = tensor({1., 1., 0., nan, 2., nan, 5.}).to(d);
    return std::vector<Tensor>{std::get<0>(x.cummax(0)), std::get<1>(x.cummax(0)),
                               std::get<0>(x.cummin(0)), std::get<1>(x.cummin(0))};
  });
}

TEST(CudaKernels, SortingKeepsTheOrderOfEqualsAndPutsNanLast) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
    expect_same_on_device([=](Device d) {
      const Tensor x = tensor({0., -0., nan, -inf, 3., 0., inf, -2., nan, 3.}).to(dtype).to(d);
      const auto up = x.sort(0, false), down = x.sort(0, true), best = x.topk(4);
      return std::vector<Tensor>{std::get<0>(up),   std::get<1>(up),   std::get<0>(down),
                                 std::get<1>(down), std::get<0>(best), std::get<1>(best)};
    });
  for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong})
    expect_same_on_device([=](Device d) {
      const Tensor x = places(300, 50).sub(dtype == kByte ? 0 : 25).to(dtype).view({3, 100}).to(d);
      const auto up = x.sort(1, false), best = x.topk(7, 1, false);
      return std::vector<Tensor>{std::get<0>(up), std::get<1>(up), std::get<0>(best),
                                 std::get<1>(best)};
    });
}

TEST(CudaKernels, MediansOfRowsWithAndWithoutNan) {
  const double nan = std::nan("");
  expect_same_on_device([=](Device d) {
    const Tensor x =
        tensor_of({4, 4}, {1, 4, 2, 3, nan, 1, nan, 2, nan, nan, nan, nan, 7, 7, 7, 1}).to(d);
    const auto all = x.median(1), some = nanmedian(x, 1);
    return std::vector<Tensor>{std::get<0>(all), std::get<1>(all), std::get<0>(some),
                               std::get<1>(some)};
  });
}

TEST(CudaKernels, ManyTensorsAreJoined) {
  for (ScalarType dtype : {kByte, kFloat, kDouble})
    expect_same_on_device([dtype](Device d) {
      std::vector<Tensor> rows, columns;
      for (int64_t i = 0; i < 45; ++i) {
        rows.push_back(counting({i % 4, 3}, dtype, i).to(d));
        columns.push_back(counting({3, i % 5}, dtype, i).to(d));
      }
      return std::vector<Tensor>{cat(rows, 0), cat(columns, 1)};
    });
}

TEST(CudaKernels, PositionsAndRepeatsOfManyElements) {
  expect_same_on_device([](Device d) {
    const Tensor x = places(9000, 3).view({10, 9, 100}).to(d), counts = places(300, 5).to(d);
    return std::vector<Tensor>{x.nonzero(), x.to(kBool).nonzero(), zeros({0, 3}, d).nonzero(),
                               repeat_interleave(counts)};
  });
}

TEST(CudaKernels, TrianglesOfEveryShape) {
  for (int64_t rows : {0, 1, 3, 6})
    for (int64_t cols : {0, 1, 4, 7})
      for (int64_t offset = -8; offset <= 8; ++offset)
        expect_same_on_device([=](Device d) {
          const TensorOptions options = TensorOptions(kLong).device(d);
          return std::vector<Tensor>{tril_indices(rows, cols, offset, options),
                                     triu_indices(rows, cols, offset, options)};
        });
}

TEST(CudaKernels, BadIndicesAreReportedInTheCpusWords) {
  const Tensor x = ones({3, 4}, kCUDA);
  const auto words_of = [](const std::function<void()>& body) {
    return message_of([&] {
      body();
      cuda::synchronize();
    });
  };
  const auto at = [](int64_t i) { return tensor({int64_t{0}, i}).to(kCUDA); };
  EXPECT_THAT(words_of([&] { x.index_select(0, at(3)); }),
              ::testing::HasSubstr("index_select: index out of range in self"));
  EXPECT_THAT(words_of([&] { x.index({at(-4)}); }),
              ::testing::HasSubstr("index: index -4 is out of bounds for dimension 0 with size 3"));
  EXPECT_THAT(words_of([&] {
                x.gather(1, at(9).view({1, 2}));
              }),
              ::testing::HasSubstr("gather: index 9 is out of bounds for dimension 1 with size 4"));
  EXPECT_THAT(words_of([&] { x.take(at(12)); }),
              ::testing::HasSubstr(
                  "take: out of range: tried to access index 12 on a tensor of 12 elements"));
}

TEST(CudaKernels, ProductsTakeABiasOrAnyOtherSummand) {
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
    for (int64_t m : {1, 2, 33})
      expect_same_on_device(
          [=](Device d) {
            const Tensor a = spread_numbers({m, 5}, dtype).to(d),
                         b = spread_numbers({5, 7}, dtype).to(d);
            const Tensor bias = spread_numbers({7}, dtype).to(d),
                         wide = spread_numbers({7, 2}, dtype).to(d);
            const Tensor full = spread_numbers({m, 7}, dtype).to(d),
                         column = spread_numbers({m, 1}, dtype).to(d);
            return std::vector<Tensor>{addmm(bias, a, b),
                                       addmm(bias.view({1, 7}), a, b, 1, 2),
                                       addmm(bias.view({1, 7}).expand({m, 7}), a, b),
                                       addmm(bias, a, b, 3, 2),
                                       addmm(wide.select(1, 1), a, b),
                                       addmm(column, a, b),
                                       addmm(full, a, b),
                                       addmm(bias, a.slice(1, 0, 0), b.slice(0, 0, 0)),
                                       linear(a, b.t().contiguous(), bias),
                                       linear(a, b.t(), bias),
                                       linear(a, b.t(), bias.slice(0, 0, 1))};
          },
          isReducedFloatingType(dtype) ? 3e-2 : 1e-5);
}

TEST(CudaKernels, TopkOfLongRowsTakesThemWithoutSorting) {
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kLong, kInt, kByte})
    for (int64_t rows : {1, 3})
      for (int64_t n : {4096, 20001})
        for (bool largest : {true, false})
          expect_same_on_device([=](Device d) {
            const Tensor ties = places(rows * n, 97).to(dtype).view({rows, n}).to(d);
            const Tensor distinct = places(rows * n, 127).sub(63).to(dtype).view({rows, n}).to(d);
            std::vector<Tensor> all;
            for (int64_t k : {int64_t{0}, int64_t{1}, int64_t{5}, n / 4})
              for (const Tensor& x : {ties, distinct}) {
                const auto [values, indices] = x.topk(k, 1, largest);
                all.push_back(values);
                all.push_back(indices);
              }
            return all;
          });
}

TEST(CudaKernels, TopkOfLongRowsPutsNanAboveAll) {
  for (bool largest : {true, false})
    for (int64_t nans : {0, 3, 5000})
      expect_same_on_device([=](Device d) {
        Tensor x = spread_numbers({2, 5000}, kFloat).repeat({1, 2}).to(d);
        x.slice(1, 0, 10).fill_(-0.0);
        x.slice(1, 10, 20).zero_();
        x.slice(1, 100, 120).fill_(std::numeric_limits<double>::infinity());
        x.slice(1, 120, 140).fill_(-std::numeric_limits<double>::infinity());
        x.slice(1, 4900, 4900 + nans).fill_(std::nan(""));
        const auto [values, indices] = x.topk(2000, 1, largest);
        return std::vector<Tensor>{values, indices};
      });
}

// A divisor's multiplication and shift, at the ends of what they are for.
TEST(CudaKernels, DivisionsByMultiplications) {
  for (uint32_t d : {1u, 2u, 3u, 5u, 7u, 10u, 33u, 641u, 65535u, 65536u, 65537u, 1u << 30,
                     (1u << 30) + 1, (1u << 31) - 1}) {
    const cuda::Divider<uint32_t> divider(d);
    for (uint32_t i :
         {0u, 1u, d - 1, d, d + 1, 2 * d - 1, 12345678u, (1u << 31) - 2, (1u << 31) - 1})
      if (i < 1u << 31) EXPECT_EQ(divider.quotient(i), i / d) << i << " / " << d;
    for (uint64_t i = 0; i < 1u << 31; i += 104729)
      ASSERT_EQ(divider.quotient(static_cast<uint32_t>(i)), i / d) << i << " / " << d;
  }
}

// ---------------------------------------------------------------------- work of whole warps
// (Also run in blocks of threads: tests/blocks.)
TEST(CudaKernelsOfWarps, CopiesThatTurnRowsIntoColumns) {
  for (ScalarType dtype : {kByte, kHalf, kInt, kDouble}) {
    const Tensor x = spread_numbers({2, 33, 3, 70}, kDouble).mul(20).to(dtype);
    expect_same_on_device([&](Device d) {
      const Tensor t = x.to(d);
      return std::vector<Tensor>{t.permute({0, 3, 2, 1}).contiguous(),
                                 t.permute({3, 2, 1, 0}).contiguous(),
                                 t.select(2, 1).transpose(1, 2).contiguous(),
                                 t.narrow(3, 5, 40).transpose(1, 3).contiguous(),
                                 t.narrow(3, 5, 7).transpose(1, 3).contiguous(),
                                 t.select(2, 0)
                                     .select(1, 3)
                                     .unsqueeze(1)
                                     .expand({2, 40, 70})
                                     .transpose(1, 2)
                                     .contiguous()};
    });
  }
}
TEST(CudaKernels, FloatsBecomeOtherFloats) {
  for (ScalarType from : {kDouble, kFloat, kHalf, kBFloat16})
    for (ScalarType to : {kDouble, kFloat, kHalf, kBFloat16})
      for (int64_t n : {1, 8, 1003}) {
        const Tensor x = spread_numbers({n + 1}, kDouble).to(from);
        expect_same_on_device([&](Device d) {
          return std::vector<Tensor>{x.to(d).to(to), x.to(d).narrow(0, 1, n).to(to)};
        });
      }
}

// The same numbers, whether whole packs are stored or single elements.
TEST(CudaKernelsOfWarps, DrawnNumbersLieAnywhere) {
  for (ScalarType dtype : {kFloat, kDouble, kHalf})
    for (int64_t n : {1, 7, 1000, 1001}) {
      const auto drawn = [&](const Tensor& y) {
        manual_seed(3);
        return y.uniform_(-1, 1).cpu();
      };
      const TensorOptions o = TensorOptions(dtype).device(kCUDA);
      const Tensor dense = drawn(empty({n}, o));
      EXPECT_TRUE(dense.equal(drawn(empty({2 * n}, o).slice(0, 0, 2 * n, 2))));
      EXPECT_TRUE(dense.equal(drawn(empty({n + 1}, o).narrow(0, 1, n))));
    }
}
TEST(CudaKernelsOfWarps, CountsOfManyNumbers) {
  for (int64_t kinds : {3, 256, 257}) {
    const Tensor x = places(40001, kinds);
    expect_same_on_device([&](Device d) {
      return std::vector<Tensor>{bincount(x.to(d)), bincount(x.to(d).to(kByte))};
    });
  }
}
// The targets of the one are cut into pieces; rows of the other are what takes blocks of threads
// long.
TEST(CudaKernelsOfWarps, LossesOfManyTargets) {
  using Loss = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, int64_t);
  const Loss nll = [](const Tensor& x, const Tensor& t, const Tensor& w, int64_t reduction) {
    return nll_loss(x, t, w, reduction, -1);
  };
  const Loss cross_entropy = [](const Tensor& x, const Tensor& t, const Tensor& w,
                                int64_t reduction) {
    return cross_entropy_loss(x, t, w, reduction, -1);
  };
  const int64_t classes = 5;
  for (const auto& [n, loss] : {std::pair<int64_t, Loss>(9001, nll), {70, cross_entropy}})
    for (int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum})
      expect_same_on_device(
          [&, n = n, loss = loss](Device d) {
            const Tensor weight = spread_numbers({classes}, kDouble).abs().to(d);
            const Tensor target = places(n, classes + 1).sub(1).to(d);  // -1: ignored
            return with_gradients(
                [&](const std::vector<Tensor>& x) { return loss(x[0], target, weight, reduction); },
                {spread_numbers({n, classes}, kDouble)}, d);
          },
          1e-9);
}

struct AttentionSizes {
  int64_t N, H, L, S, E, V;
  bool causal;
  std::vector<int64_t> mask;  // broadcast to (N, H, L, S); empty: none
};
/// y and the gradients of q, k, v on a device.
std::vector<Tensor> attention_on(Device d, ScalarType dtype, const AttentionSizes& s) {
  // By the layout of a projection: heads lie beside each other in a row. Small numbers: where one
  // weight is nearly 1, the gradients of scores are differences of nearly equal numbers.
  const auto heads = [&](int64_t rows, int64_t width, ScalarType t) {
    return spread_numbers({s.N, rows, s.H, width}, kDouble)
        .mul(0.25)
        .to(dtype)
        .to(t)
        .transpose(1, 2);
  };
  const ScalarType compute = d.is_cpu() ? kDouble : dtype;
  Tensor mask;
  if (!s.mask.empty()) {
    mask = spread_numbers(s.mask, kDouble).to(dtype);
    mask.view({-1})[0] = -std::numeric_limits<double>::infinity();
    mask = mask.to(compute).to(d).expand({s.N, s.H, s.L, s.S});
  }
  return with_gradients(
      [&](const std::vector<Tensor>& x) {
        return scaled_dot_product_attention(x[0], x[1], x[2], mask, 0, s.causal);
      },
      {heads(s.L, s.E, compute), heads(s.S, s.E, compute), heads(s.S, s.V, compute)}, d);
}
/// The same of views of a projection to queries, keys and values: y, and the gradient of that.
std::vector<Tensor> attention_of_projection_on(Device d, ScalarType dtype,
                                               const AttentionSizes& s) {
  const ScalarType compute = d.is_cpu() ? kDouble : dtype;
  Tensor mask;
  if (!s.mask.empty()) mask = spread_numbers(s.mask, kDouble).to(dtype).to(compute).to(d);
  const int64_t width = s.H * s.E;
  return with_gradients(
      [&](const std::vector<Tensor>& x) {
        const std::vector<Tensor> parts = x[0].split(width, 2);
        const auto heads = [&](size_t i) {
          return parts[i].view({s.N, s.L, s.H, s.E}).transpose(1, 2);
        };
        return scaled_dot_product_attention(heads(0), heads(1), heads(2), mask, 0, s.causal);
      },
      {spread_numbers({s.N, s.L, 3 * width}, kDouble).mul(0.25).to(dtype).to(compute)}, d);
}
using AttentionOn = std::vector<Tensor> (*)(Device, ScalarType, const AttentionSizes&);
/// By the norm of the difference: weights are rounded to 16 bits before they are multiplied.
void expect_same_attention(AttentionOn on, ScalarType dtype, const AttentionSizes& s) {
  SCOPED_TRACE(::testing::Message() << dtype << " " << s.N << " x " << s.H << ", " << s.L << " x "
                                    << s.S << ", " << s.E << (s.causal ? ", causal" : ""));
  const std::vector<Tensor> want = on(Device(kCPU), dtype, s), got = on(Device(kCUDA), dtype, s);
  const double tolerance = dtype == kDouble  ? 1e-13
                           : dtype == kFloat ? 2e-6
                           : dtype == kHalf  ? 2e-3
                                             : 1.5e-2;
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].scalar_type(), dtype);
    const Tensor difference = got[i].cpu().to(kDouble) - want[i];
    EXPECT_LT((difference.norm() / want[i].norm()).item<double>(), tolerance) << "result " << i;
  }
}
TEST(CudaKernelsOfWarps, AttentionOf16Bits) {
  // Tiles that are whole, that lack rows or columns, that not all queries see.
  const AttentionSizes all[] = {
      {1, 1, 16, 16, 64, 64, false, {}},         {2, 3, 37, 21, 8, 24, false, {}},
      {2, 2, 21, 37, 16, 40, true, {}},          {1, 2, 35, 33, 72, 128, true, {}},
      {1, 1, 17, 50, 128, 100, false, {17, 50}}, {2, 2, 20, 18, 5, 13, false, {2, 1, 1, 18}},
      {1, 2, 50, 20, 64, 64, true, {}},          {1, 1, 20, 50, 64, 64, true, {}},
      {1, 1, 33, 50, 64, 64, false, {33, 50}},   {1, 1, 40, 36, 128, 128, false, {}}};
  for (ScalarType dtype : {kHalf, kBFloat16})
    for (const AttentionSizes& s : all) expect_same_attention(attention_on, dtype, s);
}
TEST(CudaKernelsOfWarps, AttentionOf16BitsOfAProjection) {
  const AttentionSizes all[] = {{2, 2, 50, 50, 64, 64, true, {}},
                                {2, 1, 40, 40, 128, 128, true, {}},
                                {1, 3, 37, 37, 64, 64, false, {}},
                                {2, 2, 19, 19, 24, 24, true, {}}};
  for (ScalarType dtype : {kHalf, kBFloat16})
    for (const AttentionSizes& s : all) expect_same_attention(attention_of_projection_on, dtype, s);
}
// Heads at unequal distances, more queries and keys than a block has, masks of samples.
TEST(CudaKernels, AttentionOfAProjection) {
  const AttentionSizes all[] = {{3, 2, 21, 21, 8, 8, true, {}},
                                {2, 3, 19, 19, 5, 5, false, {2, 1, 1, 19}},
                                {2, 2, 11, 11, 4, 4, false, {2, 2, 11, 11}},
                                {2, 2, 530, 530, 4, 4, true, {}}};
  for (ScalarType dtype : {kFloat, kDouble})
    for (const AttentionSizes& s : all) expect_same_attention(attention_of_projection_on, dtype, s);
}
/// The kernels that `work` starts on the current device, in order.
std::vector<std::string> kernels_of(const std::function<void()>& work) {
  cuda::synchronize();  // what was queued before does not count
  cuda::Timeline timeline;
  work();
  timeline.stop();
  std::vector<std::string> names;
  for (const cuda::TimelineEvent& e : timeline.events()) names.push_back(e.name);
  return names;
}

// Nothing is copied for the kernel: it reads heads where they lie in the projection.
TEST(CudaKernelsOfWarps, AttentionOf16BitsReadsAProjectionInPlace) {
  const bool on_gpus = detail::cuda_kernels() == detail::CudaKernels::kForGpus;
  if (!detail::runs_cuda_kernels() || !(on_gpus || cuda::has_warps()))
    GTEST_SKIP() << "needs CUDA kernels, in warps";
  for (int64_t width : {64, 128, 24}) {
    const Tensor x =
        spread_numbers({2, 20, 3, 2, width}, kBFloat16).to(Device(kCUDA)).requires_grad_();
    const auto heads = [&](int64_t i) { return x.select(2, i).transpose(1, 2); };
    Tensor y;
    const auto forward = [&] {
      y = scaled_dot_product_attention(heads(0), heads(1), heads(2), {}, 0, true);
    };
    EXPECT_THAT(kernels_of(forward), ::testing::ElementsAre("attention")) << width;
    const Tensor gy = y.detach().clone();
    const std::vector<std::string> backward = kernels_of([&] { autograd::grad({y}, {x}, {gy}); });
    EXPECT_EQ(backward.at(0), "attention_backward") << width;
  }
}
TEST(CudaKernels, MeanWeightsOfAttentionOfAProjection) {
  const Tensor x = spread_numbers({3, 7, 3, 2, 4}, kDouble);
  expect_same_on_device(
      [&](Device d) {
        const auto heads = [&](int64_t i) { return x.to(d).select(2, i).transpose(1, 2); };
        AttentionOptions options;
        options.weights = AttentionOptions::kMean;
        options.causal = true;
        const AttentionOutput out = attend(heads(0), heads(1), heads(2), {}, options);
        return std::vector<Tensor>{out.y, out.weights};
      },
      1e-12);
}

// The batch in parts, planes in pieces of rows, several outputs of a channel; padding that is less
// and more than half of the kernel.
TEST(CudaKernelsOfWarps, DepthwiseConvolutions) {
  for (int64_t k : {3, 5, 7})
    for (int64_t padding : {k / 2, k, int64_t{0}}) {
      SCOPED_TRACE(::testing::Message() << k << " x " << k << ", padding " << padding);
      const auto conv = [&](const std::vector<Tensor>& x) {
        return conv2d(x[0], x[1], x[2], {1, 1}, {padding, padding}, {1, 1}, 2);
      };
      const std::vector<Tensor> x = {spread_numbers({3, 2, 9, 8}, kDouble),
                                     spread_numbers({4, 1, k, k}, kDouble),
                                     spread_numbers({4}, kDouble)};
      expect_same_on_device([&](Device d) { return with_gradients(conv, x, d); }, 1e-10);
    }
}

}  // namespace
}  // namespace torch::taper::testing
