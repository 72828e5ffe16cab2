// Patterns: consecutive modules of a container that one op can compute. Eager calls, compile() and
// captures all use patterns, because all of them call the container. Not installed.
#pragma once

#include <cstddef>

#include <taper/framework/core/tensor.h>

namespace torch::taper::nn {

class AnyModule;

namespace detail {

/// Looks for a pattern that matches the first modules of `next` and their input x. `left` is the
/// number of modules in `next`. If there is such a pattern, sets x to the result of its op, and
/// returns the number of modules that it replaces. Otherwise, returns 0. Modules with hooks and
/// modules of derived classes match no pattern. If arguments are invalid, no pattern matches, and
/// the modules throw the error. In the environment, TAPER_PATTERNS=off disables all patterns, and
/// TAPER_PATTERNS=name disables all except `name`.
size_t run_pattern(const AnyModule* next, size_t left, Tensor& x);

/// For tests: enables only the pattern `name`. "off" disables all patterns, and null enables all.
/// Throws ValueError for other names.
TAPER_EXPORTED void force_pattern(const char* name);

}  // namespace detail
}  // namespace torch::taper::nn
