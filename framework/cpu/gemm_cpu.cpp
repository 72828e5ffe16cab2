#include <type_traits>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/vec.h>

#define TAPER_ISA_FILE <taper/framework/cpu/gemm_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void gemm_panel(const GemmPanel<float>& g) { TAPER_BY_ISA(gemm_panel_f32, g); }
void gemm_panel(const GemmPanel<double>& g) { TAPER_BY_ISA(gemm_panel_f64, g); }

void transpose_panel(float* to, int64_t ldt, const float* from, int64_t ldf, int64_t rows,
                     int64_t cols) {
  TAPER_BY_ISA(transpose_panel_f32, to, ldt, from, ldf, rows, cols);
}
void transpose_panel(double* to, int64_t ldt, const double* from, int64_t ldf, int64_t rows,
                     int64_t cols) {
  TAPER_BY_ISA(transpose_panel_f64, to, ldt, from, ldf, rows, cols);
}

}  // namespace taper::cpu
