// Stores results in `out` arguments after they are computed, by the rules of ops/shared/out.h.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/shared/foreach.h>
#include <taper/ops/shared/out.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// Checks the arguments of an `out` form. Until the end of the scope, autograd records nothing, and
/// autocast is off.
class OutScope {
 public:
  OutScope(const char* op, Operands outs, Operands inputs) : checked_(check(op, outs, inputs)) {}

 private:
  static bool check(const char* op, Operands outs, Operands inputs) {
    for (const Tensor& out : outs) check_out_gradient(op, out, inputs);
    return true;
  }
  bool checked_;  // first: the check needs gradient mode, which NoGradGuard turns off
  NoGradGuard no_history_;
  AutocastOff as_given_;
};
/// Returns the options for the result of a factory function: the options of `out` if it is defined.
inline TensorOptions options_of_result(const Tensor& out) {
  return out.defined() ? out.options().requires_grad(false) : TensorOptions();
}
/// Throws Error unless the result may be stored in `out`.
inline void check_result(const char* op, const Tensor& out, const Tensor& result, Operands inputs) {
  check_out_device(op, out, result.device());
  plan_out(op, out, Dims(result.sizes()), inputs);
  check_stored_dtype(op, out, result.scalar_type());
}
/// Stores results[i] in outs[i] for all i. After an error, no result is stored.
template <class Outs, class Results, size_t... I>
void store_each(const char* op, const Outs& outs, const Results& results, Operands inputs,
                std::index_sequence<I...>) {
  const auto check = [&](const Tensor& out, const Tensor& result) {
    if (out.defined()) check_result(op, out, result, inputs);
  };
  (check(std::get<I>(outs), std::get<I>(results)), ...);
  (store_out(op, std::get<I>(outs), std::get<I>(results), inputs), ...);
}
template <class... Out, class Results>
std::tuple<Out...> store_results(const char* op, const std::tuple<Out...>& outs,
                                 const Results& results, Operands inputs) {
  store_each(op, outs, results, inputs, std::make_index_sequence<sizeof...(Out)>());
  return outs;
}
inline void store_list(const char* op, TensorList outs, const std::vector<Tensor>& results,
                       Operands inputs) {
  TAPER_CHECK(outs.size() == results.size(), op, ": expected ", results.size(),
              " tensors for the results, got ", outs.size());
  for (size_t i = 0; i < outs.size(); ++i) {
    Tensor out = outs[i];
    store_out(op, out, results[i], inputs);
  }
}

/// Stores the results of make() in the tensors of `out`. On devices, one launch stores all results.
/// After an error, no result is stored.
template <class Make>
void store_foreach(const char* op, TensorList out, std::initializer_list<TensorList> inputs,
                   const Make& make) {
  for (const Tensor& t : out) check_out_gradient(op, t, {});
  for (const TensorList& list : inputs)
    for (const Tensor& t : list) check_out_gradient(op, Tensor(), {t});
  const OutScope scope(op, {}, {});
  const std::vector<Tensor> results = make();
  TAPER_CHECK(out.size() == results.size(), op, ": expected ", results.size(),
              " tensors for the results, got ", out.size());
  for (size_t i = 0; i < out.size(); ++i) check_result(op, out[i], results[i], {});
  for (size_t i = 0; i < out.size(); ++i)
    plan_out(op, out[i], Dims(results[i].sizes()), {}).resize();
  const TensorList made(results);
  foreach_change("copy", out, {&made});
}

}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
