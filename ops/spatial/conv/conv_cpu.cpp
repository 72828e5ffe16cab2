#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/ways.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/conv/conv_depthwise.h>
#include <taper/ops/spatial/conv/conv_direct.h>
#include <taper/ops/spatial/conv/conv_onednn.h>
#include <taper/ops/spatial/conv/conv_patches.h>
#include <taper/ops/spatial/conv/conv_shape.h>
#include <taper/ops/spatial/conv/conv_tiles.h>
#include <taper/ops/spatial/conv/conv_ways.h>
#include <taper/ops/spatial/conv/conv_winograd.h>

#define TAPER_ISA_FILE <taper/ops/spatial/conv/conv_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void pack_patches(float* to, const float* x, const ConvShape& s, PatchRange r) {
  return TAPER_BY_ISA(pack<float>, to, x, s, r);
}
void pack_patches(double* to, const double* x, const ConvShape& s, PatchRange r) {
  return TAPER_BY_ISA(pack<double>, to, x, s, r);
}
void pack_patches(uint16_t* to, const uint16_t* x, const ConvShape& s, PatchRange r) {
  return TAPER_BY_ISA(pack<uint16_t>, to, x, s, r);
}
void pack_patches_transposed(float* to, int64_t ldt, const float* x, const ConvShape& s,
                             PatchRange r) {
  return TAPER_BY_ISA(pack_transposed<float>, to, ldt, x, s, r);
}
void pack_patches_transposed(double* to, int64_t ldt, const double* x, const ConvShape& s,
                             PatchRange r) {
  return TAPER_BY_ISA(pack_transposed<double>, to, ldt, x, s, r);
}
void sum_channel(float* x, const float* from, int64_t ld, const ConvShape& s) {
  return TAPER_BY_ISA(sum_channel<float>, x, from, ld, s);
}
void sum_channel(double* x, const double* from, int64_t ld, const ConvShape& s) {
  return TAPER_BY_ISA(sum_channel<double>, x, from, ld, s);
}

namespace winograd {

int64_t row_space(const Plane& plane, int64_t tiles) {
  constexpr int64_t most_lanes = 16;
  const int64_t tile_rows = tiles / plane.tiles_wide + 2;
  return (2 * tile_rows + 2) * (2 * plane.tiles_wide + 4 * most_lanes + 4) +
         16 * ((tile_rows + 1) * plane.tiles_wide + most_lanes) + most_lanes;
}
void input_tiles(float* to, int64_t step, const float* x, const Strip& s, float* rows) {
  return TAPER_BY_ISA(input_tiles, to, step, x, s, rows);
}
void gradient_tiles(float* to, int64_t step, const float* gy, const Strip& s, float* rows) {
  return TAPER_BY_ISA(gradient_tiles, to, step, gy, s, rows);
}
bool output_tiles(float* y, const float* from, int64_t step, const Strip& s, float bias) {
  return TAPER_BY_ISA(output_tiles, y, from, step, s, bias);
}
void kernels_to_places(float* to, int64_t step, const float* from, int64_t from_step, int64_t n) {
  return TAPER_BY_ISA(kernels_to_places, to, step, from, from_step, n);
}
bool places_to_kernels(float* to, int64_t to_step, const float* from, int64_t step, int64_t n) {
  return TAPER_BY_ISA(places_to_kernels, to, to_step, from, step, n);
}

}  // namespace winograd

using taper::detail::always;
using taper::detail::find_way;
using taper::detail::names_of;
using taper::detail::run_best;
using taper::detail::Way;

