// LibTorch's <torch/csrc/utils/variadic.h>: predicates on lists of types and values.
#pragma once

#include <torch/torch.h>

namespace torch {

/// std::enable_if_t, with LibTorch 1.13's name.
template <bool condition, class T = void>
using enable_if_t = std::enable_if_t<condition, T>;
/// all_of is true if all `values` are true, and any_of if at least one of them is true.
template <bool... values>
using all_of = std::bool_constant<(values && ...)>;
template <bool... values>
using any_of = std::bool_constant<(values || ...)>;

/// Calls `f` with each argument, in order.
template <class F, class... T>
void apply(F f, T&&... values) {
  (f(std::forward<T>(values)), ...);
}

}  // namespace torch
