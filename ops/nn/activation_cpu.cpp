#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/math/vec_double.h>
#include <taper/ops/nn/activation_functors.h>
#include <taper/ops/nn/activation_kernels.h>

namespace torch::taper::cpu {
namespace {

/// A row loop and its form, as called by a chain.
template <class... T>
struct FormRow {
  void (*row)(const void*, T*..., int64_t);
  const void* form;
};
template <class T>
void run_value_row(const void* f, char* y, const char* x, const int64_t*, int64_t n) {
  const auto& of = *static_cast<const FormRow<T, const T>*>(f);
  of.row(of.form, reinterpret_cast<T*>(y), reinterpret_cast<const T*>(x), n);
}
template <class T>
void run_slope_row(const void* f, char* gx, const char* gy, const char* x, const int64_t*,
                   int64_t n, int64_t) {
  const auto& of = *static_cast<const FormRow<T, const T, const T>*>(f);
  of.row(of.form, reinterpret_cast<T*>(gx), reinterpret_cast<const T*>(gy),
         reinterpret_cast<const T*>(x), n);
}

// Runs the rows of an activation `form` on threads, or adds them to a chain. This part is shared by
// all activations.
template <class T>
void run_values(Chain* chain, const Out& y, const In& x,
                void (*row)(const void*, T*, const T*, int64_t), const void* form) {
  const FormRow<T, const T> of{row, form};
  if (chain) return chain->take(y, x, &run_value_row<T>, &of);
  parallel_for(0, x.numel, kGrain / 4,
               [&](int64_t b, int64_t e) { row(form, y.as<T>() + b, x.as<T>() + b, e - b); });
}
template <class T>
void run_slopes(Chain* chain, const Out& gx, const In& gy, const In& x,
                void (*row)(const void*, T*, const T*, const T*, int64_t), const void* form) {
  const FormRow<T, const T, const T> of{row, form};
  if (chain) return chain->take(gx, gy, x, &run_slope_row<T>, &of);
  parallel_for(0, x.numel, kGrain / 4, [&](int64_t b, int64_t e) {
    row(form, gx.as<T>() + b, gy.as<T>() + b, x.as<T>() + b, e - b);
  });
}

}  // namespace
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/activation_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

static void run_activation(const Out& y, const In& x, const ActivationForm& form) {
  return TAPER_BY_ISA(activation, nullptr, y, x, form);
}
static void give_activation(Chain& chain, const Out& y, const In& x, const ActivationForm& form) {
  return TAPER_BY_ISA(activation, &chain, y, x, form);
}
void activation(Out y, In x, ActivationForm form) { run_activation(y, x, form); }
constinit const KernelInfo activation_info = repeatable_call<&cpu::activation, &run_activation>(
    handed_over_by<&cpu::activation, &give_activation>(pointwise<&cpu::activation>(1)));

static void give_slopes(Chain& chain, const Out& gx, const In& gy, const In& x,
                        const ActivationForm& form) {
  return TAPER_BY_ISA(activation_backward, &chain, gx, gy, x, form);
}
void activation_backward(Out gx, In gy, In x, ActivationForm form) {
  return TAPER_BY_ISA(activation_backward, nullptr, gx, gy, x, form);
}
constinit const KernelInfo activation_backward_info =
    handed_over_by<&cpu::activation_backward, &give_slopes>(
        pointwise<&cpu::activation_backward>(2));

}  // namespace torch::taper::cpu
