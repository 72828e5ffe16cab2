// visit(): visits the tensors in a value. Data-parallel code uses it to split inputs and to join
// outputs.
//
// To include a user type, define in its namespace
//   template <class F>
//   void for_each_tensor(Mine& value, F&& f) { f(value.logits), f(value.state); }
// Only argument-dependent lookup finds this function.
#pragma once

#include <type_traits>
#include <utility>

#include <taper/framework/core/nested.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel::detail {

// The declaration of for_each_tensor() in this namespace hides all other functions with this name,
// so that only argument-dependent lookup finds a program's function.
namespace lookup {
void for_each_tensor();

template <class T, class F>
auto visit(T& value, F&& f) -> decltype(for_each_tensor(value, std::forward<F>(f))) {
  return for_each_tensor(value, std::forward<F>(f));
}
}  // namespace lookup

/// A visitor for taper::detail::for_each_tensor. It calls f(Tensor&) for each tensor. For a value
/// of a user type, it calls the type's for_each_tensor().
template <class F>
struct Visit {
  template <class T, class = void>
  struct Takes : std::false_type {};
  template <class T>
  struct Takes<T,
               std::void_t<decltype(lookup::visit(std::declval<T&>(), std::declval<const F&>()))>>
      : std::true_type {};

  void tensor(Tensor& t) const { f(t); }
  template <class T>
  void other(T& value) const {
    lookup::visit(value, f);
  }
  const F& f;
};

/// Calls f(Tensor&) for each tensor in `value`, also for undefined tensors. Equal types are visited
/// in equal order. framework/core/nested.h lists the types of values.
template <class T, class F>
void visit(T& value, const F& f) {
  taper::detail::for_each_tensor(Visit<F>{f}, value);
}

struct IgnoreTensor {
  void operator()(Tensor&) const {}
};
template <class T>
using MayHoldTensors = taper::detail::Reaches<Visit<IgnoreTensor>, T>;

}  // namespace torch::taper::nn::parallel::detail

#pragma GCC visibility pop
