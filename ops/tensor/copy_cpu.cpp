#include <algorithm>
#include <cstring>
#include <type_traits>

#include <taper/framework/core/float8.h>
#include <taper/framework/core/itemsize.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec_widen.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace torch::taper::cpu {
namespace {

/// Dtypes other than 16-bit floats, which convert by way of float.
using Longer = dtypes::Joined<dtypes::Float, dtypes::Bit>;

/// Converts n adjacent elements from one dtype to another.
using ConvertRun = void (*)(char* y, const char* x, int64_t n);

/// Widens, converts and narrows, as far as the dtypes need it. (f16 to bf16 uses the first and the
/// last.)
struct Converter {
  ConvertRun steps[3];
  int64_t y_item, x_item;

  void run(char* y, const char* x, int64_t n) const {
    constexpr int64_t kRun = 512;
    alignas(64) char between[2][kRun * sizeof(double)];
    if (!steps[1]) return steps[0](y, x, n);
    for (int64_t i = 0; i < n; i += kRun) {
      const int64_t m = std::min(kRun, n - i);
      char* const to = y + i * y_item;
      steps[0](between[0], x + i * x_item, m);
      steps[1](steps[2] ? between[1] : to, between[0], m);
      if (steps[2]) steps[2](to, between[1], m);
    }
  }
  /// Converts elements with gaps through buffers.
  void row(char* y, const char* x, int64_t y_step, int64_t x_step, int64_t n) const {
    constexpr int64_t kRun = 512;
    alignas(64) char from[kRun * sizeof(double)], to[kRun * sizeof(double)];
    if (y_step == y_item && x_step == x_item) return run(y, x, n);
    for (int64_t i = 0; i < n; i += kRun) {
      const int64_t m = std::min(kRun, n - i);
      gather(from, x + i * x_step, x_step, x_item, m);
      run(to, from, m);
      scatter(y + i * y_step, to, y_step, y_item, m);
    }
  }
};

// ---------------------------------------------------------------- stored dtypes
template <class To, class From>
To stored_as(From v) {
  if constexpr (std::is_same_v<To, uint64_t> && std::is_same_v<From, double>)
    return v < 0x1p63
               ? static_cast<uint64_t>(static_cast<int64_t>(v))
               : static_cast<uint64_t>(static_cast<int64_t>(v - 0x1p63)) + (uint64_t{1} << 63);
  else
    return static_cast<To>(v);
}
template <class To, class From>
void stored_run(char* y, const char* x, int64_t n) {
  To* to = reinterpret_cast<To*>(y);
  const From* from = reinterpret_cast<const From*>(x);
  for (int64_t i = 0; i < n; ++i) to[i] = stored_as<To>(from[i]);
}

/// A step between a stored dtype and a computing one.
struct StoredStep {
  ConvertRun run;
  ScalarType wide;
};

/// u16 and u32 become i64. u64 becomes f64, or f32 if the target is a narrower float, so that it is
/// rounded once. For integer targets its bits count as i64.
StoredStep widening_of_stored(ScalarType from, ScalarType to) {
  StoredStep step{nullptr, from};
  ::taper::detail::call_for_dtype(dtypes::Float8(), from, [&]<class scalar_t>() {
    step = {&stored_run<float, scalar_t>, kFloat};
  });
  if (from == kUInt16) step = {&stored_run<int64_t, uint16_t>, kLong};
  if (from == kUInt32) step = {&stored_run<int64_t, uint32_t>, kLong};
  if (from != kUInt64) return step;
  if (to == kDouble) return {&stored_run<double, uint64_t>, kDouble};
  return isFloatingType(to) ? StoredStep{&stored_run<float, uint64_t>, kFloat}
                            : StoredStep{nullptr, kLong};
}
StoredStep narrowing_to_stored(ScalarType to, ScalarType from) {
  StoredStep step{nullptr, to};
  ::taper::detail::call_for_dtype(dtypes::Float8(), to, [&]<class scalar_t>() {
    step = {&stored_run<scalar_t, float>, kFloat};
  });
  if (to == kUInt16) step = {&stored_run<uint16_t, int64_t>, kLong};
  if (to == kUInt32) step = {&stored_run<uint32_t, int64_t>, kLong};
  if (to != kUInt64) return step;
  return isFloatingType(from) ? StoredStep{&stored_run<uint64_t, double>, kDouble}
                              : StoredStep{nullptr, kLong};
}

void convert_row(const void* converter, char* y, const char* x, const int64_t*, int64_t n) {
  static_cast<const Converter*>(converter)->run(y, x, n);
}
void copy_row(const void*, char* y, const char* x, const int64_t* s, int64_t n) {
  std::memcpy(y, x, static_cast<size_t>(n * s[0]));
}

/// Adds the conversion to `chain`, unless it is null.
void convert_all(Chain* chain, const Out& y, const In& x, const Converter& converter) {
  if (chain) return chain->take(y, x, &convert_row, &converter);
  const auto plan = plan_over(y.sizes, y, x);
  parallel_for(0, plan.numel, kGrain, [&](int64_t b, int64_t e) {
    for_each_row(plan, b, e, [&](char* const* p, const int64_t* s, int64_t n) {
      converter.row(p[0], p[1], s[0], s[1], n);
    });
  });
}

}  // namespace
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/tensor/copy_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

