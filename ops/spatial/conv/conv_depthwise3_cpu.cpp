#include <taper/framework/kernel/vec.h>
#include <taper/ops/spatial/conv/conv_depthwise.h>

#define TAPER_ISA_FILE <taper/ops/spatial/conv/conv_depthwise3_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu::depthwise {

void correlate(const Three<float>& s) { TAPER_BY_ISA(correlate_three_f32, s); }
void correlate(const Three<double>& s) { TAPER_BY_ISA(correlate_three_f64, s); }
void add_element_sums(const Three<float>& s, float* sums) { TAPER_BY_ISA(sums_three_f32, s, sums); }
void add_element_sums(const Three<double>& s, double* sums) {
  TAPER_BY_ISA(sums_three_f64, s, sums);
}

}  // namespace torch::taper::cpu::depthwise
