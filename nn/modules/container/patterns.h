// Patterns: consecutive modules of a container that one op computes. Eager calls, compile() and
// captures use them alike, because all of them call the container. Not installed.
#pragma once

#include <cstddef>

#include <taper/framework/core/tensor.h>

namespace torch::taper::nn {

class AnyModule;

namespace detail {

/// Computes the first modules of `next`, of which there are `left`, if a pattern has an op for them
/// and their input x. Sets x to the result and returns the number of modules, else 0. Modules with
/// hooks and of derived classes match no pattern. Errors in the arguments are left to the modules.
/// TAPER_PATTERNS=off in the environment disables patterns, TAPER_PATTERNS=name all others.
size_t run_pattern(const AnyModule* next, size_t left, Tensor& x);

/// For tests: selects a pattern, "off", or by null all of them. Throws ValueError for other names.
TAPER_EXPORTED void force_pattern(const char* name);

}  // namespace detail
}  // namespace torch::taper::nn
