// Pointwise loops over strided operands, against the same over contiguous ones.
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/formula.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/random/random.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/flip.h>
#include <cmath>
#include <functional>
#include <random>

#include "harness/guarded_memory.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// rows x n elements of some dtype, no two neighbours alike, with `step` from one to the next.
Tensor stepped(int64_t rows, int64_t n, int64_t step, ScalarType t, int64_t seed) {
  const Tensor all = arange(rows * n * step).add(seed).remainder(113).to(t);
  return all.view({rows, n * step}).slice(1, step - 1, n * step, step);
}

void expect_like_contiguous(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor da = a.contiguous(), db = b.contiguous(), dc = c.contiguous();
  EXPECT_TRUE(a.square().equal(da.square())) << a.strides() << toString(a.scalar_type());
  EXPECT_TRUE(a.add(b).equal(da.add(db))) << a.strides() << toString(a.scalar_type());
  EXPECT_TRUE(a.addcmul(b, c).equal(da.addcmul(db, dc))) << a.strides();
}

TEST(Loops, StridedOperandsOfAllSteps) {
  for (ScalarType t : {kByte, kShort, kInt, kFloat, kDouble, kBFloat16})
    for (int64_t step : {1, 2, 3, 4, 5})
      for (int64_t n : {1, 7, 64, 511, 1300})
        expect_like_contiguous(stepped(3, n, step, t, 0), stepped(3, n, 6 - step, t, 1),
                               stepped(3, n, 3, t, 2));
}

TEST(Loops, StridedOperandsPastTheCaches) {
  for (int64_t step : {2, 3})
    expect_like_contiguous(stepped(1500, 2100, step, kFloat, 0), stepped(1500, 2100, 2, kFloat, 1),
                           stepped(1500, 2100, 5, kFloat, 2));
}

// One element for a whole row, as the second or the third operand, or both.
TEST(Loops, ColumnsAndRowsOfThreeOperands) {
  for (ScalarType t : {kLong, kFloat, kDouble, kBFloat16, kHalf})
    for (int64_t n : {1, 7, 300, 1300}) {
      const Tensor x = stepped(5, n, 1, t, 0), row = stepped(1, n, 1, t, 3),
                   all = stepped(5, n, 1, t, 7);
      const Tensor column = stepped(5, 1, 1, t, 2);
      for (const auto& [b, c] : {std::pair{column, row},
                                 {row, column},
                                 {column, all},
                                 {all, column},
                                 {column, column}}) {
        const Tensor fb = b.expand({5, n}).contiguous(), fc = c.expand({5, n}).contiguous();
        EXPECT_TRUE(x.addcmul(b, c).equal(x.addcmul(fb, fc))) << toString(t) << n;
        EXPECT_TRUE(clamp(x, b, c).equal(clamp(x, fb, fc))) << toString(t) << n;
        EXPECT_TRUE(x.clone().addcmul_(b, c).equal(x.addcmul(fb, fc))) << toString(t) << n;
        EXPECT_TRUE(x.t().addcmul(b.t(), c.t()).equal(x.addcmul(fb, fc).t())) << toString(t) << n;
      }
    }
}

TEST(Loops, AColumnAndARowPastTheCaches) {
  const Tensor x = stepped(1500, 2100, 1, kFloat, 0), row = stepped(1, 2100, 1, kFloat, 3);
  const Tensor column = stepped(1500, 1, 1, kFloat, 2);
  EXPECT_TRUE(x.addcmul(column, row).equal(x.add(column.mul(row))));
}

// f16 is computed as floats are, whose results are rounded.
void expect_like_floats(const Tensor& a, const Tensor& b) {
  const Tensor fa = a.to(kFloat), fb = b.to(kFloat);
  EXPECT_TRUE(a.add(b).equal(fa.add(fb).to(kHalf))) << a.sizes() << b.sizes();
  EXPECT_TRUE(a.sub(b, 3).equal(fa.sub(fb, 3).to(kHalf))) << a.sizes() << b.sizes();
  EXPECT_TRUE(b.remainder(a).equal(fb.remainder(fa).to(kHalf))) << a.sizes() << b.sizes();
  EXPECT_TRUE(a.lt(b).equal(fa.lt(fb))) << a.sizes() << b.sizes();
  EXPECT_TRUE(a.mul(2.5).equal(fa.mul(2.5).to(kHalf))) << a.sizes();
  EXPECT_TRUE(a.exp().equal(fa.exp().to(kHalf))) << a.sizes();
  EXPECT_TRUE(a.isnan().equal(fa.isnan())) << a.sizes();
  EXPECT_TRUE(a.clamp(-1, 9).equal(fa.clamp(-1, 9).to(kHalf))) << a.sizes();
  EXPECT_TRUE(addcmul(a, a, b, 0.5).equal(addcmul(fa, fa, fb, 0.5).to(kHalf))) << a.sizes();
}

