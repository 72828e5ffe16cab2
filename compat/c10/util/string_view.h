// c10::string_view is the standard one.
#pragma once

#include <string_view>

#include <torch/names.h>

namespace c10 {
using std::string_view;
}
