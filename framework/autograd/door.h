// The op's door: the line with which a public op starts. If autocast or a mode
// (ops/shared/op_mode.h) is on for this thread, the line passes the call to autocast and the modes.
// Not installed.
//
//   Tensor softmax(const Tensor& self, int64_t dim, optional<ScalarType> dtype) {
//     if (auto done = at_door<"softmax">(self, dim, dtype)) return done;
//
// An op that returns its argument writes `if (at_door<"relu_">(x)) return x;`. The name and the
// types of the arguments select the op's row of the table that CMake makes from the declarations
// (cmake/op_table.py). An op without a row does not link.
#pragma once

#include <type_traits>
#include <utility>

#include <taper/framework/autograd/autocast.h>

namespace torch::taper {

struct OpInfo;

namespace detail {

/// The name of an op as an argument of a template.
template <size_t N>
struct OpName {
  char text[N];
  consteval OpName(const char (&name)[N]) {
    for (size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};

/// The row of the op with this name and these arguments. ops/shared/op_table.cpp defines it.
template <OpName name, class... A>
struct OpAt {
  static const OpInfo row;
};

/// The result of an op that the door has called, or nothing. A DoorResult converts once, to the
/// op's result type. It has no destructor, so that an op has nothing to clean up if autocast and
/// modes are off.
class [[nodiscard]] DoorResult {
 public:
  DoorResult() = default;
  explicit DoorResult(void* value) : value_(value) {}
  explicit operator bool() const { return value_ != nullptr; }
  template <class R>
  operator R() const {
    R* const value = static_cast<R*>(value_);
    R result = std::move(*value);
    delete value;
    return result;
  }

 private:
  void* value_ = nullptr;
};

/// Shows the call to autocast and to the modes. Returns null if the op shall continue, else its
/// result on the heap. If the op returns its arguments, the pointer only says that the op was
/// called.
void* show_at_door(const OpInfo& op, const void* const* arguments);

/// Shows a read of an element to the modes.
[[gnu::cold]] void show_read(const Tensor& t);

/// The type of an argument that at_door() passes to show_at_door(). Small arguments are copied, so
/// that the addresses of the op's variables do not escape.
template <class T>
using Shown = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 2 * sizeof(void*),
                                 T, const T&>;
template <class... A>
[[gnu::cold, gnu::noinline]] DoorResult come_in(const OpInfo& op, Shown<A>... a) {
  const void* const arguments[] = {&a...};
  return DoorResult(show_at_door(op, arguments));
}

}  // namespace detail

/// Returns the result of the op with this name if autocast or a mode has called the op or has
/// replaced its result. Otherwise returns nothing, and the op continues.
template <detail::OpName name, class... A>
[[gnu::always_inline]] inline detail::DoorResult at_door(const A&... a) {
  if (__builtin_expect(detail::autocast_state.door == 0, 1)) return {};
  return detail::come_in<A...>(detail::OpAt<name, A...>::row, a...);
}

}  // namespace torch::taper
