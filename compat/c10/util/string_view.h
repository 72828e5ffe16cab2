// c10::string_view, an alias of std::string_view.
#pragma once

#include <string_view>

#include <torch/names.h>

namespace c10 {
using std::string_view;
}
