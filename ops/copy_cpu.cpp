#include <cstring>
#include <type_traits>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/stream.h>
#include <taper/framework/cpu/vec.h>
#include <taper/framework/itemsize.h>
#include <taper/framework/iterate.h>
#include <taper/ops/complex_parts.h>
#include <taper/ops/copy_kernels.h>

#define TAPER_ISA_FILE <taper/ops/copy_isa.inc>
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
