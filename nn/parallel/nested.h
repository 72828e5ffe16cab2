// The tensors in a value: what data-parallel code splits and joins of inputs and outputs.
//
// A type of one's own takes part when its namespace has
//   template <class F> void for_each_tensor(Mine& value, F&& f) { f(value.logits); f(value.state);
//   }
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <taper/framework/tensor.h>

namespace taper::nn::parallel {

/// Calls f(Tensor&) for each tensor in `value`, always in the same order: the tensor itself, or
/// those in optionals, pairs, tuples, arrays, vectors and maps' values, nested as they may be.
/// Other values in a tuple or a pair are passed over.
template <class F>
void for_each_tensor(Tensor& value, F&& f) {
  f(value);
}
template <class T, class F>
void for_each_tensor(optional<T>& value, F&& f);
template <class A, class B, class F>
void for_each_tensor(std::pair<A, B>& value, F&& f);
template <class... T, class F>
void for_each_tensor(std::tuple<T...>& value, F&& f);
template <class T, size_t N, class F>
void for_each_tensor(std::array<T, N>& value, F&& f);
template <class T, class A, class F>
void for_each_tensor(std::vector<T, A>& value, F&& f);
template <class K, class T, class C, class A, class F>
void for_each_tensor(std::map<K, T, C, A>& value, F&& f);
template <class K, class T, class H, class E, class A, class F>
void for_each_tensor(std::unordered_map<K, T, H, E, A>& value, F&& f);

namespace detail {

struct IgnoreTensor {
  void operator()(Tensor&) const {}
};
template <class T, class = void>
struct MayHoldTensors : std::false_type {};
template <class T>
struct MayHoldTensors<
    T, std::void_t<decltype(for_each_tensor(std::declval<T&>(), std::declval<IgnoreTensor&>()))>>
    : std::true_type {};
template <class A>
struct MayHoldTensors<std::vector<bool, A>> : std::false_type {};

template <class T, class F>
void visit(T& value, F& f) {
  if constexpr (MayHoldTensors<T>::value) for_each_tensor(value, f);
}

}  // namespace detail

template <class T, class F>
void for_each_tensor(optional<T>& value, F&& f) {
  if (value) detail::visit(*value, f);
}
template <class A, class B, class F>
void for_each_tensor(std::pair<A, B>& value, F&& f) {
  detail::visit(value.first, f);
  detail::visit(value.second, f);
}
template <class... T, class F>
void for_each_tensor(std::tuple<T...>& value, F&& f) {
  std::apply([&](auto&... part) { (detail::visit(part, f), ...); }, value);
}
template <class T, size_t N, class F>
void for_each_tensor(std::array<T, N>& value, F&& f) {
  for (T& part : value) detail::visit(part, f);
}
template <class T, class A, class F>
void for_each_tensor(std::vector<T, A>& value, F&& f) {
  for (T& part : value) detail::visit(part, f);
}
template <class K, class T, class C, class A, class F>
void for_each_tensor(std::map<K, T, C, A>& value, F&& f) {
  for (auto& item : value) detail::visit(item.second, f);
}
// By key: the order of the table itself may differ from copy to copy.
template <class K, class T, class H, class E, class A, class F>
void for_each_tensor(std::unordered_map<K, T, H, E, A>& value, F&& f) {
  std::map<K, T*> ordered;
  for (auto& item : value) ordered[item.first] = &item.second;
  for (auto& item : ordered) detail::visit(*item.second, f);
}

}  // namespace taper::nn::parallel