static void run_copy(const Out& y, const In& x) {
  if (y.dtype == x.dtype && y.contiguous && x.contiguous) {
    const size_t item = elementSize(y.dtype);
    if (y.numel == 1 && item == 4) {
      *y.as<uint32_t>() = *x.as<uint32_t>();
      return;
    }
    const int64_t all = y.numel * static_cast<int64_t>(item);
    const bool past = streams(all, all);
    parallel_for(0, y.numel, 4 * kGrain, [&](int64_t b, int64_t e) {
      char* to = y.as<char>() + b * item;
      const char* from = x.as<char>() + b * item;
      const int64_t nbytes = (e - b) * static_cast<int64_t>(item);
      if (!past) return static_cast<void>(std::memcpy(to, from, nbytes));
      stream(to, from, nbytes);
      end_stream();
    });
    return;
  }
  if (y.dtype != x.dtype && (isComplexType(y.dtype) || isComplexType(x.dtype)))
    return taper::detail::copy_parts(y, x, copy, fill);
  if (y.dtype == kDouble && x.dtype == kFloat && y.numel >= kMostInL2 &&
      wants_half_vectors(y, x, x))
    return TAPER_BY_ISA_UP_TO_AVX2(copy, y, x);
  return TAPER_BY_ISA(copy, y, x);
}
void copy(Out y, In x) { run_copy(y, x); }
static void give_copy(Chain& chain, const Out& y, const In& x) {
  if (y.dtype == x.dtype) return chain.take(y, x, &copy_row, nullptr);
  return TAPER_BY_ISA(convert, &chain, y, x);
}
constinit const KernelInfo copy_info = repeatable_call<&cpu::copy, &run_copy>(
    handed_over_by<&cpu::copy, &give_copy>(pointwise<&cpu::copy>(1, {Formula::copy})));

void zero(Out y) {
  if (!y.contiguous) return fill(y, In::number(0, y.dtype));
  const int64_t nbytes = y.numel * static_cast<int64_t>(elementSize(y.dtype));
  parallel_for(0, nbytes, 16 * kGrain,
               [&](int64_t b, int64_t e) { std::memset(y.as<char>() + b, 0, e - b); });
}

void copy_rows(char* y, int64_t y_row, const char* x, int64_t x_row, int64_t rows, int64_t nbytes) {
  return TAPER_BY_ISA(copy_rows, y, y_row, x, x_row, rows, nbytes);
}

static void run_fill(const Out& y, const In& value) { return TAPER_BY_ISA(fill, y, value); }
void fill(Out y, In value) { run_fill(y, value); }

constinit const KernelInfo fill_info = repeatable_call<&cpu::fill, &run_fill>();

}  // namespace torch::taper::cpu
