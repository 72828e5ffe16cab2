#include <algorithm>
#include <cstring>
#include <type_traits>

#include <taper/framework/cpu/loops.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/stream.h>
#include <taper/framework/cpu/vec_widen.h>
#include <taper/framework/itemsize.h>
#include <taper/framework/iterate.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace taper::cpu {
namespace {

/// What is not a float of 16 bits: those go by way of float.
using Longer = dtypes::Joined<dtypes::Float, dtypes::Bit>;

/// n elements side by side from one dtype to another.
using ConvertRun = void (*)(char* y, const char* x, int64_t n);

/// One step or two: f16 to bf16 are two.
struct Converter {
  ConvertRun steps[2];
  int64_t y_item, x_item;

  void run(char* y, const char* x, int64_t n) const {
    constexpr int64_t kRun = 512;
    alignas(64) char between[kRun * sizeof(float)];
    if (!steps[1]) return steps[0](y, x, n);
    for (int64_t i = 0; i < n; i += kRun) {
      const int64_t m = std::min(kRun, n - i);
      steps[0](between, x + i * x_item, m);
      steps[1](y + i * y_item, between, m);
    }
  }
  /// Elements with gaps between them pass through buffers.
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

void convert_all(const Plan<2>& plan, const Converter& converter) {
  parallel_for(0, plan.numel, kGrain, [&](int64_t b, int64_t e) {
    for_each_row(plan, b, e, [&](char* const* p, const int64_t* s, int64_t n) {
      converter.row(p[0], p[1], s[0], s[1], n);
    });
  });
}

}  // namespace
}  // namespace taper::cpu

#define TAPER_ISA_FILE <taper/ops/tensor/copy_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void copy(Out y, In x) {
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
  TAPER_BY_ISA(copy, y, x);
}

void zero(Out y) {
  if (!y.contiguous) return fill(y, In::number(0, y.dtype));
  const int64_t nbytes = y.numel * static_cast<int64_t>(elementSize(y.dtype));
  parallel_for(0, nbytes, 16 * kGrain,
               [&](int64_t b, int64_t e) { std::memset(y.as<char>() + b, 0, e - b); });
}

void copy_rows(char* y, int64_t y_row, const char* x, int64_t x_row, int64_t rows, int64_t nbytes) {
  TAPER_BY_ISA(copy_rows, y, y_row, x, x_row, rows, nbytes);
}

void fill(Out y, In value) { TAPER_BY_ISA(fill, y, value); }

}  // namespace taper::cpu
