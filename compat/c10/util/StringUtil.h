// c10::str, c10::Join and c10::to_string: convert values to text.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

#include <taper/framework/core/check.h>
#include <torch/names.h>

namespace c10 {

template <class... Parts>
std::string str(const Parts&... parts) {
  return taper::detail::concat(parts...);
}
template <class List>
std::string Join(const std::string& separator, const List& values) {
  std::ostringstream out;
  bool first = true;
  for (const auto& value : values) {
    if (!first) out << separator;
    out << value;
    first = false;
  }
  return out.str();
}

/// Converts a number with std::to_string, and any other value, such as a pointer, with operator<<.
template <class T>
std::string to_string(const T& value) {
  if constexpr (std::is_arithmetic<T>::value)
    return std::to_string(value);
  else
    return str(value);
}
using std::stod;
using std::stoi;
using std::stoll;
using std::stoull;
namespace guts {
using c10::to_string;
}  // namespace guts
}  // namespace c10
