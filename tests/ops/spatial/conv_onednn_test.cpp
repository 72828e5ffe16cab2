#include <taper/ops/spatial/conv/conv_onednn.h>

#include <sstream>
#include <thread>

#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/isa.h>
#include <taper/ops/spatial/conv/conv_winograd.h>
#include <taper/taper.h>

#include "harness/guarded_memory.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using cpu::ConvPass;
using cpu::onednn::runs;

// oneDNN's fast kernels are for AVX2 and above.
#define SKIP_WITHOUT_VECTORS() \
  if (cpu::best_isa == cpu::Isa::kBase) GTEST_SKIP() << "this CPU has no AVX2"

// For AVX2 it lacks some of them, such as gradients of weights with a dilation.
bool may_refuse() { return cpu::best_isa != cpu::Isa::kAvx512; }

// Sizes of input and weight, and how the convolution steps, in each of its dimensions.
struct Setting {
  std::vector<int64_t> x, w;
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
};

// What oneDNN has fast kernels for, in all three directions.
const std::vector<Setting> kTaken = {
    {{2, 16, 9, 9}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{1, 32, 13, 7}, {48, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{5, 16, 12, 12}, {32, 16, 5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {{3, 32, 11, 14}, {16, 32, 3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {{3, 16, 14, 11}, {32, 16, 3, 5}, {2, 2}, {0, 2}, {1, 1}},
    {{2, 16, 12, 12}, {16, 16, 3, 3}, {1, 1}, {2, 2}, {2, 2}},
    {{2, 64, 7, 7}, {32, 64, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {{2, 64, 8, 8}, {32, 64, 1, 1}, {2, 2}, {0, 0}, {1, 1}},
    {{3, 20, 9, 9}, {24, 20, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{2, 33, 8, 10}, {17, 33, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{2, 64, 8, 8}, {96, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
    {{7, 32, 9, 9}, {32, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 4},
    {{3, 16, 40}, {32, 16, 7}, {2}, {3}, {1}},
    {{2, 16, 5, 7, 6}, {32, 16, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{2, 16, 6, 7, 9}, {16, 16, 2, 3, 3}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}},
    {{2, 24, 4, 6, 5}, {24, 24, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{2, 40, 3, 6, 7}, {40, 40, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{19, 64, 16, 16}, {64, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{1, 160, 14, 14}, {96, 160, 3, 3}, {1, 1}, {1, 1}, {1, 1}}};

Tensor convolve(const Setting& s, const Tensor& x, const Tensor& w, const Tensor& b) {
  return convolution(x, w, b, s.stride, s.padding, s.dilation, false,
                     std::vector<int64_t>(s.stride.size(), 0), s.groups);
}

// A convolution and its gradients, as f64 tensors of the op.
struct Maps {
  Tensor y, gx, gw;
};

struct Operands {
  Tensor x, w, b, gy;
  Maps exact;
};

Operands operands_of(const Setting& s, ScalarType t = kFloat) {
  Operands o{numbers(s.x).to(t), numbers(s.w).to(t), numbers({s.w[0]}).to(t), {}, {}};
  const Tensor x = o.x.to(kDouble).requires_grad_(), w = o.w.to(kDouble).requires_grad_();
  const Tensor y = convolve(s, x, w, o.b.to(kDouble));
  o.gy = numbers(y.sizes().vec()).to(t);
  y.backward(o.gy.to(kDouble));
  o.exact = {y.detach(), x.grad(), w.grad()};
  return o;
}

ConvShape shape_of(const Setting& s, const Operands& o) {
  ConvShape r{s.x[0], s.groups, s.w[1], s.w[0] / s.groups, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {}};
  r.steps.groups = s.groups;
  const size_t spatial = s.stride.size();
  for (size_t i = 0; i < spatial; ++i) {
    const size_t d = 3 - spatial + i;
    r.in[d] = s.x[i + 2];
    r.kernel[d] = s.w[i + 2];
    r.out[d] = o.gy.size(static_cast<int64_t>(i) + 2);
    r.steps.stride[d] = s.stride[i];
    r.steps.padding[d] = s.padding[i];
    r.steps.dilation[d] = s.dilation[i];
  }
  return r;
}

struct Answer {
  bool taken;
  Tensor got;
};
template <class T>
Answer run_as(ConvPass kind, const ConvShape& s, const Operands& o) {
  const T *x = o.x.data_ptr<T>(), *w = o.w.data_ptr<T>(), *b = o.b.data_ptr<T>();
  const T* gy = o.gy.data_ptr<T>();
  Answer a{false, empty_like(kind == ConvPass::kForward         ? o.gy
                             : kind == ConvPass::kInputGradient ? o.x
                                                                : o.w)};
  T* to = a.got.data_ptr<T>();
  switch (kind) {
    case ConvPass::kForward:
      a.taken = cpu::onednn::forward(to, x, w, b, s);
      break;
    case ConvPass::kInputGradient:
      a.taken = cpu::onednn::input_gradient(to, gy, w, s);
      break;
    default:
      a.taken = cpu::onednn::weight_gradient(to, x, gy, s);
  }
  return a;
}
Answer run(ConvPass kind, const ConvShape& s, const Operands& o) {
  return o.x.scalar_type() == kBFloat16 ? run_as<BFloat16>(kind, s, o) : run_as<float>(kind, s, o);
}

const Tensor& exact(ConvPass kind, const Operands& o) {
  return kind == ConvPass::kForward         ? o.exact.y
         : kind == ConvPass::kInputGradient ? o.exact.gx
                                            : o.exact.gw;
}

constexpr ConvPass kKinds[] = {ConvPass::kForward, ConvPass::kInputGradient,
                               ConvPass::kWeightGradient};

std::string text(const Setting& s, ConvPass kind) {
  std::ostringstream o;
  o << "kind " << static_cast<int>(kind) << ", input " << IntArrayRef(s.x) << ", weight "
    << IntArrayRef(s.w) << ", groups " << s.groups;
  return o.str();
}

// Sets the number of threads for the length of a scope.
class Threads {
 public:
  explicit Threads(int n) : before_(get_num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

Maps maps_of(const Setting& s, const Operands& o) {
  const Tensor x = o.x.detach().requires_grad_(), w = o.w.detach().requires_grad_();
  const Tensor y = convolve(s, x, w, o.b);
  y.backward(o.gy);
  return {y.detach(), x.grad(), w.grad()};
}
bool near_bf16(const Tensor& got, const Tensor& want) {
  const Tensor error = (got.to(kDouble) - want).abs(), room = want.abs() * 0x1.1p-8;
  return (error <= room + 1e-5 * want.abs().max()).all().item<bool>();
}

TEST(ConvOneDnn, EqualsTheProductInDoubleForAnyNumberOfThreads) {
  SKIP_WITHOUT_VECTORS();
  for (const Setting& s : kTaken) {
    const Operands o = operands_of(s);
    for (ConvPass kind : kKinds)
      for (int n : {1, 2, 5}) {
        const Threads threads(n);
        const Answer a = run(kind, shape_of(s, o), o);
        if (may_refuse() && !a.taken) continue;
        ASSERT_TRUE(a.taken) << text(s, kind);
        const Tensor& want = exact(kind, o);
        const Tensor error = (a.got.to(kDouble) - want).abs().max();
        EXPECT_TRUE(error.item<double>() <= 1e-5 * want.abs().max().item<double>())
            << text(s, kind) << ", " << n << " threads: " << error.item<double>();
        EXPECT_TRUE(run(kind, shape_of(s, o), o).got.equal(a.got)) << text(s, kind);
      }
  }
}

// Sums are of floats, so that a result errs by its own rounding: half of 2^-7. The op takes that
// way where prefers_bf16 says so and the CPU has no tile registers (conv_tiles.h), and agrees with
// it bit for bit.
TEST(ConvOneDnn, MultipliesPairsOfBf16) {
  if (!cpu::onednn::multiplies_bf16()) GTEST_SKIP() << "this CPU has no AVX512_BF16";
  int64_t taken = 0;
  for (const Setting& s : kTaken) {
    const Operands o = operands_of(s, kBFloat16);
    for (ConvPass kind : kKinds) {
      const bool preferred = cpu::onednn::prefers_bf16(shape_of(s, o), kind);
      for (int n : {1, 2, 5}) {
        const Threads threads(n);
        const Answer a = run(kind, shape_of(s, o), o);
        const Tensor& want = exact(kind, o);
        const Maps op = maps_of(s, o);
        const Tensor& by_op = kind == ConvPass::kForward         ? op.y
                              : kind == ConvPass::kInputGradient ? op.gx
                                                                 : op.gw;
        EXPECT_TRUE(near_bf16(by_op, want)) << text(s, kind) << ", " << n << " threads";
        if (!a.taken) continue;
        ++taken;
        EXPECT_TRUE(near_bf16(a.got, want)) << text(s, kind) << ", " << n << " threads";
        if (preferred && !cpu::multiplies_tiles) EXPECT_TRUE(by_op.equal(a.got)) << text(s, kind);
      }
    }
  }
  EXPECT_GE(taken, 120);
}

TEST(ConvOneDnn, TakesVolumesOfHalfABlockOfChannels) {
  SKIP_WITHOUT_VECTORS();
  for (const Setting& s : std::vector<Setting>{
           {{2, 8, 6, 7, 9}, {16, 8, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
           {{3, 24, 5, 6, 7}, {8, 24, 3, 3, 3}, {1, 2, 1}, {1, 1, 0}, {1, 1, 1}}}) {
    const Operands o = operands_of(s);
    for (int n : {1, 3}) {
      const Threads threads(n);
      const Answer a = run(ConvPass::kForward, shape_of(s, o), o);
      if (may_refuse() && !a.taken) continue;
      ASSERT_TRUE(a.taken) << text(s, ConvPass::kForward);
      EXPECT_TRUE(a.got.to(kDouble).allclose(o.exact.y, 1e-4, 1e-4)) << text(s, ConvPass::kForward);
    }
  }
}

TEST(ConvOneDnn, ReadsAFirstLayersInputAsItIs) {
  SKIP_WITHOUT_VECTORS();
  for (int64_t channels : {1, 2, 3}) {
    const Setting s{{3, channels, 15, 17}, {32, channels, 5, 5}, {2, 2}, {2, 2}, {1, 1}};
    const Operands o = operands_of(s);
    for (ConvPass kind : {ConvPass::kForward, ConvPass::kWeightGradient}) {
      const Answer a = run(kind, shape_of(s, o), o);
      if (may_refuse() && !a.taken) continue;
      ASSERT_TRUE(a.taken) << text(s, kind);
      EXPECT_TRUE(a.got.to(kDouble).allclose(exact(kind, o), 1e-4, 1e-4)) << text(s, kind);
    }
  }
}

// With AVX-512 any number of channels below a block; the results' channels are padded.
TEST(ConvOneDnn, ReadsImagesOfPartOfABlockAsTheyAre) {
  if (cpu::best_isa != cpu::Isa::kAvx512) GTEST_SKIP() << "this CPU has no AVX-512";
  for (const Setting& s : std::vector<Setting>{
           {{5, 5, 15, 17}, {12, 5, 3, 3}, {2, 2}, {1, 1}, {1, 1}},
           {{2, 12, 14, 14}, {20, 12, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
           {{2, 4, 6, 8, 9}, {4, 4, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
           {{3, 12, 6, 8, 9}, {12, 12, 3, 3, 3}, {2, 1, 2}, {1, 0, 1}, {1, 1, 1}}}) {
    const Operands o = operands_of(s);
    for (int n : {1, 3}) {
      const Threads threads(n);
      EXPECT_TRUE(cpu::onednn::prefers(shape_of(s, o), ConvPass::kForward))
          << text(s, ConvPass::kForward);
      const Answer a = run(ConvPass::kForward, shape_of(s, o), o);
      ASSERT_TRUE(a.taken) << text(s, ConvPass::kForward);
      EXPECT_TRUE(a.got.to(kDouble).allclose(o.exact.y, 1e-4, 1e-4)) << text(s, ConvPass::kForward);
    }
  }
}

// One step of training; how many of its three maps oneDNN computed.
int64_t maps_taken(const Setting& s, const Operands& o) {
  const int64_t before = runs();
  const Tensor x = o.x.clone().requires_grad_(), w = o.w.clone().requires_grad_();
  const Tensor y = convolve(s, x, w, o.b);
  y.backward(o.gy);
  EXPECT_TRUE(y.to(kDouble).allclose(o.exact.y, 1e-4, 1e-3));
  EXPECT_TRUE(x.grad().to(kDouble).allclose(o.exact.gx, 1e-4, 1e-3));
  EXPECT_TRUE(w.grad().to(kDouble).allclose(o.exact.gw, 1e-4, 1e-3));
  return runs() - before;
}

TEST(ConvOneDnn, TakesTheShapesOfResNets) {
  SKIP_WITHOUT_VECTORS();
  const std::vector<Setting> settings = {
      {{8, 64, 28, 28}, {128, 64, 1, 1}, {2, 2}, {0, 0}, {1, 1}},
      {{8, 64, 28, 28}, {128, 64, 3, 3}, {2, 2}, {1, 1}, {1, 1}},
      {{8, 512, 7, 7}, {512, 512, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{4, 64, 28, 28}, {64, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 4}};
  for (const Setting& s : settings)
    EXPECT_EQ(maps_taken(s, operands_of(s)), 3) << text(s, ConvPass());
}

TEST(ConvOneDnn, LeavesWhatOurLoopsDoFaster) {
  const std::vector<Setting> settings = {
      {{64, 1, 14, 14}, {16, 1, 5, 5}, {1, 1}, {0, 0}, {1, 1}},
      {{64, 10, 12, 12}, {20, 10, 5, 5}, {1, 1}, {0, 0}, {1, 1}},
      {{8, 32, 14, 14}, {32, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 32},
      {{2, 64, 56, 56}, {64, 64, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{1, 16, 4, 4}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}}};
  for (const Setting& s : settings)
    EXPECT_EQ(maps_taken(s, operands_of(s)), 0) << text(s, ConvPass());
}

TEST(ConvOneDnn, RefusesWhatItHasNoFastKernelFor) {
  const Setting groups{{4, 12, 12, 12}, {12, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 4};
  const Operands o = operands_of(groups);
  const int64_t before = runs();
  for (ConvPass kind : kKinds) EXPECT_FALSE(run(kind, shape_of(groups, o), o).taken);
  EXPECT_EQ(runs(), before);
}

TEST(ConvOneDnn, LeavesOneImageToManyThreads) {
  const Setting s{{1, 32, 56, 56}, {32, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Operands o = operands_of(s);
  const Threads threads(64);
  EXPECT_FALSE(run(ConvPass::kForward, shape_of(s, o), o).taken);
}

TEST(ConvOneDnn, LeavesPaddingThatItCannotExpress) {
  // The gradient's last rows are met by no kernel element, more of them than a step.
  const Tensor x = numbers({4, 32, 8, 8}), w = numbers({32, 32, 3, 3});
  const int64_t before = runs();
  const Tensor y = conv_transpose2d(x, w, {}, 1, 0, 2, 1, 3);
  EXPECT_EQ(runs(), before);
  const Tensor exact = conv_transpose2d(x.to(kDouble), w.to(kDouble), {}, 1, 0, 2, 1, 3);
  EXPECT_TRUE(y.to(kDouble).allclose(exact, 1e-4, 1e-3));
}

TEST(ConvOneDnn, PadsMoreBehindThanInFront) {
  SKIP_WITHOUT_VECTORS();
  const Tensor x = numbers({4, 32, 9, 8}), w = numbers({32, 32, 4, 2});
  const auto results = [&](ScalarType dtype) {
    const Tensor xs = x.to(dtype).clone().requires_grad_();
    const Tensor ws = w.to(dtype).clone().requires_grad_();
    const Tensor y = conv2d(xs, ws, {}, 1, "same");
    y.backward(numbers({4, 32, 9, 8}).to(dtype));
    return std::vector<Tensor>{y, xs.grad(), ws.grad()};
  };
  const int64_t before = runs();
  const std::vector<Tensor> single = results(kFloat);
  EXPECT_EQ(runs(), before + 3);
  const std::vector<Tensor> exact = results(kDouble);
  for (size_t i = 0; i < single.size(); ++i)
    EXPECT_TRUE(single[i].to(kDouble).allclose(exact[i], 1e-4, 1e-3)) << i;
}

TEST(ConvOneDnn, TransposedConvolutionsAreItsInputGradients) {
  SKIP_WITHOUT_VECTORS();
  const Tensor x = numbers({4, 32, 8, 8}), w = numbers({32, 32, 4, 4});
  const int64_t before = runs();
  const Tensor y = conv_transpose2d(x, w, {}, 2, 1);
  EXPECT_EQ(runs(), before + 1);
  const Tensor exact = conv_transpose2d(x.to(kDouble), w.to(kDouble), {}, 2, 1);
  EXPECT_TRUE(y.to(kDouble).allclose(exact, 1e-4, 1e-3));
}

TEST(ConvOneDnn, ManyShapesFromManyThreads) {
  SKIP_WITHOUT_VECTORS();
  // More shapes than are kept, so that some are made twice.
  const auto step = [](int64_t width) {
    const Setting s{{2, 16, 3, width}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}};
    const Operands o = operands_of(s);
    for (ConvPass kind : kKinds) {
      const Answer a = run(kind, shape_of(s, o), o);
      EXPECT_TRUE(a.taken && a.got.to(kDouble).allclose(exact(kind, o), 1e-4, 1e-3)) << width;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int64_t width = 1; width <= 100; ++width) step(width);
    });
  for (std::thread& t : threads) t.join();
}

// ---------------------------------------------------------------------- by Winograd's transforms
// Tiles that end in the image and beyond it, rows of fewer and of more tiles than a panel, panels
// that images and rows of tiles share or fill, channels on both sides of whole vectors and of the
// depth of a sum, paddings of their own.
const std::vector<Setting> kTiled = {{{3, 17, 13, 9}, {33, 17, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
                                     {{2, 64, 16, 32}, {48, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{5, 40, 11, 30}, {18, 40, 3, 3}, {1, 1}, {2, 1}, {1, 1}},
                                     {{70, 130, 4, 4}, {150, 130, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{1, 32, 21, 80}, {32, 32, 3, 3}, {1, 1}, {1, 2}, {1, 1}},
                                     {{1, 32, 6, 151}, {20, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{64, 300, 2, 3}, {290, 300, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{2, 140, 17, 15}, {150, 140, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{13, 70, 16, 15}, {65, 70, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{17, 32, 32, 31}, {16, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}}};

/// With exact results, which take longer than the rest of a test.
const Operands& tiled_operands(size_t i) {
  static const std::vector<Operands> all = [] {
    std::vector<Operands> list;
    for (const Setting& s : kTiled) list.push_back(operands_of(s));
    return list;
  }();
  return all[i];
}

bool takes_tiles(ConvPass kind, const ConvShape& s) {
  return kind == ConvPass::kForward         ? cpu::winograd::takes_forward(s)
         : kind == ConvPass::kInputGradient ? cpu::winograd::takes_input_gradient(s)
                                            : cpu::winograd::takes_weight_gradient(s);
}
const Tensor& result(ConvPass kind, const Maps& maps) {
  return kind == ConvPass::kForward ? maps.y : kind == ConvPass::kInputGradient ? maps.gx : maps.gw;
}

TEST(ConvWinograd, IsAsNearAsSumsOfProducts) {
  SKIP_WITHOUT_VECTORS();
  for (size_t i = 0; i < kTiled.size(); ++i) {
    const Setting& s = kTiled[i];
    const Operands& o = tiled_operands(i);
    for (int n : {1, 2, 3}) {
      const Threads threads(n);
      const Maps maps = maps_of(s, o), again = maps_of(s, o);
      for (ConvPass kind : kKinds) {
        if (n == 1) ASSERT_TRUE(takes_tiles(kind, shape_of(s, o))) << text(s, kind);
        const Tensor &got = result(kind, maps), &want = exact(kind, o);
        EXPECT_TRUE(result(kind, again).equal(got)) << text(s, kind);
        const Tensor error = (got.to(kDouble) - want).square().mean().sqrt();
        EXPECT_LE(error.item<double>(), 1e-6 * want.square().mean().sqrt().item<double>())
            << text(s, kind) << ", " << n << " threads";
        // Other sums than oneDNN's, so this is no test of that.
        const Answer a = run(kind, shape_of(s, o), o);
        if (a.taken && takes_tiles(kind, shape_of(s, o)))
          EXPECT_FALSE(a.got.equal(got)) << text(s, kind);
      }
    }
  }
}

// Threads have parts of the tiles, one or several each, or share channels.
TEST(ConvWinograd, ThreadsShareAWeightsGradientInEachWay) {
  const auto parts = [](size_t i, int n) {
    const Threads threads(n);
    const ConvShape shape = shape_of(kTiled[i], tiled_operands(i));
    return cpu::winograd::WeightGradient{shape,   nullptr, nullptr,
                                         nullptr, {},      cpu::winograd::whole_tiles(shape.out)}
        .parts();
  };
  const size_t few = 3, some = kTiled.size() - 2, many = kTiled.size() - 1;
  for (const size_t i : {few, some, many}) EXPECT_EQ(parts(i, 1), 1) << i;
  EXPECT_EQ(parts(few, 2), 0);
  EXPECT_EQ(parts(some, 2), 2);
  EXPECT_EQ(parts(some, 3), 3);
  EXPECT_EQ(parts(many, 2), 4);
}

TEST(ConvWinograd, IsExactForSmallWholeNumbersAndAnyNumberOfThreads) {
  for (size_t i = 0; i < kTiled.size(); ++i) {
    const Setting& s = kTiled[i];
    Operands o = tiled_operands(i);
    for (Tensor* t : {&o.x, &o.w, &o.b, &o.gy}) *t = t->mul(3).round();
    Operands doubles = o;
    for (Tensor* t : {&doubles.x, &doubles.w, &doubles.b, &doubles.gy}) *t = t->to(kDouble);
    const Maps want = maps_of(s, doubles);
    for (int n : {1, 2, 3}) {
      const Threads threads(n);
      const Maps got = maps_of(s, o);
      for (ConvPass kind : kKinds)
        EXPECT_TRUE(result(kind, got).to(kDouble).equal(result(kind, want))) << text(s, kind);
    }
  }
}

TEST(ConvWinograd, ReadsItsOperandsOnly) {
  for (size_t i = 0; i < kTiled.size(); ++i) {
    const Setting& s = kTiled[i];
    const Operands& o = tiled_operands(i);
    const Maps want = maps_of(s, o);
    for (const Edge edge : {Edge::kFront, Edge::kBack}) {
      const Operands moved{
          at_edge(o.x, edge), at_edge(o.w, edge), at_edge(o.b, edge), at_edge(o.gy, edge), {}};
      const Maps got = maps_of(s, moved);
      for (ConvPass kind : kKinds) EXPECT_TRUE(result(kind, got).equal(result(kind, want)));
    }
  }
}

// Infinities would meet in a tile's sums: what is not finite is that of sums of products, and what
// is finite stays so.
TEST(ConvWinograd, NumbersThatAreNotFiniteSpreadNoFurther) {
  const Setting s{{2, 16, 16, 16}, {32, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Operands clean = operands_of(s);
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    const auto spoilt = [&](ScalarType t) {
      Operands o{clean.x.to(t).clone(), clean.w.to(t), clean.b.to(t), clean.gy.to(t).clone(), {}};
      o.x[1][3][6][7] = bad;
      o.gy[0][5][9][2] = bad;
      return maps_of(s, o);
    };
    const Maps got = spoilt(kFloat), want = spoilt(kDouble);
    for (ConvPass kind : kKinds) {
      const Tensor y = result(kind, got).to(kDouble), exact = result(kind, want);
      EXPECT_FALSE(exact.isfinite().all().item<bool>());
      EXPECT_TRUE(y.isnan().equal(exact.isnan())) << text(s, kind) << ", " << bad;
      EXPECT_TRUE(y.allclose(exact, 1e-4, 1e-4, /*equal_nan=*/true))
          << text(s, kind) << ", " << bad;
    }
  }
}

// Numbers whose sums in a tile leave the range though no result does.
TEST(ConvWinograd, LargeNumbersDoNotOverflow) {
  const Tensor x = full({1, 16, 16, 16}, 3e38f), w = zeros({16, 16, 3, 3});
  w.select(2, 1).select(2, 1).copy_(eye(16) * 0.5);
  EXPECT_TRUE(conv2d(x, w, {}, 1, 1).equal(x * 0.5));
}

// Shapes on both sides of each condition by which a convolution's loops are chosen, whoever takes
// them.
TEST(ConvChoice, EachWayGivesTheSame) {
  const std::vector<Setting> settings = {
      // One element: many pixels; few channels; channels that fill no blocks; weights that widen.
      {{2, 64, 16, 16}, {64, 64, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{8, 48, 11, 11}, {48, 48, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{8, 65, 11, 11}, {65, 65, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{8, 64, 16, 16}, {256, 64, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{8, 48, 16, 16}, {64, 48, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      {{4, 64, 3, 5}, {64, 64, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
      // Columns alone: long and short rows of outputs, deep patches.
      {{4, 16, 200}, {16, 16, 3}, {1}, {1}, {1}},
      {{4, 16, 100}, {16, 16, 3}, {1}, {1}, {1}},
      {{2, 256, 60}, {16, 256, 3}, {1}, {1}, {1}},
      // Long rows that leave the image, with few channels and with a block of them.
      {{2, 16, 34, 34}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 4, 34, 34}, {16, 4, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
      // Inside the image, in half vectors, of deep patches.
      {{2, 128, 10, 10}, {32, 128, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 32, 10, 10}, {32, 32, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      // Few channels, padded or in rows that end anywhere in a vector: copies of the images.
      {{3, 1, 28, 28}, {32, 1, 5, 5}, {1, 1}, {2, 2}, {1, 1}},
      {{2, 1, 19, 17}, {7, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 1, 21, 40}, {5, 1, 5, 5}, {2, 1}, {2, 2}, {1, 1}},
      {{2, 1, 9, 31}, {5, 1, 3, 3}, {1, 1}, {2, 0}, {2, 3}},
      {{2, 1, 30, 30}, {6, 1, 5, 5}, {1, 1}, {0, 0}, {1, 1}},
      {{2, 1, 9, 15}, {3, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 1, 5, 6, 20}, {3, 1, 3, 3, 3}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}},
      {{2, 1, 50}, {4, 1, 3}, {1}, {1}, {1}},
      {{2, 4, 7, 18}, {6, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
      // Larger weights than images; one input channel for more outputs than planes take.
      {{1, 64, 3, 3}, {256, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 3, 7, 7}, {15, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 3},
      // Volumes: of half blocks, flat at one end, padded in depth.
      {{2, 16, 4, 6, 6}, {16, 16, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{2, 8, 4, 6, 6}, {12, 8, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 16, 1, 8, 8}, {16, 16, 1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 16, 1, 8, 8}, {16, 16, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 16, 3, 8, 8}, {16, 16, 3, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
      {{1, 16, 1, 8, 8}, {16, 16, 1, 3, 3}, {3, 1, 1}, {1, 1, 1}, {1, 1, 1}}};
  for (const Setting& s : settings) maps_taken(s, operands_of(s));
}

}  // namespace
}  // namespace torch::taper::testing
