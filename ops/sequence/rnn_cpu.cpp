#include <algorithm>
#include <cmath>

#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/packed_matrix.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/reduce/reduce_plan.h>
#include <taper/ops/sequence/rnn_kernels.h>

namespace torch::taper::cpu {

/// Operands of the gates of n rows of one time. See rnn_kernels.h. `part` is the hidden part of the
/// gates without its bias, and `bias` is that bias.
template <class T>
struct RnnRows {
  int64_t n, hidden;
  T* gates;
  const T *part, *bias;
  T *extra, *y, *h, *c;
};

/// Operands of their derivative. Row i follows row i of c_known, and from `known` on row i of
/// c_first.
template <class T>
struct RnnGradRows {
  int64_t n, hidden;
  T *gx, *gp;
  const T* before;
  T *gh, *gc;
  const T *gy, *gates, *extra, *y;
  int64_t known;
  const T *c_known, *c_first;
};

}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/sequence/rnn_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// Sequences are independent, so each thread takes some through all times. A thread's share fills
// the register tiles and is worth waking it.
int64_t sequences_at_once(const RnnPlan& plan, int64_t hidden) {
  constexpr int64_t tile = 6, worth = 1 << 20;  // rows, multiply-adds
  const int64_t each =
      static_cast<int64_t>(plan.sizes.size()) * gates_of(plan.mode) * hidden * hidden;
  return std::max(tile, worth / std::max<int64_t>(1, each));
}

template <class T>
void gates(RnnMode mode, const RnnRows<T>& r) {
  return TAPER_BY_ISA(rnn_gates, mode, r);
}
template <class T>
void gates_backward(RnnMode mode, const RnnGradRows<T>& r) {
  return TAPER_BY_ISA(rnn_gates_backward, mode, r);
}

template <class T>
T* at(T* p, int64_t row, int64_t width) {
  return p ? p + row * width : nullptr;
}

/// Calls f with w (k x n, or its transpose if `across`) packed. bf16 is packed in pairs if the CPU
/// multiplies them, else as T.
template <class T, class F>
void with_packed(const In& w, bool across, int64_t k, int64_t n, const F& f) {
  const auto matrix = [&]<class V>(const V* data) {
    return across ? MatrixIn<V>{data, 1, k} : MatrixIn<V>{data, n, 1};
  };
  if (w.dtype != ScalarType::BFloat16) return f(PackedMatrix<T>(matrix(w.as<T>()), k, n));
  if constexpr (std::is_same_v<T, float>) {
    if (multiplies_pairs) return f(PackedPairs(matrix(w.as<BFloat16>()), k, n));
    const Scratch<float> wide(k * n);
    widen(wide.get(), w.as<BFloat16>(), k * n);
    f(PackedMatrix<float>(matrix(static_cast<const float*>(wide.get())), k, n));
  }
}

/// Computes sequences [begin, end) through all times.
template <class T, class Weight>
struct Forward {
  const RnnPlan& plan;
  const std::vector<RnnStep>& steps;
  const Weight& weight;
  int64_t hidden;
  const T* bias;
  T *gates, *extra, *y, *h, *c;

  void operator()(int64_t begin, int64_t end) const {
    const int64_t H = hidden, G = gates_of(plan.mode) * H;
    const Scratch<T> part((end - begin) * G);
    for (const RnnStep& s : steps) {
      const int64_t n = std::min(s.n, end) - begin, row = s.row + begin;
      if (n <= 0) continue;
      weight.multiply(n, at(h, begin, H), H, false, part.get(), G);
      cpu::gates<T>(plan.mode, {n, H, at(gates, row, G), part.get(), bias, at(extra, row, H),
                                at(y, row, H), at(h, begin, H), at(c, begin, H)});
    }
  }
};