TEST(Loops, HalvesAreComputedAsFloats) {
  for (const int64_t n : {1, 7, 8, 300, 512, 1300}) {
    const Tensor a = stepped(3, n, 1, kHalf, 1).sub(50.25), b = stepped(3, n, 2, kHalf, 2);
    expect_like_floats(a, b.add(1).contiguous());
    expect_like_floats(a, b.add(1).slice(0, 0, 1));
    expect_like_floats(a, a.slice(1, 0, 1));
    expect_like_floats(stepped(3, n, 3, kHalf, 3).add(1), a.slice(1, n - 1, n));
    expect_like_floats(stepped(3, n, 2, kFloat, 2).add(1).to(kHalf), a);
    Tensor changed = a.clone();
    changed.add_(b).mul_(changed.clone());
    EXPECT_TRUE(changed.equal(a.add(b).square())) << n;
  }
}

TEST(Loops, HalvesPastTheCaches) {
  const Tensor a = stepped(1500, 6000, 1, kHalf, 0), b = stepped(1, 6000, 1, kHalf, 1);
  EXPECT_TRUE(a.add(b).equal(a.to(kFloat).add(b.to(kFloat)).to(kHalf)));
  EXPECT_TRUE(a.neg().equal(a.to(kFloat).neg().to(kHalf)));
}

/// The same bits, and NaN wherever one of them is.
void expect_same_numbers(const Tensor& x, const Tensor& y, const char* of) {
  const auto bits = [](const Tensor& t) {
    return t.masked_fill(t.isnan(), std::numeric_limits<double>::quiet_NaN()).view(kShort);
  };
  EXPECT_TRUE(bits(x).equal(bits(y))) << of << toString(x.scalar_type()) << x.sizes();
}

/// Arithmetic on x and what lies before its elements: rounded from floats, once.
void expect_rounded_once(const Tensor& x) {
  const ScalarType t = x.scalar_type();
  const Tensor y = x.roll(12345), z = x.roll(1), f = x.to(kFloat), g = y.to(kFloat),
               h = z.to(kFloat);
  expect_same_numbers(x.abs(), f.abs().to(t), "abs");
  expect_same_numbers(x.neg(), f.neg().to(t), "neg");
  expect_same_numbers(x.relu(), f.relu().to(t), "relu");
  expect_same_numbers(x.sqrt(), f.sqrt().to(t), "sqrt");
  expect_same_numbers(x.rsqrt(), x.to(kDouble).rsqrt().to(t), "rsqrt");
  expect_same_numbers(x.reciprocal(), f.reciprocal().to(t), "reciprocal");
  expect_same_numbers(x.add(y), f.add(g).to(t), "add");
  expect_same_numbers(x.mul(y), f.mul(g).to(t), "mul");
  expect_same_numbers(x.div(y), f.div(g).to(t), "div");
  expect_same_numbers(x.maximum(y), f.maximum(g).to(t), "maximum");
  expect_same_numbers(x.mul(0.7), f.mul(0.7).to(t), "a number");
  expect_same_numbers(x.addcmul(y, z, 0.3), f.addcmul(g, h, 0.3).to(t), "addcmul");
  expect_same_numbers(x.lerp(y, 0.3), f.lerp(g, 0.3).to(t), "lerp");
}

// NaN, infinities, subnormal numbers and ties among them, and rows that end within a vector.
TEST(Loops, EveryNumberOf16BitsIsRoundedFromAFloat) {
  for (const ScalarType t : {kHalf, kBFloat16}) {
    const Tensor all = arange(65536).sub(32768).to(kShort).view(t);
    for (const int64_t n : {65536, 30011, 29, 5})
      expect_rounded_once(all.slice(0, 65536 - n, 65536).contiguous());
  }
}

