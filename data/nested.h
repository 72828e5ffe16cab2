// Batches of any make: pinning them, moving them to a device.
//
//   batch = data::pin_memory(std::move(batch));
//   batch = data::to_device(std::move(batch), device);
//
// A batch is a tensor, or an Example, pair, tuple, optional, OrderedDict or range (vector, array,
// map, ...) of such, as deep as it likes; numbers and texts in it stay as they are. A type of the
// user's own says itself how it is done, by methods or by functions beside it, which give the new
// value or change the given one:
//
//   struct Graphs {
//     Graphs pin_memory();                          // or  Graphs pin_memory(Graphs)
//     Graphs to(Device device, bool non_blocking);  // or  Graphs to_device(Graphs, Device, bool)
//     void record_stream(const cuda::Stream& s);    // or  void record_stream(Graphs&, Stream)
//   };
//
// A type with none of these passes through.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <taper/data/example.h>
#include <taper/framework/ordered_dict.h>
#include <taper/framework/runtime/stream.h>

namespace taper::data {
namespace detail {

// ---------------------------------------------------------------------- what a batch is made of
/// The parts of a T that may hold tensors: their types, and each(value, f).
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
template <class Data, class Target>
struct Parts<Example<Data, Target>> {
  using Types = std::tuple<Data, Target>;
  template <class F>
  static void each(Example<Data, Target>& e, F f) {
    f(e.data);
    f(e.target);
  }
};
template <class Data>
struct Parts<Example<Data, example::NoTarget>> {
  using Types = std::tuple<Data>;
  template <class F>
  static void each(Example<Data, example::NoTarget>& e, F f) {
    f(e.data);
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
/// Containers whose elements can be changed in place. Maps are such, of pairs of a const key.
template <class T>
struct Parts<T, std::enable_if_t<std::is_same<decltype(*std::declval<T&>().begin()),
                                              typename T::value_type&>::value &&
                                 !std::is_same<typename T::value_type, T>::value>> {
  using Types = std::tuple<typename T::value_type>;
  template <class F>
  static void each(T& range, F f) {
    for (auto& element : range) f(element);
  }
};

/// Whether there is anything for `Action` in a T.
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

/// Does `action` to every tensor, and to everything that has its own way of it, in `value`.
template <class Action, class T>
void for_each_tensor(const Action& action, T& value) {
  if constexpr (std::is_same<T, Tensor>::value) {
    if (value.defined()) action.tensor(value);
  } else if constexpr (Reaches<Action, T>::value) {
    if constexpr (Action::template Takes<T>::value)
      action.other(value);
    else
      Parts<T>::each(value, [&](auto& part) { for_each_tensor(action, part); });
  }
}

// ---------------------------------------------------------------------- users' own ways
// Functions beside a type are found by argument-dependent lookup alone: the declarations here hide
// everything else of these names.
namespace lookup {
void pin_memory();
void to_device();
void record_stream();

template <class T>
auto pin(T& v, int) -> decltype(v.pin_memory()) {
  return v.pin_memory();
}
template <class T>
auto pin(T& v, long) -> decltype(pin_memory(v)) {
  return pin_memory(v);
}
template <class T>
auto move(T& v, Device d, bool non_blocking, int) -> decltype(v.to(d, non_blocking)) {
  return v.to(d, non_blocking);
}
template <class T>
auto move(T& v, Device d, bool non_blocking, long) -> decltype(to_device(v, d, non_blocking)) {
  return to_device(v, d, non_blocking);
}
template <class T>
auto record(T& v, const cuda::Stream& s, int) -> decltype(v.record_stream(s)) {
  v.record_stream(s);
}
template <class T>
auto record(T& v, const cuda::Stream& s, long) -> decltype(record_stream(v, s)) {
  record_stream(v, s);
}
template <class T, class = void>
struct Records : std::false_type {};
template <class T>
struct Records<T,
               std::void_t<decltype(record(std::declval<T&>(), std::declval<cuda::Stream&>(), 0))>>
    : std::true_type {};
}  // namespace lookup

/// value = make(), or make() alone where that changes the value itself.
template <class T, class Make>
void replace(T& value, Make make) {
  if constexpr (std::is_void<decltype(make())>::value)
    make();
  else
    value = make();
}

// ---------------------------------------------------------------------- what can be done
struct Pin {
  template <class T, class = void>
  struct Takes : std::false_type {};
  template <class T>
  struct Takes<T, std::void_t<decltype(lookup::pin(std::declval<T&>(), 0))>> : std::true_type {};

  void tensor(Tensor& t) const { t = t.pin_memory(); }
  template <class T>
  void other(T& value) const {
    replace(value, [&] { return lookup::pin(value, 0); });
  }
};

struct Move {
  template <class T, class = void>
  struct Takes : std::false_type {};
  template <class T>
  struct Takes<T, std::void_t<decltype(lookup::move(std::declval<T&>(), Device(), true, 0))>>
      : std::true_type {};

  void tensor(Tensor& t) const { t = t.to(device, non_blocking); }
  template <class T>
  void other(T& value) const {
    replace(value, [&] { return lookup::move(value, device, non_blocking, 0); });
  }
  Device device;
  bool non_blocking;
};

/// For what Move moves.
struct RecordStream {
  template <class T>
  using Takes = Move::Takes<T>;

  void tensor(Tensor& t) const {
    if (t.is_cuda()) t.record_stream(stream);
  }
  template <class T>
  void other(T& value) const {
    static_assert(lookup::Records<T>::value,
                  "a batch of this type can be moved to a device ahead of its use only if it has "
                  "record_stream(const cuda::Stream&) beside to(Device, bool)");
    lookup::record(value, stream, 0);
  }
  const cuda::Stream& stream;
};

struct PinMemory {
  template <class Batch>
  Batch operator()(Batch batch) const {
    for_each_tensor(Pin{}, batch);
    return batch;
  }
};
struct ToDevice {
  template <class Batch>
  Batch operator()(Batch batch, Device device, bool non_blocking = false) const {
    for_each_tensor(Move{device, non_blocking}, batch);
    return batch;
  }
};

}  // namespace detail

/// pin_memory(batch): the batch with all its tensors in page-locked memory. Throws Error for a
/// tensor that is not on the CPU. Without a CUDA device the tensors are copied, and a warning is
/// printed once.
inline constexpr detail::PinMemory pin_memory{};
/// to_device(batch, device, non_blocking = false): the batch with all its tensors on the device.
inline constexpr detail::ToDevice to_device{};

}  // namespace taper::data