namespace {

// ---------------------------------------------------------------------- ways of f32 and f64

// Up to this depth, oneDNN's forward pass is slower than reading images in place.
constexpr int64_t kDirectDepth = 1024;
// From this number of result pixels on, copies of images pay for the weight's gradient, and reading
// images in place is faster than oneDNN.
constexpr int64_t kManyPixels = 2048;

bool has_many_pixels(const ConvShape& s) { return s.batch * s.out_pixels() >= kManyPixels; }
bool direct_forward_pays(const ConvShape& s) {
  return direct::takes_forward(s) && s.depth() <= kDirectDepth && s.groups == 1;
}
bool direct_weight_gradient_pays(const ConvShape& s) {
  const bool widens = s.pointwise() && s.in_channels >= 64 && s.out_channels >= 4 * s.in_channels;
  return direct::takes_weight_gradient(s) && has_many_pixels(s) && !widens && s.groups == 1;
}
bool copies_pay(const ConvShape& s) {
  return best_isa == Isa::kAvx512 && !s.inside() && has_many_pixels(s);
}

template <class T, class P = ConvForward<T>>
constexpr Way<P> kDepthwiseForward = {
    "depthwise", [](const P& p) { return depthwise::takes(p.s); }, always<P>,
    [](const P& p) { return depthwise::forward(p.y, p.x, p.w, p.b, p.s), true; }};
template <class T, class P = ConvForward<T>>
constexpr Way<P> kPatchesForward = {"patches", always<P>, always<P>, [](const P& p) {
                                      return patches::Forward<T>{p}.run_packed(), true;
                                    }};

using Forward = ConvForward<float>;
constexpr Way<Forward> kForward32[] = {
    kDepthwiseForward<float>,
    {"winograd", [](const Forward& p) { return winograd::can(p.s); },
     [](const Forward& p) { return winograd::takes_forward(p.s); },
     [](const Forward& p) { return winograd::forward(p.y, p.x, p.w, p.b, p.s); }},
    {"onednn", [](const Forward& p) { return onednn::can(p.s, ConvPass::kForward); },
     [](const Forward& p) {
       return onednn::prefers(p.s, ConvPass::kForward) && !direct_forward_pays(p.s);
     },
     [](const Forward& p) { return onednn::forward(p.y, p.x, p.w, p.b, p.s); }},
    {"direct", [](const Forward& p) { return direct::takes_forward(p.s); }, always<Forward>,
     [](const Forward& p) { return patches::Forward<float>{p}.run_direct(), true; }},
    {"copied", [](const Forward& p) { return direct::takes_copies(with_margins(p.s)); },
     always<Forward>,
     [](const Forward& p) { return patches::Forward<float>{p}.run_copied(), true; }},
    kPatchesForward<float>};
constexpr Way<ConvForward<double>> kForward64[] = {kDepthwiseForward<double>,
                                                   kPatchesForward<double>};

template <class T, class P = ConvInputGradient<T>>
constexpr Way<P> kDepthwiseInputGradient = {
    "depthwise", [](const P& p) { return depthwise::takes(p.s); }, always<P>,
    [](const P& p) { return depthwise::input_gradient(p.gx, p.gy, p.w, p.s), true; }};
template <class T, class P = ConvInputGradient<T>>
constexpr Way<P> kTransposedInputGradient = {
    "transposed", [](const P& p) { return p.s.pointwise(); }, always<P>,
    [](const P& p) { return patches::InputGradient<T>{p}.run_across(), true; }};
template <class T, class P = ConvInputGradient<T>>
constexpr Way<P> kPatchesInputGradient = {"patches", always<P>, always<P>, [](const P& p) {
                                            return patches::InputGradient<T>{p}.run_packed(), true;
                                          }};

using InputGradient = ConvInputGradient<float>;
constexpr Way<InputGradient> kInputGradient32[] = {
    kDepthwiseInputGradient<float>,
    {"winograd", [](const InputGradient& p) { return winograd::can(p.s); },
     [](const InputGradient& p) { return winograd::takes_input_gradient(p.s); },
     [](const InputGradient& p) { return winograd::input_gradient(p.gx, p.gy, p.w, p.s); }},
    {"onednn", [](const InputGradient& p) { return onednn::can(p.s, ConvPass::kInputGradient); },
     [](const InputGradient& p) { return onednn::prefers(p.s, ConvPass::kInputGradient); },
     [](const InputGradient& p) { return onednn::input_gradient(p.gx, p.gy, p.w, p.s); }},
    kTransposedInputGradient<float>,
    kPatchesInputGradient<float>};
constexpr Way<ConvInputGradient<double>> kInputGradient64[] = {kDepthwiseInputGradient<double>,
                                                               kTransposedInputGradient<double>,
                                                               kPatchesInputGradient<double>};

template <class T, class P = ConvWeightGradient<T>>
constexpr Way<P> kDepthwiseWeightGradient = {
    "depthwise", [](const P& p) { return depthwise::takes(p.s); }, always<P>,
    [](const P& p) { return depthwise::weight_gradient(p.gw, p.x, p.gy, p.s), true; }};
template <class T, class P = ConvWeightGradient<T>>
constexpr Way<P> kPatchesWeightGradient = {"patches", always<P>, always<P>, [](const P& p) {
                                             return patches::WeightGradient<T>{p}.run_packed(),
                                                    true;
                                           }};

using WeightGradient = ConvWeightGradient<float>;
constexpr Way<WeightGradient> kWeightGradient32[] = {
    kDepthwiseWeightGradient<float>,
    {"winograd", [](const WeightGradient& p) { return winograd::can(p.s); },
     [](const WeightGradient& p) { return winograd::takes_weight_gradient(p.s); },
     [](const WeightGradient& p) { return winograd::weight_gradient(p.gw, p.x, p.gy, p.s); }},
    {"onednn", [](const WeightGradient& p) { return onednn::can(p.s, ConvPass::kWeightGradient); },
     [](const WeightGradient& p) {
       return onednn::prefers(p.s, ConvPass::kWeightGradient) && !direct_weight_gradient_pays(p.s);
     },
     [](const WeightGradient& p) { return onednn::weight_gradient(p.gw, p.x, p.gy, p.s); }},
    {"copied",
     [](const WeightGradient& p) { return direct::takes_weight_gradient(with_margins(p.s)); },
     [](const WeightGradient& p) { return copies_pay(p.s); },
     [](const WeightGradient& p) { return patches::WeightGradient<float>{p}.run_copied(), true; }},
    {"direct", [](const WeightGradient& p) { return direct::takes_weight_gradient(p.s); },
     always<WeightGradient>,
     [](const WeightGradient& p) { return patches::WeightGradient<float>{p}.run_direct(), true; }},
    kPatchesWeightGradient<float>};
constexpr Way<ConvWeightGradient<double>> kWeightGradient64[] = {kDepthwiseWeightGradient<double>,
                                                                 kPatchesWeightGradient<double>};

taper::detail::ForcedWay g_forced("TAPER_CONV");

void run(const ConvForward<float>& p) { run_best<kForward32>(p, g_forced); }
void run(const ConvForward<double>& p) { run_best<kForward64>(p, g_forced); }
void run(const ConvInputGradient<float>& p) { run_best<kInputGradient32>(p, g_forced); }
void run(const ConvInputGradient<double>& p) { run_best<kInputGradient64>(p, g_forced); }
void run(const ConvWeightGradient<float>& p) { run_best<kWeightGradient32>(p, g_forced); }
void run(const ConvWeightGradient<double>& p) { run_best<kWeightGradient64>(p, g_forced); }

// ---------------------------------------------------------------------- ways of 16 bits
constexpr int64_t kCopyGrain = 1 << 15;

/// A copy of n elements in float, or null for null.
template <class T>
class Widened {
 public:
  Widened(const T* x, int64_t n) : copy_(x ? n : 0), data_(x ? copy_.get() : nullptr) {
    parallel_for(0, x ? n : 0, kCopyGrain,
                 [to = copy_.get(), x](int64_t i, int64_t end) { widen(to + i, x + i, end - i); });
  }
  const float* get() const { return data_; }

