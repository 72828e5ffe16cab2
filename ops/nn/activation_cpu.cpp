#include <taper/framework/cpu/math/vec_double.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/nn/activation_functors.h>
#include <taper/ops/nn/activation_kernels.h>

namespace taper::cpu {
namespace {

// Threads over the rows of an activation `form`: the part that is the same for all of them.
template <class T>
void run_values(const Out& y, const In& x, void (*row)(const void*, T*, const T*, int64_t),
                const void* form) {
  parallel_for(0, x.numel, kGrain / 4,
               [&](int64_t b, int64_t e) { row(form, y.as<T>() + b, x.as<T>() + b, e - b); });
}
template <class T>
void run_slopes(const Out& gx, const In& gy, const In& x,
                void (*row)(const void*, T*, const T*, const T*, int64_t), const void* form) {
  parallel_for(0, x.numel, kGrain / 4, [&](int64_t b, int64_t e) {
    row(form, gx.as<T>() + b, gy.as<T>() + b, x.as<T>() + b, e - b);
  });
}

}  // namespace
}  // namespace taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/activation_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void activation(Out y, In x, ActivationForm form) { TAPER_BY_ISA(activation, y, x, form); }
void activation_backward(Out gx, In gy, In x, ActivationForm form) {
  TAPER_BY_ISA(activation_backward, gx, gy, x, form);
}

}  // namespace taper::cpu