// Results that no cache holds, whatever the operands are: numbers, the result itself, one tensor
// twice, and results with gaps.
TEST(LargeResults, OfEachKindOfOperandAreThoseOfTheirParts) {
  const int64_t n = (7 << 20) + 37;
  const Tensor x = arange(n).remainder(1009).to(kFloat).add(1), y = x.flip({0});
  const auto expect = [&](const Tensor& got, auto op) {
    for (int64_t at : {int64_t{0}, n / 2 + 5, n - 1000}) {
      const Tensor a = x.narrow(0, at, 1000), b = y.narrow(0, at, 1000);
      EXPECT_TRUE(got.narrow(0, at, 1000).equal(op(a, b))) << at;
    }
  };
  expect(x * x, [](const Tensor& a, const Tensor&) { return a * a; });
  expect(x * 3, [](const Tensor& a, const Tensor&) { return a * 3; });
  expect(3 - x, [](const Tensor& a, const Tensor&) { return 3 - a; });
  expect(x.clone().mul_(y), [](const Tensor& a, const Tensor& b) { return a * b; });
  expect(x.clone().sqrt_(), [](const Tensor& a, const Tensor&) { return a.sqrt(); });
  expect(x.clone().addcmul_(x, y), [](const Tensor& a, const Tensor& b) { return a + a * b; });
  const Tensor wide = zeros({n, 2}), gaps = wide.select(1, 1);
  add_out(const_cast<Tensor&>(gaps), x, y);
  expect(gaps, [](const Tensor& a, const Tensor& b) { return a + b; });
  EXPECT_EQ(wide.select(1, 0).count_nonzero().item<int64_t>(), 0);
  gaps.copy_(x).addcmul_(x, y);
  expect(gaps, [](const Tensor& a, const Tensor& b) { return a + a * b; });
}

// What does not stay in L2 is read by vectors of half the width: with the same bits.
TEST(Loops, HalfVectorsMakeTheBitsOfWholeOnes) {
  const auto all = [](const Tensor& x, const Tensor& y) {
    return std::vector<Tensor>{x + y,    x - y,     x * y,    x / y,      x.add(y, 0.3),
                               x * 0.7,  -x,        x.relu(), x.square(), x.to(kDouble),
                               x.sum(1), x.mean(1), x.amax(1)};
  };
  for (const int64_t cols : {200, 300, 1037}) {
    const Tensor x = randn({720000 / cols, cols}), y = randn({720000 / cols, cols});
    const std::vector<Tensor> of_all = all(x, y);
    for (int64_t r = 0; r + 64 <= x.size(0); r += 64) {
      const std::vector<Tensor> of_part = all(x.narrow(0, r, 64), y.narrow(0, r, 64));
      for (size_t k = 0; k < of_all.size(); ++k)
        EXPECT_TRUE(of_all[k].narrow(0, r, 64).equal(of_part[k])) << cols << " " << r << " " << k;
    }
    EXPECT_NEAR(x.sum().item<double>(), x.to(kDouble).sum().item<double>(), 1e-3);
  }
}

// ---------------------------------------------------------------------- runs of row loops
/// What is between runs: comparisons, bools, choices, extremes.
Tensor chosen(unsigned op, const Tensor& l, const Tensor& r) {
  const Tensor above = l > r, other = (l <= 0.25).logical_not();
  return op == 9    ? above.to(kFloat)
         : op == 10 ? where(above, l, r)
         : op == 11 ? where(above.logical_and(other), l, 0.5 - r)
         : op == 12 ? above.logical_or(l.eq(r)).logical_xor(r.ne(1)).to(kFloat) * r
         : op == 13 ? maximum(l, r) - minimum(l, -r)
         : op == 14 ? l.abs().sqrt() + r
         : op == 15 ? where(l < r, r.relu(), l)
                    : where(l >= r, l, -1.0) * r;
}

