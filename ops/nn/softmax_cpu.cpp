#include <cmath>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/stream.h>
#include <taper/framework/cpu/vec.h>
#include <taper/framework/cpu/vector_exp.h>
#include <taper/ops/nn/softmax_kernels.h>
#include <taper/ops/reduce/reduce_plan.h>

#define TAPER_ISA_FILE <taper/ops/nn/softmax_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void softmax(Out y, In x, int64_t dim) { TAPER_BY_ISA(softmax, y, x, dim); }
void log_softmax(Out y, In x, int64_t dim) { TAPER_BY_ISA(log_softmax, y, x, dim); }
void softmax_backward(Out gx, In gy, In y, int64_t dim) {
  TAPER_BY_ISA(softmax_backward, gx, gy, y, dim);
}
void log_softmax_backward(Out gx, In gy, In y, int64_t dim) {
  TAPER_BY_ISA(log_softmax_backward, gx, gy, y, dim);
}

}  // namespace taper::cpu
