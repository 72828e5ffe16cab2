#include <type_traits>

#include <taper/framework/cpu/gemv.h>
#include <taper/framework/kernel/vec_widen.h>

#define TAPER_ISA_FILE <taper/framework/cpu/gemv_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void gemv_rows(const Gemv<float>& g) { return TAPER_BY_ISA(gemv_rows_f32, g); }
void gemv_rows(const Gemv<double>& g) { return TAPER_BY_ISA(gemv_rows_f64, g); }
void gemv_rows(const Gemv<float, Half>& g) { return TAPER_BY_ISA(gemv_rows_f16, g); }
void gemv_rows(const Gemv<float, BFloat16>& g) { return TAPER_BY_ISA(gemv_rows_bf16, g); }
void gemv_columns(const Gemv<float>& g) { return TAPER_BY_ISA(gemv_columns_f32, g); }
void gemv_columns(const Gemv<double>& g) { return TAPER_BY_ISA(gemv_columns_f64, g); }
float dot_contiguous(int64_t n, const float* x, const float* y) {
  return TAPER_BY_ISA(dot_f32, n, x, y);
}
double dot_contiguous(int64_t n, const double* x, const double* y) {
  return TAPER_BY_ISA(dot_f64, n, x, y);
}

}  // namespace torch::taper::cpu
