#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/reduce/count_bytes.h>
#include <taper/ops/reduce/reduce_kernels.h>

#define TAPER_ISA_FILE <taper/ops/reduce/reduce_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

template <class T, class Total>
TAPER_INLINE void store_total(char* y, Total v) {
  if constexpr (sizeof(T) == 2 && !std::is_integral<T>::value)
    *reinterpret_cast<T*>(y) = T(static_cast<float>(v));
  else
    *reinterpret_cast<T*>(y) = static_cast<T>(v);
}

template <class T, class Total>
void store_totals(char* y, int64_t step, const Total* totals, int64_t n, Finish finish) {
  if constexpr (std::is_floating_point<Total>::value)
    if (finish.divisor != 1 || finish.square_root) {
      for (int64_t i = 0; i < n; ++i) {
        const Total v = static_cast<Total>(totals[i] / finish.divisor);
        store_total<T>(y + i * step,
                       finish.square_root ? static_cast<Total>(__builtin_sqrt(v)) : v);
      }
      return;
    }
  // A sum of a thousand elements takes no longer than a few divisions.
  for (int64_t i = 0; i < n; ++i) store_total<T>(y + i * step, totals[i]);
}

}  // namespace

template <class Total>
StoreTotals<Total> store_totals_for(ScalarType dtype) {
  StoreTotals<Total> store = nullptr;
  switch_dtype<dtypes::Real>(dtype, "reduce",
                             [&]<class scalar_t>() { store = &store_totals<scalar_t, Total>; });
  return store;
}
template StoreTotals<float> store_totals_for(ScalarType dtype);
template StoreTotals<double> store_totals_for(ScalarType dtype);
template StoreTotals<int64_t> store_totals_for(ScalarType dtype);
template StoreTotals<uint64_t> store_totals_for(ScalarType dtype);

namespace {

// Sums a handful of floats. Planning would take longer than the sum.
bool sum_few(Out y, const In& x, double divisor) {
  if (x.dtype != kFloat || y.dtype != kFloat || y.numel != 1 || !x.contiguous || x.numel > 8)
    return false;
  double total = 0;
  for (int64_t i = 0; i < x.numel; ++i) total += x.as<float>()[i];
  *y.as<float>() = static_cast<float>(total / divisor);
  return true;
}

// Detects that the reduced dimensions come first and have few elements. The others must be adjacent
// in memory, in x as in y.
struct FewRows {
  int64_t rows = 1, columns = 1;
  bool are;
  FewRows(const Out& y, const In& x, DimMask dims) {
    are = x.dtype == kFloat && y.dtype == kFloat && x.contiguous && y.contiguous && dims != 0 &&
          (dims & (dims + 1)) == 0 && x.numel <= 2048;
    if (!are) return;
    for (int64_t d = 0; d < x.dim(); ++d) (dims >> d & 1 ? rows : columns) *= x.sizes[d];
    are = rows >= 2 && rows <= 64 && columns >= 2;
  }
};
void sum_few_rows(float* y, const float* x, int64_t rows, int64_t columns, double divisor) {
  return TAPER_BY_ISA(sum_few_rows, y, x, rows, columns, divisor);
}
Prepared prepare_sum(const Out& y, const In& x, const DimMask& dims, const double& divisor) {
  const FewRows few(y, x, dims);
  if (!few.are) return nullptr;
  return [few, to = y.as<float>(), from = x.as<float>(), divisor] {
    sum_few_rows(to, from, few.rows, few.columns, divisor);
  };
}

}  // namespace

void sum(Out y, In x, DimMask dims, double divisor) {
  if (sum_few(y, x, divisor)) return;
  if (const FewRows few(y, x, dims); few.are)
    return sum_few_rows(y.as<float>(), x.as<float>(), few.rows, few.columns, divisor);
  return TAPER_BY_ISA(sum, y, x, dims, divisor);
}
constinit const KernelInfo sum_info = prepared<&cpu::sum, &prepare_sum>();
void nansum(Out y, In x, DimMask dims) { return TAPER_BY_ISA(nansum, y, x, dims); }
void prod(Out y, In x, DimMask dims) { return TAPER_BY_ISA_UP_TO_AVX2(prod, y, x, dims); }
void count_nonzero(Out y, In x, DimMask dims) { return TAPER_BY_ISA(count_nonzero, y, x, dims); }

}  // namespace torch::taper::cpu
