// Definitions of `out` forms that compute a result and store it. For the .cpp files of ops only.
#pragma once

#include <tuple>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/shared/out.h>

namespace torch::taper {

/// Turns off history and autocast until the end of the scope. An `out` form computes its result in
/// this scope.
struct ValuesOnly {
  const NoGradGuard no_history{};
  const detail::AutocastOff as_given{};
};

using OutPair = std::tuple<Tensor&, Tensor&>;

// Stores the results y in `first` and `second`. If a check fails, stores neither.
inline OutPair store_pair(const char* op, Tensor& first, Tensor& second,
                          const std::tuple<Tensor, Tensor>& y, Operands inputs) {
  const auto check = [&](const Tensor& out, const Tensor& result) {
    if (!out.defined()) return;
    check_out_device(op, out, result.device());
    plan_out(op, out, result.impl().sizes, inputs);
    check_stored_dtype(op, out, result.scalar_type());
  };
  check(first, std::get<0>(y));
  check(second, std::get<1>(y));
  store_out(op, first, std::get<0>(y), inputs);
  store_out(op, second, std::get<1>(y), inputs);
  return {first, second};
}

inline void check_gradients(const char* op, const Tensor& out, TensorList tensors) {
  check_out_gradient(op, out, {});
  for (const Tensor& t : tensors) check_out_gradient(op, out, {t});
}

/// Resizes `out` to `size` and returns it, so that a factory can fill it.
inline Tensor& sized_out(const char* op, Tensor& out, IntArrayRef size) {
  check_defined(op, out, "out");
  check_out_gradient(op, out, {});
  checked_numel(size, op);
  plan_out(op, out, Dims(size), {}).resize();
  return out;
}

/// Returns the options with which a factory creates its result for `out`.
inline TensorOptions options_of_out(const Tensor& out) {
  check_defined("out", out, "out");
  return out.options().requires_grad(false);
}

}  // namespace torch::taper

// Defines name_out, which evaluates `call` without history and stores the result. `shown` holds the
// names of all parameters, in parentheses. `inputs` holds the input tensors, in parentheses. The
// remaining macro arguments are the parameters after `out`.
#define TAPER_LISTED(...) \
  { __VA_ARGS__ }
#define TAPER_OUT(name, shown, call, inputs, ...)            \
  Tensor& name##_out(Tensor& out, __VA_ARGS__) {             \
    if (at_door<#name "_out"> shown) return out;             \
    check_out_gradient(#name, out, TAPER_LISTED inputs);     \
    const ValuesOnly values_only;                            \
    return store_out(#name, out, call, TAPER_LISTED inputs); \
  }
#define TAPER_OUT_PAIR(name, shown, first, second, call, ...)      \
  OutPair name##_out(Tensor& first, Tensor& second, __VA_ARGS__) { \
    if (at_door<#name "_out"> shown) return {first, second};       \
    check_out_gradient(#name, first, {self});                      \
    check_out_gradient(#name, second, {self});                     \
    const ValuesOnly values_only;                                  \
    return store_pair(#name, first, second, call, {self});         \
  }
// Defines name_out of a list of tensors. A tensor of the list may share memory with `out`, so the
// result is computed in new memory.
#define TAPER_OUT_LIST(name, call)                       \
  Tensor& name##_out(Tensor& out, TensorList tensors) {  \
    if (at_door<#name "_out">(out, tensors)) return out; \
    check_gradients(#name, out, tensors);                \
    const ValuesOnly values_only;                        \
    return store_out(#name, out, call, {});              \
  }
