// Applies an action to the tensors in a value. The value is a tensor, or a pair, tuple, optional,
// dictionary or container that holds tensors, nested to any depth. An action has these members:
//
//   struct Action {
//     template <class T> struct Takes;      // true if other() handles a T
//     void tensor(Tensor& t) const;         // also called with undefined tensors
//     template <class T> void other(T& value) const;
//   };
//
// Everything else in the value is skipped.
#pragma once

#include <map>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Lists the parts of a T that may hold tensors. `Types` are their types. each(value, f) calls f
/// for each part.
template <class T, class = void>
struct Parts {
  using Types = std::tuple<>;
};
template <class A, class B>
struct Parts<std::pair<A, B>> {
  using Types = std::tuple<A, B>;
  template <class F>
  static void each(std::pair<A, B>& p, F f) {
    f(p.first);
    f(p.second);
  }
};
template <class... T>
struct Parts<std::tuple<T...>> {
  using Types = std::tuple<T...>;
  template <class F>
  static void each(std::tuple<T...>& t, F f) {
    std::apply([&](auto&... part) { (f(part), ...); }, t);
  }
};
template <class T>
struct Parts<optional<T>> {
  using Types = std::tuple<T>;
  template <class F>
  static void each(optional<T>& v, F f) {
    if (v) f(*v);
  }
};
template <class Key, class Value>
struct Parts<OrderedDict<Key, Value>> {
  using Types = std::tuple<Value>;
  template <class F>
  static void each(OrderedDict<Key, Value>& dict, F f) {
    for (auto& item : dict) f(item.value());
  }
};
template <class T, class = void>
struct is_ordered_table : std::false_type {};
template <class Key, class Value, class H, class E, class A>
struct is_ordered_table<
    std::unordered_map<Key, Value, H, E, A>,
    std::void_t<decltype(std::declval<const Key&>() < std::declval<const Key&>())>>
    : std::true_type {};
/// Visits entries in the order of their keys if keys can be compared, because the order in a hash
/// table may differ between copies.
template <class Key, class Value, class H, class E, class A>
struct Parts<std::unordered_map<Key, Value, H, E, A>,
             std::void_t<decltype(std::declval<const Key&>() < std::declval<const Key&>())>> {
  using Types = std::tuple<Value>;
  template <class F>
  static void each(std::unordered_map<Key, Value, H, E, A>& table, F f) {
    std::map<Key, Value*> ordered;
    for (auto& item : table) ordered[item.first] = &item.second;
    for (auto& item : ordered) f(*item.second);
  }
};
/// Containers whose elements can be changed in place. A map is a container of pairs with a const
/// key.
template <class T>
struct Parts<
    T, std::enable_if_t<
           std::is_same<decltype(*std::declval<T&>().begin()), typename T::value_type&>::value &&
           !std::is_same<typename T::value_type, T>::value && !is_ordered_table<T>::value>> {
  using Types = std::tuple<typename T::value_type>;
  template <class F>
  static void each(T& range, F f) {
    for (auto& element : range) f(element);
  }
};

/// True if a T may hold values that `Action` handles.
template <class Action, class T>
struct Reaches;
template <class Action, class Types>
struct ReachesAny;
template <class Action, class... T>
struct ReachesAny<Action, std::tuple<T...>> : std::disjunction<Reaches<Action, T>...> {};
template <class Action, class T>
struct Reaches : std::disjunction<std::is_same<T, Tensor>, typename Action::template Takes<T>,
                                  ReachesAny<Action, typename Parts<T>::Types>> {};
template <class Action, class T>
struct Reaches<Action, const T> : std::false_type {};

/// Applies `action` to every tensor in `value`, and to every value for which Action::Takes is true.
template <class Action, class T>
void for_each_tensor(const Action& action, T& value) {
  if constexpr (std::is_same<T, Tensor>::value) {
    action.tensor(value);
  } else if constexpr (Reaches<Action, T>::value) {
    if constexpr (Action::template Takes<T>::value)
      action.other(value);
    else
      Parts<T>::each(value, [&](auto& part) { for_each_tensor(action, part); });
  }
}

}  // namespace torch::taper::detail

#pragma GCC visibility pop
