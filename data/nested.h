// Pinning batches of any type, and moving them to a device.
//
//   batch = data::pin_memory(std::move(batch));
//   batch = data::to_device(std::move(batch), device);
//
// A batch is a tensor, or an Example, pair, tuple, optional, OrderedDict or range (vector, array,
// map, ...) of batches, to any depth. Numbers and strings stay unchanged. For a type of the
// program, provide methods, or functions in its namespace. These return the new value, or change
// the given value:
//
//   struct Graphs {
//     Graphs pin_memory();                          // or  Graphs pin_memory(Graphs)
//     Graphs to(Device device, bool non_blocking);  // or  Graphs to_device(Graphs, Device, bool)
//     void record_stream(const cuda::Stream& s);    // or  void record_stream(Graphs&, Stream)
//   };
//
// Values of other types stay unchanged.
#pragma once

#include <type_traits>
#include <utility>

#include <taper/data/example.h>
#include <taper/framework/core/nested.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

template <class Data, class Target>
struct Parts<data::Example<Data, Target>> {
  using Types = std::tuple<Data, Target>;
  template <class F>
  static void each(data::Example<Data, Target>& e, F f) {
    f(e.data);
    f(e.target);
  }
};
template <class Data>
struct Parts<data::Example<Data, data::example::NoTarget>> {
  using Types = std::tuple<Data>;
  template <class F>
  static void each(data::Example<Data, data::example::NoTarget>& e, F f) {
    f(e.data);
  }
};

}  // namespace torch::taper::detail

namespace torch::taper::data {
namespace detail {

using taper::detail::for_each_tensor;

// ---------------------------------------------------------------------- functions of user types
// Only argument-dependent lookup finds functions in the namespace of a type. The declarations here
// hide all other functions of these names.
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

/// Assigns the result of make() to `value`. If make() returns void, make() changes `value` itself.
template <class T, class Make>
void replace(T& value, Make make) {
  if constexpr (std::is_void<decltype(make())>::value)
    make();
  else
    value = make();
}

// ---------------------------------------------------------------------- operations on a batch
struct Pin {
  template <class T, class = void>
  struct Takes : std::false_type {};
  template <class T>
  struct Takes<T, std::void_t<decltype(lookup::pin(std::declval<T&>(), 0))>> : std::true_type {};

  void tensor(Tensor& t) const {
    if (t.defined()) t = t.pin_memory();
  }
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

  void tensor(Tensor& t) const {
    if (t.defined()) t = t.to(device, non_blocking);
  }
  template <class T>
  void other(T& value) const {
    replace(value, [&] { return lookup::move(value, device, non_blocking, 0); });
  }
  Device device;
  bool non_blocking;
};

/// Calls record_stream(stream) for all tensors and values that Move moves.
struct RecordStream {
  template <class T>
  using Takes = Move::Takes<T>;

  void tensor(Tensor& t) const {
    if (t.defined() && t.is_cuda()) t.record_stream(stream);
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

/// Copies all tensors of a batch to pinned memory: pin_memory(batch) returns the batch. Throws
/// Error for a tensor that is not on the CPU. Without a CUDA device, the tensors are copied to
/// normal memory, and a warning is printed once.
inline constexpr detail::PinMemory pin_memory{};
/// Moves all tensors of a batch to a device: to_device(batch, device, non_blocking = false) returns
/// the batch.
inline constexpr detail::ToDevice to_device{};

}  // namespace torch::taper::data

#pragma GCC visibility pop
