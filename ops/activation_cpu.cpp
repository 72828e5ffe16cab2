#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/vec.h>
#include <taper/ops/activation_functors.h>
#include <taper/ops/activation_kernels.h>

#define TAPER_ISA_FILE <taper/ops/activation_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void activation(Out y, In x, ActivationForm form) { TAPER_BY_ISA(activation, y, x, form); }
void activation_backward(Out gx, In gy, In x, ActivationForm form) {
  TAPER_BY_ISA(activation_backward, gx, gy, x, form);
}

}  // namespace taper::cpu