/// A step of arithmetic alone, on what there is so far: all forms in which runs find an operand.
std::vector<Tensor> arithmetic(unsigned seed, const std::vector<Tensor>& inputs) {
  std::mt19937 random(seed);
  std::vector<Tensor> have = {inputs[0], inputs[1]}, kept;
  const auto any = [&](const auto& list) { return list[random() % list.size()]; };
  for (int i = 0; i < 24; ++i) {
    const Tensor a = random() % 3 ? have.back() : any(have);
    const Tensor b = random() % 4 ? any(have) : any(inputs);
    const bool turned = random() % 2;
    const Tensor &l = turned ? b : a, &r = turned ? a : b;
    const unsigned op = random() % 17;
    Tensor y = op == 0   ? l + r
               : op == 1 ? l - r
               : op == 2 ? l * r
               : op == 3 ? l / (r.square() + 1)
               : op == 4 ? l.add(r, 0.375)
               : op == 5 ? a.neg()
               : op == 6 ? a.relu()
               : op == 7 ? 1.5 - a
               : op == 8 ? a * a - a
                         : chosen(op, l, r);
    y = y.sizes() == inputs[0].sizes() ? y : y + inputs[0];
    if (random() % 5 == 0) y.mul_(0.5).sub_(a);
    if (random() % 9 == 0) y = y.tanh();  // no arithmetic: a run ends
    if (random() % 3 == 0) kept.push_back(y);
    if (random() % 9 == 0) inputs[0].copy_(y);
    have.push_back(y);
    if (have.size() > 5) have.erase(have.begin());
  }
  kept.push_back(have.back());
  return kept;
}

bool bits_equal(const Tensor& a, const Tensor& b) { return a.view(kInt).equal(b.view(kInt)); }

TEST(RowRuns, OfArithmeticAreTheEagerStepBitForBit) {
  const NoGradGuard values_only;
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{40, 127}, {3, 4097}, {300, 16}, {33, 1029}})
    for (unsigned seed = 0; seed < 40; ++seed) {
      const std::vector<Tensor> inputs = {zeros(sizes), zeros(sizes), zeros({sizes[1]}),
                                          zeros({sizes[0], 1}), zeros({})};
      const auto set = [&] {
        manual_seed(seed);
        for (const Tensor& x : inputs) x.copy_(randn(x.sizes()));
      };
      Graph graph{Device()};
      std::vector<Tensor> results, eager;
      {
        const GraphGuard guard(graph);
        results = arithmetic(seed, inputs);
      }
      set();
      for (const Tensor& y : arithmetic(seed, inputs)) eager.push_back(y.clone());
      const Tensor after = inputs[0].clone();
      set();
      const uint64_t before = cpu::chains_run();
      graph.replay();
      EXPECT_GT(cpu::chains_run(), before);
      for (size_t k = 0; k < eager.size(); ++k)
        EXPECT_TRUE(bits_equal(results[k], eager[k]))
            << inputs[0].sizes() << " seed " << seed << " " << k;
      EXPECT_TRUE(bits_equal(inputs[0], after)) << inputs[0].sizes() << " seed " << seed;
    }
}

/// Equal bits, or both NaN: of two NaN either may come out of a sum.
bool same_values(const Tensor& a, const Tensor& b) {
  if (a.scalar_type() == kBool) return a.equal(b);
  return (a.view(kInt).eq(b.view(kInt)) | (a.ne(a) & b.ne(b))).all().item<bool>();
}

using Unary = std::function<Tensor(const Tensor&)>;
using Binary = std::function<Tensor(const Tensor&, const Tensor&)>;
const std::vector<Binary>& known_ops() {
  using T = const Tensor&;
  static const std::vector<Binary> all = {
      [](T a, T b) { return a + b; },
      [](T a, T b) { return a - b; },
      [](T a, T b) { return a * b; },
      [](T a, T b) { return a / b; },
      [](T a, T b) { return a.add(b, 0.375); },
      [](T a, T b) { return maximum(a, b); },
      [](T a, T b) { return minimum(a, b); },
      [](T a, T b) { return a.eq(b).to(kFloat); },
      [](T a, T b) { return a.ne(b).to(kFloat); },
      [](T a, T b) { return (a < b).to(kFloat) + (a <= b).to(kFloat); },
      [](T a, T b) { return (a > b).to(kFloat) - (a >= b).to(kFloat); },
      [](T a, T b) { return (a < b).logical_and(b.ne(0)).to(kFloat); },
      [](T a, T b) { return (a.gt(0) ^ b.to(kBool)) | (a < b); },
      [](T a, T b) { return (a.gt(0) & b.gt(0)).logical_or(b.logical_not()).logical_not(); },
      [](T a, T b) { return where(a < b, a, b); },
      [](T a, T b) { return where(b.gt(0), a + 1, b) + where(a.gt(0), 2.0, a); },
      [](T a, T b) { return a.neg().relu() + b.square(); },
      [](T a, T b) { return a.abs().sqrt() + b.sign(); },
      [](T a, T b) { return a.pow(-2) + b.pow(2) - a.pow(3) + b.pow(-1) + a.pow(0.5); },
      [](T a, T b) { return a * b.isnan().to(kFloat) + b.isfinite().to(kFloat); }};
  return all;
}

