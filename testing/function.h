// TensorFunction: wraps a callable of tensors as a function from a list of tensors to a list of
// tensors.
#pragma once

#include <array>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing {

namespace impl {

template <class F, size_t... I>
constexpr bool takes_tensors(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, decltype((void)I, std::declval<const Tensor&>())...>;
}
/// Returns the number of tensors that F takes as arguments. Returns 0 if F does not take one to
/// eight tensors.
template <class F, size_t N = 1>
constexpr size_t arity() {
  if constexpr (takes_tensors<F>(std::make_index_sequence<N>()))
    return N;
  else if constexpr (N < 8)
    return arity<F, N + 1>();
  else
    return 0;
}

inline std::vector<Tensor> to_list(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> to_list(std::vector<Tensor> list) { return list; }
template <class... T>
std::vector<Tensor> to_list(const std::tuple<T...>& tensors) {
  return std::apply([](const auto&... t) { return std::vector<Tensor>{t...}; }, tensors);
}
inline std::vector<Tensor> to_list(const std::pair<Tensor, Tensor>& p) {
  return {p.first, p.second};
}
template <size_t N>
std::vector<Tensor> to_list(const std::array<Tensor, N>& a) {
  return {a.begin(), a.end()};
}

void check_arity(size_t expected, size_t got);

template <class F, size_t... I>
std::vector<Tensor> call_with(F& f, const std::vector<Tensor>& inputs, std::index_sequence<I...>) {
  check_arity(sizeof...(I), inputs.size());
  return to_list(f(inputs[I]...));
}

}  // namespace impl

/// Wraps a callable that takes one to eight tensors, or a `const std::vector<Tensor>&`. The
/// callable must return a tensor, or a tuple, pair, array or vector of tensors. The callable's
/// arguments must have explicit types, because the number of tensors of `[](auto x) {...}` is
/// unknown.
class TensorFunction {
 public:
  using List = std::vector<Tensor>;  ///< the inputs, or the outputs
  /// Wraps a callable.
  template <class F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, TensorFunction>, int> = 0>
  TensorFunction(F f) : call_(wrapped(std::move(f))) {}
  /// Calls the callable with `inputs`. Throws ValueError if the callable does not take
  /// inputs.size() tensors.
  List operator()(const List& inputs) const { return call_(inputs); }

 private:
  template <class F>
  static std::function<List(const List&)> wrapped(F f) {
    if constexpr (std::is_invocable_v<F&, const List&>) {
      return [f = std::move(f)](const List& inputs) mutable { return impl::to_list(f(inputs)); };
    } else {
      constexpr size_t kArity = impl::arity<F>();
      static_assert(kArity > 0,
                    "a function under test takes one to eight tensors, or a "
                    "const std::vector<Tensor>&");
      return [f = std::move(f)](const List& inputs) mutable {
        return impl::call_with(f, inputs, std::make_index_sequence<kArity>());
      };
    }
  }
  std::function<List(const List&)> call_;
};

}  // namespace torch::taper::testing
