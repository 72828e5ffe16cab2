// Formulas as types, for loops over elements. Not installed.
#pragma once

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

/// Defines struct `name` with a template call operator that returns the given expression. The
/// arguments have type T or a type made of T: TAPER_FUNCTOR(TAPER_HD, div, (T x, T y), x / y).
/// `marks` are the marks of host_device.h.
#define TAPER_FUNCTOR(marks, name, arguments, ...) \
  struct name {                                    \
    template <class T>                             \
    marks auto operator() arguments const {        \
      return __VA_ARGS__;                          \
    }                                              \
  };

namespace torch::taper::functor {

/// A base of functors that commute: f(x, y) == f(y, x).
struct Turning {
  static constexpr bool turns = true;
};

}  // namespace torch::taper::functor
