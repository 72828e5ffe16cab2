// LibTorch's <torch/detail/static.h>: traits of a module's type.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/module.h>
#include <torch/names.h>

namespace torch {
namespace detail {

/// True if T has a forward() that is neither a template nor overloaded.
template <class T>
using has_forward = taper::nn::detail::has_forward<T>;
/// True if M derives from Module.
template <class M>
using is_module = taper::nn::detail::is_module<M>;
template <class M, class T = void>
using enable_if_module_t = std::enable_if_t<is_module<M>::value, T>;

/// `type` is the result type of M's forward() for arguments of types Args. It is void if M has no
/// such forward().
template <class M, class = void, class... Args>
struct result_of_forward {
  using type = void;
};
template <class M, class... Args>
struct result_of_forward<
    M, std::void_t<decltype(std::declval<M&>().forward(std::declval<Args>()...))>, Args...> {
  using type = decltype(std::declval<M&>().forward(std::declval<Args>()...));
};
template <class M, class... Args>
using return_type_of_forward = result_of_forward<M, void, Args...>;
template <class M, class... Args>
using return_type_of_forward_t = typename return_type_of_forward<M, Args...>::type;

/// Returns whether none of the types T is a non-const lvalue reference.
template <class... T>
constexpr bool check_not_lvalue_references() {
  return (
      (!std::is_lvalue_reference<T>::value || std::is_const<std::remove_reference_t<T>>::value) &&
      ...);
}

}  // namespace detail
}  // namespace torch
