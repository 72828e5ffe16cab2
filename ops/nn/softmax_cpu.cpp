#include <algorithm>
#include <cmath>
#include <tuple>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/nn/softmax_kernels.h>
#include <taper/ops/reduce/reduce_plan.h>

#define TAPER_ISA_FILE <taper/ops/nn/softmax_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

namespace {

// 16-bit floats pass through the loops of floats, so each result is rounded once. Slices, the
// elements per index of the outer dimensions, go in tiles of about kTile elements, which stay in
// L1.
constexpr int64_t kTile = 2048;
/// Larger slices that are not rows are processed singly, by all threads.
constexpr int64_t kLargeSlice = 1 << 15;

/// Returns a contiguous tensor of floats at `data`, of `slices` slices (n, inner).
template <class View>
View floats_at(float* data, int64_t slices, int64_t n, int64_t inner) {
  View view;
  view.data = data;
  view.dtype = kFloat;
  view.sizes = Dims{slices, n, inner};
  view.numel = slices * n * inner;
  return view;
}

template <class T>
struct InFloats {
  int64_t outer = 1, n = 1, inner = 1;
  InFloats(const Dims& sizes, int64_t dim) {
    for (int64_t d = 0; d < sizes.size(); ++d) (d < dim ? outer : d == dim ? n : inner) *= sizes[d];
  }
  int64_t slice() const { return n * inner; }

  /// Calls run(y, x..., 1) for some slices at a time, in buffers of floats. y shares the buffer of
  /// the first x.
  template <class F, class... From>
  void run_slices(int64_t begin, int64_t end, int64_t step, const F& run, T* to,
                  const From*... from) const {
    const int64_t most = std::min(step, end - begin) * slice();
    const Scratch<float> room(most * static_cast<int64_t>(sizeof...(From)));
    for (; begin < end; begin += step) {
      const int64_t slices = std::min(step, end - begin), at = begin * slice();
      float* next = room.get();
      const auto in_floats = [&](const T* x) {
        float* const wide = next;
        next += most;
        for_parts(slices * slice(), [&](int64_t i, int64_t m) { widen(wide + i, x + at + i, m); });
        return floats_at<In>(wide, slices, n, inner);
      };
      const In wide[] = {in_floats(from)...};
      if constexpr (sizeof...(From) == 1)
        run(floats_at<Out>(room.get(), slices, n, inner), wide[0], 1);
      else
        run(floats_at<Out>(room.get(), slices, n, inner), wide[0], wide[1], 1);
      for_parts(slices * slice(),
                [&](int64_t i, int64_t m) { narrow(to + at + i, room.get() + i, m); });
    }
  }
  /// Calls part(i, count) for parts of m elements, on several threads unless already on one.
  template <class F>
  static void for_parts(int64_t m, const F& part) {
    parallel_for(0, m, kGrain, [&](int64_t b, int64_t e) { part(b, e - b); });
  }
  template <class F, class... From>
  void operator()(const F& run, T* to, const From*... from) const {
    if (slice() == 0) return;
    if (inner > 1 && slice() > kLargeSlice) return run_slices(0, outer, 1, run, to, from...);
    const int64_t step = std::max<int64_t>(1, kTile / slice());
    parallel_for(0, outer, std::max(step, kGrain / 4 / slice() + 1),
                 [&](int64_t b, int64_t e) { run_slices(b, e, step, run, to, from...); });
  }
};

/// Calls run(y, x..., dim), in floats if the tensors have 16-bit floats.
template <class F, class... From>
void run_wide(const F& run, int64_t dim, const Out& to, const From&... from) {
  if (!isReducedFloatingType(to.dtype)) return run(to, from..., dim);
  switch_dtype<TypeList<Half, BFloat16>>(to.dtype, "softmax", [&]<class T>() {
    InFloats<T>(to.sizes, dim)(run, to.as<T>(), from.template as<T>()...);
  });
}

/// Tests for 16-bit floats along the last dimension, long enough for separate loops. Shorter rows
/// pass through tiles of many.
bool are_long_narrow_rows(const Out& to, int64_t dim) {
  return isReducedFloatingType(to.dtype) && to.numel > 0 && dim + 1 == to.dim() &&
         to.sizes[dim] >= 64;
}

}  // namespace

// Each has rows for a chain. These take no 16-bit floats, which pass through separate buffers.
namespace {
constexpr auto width_of_rows = [](const Out& y, const auto&... x_and_dim) {
  const int64_t dim = std::get<sizeof...(x_and_dim) - 1>(std::tie(x_and_dim...));
  return isReducedFloatingType(y.dtype) || dim + 1 != y.dim() ? kNoRows : y.sizes[dim];
};
constexpr auto give_softmax = [](Chain& chain, const auto&... a) {
  return TAPER_BY_ISA(softmax, &chain, a...);
};
constexpr auto give_log_softmax = [](Chain& chain, const auto&... a) {
  return TAPER_BY_ISA(log_softmax, &chain, a...);
};
constexpr auto give_softmax_backward = [](Chain& chain, const auto&... a) {
  return TAPER_BY_ISA(softmax_backward, &chain, a...);
};
constexpr auto give_log_softmax_backward = [](Chain& chain, const auto&... a) {
  return TAPER_BY_ISA(log_softmax_backward, &chain, a...);
};
template <auto kernel, auto give>
constexpr KernelInfo rows_of(int inputs) {
  return handed_over_by<kernel, give>(rowwise<kernel, width_of_rows>(inputs));
}
}  // namespace

void softmax(Out y, In x, int64_t dim) {
  run_wide([](auto... a) { return TAPER_BY_ISA(softmax, nullptr, a...); }, dim, y, x);
}
constinit const KernelInfo softmax_info = rows_of<&cpu::softmax, give_softmax>(1);

void log_softmax(Out y, In x, int64_t dim) {
  run_wide([](auto... a) { return TAPER_BY_ISA(log_softmax, nullptr, a...); }, dim, y, x);
}
constinit const KernelInfo log_softmax_info = rows_of<&cpu::log_softmax, give_log_softmax>(1);

void softmax_backward(Out gx, In gy, In y, int64_t dim) {
  if (are_long_narrow_rows(gx, dim)) return TAPER_BY_ISA(softmax_backward_narrow, gx, gy, y, dim);
  run_wide([](auto... a) { return TAPER_BY_ISA(softmax_backward, nullptr, a...); }, dim, gx, gy, y);
}
constinit const KernelInfo softmax_backward_info =
    rows_of<&cpu::softmax_backward, give_softmax_backward>(2);

void log_softmax_backward(Out gx, In gy, In y, int64_t dim) {
  run_wide([](auto... a) { return TAPER_BY_ISA(log_softmax_backward, nullptr, a...); }, dim, gx, gy,
           y);
}
constinit const KernelInfo log_softmax_backward_info =
    rows_of<&cpu::log_softmax_backward, give_log_softmax_backward>(2);

}  // namespace torch::taper::cpu
