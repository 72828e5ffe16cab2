// c10::variant, an alias of std::variant, and its functions. Taper's options use other variant
// types. c10::get_if, holds_alternative and visit also accept these types.
#pragma once

#include <string>
#include <variant>

#include <taper/nn/enum.h>
#include <taper/nn/options/attention.h>
#include <torch/names.h>

namespace c10 {
using std::get;
using std::get_if;
using std::holds_alternative;
using std::monostate;
using std::variant;
using std::visit;
using taper::get_if;
using taper::holds_alternative;
using taper::visit;
using taper::nn::get_if;
using taper::nn::holds_alternative;
}  // namespace c10

namespace torch {
namespace enumtype {
/// Returns the name of the value that `choice` holds, such as "kMean". The types of the
/// std::variant must be from enumtype.
template <class... Names>
std::string get_enum_name(const std::variant<Names...>& choice) {
  return std::visit([](auto name) { return std::string(name.text); }, choice);
}
}  // namespace enumtype
}  // namespace torch