 private:
  Scratch<float> copy_;
  const float* data_;
};
/// Results in float, which are converted to T at the end of the scope.
template <class T>
class WidenedOut {
 public:
  WidenedOut(T* y, int64_t n) : y_(y), n_(n), copy_(n) {}
  ~WidenedOut() {
    parallel_for(0, n_, kCopyGrain, [to = y_, from = copy_.get()](int64_t i, int64_t end) {
      narrow(to + i, from + i, end - i);
    });
  }
  float* get() const { return copy_.get(); }

 private:
  T* y_;
  int64_t n_;
  Scratch<float> copy_;
};

int64_t x_numel(const ConvShape& s) { return s.batch * s.groups * s.in_channels * s.in_pixels(); }
int64_t y_numel(const ConvShape& s) { return s.batch * s.groups * s.out_channels * s.out_pixels(); }
int64_t w_numel(const ConvShape& s) { return s.groups * s.out_channels * s.depth(); }

// Computes in float, between conversions.
template <class T>
bool run_widened(const ConvForward<T>& p) {
  const Widened<T> x(p.x, x_numel(p.s)), w(p.w, w_numel(p.s));
  const Widened<T> b(p.b, p.s.groups * p.s.out_channels);
  const WidenedOut<T> y(p.y, y_numel(p.s));
  run(ConvForward<float>{p.s, y.get(), x.get(), w.get(), b.get()});
  return true;
}
template <class T>
bool run_widened(const ConvInputGradient<T>& p) {
  const Widened<T> gy(p.gy, y_numel(p.s)), w(p.w, w_numel(p.s));
  const WidenedOut<T> gx(p.gx, x_numel(p.s));
  run(ConvInputGradient<float>{p.s, gx.get(), gy.get(), w.get()});
  return true;
}
template <class T>
bool run_widened(const ConvWeightGradient<T>& p) {
  const Widened<T> x(p.x, x_numel(p.s)), gy(p.gy, y_numel(p.s));
  const WidenedOut<T> gw(p.gw, w_numel(p.s));
  run(ConvWeightGradient<float>{p.s, gw.get(), x.get(), gy.get()});
  return true;
}
template <class P>
constexpr Way<P> kWidened = {"widened", always<P>, always<P>, run_widened};

using NarrowForward = ConvForward<BFloat16>;
constexpr Way<NarrowForward> kForwardBf16[] = {
    {"tiles",
     [](const NarrowForward& p) { return tiles::takes_forward(p.s) && !depthwise::takes(p.s); },
     always<NarrowForward>,
     [](const NarrowForward& p) { return tiles::forward(p.y, p.x, p.w, p.b, p.s), true; }},
    {"onednn", [](const NarrowForward& p) { return onednn::can_bf16(p.s, ConvPass::kForward); },
     [](const NarrowForward& p) { return onednn::prefers_bf16(p.s, ConvPass::kForward); },
     [](const NarrowForward& p) { return onednn::forward(p.y, p.x, p.w, p.b, p.s); }},
    kWidened<NarrowForward>};

using NarrowInputGradient = ConvInputGradient<BFloat16>;
constexpr Way<NarrowInputGradient> kInputGradientBf16[] = {
    {"tiles",
     [](const NarrowInputGradient& p) {
       return tiles::takes_input_gradient(p.s) && !depthwise::takes(*tiles::backwards(p.s));
     },
     always<NarrowInputGradient>,
     [](const NarrowInputGradient& p) {
       return tiles::input_gradient(p.gx, p.gy, p.w, p.s), true;
     }},
    {"onednn",
     [](const NarrowInputGradient& p) { return onednn::can_bf16(p.s, ConvPass::kInputGradient); },
     [](const NarrowInputGradient& p) {
       return onednn::prefers_bf16(p.s, ConvPass::kInputGradient);
     },
     [](const NarrowInputGradient& p) { return onednn::input_gradient(p.gx, p.gy, p.w, p.s); }},
    kWidened<NarrowInputGradient>};

using NarrowWeightGradient = ConvWeightGradient<BFloat16>;
constexpr Way<NarrowWeightGradient> kWeightGradientBf16[] = {
    {"tiles",
     [](const NarrowWeightGradient& p) {
       return tiles::takes_weight_gradient(p.s) && !depthwise::takes(p.s);
     },
     always<NarrowWeightGradient>,
     [](const NarrowWeightGradient& p) {
       return tiles::weight_gradient(p.gw, p.x, p.gy, p.s), true;
     }},
    {"onednn",
     [](const NarrowWeightGradient& p) { return onednn::can_bf16(p.s, ConvPass::kWeightGradient); },
     [](const NarrowWeightGradient& p) {
       return onednn::prefers_bf16(p.s, ConvPass::kWeightGradient);
     },
     [](const NarrowWeightGradient& p) { return onednn::weight_gradient(p.gw, p.x, p.gy, p.s); }},
    kWidened<NarrowWeightGradient>};

/// Widens the operands if the forced way is one of f32.
template <const auto& ways, class P>
void run_narrow(const P& p) {
  if (g_forced.is_set() && !find_way(ways, g_forced.name()))
    run_widened(p);
  else
    run_best<ways>(p, g_forced);
}
void run(const NarrowForward& p) { run_narrow<kForwardBf16>(p); }
void run(const NarrowInputGradient& p) { run_narrow<kInputGradientBf16>(p); }
void run(const NarrowWeightGradient& p) { run_narrow<kWeightGradientBf16>(p); }
void run(const ConvForward<Half>& p) { run_widened(p); }
void run(const ConvInputGradient<Half>& p) { run_widened(p); }
void run(const ConvWeightGradient<Half>& p) { run_widened(p); }

void check_forced() {
  if (g_forced.is_set())
    g_forced.check(kForward32, kInputGradient32, kWeightGradient32, kForwardBf16);
}

}  // namespace

