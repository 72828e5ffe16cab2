// c10::variant is the standard one.
#pragma once

#include <variant>

#include <torch/names.h>

namespace c10 {
using std::get;
using std::get_if;
using std::holds_alternative;
using std::monostate;
using std::variant;
using std::visit;
}  // namespace c10
