// Patterns: consecutive modules of a Sequential that one op can compute. Eager calls, compile() and
// captures use patterns, because all three call the container. Not installed.
#pragma once

#include <cstddef>

#include <taper/framework/core/tensor.h>

namespace torch::taper::nn {

class AnyModule;

namespace detail {

/// Looks for a pattern that matches the first modules of `next` and their input x. `left` is the
/// number of modules in `next`. If there is such a pattern, sets x to the result of its op, and
/// returns the number of modules that it replaces. Otherwise, returns 0. Modules with hooks match
/// no pattern. Modules of classes derived from Taper's modules match no pattern, either. If
/// arguments are invalid, no pattern matches, and the modules throw the error. The environment
/// variable TAPER_PATTERNS=off disables all patterns. If it is the name of a pattern, all other
/// patterns are disabled.
size_t run_pattern(const AnyModule* next, size_t left, Tensor& x);

/// For tests: enables only the pattern `name`. "off" disables all patterns, and null enables all.
/// Throws ValueError for other names.
TAPER_EXPORTED void force_pattern(const char* name);

}  // namespace detail
}  // namespace torch::taper::nn
