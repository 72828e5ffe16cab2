// Formulas as types, for loops over elements. Not installed.
#pragma once

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

/// struct name { auto operator()(arguments) const { return expression; } }, for arguments of type T
/// or made of it: TAPER_FUNCTOR(TAPER_HD, div, (T x, T y), x / y). `marks` are those of
/// host_device.h.
#define TAPER_FUNCTOR(marks, name, arguments, ...) \
  struct name {                                    \
    template <class T>                             \
    marks auto operator() arguments const {        \
      return __VA_ARGS__;                          \
    }                                              \
  };

namespace torch::taper::functor {

/// A base of functors for which f(x, y) is f(y, x).
struct Turning {
  static constexpr bool turns = true;
};

}  // namespace torch::taper::functor
