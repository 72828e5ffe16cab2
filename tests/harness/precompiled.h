// What the tests' precompiled header holds: GoogleTest, the standard library's large headers, and
// the one header of Taper that every test includes. A source names what it uses all the same: it
// must compile without (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON; the ThreadSanitizer build does).
// Nothing of a single op belongs here: every test would be compiled anew after an edit of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <taper/framework/core/tensor.h>