void conv_forward(Out y, In x, In w, In b, ConvSteps steps) {
  check_forced();
  const ConvShape s = conv_shape(x.sizes, w.sizes, y.sizes, steps);
  switch_dtype<dtypes::Floating>(y.dtype, "conv", [&]<class T>() {
    run(ConvForward<T>{s, y.as<T>(), x.as<T>(), w.as<T>(), b.defined() ? b.as<T>() : nullptr});
  });
}

void conv_input_gradient(Out gx, In gy, In w, ConvSteps steps) {
  check_forced();
  const ConvShape s = conv_shape(gx.sizes, w.sizes, gy.sizes, steps);
  switch_dtype<dtypes::Floating>(gx.dtype, "conv", [&]<class T>() {
    run(ConvInputGradient<T>{s, gx.as<T>(), gy.as<T>(), w.as<T>()});
  });
}

void conv_weight_gradient(Out gw, In x, In gy, ConvSteps steps) {
  check_forced();
  const ConvShape s = conv_shape(x.sizes, gw.sizes, gy.sizes, steps);
  switch_dtype<dtypes::Floating>(gw.dtype, "conv", [&]<class T>() {
    run(ConvWeightGradient<T>{s, gw.as<T>(), x.as<T>(), gy.as<T>()});
  });
}