/// Each op of what is in the accumulators and what is elsewhere, in both orders.
std::vector<Tensor> from_everywhere(const Binary& op, const Tensor& x, const Tensor& y,
                                    const Tensor& column, const Tensor& number) {
  const Tensor kept = x * 1.5, kept_too = y - 0.5;
  std::vector<Tensor> all;
  for (const Tensor& other : {x, kept, kept_too, column, number}) {
    all.push_back(op(x + y, other));
    all.push_back(op(other, x - y));
  }
  for (const Tensor& other : {kept, kept_too}) all.push_back(op(other, y));
  return all;
}

struct SmallChains {
  const int64_t before = cpu::least_chain_bytes.exchange(1);
  ~SmallChains() { cpu::least_chain_bytes = before; }
};

// Rows that lie apart end where there is a part of the vectors that are done at once.
TEST(RowRuns, KnowEveryOpWhereverItsOperandsAre) {
  const NoGradGuard values_only;
  const SmallChains small;
  const std::vector<float> special = {NAN, -0.0f, 0.0f, INFINITY, -INFINITY, 1e-40f, 1.0f, -2.5f};
  for (const int64_t cols : {1, 3, 4, 7, 15, 16, 17, 33, 64, 100, 127, 128, 129, 255, 300}) {
    const Tensor x = randn({9, cols + 2}).narrow(1, 1, cols), y = randn({9, cols}),
                 column = randn({9, 1}), number = full({}, 0.25);
    for (int64_t i = 0; i < cols && i < 64; ++i) {
      x.select(0, 2).select(0, i).fill_(special[i % 8]);
      y.select(0, 2).select(0, i).fill_(special[i / 8]);
    }
    for (size_t op = 0; op < known_ops().size(); ++op) {
      const auto step = [&] { return from_everywhere(known_ops()[op], x, y, column, number); };
      Graph graph{Device()};
      std::vector<Tensor> results;
      {
        const GraphGuard guard(graph);
        results = step();
      }
      const uint64_t before = cpu::chains_run();
      graph.replay();
      graph.replay();
      EXPECT_GT(cpu::chains_run(), before);
      const std::vector<Tensor> eager = step();
      for (size_t k = 0; k < eager.size(); ++k)
        EXPECT_TRUE(same_values(results[k], eager[k])) << cols << " op " << op << " " << k;
    }
  }
}

struct ListedOp {
  const char* name;
  bool takes_lanes;  ///< the functor's mark
  Unary compute;
};

// An op whose functor takes vectors needs no further edit to be executed in registers.
TEST(RowRuns, ExecuteEveryListedOpWhoseFunctorTakesLanes) {
  const NoGradGuard values_only;
  const SmallChains small;
  using cpu::Formula, cpu::formula_of;
#define TAPER_LISTED_OP(op, kind)                                 \
  ListedOp{#op, formula_of<functor::op>(Formula::op).takes_lanes, \
           [](const Tensor& x) { return x.op().to(kFloat); }},
  const std::vector<ListedOp> ops = {TAPER_UNARY_OPS(TAPER_LISTED_OP)};
#undef TAPER_LISTED_OP
  const Tensor x = randn({9, 100}), y = randn({9, 100});
  for (const ListedOp& op : ops) {
    const auto step = [&] { return op.compute(x + y) * x; };
    Graph graph{Device()};
    Tensor result;
    {
      const GraphGuard guard(graph);
      result = step();
    }
    const uint64_t before = cpu::rows_in_runs();
    graph.replay();
    EXPECT_EQ(cpu::rows_in_runs() - before > 2, op.takes_lanes) << op.name;
    EXPECT_TRUE(same_values(result, step())) << op.name;
  }
}

