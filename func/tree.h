// Trees of tensors: tensors, and vectors, tuples and maps of trees. Transformed functions take and
// return trees.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::func::detail {

/// Lists and replaces the tensors in a value of type T. Types without a specialization have no
/// tensors.
template <class T, class = void>
struct Tree {
  static void list(const T&, std::vector<Tensor>&) {}
  static void replace(T&, const Tensor*&) {}
};
template <class T>
void list_tensors(const T& value, std::vector<Tensor>& all) {
  Tree<T>::list(value, all);
}
/// Replaces each tensor in `value` by *next, and increments `next` each time.
template <class T>
void replace_tensors(T& value, const Tensor*& next) {
  Tree<T>::replace(value, next);
}

template <>
struct Tree<Tensor> {
  static void list(const Tensor& t, std::vector<Tensor>& all) { all.push_back(t); }
  static void replace(Tensor& t, const Tensor*& next) { t = *next++; }
};
template <class T>
struct TreeOfRange {
  static void list(const T& value, std::vector<Tensor>& all) {
    for (const auto& each : value) list_tensors(each, all);
  }
  static void replace(T& value, const Tensor*& next) {
    for (auto& each : value) replace_tensors(each, next);
  }
};
template <class T>
struct Tree<std::vector<T>> : TreeOfRange<std::vector<T>> {};
template <>
struct Tree<std::vector<bool>> {
  static void list(const std::vector<bool>&, std::vector<Tensor>&) {}
  static void replace(std::vector<bool>&, const Tensor*&) {}
};
template <class T, size_t N>
struct Tree<std::array<T, N>> : TreeOfRange<std::array<T, N>> {};
template <class T>
struct TreeOfMap {
  static void list(const T& value, std::vector<Tensor>& all) {
    for (const auto& each : value) list_tensors(each.second, all);
  }
  static void replace(T& value, const Tensor*& next) {
    for (auto& each : value) replace_tensors(each.second, next);
  }
};
template <class K, class T>
struct Tree<std::map<K, T>> : TreeOfMap<std::map<K, T>> {};
template <class T>
struct Tree<OrderedDict<std::string, T>> {
  using Dict = OrderedDict<std::string, T>;
  static void list(const Dict& value, std::vector<Tensor>& all) {
    for (const auto& each : value) list_tensors(each.value(), all);
  }
  static void replace(Dict& value, const Tensor*& next) {
    for (auto& each : value) replace_tensors(each.value(), next);
  }
};
template <class... T>
struct Tree<std::tuple<T...>> {
  static void list(const std::tuple<T...>& value, std::vector<Tensor>& all) {
    std::apply([&](const T&... each) { (list_tensors(each, all), ...); }, value);
  }
  static void replace(std::tuple<T...>& value, const Tensor*& next) {
    std::apply([&](T&... each) { (replace_tensors(each, next), ...); }, value);
  }
};
template <class A, class B>
struct Tree<std::pair<A, B>> {
  static void list(const std::pair<A, B>& value, std::vector<Tensor>& all) {
    list_tensors(value.first, all);
    list_tensors(value.second, all);
  }
  static void replace(std::pair<A, B>& value, const Tensor*& next) {
    replace_tensors(value.first, next);
    replace_tensors(value.second, next);
  }
};

template <class T>
std::vector<Tensor> tensors_in(const T& value) {
  std::vector<Tensor> all;
  list_tensors(value, all);
  return all;
}
/// Returns `value` with its tensors replaced by next[0], next[1], ...
template <class T>
T with_tensors(T value, const Tensor* next) {
  replace_tensors(value, next);
  return value;
}

}  // namespace torch::taper::func::detail

#pragma GCC visibility pop