// ---------------------------------------------------------------------- for the tests
namespace {

/// Calls body(table) with the ways of a pass.
template <class Body>
void with_table(ConvPass pass, ScalarType dtype, const Body& body) {
  const auto of = [&](const auto& f32, const auto& f64, const auto& bf16) {
    dtype == kFloat ? body(f32) : dtype == kDouble ? body(f64) : body(bf16);
  };
  switch (pass) {
    case ConvPass::kForward:
      return of(kForward32, kForward64, kForwardBf16);
    case ConvPass::kInputGradient:
      return of(kInputGradient32, kInputGradient64, kInputGradientBf16);
    case ConvPass::kWeightGradient:
      return of(kWeightGradient32, kWeightGradient64, kWeightGradientBf16);
  }
}

}  // namespace

std::vector<std::string> conv_ways(ConvPass pass, ScalarType dtype) {
  std::vector<std::string> names;
  with_table(pass, dtype, [&](const auto& table) { names = names_of(table); });
  return names;
}
bool conv_way_can(ConvPass pass, ScalarType dtype, const std::string& name, const ConvShape& s) {
  bool can = false;
  with_table(pass, dtype, [&]<class P, size_t n>(const Way<P>(&table)[n]) {
    const Way<P>* const way = find_way(table, name);
    TAPER_CHECK(way, "conv_way_can: there is no way ", name);
    P problem{};
    problem.s = s;
    can = way->can(problem);
  });
  return can;
}
void force_conv_way(const char* name) { g_forced.set(name); }
int64_t forced_conv_runs() { return g_forced.runs(); }

}  // namespace torch::taper::cpu