/// A part of a grid with a border, `down` and `right` of where its inside begins.
Tensor beside(const Tensor& grid, int64_t down, int64_t right) {
  return grid.narrow(-2, 1 + down, grid.size(-2) - 2).narrow(-1, 1 + right, grid.size(-1) - 2);
}

/// A step of sums of what lies beside each element, and of its products with numbers. Without
/// `column`, all that it reads and writes lies as the grids do.
std::vector<Tensor> of_neighbours(unsigned seed, const std::vector<Tensor>& grids,
                                  const Tensor& column, const Tensor& next) {
  std::mt19937 random(seed);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Tensor> have = {beside(grids[0], 0, 0) * beside(grids[1], 0, 0)}, results;
  Tensor y = have[0];
  for (int i = 0; i < 30; ++i) {
    const Tensor x =
        any(6) ? beside(grids[any(2)], any(3) - 1, any(3) - 1) : have[any(have.size())];
    const double c = 0.1 * (1 + any(4)), d = any(3);
    const int op = any(14);
    y = op < 3     ? y + x
        : op == 3  ? x - y
        : op == 4  ? y - x
        : op == 5  ? y + c * x
        : op == 6  ? y - x * c
        : op == 7  ? x * c - y
        : op == 8  ? (d - x) * c + y
        : op == 9  ? y - c * (d - x)
        : op == 10 ? y * x
        : op == 11 ? x * (column.defined() ? column : x) + y
        : op == 12 ? x.square() - y
                   : where(x > 0, y, x);
    if (any(8) == 0) have.push_back(y);
    if (any(12) == 0 && column.defined()) results.push_back(y);
    if (any(12) == 0) y.mul_(0.5);
    if (any(20) == 0 && column.defined())
      beside(grids[any(2)], 0, 0).copy_(y);  // what others have read
  }
  beside(next, 0, 0).copy_(y);
  return results;
}

TEST(RowRuns, OfNeighboursAreTheEagerStepBitForBit) {
  const NoGradGuard values_only;
  const SmallChains small;
  for (const int64_t cols : {3, 16, 17, 127, 128, 140, 300, 1037})
    for (unsigned seed = 0; seed < 40; ++seed) {
      const std::vector<Tensor> grids = {zeros({9, cols + 2}), zeros({9, cols + 2})};
      const Tensor column = zeros({7, 1}), next = zeros({9, cols + 2});
      const auto set = [&] {
        manual_seed(seed);
        for (const Tensor& x : {grids[0], grids[1], column, next}) x.copy_(randn(x.sizes()));
      };
      const auto step = [&] { return of_neighbours(seed, grids, column, next); };
      Graph graph{Device()};
      std::vector<Tensor> results, eager;
      {
        const GraphGuard guard(graph);
        results = step();
      }
      set();
      for (const Tensor& y : step()) eager.push_back(y.clone());
      for (const Tensor& x : {grids[0], grids[1], next}) eager.push_back(x.clone());
      set();
      const uint64_t before = cpu::chains_run();
      graph.replay();
      EXPECT_GT(cpu::chains_run(), before);
      results.insert(results.end(), {grids[0], grids[1], next});
      for (size_t k = 0; k < eager.size(); ++k)
        EXPECT_TRUE(bits_equal(results[k], eager[k])) << cols << " seed " << seed << " " << k;
    }
}