template <class T>
void forward(const RnnPlan& plan, const InOut& gates, const Out& extra, const Out& y,
             const InOut& h, const InOut& c, const In& w_hh, const In& b_hh) {
  const int64_t N = h.sizes[0], H = h.sizes[1], G = gates_of(plan.mode) * H;
  if (y.numel == 0) return;
  const std::vector<RnnStep> steps = steps_of(plan);
  const Scratch<T> zeros(b_hh.defined() ? 0 : G);
  if (!b_hh.defined()) std::fill_n(zeros.get(), G, T(0));
  with_packed<T>(w_hh, true, H, G, [&]<class Weight>(const Weight& weight) {
    const Forward<T, Weight> run{plan,
                                 steps,
                                 weight,
                                 H,
                                 b_hh.defined() ? b_hh.as<T>() : zeros.get(),
                                 gates.as<T>(),
                                 extra.as<T>(),
                                 y.as<T>(),
                                 h.as<T>(),
                                 c.as<T>()};
    parallel_for(0, N, sequences_at_once(plan, H), run);
  });
}

template <class T, class Weight>
struct Backward {
  const RnnPlan& plan;
  const std::vector<RnnStep>& steps;
  const Weight& weight;
  int64_t hidden;
  T *gx, *gp, *before, *gh, *gc;
  const T *gy, *gates, *extra, *y, *h0, *c0;

  void operator()(int64_t begin, int64_t end) const {
    const int64_t H = hidden, G = gates_of(plan.mode) * H;
    for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
      const int64_t n = std::min(s->n, end) - begin, row = s->row + begin;
      if (n <= 0) continue;
      const int64_t known = std::clamp(s->known - begin, int64_t{0}, n);
      copy_before(row, begin, s->before + begin, known, n);
      gates_backward<T>(plan.mode,
                        {n, H, at(gx, row, G), at(gp, row, G), at(before, row, H), at(gh, begin, H),
                         at(gc, begin, H), at(gy, row, H), at(gates, row, G), at(extra, row, H),
                         at(y, row, H), known, at(extra, s->before + begin, H), at(c0, begin, H)});
      weight.multiply(n, at(gp ? gp : gx, row, G), G, plan.mode == RnnMode::kGru, at(gh, begin, H),
                      H);
    }
  }
  void copy_before(int64_t row, int64_t begin, int64_t from, int64_t known, int64_t n) const {
    const int64_t H = hidden;
    std::copy_n(at(y, from, H), known * H, at(before, row, H));
    std::copy_n(at(h0, begin + known, H), (n - known) * H, at(before, row + known, H));
  }
};

}  // namespace

void rnn_forward(RnnPlan plan, InOut gates, Out extra, Out y, InOut h, InOut c, In w_hh, In b_hh) {
  switch_dtype<dtypes::Float>(y.dtype, "rnn", [&]<class scalar_t>() {
    forward<scalar_t>(plan, gates, extra, y, h, c, w_hh, b_hh);
  });
}

void rnn_backward(RnnPlan plan, Out gx, Out gp, Out before, InOut gh, InOut gc, In gy, In gates,
                  In extra, In y, In w_hh, In h0, In c0) {
  const int64_t N = gh.sizes[0], H = gh.sizes[1], G = gates_of(plan.mode) * H;
  if (y.numel == 0) return;
  const std::vector<RnnStep> steps = steps_of(plan);
  switch_dtype<dtypes::Float>(y.dtype, "rnn_backward", [&]<class T>() {
    const auto of = [](const In& x) { return x.defined() ? x.as<T>() : nullptr; };
    with_packed<T>(w_hh, false, G, H, [&]<class Weight>(const Weight& weight) {
      const Backward<T, Weight> run{plan,       steps,          weight,     H,          gx.as<T>(),
                                    gp.as<T>(), before.as<T>(), gh.as<T>(), gc.as<T>(), of(gy),
                                    of(gates),  of(extra),      of(y),      of(h0),     of(c0)};
      parallel_for(0, N, sequences_at_once(plan, H), run);
    });
  });
}

}  // namespace torch::taper::cpu
