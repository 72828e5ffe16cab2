// A pointwise kernel as a member of chains (gpu/chain_source.h): y = f(x, ...) for elements with
// the same index. Not installed.
#pragma once

#include <cstddef>
#include <type_traits>
#include <typeinfo>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::cuda {

/// The types of a pointwise kernel y = f(x, ...). The kernel passes each element to f by `load`,
/// and converts f's result to the type of y.
struct PointwiseKind {
  static constexpr int kMostInputs = 3;
  int inputs;
  size_t nbytes, align;  ///< of the functor, as on a GPU. nbytes is 0 if the functor is empty
  const std::type_info *functor, *result, *operands[kMostInputs];
};

template <class F, class To, class... From>
const PointwiseKind& pointwise_kind() {
  static_assert(sizeof...(From) <= PointwiseKind::kMostInputs);
  static_assert(std::is_trivially_copyable_v<F>);
  static const PointwiseKind kind{static_cast<int>(sizeof...(From)),
                                  std::is_empty_v<F> ? 0 : sizeof(F),
                                  alignof(F),
                                  &typeid(F),
                                  &typeid(To),
                                  {&typeid(From)...}};
  return kind;
}

/// Tells a capture that the calling thread's next launch runs only this pointwise kernel.
void tell_pointwise(const PointwiseKind& kind, const void* f, const Out& y, const In* const* x);

/// Calls tell_pointwise for a functor f with operands of types From... and a result of type To.
/// Does nothing in kernels compiled for the host, which have no captures.
template <class To, class... From, class F, class... X>
void tell(const F& f, const Out& y, const X&... x) {
#ifdef __CUDACC__
  static_assert(sizeof...(From) == sizeof...(X));
  const In* const all[] = {&x...};
  tell_pointwise(pointwise_kind<F, To, From...>(), &f, y, all);
#else
  (void)f, (void)y, ((void)x, ...);
#endif
}

}  // namespace torch::taper::cuda