// Rows with what lies between them are one run of elements; the pages behind the grids and before
// them may not be touched, and what lies between rows stays as it is.
TEST(RowRuns, OfRowsWithGapsAreTheEagerStepBitForBit) {
  const NoGradGuard values_only;
  const SmallChains small;
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{9, 16},
                                            {9, 17},
                                            {40, 18},
                                            {23, 31},
                                            {9, 34},
                                            {90, 66},
                                            {7, 130},
                                            {31, 142},
                                            {9, 1039},
                                            {5, 2050},
                                            {4, 9, 22},
                                            {3, 17, 130}})
    for (unsigned seed = 0; seed < 60; ++seed) {
      std::vector<Tensor> grids;
      for (int i = 0; i < 3; ++i)
        grids.push_back(at_edge(zeros(sizes), seed % 2 ? Edge::kFront : Edge::kBack));
      const auto set = [&] {
        manual_seed(seed);
        for (const Tensor& x : grids) x.copy_(randn(x.sizes()));
      };
      const auto step = [&] { of_neighbours(seed, {grids[0], grids[1]}, Tensor(), grids[2]); };
      Graph graph{Device()};
      {
        const GraphGuard guard(graph);
        step();
      }
      set();
      step();
      std::vector<Tensor> eager;
      for (const Tensor& x : grids) eager.push_back(x.clone());
      set();
      const uint64_t before = cpu::chains_run();
      graph.replay();
      EXPECT_GT(cpu::chains_run(), before);
      for (size_t k = 0; k < grids.size(); ++k)
        EXPECT_TRUE(bits_equal(grids[k], eager[k])) << grids[0].sizes() << " seed " << seed;
    }
}

// All operands lie alike, far apart, and a tile has all of them.
TEST(RowRuns, OfRowsFarApartAreTheEagerStep) {
  const NoGradGuard values_only;
  const SmallChains small;
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{3, 400}, {1, 900}, {2, 3, 700}}) {
    const Tensor all = randn(sizes), was = all.clone(), x = all.narrow(-1, 50, 130);
    const auto step = [&] { x.mul_(1.5).add_(1).relu_(); };
    Graph graph{Device()};
    {
      const GraphGuard guard(graph);
      step();
    }
    step();
    const Tensor eager = all.clone();
    all.copy_(was);
    const uint64_t before = cpu::chains_run();
    graph.replay();
    EXPECT_EQ(cpu::chains_run(), before + 1);
    EXPECT_TRUE(bits_equal(all, eager)) << all.sizes();
  }
}

// What a product is made of is read before it is written to.
TEST(RowRuns, MakeProductsOfWhatWasThere) {
  const NoGradGuard values_only;
  const Tensor x = randn({64, 131}).narrow(1, 1, 128), z = randn({64, 128}), was = x.clone();
  const auto step = [&] {
    const Tensor product = x * 0.3, rest = (1 - x) * 0.7;
    x.copy_(z - 1);
    return std::vector<Tensor>{z * z + product, z.square() - rest, z * x - product};
  };
  const auto alone = [&] {  // products that one row reads
    const Tensor product = x * 0.3, rest = (1 - x) * 0.7;
    x.copy_(z - 1);
    return std::vector<Tensor>{z * z + product, z.abs() - rest};
  };
  for (const std::function<std::vector<Tensor>()>& f :
       {std::function(step), std::function(alone)}) {
    Graph graph{Device()};
    std::vector<Tensor> results;
    {
      const GraphGuard guard(graph);
      results = f();
    }
    graph.replay();
    const Tensor after = x.clone();
    x.copy_(was);
    const std::vector<Tensor> eager = f();
    for (size_t k = 0; k < eager.size(); ++k) EXPECT_TRUE(bits_equal(results[k], eager[k])) << k;
    EXPECT_TRUE(after.equal(x));
    x.copy_(was);
  }
}

// Two views of one place are two operands.
TEST(RowRuns, TellViewsThatBeginAtOnePlaceApart) {
  const NoGradGuard values_only;
  const Tensor x = randn({64, 128}), bits = x > 0;
  const auto step = [&] {
    const Tensor sum = (x + x[0]) * x - x.narrow(0, 0, 1), apart = sum - x.narrow(1, 0, 1) * x[0];
    return std::vector<Tensor>{apart, where(bits, apart, x).neg() + bits.to(kFloat)};
  };
  Graph graph{Device()};
  std::vector<Tensor> results;
  {
    const GraphGuard guard(graph);
    results = step();
  }
  graph.replay();
  const std::vector<Tensor> eager = step();
  for (size_t k = 0; k < eager.size(); ++k) EXPECT_TRUE(bits_equal(results[k], eager[k])) << k;
}

}  // namespace
}  // namespace torch::taper::testing
